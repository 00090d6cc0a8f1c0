//! The edge of the process: environment variables, terminals, the clock, the standard streams. Part of the binary,
//! since the library asks nothing of the kind.

#[cfg(unix)]
use std::fs::Metadata;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::time::Instant;

#[cfg(any(unix, windows))]
use anyhow::Context as _;
use is_terminal::IsTerminal;

use jsift::Outcome;
use jsift::internal::cli::guess::COMMANDS;
use jsift::internal::cli::value::Color;
#[cfg(any(unix, windows))]
use jsift::internal::diagnostic::Diagnostic;
use jsift::internal::run::environment::{Environment, OutputStream};
use jsift::internal::sink::sanitize::sanitize;

/// How messages call standard output.
#[cfg(any(unix, windows))]
const STDOUT: &str = "<stdout>";

/// An environment variable by its name, if it is set and not empty.
fn variable(name: &str) -> Option<String> {
    std::env::var_os(name)
        .map(|value| value.to_string_lossy().into_owned())
        .filter(|value| !value.is_empty())
}

/// Reads the environment of this process.
pub fn read(color: Color) -> Environment {
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
        ci: takes_commands(),
        utf8: is_utf8(&variable) || cfg!(windows) && stdout,
        random: random(),
        columns: Box::new(columns),
        status_columns: status.then_some(Box::new(status_columns)),
        clock: Box::new(move || start.elapsed()),
    }
}

/// Whether a standard stream is a terminal: the one place that asks.
pub fn is_terminal(stream: &impl IsTerminal) -> bool {
    stream.is_terminal()
}

/// Whether a CI runner reads what is written, and takes lines of it for commands.
fn takes_commands() -> bool {
    variable("GITHUB_ACTIONS").is_some() || variable("TF_BUILD").is_some()
}

/// Whether a stream is coloured: the flag first, then the variables, then the terminal.
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

/// Whether terminals take escape sequences: a console of Windows does if it can and is asked to.
fn takes_sequences() -> bool {
    anstyle_query::windows::enable_ansi_colors() != Some(false)
}

/// Whether a line may be shown on the terminal that is replaced by another: not on one that only types, and not where a
/// CI runner keeps all that is written.
fn takes_status(variable: &dyn Fn(&str) -> Option<String>) -> bool {
    variable("CI").is_none() && variable("TERM").is_some_and(|term| term != "dumb")
}

/// Whether the locale's encoding is UTF-8: the first of the variables that is set decides.
fn is_utf8(variable: &dyn Fn(&str) -> Option<String>) -> bool {
    ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(variable)
        .is_some_and(|locale| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        })
}

/// A number that nobody can foresee: the standard library keys its hash maps with what the system gives as random.
fn random() -> u128 {
    let half = || u128::from(RandomState::new().build_hasher().finish());
    half() << 64 | half()
}

/// How wide the terminal is: what COLUMNS says, else what the terminal does.
fn columns() -> Option<usize> {
    let said = variable("COLUMNS").and_then(|columns| columns.parse().ok());
    said.or_else(terminal_columns)
        .filter(|columns| *columns > 0)
}

fn terminal_columns() -> Option<usize> {
    let size = terminal_size::terminal_size();
    size.map(|(columns, _)| usize::from(columns.0))
}

/// How wide the terminal of standard error is, unless another job has it: a run in the background is quiet.
#[cfg(unix)]
fn status_columns() -> Option<usize> {
    /// What a terminal has that does not say how wide it is.
    const COLUMNS: usize = 80;
    let terminal = io::stderr();
    // Where there is no job control, nobody else has the terminal.
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

/// Without a way to ask, no line is shown that would have to fit.
#[cfg(not(unix))]
fn status_columns() -> Option<usize> {
    None
}

/// Leaves the first interrupt to the producer if input comes through a pipe: what an agent prints when it is interrupted
/// is the end of its run, and worth reading. The next one ends the run.
///
/// An interrupt that is ignored already stays so: a job in the background of a script is not asked.
#[cfg(unix)]
pub fn leave_first_interrupt(files: &[PathBuf]) {
    use signal_hook::{consts::SIGINT, flag};
    use std::sync::{Arc, atomic::AtomicBool};
    let left = sources(files).any(is_pipe);
    let shown = io::stderr().is_terminal() && takes_status(&variable);
    if !(left || shown) || is_ignored(SIGINT) {
        return;
    }
    if shown {
        end_cleanly(SIGINT, left);
        return;
    }
    let interrupted = Arc::new(AtomicBool::new(false));
    // What is registered is called in this order: the first interrupt finds the flag as it is here. Where that fails,
    // the first one ends the run.
    let second = flag::register_conditional_default(SIGINT, Arc::clone(&interrupted));
    let _ = second.and_then(|_| flag::register(SIGINT, interrupted));
}

/// Ends the run by a signal, the second one if the first is `left` to the producer, and erases what is shown on the
/// terminal for a while only. A thread does, since the run may be anywhere, also in a write that does not return.
#[cfg(unix)]
fn end_cleanly(signal: i32, left: bool) {
    use signal_hook::{iterator::Signals, low_level::emulate_default_handler};
    use std::os::fd::AsFd;
    let terminal = io::stderr().as_fd().try_clone_to_owned();
    // Where that fails, the first signal ends the run as if nobody had looked.
    let (Ok(terminal), Ok(mut signals)) = (terminal, Signals::new([signal])) else {
        return;
    };
    std::thread::spawn(move || {
        signals.forever().nth(usize::from(left));
        // What may be erased stands behind the cursor.
        let _ = std::fs::File::from(terminal).write_all(b"\x1b[K");
        let _ = emulate_default_handler(signal);
    });
}

/// Elsewhere the first interrupt ends the run.
#[cfg(not(unix))]
pub const fn leave_first_interrupt(_: &[PathBuf]) {}

/// What the sources of a run are, as far as that can be told.
#[cfg(unix)]
fn sources(files: &[PathBuf]) -> impl Iterator<Item = io::Result<Metadata>> {
    let stdin = files.is_empty().then(|| PathBuf::from("-"));
    files.iter().cloned().chain(stdin).map(|path| match path {
        path if path.as_os_str() == "-" => metadata(io::stdin()),
        path => std::fs::metadata(path),
    })
}

/// Whether this process was started with a signal ignored. Only Linux tells without `unsafe`; elsewhere none counts as
/// ignored.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Whether standard output is a pipe or something like it.
#[cfg(unix)]
fn is_passed_on() -> bool {
    is_pipe(metadata(io::stdout()))
}

/// Whether something is a pipe or something like it.
#[cfg(unix)]
fn is_pipe(metadata: io::Result<Metadata>) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = metadata.map(|metadata| metadata.file_type());
    kind.is_ok_and(|kind| kind.is_fifo() || kind.is_socket())
}

/// What a standard stream is.
#[cfg(unix)]
fn metadata(stream: impl std::os::fd::AsFd) -> io::Result<Metadata> {
    let own = stream.as_fd().try_clone_to_owned()?;
    std::fs::File::from(own).metadata()
}

/// Without a way to ask, it could be.
#[cfg(not(unix))]
fn is_passed_on() -> bool {
    true
}

/// Standard output without the line buffer of the standard library, which also takes some failed writes for good ones.
#[cfg(unix)]
pub fn standard_output() -> anyhow::Result<Box<dyn Write>> {
    use std::os::fd::AsFd;
    let own = io::stdout().as_fd().try_clone_to_owned();
    let own = own.context(Diagnostic::error("cannot write").of(STDOUT))?;
    Ok(Box::new(std::fs::File::from(own)))
}

/// Standard output, as on Unix; but a console takes characters, which the standard library makes of bytes.
#[cfg(windows)]
pub fn standard_output() -> anyhow::Result<Box<dyn Write>> {
    use std::os::windows::io::AsHandle;
    if is_terminal(&io::stdout()) {
        return Ok(Box::new(io::stdout()));
    }
    let own = io::stdout().as_handle().try_clone_to_owned();
    let own = own.context(Diagnostic::error("cannot write").of(STDOUT))?;
    Ok(Box::new(std::fs::File::from(own)))
}

/// Standard output.
#[cfg(not(any(unix, windows)))]
pub fn standard_output() -> anyhow::Result<Box<dyn Write>> {
    Ok(Box::new(io::stdout()))
}

/// Prints help or version on standard output, or what is wrong with the command line on standard error.
pub fn print(answer: &clap::Error) -> Outcome {
    use clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand as NoCommand;
    let rendered = answer.render().to_string();
    let fault = match rendered.strip_prefix("error: ") {
        None if answer.kind() == NoCommand && !is_terminal(&io::stdin()) => {
            Some(format!("no command is given\n\n  tip: {COMMANDS}\n"))
        }
        fault => fault.map(str::to_owned),
    };
    if let Some(fault) = fault {
        // As all messages begin, and made harmless as they are: a script may pass on what others wrote.
        let fault = sanitize(&fault, true, takes_commands());
        let fault = fault.replace("\n\n  tip: ", "\njsift: hint: ");
        let _ = io::stderr().write_all(format!("jsift: {fault}").as_bytes());
        return Outcome::Usage;
    }
    match answer.print().and_then(|()| io::stdout().flush()) {
        _ if answer.use_stderr() => Outcome::Usage,
        Ok(()) => Outcome::Success,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Outcome::Success,
        Err(error) => {
            let reason = jsift::internal::diagnostic::reason(&error);
            let _ = writeln!(io::stderr(), "jsift: <stdout>: cannot write: {reason}");
            Outcome::Usage
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An environment in which only these variables are set.
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
