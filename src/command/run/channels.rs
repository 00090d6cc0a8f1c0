//! Where the results of a run go, and everything else.

use std::io::Write;

use crate::command::output::Output;
use jsift_sink::diagnostic::{Diagnostic, Diagnostics};

/// The outputs of a run.
pub(crate) struct Channels<'w> {
    /// Results.
    pub output: Output<'w>,
    /// Everything else.
    pub diagnostics: Diagnostics<'w>,
}

impl Channels<'_> {
    /// Reports a message after all results so far, on a line of its own.
    pub(crate) fn report(&mut self, message: Diagnostic) {
        if self.diagnostics.prints(&message) {
            self.make_way();
        }
        self.diagnostics.report(message);
    }

    /// Writes noise next to the messages, if noise goes to standard error.
    pub(crate) fn write_noise(&mut self, text: &[u8]) {
        if self.diagnostics.options().shared {
            self.make_way();
        }
        self.diagnostics.write_noise(text);
    }

    /// Prints how many messages of each group were left out, at the end of a source.
    pub(crate) fn end_groups(&mut self) {
        if self.diagnostics.has_more() {
            self.make_way();
        }
        self.diagnostics.end_groups();
    }

    /// Writes the results so far. If they are in the middle of a line, the next message ends that line.
    fn make_way(&mut self) {
        // The output remembers write errors.
        let _ = self.output.flush();
        if self.output.take_open_line() && self.diagnostics.options().shared {
            self.diagnostics.break_line();
        }
    }
}
