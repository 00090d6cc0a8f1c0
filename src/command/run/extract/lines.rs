//! Writes the text around documents: to standard output with the documents in place, or to standard error.
//!
//! A line that consists only of blanks and commas after documents were taken out of it is not written.

use std::io::Write as _;

use memchr::{memchr, memrchr};

use crate::command::cli::Extract;
use crate::command::cli::value::NoiseOption;
use crate::command::run::environment::Environment;
use crate::command::run::source::Channels;
use jsift_sink::sanitize::Sanitizer;

/// The maximum number of bytes held of a line, and of lines that are not written yet.
const LINES_BYTES: usize = 64 * 1024;

/// Writes lines of text and documents; see the module documentation.
#[derive(Debug, Clone)]
pub(super) struct DocumentLines {
    target: LinesTarget,
    /// Makes noise safe for people to read; `None` if a program reads it.
    safe: Option<Safe>,
    /// The beginning of the line, held back until its end shows whether the line is written.
    held: Vec<u8>,
    /// How many of the held bytes are a prefix, which does not count as content.
    prefix: usize,
    /// Whether a part of the line was written.
    begun: bool,
    /// Whether a document was taken out of the line.
    taken: bool,
}

#[derive(Debug, Clone)]
enum LinesTarget {
    Output,
    Error {
        /// Lines that are not written yet: a separate write for each line would be slow.
        lines: Vec<u8>,
        /// Whether results go to a terminal, which may be the same one.
        shared: bool,
    },
}

impl DocumentLines {
    /// Returns the writer for the noise that the options ask for; `None` if noise is dropped.
    pub(super) fn new(options: &Extract, environment: &Environment) -> Option<Self> {
        let common = &options.common;
        let (target, terminal, ci) = match options.noise {
            NoiseOption::Drop => return None,
            NoiseOption::Keep => (LinesTarget::Output, environment.stdout.terminal, common.ci),
            NoiseOption::Stderr => {
                let target = LinesTarget::Error {
                    lines: Vec::new(),
                    shared: environment.stdout.terminal,
                };
                let ci = common.ci || environment.ci;
                (target, environment.stderr.terminal, ci)
            }
        };
        Some(Self {
            target,
            safe: (terminal || ci).then(|| Safe {
                sanitizer: Sanitizer::new(terminal, ci),
                cut: Vec::new(),
            }),
            held: Vec::new(),
            prefix: 0,
            begun: false,
            taken: false,
        })
    }

    /// Adds text that is noise.
    pub(super) fn noise(&mut self, text: &[u8], to: &mut Channels<'_>) {
        let Some(feed) = memchr(b'\n', text) else {
            return self.go_on(text, to);
        };
        let (line, rest) = text.split_at(feed + 1);
        self.end_line(line, to);
        let last = memrchr(b'\n', rest).map_or(0, |feed| feed + 1);
        let (lines, rest) = rest.split_at(last);
        self.write(lines, to);
        self.go_on(rest, to);
    }

    /// Adds the prefix of a line from which a document was taken out.
    pub(super) fn hold(&mut self, prefix: &[u8], to: &mut Channels<'_>) {
        self.write_held(to);
        self.held.extend_from_slice(prefix);
        self.prefix = prefix.len();
        self.taken = true;
    }

    /// Returns the white space at the beginning of the line, if the line has nothing else so far.
    pub(super) fn indent(&self) -> Vec<u8> {
        let is_white = self.held.iter().all(|byte| matches!(byte, b' ' | b'\t'));
        match is_white && !self.begun {
            true => self.held.clone(),
            false => Vec::new(),
        }
    }

    /// Notes that a document is left out of the line here.
    pub(super) const fn leave_out(&mut self) {
        self.taken = true;
    }

    /// Writes a document, or a line of it.
    pub(super) fn document(&mut self, text: &[u8], to: &mut Channels<'_>) {
        self.write_held(to);
        self.end_noise(to);
        self.target.write(text, to);
        self.begun = !text.ends_with(b"\n");
        self.taken = false;
    }

    /// Writes whatever need not wait for the end of the line.
    pub(super) fn flush(&mut self, to: &mut Channels<'_>) {
        self.target.flush(to);
    }

    /// Ends the text.
    pub(super) fn end(&mut self, to: &mut Channels<'_>) {
        if !self.is_left_out(b"") {
            self.write_held(to);
        }
        self.end_noise(to);
        self.target.flush(to);
    }

    /// Writes what is held back of noise that has to be made safe.
    fn end_noise(&mut self, to: &mut Channels<'_>) {
        if let Some(safe) = &mut self.safe {
            self.target.write(safe.finish().as_bytes(), to);
        }
    }

    /// Adds a part of the line that does not end it.
    fn go_on(&mut self, text: &[u8], to: &mut Channels<'_>) {
        let holds = matches!(self.target, LinesTarget::Error { .. }) || is_between_documents(text);
        if !self.begun && holds && self.held.len() + text.len() <= LINES_BYTES {
            self.held.extend_from_slice(text);
        } else if !text.is_empty() {
            self.write_held(to);
            self.write(text, to);
            self.begun = true;
        }
    }

    /// Adds the rest of the line, with its line feed.
    fn end_line(&mut self, rest: &[u8], to: &mut Channels<'_>) {
        if !self.is_left_out(rest) {
            self.write_held(to);
            self.write(rest, to);
        }
        self.held.clear();
        (self.prefix, self.begun, self.taken) = (0, false, false);
    }

    /// Returns whether the line, ending with `rest`, is not written.
    fn is_left_out(&self, rest: &[u8]) -> bool {
        let held = self.held.get(self.prefix..).unwrap_or_default();
        self.taken && !self.begun && is_between_documents(held) && is_between_documents(rest)
    }

    fn write_held(&mut self, to: &mut Channels<'_>) {
        let held = std::mem::take(&mut self.held);
        self.write(&held, to);
        self.prefix = 0;
    }

    fn write(&mut self, text: &[u8], to: &mut Channels<'_>) {
        match &mut self.safe {
            Some(safe) => {
                self.target.write(safe.push(text).as_bytes(), to);
            }
            None => self.target.write(text, to),
        }
    }
}

impl LinesTarget {
    fn write(&mut self, text: &[u8], to: &mut Channels<'_>) {
        match self {
            // The output remembers write errors.
            Self::Output => _ = to.output.write_all(text),
            Self::Error { lines, shared } => {
                lines.extend_from_slice(text);
                if *shared || lines.len() > LINES_BYTES {
                    self.flush(to);
                }
            }
        }
    }

    fn flush(&mut self, to: &mut Channels<'_>) {
        if let Self::Error { lines, shared } = self
            && !lines.is_empty()
        {
            if *shared {
                let _ = to.output.flush();
            }
            to.write_noise(lines);
            lines.clear();
        }
    }
}

/// Whether a text consists only of what may stand between documents: blanks, commas, record separators and line ends.
fn is_between_documents(text: &[u8]) -> bool {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | 0x1e);
    text.iter().all(blank)
}

/// Sanitises text that arrives in pieces cut anywhere.
#[derive(Debug, Clone)]
struct Safe {
    sanitizer: Sanitizer,
    /// The beginning of a character that is cut.
    cut: Vec<u8>,
}

impl Safe {
    fn push(&mut self, text: &[u8]) -> String {
        let mut whole = [&std::mem::take(&mut self.cut), text].concat();
        let last = whole.utf8_chunks().last();
        let last = last.map_or(&[][..], |chunk| chunk.invalid());
        if std::str::from_utf8(last).is_err_and(|error| error.error_len().is_none()) {
            self.cut = last.to_vec();
            whole.truncate(whole.len() - self.cut.len());
        }
        let text = String::from_utf8_lossy(&whole);
        self.sanitizer.push(&text).into_owned()
    }

    fn finish(&mut self) -> String {
        let cut = std::mem::take(&mut self.cut);
        let last = self
            .sanitizer
            .push(&String::from_utf8_lossy(&cut))
            .into_owned();
        last + &self.sanitizer.finish()
    }
}
