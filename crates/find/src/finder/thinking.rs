//! Thinking: what models write before they answer, and how it is separated from the answer.
//!
//! A block with an opening and a closing tag is skipped by the [head](super::head). Some thinking has only an end
//! tag, because the prompt contained the opening one. Documents before such an [end](ThinkingEnd) have been reported
//! by then, and have to be [taken back](crate::document::Visitor::thinking_ended).

use std::iter;
use std::ops::Range;

use memchr::{memchr_iter, memchr2_iter, memmem, memrchr};

use super::window::{Window, first_line};
use crate::document::{Document, Fault, Rank, Visitor};
use crate::prefix::{self, COLOUR_LIMIT};
use jsift_json::cost;
use jsift_json::scan::clean;
use jsift_json::terminal::ESCAPE;

/// The tags that open and close a block; case does not matter.
#[derive(Debug)]
pub(crate) struct ThinkingTags {
    pub(crate) open: &'static str,
    pub(crate) close: &'static str,
    /// Whether a prompt may open the block, so that the text contains the closing tag only.
    in_prompt: bool,
}

const fn tags(open: &'static str, close: &'static str) -> ThinkingTags {
    ThinkingTags {
        open,
        close,
        in_prompt: false,
    }
}

const fn tags_in_prompt(open: &'static str, close: &'static str) -> ThinkingTags {
    ThinkingTags {
        in_prompt: true,
        ..tags(open, close)
    }
}

/// The known blocks: tags of models and of prompts, and those of ByteDance's Seed-OSS, Meituan's LongCat, Mistral's
/// Magistral, Moonshot's Kimi, Cohere's Command A, OpenThinker, Google's Gemma 4, gpt-oss, Upstage's Solar Open and
/// IBM's Granite 3.2.
static BLOCKS: [ThinkingTags; 25] = [
    tags_in_prompt("<think>", "</think>"),
    tags_in_prompt("<thinking>", "</thinking>"),
    tags("<reason>", "</reason>"),
    tags_in_prompt("<reasoning>", "</reasoning>"),
    tags("<thought>", "</thought>"),
    tags("<thoughts>", "</thoughts>"),
    tags("<reflection>", "</reflection>"),
    tags("<antThinking>", "</antThinking>"),
    tags("<inner_monologue>", "</inner_monologue>"),
    tags("<scratchpad>", "</scratchpad>"),
    tags("<scratch_pad>", "</scratch_pad>"),
    tags_in_prompt("<seed:think>", "</seed:think>"),
    tags_in_prompt("<longcat_think>", "</longcat_think>"),
    tags("[THINK]", "[/THINK]"),
    tags("◁think▷", "◁/think▷"),
    tags("<|START_THINKING|>", "<|END_THINKING|>"),
    tags("<|begin_of_thought|>", "<|end_of_thought|>"),
    tags("<|channel>thought", "<channel|>"),
    tags("<|channel|>analysis<|message|>", "<|end|>"),
    tags(
        "<|start|>assistant<|channel|>analysis<|message|>",
        "<|end|>",
    ),
    // Commentary is not the answer, either.
    tags("<|channel|>commentary<|message|>", "<|end|>"),
    tags(
        "<|start|>assistant<|channel|>commentary<|message|>",
        "<|end|>",
    ),
    tags("<|think|>", "<|end|>"),
    tags("Here is my thought process:", "Here is my response:"),
    tags("Here's my thought process:", "Here's my response:"),
];

/// A block of gpt-oss without its special tokens: `analysisWe need JSON.assistantfinal{"a":1}`. The word is a tag only
/// in small letters and if a sentence follows at once.
static DECODED: ThinkingTags = tags("analysis", "assistantfinal");

/// Whether `text` starts with a tag.
fn begins(text: &[u8], tag: &str) -> bool {
    let head = text.get(..tag.len());
    head.is_some_and(|head| head.eq_ignore_ascii_case(tag.as_bytes()))
}

/// Returns the tags of the block that `text` starts with.
pub(crate) fn opening(text: &[u8]) -> Option<&'static ThinkingTags> {
    let sentence = text.strip_prefix(DECODED.open.as_bytes());
    if sentence.is_some_and(|text| text.first().is_some_and(u8::is_ascii_uppercase)) {
        return Some(&DECODED);
    }
    BLOCKS.iter().find(|tags| begins(text, tags.open))
}

/// Whether `text` starts with the closing tag of a block.
pub(crate) fn closes(text: &[u8]) -> bool {
    BLOCKS.iter().any(|tags| begins(text, tags.close))
}

/// Returns whether `text` may be the start of an incomplete opening tag.
pub(crate) fn may_open(text: &[u8]) -> bool {
    DECODED.open.as_bytes().starts_with(text) || BLOCKS.iter().any(|tags| is_begun(tags.open, text))
}

/// Whether `text` is a tag or the beginning of one.
fn is_begun(tag: &str, text: &[u8]) -> bool {
    let head = tag.as_bytes().get(..text.len());
    head.is_some_and(|head| head.eq_ignore_ascii_case(text))
}

/// Returns where `tag` starts in `text`, unless it is quoted there, or an error with the place from which to search
/// again once more text is there.
fn find(tag: &str, text: &[u8], last: bool) -> Result<usize, usize> {
    let tag = tag.as_bytes();
    let first = tag.first().copied().unwrap_or_default();
    let (lower, upper) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
    for at in memchr2_iter(lower, upper, text) {
        let Some(found) = text.get(at..at + tag.len()) else {
            return Err(at.saturating_sub(1));
        };
        if found.eq_ignore_ascii_case(tag) {
            match is_quoted(text, at..at + tag.len()) {
                None if !last => return Err(at.saturating_sub(1)),
                Some(true) => {}
                _ => return Ok(at),
            }
        }
    }
    Err(text.len().saturating_sub(1))
}

/// The search for the tag that closes a block, in offsets of the content of the block.
#[derive(Debug)]
pub(crate) struct BlockEnd {
    tags: &'static ThinkingTags,
    /// The place from which to search on.
    at: usize,
    /// The first closing tag, if prose follows on its line: thoughts may name the tag.
    named: Option<Range<usize>>,
}

impl BlockEnd {
    pub(crate) const fn new(tags: &'static ThinkingTags) -> Self {
        Self {
            tags,
            at: 0,
            named: None,
        }
    }

    /// Returns where the closing tag is in `text`, the content of the block and what follows it: the first tag, but a
    /// later one that stands alone on its line if prose follows the first one. `None` if there is none so far.
    pub(crate) fn find(&mut self, text: &[u8], last: bool) -> Option<Range<usize>> {
        loop {
            match find(self.tags.close, text.get(self.at..)?, last) {
                Ok(found) => {
                    let tag = self.at + found..self.at + found + self.tags.close.len();
                    let Some(after) = AfterTag::of(text.get(tag.end..)?, last) else {
                        self.at = tag.start;
                        return None;
                    };
                    match self.named.as_ref() {
                        None if after == AfterTag::Prose => self.named = Some(tag.clone()),
                        None => return Some(tag),
                        Some(named)
                            if after == AfterTag::Nothing && stands_first(text, tag.start) =>
                        {
                            let between = text.get(named.end..tag.start)?;
                            let reopened = find(self.tags.open, between, true).is_ok();
                            return if reopened {
                                self.named.clone()
                            } else {
                                Some(tag)
                            };
                        }
                        Some(_) => {}
                    }
                    self.at = tag.end;
                }
                Err(read) => {
                    self.at += read;
                    return self.named.clone().filter(|_| last);
                }
            }
        }
    }
}

/// What follows a closing tag on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AfterTag {
    Nothing,
    /// A document, a fence or another tag.
    Answer,
    Prose,
}

impl AfterTag {
    /// Judges the text after a tag; `None` if that needs more text.
    fn of(text: &[u8], last: bool) -> Option<Self> {
        let line = first_line(text, COLOUR_LIMIT as u64, last);
        if line.is_none() && text.contains(&ESCAPE) {
            // A colour may not be complete yet.
            return None;
        }
        match clean(line.unwrap_or(text)).trim_ascii_start().first() {
            None => line.is_some().then_some(Self::Nothing),
            Some(b'{' | b'[' | b'`' | b'~' | b'<') => Some(Self::Answer),
            Some(_) => Some(Self::Prose),
        }
    }
}

/// Whether nothing stands before `at` on its line.
fn stands_first(text: &[u8], at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let line = memrchr(b'\n', before).map_or(0, |feed| feed + 1);
    clean(before.get(line..).unwrap_or_default())
        .trim_ascii()
        .is_empty()
}

/// Whether a tag is quoted: the same quotation mark stands before and after it. `None` if that needs more text.
fn is_quoted(text: &[u8], tag: Range<usize>) -> Option<bool> {
    let before = tag.start.checked_sub(1).and_then(|at| text.get(at));
    match before {
        Some(b'"' | b'\'' | b'`') => Some(text.get(tag.end)? == before?),
        _ => Some(false),
    }
}

/// How many bytes of a source are searched for the end of thinking.
pub const LOOKED_AT: u64 = 1 << 20;
/// The word in most tags that a prompt may open, and in the [line](DONE) of Ollama. To search for a word is faster than
/// to search for what tags begin with.
const WORD: &[u8] = b"think";
/// How many bytes of a tag or of the line of Ollama may be before its word.
const NEAR: usize = 10;
/// How many bytes before a tag are needed to recognise it, quoted or not.
const BEFORE: usize = DONE.len() + COLOUR_LIMIT;
/// The line that `ollama run` prints at the end of thinking.
const DONE: &str = "...done thinking.";

/// Whether more text may make `text` a [tag](tag_at), or show that one is quoted.
fn may_end(text: &[u8]) -> bool {
    let blocks = BLOCKS.iter().filter(|tags| tags.in_prompt);
    let mut tags = blocks.flat_map(|tags| [tags.open, tags.close]);
    DONE.len() > text.len() && is_begun(DONE, text) || tags.any(|tag| is_begun(tag, text))
}

/// Returns where tags may start in a text, in ascending order.
fn starts_of_tags(text: &[u8]) -> impl Iterator<Item = usize> {
    let of_word = memmem::find_iter(text, WORD).filter_map(|word| start_of_tag(text, word));
    let other = memchr_iter(b'<', text).filter(|at| is_other_tag(text.get(*at..)));
    let (mut of_word, mut other) = (of_word.peekable(), other.peekable());
    iter::from_fn(move || match (of_word.peek(), other.peek()) {
        (Some(one), Some(at)) if one > at => other.next(),
        (Some(_), _) => of_word.next(),
        (None, _) => other.next(),
    })
}

/// Returns where the tag with the [word](WORD) at `word` may start.
fn start_of_tag(text: &[u8], word: usize) -> Option<usize> {
    let (first, _) = DONE.split_once("think")?;
    let from = word.saturating_sub(NEAR);
    let before = text.get(from..word)?;
    if before.ends_with(first.as_bytes()) {
        return Some(word - first.len());
    }
    memrchr(b'<', before).map(|at| from + at)
}

/// Whether a text begins like a tag without the [word](WORD).
fn is_other_tag(text: Option<&[u8]>) -> bool {
    matches!(
        text,
        Some([_, b'/', b'r' | b'R', ..] | [_, b'r' | b'R', ..] | [_] | [_, b'/'])
    )
}

/// A tag of thinking that the prompt may have opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PromptTag {
    Opens,
    /// Closes it, and ends at this offset.
    Closes(usize),
}

/// Returns the tag at `at`, unless it is quoted there.
fn tag_at(text: &[u8], at: usize) -> Option<PromptTag> {
    let (before, rest) = text.split_at_checked(at)?;
    if rest.starts_with(DONE.as_bytes()) {
        let begins = before.ends_with(b"\n") || prefix::stands_apart(before);
        return begins.then_some(PromptTag::Closes(at + DONE.len()));
    }
    let mut blocks = BLOCKS.iter().filter(|tags| tags.in_prompt);
    let (end, tag) = blocks.find_map(|tags| match begins(rest, tags.close) {
        true => {
            let end = at + tags.close.len();
            Some((end, PromptTag::Closes(end)))
        }
        false => begins(rest, tags.open).then_some((at + tags.open.len(), PromptTag::Opens)),
    })?;
    let quoted = is_quoted(text, at..end) == Some(true);
    (!quoted).then_some(tag)
}

/// Returns where the answer starts in a text whose thinking the prompt has opened: after the tag that [`ThinkingEnd`]
/// finds.
pub(crate) fn answer(text: &[u8]) -> Option<usize> {
    let near = text.get(..LOOKED_AT as usize).unwrap_or(text);
    match starts_of_tags(near).find_map(|at| tag_at(text, at))? {
        PromptTag::Closes(end) => Some(end),
        PromptTag::Opens => None,
    }
}

/// The end of thinking that the prompt has opened: a closing tag without an opening one before it, as with the
/// templates of DeepSeek and Qwen, or `...done thinking.` at the start of a line. A tag inside a document does not
/// count.
#[derive(Debug)]
pub(crate) enum ThinkingEnd {
    /// Not found before this offset of the text, at which its tag may start.
    Wanted(u64),
    /// Found at this offset of the source, unless a document turns out to contain it.
    Found(u64),
    /// Found at this offset of the source, and the visitor was asked to take back what came before it; with whether
    /// something was found after it.
    Reported(u64, bool),
    /// There is none.
    None,
}

impl ThinkingEnd {
    /// Searches the available text for the end tag.
    pub(crate) fn look(&mut self, window: &Window, last: bool) {
        let Self::Wanted(from) = *self else {
            return;
        };
        // Lines that nobody needs are gone.
        let start = from.saturating_sub(BEFORE as u64).max(window.base());
        let text = window.slice(start, LOOKED_AT);
        cost::search(text.len());
        let is_all = last || window.end() >= LOOKED_AT;
        // Where a tag may start that is not complete yet.
        let mut next = text.len().saturating_sub(DONE.len());
        let is_new = |at: &usize| start + *at as u64 >= from;
        for at in starts_of_tags(text).filter(is_new) {
            next = next.max(at + 1);
            if !is_all && may_end(text.get(at..).unwrap_or_default()) {
                next = at;
                break;
            }
            if let Some(tag) = tag_at(text, at) {
                *self = match tag {
                    PromptTag::Closes(_) => Self::at(start + at as u64, window),
                    PromptTag::Opens => Self::None,
                };
                return;
            }
        }
        *self = match is_all {
            true => Self::None,
            false => Self::Wanted(start + next as u64),
        };
    }

    /// Returns the end at an offset of the text. `None` in a line that was joined from records, or after a line that
    /// others had to wait for: text before it may come after it in the source.
    fn at(at: u64, window: &Window) -> Self {
        let before = window.slice(window.base(), at);
        let line = memrchr(b'\n', before).map_or(0, |feed| feed as u64 + 1);
        let start = window.position(window.base() + line);
        let position = window.position(at);
        match position.line == start.line && window.is_in_order(at) {
            true => Self::Found(position.offset),
            false => Self::None,
        }
    }

    /// Returns whether the end was found, and is still to be, or was, reported to the visitor.
    pub(crate) const fn is_found(&self) -> bool {
        matches!(self, Self::Found(_) | Self::Reported(..))
    }

    /// Returns whether the visitor may still be asked to take something back.
    pub(crate) const fn is_pending(&self) -> bool {
        matches!(self, Self::Wanted(_) | Self::Found(_))
    }

    /// Reports to the visitor that thinking has ended, once.
    pub(crate) fn report_end(&mut self, visitor: &mut dyn Visitor) {
        if let Self::Found(at) = *self {
            *self = Self::Reported(at, false);
            visitor.thinking_ended();
        }
    }

    /// Returns the source offset of the end of thinking if nothing was found after it.
    pub(crate) const fn unfollowed(&self) -> Option<u64> {
        match *self {
            Self::Reported(at, false) => Some(at),
            _ => None,
        }
    }

    /// Takes note of a finding from `start` to `end` in the source. Returns whether it is thinking.
    fn meet(&mut self, start: u64, end: u64, visitor: &mut dyn Visitor) -> bool {
        match *self {
            Self::Found(at) if start >= at => self.report_end(visitor),
            Self::Found(at) if end > at => *self = Self::None,
            _ => {}
        }
        let Self::Reported(at, found) = self else {
            return false;
        };
        *found |= start > *at;
        start < *at
    }
}

/// A visitor that hands findings on and applies the end of thinking to them.
pub(crate) struct Reported<'a> {
    pub(crate) end: &'a mut ThinkingEnd,
    pub(crate) visitor: &'a mut dyn Visitor,
}

impl Visitor for Reported<'_> {
    fn document(&mut self, document: Document<'_>) {
        let origin = document.origin();
        let start = origin.position.offset;
        let rank = match self.end.meet(start, start + origin.length, self.visitor) {
            true => Rank::Weak,
            false => document.rank,
        };
        self.visitor.document(Document { rank, ..document });
    }

    fn fault(&mut self, fault: Fault) {
        let (start, end) = (fault.position.offset, fault.stop.offset);
        if !self.end.meet(start, end, self.visitor) {
            self.visitor.fault(fault);
        }
    }

    fn next(&mut self) -> Option<&mut dyn Visitor> {
        Some(self.visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::{BEFORE, BLOCKS, ThinkingTags, answer};
    use crate::document::{Document, Fault, Rank, Visitor};
    use crate::finder::{FindOptions, Finder};

    /// What counts after thinking.
    #[derive(Default)]
    struct Drafts {
        any: bool,
        faults: usize,
    }

    impl Visitor for Drafts {
        fn document(&mut self, _: Document<'_>) {
            self.any = true;
        }

        fn fault(&mut self, _: Fault) {
            self.faults += 1;
        }

        fn thinking_ended(&mut self) {
            *self = Self::default();
        }
    }

    fn read(text: &str) -> Vec<(Rank, String)> {
        let mut found = Vec::new();
        let mut visitor = |document: Document<'_>| {
            let text = String::from_utf8_lossy(document.text).into_owned();
            found.push((document.rank, text));
        };
        let mut finder = Finder::new(FindOptions::default());
        finder.push(text.as_bytes(), &mut visitor);
        finder.finish(&mut visitor);
        found
    }

    #[test]
    fn blocks_at_the_head_are_noise_in_either_case() {
        for tags in &BLOCKS {
            for (open, close) in [
                (tags.open.to_owned(), tags.close.to_owned()),
                (
                    tags.open.to_ascii_uppercase(),
                    tags.close.to_ascii_uppercase(),
                ),
            ] {
                let block = format!("{open}\nMaybe {{\"a\":1}}? <No.{close}\n");
                for answer in ["{\"b\":2}", "So {\"b\":2}."] {
                    let found = read(&format!("\n{block}{block}{answer}"));
                    let texts: Vec<_> = found.iter().map(|(_, text)| text.as_str()).collect();
                    assert_eq!(texts, ["{\"b\":2}"], "{open}");
                }
                let weak = (Rank::Weak, "{\"a\":1}".to_owned());
                assert_eq!(read(&format!("{block}No.")), [weak]);
            }
        }
    }

    #[test]
    fn a_draft_is_no_answer_where_a_broken_object_follows() {
        for answer in [
            "{name: \"Ada\"}",
            "{'name': 'Ada', 'n': None}",
            "{\"name:\"Ada\",\"age\":36}",
            "{\"name\": \"Ada\", \"age\": 3O}",
            "{ // of the user\n  \"name\": \"Ada\"\n}",
            "{\u{201c}name\u{201d}: \u{201c}Ada\u{201d}}",
            "{\"name\": \"Ada\"",
            "{\"na",
        ] {
            for thoughts in [
                "<think>Maybe {\"a\":1}?</think>",
                "Maybe {\"a\":1}?\n</think>",
            ] {
                for prefix in ["", "app | "] {
                    let text =
                        format!("{thoughts}\n{answer}\n").replace('\n', &format!("\n{prefix}"));
                    let text = format!("{prefix}{text}");
                    let mut drafts = Drafts::default();
                    Finder::read_text(FindOptions::default(), text.as_bytes(), &mut drafts);
                    assert_eq!((drafts.any, drafts.faults), (false, 1), "{text}");
                }
            }
        }
    }

    #[test]
    fn what_is_weak_without_thinking_is_no_draft() {
        let text = "a | see [\"x\",\na |   \"y\"]\nx = {'sect': 1}\n";
        let mut drafts = Drafts::default();
        Finder::read_text(FindOptions::default(), text.as_bytes(), &mut drafts);
        assert_eq!((drafts.any, drafts.faults), (true, 0));
    }

    #[test]
    fn a_block_that_is_not_closed_holds_drafts() {
        for tags in &BLOCKS {
            let found = read(&format!("{}{{\"a\":1}}\n{{\"b\":2}}", tags.open));
            let ranks = found.iter().map(|(rank, _)| *rank).collect::<Vec<_>>();
            assert_eq!(ranks, [Rank::Weak, Rank::Weak], "{}", tags.open);
            let mut drafts = Drafts::default();
            let text = format!("{}{{\"a\":1}}\n{{\"b\":", tags.open);
            Finder::read_text(FindOptions::default(), text.as_bytes(), &mut drafts);
            assert_eq!((drafts.any, drafts.faults), (false, 1), "{}", tags.open);
        }
    }

    #[test]
    fn a_word_is_a_tag_if_it_is_glued_to_a_sentence() {
        let count = |text: &str| read(text).len();
        assert_eq!(
            count("analysisWe need {\"a\":1}.assistantfinal{\"b\":2}"),
            1
        );
        for other in ["analysis We", "AnalysisWe", "analysis", "analysis: "] {
            let text = format!("{other} need {{\"a\":1}}.assistantfinal{{\"b\":2}}");
            assert_eq!(count(&text), 2, "{other}");
        }
    }

    #[test]
    fn thoughts_may_name_the_closing_tag() {
        let strong = |text: &str| {
            let found = read(text).into_iter();
            let strong = found.filter(|(rank, _)| *rank != Rank::Weak);
            strong.map(|(_, text)| text).collect::<Vec<_>>()
        };
        for tags in &BLOCKS {
            let ThinkingTags { open, close, .. } = tags;
            let named = format!("{open}\nI end with {close} then. Maybe {{\"a\":1}}?\n");
            assert_eq!(
                strong(&format!("{named}{close}\n{{\"b\":2}}")),
                ["{\"b\":2}"]
            );
            // No tag stands alone on its line, or it closes another block.
            let first = [r#"{"a":1}"#, r#"{"b":2}"#];
            assert_eq!(strong(&format!("{named}Hm.{close}\n{{\"b\":2}}")), first);
            assert_eq!(
                strong(&format!("{named}{open}\n{close}\n{{\"b\":2}}")),
                first
            );
        }
        for after in ["", "\r", "{}", "\t```json", "<answer>", "\x1b[0m"] {
            let text = format!("<think>Hm.</think>{after}\n{{\"a\":1}}\n</think>\n{{\"b\":2}}");
            assert!(strong(&text).contains(&r#"{"a":1}"#.to_owned()), "{after}");
        }
    }

    #[test]
    fn a_prefix_may_precede_the_line_that_ends_thinking() {
        for prefix in [
            "",
            "app: ",
            "kernel: - ",
            "stdout F ",
            "\u{2502}\t",
            "\x1b[2m",
        ] {
            let text = format!("Maybe {{\"a\":1}}?\n{prefix}...done thinking.");
            assert_eq!(answer(text.as_bytes()), Some(text.len()), "{prefix}");
        }
        for text in ["...done thinking.", "I am...done thinking."] {
            assert_eq!(answer(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_quoted_tag_ends_no_thinking_when_bytes_come_one_by_one() {
        let text = format!("Maybe {{\"a\":1}}:\n\"</think>\"{}", " x".repeat(BEFORE));
        let mut drafts = Drafts::default();
        let mut finder = Finder::new(FindOptions::default());
        for byte in text.as_bytes() {
            finder.push(&[*byte], &mut drafts);
        }
        finder.finish(&mut drafts);
        assert!(drafts.any);
    }

    #[test]
    fn the_answer_begins_after_the_tag() {
        for tag in ["</think>", "...done thinking."] {
            let text = format!("Maybe {{\"a\":1}}?\n{tag}\n\n{{\"b\":2}}");
            let after = answer(text.as_bytes()).map(|at| &text[at..]);
            assert_eq!(after, Some("\n\n{\"b\":2}"));
        }
        assert_eq!(answer(b"a <think> Hm. </think> b"), None);
    }
}
