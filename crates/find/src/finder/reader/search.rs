//! The search for openings in text, many bytes at a time.

use crate::finder::almost_json::{
    DECIDES, begins_escaped, is_undecided, line_end, may_continue_almost,
};
use crate::finder::bracket::may_continue;
use jsift_json::lanes::{self, Among, Lanes, WIDE};
use jsift_json::terminal::{ESCAPE, Sequence, sequence_in};

/// Searches text for its first opening, a bracket or a mark, and returns the number of bytes before it. Without an
/// opening, the search ends at the end of the text, or at a control string or a bracket of which more text decides.
///
/// The only bracket in a terminal sequence is the one after its escape character, which is skipped; control strings may
/// contain others and are skipped as a whole.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) text: &'a [u8],
    /// Whether marks of fences are openings.
    pub(super) fences: bool,
    pub(super) last: bool,
}

impl Search<'_> {
    pub(super) fn run(self) -> (usize, Option<u8>) {
        lanes::blockwise(
            #[inline(always)]
            |lanes| self.run_with(lanes),
        )
    }

    #[inline(always)]
    fn run_with(self, lanes: Lanes) -> (usize, Option<u8>) {
        let (mut from, mut next) = (0, 0);
        let mut rest = self.text;
        while let Some(block) = rest.first_chunk() {
            let bits = openings(block, lanes);
            if bits != 0 {
                match self.look_at_all(block, from, bits, next, lanes) {
                    Ok(after) => next = after,
                    Err(found) => return found,
                }
            }
            from += WIDE;
            rest = rest.get(WIDE..).unwrap_or_default();
        }
        next = next.max(from);
        while next < self.text.len() {
            match self.look_at(next) {
                Ok(after) => next = after,
                Err(opening) => return (next, opening),
            }
        }
        (self.text.len(), None)
    }

    /// Looks at the openings of a block from `next` on. Returns where the search goes on, or an error with what ends
    /// it.
    #[inline(always)]
    fn look_at_all(
        self,
        block: &[u8; WIDE + 1],
        from: usize,
        mut bits: u64,
        mut next: usize,
        lanes: Lanes,
    ) -> Result<usize, (usize, Option<u8>)> {
        while bits != 0 {
            let at = from + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            if at < next {
                continue;
            }
            next = self.look_at(at).map_err(|opening| (at, opening))?;
            // Logs in colours contain many sequences: skip those in this block all at once.
            if next == at + 2 {
                let ([block @ .., _], [_, after @ ..]) = (block, block);
                let sequences = lanes.of(block).is(ESCAPE) & lanes.of(after).is(b'[');
                let sequences = sequences.bits() & u64::MAX >> 1;
                bits &= !(sequences | sequences << 1);
            }
        }
        Ok(next)
    }

    /// Returns where the search goes on after `at`, or an error with what ends it there.
    #[inline(always)]
    fn look_at(self, at: usize) -> Result<usize, Option<u8>> {
        match self.text.get(at..).unwrap_or_default() {
            [b'{' | b'[', after @ ..]
                if !self.last && after.len() < DECIDES && is_undecided(after) =>
            {
                Err(None)
            }
            [bracket @ (b'{' | b'['), after @ ..]
                if may_continue(*bracket, after) || self.may_be_almost(at, *bracket, after) =>
            {
                Err(Some(*bracket))
            }
            [mark @ (b'`' | b'~'), ..] if self.fences => Err(Some(*mark)),
            text @ [ESCAPE, b']' | b'_' | b'P' | b'^' | b'X', ..] => {
                match sequence_in(text, self.last) {
                    Sequence::Delete(length) | Sequence::LineEnd(length) => Ok(at + length),
                    Sequence::Incomplete => Err(None),
                    Sequence::None => Ok(at + 1),
                }
            }
            [ESCAPE] if !self.last => Err(None),
            [ESCAPE, after, ..] if *after != ESCAPE => Ok(at + 2),
            _ => Ok(at + 1),
        }
    }

    /// Whether the bracket at `at` may open almost JSON, as the bytes around it show.
    #[inline]
    fn may_be_almost(self, at: usize, bracket: u8, after: &[u8]) -> bool {
        let near = self.text.get(at.saturating_sub(3)..at).unwrap_or_default();
        // In a string, line ends are written out and quotation marks escaped after any mark.
        let in_string = line_end(after).is_some() || begins_escaped(after);
        in_string || !announces_nothing(near) && may_continue_almost(bracket, after)
    }
}

/// Whether the last bytes before a bracket show that it announces no document: the bracket stands after a mark with
/// which neither an announcement nor a terminal sequence ends, or opens a block of code after a parenthesis. The number
/// of an item in a list (`1) {`) is none.
#[inline(always)]
const fn announces_nothing(before: &[u8]) -> bool {
    match before {
        [.., b'!'..=b'\'' | b'/'] => true,
        [last, b')', b' '] => !last.is_ascii_digit(),
        _ => false,
    }
}

/// Returns which bytes have to be looked at in text: brackets after which a document can go on, the marks of fences,
/// escape characters. Other brackets may be included.
#[inline(always)]
fn openings(text: &[u8; WIDE + 1], lanes: Lanes) -> u64 {
    let ([block @ .., _], [_, after @ ..]) = (text, text);
    let (bytes, after) = (lanes.of(block), lanes.of(after));
    // Some more bytes are included: that is faster than to compare with each one that can follow. Almost all can follow
    // a brace, since a bare name may.
    let follow =
        after.outside(b'='..b't') | (after | 0x20).is_among(&const { Among::new(b"{|}fint`") });
    let array = bytes.is(b'[') & follow;
    (array | bytes.is(ESCAPE) | bytes.is_among(&const { Among::new(b"`~{") })).bits()
}

#[cfg(test)]
mod tests {
    use super::{ESCAPE, Search, Sequence, begins_escaped, line_end, may_continue_almost};
    use crate::document::Document;
    use crate::finder::almost_json::WRITTEN;
    use crate::finder::{FindOptions, Finder};
    use jsift_json::lanes::WIDE;
    use jsift_json::terminal::sequence_at_end;

    /// Byte by byte, as the documentation of what is tested says.
    fn opening_in(text: &[u8]) -> usize {
        let goes_on = |at: usize| {
            if line_end(&text[at + 1..]).is_some() || begins_escaped(&text[at + 1..]) {
                return true;
            }
            let last = at.checked_sub(1).map(|last| text[last]);
            if !last.is_some_and(|last| b"!\"#$%&'/".contains(&last))
                && may_continue_almost(text[at], &text[at + 1..])
            {
                return true;
            }
            let after = text[at + 1..].iter().position(|b| !b" \t".contains(b));
            let can_follow: &[u8] = match text[at] {
                b'{' => b"\"}\r\n\x1b",
                _ => b"\"[{]-0123456789tfn\r\n\x1b",
            };
            match after {
                Some(blanks) if blanks <= 3 => {
                    let next = text[at + 1 + blanks];
                    let side = blanks > 0 && (next == b'|' || !next.is_ascii());
                    side || can_follow.contains(&next)
                }
                _ => true,
            }
        };
        let mut at = 0;
        while at < text.len() {
            at += match text[at] {
                b'{' | b'[' if goes_on(at) => break,
                b'`' | b'~' => break,
                ESCAPE if text[at..].starts_with(b"\x1b]") => match sequence_at_end(&text[at..]) {
                    Sequence::Delete(length) | Sequence::LineEnd(length) => length,
                    Sequence::Incomplete | Sequence::None => 1,
                },
                ESCAPE if !text[at..].starts_with(b"\x1b\x1b") => 2,
                _ => 1,
            };
        }
        at.min(text.len())
    }

    fn found_in(text: &[u8]) -> (usize, Option<u8>) {
        let (fences, last) = (true, true);
        Search { text, fences, last }.run()
    }

    #[test]
    fn openings_among_many_brackets_are_the_same() {
        let bytes = b"{[ \"1}a";
        // Each start with some of the texts; with `slow` all of them with all.
        let every = if cfg!(feature = "slow") { 1 } else { 11 };
        let mut tried = 0;
        for first in bytes {
            for second in bytes {
                for third in bytes {
                    for noise in 0..4 {
                        let text = [&b"{{{a"[..noise], &[*first, *second, *third]].concat();
                        let text = [&b"{".repeat(200), &text[..], &b"{{[a".repeat(40)].concat();
                        tried += 1;
                        for from in (tried % every..WIDE).step_by(every) {
                            let text = &text[from..];
                            assert_eq!(found_in(text).0, opening_in(text), "{text:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn openings_in_long_texts_are_found_whatever_follows_the_bracket() {
        // Some of the pairs of bytes; with `slow` all of them.
        let every = if cfg!(feature = "slow") { 1 } else { 23 };
        for pair in (0..=u16::MAX).step_by(every).map(u16::to_be_bytes) {
            for before in [0, 63] {
                let text = [&b"b".repeat(before)[..], b"[", &pair, &b"b".repeat(70)].concat();
                assert_eq!(found_in(&text).0, opening_in(&text), "{text:?}");
            }
        }
    }

    #[test]
    fn openings_of_almost_json_are_found_in_long_texts() {
        let others = [
            "# x",
            "// x",
            "/*",
            "None ",
            "undefined,",
            "Infinity,",
            "inf,",
            "\u{200b}",
            "+1,",
            "+\n",
            "+\x1b[0m\r\n",
            ".5,",
        ];
        for after in others.into_iter().chain(WRITTEN) {
            for before in [0, 1, 62, 63, 64] {
                let text = ["b".repeat(before), format!("[{after}"), "b".repeat(70)].concat();
                assert_eq!(found_in(text.as_bytes()).0, before, "{text:?}");
            }
        }
    }

    #[test]
    fn brackets_of_sequences_open_nothing() {
        let parts = ["\x1b", "[", "]", "\x07", "`", "1", "{", "\"", "a"];
        let all = parts.len();
        for choice in 0..all.pow(4) {
            let part = |place| parts[choice / all.pow(place) % all];
            let parts = [0, 1, 2, 3].map(part).concat();
            for before in [0, 1, 60, 61, 62, 63, 64] {
                let text = ["b".repeat(before), parts.clone(), "b".repeat(70)].concat();
                let text = text.as_bytes();
                assert_eq!(found_in(text).0, opening_in(text), "{text:?}");
            }
        }
    }

    #[test]
    fn openings_are_those_after_which_a_document_can_go_on() {
        for bracket in *b"{[" {
            for next in 0..=u8::MAX {
                for (at, length) in [
                    (0, 70),
                    (5, 70),
                    (63, 130),
                    (63, 64),
                    (127, 200),
                    (150, 160),
                ] {
                    for blanks in 0..=4 {
                        let mut text = vec![b'a'; length];
                        text[at] = bracket;
                        text[length.min(at + 1)..length.min(at + 1 + blanks)].fill(b' ');
                        if let Some(after) = text.get_mut(at + 1 + blanks) {
                            *after = next;
                        }
                        let (at, opening) = found_in(&text);
                        assert_eq!(at, opening_in(&text), "{text:?}");
                        assert_eq!(opening.is_some(), at < length);
                    }
                }
            }
        }
    }

    #[test]
    fn a_bracket_after_an_escape_character_opens_nothing_in_the_next_read() {
        let mut found = 0;
        let mut visitor = |_: Document<'_>| found += 1;
        let mut finder = Finder::new(FindOptions::default());
        finder.push(b"a \x1b", &mut visitor);
        finder.push(b"{\"a\":1} b", &mut visitor);
        finder.finish(&mut visitor);
        assert_eq!(found, 0);
    }
}
