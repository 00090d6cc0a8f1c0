//! What stands before an opening bracket, the *left text*: which of its bytes may be others on the next line, where it
//! may be cut, and how far a line goes with it.

use memchr::{memchr, memmem};

use super::Alternative;
use super::key::{First, PrefixKey};
use super::stamp::{Class, classify, ends_clock, fraction};
use crate::input::BOM;
use crate::input::terminal::{ESCAPE, Sequence, sequence_at_end};

/// At how many places a left text is cut, the whole one included.
pub(crate) const CUTS: usize = 12;
/// The longest prefix that is looked for, in bytes.
pub(crate) const PREFIX_LIMIT: usize = 256;

/// What may have changed in a prefix from one line to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    Nothing,
    Stamps,
    Digits,
}

/// For each cut, where the rest of a line begins that goes with the left text up to there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ends([u32; CUTS]);

impl Ends {
    const NONE: u32 = u32::MAX;
    pub(crate) const NOWHERE: Self = Self([Self::NONE; CUTS]);

    /// Where the line goes on behind one cut.
    #[inline]
    pub(crate) fn at(&self, cut: usize) -> Option<usize> {
        let end = *self.0.get(cut)?;
        (end != Self::NONE).then_some(end as usize)
    }
}

/// What stands before an opening bracket.
#[derive(Debug, Default, Clone)]
pub(crate) struct Left {
    /// The text as it stood there, as far as a prefix may reach.
    learned: Vec<u8>,
    /// It ends with the longest prefix, and holds no byte order marks.
    pub(crate) text: Vec<u8>,
    pub(crate) classes: Vec<Class>,
    /// The lengths that may be a prefix, longest first.
    pub(super) cuts: Vec<usize>,
    /// The lengths of the shortest prefixes with a digit of a time stamp in them, and with another digit.
    pub(super) stamp: Option<usize>,
    pub(super) digit: Option<usize>,
    key: PrefixKey,
}

impl Left {
    pub(crate) fn new(text: &[u8]) -> Self {
        let mut left = Self::default();
        left.learn(text);
        left
    }

    /// Begins anew, most often with another text, keeping what was allocated.
    pub(crate) fn learn(&mut self, text: &[u8]) {
        let text = beginning(text);
        if self.learned == text {
            return;
        }
        self.learned.clear();
        self.learned.extend_from_slice(text);
        self.text.clear();
        self.text.extend_from_slice(trimmed(text));
        remove_marks(&mut self.text);
        classify(&self.text, &mut self.classes);
        cuts(&self.text, &self.classes, &mut self.cuts);
        let first = |class| self.classes.iter().position(|&each| each == class);
        self.stamp = first(Class::Stamp).map(|at| at + 1);
        self.digit = first(Class::Digit).map(|at| at + 1);
        self.key = PrefixKey::of(self);
    }

    /// The text up to a cut.
    pub(crate) fn up_to(&self, cut: usize) -> &[u8] {
        let length = self.cuts.get(cut).copied().unwrap_or_default();
        self.text.get(..length).unwrap_or_default()
    }

    /// The one blank that stood behind a cut, as a log puts it there, behind the longest cut with terminal sequences and byte
    /// order marks. More blanks indent the text.
    pub(crate) fn padding_behind(&self, cut: usize) -> &[u8] {
        if cut > 0 {
            let rest = self.text.get(self.up_to(cut).len()..).unwrap_or_default();
            return rest
                .get(..1)
                .filter(|byte| byte.iter().all(is_blank))
                .unwrap_or_default();
        }
        let rest = self.padding();
        let mut blanks = (0..rest.len()).filter(|&at| rest.get(at).is_some_and(is_blank));
        let end = blanks.nth(1).unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }

    /// The ways to go on with it, those with the longest cut first, and of those the one that changes least. A time stamp
    /// always may change.
    pub(crate) fn alternatives(&self) -> Vec<Alternative> {
        let mut all = Vec::new();
        for (cut, &length) in self.cuts.iter().enumerate() {
            let holds = |first: Option<usize>| first.is_some_and(|first| first <= length);
            let stamped = holds(self.stamp);
            for (change, differs) in [
                (Change::Nothing, !stamped),
                (Change::Stamps, stamped),
                (Change::Digits, holds(self.digit)),
            ] {
                if differs {
                    all.push(Alternative { cut, change });
                }
            }
        }
        all
    }

    /// Whether what stands there may [end as a prefix](Self::ends_as_prefix): a quick look, which is right where it says no.
    pub(crate) fn may_end_as_prefix(text: &[u8]) -> bool {
        let last = trimmed(beginning(text)).last();
        last.is_some_and(|byte| {
            b"|]>:Z".contains(byte) || byte.is_ascii_digit() || !byte.is_ascii()
        })
    }

    /// Whether it ends as a log prefix does and a label (`scores: [1, 2]`, `scores => [1, 2]`) does not: with a mark, a
    /// time stamp, the side of a box.
    pub(crate) fn ends_as_prefix(&self) -> bool {
        self.is_prefix(&self.text)
    }

    /// Whether it ends so up to a cut, or with a colon.
    pub(crate) fn is_marked(&self, cut: usize) -> bool {
        let text = self.up_to(cut);
        text.ends_with(b":") || self.is_prefix(text)
    }

    /// The same of its first bytes.
    fn is_prefix(&self, text: &[u8]) -> bool {
        let stamp = |at: usize| self.classes.get(at) == Some(&Class::Stamp);
        match text.strip_suffix(b":").unwrap_or(text) {
            [.., b'=' | b'-', b'>'] => false,
            [.., b'|' | b']' | b'>'] | [.., 0xe2, 0x94 | 0x95, _] => true,
            [rest @ .., b'Z'] => stamp(rest.len().wrapping_sub(1)),
            text => stamp(text.len().wrapping_sub(1)),
        }
    }

    /// What stands behind it on a line that goes on with all of it, but for its time stamps.
    pub(crate) fn carried<'a>(&self, line: &'a [u8]) -> Option<&'a [u8]> {
        let at = self
            .may_begin(line)
            .then(|| self.goes_on(line, (0, Change::Stamps)))?;
        line.get(at?..)
    }

    /// Where a line goes on behind one cut.
    pub(crate) fn goes_on(&self, line: &[u8], (cut, change): (usize, Change)) -> Option<usize> {
        let length = *self.cuts.get(cut)?;
        let literal = change == Change::Nothing && line.starts_with(self.up_to(cut));
        match literal && !self.splits(length, line, length) {
            true => Some(behind_mark(line, length)),
            false => self.matched(line, change).at(cut),
        }
    }

    /// What stood behind the longest cut: blanks, terminal sequences and byte order marks.
    pub(crate) fn padding(&self) -> &[u8] {
        let end = trimmed(&self.learned).len();
        self.learned.get(end..).unwrap_or_default()
    }

    /// The most that may change in it.
    pub(crate) const fn loosest(&self) -> Change {
        match (self.digit, self.stamp) {
            (Some(_), _) => Change::Digits,
            (None, Some(_)) => Change::Stamps,
            (None, None) => Change::Nothing,
        }
    }

    /// Whether a line may go on with the left text, by its first bytes.
    pub(crate) fn may_begin(&self, line: &[u8]) -> bool {
        let first = line.first();
        let begins = match self.first() {
            First::Byte(byte) => first == Some(&byte),
            First::Digit => first.is_some_and(u8::is_ascii_digit),
            First::Any => true,
        };
        begins && self.may_follow(line)
    }

    /// The same of a line at the beginning of `text` whose first byte is one of those that may be.
    #[inline]
    pub(super) fn may_follow(&self, text: &[u8]) -> bool {
        self.key.may_begin(text)
    }

    /// What lines begin with that may go on with the left text.
    pub(super) fn first(&self) -> First {
        match (self.classes.first(), self.text.first()) {
            (Some(Class::Literal | Class::Point), Some(&byte)) => First::Byte(byte),
            (Some(Class::Stamp | Class::Digit), _) => First::Digit,
            // Its blanks may be used up.
            _ => First::Any,
        }
    }

    /// How far a line goes with the left text. Cuts never end in a blank: blanks behind a prefix are white space to JSON.
    pub(crate) fn matched(&self, line: &[u8], change: Change) -> Ends {
        let mut ends = Ends::NOWHERE;
        let found = |at| u32::try_from(at).unwrap_or(Ends::NONE);
        let (mut at, mut read) = (0, 0);
        for (&length, end) in self.cuts.iter().zip(&mut ends.0).rev() {
            while at < length {
                let (Some(byte), Some(class)) = (self.text.get(at), self.classes.get(at)) else {
                    return ends;
                };
                let lengths = if !class.is_free(change) {
                    (line.get(read) == Some(byte)).then_some((1, 1))
                } else {
                    self.runs(at, line.get(read..).unwrap_or_default())
                };
                let (here, there) = match lengths {
                    Some(lengths) => lengths,
                    None => match marked(line, read) {
                        0 => return ends,
                        mark => (0, mark),
                    },
                };
                at += here;
                read += there;
            }
            if at == length && !self.splits(length, line, read) {
                *end = found(behind_mark(line, read));
            }
        }
        ends
    }

    /// Whether a number goes on in the line where it ends in the cut: `4` is no prefix of `40`.
    fn splits(&self, length: usize, line: &[u8], at: usize) -> bool {
        let digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
        digit(line.get(at)) && digit(self.text.get(..length).and_then(<[u8]>::last))
    }

    /// The digits or blanks from `at` on, and those of the line that may stand in their place: how many they are. A
    /// fraction of a second may be missing on either side: some logs leave out its zeros at the end.
    fn runs(&self, at: usize, line: &[u8]) -> Option<(usize, usize)> {
        let rest = self.text.get(at..)?;
        if self.classes.get(at) == Some(&Class::Point) {
            let same = line.first() == rest.first() && fraction(line) > 0;
            return Some(if same { (1, 1) } else { (fraction(rest), 0) });
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
        // The padding before a number may be used up.
        let padding = || at == 0 || line.first().is_some_and(u8::is_ascii_digit);
        if there == 0 && !(blanks && padding()) {
            return None;
        }
        let whole = ends_clock(&self.text, at + here) && fraction(rest.get(here..)?) == 0;
        let more = if whole {
            fraction(line.get(there..)?)
        } else {
            0
        };
        Some((here, there + more))
    }
}

/// Takes all byte order marks out of a text.
fn remove_marks(text: &mut Vec<u8>) {
    while memchr(BOM[0], text).is_some()
        && let Some(mark) = memmem::find(text, BOM)
    {
        text.drain(mark..mark + BOM.len());
    }
}

/// The length of the byte order mark that stands at `at`, where one does: one may stand before any field of a line.
fn marked(line: &[u8], at: usize) -> usize {
    match line.get(at..) {
        Some([0xef, 0xbb, 0xbf, ..]) => BOM.len(),
        _ => 0,
    }
}

/// Where the line goes on behind the byte order mark that may stand behind a prefix and a blank.
fn behind_mark(line: &[u8], at: usize) -> usize {
    match line.get(at..) {
        Some([b' ' | b'\t', 0xef, 0xbb, 0xbf, ..]) => at + 1 + BOM.len(),
        _ => at,
    }
}

/// A left text up to the last blank that a prefix may reach: behind a short prefix may stand a long message.
fn beginning(left: &[u8]) -> &[u8] {
    let Some(near) = left.get(..=PREFIX_LIMIT) else {
        return left;
    };
    let blank = near.iter().rposition(is_blank);
    left.get(..blank.unwrap_or_default()).unwrap_or_default()
}

pub(crate) const fn is_blank(byte: &u8) -> bool {
    matches!(*byte, b' ' | b'\t')
}

/// A left text up to its last byte that is neither blank nor part of a terminal sequence or byte order mark: those may
/// stand anywhere in a document, so a colour before the bracket (`app | ESC [1m{`) need not come again on the next lines.
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

/// The length of a text without the blanks and byte order marks at its end.
fn unpadded(mut text: &[u8]) -> usize {
    loop {
        text = match text {
            [rest @ .., last] if is_blank(last) => rest,
            [rest @ .., 0xef, 0xbb, 0xbf] => rest,
            _ => return text.len(),
        };
    }
}

/// Where a left text may be cut, longest first: behind its last byte that is no blank, and so at blanks and behind
/// `|`, `:`, `]` and `>`, but never inside a time stamp, behind a member's name, nor between brackets: behind `[shard`, of
/// `[shard 1] [`, the rest of the prefix would close the array. Nor behind a brace that stays open: what stands there is of
/// an object that is no JSON (`{ 'a': {`), and a line that begins with that brace opens one of its own.
fn cuts(left: &[u8], classes: &[Class], found: &mut Vec<usize>) {
    found.clear();
    let stamp = |at: Option<usize>| {
        let class = at.and_then(|at| classes.get(at));
        class == Some(&Class::Stamp)
    };
    // The brackets that are open, and how many cuts had been found there.
    let mut opened = Vec::new();
    for (at, byte) in left.iter().enumerate() {
        if is_blank(byte) {
            continue;
        }
        match byte {
            // Those of terminal sequences are none.
            b'[' | b']' if at > 0 && left.get(at - 1) == Some(&ESCAPE) => {}
            b'[' | b'{' => opened.push((byte, found.len())),
            b']' | b'}' => found.truncate(opened.pop().map_or(found.len(), |(_, before)| before)),
            _ => {}
        }
        let next = left.get(at + 1);
        let ends = next.is_none_or(is_blank);
        let inside = || stamp(at.checked_sub(1)) && stamp(Some(at + 1));
        if ends || (is_mark(byte) && !next.is_some_and(is_mark) && !inside()) {
            found.push(at + 1);
        }
    }
    if let Some((_, before)) = opened.iter().find(|(byte, _)| **byte == b'{') {
        found.truncate(*before);
    }
    found.retain(|&cut| !left.get(..cut).is_some_and(is_name));
    found.reverse();
    if found.len() > CUTS {
        keep_likely(left, classes, found);
    }
}

/// Whether it is the name of a member of an object that is no JSON (`  tags: [`, `'tags': [`, `"tags" => [`), as others may
/// have it, too.
fn is_name(left: &[u8]) -> bool {
    let word = left.trim_ascii_start();
    let Some(name) = [b":".as_slice(), b"=>"]
        .iter()
        .find_map(|mark| word.strip_suffix(*mark))
    else {
        return false;
    };
    match name.trim_ascii_end() {
        [first @ (b'"' | b'\'' | b'`'), .., last] => first == last,
        bare => {
            let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
            let number = bare.first().is_some_and(u8::is_ascii_digit);
            word.len() < left.len() && !number && bare.iter().all(part)
        }
    }
}

/// What a field of a prefix ends with.
const fn is_mark(byte: &u8) -> bool {
    matches!(byte, b'|' | b':' | b']' | b'>')
}

/// Of too many cuts, leaves the longest ones and of the others the shortest ones: what is at an end of a left text is a
/// prefix more often than what is in the message. A cut behind a mark, a time stamp or before a tab goes before one
/// between two words, of which the name of a job may have many; but for a few, as a message may have many marks.
fn keep_likely(left: &[u8], classes: &[Class], found: &mut Vec<usize>) {
    const LONGEST: usize = 3;
    const WORDS: usize = 4;
    let ends_field = |&cut: &usize| {
        let last = cut - 1;
        matches!(classes.get(last), Some(Class::Stamp))
            || left.get(last).is_some_and(is_mark)
            || left.get(cut) == Some(&b'\t')
            || left.get(last) == Some(&b'Z')
                && matches!(classes.get(cut.wrapping_sub(2)), Some(Class::Stamp))
    };
    let others = found.split_off(LONGEST);
    let words = others.iter().filter(|cut| !ends_field(cut)).count();
    let surplus = others.len() + LONGEST - CUTS;
    // The longest of those between words go first.
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
