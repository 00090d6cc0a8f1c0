//! What is new of what is said: agents stream a text in pieces, repeat it as far as it goes, and repeat it as a whole.

use crate::dialect::usual::Words;
use crate::fact::{Form, Message};
use crate::json::text::Text;

/// How much of an open message is kept to compare what repeats it with, in bytes; of the rest only its length is.
const COMPARED: usize = 256 << 10;

/// What a text is of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextExtent {
    /// A piece, which continues what was said.
    Piece,
    /// All of it so far: what was said before, and more.
    Snapshot,
    /// All of it.
    Whole,
}

/// What was said last.
#[derive(Debug, Default)]
pub(super) struct LastSaid {
    /// The beginning of the open message.
    open: Vec<u8>,
    /// The length of all of it.
    length: usize,
    /// The last whole message.
    last: Vec<u8>,
    /// What the user said last.
    asked: Vec<u8>,
}

impl LastSaid {
    /// What is new of a text of the agent's; `words` says what its record is about.
    pub(super) fn message<'a>(
        &mut self,
        text: Text<'a>,
        extent: TextExtent,
        words: Words,
    ) -> Option<Message<'a>> {
        let message = |text, form| Message {
            id: None,
            text,
            form,
        };
        match extent {
            TextExtent::Piece => {
                self.add(text.as_bytes());
                Some(message(text, Form::Delta))
            }
            TextExtent::Snapshot => {
                let before = self.length;
                let goes_on = text.len() > before && text.as_bytes().starts_with(&self.open);
                let more = goes_on.then(|| text.since(before).into_owned())?;
                self.add(more.as_bytes());
                Some(message(more, Form::Delta))
            }
            TextExtent::Whole => {
                // Ends of turns repeat what was said in them.
                let may_repeat = words.has(Words::END.with(Words::START)) || self.length == 0;
                if may_repeat && !self.last.is_empty() && text.as_bytes() == self.last {
                    return None;
                }
                self.close();
                self.last.clear();
                self.last.extend_from_slice(text.as_bytes());
                Some(message(text, Form::Whole))
            }
        }
    }

    /// Whether the user did not just say so.
    pub(super) fn is_new_from_user(&mut self, text: &Text<'_>) -> bool {
        let is_new = text.as_bytes() != self.asked;
        if is_new {
            self.asked = text.as_bytes().to_vec();
        }
        is_new
    }

    /// Something else was done: what is said next is another message.
    pub(super) fn close(&mut self) {
        self.open.clear();
        self.length = 0;
    }

    fn add(&mut self, more: &[u8]) {
        if self.open.len() < COMPARED {
            self.open.extend_from_slice(more);
        }
        self.length += more.len();
    }
}
