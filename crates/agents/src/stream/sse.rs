//! Records whose type is in a line of its own before them, as in server-sent events: `event: LONGEST_EVENT`, then
//! `data: {…}`.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::name::stable;
use crate::session::recent::push_latest;
use jsift_find::prefix;

/// The maximum number of sources whose events are open at the same time.
const OPEN_EVENTS: usize = 256;
/// The longest name of an event, in bytes.
pub const LONGEST_EVENT: usize = 128;
/// What ends the events of OpenAI's API, and of the many that took its form over.
const DONE: &[u8] = b"[DONE]";
/// Data with nothing in them, which end many streams.
const EMPTY: [&[u8]; 4] = [b"", b"{}", b"null", DONE];

/// What precedes the name of an event.
const MARK: &[u8] = b"event:";
static FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(MARK));

/// An event whose data have not come yet.
#[derive(Debug)]
struct OpenEvent {
    /// What precedes the lines of its source.
    source: Vec<u8>,
    name: Vec<u8>,
}

/// The names of events whose data have not come yet.
#[derive(Debug, Default)]
pub(crate) struct NamedEvents {
    open: Vec<OpenEvent>,
}

impl NamedEvents {
    /// Whether no event waits for its data.
    pub(super) const fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Reads a line without a record. Returns the name of an event if the line is its data, and has none.
    pub(crate) fn line(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        // Most lines tell of no event.
        if self.open.is_empty() && FINDER.find(line).is_none() {
            return None;
        }
        let line = prefix::within(line, prefix::side_at_end(line, line))?;
        let mut lefts = EMPTY.iter().filter_map(|empty| line.strip_suffix(*empty));
        if let Some(name) = lefts.find_map(|left| self.take(left)) {
            return Some(name);
        }
        let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-/".contains(byte);
        let start = line.iter().rposition(|byte| !is_of_name(byte))? + 1;
        let (before, name) = line.split_at_checked(start)?;
        let before = before.trim_ascii_end().strip_suffix(MARK)?;
        let source = stable(before, usize::MAX);
        let sound = (1..=LONGEST_EVENT).contains(&name.len());
        if sound && !source.last().is_some_and(u8::is_ascii_alphanumeric) {
            self.open.retain(|event| event.source != source);
            let name = name.to_vec();
            push_latest(&mut self.open, OpenEvent { source, name }, OPEN_EVENTS);
        }
        None
    }

    /// Returns what precedes the mark of data that `left` ends with, if what follows `left` is data of an event.
    pub(super) fn before_data(left: &[u8]) -> Option<&[u8]> {
        left.trim_ascii_end().strip_suffix(b"data:")
    }

    /// Whether a document after `left` is the data of an event, be it named or not: nothing else precedes it.
    pub(super) fn is_data(left: &[u8]) -> bool {
        Self::before_data(left).is_some_and(|before| before.trim_ascii().is_empty())
    }

    /// Returns what precedes the mark that ends events, if a line is that mark as data.
    pub(super) fn before_done(line: &[u8]) -> Option<&[u8]> {
        let left = line.trim_ascii_end().strip_suffix(DONE)?;
        Self::before_data(left).and(Some(left))
    }

    /// Whether a line says that the events have ended: `data: [DONE]`, or the mark alone.
    pub(super) fn is_end(line: &[u8]) -> bool {
        let inside = prefix::within(line, prefix::side_at_end(line, line));
        let left = inside.and_then(|inside| inside.strip_suffix(DONE));
        left.is_some_and(|left| left.trim_ascii().is_empty() || Self::is_data(left))
    }

    /// Returns the name of the event whose data stand after `left`.
    pub(crate) fn take(&mut self, left: &[u8]) -> Option<Vec<u8>> {
        if self.open.is_empty() {
            return None;
        }
        let before = Self::before_data(left)?;
        let source = stable(before, usize::MAX);
        let same = self.open.iter().position(|event| event.source == source);
        // The lines may be numbered.
        let alike = || {
            let source = without_numbers(&source);
            let mut events = self.open.iter();
            events.rposition(|event| without_numbers(&event.source) == source)
        };
        let at = same.or_else(alike)?;
        Some(self.open.remove(at).name)
    }
}

/// Returns a text without its numbers. A number that is part of a name does not count lines: `agent-1`, `web.1`.
fn without_numbers(text: &[u8]) -> Vec<u8> {
    let mut kept: Vec<u8> = Vec::with_capacity(text.len());
    for byte in text {
        let is_named = |last: &u8| last.is_ascii_alphanumeric() || b"-_./".contains(last);
        if !byte.is_ascii_digit() || kept.last().is_some_and(is_named) {
            kept.push(*byte);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::NamedEvents;

    #[test]
    fn the_data_of_an_event_have_the_name_in_the_line_before_of_the_same_source() {
        let mut events = NamedEvents::default();
        for line in [
            "12:00:01 a | event: start",
            "b | event:end",
            "myevent: x",
            "event: two words",
        ] {
            assert_eq!(events.line(line.as_bytes()), None);
        }
        let name = |name: &str| Some(name.as_bytes().to_vec());
        assert_eq!(events.take(b"data: "), None);
        assert_eq!(events.take(b"12:00:02 a | "), None);
        assert_eq!(events.take(b"12:00:02 a | data: "), name("start"));
        assert_eq!(events.take(b"a | data: "), None);
        assert_eq!(events.line(b"b | data: [DONE]"), name("end"));
        assert_eq!(events.line(b"b | data: [DONE]"), None);
        let _ = events.line(b"event: done");
        assert_eq!(events.line(b"data:"), name("done"));
        let _ = events.line("│ \u{1b}[1mevent: token   │".as_bytes());
        assert_eq!(events.take("│ data: ".as_bytes()), name("token"));
        for (before, after, expected) in [
            ("line 7: ", "line 8: ", name("end")),
            ("run.log:7:", "run.log:18:", name("end")),
            ("agent-1 | ", "agent-2 | ", None),
            ("web.1: ", "web.2: ", None),
        ] {
            let mut events = NamedEvents::default();
            let _ = events.line(format!("{before}event: end").as_bytes());
            let data = format!("{after}data: null");
            assert_eq!(events.line(data.as_bytes()), expected, "{before}");
        }
    }
}
