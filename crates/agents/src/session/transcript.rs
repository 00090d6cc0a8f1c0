//! The messages of the main thread, in order, with what a response consists of.

use std::collections::VecDeque;

use super::speech::{Novelty, Said};
use crate::fact::{Channel, Message};
use crate::hashes::TextHash;
use jsift_json::joined::Joined;
use jsift_json::text::Text;

/// A message of the main thread.
#[derive(Debug)]
struct KeptMessage {
    number: u64,
    /// The hash of the id that its blocks share; 0 if it has none.
    id: u64,
    channel: Channel,
    text: Joined,
}

/// The messages of the main thread.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    /// The messages by their numbers, which ascend.
    kept: VecDeque<KeptMessage>,
    pub(super) messages: u64,
    /// The number of the first message since the last call or turn.
    recent: Option<u64>,
    /// The number of the first message of the turn, if it has any.
    turn: Option<u64>,
    /// The number of the last message.
    last: Option<u64>,
    /// Whether only the messages are kept that a response can consist of.
    brief: bool,
}

impl Transcript {
    /// Returns an empty transcript that keeps only what the response needs.
    pub(crate) fn of_response() -> Self {
        Self {
            brief: true,
            ..Self::default()
        }
    }

    /// Adds what is new in a message or a piece of one.
    pub(crate) fn push(&mut self, message: &Message<'_>, said: Said) {
        match said.novelty {
            Novelty::Message => {
                self.recent.get_or_insert(said.message);
                self.turn.get_or_insert(said.message);
                self.last = Some(said.message);
                self.messages += 1;
                let mut text = Joined::default();
                text.push(&message.text);
                let id = message.id.as_ref();
                self.kept.push_back(KeptMessage {
                    number: said.message,
                    id: id.map_or(0, |id| TextHash::of(id.as_bytes()).half()),
                    channel: message.channel,
                    text,
                });
            }
            Novelty::Nothing => said.repeated_by.into_iter().for_each(|it| self.drop(it)),
            Novelty::Continuation | Novelty::From(_) | Novelty::Instead => {
                let place = self.place(said.message);
                let Some(kept) = place.and_then(|place| self.kept.get_mut(place)) else {
                    return;
                };
                kept.channel = message.channel;
                match said.novelty {
                    Novelty::From(start) => kept.text.push(&message.text.since(start)),
                    Novelty::Instead => {
                        kept.text.clear();
                        kept.text.push(&message.text);
                    }
                    _ => kept.text.push(&message.text),
                }
            }
        }
    }

    fn place(&self, number: u64) -> Option<usize> {
        let last = self.kept.len().checked_sub(1)?;
        if self.kept.get(last)?.number == number {
            return Some(last);
        }
        let found = self.kept.binary_search_by_key(&number, |it| it.number);
        found.ok()
    }

    /// Returns the text of a message, empty if it is not kept.
    pub(crate) fn text_of(&self, number: u64) -> Text<'_> {
        let kept = self.place(number).and_then(|place| self.kept.get(place));
        kept.map_or(Text::EMPTY, |kept| kept.text.text())
    }

    /// Begins a new response, after a call.
    pub(crate) fn begin_response(&mut self) {
        self.recent = None;
        // No more than two messages are needed.
        if self.brief && self.kept.len() > 2 {
            let (last, answer) = (self.last, self.last_answer());
            let is_needed = |kept: &KeptMessage| [last, answer].contains(&Some(kept.number));
            self.kept.retain(is_needed);
        }
    }

    /// Begins a new turn.
    pub(crate) fn begin_turn(&mut self) {
        self.turn = None;
        self.begin_response();
    }

    /// Returns the number of the turn's last message on the answer's channel.
    fn last_answer(&self) -> Option<u64> {
        let turn = self.turn?;
        let latest = self.kept.iter().rev();
        let of_turn = latest.take_while(|kept| kept.number >= turn);
        let mut answers = of_turn.filter(|kept| kept.channel == Channel::Answer);
        answers.next().map(|kept| kept.number)
    }

    /// Drops the messages since the last call or turn.
    pub(crate) fn take_back(&mut self) {
        if let Some(recent) = self.recent.take() {
            self.kept.retain(|kept| kept.number < recent);
            self.last = None;
        }
    }

    /// Drops the last message.
    pub(crate) fn drop_last(&mut self) {
        self.last.into_iter().for_each(|last| self.drop(last));
    }

    /// Drops a message.
    pub(crate) fn drop(&mut self, number: u64) {
        let Some(place) = self.place(number) else {
            return;
        };
        self.kept.remove(place);
        self.messages -= 1;
        self.recent.take_if(|recent| *recent == number);
        if self.last == Some(number) {
            self.last = self.kept.back().map(|kept| kept.number);
        }
    }

    /// Makes one message of the last blocks of a message if its end shows that nothing belongs between them: the end
    /// states all of them in a row, or only the first ones, as Claude Code does where the API splits a text. Messages
    /// without ids are such blocks if the end's text ends with all of them in a row.
    pub(crate) fn glue(&mut self, whole: &Text<'_>) {
        let recent = self.recent.unwrap_or(u64::MAX);
        let Some(id) = self.kept.back().map(|kept| kept.id) else {
            return;
        };
        let latest = self.kept.iter().rev();
        let is_block = |kept: &&KeptMessage| kept.id == id && kept.number >= recent;
        let blocks = latest.take_while(is_block).count();
        let first = self.kept.len() - blocks;
        if blocks < 2 {
            return;
        }
        let mut glued = Joined::default();
        let mut is_shown = false;
        for kept in self.kept.range(first..) {
            glued.push(&kept.text.text());
            is_shown |= id != 0 && glued.text() == *whole;
        }
        is_shown |= id == 0 && whole.as_bytes().ends_with(glued.text().as_bytes());
        if !is_shown {
            return;
        }
        self.kept.truncate(first + 1);
        self.messages -= blocks as u64 - 1;
        if let Some(kept) = self.kept.back_mut() {
            kept.text = glued;
            self.last = Some(kept.number);
        }
    }

    /// Returns all messages, if they were kept.
    pub(crate) fn text(&self) -> Option<Text<'_>> {
        (!self.brief).then(|| join(self.kept.iter()))
    }

    /// Returns the last message of the response.
    pub(crate) fn last(&self) -> Text<'_> {
        let number = self.last_answer().or(self.last);
        number.map_or(Text::EMPTY, |number| self.text_of(number))
    }

    /// Returns whether nothing was said after the last call or in the last turn.
    pub(crate) const fn is_after_call(&self) -> bool {
        self.recent.is_none()
    }

    /// Returns the messages after the last call of the last turn; if there are none, the last message. Comments count
    /// only if the turn has no other message.
    pub(crate) fn response(&self) -> Text<'_> {
        let Some(recent) = self.recent else {
            return self.last();
        };
        let all = || self.kept.iter().skip_while(|kept| kept.number < recent);
        let answers = || all().filter(|kept| kept.channel == Channel::Answer);
        match (answers().next(), self.last_answer()) {
            (Some(_), _) => join(answers()),
            (None, Some(_)) => self.last(),
            (None, None) => join(all()),
        }
    }
}

/// Returns messages, each on a line of its own.
fn join<'t>(mut messages: impl Iterator<Item = &'t KeptMessage> + Clone) -> Text<'t> {
    let all = messages.clone();
    let (Some(first), second) = (messages.next(), messages.next()) else {
        return Text::EMPTY;
    };
    if second.is_none() {
        return first.text.text();
    }
    let mut joined = Joined::default();
    joined.reserve(all.clone().map(|message| message.text.len() + 2).sum());
    for message in all {
        if !joined.is_empty() && !joined.ends_in_newline() {
            joined.push(&Text::from("\n"));
        }
        joined.push(&message.text.text());
    }
    joined.into_text()
}

#[cfg(test)]
mod tests {
    use super::Transcript;
    use crate::fact::{Channel, Form, Message};
    use crate::session::speech::{Speech, TextKind, Track};
    use jsift_json::text::Text;

    /// A transcript with the texts that it is made of.
    #[derive(Default)]
    struct Talk {
        speech: Speech,
        transcript: Transcript,
    }

    impl Talk {
        fn of_response() -> Self {
            Self {
                transcript: Transcript::of_response(),
                ..Self::default()
            }
        }

        fn push(&mut self, message: &Message<'_>) {
            let kept = Some(&self.transcript);
            let said = self.speech.add(
                Track {
                    kind: TextKind::Speech,
                    parent: None,
                },
                message,
                kept,
            );
            said.into_iter()
                .for_each(|said| self.transcript.push(message, said));
        }

        fn say(&mut self, id: Option<&'static str>, form: Form, text: &'static str) {
            let text = Text::decode(text.as_bytes());
            self.push(&Message::new(id.map(Text::from), text, form));
        }

        fn begin_response(&mut self) {
            self.speech.begin_response();
            self.transcript.begin_response();
        }

        fn take_back(&mut self) {
            let _ = self.speech.take_back();
            self.transcript.take_back();
        }

        fn break_off(&mut self) {
            let open = self.speech.break_off(None);
            open.into_iter().for_each(|open| self.transcript.drop(open));
        }

        fn all(&self) -> String {
            let all = self.transcript.text().unwrap();
            all.to_string_lossy().into_owned()
        }

        fn response(&self) -> Text<'_> {
            self.transcript.response()
        }

        fn messages(&self) -> u64 {
            self.transcript.messages
        }
    }

    #[test]
    fn a_whole_message_replaces_its_deltas_and_a_line_feed_parts_messages() {
        let mut t = Talk::default();
        t.say(None, Form::Delta, "Hel");
        t.say(None, Form::Delta, "lo");
        t.say(None, Form::Whole, "Hello.");
        t.say(None, Form::Whole, "Next\\n");
        t.say(None, Form::Whole, "Last");
        assert_eq!(t.all(), "Hello.\nNext\nLast");
        assert_eq!(t.messages(), 3);
    }

    #[test]
    fn a_message_with_another_id_or_text_repeats_nothing() {
        let mut t = Talk::default();
        t.say(Some("1"), Form::Delta, "same");
        t.say(Some("2"), Form::Whole, "same");
        t.say(None, Form::Delta, "a");
        t.say(None, Form::Whole, "b");
        assert_eq!(t.all(), "same\nsame\na\nb");
    }

    #[test]
    fn the_response_is_what_stands_after_the_last_call() {
        let mut t = Talk::default();
        t.say(None, Form::Whole, "I will look.");
        t.begin_response();
        assert_eq!(t.response(), "I will look.");
        t.say(None, Form::Whole, "One.");
        t.say(None, Form::Whole, "Two.");
        assert_eq!(t.response(), "One.\nTwo.");
    }

    #[test]
    fn a_response_is_the_same_if_nothing_else_is_kept() {
        // Every row of six steps out of six.
        for mut steps in 0..6u32.pow(6) {
            let mut talks = [Talk::default(), Talk::of_response()];
            for _ in 0..6 {
                for t in &mut talks {
                    match steps % 6 {
                        0 => t.begin_response(),
                        1 => t.take_back(),
                        2 => t.break_off(),
                        3 => t.say(None, Form::Delta, "a"),
                        4 => t.say(None, Form::Whole, "aa\\n"),
                        _ => t.say(None, Form::Whole, "b"),
                    }
                }
                steps /= 6;
                let [all, brief] = &talks;
                assert_eq!(all.response(), brief.response());
                assert_eq!(all.messages(), brief.messages());
            }
        }
    }

    #[test]
    fn what_is_taken_back_leaves_no_trace() {
        let mut t = Talk::default();
        t.say(None, Form::Whole, "kept");
        t.begin_response();
        t.say(None, Form::Delta, "half an ans");
        t.take_back();
        t.say(None, Form::Whole, "an answer");
        assert_eq!(t.all(), "kept\nan answer");
        assert_eq!(t.response(), "an answer");
    }

    #[test]
    fn of_a_message_that_breaks_off_nothing_is_left() {
        let mut t = Talk::default();
        t.break_off();
        t.say(None, Form::Whole, "kept");
        t.say(Some("1"), Form::Delta, "half an ");
        t.say(Some("1"), Form::Delta, "ans");
        t.break_off();
        assert_eq!((t.response(), t.messages()), ("kept".into(), 1));
        t.say(Some("1"), Form::Delta, "an answer");
        t.say(Some("1"), Form::Whole, "an answer");
        t.break_off();
        assert_eq!(t.all(), "kept\nan answer");
        t.begin_response();
        t.say(None, Form::Delta, "cut");
        t.break_off();
        assert_eq!(t.response(), "an answer");
    }

    #[test]
    fn a_whole_message_replaces_deltas_of_which_the_first_were_lost() {
        let mut t = Talk::default();
        t.say(Some("1"), Form::Delta, "is ");
        t.say(Some("1"), Form::Delta, "42.");
        t.say(Some("1"), Form::Whole, "The answer is 42.");
        assert_eq!(t.all(), "The answer is 42.");
        assert_eq!(
            (t.response(), t.messages()),
            ("The answer is 42.".into(), 1)
        );
    }

    #[test]
    fn a_surrogate_pair_split_over_deltas_is_joined() {
        let mut t = Talk::default();
        t.say(None, Form::Delta, "\\ud83d");
        t.say(None, Form::Delta, "\\ude00");
        assert_eq!(t.all(), "😀");
    }

    #[test]
    fn what_an_id_says_again_replaces_it_in_its_place() {
        let mut t = Talk::default();
        t.say(Some("1"), Form::Whole, "one");
        t.say(Some("2"), Form::Whole, "two");
        t.say(Some("1"), Form::Whole, "one");
        t.say(Some("1"), Form::Whole, "One.");
        t.say(Some("2"), Form::Delta, "two");
        assert_eq!((t.all().as_str(), t.messages()), ("One.\ntwo", 2));
        // The deltas of another reading say nothing new either.
        t.say(None, Form::Delta, "tw");
        t.say(Some("2"), Form::Whole, "two");
        assert_eq!((t.all().as_str(), t.messages()), ("One.\ntwo", 2));
    }

    #[test]
    fn short_ids_begin_again_in_a_turn() {
        for (id, all) in [("item_1", "one\none"), ("msg_0123456789abcdef", "one")] {
            let mut t = Talk::default();
            t.say(Some(id), Form::Whole, "one");
            t.speech.begin_turn();
            t.transcript.begin_turn();
            t.say(Some(id), Form::Whole, "one");
            assert_eq!(t.all(), all);
        }
    }

    #[test]
    fn blocks_of_a_message_are_one_text_if_its_end_shows_it() {
        for (end, all, messages) in [
            ("let's go", "let's go", 1),
            ("let", "let's go", 1),
            ("'s go", "let\n's go", 2),
        ] {
            let mut t = Talk::default();
            for text in ["let", "'s go", "let"] {
                t.say(Some("1"), Form::Block, text);
            }
            t.transcript.glue(&Text::from(end));
            assert_eq!((t.all().as_str(), t.messages()), (all, messages));
            assert_eq!(t.response(), all);
        }
    }

    #[test]
    fn comments_are_the_response_only_if_there_is_nothing_else() {
        let message = |text, channel| Message::whole(Text::from(text)).on(channel);
        for mut t in [Talk::default(), Talk::of_response()] {
            t.push(&message("I look.", Channel::Commentary));
            assert_eq!(t.response(), "I look.");
            t.push(&message("42", Channel::Answer));
            assert_eq!(t.response(), "42");
            t.push(&message("Done.", Channel::Commentary));
            assert_eq!(
                (t.response(), t.transcript.last()),
                ("42".into(), "42".into())
            );
            t.begin_response();
            t.push(&message("Cleaned up.", Channel::Commentary));
            assert_eq!(t.response(), "42");
            t.speech.begin_turn();
            t.transcript.begin_turn();
            t.push(&message("Again.", Channel::Commentary));
            assert_eq!(t.response(), "Again.");
        }
    }
}
