//! What a run is told about the place it runs in.
//!
//! The library asks neither environment variables nor terminals nor the clock: `main` finds out, once, and hands it on.

use std::time::Duration;

/// A stream that a run writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OutputStream {
    /// A person reads it, or at least it is a terminal: hidden characters are made visible, JSON is indented.
    pub terminal: bool,
    /// Another program reads it, and what that one writes may go to the same terminal as the messages.
    pub passed_on: bool,
    /// Text is coloured.
    pub color: bool,
    /// JSON is coloured: into a pipe only where that was asked for with `--color always`.
    pub color_json: bool,
}

/// The place that a run runs in.
pub struct Environment {
    /// Standard output.
    pub stdout: OutputStream,
    /// Standard error.
    pub stderr: OutputStream,
    /// Whether a CI runner reads the output and takes some lines for commands.
    pub ci: bool,
    /// Whether the locale can show more than ASCII.
    pub utf8: bool,
    /// A number that nobody can foresee.
    pub random: u128,
    /// How wide the terminal is now, in columns; it may change between two calls.
    pub columns: Box<dyn Fn() -> Option<usize>>,
    /// How many columns a line may have that is shown on standard error and shown anew a moment later: what tells it,
    /// if that is a terminal that such lines belong on. It tells none while another job has the terminal.
    pub status_columns: Option<Box<dyn Fn() -> Option<usize>>>,
    /// How long the run has lasted.
    pub clock: Box<dyn Fn() -> Duration>,
}

impl Default for Environment {
    /// No terminal anywhere, no CI runner, ASCII, and a clock that stands still: for tests.
    fn default() -> Self {
        Self {
            stdout: OutputStream::default(),
            stderr: OutputStream::default(),
            ci: false,
            utf8: false,
            random: 0,
            columns: Box::new(|| None),
            status_columns: None,
            clock: Box::new(|| Duration::ZERO),
        }
    }
}

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Environment")
            .field("stdout", &self.stdout)
            .field("stderr", &self.stderr)
            .field("ci", &self.ci)
            .field("utf8", &self.utf8)
            .finish_non_exhaustive()
    }
}
