//! Writes the text around documents: to standard output with the documents in place, or to standard error.
//!
//! A line that consists only of blanks and commas after documents were taken out of it is not written.

use memchr::{memchr, memrchr};

use crate::command::cli::Extract;
use crate::command::cli::value::NoiseOption;
use crate::command::output::Output;
use crate::command::run::environment::Environment;
use crate::command::run::source::Channels;
use jsift_sink::sanitize::Sanitizer;

/// The maximum number of bytes held of a line, and of lines that are not written yet.
const HELD: usize = 64 * 1024;

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
        if let Some(safe) = &mut self.safe {
            let rest = safe.finish();
            self.target.write(rest.as_bytes(), to);
        }
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
        if let Some(safe) = &mut self.safe {
            let rest = safe.finish();
            self.target.write(rest.as_bytes(), to);
        }
        self.target.flush(to);
    }

    /// Adds a part of the line that does not end it.
    fn go_on(&mut self, text: &[u8], to: &mut Channels<'_>) {
        let holds = matches!(self.target, LinesTarget::Error { .. }) || is_blank(text);
        if !self.begun && holds && self.held.len() + text.len() <= HELD {
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
        self.taken && !self.begun && is_blank(held) && is_blank(rest)
    }

    fn write_held(&mut self, to: &mut Channels<'_>) {
        let held = std::mem::take(&mut self.held);
        self.write(&held, to);
        self.prefix = 0;
    }

    fn write(&mut self, text: &[u8], to: &mut Channels<'_>) {
        match &mut self.safe {
            Some(safe) => {
                let text = safe.push(text);
                self.target.write(text.as_bytes(), to);
            }
            None => self.target.write(text, to),
        }
    }
}

impl LinesTarget {
    fn write(&mut self, text: &[u8], to: &mut Channels<'_>) {
        match self {
            Self::Output => write_all(&mut to.output, text),
            Self::Error { lines, shared } => {
                lines.extend_from_slice(text);
                if *shared || lines.len() > HELD {
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
                let _ = std::io::Write::flush(&mut to.output);
            }
            to.write_noise(lines);
            lines.clear();
        }
    }
}

/// Writes text; the output remembers write errors.
fn write_all(output: &mut Output<'_>, text: &[u8]) {
    let _ = std::io::Write::write_all(output, text);
}

/// Returns whether a text consists only of blanks, commas, record separators and line ends.
fn is_blank(text: &[u8]) -> bool {
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
        let mut safe = String::with_capacity(text.len());
        let whole = [&std::mem::take(&mut self.cut), text].concat();
        let mut chunks = whole.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            safe += &self.sanitizer.push(chunk.valid());
            let invalid = chunk.invalid();
            let may_go_on =
                |text| std::str::from_utf8(text).is_err_and(|error| error.error_len().is_none());
            if chunks.peek().is_none() && may_go_on(invalid) {
                self.cut = invalid.to_vec();
            } else if !invalid.is_empty() {
                safe += &self.sanitizer.push("\u{fffd}");
            }
        }
        safe
    }

    fn finish(&mut self) -> String {
        let cut = !std::mem::take(&mut self.cut).is_empty();
        let last = match cut {
            true => self.sanitizer.push("\u{fffd}").into_owned(),
            false => String::new(),
        };
        last + &self.sanitizer.finish()
    }
}
