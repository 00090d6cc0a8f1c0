//! Writes a document: in its layout, with what is written around it, and made safe for terminals.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::command::cli::{Extract, LayoutOptions};
use crate::command::output::Output;
use crate::command::run::environment::Environment;
use jsift_find::document::{Origin, Stage};
use jsift_json::text::Text;
use jsift_json::view::Value;
use jsift_json::write::{self, Layout, Room};
use jsift_outcome::Outcome;
use jsift_sink::ndjson;
use jsift_sink::sanitize::{json_escapes, sanitize};

/// Writes documents according to the options.
#[derive(Debug, Clone)]
pub(super) struct DocumentWriter<'f> {
    layout: Layout,
    color: bool,
    terminal: bool,
    ci: bool,
    before: &'static [u8],
    after: u8,
    raw: bool,
    meta: bool,
    /// Whether the array of all documents has been begun; `None` if they are not written as an array.
    array: Option<&'f AtomicBool>,
}

/// See [`DocumentWriter::copies`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Copies {
    All,
    /// Documents without white space between their tokens.
    Compact,
    None,
}

/// A document that is ready to be written.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadyDocument<'a> {
    pub(super) text: &'a [u8],
    pub(super) source: &'a str,
    /// The origin, needed if the writer [writes it](DocumentWriter::writes_origin).
    pub(super) origin: Option<&'a Origin>,
    pub(super) stage: Stage,
    /// Whether the text has no white space between its tokens.
    pub(super) compact: bool,
    pub(super) warnings: &'a [String],
}

impl<'f> DocumentWriter<'f> {
    /// Returns a writer. `begun` is the state of the array of all documents, if there is one.
    pub(super) fn new(options: &Extract, environment: &Environment, begun: &'f AtomicBool) -> Self {
        let wanted = &options.layout;
        let stream = environment.stdout;
        Self {
            layout: layout(wanted, stream.terminal),
            color: stream.color_json,
            terminal: stream.terminal,
            ci: options.common.ci,
            before: if wanted.seq { b"\x1e" } else { b"" },
            after: if wanted.print0 { 0 } else { b'\n' },
            raw: wanted.raw,
            meta: wanted.meta,
            array: wanted.array.then_some(begun),
        }
    }

    /// Returns whether the origin of a document is written with it.
    pub(super) const fn writes_origin(&self) -> bool {
        self.meta
    }

    /// Returns whether a document would seem to end too early: it is a string that contains a NUL, and NULs separate
    /// documents.
    pub(super) fn is_ambiguous(&self, text: &[u8]) -> bool {
        let holds_end = |text: Text<'_>| text.to_string_lossy().contains('\0');
        self.raw && self.after == 0 && Value::new(text).text().is_some_and(holds_end)
    }

    /// Returns whether only the text of a document is [written](Self::write_text).
    pub(super) const fn is_plain(&self) -> bool {
        !self.raw && !self.meta && self.array.is_none()
    }

    /// Returns whether compact documents are written unchanged, each followed by a line feed.
    pub(super) fn writes_lines(&self) -> bool {
        let ends = self.before.is_empty() && self.after == b'\n';
        ends && self.is_plain() && self.copies() == Copies::Compact
    }

    /// Writes a document with what is written before and after it.
    pub(super) fn write(
        &self,
        out: &mut Output<'_>,
        document: ReadyDocument<'_>,
    ) -> io::Result<()> {
        if self.is_plain() {
            return self.write_text(out, document.text, document.compact);
        }
        out.write_all(self.before)?;
        if self.meta
            && let Some(origin) = document.origin
        {
            let mut whole = Vec::with_capacity(document.text.len() + 256);
            let (source, stage, warnings) = (document.source, document.stage, document.warnings);
            ndjson::document(document.text, source, stage, origin, warnings, &mut whole);
            self.document(out, &whole)?;
        } else {
            self.value(out, document.text)?;
        }
        match self.array {
            Some(_) => Ok(()),
            None => out.write_all(&[self.after]),
        }
    }

    /// Writes a document, or the content of the string that it is if that was requested.
    pub(super) fn value(&self, out: &mut impl Room, text: &[u8]) -> io::Result<()> {
        match Value::new(text).text().filter(|_| self.raw) {
            Some(text) => {
                let text = text.to_string_lossy();
                out.write_all(sanitize(&text, self.terminal, self.ci).as_bytes())
            }
            None => self.document(out, text),
        }
    }

    /// Writes a document whose text alone is requested. `compact` says that it has no white space between its tokens.
    #[inline(always)]
    pub(super) fn write_text(
        &self,
        out: &mut Output<'_>,
        text: &[u8],
        compact: bool,
    ) -> io::Result<()> {
        if !self.before.is_empty() {
            out.write_all(self.before)?;
        }
        if compact && self.copies() == Copies::Compact {
            return out.write_ended(text, self.after);
        }
        self.document(out, text)?;
        out.write_all(&[self.after])
    }

    /// Returns which documents are the same in the output's layout as in the source.
    pub(super) fn copies(&self) -> Copies {
        match self.layout {
            _ if self.color || self.terminal || self.raw => Copies::None,
            Layout::AsFound => Copies::All,
            Layout::Compact => Copies::Compact,
            Layout::Pretty(_) => Copies::None,
        }
    }

    /// Writes text that is not JSON unchanged, except for what would harm a terminal or a CI job.
    pub(super) fn copy(&self, out: &mut Output<'_>, text: &[u8]) -> io::Result<()> {
        if !self.terminal && !self.ci {
            return out.write_all(text);
        }
        let text = String::from_utf8_lossy(text);
        out.write_all(sanitize(&text, self.terminal, self.ci).as_bytes())
    }

    fn document(&self, out: &mut impl Room, text: &[u8]) -> io::Result<()> {
        if !self.terminal {
            return self.write_json(out, text);
        }
        let text = String::from_utf8_lossy(text);
        self.write_json(out, json_escapes(&text).as_bytes())
    }

    fn write_json(&self, out: &mut impl Room, text: &[u8]) -> io::Result<()> {
        let Self { layout, color, .. } = *self;
        match self.array {
            Some(begun) => {
                let first = !begun.swap(true, Ordering::Relaxed);
                write::write_element(out, text, layout, color, first)
            }
            None => write::write(out, text, layout, color),
        }
    }

    /// Ends the array of all documents, if there is one. An array that was not begun is written only if the run shows
    /// that there is no document.
    pub(super) fn end_array(&self, out: &mut Output<'_>, outcome: Outcome) -> io::Result<()> {
        let Some(begun) = self.array else {
            return Ok(());
        };
        let is_known = matches!(
            outcome,
            Outcome::Success
                | Outcome::None
                | Outcome::Mismatch
                | Outcome::Malformed
                | Outcome::Truncated
        );
        if !begun.load(Ordering::Relaxed) && !is_known {
            return Ok(());
        }
        write::end_array(out, self.layout, self.color, !begun.load(Ordering::Relaxed))?;
        out.write_all(b"\n")
    }
}

fn layout(wanted: &LayoutOptions, terminal: bool) -> Layout {
    match wanted.indent {
        Some(indent) => Layout::Pretty(indent),
        None if wanted.compact => Layout::Compact,
        None if wanted.as_found => Layout::AsFound,
        None if wanted.pretty || terminal => Layout::Pretty(2),
        None => Layout::Compact,
    }
}
