//! The environment of a run.
//!
//! The library reads no environment variables and asks neither terminals nor the clock: `main` does, once, and passes
//! the answers in here.

use std::io;
use std::time::Duration;

use jsift_agents::dialect::reader::AgentFiles;

/// A stream that a run writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OutputStream {
    /// Whether the stream is a terminal, so that a person may read it: hidden characters are made visible, and JSON is
    /// indented.
    pub terminal: bool,
    /// Whether another program reads the stream; that program may write to the same terminal as the messages.
    pub passed_on: bool,
    /// Whether text is coloured.
    pub color: bool,
    /// Whether JSON is coloured: in a pipe only with `--color always`.
    pub color_json: bool,
}

/// What a run knows about its surroundings.
pub struct Environment {
    /// Standard output.
    pub stdout: OutputStream,
    /// Standard error.
    pub stderr: OutputStream,
    /// Whether both are the same terminal, pipe or file.
    pub shared: bool,
    /// Whether a CI runner reads the output and interprets some lines as commands.
    pub ci: bool,
    /// Whether the locale can show more than ASCII.
    pub utf8: bool,
    /// Returns an unpredictable number, or why there is none.
    pub random: fn() -> io::Result<u128>,
    /// Returns how many files to read at a time unless an option says so: the number of cores.
    pub cores: fn() -> usize,
    /// Returns the current width of the terminal in columns; the width may change between two calls.
    pub columns: Box<dyn Fn() -> Option<usize> + Send + Sync>,
    /// Returns the maximum width in columns of a status line, which is rewritten in place on standard error. `None` if
    /// standard error is not a terminal for such lines; the function returns `None` while another job is in the
    /// foreground.
    pub status_columns: Option<Box<dyn Fn() -> Option<usize> + Send + Sync>>,
    /// Called right before a file of results gets its name, after which no signal must end the run.
    pub before_rename: Box<dyn Fn() + Send + Sync>,
    /// Returns how long the run has lasted.
    pub clock: Box<dyn Fn() -> Duration + Send + Sync>,
    /// The agents that the files of --agent-file describe.
    pub agents: AgentFiles,
    /// Returns how many bytes the next read of a source may give; a test draws them.
    pub read_size: Box<dyn Fn() -> usize + Send + Sync>,
}

impl Default for Environment {
    /// Returns an environment for tests: no terminals, no CI runner, ASCII only, and a clock that does not move.
    fn default() -> Self {
        Self {
            stdout: OutputStream::default(),
            stderr: OutputStream::default(),
            shared: false,
            ci: false,
            utf8: false,
            random: || Ok(0),
            cores: || 1,
            columns: Box::new(|| None),
            status_columns: None,
            before_rename: Box::new(|| {}),
            clock: Box::new(|| Duration::ZERO),
            agents: AgentFiles::default(),
            read_size: Box::new(|| usize::MAX),
        }
    }
}
