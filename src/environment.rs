//! The edge of the process: environment variables, terminals, the clock, the standard streams. This module is part of
//! the binary only, since the library uses none of these.

#[cfg(unix)]
use std::fs::Metadata;
use std::io::{self, ErrorKind, Write};
#[cfg(unix)]
use std::path::PathBuf;
use std::time::Instant;

#[cfg(any(unix, windows))]
use anyhow::Context as _;
use is_terminal::IsTerminal;

use jsift::Outcome;
use jsift::command::cli::Common;
use jsift::command::cli::guess::COMMANDS;
use jsift::command::cli::value::Color;
use jsift::command::run::environment::{Environment, OutputStream};
use jsift_agents::dialect::AgentFileDraft;
use jsift_find::finder::FindOptions;
#[cfg(any(unix, windows))]
use jsift_sink::diagnostic::Diagnostic;
use jsift_sink::sanitize::sanitize;

/// What messages call standard output.
#[cfg(any(unix, windows))]
const STDOUT: &str = "<stdout>";

/// Returns an environment variable, if it is set and not empty.
fn variable(name: &str) -> Option<String> {
    std::env::var_os(name)
        .map(|value| value.to_string_lossy().into_owned())
        .filter(|value| !value.is_empty())
}

/// Reads the environment of this process.
pub(crate) fn read(color: Color, signals: Signals) -> Environment {
    let start = Instant::now();
    let stream = |terminal| stream(color, terminal, takes_sequences(), &variable);
    let (stdout, stderr) = (is_terminal(&io::stdout()), is_terminal(&io::stderr()));
    let status = stderr && takes_status(&variable);
    Environment {
        stdout: OutputStream {
            passed_on: is_passed_on(),
            ..stream(stdout)
        },
        stderr: stream(stderr),
        shared: stdout && stderr || are_same(),
        ci: takes_commands(),
        utf8: is_utf8(&variable) || cfg!(windows) && stdout,
        random,
        cores: || std::thread::available_parallelism().map_or(1, usize::from),
        columns: Box::new(columns),
        status_columns: status.then_some(Box::new(status_columns)),
        before_rename: Box::new(move || signals.outlast()),
        clock: Box::new(move || start.elapsed()),
        ..Environment::default()
    }
}

/// Returns whether a standard stream is a terminal; all code asks here.
pub(crate) fn is_terminal(stream: &impl IsTerminal) -> bool {
    stream.is_terminal()
}

/// Returns whether standard output and standard error are the same file.
#[cfg(unix)]
fn are_same() -> bool {
    let identity = |file: &rustix::fs::Stat| (file.st_dev, file.st_ino);
    let (stdout, stderr) = (
        rustix::fs::fstat(io::stdout()),
        rustix::fs::fstat(io::stderr()),
    );
    matches!((stdout, stderr), (Ok(stdout), Ok(stderr)) if identity(&stdout) == identity(&stderr))
}

/// Returns whether standard output and standard error are the same file.
#[cfg(not(unix))]
const fn are_same() -> bool {
    false
}

/// Returns whether a CI runner reads the output and interprets some lines as commands.
fn takes_commands() -> bool {
    variable("GITHUB_ACTIONS").is_some() || variable("TF_BUILD").is_some()
}

/// Returns whether a stream is coloured: the flag decides first, then the variables, then whether it is a terminal.
fn stream(
    color: Color,
    terminal: bool,
    sequences: bool,
    variable: &dyn Fn(&str) -> Option<String>,
) -> OutputStream {
    let is = |name: &str, value: &str| variable(name).as_deref() == Some(value);
    let colored = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto if variable("NO_COLOR").is_some() => false,
        Color::Auto if variable("CLICOLOR_FORCE").is_some() && !is("CLICOLOR_FORCE", "0") => true,
        Color::Auto if is("CLICOLOR", "0") => false,
        Color::Auto => terminal && sequences && !is("TERM", "dumb"),
    };
    OutputStream {
        terminal,
        passed_on: false,
        color: colored,
        color_json: colored && (terminal || color == Color::Always),
    }
}

/// Returns whether terminals interpret escape sequences. A Windows console does if it supports them and they can be
/// enabled.
fn takes_sequences() -> bool {
    anstyle_query::windows::enable_ansi_colors() != Some(false)
}

/// Returns whether a status line that is rewritten in place may be shown: not on a dumb terminal, and not under a CI
/// runner, which keeps everything that is written.
fn takes_status(variable: &dyn Fn(&str) -> Option<String>) -> bool {
    variable("CI").is_none() && variable("TERM").is_some_and(|term| term != "dumb")
}

/// Returns whether the locale's encoding is UTF-8, according to the first of the variables that is set.
fn is_utf8(variable: &dyn Fn(&str) -> Option<String>) -> bool {
    ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(variable)
        .is_some_and(|locale| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        })
}

/// Returns a number from the system's random source.
fn random() -> io::Result<u128> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(u128::from_ne_bytes(bytes))
}

/// Returns the width of the terminal: the variable COLUMNS, or else what the terminal reports.
fn columns() -> Option<usize> {
    let stated = variable("COLUMNS").and_then(|columns| columns.parse().ok());
    stated
        .or_else(terminal_columns)
        .filter(|columns| *columns > 0)
}

fn terminal_columns() -> Option<usize> {
    let size = terminal_size::terminal_size();
    size.map(|(columns, _)| usize::from(columns.0))
}

/// Returns the width of the terminal on standard error; `None` if another job is in its foreground, since a run in the
/// background shows no status.
#[cfg(unix)]
fn status_columns() -> Option<usize> {
    /// The assumed width of a terminal that does not report one.
    const COLUMNS: usize = 80;
    let terminal = io::stderr();
    // Without job control, no other job can be in the foreground.
    let foreground = rustix::termios::tcgetpgrp(&terminal);
    if foreground.is_ok_and(|group| group != rustix::process::getpgrp()) {
        return None;
    }
    let size = rustix::termios::tcgetwinsize(&terminal).ok()?;
    Some(match usize::from(size.ws_col) {
        0 => COLUMNS,
        columns => columns,
    })
}

/// The width cannot be determined here, so no status line is shown.
#[cfg(not(unix))]
fn status_columns() -> Option<usize> {
    None
}

/// How this process meets signals.
#[derive(Debug, Default)]
pub(crate) struct Signals {
    /// Whether signals end the run.
    #[cfg(unix)]
    end: std::sync::Arc<std::sync::atomic::AtomicBool>,
}

#[cfg(not(unix))]
impl Signals {
    /// On other systems signals keep their meaning.
    pub fn handle(_: &Common) -> Self {
        Self::default()
    }

    fn outlast(&self) {}
}

#[cfg(unix)]
impl Signals {
    /// Sets up what signals do in this run. A signal that is already ignored, as in a script's background job, stays
    /// so.
    ///
    /// - Too large a file fails the write (SIGXFSZ).
    /// - The first interrupt is ignored if input comes through a pipe, and left to the producer: what an agent prints
    ///   when it is interrupted is the end of its run, and worth reading. The second interrupt ends the run.
    /// - Interrupt, hang-up and termination end the run until its results are [complete](Self::outlast).
    pub(crate) fn handle(common: &Common) -> Self {
        use signal_hook::consts::{SIGHUP, SIGTERM, SIGXFSZ};
        use signal_hook::flag;
        use std::sync::{Arc, atomic::AtomicBool};
        let own = Self {
            end: Arc::new(AtomicBool::new(true)),
        };
        // With a handler, the write that reaches the limit returns an error.
        let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
        let mut signals = vec![];
        if common.output.is_some() {
            signals.extend([SIGHUP, SIGTERM]);
        }
        if !own.handle_interrupt(&common.files) && common.output.is_some() {
            signals.push(signal_hook::consts::SIGINT);
        }
        for signal in signals.into_iter().filter(|signal| !is_ignored(*signal)) {
            let _ = flag::register_conditional_default(signal, Arc::clone(&own.end));
        }
        own
    }

    /// From now on no signal ends the run: its results are about to be in place, and it ends at once.
    fn outlast(&self) {
        self.end.store(false, std::sync::atomic::Ordering::SeqCst);
    }

    /// Returns whether interrupts got a meaning of their own.
    fn handle_interrupt(&self, files: &[PathBuf]) -> bool {
        use signal_hook::{consts::SIGINT, flag};
        use std::sync::{Arc, atomic::AtomicBool};
        let left = sources(files).any(is_pipe);
        let shown = io::stderr().is_terminal() && takes_status(&variable);
        if !(left || shown) || is_ignored(SIGINT) {
            return false;
        }
        if shown {
            self.end_cleanly(SIGINT, left);
            return true;
        }
        let interrupted = Arc::new(AtomicBool::new(false));
        // Handlers run in the order of their registration: at the first interrupt the flag is still false. If
        // registration fails, the first interrupt ends the run.
        let second = flag::register_conditional_default(SIGINT, Arc::clone(&interrupted));
        let _ = second.and_then(|_| flag::register(SIGINT, interrupted));
        true
    }

    /// Ends the run at a signal (at the second one if the first is `left` to the producer) after erasing the status
    /// line. A thread does this, since the run may be anywhere, even in a write that does not return.
    fn end_cleanly(&self, signal: i32, left: bool) {
        use signal_hook::iterator::Signals;
        use signal_hook::low_level::emulate_default_handler;
        use std::os::fd::AsFd;
        let terminal = io::stderr().as_fd().try_clone_to_owned();
        // If this fails, the first signal ends the run as usual.
        let (Ok(terminal), Ok(mut signals)) = (terminal, Signals::new([signal])) else {
            return;
        };
        let end = std::sync::Arc::clone(&self.end);
        std::thread::spawn(move || {
            signals.forever().nth(usize::from(left));
            if !end.load(std::sync::atomic::Ordering::SeqCst) {
                return;
            }
            // The status line is after the cursor.
            let _ = std::fs::File::from(terminal).write_all(b"\x1b[K");
            let _ = emulate_default_handler(signal);
        });
    }
}

/// Returns the metadata of a run's sources, where it can be determined.
#[cfg(unix)]
fn sources(files: &[PathBuf]) -> impl Iterator<Item = io::Result<Metadata>> {
    let stdin = files.is_empty().then(|| PathBuf::from("-"));
    files.iter().cloned().chain(stdin).map(|path| match path {
        path if path.as_os_str() == "-" => metadata(io::stdin()),
        path => std::fs::metadata(path),
    })
}

/// Returns whether this process was started with a signal ignored. Only Linux reports that without `unsafe`; on other
/// systems the answer is always no.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Returns whether standard output is a pipe or a socket.
#[cfg(unix)]
fn is_passed_on() -> bool {
    is_pipe(metadata(io::stdout()))
}

/// Returns whether a file is a pipe or a socket.
#[cfg(unix)]
fn is_pipe(metadata: io::Result<Metadata>) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = metadata.map(|metadata| metadata.file_type());
    kind.is_ok_and(|kind| kind.is_fifo() || kind.is_socket())
}

/// Returns the metadata of a standard stream.
#[cfg(unix)]
fn metadata(stream: impl std::os::fd::AsFd) -> io::Result<Metadata> {
    let own = stream.as_fd().try_clone_to_owned()?;
    std::fs::File::from(own).metadata()
}

/// Without a way to ask, standard output could be a pipe.
#[cfg(not(unix))]
fn is_passed_on() -> bool {
    true
}

/// Returns standard output without the line buffer of the standard library, which also hides some failed writes. But a
/// console of Windows accepts only characters, which the standard library converts from bytes.
pub(crate) fn standard_output() -> anyhow::Result<Box<dyn Write + Send>> {
    let stdout = io::stdout();
    #[cfg(unix)]
    let own = std::os::fd::AsFd::as_fd(&stdout).try_clone_to_owned();
    #[cfg(windows)]
    let own = std::os::windows::io::AsHandle::as_handle(&stdout).try_clone_to_owned();
    #[cfg(any(unix, windows))]
    if cfg!(unix) || !is_terminal(&stdout) {
        let own = own.context(Diagnostic::error("cannot write").of(STDOUT))?;
        return Ok(Box::new(std::fs::File::from(own)));
    }
    Ok(Box::new(stdout))
}

/// Prints help or version on standard output, or an error in the command line on standard error.
pub(crate) fn print(answer: &clap::Error) -> Outcome {
    use clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand as NoCommand;
    let rendered = answer.render().to_string();
    let fault = match rendered.strip_prefix("error: ") {
        None if answer.kind() == NoCommand && !is_terminal(&io::stdin()) => {
            Some(format!("no command is given\n\n  tip: {COMMANDS}\n"))
        }
        fault => fault.map(str::to_owned),
    };
    if let Some(fault) = fault {
        // The text begins like all messages and is sanitised, since a script may pass on arguments that others wrote.
        let fault = sanitize(&fault, true, takes_commands());
        let fault = fault.replace("\n\n  tip: ", "\njsift: hint: ");
        let _ = io::stderr().write_all(format!("jsift: {fault}").as_bytes());
        return Outcome::Usage;
    }
    let printed = answer.print();
    if answer.use_stderr() {
        return Outcome::Usage;
    }
    ended(printed)
}

/// Prints a text on standard output.
pub(crate) fn print_text(text: &str) -> Outcome {
    ended(io::stdout().write_all(text.as_bytes()))
}

/// Prints the first draft of an agent file, made of the recording on standard input.
pub(crate) fn print_draft() -> Outcome {
    let mut draft = AgentFileDraft::default();
    match jsift_find::reading::read(io::stdin().lock(), FindOptions::default(), &mut draft) {
        Ok(_) => print_text(&draft.text()),
        Err(error) => failed("<stdin>: cannot read", &error),
    }
}

/// Returns the outcome of what was written to standard output.
fn ended(written: io::Result<()>) -> Outcome {
    match written.and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            failed("<stdout>: cannot write", &error)
        }
        _ => Outcome::Success,
    }
}

/// Says on standard error what failed, and why.
fn failed(what: &str, error: &io::Error) -> Outcome {
    let reason = jsift_sink::diagnostic::reason(error);
    let _ = writeln!(io::stderr(), "jsift: {what}: {reason}");
    Outcome::Usage
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an environment in which only these variables are set.
    fn set(variables: &[(&str, &str)]) -> impl Fn(&str) -> Option<String> {
        move |name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        }
    }

    fn colored(color: Color, terminal: bool, variables: &[(&str, &str)]) -> (bool, bool) {
        let stream = stream(color, terminal, true, &set(variables));
        (stream.color, stream.color_json)
    }

    /// If a signal did, it would end this test.
    #[cfg(unix)]
    #[test]
    fn no_signal_ends_a_run_whose_results_are_about_to_be_in_place() {
        use jsift::command::cli::{Request, parse};
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let line = ["jsift", "extract", "--output", "answer.json", "input"];
        let Ok(Request::Run(command)) = parse(line) else {
            panic!("{line:?}");
        };
        let environment = read(Color::Never, Signals::handle(command.common()));
        (environment.before_rename)();
        for signal in [SIGHUP, SIGTERM, SIGINT] {
            signal_hook::low_level::raise(signal).unwrap();
        }
    }

    #[test]
    fn the_flag_beats_the_variables_and_they_beat_the_terminal() {
        const NO: (&str, &str) = ("NO_COLOR", "1");
        const FORCE: (&str, &str) = ("CLICOLOR_FORCE", "1");
        const OFF: (&str, &str) = ("CLICOLOR", "0");
        const UNFORCED: (&str, &str) = ("CLICOLOR_FORCE", "0");
        const DUMB: (&str, &str) = ("TERM", "dumb");
        for (color, terminal, variables, want) in [
            (Color::Always, false, &[NO][..], (true, true)),
            (Color::Never, true, &[FORCE], (false, false)),
            (Color::Auto, true, &[], (true, true)),
            (Color::Auto, false, &[], (false, false)),
            (Color::Auto, true, &[NO, FORCE], (false, false)),
            (Color::Auto, false, &[FORCE, OFF], (true, false)),
            (Color::Auto, true, &[OFF], (false, false)),
            (Color::Auto, true, &[DUMB], (false, false)),
            (Color::Auto, true, &[FORCE, DUMB], (true, true)),
            (Color::Auto, false, &[UNFORCED], (false, false)),
        ] {
            assert_eq!(
                colored(color, terminal, variables),
                want,
                "{color:?} {terminal} {variables:?}"
            );
        }
    }

    #[test]
    fn a_line_that_is_replaced_wants_a_terminal_that_can_and_a_person() {
        let takes = |variables: &[_]| takes_status(&set(variables));
        assert!(takes(&[("TERM", "xterm")]));
        assert!(!takes(&[("TERM", "xterm"), ("CI", "true")]));
        assert!(!takes(&[("TERM", "dumb")]));
        assert!(!takes(&[]));
    }

    #[test]
    fn the_first_locale_variable_decides() {
        let locale = |variables: &[_]| is_utf8(&set(variables));
        assert!(locale(&[("LANG", "C.UTF-8")]));
        assert!(locale(&[("LC_ALL", "en_US.utf8"), ("LANG", "C")]));
        assert!(!locale(&[("LC_ALL", "C"), ("LANG", "C.UTF-8")]));
        assert!(!locale(&[]));
    }
}
