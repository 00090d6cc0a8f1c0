//! The *left text* before an opening bracket: which of its bytes may differ on the next line, where it may be cut, and
//! how far a line matches it.

mod table;

use std::str;

use memchr::{memchr, memmem};

use super::member::{is_element, is_in_string, is_name};
use super::stamp::{Change, Class, classify, ends_clock, fraction, is_blank, is_separator};
use super::{Alternative, sequence_before_end};
use jsift_json::BOM;
use jsift_json::cost;
use jsift_json::terminal::{ESCAPE, Sequence, sequence_at_end};
use table::Cells;

/// The most cuts of a left text, the whole text included.
pub const CUTS: usize = 12;
/// The length of the longest prefix that is looked for, in bytes that are shown.
pub const PREFIX_LIMIT: usize = 256;

/// The text before an opening bracket.
///
/// There are at most [`CUTS`] cuts, none of them 0, and there may be none. The longest is shorter than the text if the
/// text ends with an element, or inside a brace.
#[derive(Debug, Default, Clone)]
pub struct Left {
    /// The text as it was, up to where a prefix may reach.
    original: Vec<u8>,
    /// The original text without byte order marks, and without the blanks and colours at its end.
    pub text: Vec<u8>,
    /// The class of each byte of `text`.
    pub(crate) classes: Vec<Class>,
    /// The lengths at which the text may be cut to a prefix, longest first.
    pub(super) cuts: Vec<usize>,
    /// Set if it is a line of a column of a table, whose other lines may have other text in the cells before it: what
    /// that is.
    column: Option<Cells>,
    /// For each [`Change`], how many bytes at the beginning of the text cannot change: the last number is the smallest.
    fixed: [usize; 3],
}

/// What containerd puts between the time stamp and the text of a line that is whole.
const STREAMS: [&[u8]; 2] = [b" stdout F", b" stderr F"];

impl Left {
    /// Returns what stands before an opening: `text`.
    pub fn new(text: &[u8]) -> Self {
        let original = beginning(text);
        let mut text = trimmed(original).to_vec();
        remove_boms(&mut text);
        let classes = classify(&text);
        let fixed = [Change::Nothing, Change::Stamps, Change::Digits].map(|change| {
            classes
                .iter()
                .take_while(|class| !class.is_free(change))
                .count()
        });
        Self {
            original: original.to_vec(),
            cuts: cuts(&text, &classes),
            text,
            classes,
            column: None,
            fixed,
        }
    }

    /// Returns how many cuts there are.
    pub(crate) const fn cuts(&self) -> usize {
        self.cuts.len()
    }

    /// Returns the text up to a cut.
    pub(crate) fn up_to(&self, cut: usize) -> &[u8] {
        let length = self.cuts.get(cut).copied().unwrap_or_default();
        self.text.get(..length).unwrap_or_default()
    }

    /// Returns the one blank after a cut that a log puts there; at the end of the text, with the terminal sequences and
    /// byte order marks around it. Further blanks are the indentation of the text.
    pub(crate) fn padding_after(&self, cut: usize) -> &[u8] {
        let cut = self.up_to(cut);
        if let Some(rest @ [first, ..]) = self.text.get(cut.len()..) {
            // The blank may also be before a colour that the cut ends with.
            let padded = sequence_before_end(cut).is_some_and(|(text, _)| text.ends_with(b" "));
            let count = usize::from(is_blank(first) && !padded);
            return rest.get(..count).unwrap_or_default();
        }
        let rest = self.padding();
        let mut blanks = (0..rest.len()).filter(|&at| rest.get(at).is_some_and(is_blank));
        let end = blanks.nth(1).unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }

    /// Returns the ways in which lines may carry the text, by cut, longest first, then by what changes, least first. If
    /// the text up to a cut contains a time stamp, that may always change; the digits of a name do not.
    pub(crate) fn alternatives(&self) -> Vec<Alternative> {
        let mut all = Vec::new();
        for (cut, &length) in self.cuts.iter().enumerate() {
            let holds = |class| self.classes.iter().take(length).any(|&each| each == class);
            let stamped = holds(Class::Stamp);
            for (change, differs) in [
                (Change::Nothing, !stamped),
                (Change::Stamps, stamped),
                (Change::Digits, holds(Class::Digit) && !self.is_name(cut)),
            ] {
                if differs {
                    all.push(Alternative { cut, change });
                }
            }
        }
        all
    }

    /// Whether `text` may [end as a prefix](Self::ends_as_prefix): a quick check, of which only `false` is certain.
    pub(crate) fn may_end_as_prefix(text: &[u8]) -> bool {
        let last = trimmed(beginning(text)).last();
        last.is_some_and(|byte| {
            is_delimiter(byte) || b"ZF".contains(byte) || byte.is_ascii_digit() || !byte.is_ascii()
        })
    }

    /// Whether a left text [ends as a prefix](Self::ends_as_prefix).
    pub(crate) fn is_end_of_prefix(text: &[u8]) -> bool {
        Self::may_end_as_prefix(text) && Self::new(text).ends_as_prefix()
    }

    /// Whether the text ends as a log prefix does and a label (`scores: [1, 2]`, `scores => [1, 2]`) does not: with a
    /// delimiter, a time stamp, containerd's name of a stream, or the side of a box.
    pub(crate) fn ends_as_prefix(&self) -> bool {
        self.is_prefix(&self.text)
    }

    /// Whether the text up to a cut [ends as a prefix](Self::ends_as_prefix) or with a colon after no name of a member.
    pub(crate) fn ends_with_delimiter(&self, cut: usize) -> bool {
        let text = self.up_to(cut);
        (text.ends_with(b":") || self.is_prefix(text)) && !is_name(text)
    }

    /// Whether all of the text may be a prefix, which ends with a delimiter or contains a time stamp.
    pub(crate) fn is_all_prefix(&self) -> bool {
        let likely = self.ends_with_delimiter(0) || self.has_stamp();
        likely && self.up_to(0).len() == self.text.len()
    }

    /// Whether the text begins with a letter or digit, after any colours.
    pub(crate) fn begins_with_word(&self) -> bool {
        let first = after_colours(&self.text).first();
        first.is_some_and(u8::is_ascii_alphanumeric)
    }

    /// Whether the text contains a time stamp.
    pub(crate) fn has_stamp(&self) -> bool {
        self.classes.contains(&Class::Stamp)
    }

    /// Whether the text up to a cut may end with the name of a member.
    pub(crate) fn is_name(&self, cut: usize) -> bool {
        is_name(self.up_to(cut))
    }

    /// Whether `text`, which is the beginning of the left text, ends as a log prefix does.
    fn is_prefix(&self, text: &[u8]) -> bool {
        let mut streams = STREAMS.iter();
        if let Some(stamp) = streams.find_map(|stream| text.strip_suffix(*stream)) {
            return self.is_prefix(stamp);
        }
        let stamp = |at: usize| self.classes.get(at) == Some(&Class::Stamp);
        match text.strip_suffix(b":").unwrap_or(text) {
            [.., b'=' | b'-', b'>'] => false,
            // Or with a box drawing character, U+2500 to U+257F.
            [.., b'|' | b']' | b'>'] | [.., 0xe2, 0x94 | 0x95, _] => true,
            [rest @ .., b'Z'] => stamp(rest.len().wrapping_sub(1)),
            text => stamp(text.len().wrapping_sub(1)),
        }
    }

    /// Returns the rest of a line that carries the text up to the longest cut, possibly with other time stamps; `None`
    /// if it does not.
    pub(crate) fn carried<'a>(&self, line: &'a [u8]) -> Option<&'a [u8]> {
        let (cut, change) = (0, Change::Stamps);
        line.get(self.match_end(line, Alternative { cut, change })?..)
    }

    /// Returns what follows the original text on a line that begins with it, possibly with other digits; `None` if the
    /// line does not.
    pub fn after<'a>(&self, line: &'a [u8]) -> Option<&'a [u8]> {
        let (cut, change) = (0, Change::Digits);
        let carried = || match self.text.len() {
            0 => Some(0),
            whole => (self.up_to(cut).len() == whole)
                .then(|| self.match_end(line, Alternative { cut, change }))?,
        };
        let rest = line.get(self.may_begin(line).then(carried)??..)?;
        rest.strip_prefix(self.padding())
    }

    /// Returns where the rest of a line begins that carries the text in this way; `None` if it does not. No cut ends in
    /// a blank, so the blanks after a prefix are part of the rest, where JSON ignores them.
    pub(crate) fn match_end(&self, line: &[u8], way: Alternative) -> Option<usize> {
        if let Some(cells) = self.column {
            return table::row_length(str::from_utf8(&self.text).ok()?, line, cells);
        }
        let length = *self.cuts.get(way.cut)?;
        let fixed = self.begin(line, self.fixed[way.change as usize].min(length))?;
        cost::search(fixed);
        let (mut at, mut read) = (fixed, fixed);
        while at < length {
            cost::look_at(1);
            let (byte, class) = (self.text.get(at)?, self.classes.get(at)?);
            let lengths = match class.is_free(way.change) {
                true => self.runs(at, line.get(read..).unwrap_or_default()),
                false => (line.get(read) == Some(byte)).then_some((1, 1)),
            };
            let (here, there) = match lengths {
                Some(lengths) => lengths,
                None => match bom_length(line, read) {
                    0 => return None,
                    bom => (0, bom),
                },
            };
            at += here;
            read += there;
        }
        let carries = at == length && !self.splits(length, line, read);
        carries.then(|| after_bom(line, read))
    }

    /// Returns the blanks, terminal sequences and byte order marks after the longest cut.
    pub(crate) fn padding(&self) -> &[u8] {
        let end = trimmed(&self.original).len();
        self.original.get(end..).unwrap_or_default()
    }

    /// Whether a line may carry the text, however it is cut: a quick check, of which only `false` is certain.
    pub(crate) fn may_begin(&self, line: &[u8]) -> bool {
        let shortest = self.cuts.last().copied().unwrap_or_default();
        let [_, _, fixed] = self.fixed;
        self.begin(line, fixed.min(shortest)).is_some()
    }

    /// Returns how many of the text's first `fixed` bytes, none of which can change, the line begins with: all, or 0 if
    /// a byte order mark may come before one of them. `None` if it begins with other bytes.
    fn begin(&self, line: &[u8], fixed: usize) -> Option<usize> {
        match line.starts_with(self.text.get(..fixed)?) {
            true => Some(fixed),
            false => memchr(BOM[0], line.get(..fixed).unwrap_or(line)).map(|_| 0),
        }
    }

    /// Whether a number or word that ends at the cut continues in the line: `4` is no prefix of `40`, nor `app` of
    /// `apple`.
    fn splits(&self, length: usize, line: &[u8], at: usize) -> bool {
        let cut = self.text.get(..length).unwrap_or_default();
        let of_word = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        // A colour ends with a letter, too.
        of_word(line.get(at)) && of_word(cut.last()) && sequence_before_end(cut).is_none()
    }

    /// Returns how many digits or blanks the left text has from `at` on, and how many bytes of the line may replace
    /// them; `None` if nothing there may. Either side may lack a fraction of a second: some logs leave out its trailing
    /// zeros.
    fn runs(&self, at: usize, line: &[u8]) -> Option<(usize, usize)> {
        let rest = self.text.get(at..)?;
        if self.classes.get(at) == Some(&Class::Point) {
            let same = line.first() == rest.first() && fraction(line) > 0;
            return Some(if same { (1, 1) } else { (fraction(rest), 0) });
        }
        if self.classes.get(at) == Some(&Class::Separator) {
            return line
                .first()
                .filter(|byte| is_separator(byte))
                .map(|_| (1, 1));
        }
        let blanks = is_blank(rest.first()?);
        let run = |bytes: &[u8]| {
            let same = |byte: &&u8| {
                if blanks {
                    is_blank(byte)
                } else {
                    byte.is_ascii_digit()
                }
            };
            bytes.iter().take_while(same).count()
        };
        let there = run(line);
        let here = run(rest);
        // The line may lack the padding before a number, or before all of the text.
        let begins = || after_colours(self.text.get(..at).unwrap_or_default()).is_empty();
        let may_lack = || line.first().is_some_and(u8::is_ascii_digit) || begins();
        if there == 0 && !(blanks && may_lack()) {
            return None;
        }
        let whole_second = ends_clock(&self.text, at + here) && fraction(rest.get(here..)?) == 0;
        let more = if whole_second {
            fraction(line.get(there..)?)
        } else {
            0
        };
        Some((here, there + more))
    }
}

/// Removes all byte order marks from a text.
fn remove_boms(text: &mut Vec<u8>) {
    while memchr(BOM[0], text).is_some()
        && let Some(bom) = memmem::find(text, BOM)
    {
        text.drain(bom..bom + BOM.len());
    }
}

/// Returns the length of the byte order mark at `at`; 0 if none. There may be one before any field of a line.
fn bom_length(line: &[u8], at: usize) -> usize {
    match line.get(at..) {
        Some([0xef, 0xbb, 0xbf, ..]) => BOM.len(),
        _ => 0,
    }
}

/// Returns where the rest of a line begins whose prefix ends at `at`: after a blank and a byte order mark, if they
/// follow.
fn after_bom(line: &[u8], at: usize) -> usize {
    match line.get(at..) {
        Some([b' ' | b'\t', 0xef, 0xbb, 0xbf, ..]) => at + 1 + BOM.len(),
        _ => at,
    }
}

/// Returns a left text up to the last blank that a prefix may reach: a short prefix may precede a long message. A
/// record separator (RFC 7464) begins a text, so it is no part of a prefix.
fn beginning(left: &[u8]) -> &[u8] {
    let separator = memchr(b'\x1e', left).unwrap_or(left.len());
    let left = left.get(..separator).unwrap_or(left);
    let Some(near) = super::first_shown(left, PREFIX_LIMIT + 1) else {
        return left;
    };
    let blank = near.iter().rposition(is_blank);
    left.get(..blank.unwrap_or_default()).unwrap_or_default()
}

/// Returns a left text up to its last byte that is neither blank nor part of a terminal sequence or byte order mark:
/// these may be anywhere in a document, so a colour before the bracket (`app | ESC [1m{`) need not recur on the next
/// lines.
fn trimmed(left: &[u8]) -> &[u8] {
    let (mut end, mut at) = (0, 0);
    loop {
        let rest = left.get(at..).unwrap_or_default();
        let escape = memchr(ESCAPE, rest);
        let text = rest.get(..escape.unwrap_or(rest.len()));
        match text.map_or(0, unpadded) {
            0 => {}
            length => end = at + length,
        }
        let Some(escape) = escape else {
            return left.get(..end).unwrap_or(left);
        };
        at += escape;
        match sequence_at_end(left.get(at..).unwrap_or_default()) {
            Sequence::Delete(length) | Sequence::LineEnd(length) => at += length,
            Sequence::Incomplete | Sequence::None => {
                at += 1;
                end = at;
            }
        }
    }
}

/// Returns a text without the terminal sequences that it begins with.
pub(super) fn after_colours(mut text: &[u8]) -> &[u8] {
    while let [ESCAPE, ..] = text
        && let Sequence::Delete(length) = sequence_at_end(text)
    {
        text = text.get(length..).unwrap_or_default();
    }
    text
}

/// Returns the length of a text without the blanks and byte order marks at its end.
fn unpadded(mut text: &[u8]) -> usize {
    loop {
        text = match text {
            [rest @ .., last] if is_blank(last) => rest,
            [rest @ .., 0xef, 0xbb, 0xbf] => rest,
            _ => return text.len(),
        };
    }
}

/// Finds the lengths at which a left text may be cut, longest first: before blanks, at its end, and after `|`, `:`, `]`
/// and `>`. It is never cut after nothing but a colour, which names no source, inside a time stamp or a string, after
/// an element or between brackets: after `[shard` of `[shard 1] [`, the rest of the prefix would close the array. Nor
/// is it cut after a brace that stays open: the text there belongs to an object that is not JSON (`{ 'a': {`), and a
/// line that begins with that brace opens an object of its own.
fn cuts(left: &[u8], classes: &[Class]) -> Vec<usize> {
    let mut found = Vec::new();
    let stamp = |at: Option<usize>| {
        let class = at.and_then(|at| classes.get(at));
        class == Some(&Class::Stamp)
    };
    // The open brackets, each with the number of cuts found before it.
    let mut opened = Vec::new();
    for (at, byte) in left.iter().enumerate() {
        if is_blank(byte) {
            continue;
        }
        match byte {
            // A bracket of a terminal sequence does not count.
            b'[' | b']' if at > 0 && left.get(at - 1) == Some(&ESCAPE) => {}
            b'[' | b'{' => opened.push((byte, found.len())),
            b']' | b'}' => found.truncate(opened.pop().map_or(found.len(), |(_, before)| before)),
            _ => {}
        }
        let next = left.get(at + 1);
        let ends = next.is_none_or(is_blank);
        let inside = || stamp(at.checked_sub(1)) && stamp(Some(at + 1));
        if ends || (is_delimiter(byte) && !next.is_some_and(is_delimiter) && !inside()) {
            found.push(at + 1);
        }
    }
    if let Some((_, before)) = opened.iter().find(|(byte, _)| **byte == b'{') {
        found.truncate(*before);
    }
    found.retain(|&cut| {
        let text = left.get(..cut).unwrap_or_default();
        let shown = after_colours(text);
        let is_part = is_element(shown) || is_in_string(shown);
        !is_part && !trimmed(text).is_empty()
    });
    found.reverse();
    if found.len() > CUTS {
        keep_likely(left, classes, &mut found);
    }
    found
}

/// Whether a byte is a delimiter: it ends a field of a prefix.
pub(crate) const fn is_delimiter(byte: &u8) -> bool {
    matches!(byte, b'|' | b':' | b']' | b'>')
}

/// Reduces too many cuts to the longest ones and the shortest of the others: a cut near either end of a left text is
/// more often a prefix than one inside the message. Cuts after a delimiter or a time stamp or before a tab are
/// preferred to cuts between two words, of which the name of a job may have many; a few of the latter stay, since a
/// message may have many delimiters.
fn keep_likely(left: &[u8], classes: &[Class], found: &mut Vec<usize>) {
    const LONGEST: usize = 3;
    const WORDS: usize = 4;
    let ends_field = |&cut: &usize| {
        let last = cut - 1;
        matches!(classes.get(last), Some(Class::Stamp))
            || left.get(last).is_some_and(is_delimiter)
            || left.get(cut) == Some(&b'\t')
            || left.get(last) == Some(&b'Z')
                && matches!(classes.get(cut.wrapping_sub(2)), Some(Class::Stamp))
    };
    let others = found.split_off(LONGEST);
    let words = others.iter().filter(|cut| !ends_field(cut)).count();
    let surplus = others.len() + LONGEST - CUTS;
    // The longest cuts between words are removed first.
    let mut words = surplus.min(words.saturating_sub(WORDS));
    let mut fields = surplus - words;
    for cut in others {
        let left_out = if ends_field(&cut) {
            &mut fields
        } else {
            &mut words
        };
        if *left_out > 0 {
            *left_out -= 1;
        } else {
            found.push(cut);
        }
    }
}

#[cfg(test)]
mod tests;
