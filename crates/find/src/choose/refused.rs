//! Broken documents that the filters would have refused, whatever was meant where they are broken: they decide nothing
//! about how a run ends, as documents that do not pass decide nothing.
//!
//! Such a document has a bracket of a kind that is not accepted, or lacks a required member: the text of the broken
//! document, to the end of its remains, does not contain its name; or the members before the byte that could not be
//! read contain it with another value, and the text after that byte does not contain its name again. What a schema
//! would say is not known.

use super::filter::{Filter, Required};
use crate::document::{Fault, FaultKind};
use crate::finder::remains::Remains;
use jsift_json::is_json;
use jsift_json::view::{Kind, Value};
use memchr::{memchr_iter, memmem};

/// The longest broken text of which it is known what it contains, in bytes.
pub const BROKEN_LIMIT: usize = 64 << 10;

/// The text of a broken candidate, from its bracket to the end of its remains.
#[derive(Debug)]
pub(super) struct BrokenText {
    /// The offset in the source of its bracket.
    start: u64,
    /// The offset in the source of the byte that could not be read.
    stop: u64,
    remains: Remains,
    /// The text before that byte, and from it on.
    text: [Vec<u8>; 2],
    /// How much of the second part the remains have read.
    done: usize,
}

impl BrokenText {
    /// How many commas are tried for the end of the members before the byte that could not be read.
    const COMMAS: usize = 64;

    /// Returns the text of a fault, still to be read; `None` if the fault is no broken candidate.
    pub(super) fn of(fault: &Fault) -> Option<Self> {
        let is_broken = fault.kind == FaultKind::Broken && fault.is_broken_candidate();
        is_broken.then(|| Self {
            start: fault.position.offset,
            stop: fault.stop.offset,
            remains: Remains::new(fault.depth, 0, None),
            text: [Vec::new(), Vec::new()],
            done: 0,
        })
    }

    pub(super) const fn is_of(&self, fault: &Fault) -> bool {
        self.start == fault.position.offset
    }

    /// Reads the noise at that offset. Returns whether the text is complete; `None` if it is too long.
    pub(super) fn read(&mut self, offset: u64, noise: &[u8]) -> Option<bool> {
        let until = |place: u64| {
            let length = usize::try_from(place.saturating_sub(offset)).unwrap_or(usize::MAX);
            length.min(noise.len())
        };
        let (start, stop) = (until(self.start), until(self.stop));
        let (before, after) = noise.split_at(stop);
        let [read, rest] = &mut self.text;
        read.extend_from_slice(before.get(start..).unwrap_or_default());
        rest.extend_from_slice(after);
        let unread = rest.get(self.done..).unwrap_or_default();
        let (length, ended) = self.remains.read(unread, false);
        self.done += length;
        if ended {
            rest.truncate(self.done);
        }
        (read.len() + rest.len() <= BROKEN_LIMIT).then_some(ended)
    }

    /// Returns the object of the members that are complete before the byte that could not be read.
    fn members(&self) -> Option<Vec<u8>> {
        let [read, _] = &self.text;
        let commas = memchr_iter(b',', read).rev().take(Self::COMMAS);
        let closed = commas.filter_map(|comma| Some([read.get(..comma)?, b"}"].concat()));
        closed.into_iter().find(|text| is_json(text))
    }

    /// Whether the document lacks a required value, whatever was meant where it is broken.
    fn lacks(&self, required: &Required) -> bool {
        let name = required.pointer.tokens().first();
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            return false;
        };
        // An escape may be a part of any name.
        let has =
            |text: &[u8]| memmem::find(text, name.as_bytes()).is_some() || text.contains(&b'\\');
        match &self.text {
            [read, rest] if has(rest) || read.first() != Some(&b'{') => false,
            [read, _] if !has(read) => true,
            _ => self.members().is_some_and(|members| {
                let members = Value::new(&members);
                members.get(name).is_some() && !required.is_met(required.pointer.find(members))
            }),
        }
    }
}

impl Filter {
    /// Whether noise may show that a broken document would have been refused.
    #[must_use]
    pub const fn wants_noise(&self) -> bool {
        !self.kinds.is_empty() || !self.required.is_empty()
    }

    /// Whether the document would have been refused.
    pub(super) fn refuses(&self, broken: &BrokenText) -> bool {
        let kind = match broken.text[0].first() {
            Some(b'[') => Kind::Array,
            _ => Kind::Object,
        };
        let is_accepted = self.kinds.is_empty() || self.kinds.contains(&kind);
        !is_accepted || self.required.iter().any(|required| broken.lacks(required))
    }
}

#[cfg(test)]
mod tests {
    use crate::choose::choice::{Choice, Standing};
    use crate::choose::expected::Expected;
    use crate::choose::filter::{Filter, Required};
    use crate::finder::{FindOptions, Finder};
    use jsift_json::pointer::Pointer;
    use jsift_json::view::Kind;

    /// Whether the broken documents of a text would have been refused, however the text is cut into two.
    #[track_caller]
    fn refused(text: &str, filter: &Filter) -> bool {
        let refused = |cut: usize| {
            let mut choice = Choice::new(None, &|_, _| Standing::Other, filter);
            let mut finder = Finder::new(FindOptions::default());
            finder.push(&text.as_bytes()[..cut], &mut choice);
            finder.push(&text.as_bytes()[cut..], &mut choice);
            finder.finish(&mut choice);
            let faults = choice.faults();
            let [refused, broken] = [faults.refused(), faults.broken()].map(<[_]>::len);
            assert_eq!(refused + broken, 1, "{text} {cut}");
            refused == 1
        };
        let whole = refused(0);
        (1..text.len()).for_each(|cut| assert_eq!(refused(cut), whole, "{text} {cut}"));
        whole
    }

    #[test]
    fn a_broken_document_is_refused_only_if_it_cannot_have_passed() {
        let filter = Filter {
            required: vec![Required {
                pointer: Pointer::parse("/verdict/is").unwrap(),
                value: Some(Expected::parse("ok")),
            }],
            ..Filter::default()
        };
        for (text, expected) in [
            ("echo {\"n\": ${COUNT}}\n", true),
            ("echo {\n  \"n\": ${COUNT},\n  \"a\": {}\n}\nend\n", true),
            (
                "p | {\np |   \"n\": NaN,\np |   \"a\": 1\np | }\np | end\n",
                true,
            ),
            ("{\"n\": \u{1b}[1mNaN\u{1b}[0m}\n", true),
            (
                "{\"verdict\": {\"is\": \"no\"}, \"a\": [1, 2], \"n\": NaN}\n",
                true,
            ),
            ("{\"verdict\": \"ok\", \"n\": NaN}\n", true),
            ("{\"verdict\": {\"is\": \"ok\"}, \"n\": NaN}\n", false),
            ("{\"verdict\": {\"is\": NaN}}\n", false),
            ("{\"n\": NaN, \"verdict\": {\"is\": \"no\"}}\n", false),
            (
                "{\"verdict\": {}, \"n\": NaN, \"verdict\": {\"is\": \"ok\"}}\n",
                false,
            ),
            ("{\"n\": NaN, verdict: {is: 'ok'}}\n", false),
            ("{\"n\": NaN, \"v\\u0065rdict\": {\"is\": \"ok\"}}\n", false),
            // Where it ends is not known.
            ("{\"n\": NaN\n", false),
        ] {
            assert_eq!(refused(text, &filter), expected, "{text}");
        }
    }

    #[test]
    fn any_number_of_refused_documents_decides_nothing() {
        let filter = Filter {
            kinds: vec![Kind::Array],
            ..Filter::default()
        };
        let mut choice = Choice::new(None, &|_, _| Standing::Other, &filter);
        let text = "{\"n\": NaN}\n".repeat(300);
        Finder::read_text(FindOptions::default(), text.as_bytes(), &mut choice);
        let faults = choice.faults();
        assert!(faults.broken().is_empty() && !faults.refused().is_empty());
    }

    #[test]
    fn a_broken_document_of_another_kind_is_refused() {
        for (kind, expected) in [(Kind::Object, false), (Kind::Array, true)] {
            let filter = Filter {
                kinds: vec![kind],
                ..Filter::default()
            };
            assert_eq!(refused("{\"n\": NaN}\n", &filter), expected);
        }
    }
}
