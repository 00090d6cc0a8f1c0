//! Finds the new part of what is said: agents stream a text in pieces, repeat it as far as it goes, and repeat all of
//! it.

use crate::dialect::prelude::*;
use crate::dialect::usual::Words;
use crate::session::COMPARED;
use crate::session::recent::push_latest;

/// How much of its message a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextExtent {
    /// A piece, which continues the text before it.
    Piece,
    /// All of the text so far: the text before it, and more.
    Snapshot,
    /// All of the text so far if it begins with that, else a piece.
    Growth,
    /// The whole text.
    Whole,
}

impl From<Form> for TextExtent {
    fn from(form: Form) -> Self {
        match form {
            Form::Delta => Self::Piece,
            Form::Block | Form::Whole => Self::Whole,
        }
    }
}

/// How many messages may be open at a time.
const OPEN_MESSAGES: usize = 16;

/// A message that goes on.
#[derive(Debug, Default)]
struct OpenMessage {
    /// The id, if its texts state one.
    id: Option<Text<'static>>,
    /// The start of its text.
    start: Vec<u8>,
    /// The length of its text; 0 if no message is open.
    length: usize,
    /// Whether it goes on only with texts of its id, since something was done after it.
    parted: bool,
}

impl OpenMessage {
    /// Whether a text contains the message as far as it goes.
    fn is_repeated_by(&self, text: &Text<'_>) -> bool {
        text.len() >= self.length && text.as_bytes().starts_with(&self.start)
    }

    fn add(&mut self, more: &[u8]) {
        if self.start.len() < COMPARED {
            self.start.extend_from_slice(more);
        }
        self.length += more.len();
    }
}

/// The last texts.
#[derive(Debug, Default)]
pub(super) struct LastSaid {
    open: OpenMessage,
    /// Messages that stay open while another one goes on.
    others: Vec<OpenMessage>,
    /// The last whole message.
    last: Vec<u8>,
    /// The last text of the user.
    asked: Vec<u8>,
    /// The id of the message that the last text belongs to, if the text is called an answer.
    pub(super) answer: Option<Text<'static>>,
    /// Whether something was said after what was done last.
    follows: bool,
}

impl LastSaid {
    /// Returns the new part of a text of the agent; `words` are the words in the type of its record, `id` is the id of
    /// the message that it belongs to.
    pub(super) fn message<'a>(
        &mut self,
        text: Text<'a>,
        extent: TextExtent,
        words: Words,
        id: Option<Text<'a>>,
    ) -> Option<Message<'a>> {
        self.follows |= !text.is_blank();
        if let Some(id) = &id {
            if self.open.id.as_ref() != Some(id) {
                self.turn_to(id);
            }
            self.open.id = Some(id.clone().into_owned());
        } else if self.open.parted {
            self.end_message();
        }
        let new = |text, form| Some(Message::new(id, text, form));
        let extent = match extent {
            TextExtent::Growth if self.open.length > 0 && self.open.is_repeated_by(&text) => {
                TextExtent::Snapshot
            }
            TextExtent::Growth => TextExtent::Piece,
            extent => extent,
        };
        match extent {
            TextExtent::Piece | TextExtent::Growth => {
                self.open.add(text.as_bytes());
                new(text, Form::Delta)
            }
            TextExtent::Snapshot => {
                if !self.open.is_repeated_by(&text) && !self.open.start.starts_with(text.as_bytes())
                {
                    self.end_message();
                }
                let before = self.open.length;
                let more = (text.len() > before).then(|| text.since(before).into_owned())?;
                self.open.add(more.as_bytes());
                new(more, Form::Delta)
            }
            // Of a message that goes on after a call, the first part is known.
            TextExtent::Whole if self.open.parted && self.open.is_repeated_by(&text) => {
                let more = text.since(self.open.length).into_owned();
                self.open.add(more.as_bytes());
                self.end_message();
                (!more.is_empty()).then(|| new(more, Form::Block))?
            }
            TextExtent::Whole => {
                // Ends of turns repeat the texts of the turn.
                let may_repeat = words.has(Words::END.with(Words::START)) || self.open.length == 0;
                if may_repeat && text.as_bytes() == self.last {
                    return None;
                }
                self.end_message();
                self.last.clear();
                self.last.extend_from_slice(text.as_bytes());
                new(text, Form::Block)
            }
        }
    }

    /// Whether the user's text differs from the last one; if so, what is said next answers it and repeats nothing.
    pub(super) fn is_new_from_user(&mut self, text: &Text<'_>) -> bool {
        let is_new = text.as_bytes() != self.asked;
        if is_new {
            self.asked = text.as_bytes().to_vec();
            self.last.clear();
        }
        is_new
    }

    /// Whether a text is the open message.
    pub(super) fn is_all(&self, text: &Text<'_>) -> bool {
        self.open.length == text.len() && self.open.is_repeated_by(text)
    }

    /// Whether an answer says something else than the last message: not a part of it, and nothing next to it.
    pub(super) fn lacks(&self, answer: &Text<'_>) -> bool {
        let message = match self.open.length {
            0 => &self.last,
            _ => &self.open.start,
        };
        let (message, answer) = (message.trim_ascii(), answer.as_bytes().trim_ascii());
        let holds = |text, part| memchr::memmem::find(text, part).is_some();
        !holds(answer, message) && !holds(message, answer)
    }

    /// Whether nothing was said after what was done last.
    pub(super) const fn is_pending(&self) -> bool {
        !self.follows
    }

    /// Returns what an answer adds to the open message, if that is its beginning.
    pub(super) fn rest_of<'a>(&self, answer: &Text<'a>) -> Option<Text<'a>> {
        let goes_on = self.open.length > 0 && !self.open.parted && self.open.is_repeated_by(answer);
        let rest = goes_on.then(|| answer.since(self.open.length))?;
        (!rest.is_empty()).then(|| rest.into_owned())
    }

    /// Notes that something else is said or done: only a text with its id belongs to the open message.
    pub(super) fn interrupt(&mut self) {
        self.follows = false;
        match self.open.id {
            Some(_) => self.open.parted = true,
            None => _ = self.end_message(),
        }
    }

    /// Closes all open messages: what is said next is another message.
    pub(super) fn close(&mut self) {
        self.end_message();
        self.others.clear();
    }

    /// Goes on with the message of another id; the one before it may still go on.
    fn turn_to(&mut self, id: &Text<'_>) {
        let is_it = |other: &OpenMessage| other.id.as_ref() == Some(id);
        let at = self.others.iter().position(is_it);
        let other = at.map(|at| self.others.remove(at));
        if self.open.id.is_none() && !self.open.parted && other.is_none() {
            return;
        }
        let before = self.end_message();
        if before.length > 0 && before.id.is_some() {
            push_latest(&mut self.others, before, OPEN_MESSAGES);
        }
        self.open = other.unwrap_or_default();
    }

    /// Closes the open message, and returns it.
    fn end_message(&mut self) -> OpenMessage {
        if self.open.length > 0 {
            self.last.clone_from(&self.open.start);
        }
        std::mem::take(&mut self.open)
    }
}

#[cfg(test)]
mod tests {
    use super::{LastSaid, TextExtent};
    use crate::dialect::usual::Words;
    use jsift_json::text::Text;

    fn text(text: &str) -> Text<'static> {
        let value = format!("{text:?}");
        let value = jsift_json::view::Value::new(value.as_bytes());
        value.text().unwrap().into_owned()
    }

    #[test]
    fn what_is_said_again_is_not_new() {
        use TextExtent::{Piece, Snapshot, Whole};
        let mut said = LastSaid::default();
        for (kind, extent, reported, new) in [
            ("delta", Piece, "Do", Some("Do")),
            ("update", Snapshot, "Do", None),
            ("update", Snapshot, "Done", Some("ne")),
            ("update", Snapshot, "Dine.", Some("Dine.")),
            ("message_end", Whole, "Done.", Some("Done.")),
            ("turn_end", Whole, "Done.", None),
            ("message", Whole, "Done.", None),
            ("update", Snapshot, "Mo", Some("Mo")),
            ("message", Whole, "More.", Some("More.")),
            // This time it came in pieces.
            ("delta", Piece, "More.", Some("More.")),
            ("message", Whole, "More.", Some("More.")),
        ] {
            let message = said.message(text(reported), extent, Words::of(kind.as_bytes()), None);
            let message = message.map(|message| message.text.to_string_lossy().into_owned());
            assert_eq!(message.as_deref(), new, "{kind} {reported}");
        }
        assert!(said.is_new_from_user(&text("Why?")));
        assert!(!said.is_new_from_user(&text("Why?")));
        let again = said.message(text("More."), Whole, Words::default(), None);
        assert!(again.is_some(), "as an answer to something else");
        assert!(!said.is_new_from_user(&text("Why?")));
        let again = said.message(text("More."), Whole, Words::default(), None);
        assert!(again.is_none(), "nothing else was asked");
    }
}
