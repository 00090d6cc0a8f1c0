//! Finds where in a noisy text the candidates for a repair begin: after thinking, inside fences, at brackets.
//!
//! The fence that is read is the first that announces JSON, otherwise the first without a language. A bracket counts
//! if a value or a name follows it and it does not open a tag of a log. If the first quotation mark after it is
//! escaped, the text around the bracket is part of a string.

use super::scalar;
use super::text::{CandidateText, is_quote};
use crate::finder::fence::{self, FenceMarks, JSON_WORDS};
use crate::finder::thinking;

/// Returns the offset after the thinking blocks that the text begins with; a block that is not closed is text.
pub(super) fn behind_thinking(text: CandidateText<'_>) -> usize {
    let mut at = 0;
    loop {
        let start = text.skip_blanks(at);
        let block = text.slice(start, text.len()).as_bytes();
        let length = thinking::opening(block)
            .and_then(|marks| Some(marks.closing(block)? + marks.close.len()));
        match length {
            Some(length) => at = start + length,
            None => return at,
        }
    }
}

/// The opening of a markdown fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FenceOpening {
    /// Offset of the opening marks.
    pub(super) start: usize,
    pub(super) marks: FenceMarks,
    /// Offset of the content.
    pub(super) content: usize,
    /// Whether the info string says that the fence contains JSON.
    pub(super) announced: bool,
}

/// Returns the fence marks at or after an offset, and where they are.
fn marks_from(
    text: CandidateText<'_>,
    from: usize,
) -> impl Iterator<Item = (usize, FenceMarks)> + use<'_> {
    let bytes = text.0.as_bytes();
    let rest = bytes.get(from..).unwrap_or_default();
    let mut next = from;
    memchr::memchr2_iter(b'`', b'~', rest).filter_map(move |at| {
        let start = from + at;
        let marks = fence::marks(bytes.get(start..)?).filter(|_| start >= next)?;
        next = start + marks.count;
        Some((start, marks))
    })
}

impl FenceOpening {
    /// Returns the offset of the marks that close the fence, if they are between two offsets.
    pub(super) fn closing(&self, text: CandidateText<'_>, from: usize, to: usize) -> Option<usize> {
        let mut marks = marks_from(CandidateText(text.slice(0, to)), from);
        marks.find_map(|(start, marks)| marks.close(self.marks).then_some(start))
    }
}

/// Returns the offset of the last marks that close the fence, if there is an odd number of such marks: marks in
/// strings come in pairs.
pub(super) fn last_closing(text: CandidateText<'_>, fence: &FenceOpening) -> Option<usize> {
    let mut last = None;
    let mut odd = false;
    for (start, marks) in marks_from(text, fence.content) {
        // At most this many bytes precede marks that begin a block.
        let near = text.boundary(fence.content.max(start.saturating_sub(64)));
        let line = text.slice(near, start).rsplit('\n').next();
        let block = line.is_some_and(|line| fence::begins_block(line.as_bytes()));
        if marks.close(fence.marks) && block {
            odd = !odd;
            last = Some(start);
        }
    }
    last.filter(|_| odd)
}

/// Returns the first fence that announces JSON, otherwise the first one without a language.
pub(super) fn fence(text: CandidateText<'_>, from: usize) -> Option<FenceOpening> {
    let mut plain = None;
    let mut open: Option<FenceMarks> = None;
    for (start, marks) in marks_from(text, from) {
        let behind = start + marks.count;
        let blanks = text.slice(behind, text.len()).bytes();
        let info = behind + blanks.take_while(|b| b" \t".contains(b)).count();
        let at = text.word_end(info);
        let word = text.slice(info, at);
        if text.skip_blanks(at) >= text.len() {
            break;
        }
        let opening = |announced| {
            let line = text.slice(at, text.len()).lines().next();
            let attributes =
                line.filter(|line| announced && fence::has_attributes(line.trim().as_bytes()));
            FenceOpening {
                start,
                marks,
                content: at + attributes.map_or(0, str::len),
                announced,
            }
        };
        let announces = |name: &&str| name.eq_ignore_ascii_case(word);
        if JSON_WORDS.iter().any(announces) {
            return Some(opening(true));
        }
        open = match open {
            Some(open) if marks.close(open) => None,
            Some(open) => Some(open),
            None => {
                plain = plain.or_else(|| word.is_empty().then(|| opening(false)));
                Some(marks)
            }
        };
    }
    plain
}

/// Whether the bracket at an offset belongs to a heading that DSPy asks for: `[[ ## answer ## ]]`.
pub(super) fn is_heading(text: CandidateText<'_>, offset: usize) -> bool {
    text.starts(offset, "[[ ##") || text.starts(offset, "[ ##")
}

/// How far after a bracket a tag and the text after it are searched for, in bytes.
const TAG: usize = 128;

/// Whether the bracket at an offset opens a tag, which contains bare words or only blanks and is followed by more text:
/// `[INFO] ready`, `[shard 1] ready`, `[x] done`, `[ ] to do`; or a placeholder: `{name} is`, `{{name}} is`.
pub(super) fn is_tag(text: CandidateText<'_>, offset: usize) -> bool {
    let near = text.slice(offset, text.boundary(offset.saturating_add(TAG)));
    let line = near.lines().next().unwrap_or_default();
    let (inside, other) = match line.strip_prefix('[') {
        Some(inside) => (inside.split_once(']'), "{[,\\"),
        None => (line.trim_start_matches('{').split_once('}'), "{[,\\:="),
    };
    inside.is_some_and(|(inside, behind)| {
        let word = inside.trim();
        let bare = |c: char| !is_quote(c) && !other.contains(c);
        let value =
            inside.is_empty() || scalar::number(word).is_some() || scalar::literal(word).is_some();
        !value && word.chars().all(bare) && behind.contains(char::is_alphanumeric)
    })
}

/// Whether the bracket at an offset may open a value that is worth repairing.
pub(super) fn is_opening(text: CandidateText<'_>, offset: usize) -> bool {
    let next = text.look_past_blanks(offset + 1);
    let Some(byte) = text.at(next) else {
        return true;
    };
    let quoted = text.quote_at(next).is_some() || is_escaped(text, offset + 1);
    let before = offset.checked_sub(1).and_then(|at| text.at(at));
    match text.at(offset) {
        Some(b'{') => {
            quoted
                || matches!(byte, b'}' | b',' | b'{')
                || text.bare_key_at(next)
                || text.half_quoted_key_at(next)
        }
        Some(b'[') => {
            let glued = before.is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_')
                && !text.slice(0, offset).ends_with("\\n");
            let value = quoted
                || b"{[]-0123456789".contains(&byte)
                || super::string::literal_at(text, next);
            value && !glued
        }
        _ => false,
    }
}

/// How far before a bracket the mark that opens the string around it is searched for, in bytes.
const REACH: usize = 2048;

/// How many brackets and written-out blanks (`\n`) are skipped to find the first quotation mark.
const OPENINGS: usize = 16;

/// Returns the offset after the brackets and blanks at an offset, including blanks written out as `\n`, `\t` or `\r`.
fn past_openings(text: CandidateText<'_>, offset: usize) -> usize {
    let mut at = text.skip_blanks(offset);
    for _ in 0..OPENINGS {
        let length = match text.slice(at, text.len()).as_bytes() {
            [b'{' | b'[', ..] => 1,
            [b'\\', b'n' | b't' | b'r', ..] => 2,
            _ => break,
        };
        at = text.skip_blanks(at + length);
    }
    at
}

/// Whether the text from an offset on is part of an escaped string, judged by the text up to its first quotation
/// mark.
pub(super) fn is_escaped(text: CandidateText<'_>, offset: usize) -> bool {
    string_around(text, offset).is_some()
}

/// Returns the quotation mark of the string that the text at an offset is part of; `None` if it is not part of one.
/// It is `"` if the first quotation mark after the offset is escaped, `\"`. It is `'` if that mark is a plain `"`
/// after a written-out `\n`, as Python shows a string between single quotes.
fn string_around(text: CandidateText<'_>, offset: usize) -> Option<char> {
    let at = past_openings(text, offset);
    let slashes = text
        .slice(at, text.len())
        .bytes()
        .take(8)
        .take_while(|b| *b == b'\\')
        .count();
    if text.at(at + slashes) != Some(b'"') {
        return None;
    }
    if slashes > 0 {
        return Some('"');
    }
    if !text.slice(offset, at).contains('\\') {
        return None;
    }
    let near = text.boundary(offset.saturating_sub(REACH));
    let before = text.slice(near, offset);
    let glued = |c: char| c.is_alphanumeric() || c == '\\';
    let mut marks = memchr::memchr_iter(b'\'', before.as_bytes());
    let opened = marks.any(|mark| !before.get(..mark).is_some_and(|text| text.ends_with(glued)));
    opened.then_some('\'')
}

/// Removes one level of string escapes from the text at an offset, up to the mark that ends the string around it.
/// Returns the text and the first offset after it.
pub(super) fn unescape(text: CandidateText<'_>, offset: usize) -> (String, usize) {
    let quote = string_around(text, offset + 1).unwrap_or('"');
    let mut out = String::new();
    let mut at = offset;
    while let Some(c) = text.char_at(at) {
        // In `\\"` the quotation mark belongs to a string of the inner text: the backslash was escaped, the mark was
        // not.
        let inner = c == '"' && text.slice(offset, at).ends_with("\\\\");
        if c == quote && !inner {
            break;
        }
        at += c.len_utf8();
        if c != '\\' {
            out.push(c);
            continue;
        }
        let Some(escaped) = text.char_at(at) else {
            break;
        };
        at += escaped.len_utf8();
        match escaped {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            '"' | '\\' | '/' => out.push(escaped),
            mark if mark == quote => out.push(mark),
            // Any other escape belongs to the inner text.
            other => out.extend(['\\', other]),
        }
    }
    // The closing mark of a string that has lost its opening one is skipped.
    let opened = offset.checked_sub(1).and_then(|before| text.at(before)) == Some(b'"');
    let stray = text.at(at) == Some(b'"') && !opened;
    (out, at + usize::from(stray))
}
