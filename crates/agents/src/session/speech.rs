//! What is said and thought in a session: which texts continue, repeat or replace others.
//!
//! Agents stream text in deltas, repeat it as a whole message, and state messages again when a session is resumed. The
//! rules are the same for all agents and threads: deltas of one message are joined, a whole message replaces its
//! deltas, and a message that is known by its id replaces what it said before.

use std::ops::Range;

use super::interleaved::OtherRuns;
use super::transcript::Transcript;
use crate::fact::{Channel, Form, Message};
use crate::hashes::{HashedMap, TextHash};
use jsift_json::joined::Joined;
use jsift_json::text::Text;

/// How much of an open message is kept, in bytes, to compare a whole message with. Of the rest only the length is kept.
pub(crate) const COMPARED: usize = 256 << 10;
/// How many threads (the main thread and its subagents) may have open deltas at a time.
const THREADS: usize = 64;
/// How many messages are remembered, between this many and twice as many.
const KNOWN: usize = 4096;
/// The shortest id that belongs to one thing alone, in bytes. Shorter ones are numbers that begin again in each turn.
const OWN_ID: usize = 16;

/// Returns whether an id is so long that nothing else has it.
pub fn is_own_id(id: &Text<'_>) -> bool {
    id.len() >= OWN_ID
}

/// Returns the hash of an id in this turn.
pub(crate) fn hash_of(id: &Text<'_>, turn: u64) -> TextHash {
    in_turn(TextHash::of(id.as_bytes()), id, turn)
}

/// Returns the hash in this turn of an id with that hash.
pub(super) fn in_turn(hash: TextHash, id: &Text<'_>, turn: u64) -> TextHash {
    match is_own_id(id) {
        true => hash,
        false => hash.with(turn + 1),
    }
}

/// Which part of a message is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Novelty {
    /// All of it, and it is a separate message.
    Message,
    /// All of it, and it continues the open run.
    Continuation,
    /// The part from this byte on; the open run has the rest.
    From(usize),
    /// All of it, and it replaces what the message said before.
    Instead,
    /// Nothing: the message was said before.
    Nothing,
}

/// How a text relates to what was said before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Said {
    /// The step number of the message in its session.
    pub message: u64,
    /// Which part of it is new.
    pub novelty: Novelty,
    /// The message whose deltas only repeated this one.
    pub repeated_by: Option<u64>,
}

impl Said {
    const fn new(message: u64, novelty: Novelty) -> Self {
        Self {
            message,
            novelty,
            repeated_by: None,
        }
    }
}

/// Consecutive deltas of one message that is still open.
#[derive(Debug, Default)]
pub(super) struct Run {
    /// The number of the message, if there are any deltas.
    pub(super) open: Option<u64>,
    pub(super) id: Option<Text<'static>>,
    /// What the deltas are for; those of another channel are another message's.
    channel: Channel,
    /// The beginning of the deltas' text, if no transcript keeps it.
    text: Joined,
    /// The length of the text that is not kept, in bytes.
    beyond: usize,
}

impl Run {
    /// Returns the number of the open message if a message may belong to it.
    fn of(&self, message: &Message<'_>) -> Option<u64> {
        let is_own = self.id.is_none() || message.id.is_none() || self.id == message.id;
        self.open.filter(|_| is_own)
    }

    /// Closes the run, and returns what a whole message is to the open message.
    fn end(&mut self, message: &Message<'_>, kept: Option<&Transcript>) -> EndedRun {
        let ended = self.compare(message, kept);
        self.close();
        ended
    }

    /// Returns what a whole message is to the open message, whose text is in `kept`, if that is given, or else in the
    /// run.
    fn compare(&self, message: &Message<'_>, kept: Option<&Transcript>) -> EndedRun {
        let Some(open) = self.of(message) else {
            return EndedRun::default();
        };
        let text = match kept {
            Some(kept) => kept.text_of(open),
            None => self.text.text(),
        };
        let same_id = self.id.is_some() && self.id == message.id;
        let length = text.len() + self.beyond;
        let begins = message.text.len() >= length && message.text.starts_with(&text);
        EndedRun {
            open: Some(open),
            repeated: begins.then_some(length),
            replaces: same_id,
        }
    }

    /// Begins a run with the first delta of a message.
    fn begin(&mut self, number: u64, message: &Message<'_>, keeps: bool) {
        self.close();
        self.open = Some(number);
        self.id = message.id.clone().map(Text::into_owned);
        self.channel = message.channel;
        self.add(&message.text, keeps);
    }

    /// Adds a delta; `keeps` says whether its text has to be kept here.
    fn add(&mut self, text: &Text<'_>, keeps: bool) {
        match keeps {
            false => {}
            true if self.text.len() < COMPARED => self.text.push(text),
            true => self.beyond += text.len(),
        }
    }

    fn close(&mut self) -> Option<u64> {
        let open = self.open.take();
        if open.is_some() {
            self.id = None;
            self.text.clear();
            self.beyond = 0;
        }
        open
    }
}

/// What a whole message is to the open message of a run.
#[derive(Debug, Default)]
struct EndedRun {
    /// The number of the open message if the whole one may belong to it.
    open: Option<u64>,
    /// How many bytes of the whole message were said in deltas; `None` if it does not begin with
    /// them.
    repeated: Option<usize>,
    /// Whether it is the same message with another text, or the first deltas were lost with the beginning of the
    /// stream.
    replaces: bool,
}

/// The open deltas of one thread.
#[derive(Debug, Default)]
struct Thread {
    parent: Option<Text<'static>>,
    speech: Run,
    thoughts: Run,
}

/// A message that was stated as a whole, by its id.
#[derive(Debug, Default)]
struct KnownMessage {
    number: u64,
    /// A hash of the text; 0 for a block, whose key contains it.
    text: u64,
}

/// The texts of a session.
#[derive(Debug, Default)]
pub(crate) struct Speech {
    threads: Vec<Thread>,
    others: OtherRuns,
    known: HashedMap<KnownMessage, KNOWN>,
    /// How many steps there are, messages and calls of all threads: the number of the next one.
    pub(super) steps: u64,
    /// How many turns there were.
    pub(super) turns: u64,
    /// How many responses were begun, by a step, a call, a turn or a retry: short ids are unique in one only.
    parts: u64,
    /// The number of the first message since the last call or turn.
    recent: u64,
    /// The messages that were last taken back; they may be said again.
    taken_back: Range<u64>,
}

/// Which of a thread's texts a message belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextKind {
    /// What it says.
    Speech,
    /// What it thinks.
    Thought,
}

/// A thread and which of its texts: what it says or what it thinks.
#[derive(Clone, Copy)]
pub(crate) struct Track<'t> {
    pub(crate) kind: TextKind,
    pub(crate) parent: Option<&'t Text<'t>>,
}

impl Speech {
    /// Goes on with the open deltas of the message that a text names, if another one has come between.
    fn resume(&mut self, track: Track<'_>, message: &Message<'_>) {
        if let Some(run) = self.others.take(track, message.id.as_ref()) {
            let before = std::mem::replace(self.run(track), run);
            self.others.keep(track, before);
        }
    }

    /// Leaves the deltas of another message than that of a text open.
    fn leave(&mut self, track: Track<'_>, message: &Message<'_>) {
        let run = self.run(track);
        if run.of(message).is_none() {
            let before = std::mem::take(run);
            self.others.keep(track, before);
        }
    }

    fn run(&mut self, track: Track<'_>) -> &mut Run {
        let thread = thread(&mut self.threads, track.parent);
        match track.kind {
            TextKind::Speech => &mut thread.speech,
            TextKind::Thought => &mut thread.thoughts,
        }
    }

    /// Adds a message or a piece of one, and returns what it comes to; `None` if it is empty. If the texts of such
    /// messages are `kept`, they are not kept here, too.
    pub(crate) fn add(
        &mut self,
        track: Track<'_>,
        message: &Message<'_>,
        kept: Option<&Transcript>,
    ) -> Option<Said> {
        match message.form {
            Form::Delta => self.add_delta(track, message, kept.is_none()),
            Form::Block | Form::Whole => self.add_whole(track, message, kept),
        }
    }

    /// Whether a message or a piece of one that follows the end of a turn is a new message of the main thread. Deltas
    /// without an id continue none that the end has closed.
    pub(crate) fn is_new(&mut self, message: &Message<'_>, kept: Option<&Transcript>) -> bool {
        let kind = TextKind::Speech;
        let key = self.key(kind, message);
        if message.text.is_empty() || self.known(key).is_some() {
            return false;
        }
        let track = Track { kind, parent: None };
        self.resume(track, message);
        let run = self.run(track);
        match message.form {
            Form::Delta => run.of(message).is_none() || message.id.is_none(),
            Form::Block | Form::Whole => {
                let ended = run.compare(message, kept);
                ended.repeated.is_none() && !ended.replaces
            }
        }
    }

    fn add_delta(&mut self, track: Track<'_>, message: &Message<'_>, keeps: bool) -> Option<Said> {
        if message.text.is_empty() {
            return None;
        }
        self.resume(track, message);
        let run = self.run(track);
        let is_same = run.channel == message.channel;
        if let Some(open) = run.of(message).filter(|_| is_same) {
            run.add(&message.text, keeps);
            return Some(Said::new(open, Novelty::Continuation));
        }
        let key = self.key(track.kind, message);
        if let Some(known) = self.known(key) {
            return Some(Said::new(known.number, Novelty::Nothing));
        }
        let next = self.steps;
        self.steps += 1;
        self.leave(track, message);
        let run = self.run(track);
        run.begin(next, message, keeps);
        Some(Said::new(next, Novelty::Message))
    }

    fn add_whole(
        &mut self,
        track: Track<'_>,
        message: &Message<'_>,
        kept: Option<&Transcript>,
    ) -> Option<Said> {
        self.resume(track, message);
        self.leave(track, message);
        let run = self.run(track);
        let run = run.end(message, kept);
        if message.text.is_empty() {
            return None;
        }
        let key = self.key(track.kind, message);
        let text = match message.form {
            // The text is part of the key.
            Form::Block => 0,
            _ => key.map_or(0, |_| TextHash::of(message.text.as_bytes()).half()),
        };
        let known = self.known(key);
        if let Some(known) = known.as_ref().filter(|known| known.text == text) {
            let is_other = |open: &u64| run.repeated.is_some() && *open != known.number;
            return Some(Said {
                repeated_by: run.open.filter(is_other),
                ..Said::new(known.number, Novelty::Nothing)
            });
        }
        let known = known.map(|known| known.number);
        let (number, novelty) = match (run.open, run.repeated, known) {
            (Some(open), Some(length), _) => (open, Novelty::From(length)),
            (Some(open), None, _) if run.replaces => (open, Novelty::Instead),
            (_, _, Some(known)) => (known, Novelty::Instead),
            _ => (self.steps, Novelty::Message),
        };
        self.steps += u64::from(novelty == Novelty::Message);
        if let Some(key) = key {
            self.known.insert(key, KnownMessage { number, text });
        }
        Some(Said::new(number, novelty))
    }

    /// Returns what identifies a message, if anything does.
    fn key(&self, kind: TextKind, message: &Message<'_>) -> Option<TextHash> {
        let id = message.block.as_ref().or(message.id.as_ref())?;
        Some(match message.form {
            Form::Block => {
                let hash = hash_of(id, self.parts).with(kind as u64);
                hash.with(TextHash::of(message.text.as_bytes()).half())
            }
            Form::Delta | Form::Whole => hash_of(id, self.turns).with(kind as u64),
        })
    }

    /// Returns the message that was stated with this key, unless it was taken back.
    fn known(&mut self, key: Option<TextHash>) -> Option<&KnownMessage> {
        let known = self.known.get_mut(key?)?;
        (!self.taken_back.contains(&known.number)).then_some(known)
    }

    /// Counts a call: the numbers of later steps are larger than its `step`.
    pub(crate) fn call(&mut self, step: u64) {
        self.steps = self.steps.max(step + 1);
    }

    /// Begins a new response of the main thread, after a call.
    pub(crate) fn begin_response(&mut self) {
        self.parts += 1;
        self.recent = self.steps;
        self.close(None);
    }

    /// Begins another attempt, in which a block with a short id may say the same again.
    pub(crate) const fn retry(&mut self) {
        self.parts += 1;
    }

    /// Takes back what the main thread said since the last call or turn. Returns the numbers of these messages.
    pub(crate) fn take_back(&mut self) -> Range<u64> {
        self.taken_back = self.recent..self.steps;
        self.close(None);
        self.taken_back.clone()
    }

    /// Begins a new turn.
    pub(crate) fn begin_turn(&mut self) {
        self.turns += 1;
        self.begin_response();
    }

    /// Closes the deltas of a thread, so that nothing continues them.
    pub(crate) fn close(&mut self, parent: Option<&Text<'_>>) {
        self.others.close(parent);
        let is_it = |thread: &&mut Thread| thread.parent.as_ref() == parent;
        if let Some(thread) = self.threads.iter_mut().find(is_it) {
            thread.speech.close();
            thread.thoughts.close();
        }
    }

    /// Closes the deltas of a thread and returns the number of the message that they belong to.
    pub(crate) fn break_off(&mut self, parent: Option<&Text<'_>>) -> Option<u64> {
        let open = thread(&mut self.threads, parent).speech.close();
        self.close(parent);
        open
    }

    /// Stops waiting for whole messages.
    pub(crate) fn shrink(&mut self) {
        self.threads = Vec::new();
        self.others = OtherRuns::default();
        self.known = HashedMap::default();
    }

    /// Returns the number of bytes that are held, without the open deltas.
    pub(crate) fn weight(&self) -> usize {
        self.known.weight()
    }
}

/// Returns the open deltas of a thread. The main thread's deltas are always kept; of the subagents, the latest few.
fn thread<'t>(threads: &'t mut Vec<Thread>, parent: Option<&Text<'_>>) -> &'t mut Thread {
    let is_it = |thread: &Thread| thread.parent.as_ref() == parent;
    let place = threads.iter().position(is_it);
    let place = place.unwrap_or_else(|| {
        if threads.len() >= THREADS {
            let oldest = threads.iter().position(|thread| thread.parent.is_some());
            threads.remove(oldest.unwrap_or(0));
        }
        threads.push(Thread {
            parent: parent.map(|parent| parent.clone().into_owned()),
            ..Thread::default()
        });
        threads.len() - 1
    });
    &mut threads[place]
}

#[cfg(test)]
mod tests {
    use super::{COMPARED, Novelty, Speech, THREADS, TextKind, Track};
    use crate::fact::{Form, Message};
    use jsift_json::text::Text;

    #[test]
    fn of_a_long_run_the_beginning_is_kept_to_compare() {
        let message = |form, text: &str| Message::new(None, Text::from(text.to_owned()), form);
        let mut speech = Speech::default();
        let mut add = |message| {
            let said = speech.add(
                Track {
                    kind: TextKind::Speech,
                    parent: None,
                },
                &message,
                None,
            );
            let kept = speech.threads.iter().map(|thread| thread.speech.text.len());
            (said.map(|said| said.novelty), kept.sum::<usize>())
        };
        let part = "0123456789abcdef".repeat(COMPARED / 64);
        for _ in 0..40 {
            let (_, kept) = add(message(Form::Delta, &part));
            assert!(kept < 2 * COMPARED);
        }
        let whole = part.repeat(40) + "and more";
        let (novelty, kept) = add(message(Form::Whole, &whole));
        assert_eq!((novelty, kept), (Some(Novelty::From(40 * part.len())), 0));
    }

    #[test]
    fn of_many_subagents_the_latest_keep_their_open_deltas() {
        let mut speech = Speech::default();
        let mut add = |agent: usize| {
            let parent = Text::from(format!("s{agent}"));
            let message = Message::new(None, Text::from("a"), Form::Delta);
            let said = speech.add(
                Track {
                    kind: TextKind::Speech,
                    parent: Some(&parent),
                },
                &message,
                None,
            );
            said.map(|said| said.novelty)
        };
        for agent in 0..2 * THREADS {
            assert_eq!(add(agent), Some(Novelty::Message));
        }
        for agent in THREADS..2 * THREADS {
            assert_eq!(add(agent), Some(Novelty::Continuation), "{agent}");
        }
    }

    #[test]
    fn a_thought_and_a_text_of_one_message_are_two() {
        let mut speech = Speech::default();
        let message = Message::new(
            Some(Text::from("msg_0123456789abcdef")),
            Text::from("hm"),
            Form::Block,
        );
        for (kind, parent) in [
            (TextKind::Speech, None),
            (TextKind::Thought, Some(&Text::from("t"))),
        ] {
            let said = speech.add(Track { kind, parent }, &message, None).unwrap();
            assert_eq!(said.novelty, Novelty::Message);
            let said = speech.add(Track { kind, parent }, &message, None).unwrap();
            assert_eq!(said.novelty, Novelty::Nothing);
        }
    }
}
