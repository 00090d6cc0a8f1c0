//! Stage `whole`: the source as a sequence of values, as long as it is that.

use super::{Context, Flow, Found, Reader, WITHHELD, WITHHELD_COUNT};
use crate::document::{Rank, Visitor};
use crate::find::weak;
use crate::find::window::Window;
use crate::input::terminal::{ESCAPE, Sequence, sequence, sequence_at_end};

const BOM: &[u8] = b"\xef\xbb\xbf";
/// The record separator of RFC 7464.
const SEPARATOR: u8 = 0x1e;

/// What has been found while the source was nothing but JSON.
#[derive(Debug, Default)]
pub(super) struct Whole {
    /// Documents from the first one on that would not count, or not surely, if the source were not whole.
    pub(super) withheld: Vec<Found>,
    /// So much was withheld that what is found counts from now on.
    confirmed: bool,
    /// Something was found.
    pub(super) any: bool,
}

impl Reader {
    /// Between values of a source that has been nothing but JSON.
    pub(super) fn between_values(
        &mut self,
        window: &mut Window,
        last: bool,
        visitor: &mut dyn Visitor,
    ) -> Flow {
        loop {
            let rest = window.from(self.at);
            let Some(&byte) = rest.first() else {
                return Flow::Wait;
            };
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | SEPARATOR => self.at += 1,
                b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => {
                    self.open(self.at, Context::Whole);
                    return Flow::Go;
                }
                ESCAPE => {
                    let found = if last {
                        sequence_at_end(rest)
                    } else {
                        sequence(rest)
                    };
                    match found {
                        Sequence::Delete(length) | Sequence::LineEnd(length) => {
                            self.at += length as u64;
                        }
                        Sequence::Incomplete => return Flow::Wait,
                        Sequence::None => break,
                    }
                }
                _ if rest.starts_with(BOM) => self.at += BOM.len() as u64,
                _ if BOM.starts_with(rest) && !last => return Flow::Wait,
                _ => break,
            }
        }
        self.end_whole(self.at, window, visitor);
        Flow::Go
    }

    pub(super) fn found_value(
        &mut self,
        mut found: Found,
        window: &mut Window,
        visitor: &mut dyn Visitor,
    ) -> Flow {
        found.rank = Rank::Whole;
        let Some(whole) = self.whole.as_mut() else {
            return Flow::Go;
        };
        whole.any = true;
        let certain = whole.confirmed || (weak::is_strong(found.shape) && self.options.embedded);
        if certain && whole.withheld.is_empty() {
            self.deliver(found, window, visitor);
            return Flow::Go;
        }
        let from = whole
            .withheld
            .first()
            .map_or(found.start, |first| first.start);
        let end = found.end;
        whole.withheld.push(found);
        if end - from > WITHHELD || whole.withheld.len() > WITHHELD_COUNT {
            whole.confirmed = true;
            for found in std::mem::take(&mut whole.withheld) {
                self.deliver(found, window, visitor);
            }
        }
        Flow::Go
    }

    /// The source is not whole: something else stands at `at`. What was withheld is read again as text.
    pub(super) fn end_whole(&mut self, at: u64, window: &mut Window, visitor: &mut dyn Visitor) {
        let Some(whole) = self.whole.take() else {
            return;
        };
        self.at = match whole.withheld.first() {
            Some(first) => first.start,
            None => at,
        };
        if visitor.wants_noise() {
            self.report_noise(window, self.at, visitor);
        }
    }
}
