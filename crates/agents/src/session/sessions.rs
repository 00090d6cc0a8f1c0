//! The sessions of one stream: which record belongs to which session, and the noise between the records.

mod bounded;
mod noise;

use std::collections::{HashMap, VecDeque};

use super::transcript::Transcript;
use super::{NoiseCount, Session};
use crate::dialect::Agent;
use crate::dialect::class::Known;
use crate::fact::{Fact, Start, Statement};
use crate::hashes::Seen;
use jsift_json::text::Text;
use jsift_json::view::Value;
use jsift_outcome::Outcome;

/// The maximum number of sessions kept for a report on all of them.
pub const REPORTED: usize = 2000;
/// The maximum number of sessions followed at a time, per writer: those that a producer writes side by side.
pub const FOLLOWED: usize = 32;
/// The maximum number of bytes that all sessions may hold, without their text and their records.
const SESSIONS_BYTES: usize = 64 << 20;
/// How many sessions begin between two checks of [`SESSIONS_BYTES`] and of [`OTHERS`].
const LOOK: usize = 64;
/// How many other sessions begin before one that has ended is complete, if sessions are handed over.
pub const OTHERS: usize = 256;
/// The longest session id in bytes. Longer ids are ignored.
pub const LONGEST_ID: usize = 1024;

/// How much is kept for a report.
#[derive(Debug, Clone, Copy, Default)]
pub enum Kept {
    /// Nothing: sessions are only followed.
    #[default]
    Nothing,
    /// All sessions, without their text.
    Figures,
    /// All sessions with their responses, but not the text before these.
    Responses,
    /// All sessions with the assistant's text.
    Text,
}

/// The sessions of one stream.
#[derive(Debug, Default)]
pub struct Sessions {
    list: Vec<Session>,
    /// How many sessions were dropped because there were too many.
    pub dropped: usize,
    /// How many sessions have begun, dropped ones included.
    begun: usize,
    /// How many records were read.
    records: u64,
    /// The worst outcome of the sessions that are no longer in `list`.
    worst_gone: Option<Outcome>,
    /// Whether complete sessions are handed over before the end of the stream.
    hands_over: bool,
    /// The complete sessions that nobody has taken yet.
    complete: Vec<Session>,
    /// The ids of the complete sessions.
    complete_ids: Seen,
    /// How many sessions began with a record of a complete one.
    pub continued: u64,
    /// The place in `list` of the session with the last record.
    current: Option<usize>,
    /// The writers of the stream, distinguished by the prefixes of their lines; each has its own sessions. A stream
    /// without prefixes has one writer.
    writers: Vec<WriterSessions>,
    /// The index of the writer that wrote the current record.
    pub(crate) selected: usize,
    kept: Kept,
    /// The noise outside all sessions.
    pub before: NoiseCount,
    /// The known message, if it is outside all sessions.
    pub known: Option<Known>,
    /// The agent that the known message names; if it names none, the agent that another message names.
    known_agent: Option<Agent>,
    /// The outcome that a lost record means, if it was lost before the first session.
    lost: Option<Outcome>,
    /// The requests that were counted, in this source and the ones before it.
    pub requests: Seen,
}

/// How a source without any session ended: with a known message of an agent that did not start, or with a lost record.
#[derive(Debug, Clone, Copy)]
pub struct NoSession {
    /// The outcome.
    pub outcome: Outcome,
    /// The words of the known message, or what is wrong with the records.
    pub reason: &'static str,
}

/// Where the last record of a session is in its stream.
#[derive(Debug, Default)]
pub(super) struct LastRecord {
    /// The record's number, counted over the whole stream.
    number: u64,
    /// The index of its writer, which writes all records of the session.
    writer: usize,
    /// How many sessions of the stream had begun.
    begun: usize,
}

/// The sessions of one writer, who writes the lines with one prefix.
#[derive(Debug, Default)]
struct WriterSessions {
    prefix: Option<Text<'static>>,
    by_id: HashMap<Text<'static>, usize>,
    /// The place of the writer's current session.
    current: Option<usize>,
    /// The places of the sessions with recent records, the latest first.
    followed: VecDeque<usize>,
    /// Whether the writer has had a session.
    has_begun: bool,
}

impl Sessions {
    /// Returns the state before the first session.
    ///
    /// If there are too many sessions, the half whose last records are oldest is dropped; only its worst outcome is
    /// kept.
    #[must_use]
    pub fn new(kept: Kept) -> Self {
        Self {
            kept,
            ..Self::default()
        }
    }

    /// Returns the session that a record belongs to, prepared for the record's facts. Begins a session if necessary.
    pub fn of(&mut self, agent: Option<Agent>, statement: &Statement<'_>) -> &mut Session {
        if self.writers.is_empty() {
            self.writers.push(WriterSessions::default());
        }
        let id = id_of(statement);
        let response = statement.response.as_ref().filter(|id| is_kept(id));
        let of_response = response.filter(|_| statement.start().is_none());
        let of_id = id.or(of_response).and_then(|id| self.place_of(id));
        let (place, known) = match self.place_for(agent, statement, of_id) {
            Some(place) => (place, of_id.is_some()),
            None => (self.begin(agent), false),
        };
        let id = id.filter(|_| known || !self.is_stray(place, statement));
        if let Some(id) = id.or(response)
            && !known
        {
            self.continued += u64::from(self.hands_over && self.complete_ids.contains(id));
            let writer = &mut self.writers[self.selected];
            writer.by_id.insert(id.clone().into_owned(), place);
        }
        self.current = Some(place);
        self.follow(place);
        self.records += 1;
        let session = &mut self.list[place];
        session.last.number = self.records;
        session.last.begun = self.begun;
        session.record(agent, statement, id);
        let once = statement.facts.iter().find_map(Fact::request);
        session.repeats_request = once.is_some_and(|id| {
            !session.usage.is_open(id) && !self.requests.is_new_of(self.selected, id)
        });
        session
    }

    /// Returns the place of the session with this id, which is nearly always the current one.
    fn place_of(&self, id: &Text<'_>) -> Option<usize> {
        let writer = self.writer()?;
        let is_current = self
            .selected()
            .is_some_and(|current| current.id.as_ref() == Some(id));
        match writer.current {
            Some(current) if is_current => Some(current),
            _ => writer.by_id.get(id.as_bytes()).copied(),
        }
    }

    /// Whether a statement has the id of a session of any writer; `None` if it has none, or no session has.
    pub(crate) fn have(&self, statement: &Statement<'_>) -> Option<bool> {
        let id = id_of(statement)?.as_bytes();
        let mut writers = self
            .writers
            .iter()
            .filter(|writer| !writer.by_id.is_empty())
            .peekable();
        writers.peek()?;
        Some(writers.any(|writer| writer.by_id.contains_key(id)))
    }

    /// Returns the agent of the session with this id.
    pub(crate) fn agent_of(&self, id: &Text<'_>) -> Option<Agent> {
        self.list.get(self.place_of(id)?)?.agent
    }

    /// Notes that the records of the writer's current session turned out to be that agent's: its run has not ended,
    /// although a response of a model may have.
    pub(crate) fn turned_out(&mut self, agent: Option<Agent>) {
        let place = self.writer().and_then(|writer| writer.current);
        if let Some(session) = place.and_then(|place| self.list.get_mut(place)) {
            (session.agent, session.turn.ended) = (agent, None);
        }
    }

    /// Returns the place of the session that an agent's record without a known id continues: the current one if it is
    /// the agent's, otherwise the agent's latest one if that has not ended, since several agents may write.
    fn continued_by(&self, agent: Option<Agent>) -> Option<usize> {
        let writer = self.writer()?;
        let current = self.selected()?;
        let turned_out = agent.and_then(Agent::taken_for);
        if current.agent == agent || turned_out.is_some() && current.agent == turned_out {
            return writer.current;
        }
        let session = |place: &usize| Some((*place, self.list.get(*place)?));
        let mut followed = writer.followed.iter().filter_map(session);
        let (place, last) = followed.find(|(_, session)| session.agent == agent)?;
        (!last.has_ended()).then_some(place)
    }

    /// Begins a session and returns its place.
    fn begin(&mut self, agent: Option<Agent>) -> usize {
        let (most, transcript) = match self.kept {
            Kept::Nothing => (FOLLOWED, None),
            Kept::Figures => (REPORTED, None),
            Kept::Responses => (REPORTED, Some(Transcript::of_response())),
            Kept::Text => (REPORTED, Some(Transcript::default())),
        };
        self.begun += 1;
        let held = || self.list.iter().map(Session::weight).sum::<usize>();
        let looks = self.begun.is_multiple_of(LOOK);
        if self.list.len() >= most || looks && held() > SESSIONS_BYTES {
            self.drop_half();
        } else if looks && self.hands_over {
            self.hand_over_ended();
        }
        let number = self.begun as u64;
        let mut session = Session::new(agent, number, transcript);
        session.last.writer = self.selected;
        session.noise = std::mem::take(&mut self.before);
        self.list.push(session);
        self.label_writers();
        self.list.len() - 1
    }

    /// Makes the session at this place the current one. A session that is no longer followed as a result keeps only
    /// what a report needs.
    fn follow(&mut self, place: usize) {
        let Some(writer) = self.writers.get_mut(self.selected) else {
            return;
        };
        if writer.current.replace(place) == Some(place) {
            return;
        }
        writer.followed.retain(|followed| *followed != place);
        writer.followed.push_front(place);
        let last = writer.followed.get(FOLLOWED).copied();
        if let Some(session) = last.and_then(|last| self.list.get_mut(last)) {
            session.shrink();
        }
        writer.followed.truncate(FOLLOWED);
    }

    /// Returns the place of the session that a record belongs to, if this session has begun. `of_id` is the place of
    /// the session with the record's id.
    fn place_for(
        &self,
        agent: Option<Agent>,
        statement: &Statement<'_>,
        of_id: Option<usize>,
    ) -> Option<usize> {
        if let Some(place) = of_id.filter(|_| !self.awaits_id(agent, statement)) {
            let session = self.list.get(place)?;
            // A record of another agent was misread, it or the session's records, unless both state a start.
            let goes_on =
                session.agent == agent || !(session.started && statement.start().is_some());
            return goes_on.then_some(place);
        }
        let place = self.continued_by(agent)?;
        let current = self.list.get(place)?;
        let goes_on = if id_of(statement).is_some() {
            // The session's first record with an id, or a record that begins no session.
            current.id.is_none()
                && !current.has_ended()
                && !(statement.start().is_some() && current.has_begun())
                || statement.is_unknown()
        } else {
            let ends_another = match current.streamed {
                true => statement.is_answer(),
                false => statement.is_terminal(),
            };
            // Where only the end has an id, what has none is before another end.
            let is_before_another = current.named_last && statement.is_of_agent();
            let again = current.has_ended() && (ends_another || is_before_another);
            // An id that is too long is ignored, but does not mean a new run either.
            let start = statement.start().filter(|_| statement.session.is_none());
            // A start that names no model may be repeated within a run (Copilot).
            let begins = |start: &Start<'_>| start.model.is_some() && current.has_begun();
            // What begins with an id of its own is not the response before it.
            let is_another =
                statement.response.is_some() && (current.started || current.has_begun());
            let anew = start.is_some_and(|it| current.has_ended() || begins(it) || is_another);
            !(again || anew)
        };
        goes_on.then_some(place)
    }

    /// Returns whether an unknown record's id is ignored: the record goes with the session at `place`, but may belong
    /// to another program that writes records of the same form, with a type and an id.
    fn is_stray(&self, place: usize, statement: &Statement<'_>) -> bool {
        let has_id_or_end = |session: &Session| session.id.is_some() || session.has_ended();
        statement.is_unknown() && self.list.get(place).is_some_and(has_id_or_end)
    }

    /// Returns whether the current session is still without an id, since some agents state it only at the end (Kimi,
    /// Copilot). The record's id is then the id of this session, even if an earlier run that was resumed had the same
    /// id.
    fn awaits_id(&self, agent: Option<Agent>, statement: &Statement<'_>) -> bool {
        let is_open = |current: &Session| {
            current.agent == agent && current.id.is_none() && !current.has_ended()
        };
        let names = statement.session.is_some() && statement.start().is_none();
        names && self.selected().is_some_and(is_open)
    }

    /// Adds a whole record to its session.
    pub fn record(&mut self, agent: Option<Agent>, statement: &Statement<'_>) {
        let session = self.of(agent, statement);
        for fact in statement.facts.iter() {
            let _ = session.fact(fact, statement.parent.as_ref());
        }
    }

    /// Keeps a record, as it was read, with the session of the last record.
    pub fn keep_record(&mut self, record: Value<'_>) {
        if let Some(session) = self.current.and_then(|place| self.list.get_mut(place)) {
            session.records.push(record.raw().to_vec());
        }
    }

    /// Returns whether any session was begun, whether it is still kept or not.
    #[must_use]
    pub const fn has_begun(&self) -> bool {
        self.begun > 0
    }

    /// Returns how a source without any session ended, if that is known.
    #[must_use]
    pub fn without_session(&self) -> Option<NoSession> {
        let reason = match (self.known, self.lost) {
            (Some(known), _) => known.phrase,
            (None, Some(Outcome::Truncated)) => "no valid record found: the input ends inside one",
            (None, Some(_)) => "no valid record found",
            (None, None) => return None,
        };
        let outcome = self.outcome();
        (!self.has_begun()).then_some(NoSession { outcome, reason })
    }

    /// Returns the session with the last record.
    #[must_use]
    pub fn current(&self) -> Option<&Session> {
        self.list.get(self.current?)
    }

    /// Selects the writer, counted from 0, that writes the next records, and the prefix of its lines, if any.
    #[inline]
    pub(crate) fn select_writer(&mut self, writer: usize, prefix: Option<&[u8]>) {
        let same = self.selected == writer;
        if !same || !self.writer().is_some_and(|writer| writer.has_begun) {
            self.switch_to(writer, prefix);
        }
    }

    fn switch_to(&mut self, writer: usize, prefix: Option<&[u8]>) {
        if self.writers.len() <= writer {
            self.writers
                .resize_with(writer + 1, WriterSessions::default);
        }
        self.selected = writer;
        if let Some(writer) = self.writers.get_mut(writer).filter(|it| !it.has_begun) {
            let text = |prefix| Text::from(&*String::from_utf8_lossy(prefix)).to_shared();
            writer.prefix = prefix.map(text);
        }
    }

    fn writer(&self) -> Option<&WriterSessions> {
        self.writers.get(self.selected)
    }

    /// Returns the place of the selected writer's current session.
    fn selected_place(&self) -> Option<usize> {
        self.writer()?.current
    }

    /// Returns the selected writer's current session.
    pub(crate) fn selected(&self) -> Option<&Session> {
        self.list.get(self.selected_place()?)
    }

    fn selected_mut(&mut self) -> Option<&mut Session> {
        let place = self.selected_place()?;
        self.list.get_mut(place)
    }

    /// Sets the prefix of the last session if several writers have sessions; of all sessions if its writer is the
    /// second one to have any.
    fn label_writers(&mut self) {
        let Some(writer) = self.writers.get_mut(self.selected) else {
            return;
        };
        let was_begun = std::mem::replace(&mut writer.has_begun, true);
        let begun = self.writers.iter().filter(|it| it.has_begun).count();
        let those = match (begun, was_begun) {
            (0 | 1, _) => 0,
            (2, false) => self.list.len(),
            _ => 1,
        };
        for session in self.list.iter_mut().rev().take(those) {
            let writer = self.writers.get(session.last.writer);
            session.prefix = writer.and_then(|writer| writer.prefix.clone());
        }
    }

    /// Returns all sessions that were not dropped, in the order in which they began.
    #[must_use]
    pub fn all(&self) -> &[Session] {
        &self.list
    }

    /// Returns the outcome of the whole stream: the outcome of the worst session. Without sessions it comes from the
    /// known message in the noise, or else from a lost record.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let all = self.list.iter().map(Session::outcome);
        let worst = all.chain(self.worst_gone).reduce(Outcome::worse);
        let known = self.known.map(|known| known.class);
        worst.or(known).or(self.lost).unwrap_or(Outcome::None)
    }
}

/// Returns the id of the session that a record belongs to, if the record has one that is not too long.
fn id_of<'s>(statement: &'s Statement<'_>) -> Option<&'s Text<'s>> {
    statement.session.as_ref().filter(|id| is_kept(id))
}

/// Whether an id is not too long to be kept.
fn is_kept(id: &Text<'_>) -> bool {
    id.len() <= LONGEST_ID
}
