//! Stage `whole`: the source as a sequence of values, as long as it is that.

use super::{Between, Context, Flow, Found, Reader, WITHHELD, WITHHELD_COUNT, between};
use crate::document::{Rank, Visitor};
use crate::find::weak;
use crate::find::window::Window;

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
                b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => {
                    let candidate = self.open(self.at, Context::Whole);
                    return self.candidate(candidate, window, last, visitor);
                }
                _ => match between(rest, last) {
                    Between::Read(length) => self.at += length as u64,
                    Between::Unknown => return Flow::Wait,
                    Between::Nothing => break,
                },
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
            self.deliver(&found, window, visitor);
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
                self.deliver(&found, window, visitor);
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
