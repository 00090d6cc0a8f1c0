//! The assistant's text, with nothing repeated.
//!
//! Agents stream text in deltas, repeat it as a whole message, and sometimes take it back. A [`Transcript`] joins the
//! messages of one thread; a [`Run`] is the open run of deltas that a whole message may repeat.

use std::ops::Range;

use crate::fact::{Form, Message};
use jsift_json::joined::Joined;
use jsift_json::text::Text;

/// How much of an open run is kept, in bytes, to compare a whole message with. Of the rest only the length is kept.
const COMPARED: usize = 256 << 10;

/// Consecutive deltas of one message that is still open.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// Whether there are any deltas.
    open: bool,
    id: Option<Text<'static>>,
    /// The beginning of the deltas' text.
    text: Joined,
    /// The length of the text that is not kept, in bytes.
    beyond: usize,
}

/// The open run, as a message is compared with it.
struct ComparedRun<'t> {
    id: Option<&'t Text<'t>>,
    text: Text<'t>,
    /// The length of the rest, if `text` is only the beginning, in bytes.
    beyond: usize,
}

impl ComparedRun<'_> {
    fn length(&self) -> usize {
        self.text.len() + self.beyond
    }
}

/// Which part of a message is new.
#[derive(Debug, PartialEq, Eq)]
pub enum Novelty {
    /// All of it, and it is a separate message.
    Message,
    /// All of it, and it continues the open run.
    Continuation,
    /// The part from this byte on; the open run has the rest. The run is closed.
    From(usize),
}

impl Novelty {
    /// Returns which part of a message is new, given the open run, if there is one.
    fn of(message: &Message<'_>, open: Option<ComparedRun<'_>>) -> Self {
        let own = |open: &ComparedRun<'_>| {
            open.id.is_none() || message.id.is_none() || open.id == message.id.as_ref()
        };
        let repeats = |open: &ComparedRun<'_>| {
            message.text.len() >= open.length() && message.text.starts_with(&open.text)
        };
        match (message.form, open.filter(own)) {
            (Form::Delta, Some(_)) => Self::Continuation,
            (Form::Whole, Some(open)) if repeats(&open) => Self::From(open.length()),
            _ => Self::Message,
        }
    }
}

impl Run {
    /// Adds a message and returns which part of it is new. An open run that the message does not belong to is dropped.
    pub fn take(&mut self, message: &Message<'_>) -> Novelty {
        let open = self.open.then(|| ComparedRun {
            id: self.id.as_ref(),
            text: self.text.text(),
            beyond: self.beyond,
        });
        let novelty = Novelty::of(message, open);
        match message.form {
            Form::Delta => {
                if novelty != Novelty::Continuation {
                    self.close();
                    self.open = true;
                    self.id = message.id.clone().map(Text::into_owned);
                }
                self.add(message);
            }
            Form::Whole => self.close(),
        }
        novelty
    }

    /// Closes the run.
    pub fn close(&mut self) {
        if self.open {
            self.open = false;
            self.id = None;
            self.text.clear();
            self.beyond = 0;
        }
    }

    fn add(&mut self, message: &Message<'_>) {
        if self.text.len() < COMPARED {
            self.text.push(&message.text);
        } else {
            self.beyond += message.text.len();
        }
    }
}

/// An open run whose text is the end of a transcript.
#[derive(Debug)]
struct OpenRun {
    id: Option<Text<'static>>,
    /// The length of the text before the run.
    before: usize,
    /// The last message before the run.
    last: Range<usize>,
}

/// The messages of the main thread.
#[derive(Debug, Default)]
pub struct Transcript {
    text: Joined,
    /// The open run of deltas, if the last message is one.
    open: Option<OpenRun>,
    messages: u64,
    /// Where the messages since the last call or turn begin in `text`: with the separator before them, and without it.
    recent: Option<(usize, usize)>,
    /// The last message that is not empty.
    last: Range<usize>,
    /// Whether only the text is kept that a response can consist of.
    brief: bool,
}

impl Transcript {
    /// Returns an empty transcript that keeps only what the response needs.
    pub fn of_response() -> Self {
        Self {
            brief: true,
            ..Self::default()
        }
    }

    /// Adds a message or a piece of one.
    pub fn push(&mut self, message: &Message<'_>) {
        if message.text.is_empty() {
            if message.form == Form::Whole {
                self.open = None;
            }
            return;
        }
        if self.lacks_beginning_of(message) {
            self.break_off();
        }
        let run = self.text.slice(self.last.clone());
        let open = self.open.as_ref().map(|open| ComparedRun {
            id: open.id.as_ref(),
            text: run,
            beyond: 0,
        });
        let novelty = Novelty::of(message, open);
        if message.form == Form::Whole {
            self.open = None;
        } else if novelty == Novelty::Message {
            self.open = Some(OpenRun {
                id: message.id.clone().map(Text::into_owned),
                before: self.text.len(),
                last: self.last.clone(),
            });
        }
        match novelty {
            Novelty::Message => {
                self.begin_message();
                self.text.push(&message.text);
            }
            Novelty::Continuation => self.text.push(&message.text),
            Novelty::From(start) => self.text.push(&message.text.since(start)),
        }
        self.last.end = self.text.len();
    }

    /// Returns whether the open run is the end of a whole message: its first deltas were lost because the stream's
    /// beginning is missing.
    fn lacks_beginning_of(&self, message: &Message<'_>) -> bool {
        let own = |open: &OpenRun| open.id.is_some() && open.id == message.id;
        let ends = || {
            let run = self.text.slice(self.last.clone());
            run.len() < message.text.len() && message.text.as_bytes().ends_with(run.as_bytes())
        };
        message.form == Form::Whole && self.open.as_ref().is_some_and(own) && ends()
    }

    fn begin_message(&mut self) {
        let before = self.text.len();
        if before > 0 && !self.text.ends_in_newline() {
            self.text.push(&Text::from("\n"));
        }
        let start = self.text.len();
        self.recent.get_or_insert((before, start));
        self.last = start..start;
        self.messages += 1;
    }

    /// Begins a new response, after a call or at a new turn.
    pub fn part(&mut self) {
        self.open = None;
        self.recent = None;
        if self.brief {
            self.text.keep(self.last.clone());
            self.last = 0..self.text.len();
        }
    }

    /// Drops the messages since the last call or turn.
    pub fn take_back(&mut self) {
        self.open = None;
        if let Some((before, _)) = self.recent.take() {
            self.text.truncate(before);
            self.last = 0..0;
        }
    }

    /// Drops the message whose deltas are open.
    pub fn break_off(&mut self) {
        let Some(open) = self.open.take() else {
            return;
        };
        self.text.truncate(open.before);
        self.last = open.last;
        self.messages -= 1;
        self.recent.take_if(|(before, _)| *before == open.before);
    }

    /// Returns all messages, if they were kept.
    #[must_use]
    pub fn text(&self) -> Option<Text<'_>> {
        (!self.brief).then(|| self.text.text())
    }

    /// Returns the number of messages.
    #[must_use]
    pub const fn messages(&self) -> u64 {
        self.messages
    }

    /// Returns the last message that is not empty.
    #[must_use]
    pub fn last(&self) -> Text<'_> {
        self.text.slice(self.last.clone())
    }

    /// Returns whether nothing was said after the last call or in the last turn.
    #[must_use]
    pub const fn is_behind_call(&self) -> bool {
        self.recent.is_none()
    }

    /// Returns the messages after the last call of the last turn; if there are none, the last message.
    #[must_use]
    pub fn response(&self) -> Text<'_> {
        match self.recent {
            Some((_, start)) => self.text.slice(start..self.text.len()),
            None => self.last(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Novelty, Run, Transcript};
    use crate::fact::{Form, Message};
    use jsift_json::text::Text;

    fn say(transcript: &mut Transcript, id: Option<&'static str>, form: Form, text: &'static str) {
        transcript.push(&Message {
            id: id.map(Text::from),
            text: Text::decode(text.as_bytes()),
            form,
        });
    }

    #[test]
    fn a_whole_message_replaces_its_deltas_and_a_line_feed_parts_messages() {
        let mut t = Transcript::default();
        say(&mut t, None, Form::Delta, "Hel");
        say(&mut t, None, Form::Delta, "lo");
        say(&mut t, None, Form::Whole, "Hello.");
        say(&mut t, None, Form::Whole, "Next\\n");
        say(&mut t, None, Form::Whole, "Last");
        assert_eq!(t.text().unwrap(), "Hello.\nNext\nLast");
        assert_eq!(t.messages(), 3);
    }

    #[test]
    fn of_a_long_run_the_beginning_is_kept_to_compare() {
        let message = |form, text: &str| Message {
            id: None,
            form,
            text: Text::from(text.to_owned()),
        };
        let part = "0123456789abcdef".repeat(super::COMPARED / 64);
        let mut run = Run::default();
        for _ in 0..40 {
            let _ = run.take(&message(Form::Delta, &part));
        }
        assert!(run.text.len() < 2 * super::COMPARED);
        let whole = part.repeat(40) + "and more";
        let novelty = run.take(&message(Form::Whole, &whole));
        assert_eq!(novelty, Novelty::From(40 * part.len()));
    }

    #[test]
    fn a_message_with_another_id_or_text_repeats_nothing() {
        let mut t = Transcript::default();
        say(&mut t, Some("1"), Form::Delta, "same");
        say(&mut t, Some("2"), Form::Whole, "same");
        say(&mut t, None, Form::Delta, "a");
        say(&mut t, None, Form::Whole, "b");
        assert_eq!(t.text().unwrap(), "same\nsame\na\nb");
    }

    #[test]
    fn the_response_is_what_stands_behind_the_last_call() {
        let mut t = Transcript::default();
        say(&mut t, None, Form::Whole, "I will look.");
        t.part();
        assert_eq!(t.response(), "I will look.");
        say(&mut t, None, Form::Whole, "One.");
        say(&mut t, None, Form::Whole, "Two.");
        assert_eq!(t.response(), "One.\nTwo.");
    }

    #[test]
    fn a_response_is_the_same_if_nothing_else_is_kept() {
        // Every row of six steps out of six.
        for mut steps in 0..6u32.pow(6) {
            let mut transcripts = [Transcript::default(), Transcript::of_response()];
            for _ in 0..6 {
                for t in &mut transcripts {
                    match steps % 6 {
                        0 => t.part(),
                        1 => t.take_back(),
                        2 => t.break_off(),
                        3 => say(t, None, Form::Delta, "a"),
                        4 => say(t, None, Form::Whole, "aa\\n"),
                        _ => say(t, None, Form::Whole, "b"),
                    }
                }
                steps /= 6;
                let [all, brief] = &transcripts;
                assert_eq!(all.response(), brief.response());
                assert_eq!(all.messages(), brief.messages());
            }
        }
    }

    #[test]
    fn what_is_taken_back_leaves_no_trace() {
        let mut t = Transcript::default();
        say(&mut t, None, Form::Whole, "kept");
        t.part();
        say(&mut t, None, Form::Delta, "half an ans");
        t.take_back();
        say(&mut t, None, Form::Whole, "an answer");
        assert_eq!(t.text().unwrap(), "kept\nan answer");
        assert_eq!(t.response(), "an answer");
    }

    #[test]
    fn of_a_message_that_breaks_off_nothing_is_left() {
        let mut t = Transcript::default();
        t.break_off();
        say(&mut t, None, Form::Whole, "kept");
        say(&mut t, Some("1"), Form::Delta, "half an ");
        say(&mut t, Some("1"), Form::Delta, "ans");
        t.break_off();
        assert_eq!((t.response(), t.messages()), ("kept".into(), 1));
        say(&mut t, Some("1"), Form::Delta, "an answer");
        say(&mut t, Some("1"), Form::Whole, "an answer");
        t.break_off();
        assert_eq!(t.text().unwrap(), "kept\nan answer");
        t.part();
        say(&mut t, None, Form::Delta, "cut");
        t.break_off();
        assert_eq!(t.response(), "an answer");
    }

    #[test]
    fn a_whole_message_replaces_deltas_of_which_the_first_were_lost() {
        let mut t = Transcript::default();
        say(&mut t, Some("1"), Form::Delta, "is ");
        say(&mut t, Some("1"), Form::Delta, "42.");
        say(&mut t, Some("1"), Form::Whole, "The answer is 42.");
        assert_eq!(t.text().unwrap(), "The answer is 42.");
        assert_eq!(
            (t.response(), t.messages()),
            ("The answer is 42.".into(), 1)
        );
    }

    #[test]
    fn a_surrogate_pair_split_over_deltas_is_joined() {
        let mut t = Transcript::default();
        say(&mut t, None, Form::Delta, "\\ud83d");
        say(&mut t, None, Form::Delta, "\\ude00");
        assert_eq!(t.text().unwrap(), "😀");
    }
}
