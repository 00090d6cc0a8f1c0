//! The bytes of a source that were read last, in which messages find the line of a fault.

use crate::document::{Document, Fault, FaultKind, FaultLine, Visitor, Wants};

/// The bytes of a source that were read last.
#[derive(Debug, Default)]
pub(super) struct RecentBytes {
    text: Vec<u8>,
    /// The offset of the first of them in the source.
    start: u64,
    /// Whether the source is UTF-16, of which no line is shown.
    wide: bool,
}

impl RecentBytes {
    /// How many bytes are kept next to those of the current read.
    const KEPT: usize = 64 * 1024;

    /// Adds the next bytes of the source.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let old = self.text.len().saturating_sub(Self::KEPT);
        self.text.drain(..old);
        self.start += old as u64;
        self.text.extend_from_slice(bytes);
        let begins_with = |mark: &[u8]| self.start == 0 && self.text.starts_with(mark);
        self.wide |= begins_with(b"\xff\xfe") || begins_with(b"\xfe\xff");
    }

    /// Returns a visitor that adds its line to each fault.
    pub(super) fn lines<'a>(&'a self, to: &'a mut dyn Visitor) -> WithLines<'a> {
        WithLines {
            to,
            text: if self.wide { &[] } else { &self.text },
            start: self.start,
        }
    }
}

/// Passes on findings, and adds its line to each fault.
pub struct WithLines<'a> {
    to: &'a mut dyn Visitor,
    text: &'a [u8],
    start: u64,
}

impl<'a> WithLines<'a> {
    /// Returns a visitor for the findings in a text that is in memory as a whole.
    pub fn new(text: &'a [u8], to: &'a mut dyn Visitor) -> Self {
        Self { to, text, start: 0 }
    }

    fn line(&self, fault: &Fault) -> Option<FaultLine> {
        let at = usize::try_from(fault.stop.offset.checked_sub(self.start)?).ok()?;
        match fault.kind {
            FaultKind::Broken | FaultKind::Headless => {
                FaultLine::around(self.text, at, fault.stop.line)
            }
            FaultKind::Truncated => FaultLine::before_end(self.text, at, fault.stop.line),
            FaultKind::Empty | FaultKind::Limit => None,
        }
    }
}

impl Visitor for WithLines<'_> {
    fn document(&mut self, document: Document<'_>) {
        self.to.document(document);
    }

    fn fault(&mut self, mut fault: Fault) {
        fault.line = self.line(&fault);
        self.to.fault(fault);
    }

    fn lines(&mut self, text: &[u8], count: u64) {
        self.to.lines(text, count);
    }

    fn wants(&mut self) -> Wants {
        self.to.wants()
    }

    fn next(&mut self) -> Option<&mut dyn Visitor> {
        Some(self.to)
    }
}
