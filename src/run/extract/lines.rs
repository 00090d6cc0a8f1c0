//! Where the text around documents is written: to standard output with the documents in place, or to standard error.
//!
//! A line of which nothing is left but blanks and commas, since documents were taken out of it, is not written.

use memchr::{memchr, memrchr};

use crate::cli::Extract;
use crate::cli::value::NoiseOption;
use crate::output::Output;
use crate::run::environment::Environment;
use crate::run::source::Channels;
use crate::sink::sanitize::Sanitizer;

/// How much is held of a line, and of what is to be written, in bytes.
const HELD: usize = 64 * 1024;

/// See the module's documentation.
#[derive(Debug, Clone)]
pub(super) struct DocumentLines {
    target: LinesTarget,
    /// What makes noise safe for those who read it; `None` where a program does.
    safe: Option<Safe>,
    /// What came of the line and is not written: its end decides.
    held: Vec<u8>,
    /// How much of that is a prefix, which is nothing by itself.
    prefix: usize,
    /// Something of the line was written.
    begun: bool,
    /// A document was taken out of the line.
    taken: bool,
}

#[derive(Debug, Clone)]
enum LinesTarget {
    Output,
    Error {
        /// What is to be written: a write for each line would take its time.
        lines: Vec<u8>,
        /// Results go to a terminal, which may be the same.
        shared: bool,
    },
}

impl DocumentLines {
    /// Where the options want noise; `None` if they want none.
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

    /// The next text.
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

    /// What is next on the line is a prefix, which stands there for a document that was taken out.
    pub(super) fn hold(&mut self, prefix: &[u8], to: &mut Channels<'_>) {
        self.write_held(to);
        self.held.extend_from_slice(prefix);
        self.prefix = prefix.len();
        self.taken = true;
    }

    /// The white space that the line begins with, where nothing else came of it.
    pub(super) fn indent(&self) -> Vec<u8> {
        let is_white = self.held.iter().all(|byte| matches!(byte, b' ' | b'\t'));
        match is_white && !self.begun {
            true => self.held.clone(),
            false => Vec::new(),
        }
    }

    /// A document stands here, which is written elsewhere.
    pub(super) const fn leave_out(&mut self) {
        self.taken = true;
    }

    /// A document, or a line of it.
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

    /// Writes what need not wait for the end of the line.
    pub(super) fn flush(&mut self, to: &mut Channels<'_>) {
        self.target.flush(to);
    }

    /// The text has ended.
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

    /// More of the line, but not its end.
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

    /// The rest of the line, with its line feed.
    fn end_line(&mut self, rest: &[u8], to: &mut Channels<'_>) {
        if !self.is_left_out(rest) {
            self.write_held(to);
            self.write(rest, to);
        }
        self.held.clear();
        (self.prefix, self.begun, self.taken) = (0, false, false);
    }

    /// Whether nothing is to be written of the line, which ends so.
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
            to.diagnostics.write_noise(lines);
            lines.clear();
        }
    }
}

/// What cannot be written is known to the output.
fn write_all(output: &mut Output<'_>, text: &[u8]) {
    let _ = std::io::Write::write_all(output, text);
}

/// Whether nothing else stands in a text than blanks, commas, record separators and a line feed.
fn is_blank(text: &[u8]) -> bool {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | 0x1e);
    text.iter().all(blank)
}

/// Makes text safe that may be cut anywhere.
#[derive(Debug, Clone)]
struct Safe {
    sanitizer: Sanitizer,
    /// The beginning of a character.
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
