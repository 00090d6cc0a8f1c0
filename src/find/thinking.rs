//! Thinking: what models say before they answer, and how it is told from the answer.
//!
//! A block that is opened and closed is passed by the [head](super::head). Of some only the end is marked, since the
//! prompt has opened it; the documents before such an [end](Ends) are known by then, and have to be
//! [taken back](crate::document::Visitor::thinking_ended).

use memchr::memchr_iter;

/// How a block begins and ends, in letters of either case.
#[derive(Debug)]
pub(crate) struct Marks {
    pub(crate) open: &'static str,
    pub(crate) close: &'static str,
}

const fn marks(open: &'static str, close: &'static str) -> Marks {
    Marks { open, close }
}

/// The blocks that are known: tags of models and of prompts, and the marks of Mistral's Magistral, of Moonshot's Kimi and
/// of gpt-oss.
static BLOCKS: [Marks; 9] = [
    marks("<think>", "</think>"),
    marks("<thinking>", "</thinking>"),
    marks("<reasoning>", "</reasoning>"),
    marks("<thought>", "</thought>"),
    marks("<scratchpad>", "</scratchpad>"),
    marks("[THINK]", "[/THINK]"),
    marks("◁think▷", "◁/think▷"),
    marks("<|channel|>analysis<|message|>", "<|end|>"),
    marks(
        "<|start|>assistant<|channel|>analysis<|message|>",
        "<|end|>",
    ),
];

/// The marks of the block that a text begins with.
pub(crate) fn opening(text: &[u8]) -> Option<&'static Marks> {
    let opens = |marks: &&Marks| {
        let head = text.get(..marks.open.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(marks.open.as_bytes()))
    };
    BLOCKS.iter().find(opens)
}

/// Whether a text may be the beginning of an opening mark.
pub(crate) fn may_open(text: &[u8]) -> bool {
    BLOCKS.iter().any(|marks| {
        let head = marks.open.as_bytes().get(..text.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(text))
    })
}

impl Marks {
    /// Where the closing mark stands in a text.
    pub(crate) fn closing(&self, text: &[u8]) -> Option<usize> {
        let close = self.close.as_bytes();
        // It begins with no letter, and has no other byte like its first one.
        memchr_iter(*close.first()?, text).find(|&at| {
            let found = text.get(at..at + close.len());
            found.is_some_and(|found| found.eq_ignore_ascii_case(close))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::BLOCKS;
    use crate::document::{Document, Rank};
    use crate::find::{Finder, Options};

    fn read(text: &str) -> Vec<(Rank, String)> {
        let mut found = Vec::new();
        let mut visitor = |document: Document<'_>| {
            let text = String::from_utf8_lossy(document.text).into_owned();
            found.push((document.rank, text));
        };
        let mut finder = Finder::new(Options::default());
        finder.push(text.as_bytes(), &mut visitor);
        finder.finish(&mut visitor);
        found
    }

    #[test]
    fn blocks_at_the_head_are_noise_in_either_case() {
        for marks in &BLOCKS {
            for (open, close) in [
                (marks.open.to_owned(), marks.close.to_owned()),
                (
                    marks.open.to_ascii_uppercase(),
                    marks.close.to_ascii_uppercase(),
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
    fn a_block_that_is_not_closed_is_text() {
        for marks in &BLOCKS {
            let found = read(&format!("{}{{\"a\":1}}\n{{\"b\":2}}", marks.open));
            assert_eq!(found.len(), 2, "{}", marks.open);
        }
    }
}
