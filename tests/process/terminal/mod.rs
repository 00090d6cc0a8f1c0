//! What a person sees: jsift on a terminal, played by the controlling side of a pseudo-terminal.

mod completions;
mod messages;

use std::fs::{self, File};
use std::io::{BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use tempfile::NamedTempFile;

use crate::ignored::is_ignored;

/// A terminal that somebody looks at.
struct Terminal {
    screen: BufReader<File>,
    keyboard: OwnedFd,
}

impl Terminal {
    fn new(columns: u16) -> Self {
        let own = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&own).unwrap();
        unlockpt(&own).unwrap();
        let name = ptsname(&own, Vec::new()).unwrap();
        // Opened here for good: a terminal that nobody has open cannot be read.
        let keyboard = fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open(name.to_str().unwrap())
            .unwrap();
        let terminal = Self {
            screen: BufReader::new(File::from(own)),
            keyboard: keyboard.into(),
        };
        terminal.resize(columns);
        terminal
    }

    fn resize(&self, columns: u16) {
        let size = Winsize {
            ws_row: 24,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(self.screen.get_ref(), size).unwrap();
    }

    fn side(&self) -> OwnedFd {
        self.keyboard.try_clone().unwrap()
    }

    /// What is written up to and with this text, which comes soon.
    fn until(&mut self, text: &str) -> String {
        let mut seen = Vec::new();
        while !seen.ends_with(text.as_bytes()) {
            let patience = Timespec::try_from(Duration::from_secs(60)).unwrap();
            let idle = self.screen.buffer().is_empty();
            if idle {
                let screen = self.screen.get_ref();
                let ready = poll(&mut [PollFd::new(screen, PollFlags::IN)], Some(&patience));
                let so_far = String::from_utf8_lossy(&seen);
                assert!(ready.unwrap() > 0, "no {text:?} in {so_far:?}");
            }
            let mut byte = [0];
            self.screen.read_exact(&mut byte).unwrap();
            seen.extend(byte);
        }
        String::from_utf8(seen).unwrap().replace("\r\n", "\n")
    }

    /// Types on the keyboard.
    fn type_in(&mut self, keys: &str) {
        self.screen.get_mut().write_all(keys.as_bytes()).unwrap();
    }

    /// Everything that was written, now that nobody writes any more.
    fn rest(mut self) -> String {
        drop(self.keyboard);
        let mut seen = Vec::new();
        // The end of a terminal that was hung up is an error.
        let _ = self.screen.read_to_end(&mut seen);
        String::from_utf8(seen).unwrap().replace("\r\n", "\n")
    }
}

/// Returns the program as a terminal starts it, without results.
fn jsift(args: &[&str]) -> Command {
    let mut command = crate::jsift(args);
    command
        .env("LANG", "C.UTF-8")
        .env("TERM", "xterm-256color")
        .stdout(Stdio::null());
    command
}

/// A run that has read for longer than a second.
struct LongRun {
    terminal: Terminal,
    child: Child,
    stdin: ChildStdin,
    results: NamedTempFile,
}

impl LongRun {
    fn new(command: &mut Command) -> Self {
        let (terminal, results) = (Terminal::new(80), NamedTempFile::new().unwrap());
        command.stderr(terminal.side());
        let mut child = command.stdout(results.reopen().unwrap()).spawn().unwrap();
        let mut run = Self {
            terminal,
            stdin: child.stdin.take().unwrap(),
            child,
            results,
        };
        run.feed("{\"a\":1} {\"a\":2}\n");
        // It counts from its first read.
        thread::sleep(Duration::from_millis(1010));
        run.feed("{\"a\":3}\n");
        run
    }

    /// Gives it something to read, and time to write what comes of it.
    fn feed(&mut self, text: &str) {
        let length = || fs::metadata(self.results.path()).unwrap().len();
        let before = length();
        self.stdin.write_all(text.as_bytes()).unwrap();
        for _ in 0..50 {
            if length() > before {
                break;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// What is on the terminal after what was read from it.
    fn end(self) -> String {
        let Self {
            terminal,
            mut child,
            stdin,
            ..
        } = self;
        drop(stdin);
        assert!(child.wait().unwrap().success());
        terminal.rest()
    }
}

#[test]
fn a_long_input_is_reported_and_nothing_is_left_of_it() {
    let mut run = LongRun::new(jsift(&["extract", "--all"]).env("NO_COLOR", "1"));
    let line = run.terminal.until("\x1b[K\r");
    assert!(line.starts_with("\rjsift: 24 B, "), "{line:?}");
    assert!(line.ends_with("B/s, 3 documents\x1b[K\r"), "{line:?}");
    run.feed("{\"a\":broken}\n");
    let after = run.end();
    assert!(
        after.starts_with("\r\x1b[Kjsift: <stdin>:3:1: "),
        "{after:?}"
    );
    let (_, last) = after.rsplit_once('\n').unwrap();
    assert!(last.is_empty() || last.ends_with("\r\x1b[K"), "{last:?}");
}

#[test]
fn a_long_input_is_not_reported_where_nobody_asked() {
    for (args, variable) in [
        (&["extract", "--all", "--quiet"][..], ("A", "b")),
        (&["extract", "--all"], ("TERM", "dumb")),
        (&["extract", "--all"], ("CI", "true")),
    ] {
        let run = LongRun::new(jsift(args).env(variable.0, variable.1));
        assert_eq!(run.end(), "", "{args:?} {variable:?}");
    }
}

/// `events` on a terminal, fed by hand.
fn watched(terminal: &Terminal, variables: &[(&str, &str)]) -> (Child, ChildStdin) {
    let mut command = jsift(&["events"]);
    command.envs(variables.iter().copied());
    let mut child = command
        .stdout(terminal.side())
        .stderr(terminal.side())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take().unwrap();
    (child, stdin)
}

const INIT: &str =
    r#"{"type":"init","timestamp":"2026-11-21T20:58:21.273Z","session_id":"one","model":"auto"}"#;

/// An answer of so many words.
fn answer(words: usize) -> String {
    let words = "word ".repeat(words);
    format!(
        r#"{{"type":"message","timestamp":"2026-11-21T20:58:21.647Z","role":"assistant","content":"{words}\nend.\n","delta":true}}"#
    )
}

#[test]
fn lines_follow_the_width_of_the_terminal() {
    let mut terminal = Terminal::new(40);
    let (mut child, mut stdin) = watched(&terminal, &[("NO_COLOR", "1")]);
    let mut widest = Vec::new();
    for columns in [40, 100, 60] {
        terminal.resize(columns);
        // The same record again would be no news.
        let init = INIT.replace(".273Z", &format!(".{columns:03}Z"));
        writeln!(stdin, "{init}\n{}", answer(40)).unwrap();
        let seen = terminal.until("end.");
        widest.push(seen.lines().map(|line| line.chars().count()).max().unwrap());
    }
    drop(stdin);
    child.wait().unwrap();
    // Columns 8 and further hold words of five columns each with their blank.
    assert_eq!(widest, [37, 97, 57]);
}

#[test]
fn a_terminal_gets_colours_and_marks_as_far_as_it_can_show_them() {
    for (variables, begin) in [
        (&[][..], "\x1b[36m◆ \x1b[0m\x1b[1mgemini\x1b[0m auto\n"),
        (&[("TERM", "dumb")], "◆ gemini auto\n"),
        (&[("LANG", "C"), ("NO_COLOR", "1")], "# gemini auto\n"),
    ] {
        let terminal = Terminal::new(80);
        let (mut child, mut stdin) = watched(&terminal, variables);
        writeln!(stdin, "{INIT}").unwrap();
        drop(stdin);
        child.wait().unwrap();
        let seen = terminal.rest();
        assert!(seen.contains(begin), "{variables:?} {seen:?}");
    }
}

#[test]
fn a_message_stands_after_the_events_before_it() {
    let terminal = Terminal::new(80);
    let (mut child, mut stdin) = watched(&terminal, &[("NO_COLOR", "1")]);
    write!(stdin, "{INIT}\n{{\"type\":broken}}\n{}", answer(1)).unwrap();
    drop(stdin);
    child.wait().unwrap();
    let seen = terminal.rest();
    let places = [
        "◆ gemini",
        "warning: broken record",
        "● word",
        "✗ truncated",
        "without its terminal event",
    ]
    .map(|part| seen.find(part).expect(part));
    assert!(places.is_sorted(), "{seen}");
}

#[test]
fn text_that_is_copied_through_shows_what_it_hides() {
    let terminal = Terminal::new(80);
    let mut command = jsift(&["extract", "--text"]);
    command.stdout(terminal.side()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut stdin = child.stdin.take().unwrap();
    stdin
        .write_all("a\u{202e}\x1b[31m\x07\n".as_bytes())
        .unwrap();
    drop(stdin);
    assert!(child.wait().unwrap().success());
    assert_eq!(terminal.rest(), "a\\u{202e}\\x1b[31m\\x07\n");
}

#[test]
fn outputs_of_a_step_and_a_terminal_that_is_named_show_what_they_hide() {
    let hostile = r#"{"type":"result","subtype":"success","is_error":false,"total_cost_usd":0,"session_id":"s","result":"a\u202e\u001b]52;c;QQ==\u0007"}"#;
    let shown = "a\\u{202e}\\x1b]52;c;QQ==\\x07\n";
    for args in [
        &["summary", "--github-output", "response"][..],
        &["summary", "--response", "--output", "/dev/stderr"],
    ] {
        let terminal = Terminal::new(80);
        let mut command = jsift(args);
        command.stdout(terminal.side()).stderr(terminal.side());
        let mut child = command.spawn().unwrap();
        drop(command);
        writeln!(child.stdin.take().unwrap(), "{hostile}").unwrap();
        assert!(child.wait().unwrap().success());
        let seen = terminal.rest();
        assert!(seen.contains(shown), "{args:?}: {seen:?}");
        assert!(!seen.contains('\x1b'), "{args:?}: {seen:?}");
    }
}

const CALL: &str = r#"{"type":"tool_use","timestamp":"2026-11-21T20:58:22.000Z","tool_name":"run_shell_command","tool_id":"1","parameters":{"command":"make"}}"#;
const RESULT: &str = r#"{"type":"tool_result","timestamp":"2026-11-21T20:58:25.000Z","tool_id":"1","status":"success"}"#;

#[test]
fn what_runs_is_reported_how_long_it_has_been_running() {
    let mut terminal = Terminal::new(60);
    let (mut child, mut stdin) = watched(&terminal, &[("NO_COLOR", "1")]);
    writeln!(stdin, "{INIT}\n{CALL}").unwrap();
    let seen = terminal.until(" 1 s\x1b[4D");
    assert!(
        seen.ends_with("run_shell_command make 1 s\x1b[4D"),
        "{seen:?}"
    );
    // Redrawn in place.
    assert_eq!(terminal.until(" 2 s\x1b[4D"), "\x1b[K 2 s\x1b[4D");
    // There is no room for it any more, and then there is again.
    terminal.resize(20);
    assert_eq!(terminal.until("\x1b[K"), "\x1b[K");
    terminal.resize(60);
    let seen = terminal.until("\x1b[4D");
    assert!(
        seen.starts_with(' ') && seen.ends_with(" s\x1b[4D"),
        "{seen:?}"
    );
    writeln!(stdin, "{RESULT}").unwrap();
    let seen = terminal.until("✓ 3.0 s\r\n");
    let (_, end) = seen.rsplit_once("\x1b[4D").unwrap_or(("", &seen));
    assert_eq!(end, "\x1b[K ✓ 3.0 s\n");
    drop(stdin);
    child.wait().unwrap();
    assert!(!terminal.rest().contains("\x1b[4D"));
}

#[test]
fn calls_that_run_side_by_side_are_reported_below_them() {
    let mut terminal = Terminal::new(60);
    let (mut child, mut stdin) = watched(&terminal, &[("NO_COLOR", "1")]);
    let second = CALL.replace(r#""1""#, r#""2""#).replace("make", "sleep");
    writeln!(
        stdin,
        "{INIT}\n{CALL}\n{second}\n{}",
        RESULT.replace(r#""1""#, r#""2""#)
    )
    .unwrap();
    let seen = terminal.until(" 1 s\r");
    assert!(
        seen.ends_with("        … run_shell_command 1 s\r"),
        "{seen:?}"
    );
    writeln!(stdin, "{RESULT}").unwrap();
    let seen = terminal.until("\r\n");
    assert!(seen.contains("\x1b[K"), "{seen:?}");
    assert!(
        seen.ends_with("← run_shell_command make ✓ 3.0 s\n"),
        "{seen:?}"
    );
    drop(stdin);
    child.wait().unwrap();
}

#[test]
fn time_is_not_reported_where_nothing_but_lines_can_be_drawn() {
    for variable in [("TERM", "dumb"), ("CI", "true")] {
        let terminal = Terminal::new(60);
        let (mut child, mut stdin) = watched(&terminal, &[("NO_COLOR", "1"), variable]);
        writeln!(stdin, "{INIT}\n{CALL}").unwrap();
        thread::sleep(Duration::from_millis(1300));
        drop(stdin);
        child.wait().unwrap();
        let seen = terminal.rest();
        assert!(!seen.contains('\x1b') && !seen.contains("1 s"), "{seen:?}");
    }
}

/// Interrupts a run twice: the first interrupt is its producer's.
fn interrupt(child: &Child) {
    for _ in 0..2 {
        let process = child.id().to_string();
        let sent = Command::new("kill").args(["-s", "INT", &process]).status();
        assert!(sent.unwrap().success());
        // Two that come at once are one.
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn nothing_is_left_of_what_was_shown_for_a_while_when_a_run_is_interrupted() {
    if is_ignored(2) {
        return;
    }
    let mut terminal = Terminal::new(60);
    let (mut child, mut stdin) = watched(&terminal, &[("NO_COLOR", "1")]);
    writeln!(stdin, "{INIT}\n{CALL}").unwrap();
    terminal.until("make 1 s\x1b[4D");
    interrupt(&child);
    assert_eq!(child.wait().unwrap().signal(), Some(2));
    assert_eq!(terminal.rest(), "\x1b[K");

    let mut run = LongRun::new(&mut jsift(&["extract", "--all"]));
    run.terminal.until("3 documents\x1b[K\r");
    interrupt(&run.child);
    assert_eq!(run.child.wait().unwrap().signal(), Some(2));
    assert_eq!(run.terminal.rest(), "\x1b[K");

    // Where nothing can be erased, nothing is written.
    let terminal = Terminal::new(60);
    let (mut child, _stdin) = watched(&terminal, &[("TERM", "dumb")]);
    thread::sleep(Duration::from_millis(100));
    interrupt(&child);
    assert_eq!(child.wait().unwrap().signal(), Some(2));
    assert_eq!(terminal.rest(), "");
}

/// An agent that prints its answer and its end when it is interrupted, and a pipe to jsift in the foreground of a
/// terminal.
fn interrupted(terminal: &Terminal, args: &str) -> Child {
    let program = env!("CARGO_BIN_EXE_jsift");
    let answer = answer(1);
    let line = format!(
        "agent() {{ trap 'printf \"%s\\n\" \"$ANSWER\" \"$RESULT\"; exit' INT; echo '{INIT}'; echo ready >&2; \
         while :; do sleep 0.01; done; }}; agent | '{program}' {args}; echo \"code $?\"",
    );
    let mut command = Command::new("setsid");
    command.args(["--ctty", "sh", "-ic", &line]);
    command
        .envs([("NO_COLOR", "1"), ("TERM", "xterm"), ("LANG", "C.UTF-8")])
        .env("ANSWER", answer)
        .env("RESULT", r#"{"type":"result","timestamp":"2026-11-21T20:58:22.273Z","status":"error","error":{"type":"FatalCancellationError","message":"Operation cancelled."},"stats":{"total_tokens":3,"input_tokens":1,"output_tokens":2,"duration_ms":7,"tool_calls":0}}"#);
    command
        .stdin(terminal.side())
        .stdout(terminal.side())
        .stderr(terminal.side())
        .spawn()
        .unwrap()
}

/// Whether the jsift that a shell has started has a handler for interrupts.
fn leaves_an_interrupt(shell: &Child) -> bool {
    let process = |id: &str, what: &str| format!("/proc/{id}/{what}");
    let id = shell.id().to_string();
    let children = fs::read_to_string(process(&id, &format!("task/{id}/children")));
    children.unwrap().split_whitespace().any(|id| {
        let own = fs::read_link(process(id, "exe")).unwrap_or_default();
        let status = fs::read_to_string(process(id, "status")).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        own.ends_with("jsift") && caught.is_some_and(|mask| mask & 2 == 2)
    })
}

#[test]
fn what_an_agent_prints_when_it_is_interrupted_is_read() {
    if is_ignored(2) {
        return;
    }
    for (args, reported) in [
        ("events", "✗ cancelled"),
        ("summary --color never", "Operation cancelled."),
        ("extract --all", "FatalCancellationError"),
    ] {
        let mut terminal = Terminal::new(200);
        let mut child = interrupted(&terminal, args);
        terminal.until("ready\r\n");
        while !leaves_an_interrupt(&child) {
            thread::sleep(Duration::from_millis(1));
        }
        terminal.type_in("\x03");
        child.wait().unwrap();
        let seen = terminal.rest();
        assert!(seen.contains(reported), "{args}: {seen}");
    }
}
