//! Messages: their GNU form, hints, grouping, and safe excerpts of the input.
//!
//! Any module that is given a [`Diagnostics`] can report a message. Each message is one line on the stream that `main`
//! chose, normally standard error:
//!
//! ```text
//! jsift: run.log:12:7: found ```json block but content was empty
//! jsift: hint: …
//! ```
//!
//! Everything in a line that may come from the input, including file names, is written with its hidden characters
//! visible. Under a CI runner it cannot form a workflow command either.

mod excerpt;

use std::io::Write;
use std::path::Path;

use crate::sanitize::{sanitize, visible};
use excerpt::MarkedLine;
pub use excerpt::excerpt;
use jsift_find::document::Fault;
use jsift_find::span::Position;

/// How much a message matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// A decision on the way to the result; shown only with `--verbose`.
    Verbose,
    /// Information.
    Note,
    /// The result may not be the intended one.
    Warning,
    /// The reason for an exit code other than 0.
    Error,
}

/// A message about the input or the run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a message says nothing until it is reported"]
pub struct Diagnostic {
    level: Level,
    text: String,
    source: Option<String>,
    position: Option<Position>,
    hint: Option<String>,
    group: Option<&'static str>,
    line: Option<MarkedLine>,
}

impl Diagnostic {
    const fn new(level: Level, text: String) -> Self {
        Self {
            level,
            text,
            source: None,
            position: None,
            hint: None,
            group: None,
            line: None,
        }
    }

    /// Returns an error: the reason for an exit code. The text is in lower case, without a final period.
    pub fn error(text: impl Into<String>) -> Self {
        Self::new(Level::Error, text.into())
    }

    /// Returns a warning: the result may not be the intended one.
    pub fn warning(text: impl Into<String>) -> Self {
        Self::new(Level::Warning, text.into())
    }

    /// Returns a note.
    pub fn note(text: impl Into<String>) -> Self {
        Self::new(Level::Note, text.into())
    }

    /// Returns a message that is shown only with `--verbose`: a decision on the way to the result.
    pub fn verbose(text: impl Into<String>) -> Self {
        Self::new(Level::Verbose, text.into())
    }

    /// Returns the text of the message.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Sets the source that the message is about; see [`source_name`].
    pub fn of(mut self, source: impl Into<String>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Sets the position in the source.
    pub const fn at(mut self, position: Position) -> Self {
        self.position = Some(position);
        self
    }

    /// Sets a hint: what the user can do, naming the command or flag.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Sets a hint, if there is one.
    pub fn hint_if(self, hint: Option<impl Into<String>>) -> Self {
        match hint {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }

    /// Sets the position of a fault, and the line in which reading stopped with a label for that place, if the fault
    /// has it. The line is shown only if [`DiagnosticOptions::lines`] is set.
    pub fn at_fault(mut self, fault: &Fault) -> Self {
        let label = fault.label();
        self.line = fault.line.clone().map(|line| MarkedLine { line, label });
        self.at(fault.position)
    }

    /// Puts the message into a group, named in the plural (`broken records`): only the first [`Diagnostics::SHOWN`]
    /// messages of a group are printed per source, and the others are counted.
    pub const fn group(mut self, kind: &'static str) -> Self {
        self.group = Some(kind);
        self
    }
}

/// Writes the text alone: as the context of an error, a message carries its source and its hint along.
impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns an error's message: its context, or else its own text, with the reason that the system states.
#[cfg(feature = "cli")]
pub fn message_of(error: &anyhow::Error) -> Diagnostic {
    let message = error.downcast_ref::<Diagnostic>().cloned();
    let mut message = message.unwrap_or_else(|| Diagnostic::error(error.to_string()));
    if let Some(cause) = error.downcast_ref::<std::io::Error>() {
        message.text = format!("{}: {}", message.text, reason(cause));
    }
    message
}

/// How messages are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DiagnosticOptions {
    /// Print errors only.
    pub quiet: bool,
    /// Print verbose messages, too.
    pub verbose: bool,
    /// Neutralise workflow commands.
    pub ci: bool,
    /// Use colour.
    pub color: bool,
    /// Show the lines of the input that messages are about.
    pub lines: bool,
    /// Messages appear between the results, on the same terminal or in the same file.
    pub shared: bool,
}

/// A kind of message in a source, and how often it was reported.
struct MessageGroup {
    source: Option<String>,
    kind: &'static str,
    count: u64,
}

impl MessageGroup {
    fn is_of(&self, message: &Diagnostic) -> bool {
        message.group == Some(self.kind) && message.source == self.source
    }
}

/// What is printed later.
pub enum HeldMessage {
    /// A message.
    Diagnostic(Box<Diagnostic>),
    /// [Progress text](Diagnostics::write_progress).
    Progress(Vec<u8>),
    /// [Noise](Diagnostics::write_noise).
    Noise(Vec<u8>),
}

/// Where messages go.
enum MessageTarget<'w> {
    Stream(&'w mut (dyn Write + Send)),
    Held(Box<dyn FnMut(HeldMessage) + Send + 'w>),
}

/// Prints messages as they are reported, and at the end the number of those that were not printed.
pub struct Diagnostics<'w> {
    out: MessageTarget<'w>,
    options: DiagnosticOptions,
    groups: Vec<MessageGroup>,
    hints: Vec<String>,
    /// Whether a status line is shown.
    status: bool,
    /// Whether the noise written last ended in the middle of a line.
    inside: bool,
}

impl<'w> Diagnostics<'w> {
    /// How many messages of a group are printed.
    pub const SHOWN: u64 = 3;
    /// How many hints are remembered, so that none of them is printed twice.
    const HINTS: usize = 32;

    /// Returns diagnostics that write to `out`. A message that cannot be written is lost, since there is no other place
    /// to report that.
    pub fn new(out: &'w mut (dyn Write + Send), options: DiagnosticOptions) -> Self {
        Self::to(MessageTarget::Stream(out), options)
    }

    /// Returns diagnostics that hand on to `hold` what is printed later.
    pub fn held(hold: impl FnMut(HeldMessage) + Send + 'w, options: DiagnosticOptions) -> Self {
        Self::to(MessageTarget::Held(Box::new(hold)), options)
    }

    const fn to(out: MessageTarget<'w>, options: DiagnosticOptions) -> Self {
        Self {
            out,
            options,
            groups: Vec::new(),
            hints: Vec::new(),
            status: false,
            inside: false,
        }
    }

    /// Returns whether messages of this level are printed; for messages that are costly to create.
    #[must_use]
    pub const fn wants(&self, level: Level) -> bool {
        match level {
            Level::Error => true,
            Level::Warning | Level::Note => !self.options.quiet,
            Level::Verbose => self.options.verbose && !self.options.quiet,
        }
    }

    /// Returns whether a message is printed, and not just counted.
    #[must_use]
    pub fn prints(&self, message: &Diagnostic) -> bool {
        let group = self.groups.iter().find(|group| group.is_of(message));
        self.wants(message.level) && group.is_none_or(|group| group.count < Self::SHOWN)
    }

    /// Returns whether messages were not printed that [`Self::end_groups`] counts.
    #[must_use]
    pub fn has_more(&self) -> bool {
        self.groups.iter().any(|group| group.count > Self::SHOWN)
    }

    /// Ends the line in which results were written last, before the next message.
    pub const fn break_line(&mut self) {
        self.inside = true;
    }

    /// Returns how messages are printed.
    #[must_use]
    pub const fn options(&self) -> DiagnosticOptions {
        self.options
    }

    /// Prints a message, or counts it.
    pub fn report(&mut self, message: Diagnostic) {
        if !self.wants(message.level) {
            return;
        }
        if let MessageTarget::Held(hold) = &mut self.out {
            return hold(HeldMessage::Diagnostic(Box::new(message)));
        }
        if !self.counts(&message) {
            return;
        }
        let word = match message.level {
            Level::Error | Level::Verbose => "",
            Level::Warning => "warning: ",
            Level::Note => "note: ",
        };
        let place = place(message.source.as_deref(), message.position);
        self.line(message.level, &place, word, &message.text);
        if let Some(line) = message.line.filter(|_| self.options.lines) {
            self.mark(&line);
        }
        if let Some(hint) = message.hint {
            self.give(hint);
        }
    }

    /// Writes progress text next to the messages, for when standard output carries only the answer.
    pub fn write_progress(&mut self, text: &[u8]) {
        if self.options.quiet || text.is_empty() {
            return;
        }
        match &mut self.out {
            MessageTarget::Stream(_) => self.write(text),
            MessageTarget::Held(hold) => hold(HeldMessage::Progress(text.to_vec())),
        }
        self.inside = !text.ends_with(b"\n") && !text.ends_with(b"\r");
    }

    /// Writes to the stream at once.
    fn write(&mut self, text: &[u8]) {
        if let MessageTarget::Stream(out) = &mut self.out {
            let _ = out.write_all(text);
            let _ = out.flush();
        }
    }

    /// Writes noise next to the messages, if noise goes to standard error.
    pub fn write_noise(&mut self, text: &[u8]) {
        if let MessageTarget::Held(hold) = &mut self.out {
            return hold(HeldMessage::Noise(text.to_vec()));
        }
        self.write_progress(text);
    }

    /// Prints how many messages of each group were not printed, and resets the counts, at the end of a source.
    pub fn end_groups(&mut self) {
        for group in std::mem::take(&mut self.groups) {
            if let Some(more @ 1..) = group.count.checked_sub(Self::SHOWN) {
                let place = place(group.source.as_deref(), None);
                let kind = match more {
                    1 => singular(group.kind),
                    _ => group.kind.to_owned(),
                };
                let text = format!("and {more} more {kind}");
                self.line(Level::Note, &place, "", &text);
            }
        }
    }

    /// Shows the progress of the run on a terminal, in place of the previous status line, until something else is
    /// written. `text` must fit on one line. The cursor stays at its beginning, so that a signal handler can erase
    /// everything after the cursor.
    pub fn show_status(&mut self, text: &str) {
        if !self.options.quiet {
            self.write(format!("\r{text}\x1b[K\r").as_bytes());
            self.status = true;
        }
    }

    /// Erases the status line.
    pub fn erase_status(&mut self) {
        if std::mem::take(&mut self.status) {
            self.write(b"\r\x1b[K");
        }
    }

    /// Counts a message in its group, and returns whether the message is to be printed.
    fn counts(&mut self, message: &Diagnostic) -> bool {
        if let Some(group) = self.groups.iter_mut().find(|group| group.is_of(message)) {
            group.count += 1;
            return group.count <= Self::SHOWN;
        }
        self.groups.extend(message.group.map(|kind| MessageGroup {
            source: message.source.clone(),
            kind,
            count: 1,
        }));
        true
    }

    /// Prints a hint, unless it was printed before.
    fn give(&mut self, hint: String) {
        if self.options.quiet || self.hints.contains(&hint) {
            return;
        }
        self.line(Level::Note, "hint: ", "", &hint);
        if self.hints.len() < Self::HINTS {
            self.hints.push(hint);
        }
    }

    /// Prints a line of the input and a mark under it.
    fn mark(&mut self, line: &MarkedLine) {
        let [text, mark] = line.shown();
        let text = sanitize(&text, false, self.options.ci);
        let (tint, off) = match self.options.color {
            true => ("\x1b[31m", "\x1b[0m"),
            false => ("", ""),
        };
        self.write(format!("{text}\n{tint}{mark}{off}\n").as_bytes());
    }

    /// Writes a line at once: `jsift: `, the place, the word for the level and the text, all of them made safe.
    fn line(&mut self, level: Level, place: &str, word: &str, text: &str) {
        self.erase_status();
        let (bold, tint, off) = match (self.options.color, level) {
            (false, _) => ("", "", ""),
            (true, Level::Error) => ("\x1b[1m", "\x1b[31m", "\x1b[0m"),
            (true, Level::Warning) => ("\x1b[1m", "\x1b[35m", "\x1b[0m"),
            (true, Level::Note | Level::Verbose) => ("", "\x1b[2m", "\x1b[0m"),
        };
        let safe = |part: &str| sanitize(&visible(part), false, self.options.ci).into_owned();
        let feed = if std::mem::take(&mut self.inside) {
            "\n"
        } else {
            ""
        };
        // A line is written at once, so that it stays whole if an agent writes to the same stream.
        let line = format!(
            "{feed}{bold}jsift: {}{off}{tint}{word}{}{off}\n",
            safe(place),
            safe(text)
        );
        self.write(line.as_bytes());
    }
}

/// Returns the kind of a group for one message: the first noun in the plural is what is counted (`lines left out`).
fn singular(kind: &str) -> String {
    match kind.split_once("s ") {
        Some((noun, rest)) => format!("{noun} {rest}"),
        None => kind.strip_suffix('s').unwrap_or(kind).to_owned(),
    }
}

/// Returns `FILE:LINE:COL: `, or as much of it as is known.
fn place(source: Option<&str>, position: Option<Position>) -> String {
    match (source, position) {
        (None, None) => String::new(),
        (Some(source), None) => format!("{source}: "),
        (None, Some(at)) => format!("{}:{}: ", at.line, at.column),
        (Some(source), Some(at)) => format!("{source}:{}:{}: ", at.line, at.column),
    }
}

/// What messages call standard input.
pub const STANDARD_INPUT: &str = "<stdin>";

/// Returns what messages call a source: its path, or `<stdin>`.
#[must_use]
pub fn source_name(path: Option<&Path>) -> String {
    path.map_or_else(
        || STANDARD_INPUT.to_owned(),
        |path| path.to_string_lossy().into_owned(),
    )
}

/// Returns the system's text for an error, without its number and without a period. The most frequent errors have the
/// same text on every system.
#[must_use]
pub fn reason(error: &std::io::Error) -> String {
    if error.kind() == std::io::ErrorKind::NotFound {
        return "No such file or directory".to_owned();
    }
    if error.kind() == std::io::ErrorKind::IsADirectory {
        return "Is a directory".to_owned();
    }
    let text = error.to_string();
    let message = text.split_once(" (os error ").map(|(message, _)| message);
    message.unwrap_or(&text).trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests;
