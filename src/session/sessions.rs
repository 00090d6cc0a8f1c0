//! The sessions of one stream: which record belongs to which, and what stands between them.

use std::collections::{HashMap, VecDeque};

use super::transcript::Transcript;
use super::{NoiseCount, Session};
use crate::dialect::Agent;
use crate::dialect::class::Known;
use crate::fact::{Fact, Start, Statement};
use crate::json::text::Text;
use crate::json::view::Value;
use crate::outcome::Outcome;
use crate::seen::Seen;

/// How many sessions are kept at most for a report on them.
pub const REPORTED: usize = 2000;
/// How many are followed at most: of those that a producer writes side by side.
pub const FOLLOWED: usize = 32;
/// How many bytes they may hold together, their text and records aside.
const HELD: usize = 64 << 20;
/// How many begin before that is looked at again.
const LOOK: usize = 64;
/// The longest id of a session, in bytes. What is longer identifies nothing.
pub(crate) const LONGEST_ID: usize = 1024;

/// What is kept of the assistant's text.
#[derive(Debug, Clone, Copy, Default)]
enum KeptText {
    #[default]
    Nothing,
    Response,
    All,
}

/// The sessions of one stream.
#[derive(Debug, Default)]
pub struct Sessions {
    list: Vec<Session>,
    /// How many sessions were dropped.
    dropped: usize,
    /// How many have begun.
    begun: usize,
    /// How many records have come.
    records: u64,
    /// The worst outcome of those.
    worst_dropped: Option<Outcome>,
    /// The place of the one that had the last record.
    current: Option<usize>,
    /// Those who write, told apart by their prefixes: each has its own sessions. Where nobody is, one without a prefix.
    speakers: Vec<SpeakerSessions>,
    /// Which of them is speaking.
    speaking: usize,
    kept: KeptText,
    /// Noise before the first record.
    before: NoiseCount,
    known: Option<Known>,
    /// Whose message it is, or another beside it.
    known_agent: Option<Agent>,
    /// What the last record came to that was lost where no session is.
    lost: Option<Outcome>,
    /// The requests that were counted.
    requests: Seen,
}

/// One of those whose lines stand in a source behind prefixes of their own.
#[derive(Debug, Default)]
struct SpeakerSessions {
    prefix: Option<Text<'static>>,
    by_id: HashMap<Text<'static>, usize>,
    /// The place of the session that is going on.
    current: Option<usize>,
    /// The places of those that had a record lately, the last one first.
    followed: VecDeque<usize>,
    /// Whether it has had a session.
    has_begun: bool,
}

impl Sessions {
    /// No sessions yet. `keep_text`: whether a report on them is wanted, with the assistant's text; else it is enough to
    /// follow them.
    ///
    /// When there are too many, the half that had no record for the longest time is dropped but for its outcome.
    #[must_use]
    pub fn new(keep_text: bool) -> Self {
        Self {
            kept: if keep_text {
                KeptText::All
            } else {
                KeptText::Nothing
            },
            ..Self::default()
        }
    }

    /// No sessions yet, of which the responses are wanted but not what was said before them.
    #[must_use]
    pub fn keeping_responses() -> Self {
        Self {
            kept: KeptText::Response,
            ..Self::default()
        }
    }

    /// The session that a record belongs to, prepared for its facts.
    pub fn of(&mut self, agent: Option<Agent>, statement: &Statement<'_>) -> &mut Session {
        if self.speakers.is_empty() {
            self.speakers.push(SpeakerSessions::default());
        }
        let id = id_of(statement);
        let of_id = id.and_then(|id| self.place_of(id));
        let (place, known) = match self.place(agent, statement, of_id) {
            Some(place) => (place, of_id.is_some()),
            None => (self.begin(agent), false),
        };
        let id = id.filter(|_| known || !self.is_stray(place, statement));
        if let Some(id) = id
            && !known
        {
            let speaker = &mut self.speakers[self.speaking];
            speaker.by_id.insert(id.clone().into_owned(), place);
        }
        self.current = Some(place);
        self.follow(place);
        self.records += 1;
        let session = &mut self.list[place];
        session.last_record = self.records;
        session.record(agent, statement, id);
        let once = statement.facts.iter().find_map(Fact::request);
        session.repeats = once.is_some_and(|id| {
            !session.usage.is_open(id) && !self.requests.is_new_of(self.speaking, id)
        });
        session
    }

    /// The place of the session that has that id: nearly always the one that is going on.
    fn place_of(&self, id: &Text<'_>) -> Option<usize> {
        let speaker = self.speaker()?;
        let is_current = self.going().is_some_and(|current| current.id() == Some(id));
        match speaker.current {
            Some(current) if is_current => Some(current),
            _ => speaker.by_id.get(id.as_bytes()).copied(),
        }
    }

    /// Whose session has that id.
    pub(crate) fn agent_of(&self, id: &Text<'_>) -> Option<Agent> {
        self.list.get(self.place_of(id)?)?.agent
    }

    /// The session of an agent that goes on: the last one, or another that has not ended, where several agents write.
    fn going_on(&self, agent: Option<Agent>) -> Option<usize> {
        let speaker = self.speaker()?;
        let current = self.going()?;
        let turned_out = agent.and_then(Agent::taken_for);
        if current.agent == agent || turned_out.is_some() && current.agent == turned_out {
            return speaker.current;
        }
        let session = |place: &usize| Some((*place, self.list.get(*place)?));
        let mut followed = speaker.followed.iter().filter_map(session);
        let (place, last) = followed.find(|(_, session)| session.agent == agent)?;
        last.ended.is_none().then_some(place)
    }

    /// The place of a new session.
    fn begin(&mut self, agent: Option<Agent>) -> usize {
        let most = if matches!(self.kept, KeptText::All | KeptText::Response) {
            REPORTED
        } else {
            FOLLOWED
        };
        self.begun += 1;
        let held = || self.list.iter().map(Session::weight).sum::<usize>();
        if self.list.len() >= most || (self.begun.is_multiple_of(LOOK) && held() > HELD) {
            self.drop_half();
        }
        let transcript = match self.kept {
            KeptText::Nothing => None,
            KeptText::Response => Some(Transcript::of_response()),
            KeptText::All => Some(Transcript::default()),
        };
        let number = self.begun as u64;
        let mut session = Session::new(agent, number, transcript);
        session.speaker = self.speaking;
        session.noise = std::mem::take(&mut self.before);
        self.list.push(session);
        self.tell_apart();
        self.list.len() - 1
    }

    /// The session at that place goes on. Of the one that nobody follows any more for it only what a report tells is kept.
    fn follow(&mut self, place: usize) {
        let Some(speaker) = self.speakers.get_mut(self.speaking) else {
            return;
        };
        if speaker.current.replace(place) == Some(place) {
            return;
        }
        speaker.followed.retain(|followed| *followed != place);
        speaker.followed.push_front(place);
        let last = speaker.followed.get(FOLLOWED).copied();
        if let Some(session) = last.and_then(|last| self.list.get_mut(last)) {
            session.tools.rest();
        }
        speaker.followed.truncate(FOLLOWED);
    }

    /// Drops the sessions that had no record for the longest time.
    fn drop_half(&mut self) {
        let mut last: Vec<u64> = self.list.iter().map(|each| each.last_record).collect();
        let middle = last.len() / 2;
        let (_, &mut oldest_kept, _) = last.select_nth_unstable(middle);
        // Places are those in `list`.
        let mut kept = 0;
        let mut places = Vec::with_capacity(self.list.len());
        for session in &self.list {
            places.push((session.last_record >= oldest_kept).then_some(kept));
            kept += usize::from(session.last_record >= oldest_kept);
        }
        let place = |at: usize| places.get(at).copied().flatten();
        self.current = self.current.and_then(place);
        for speaker in &mut self.speakers {
            speaker.by_id.retain(|_, at| {
                let moved = place(*at);
                *at = moved.unwrap_or_default();
                moved.is_some()
            });
            speaker.current = speaker.current.and_then(place);
            let followed = speaker.followed.iter();
            speaker.followed = followed.filter_map(|at| place(*at)).collect();
        }
        let before = self.list.len();
        let worst = &mut self.worst_dropped;
        self.list.retain(|session| {
            let keep = session.last_record >= oldest_kept;
            if !keep {
                let outcome = session.outcome();
                *worst = Some(worst.map_or(outcome, |worst| worst.worse(outcome)));
            }
            keep
        });
        self.dropped += before - self.list.len();
    }

    /// The place of the session that a record belongs to, if it has begun; `of_id` is that of its id.
    fn place(
        &self,
        agent: Option<Agent>,
        statement: &Statement<'_>,
        of_id: Option<usize>,
    ) -> Option<usize> {
        if let Some(place) = of_id.filter(|_| !self.awaits_id(agent, statement)) {
            let session = self.list.get(place)?;
            // What is another agent's record is misread, on this side or that, unless both sides state a start.
            let goes_on =
                session.agent == agent || !(session.started && statement.start().is_some());
            return goes_on.then_some(place);
        }
        let place = self.going_on(agent)?;
        let current = self.list.get(place)?;
        let goes_on = if id_of(statement).is_some() {
            // Its first record with an id, or one that begins none.
            current.id.is_none()
                && current.ended.is_none()
                && !(statement.start().is_some() && current.has_begun())
                || statement.is_unknown()
        } else {
            let ends_another = match current.streamed {
                true => statement.is_answer(),
                false => statement.is_terminal(),
            };
            let again = current.ended.is_some() && ends_another;
            // An id that is too long is none, but tells no runs apart either.
            let start = statement.start().filter(|_| statement.session.is_none());
            let anew = start.is_some_and(|start| is_anew(start, current));
            !(again || anew)
        };
        goes_on.then_some(place)
    }

    /// Whether a record that is not understood names another session than that at `place`, which it goes with: somebody else's
    /// may look like one of the agent's, with a type and an id.
    fn is_stray(&self, place: usize, statement: &Statement<'_>) -> bool {
        let is_told = |session: &Session| session.id.is_some() || session.ended.is_some();
        statement.is_unknown() && self.list.get(place).is_some_and(is_told)
    }

    /// Whether the session that is going on has its id yet to be told, as some agents do at its end only (Kimi, Copilot): it is
    /// that of the record, even if a run that was resumed has had it before.
    fn awaits_id(&self, agent: Option<Agent>, statement: &Statement<'_>) -> bool {
        let is_open = |current: &Session| {
            current.agent == agent && current.id.is_none() && current.ended.is_none()
        };
        statement.start().is_none() && self.going().is_some_and(is_open)
    }

    /// Takes a whole record in.
    pub fn record(&mut self, agent: Option<Agent>, statement: &Statement<'_>) {
        let session = self.of(agent, statement);
        for fact in statement.facts.iter() {
            session.fact(fact, statement.parent.is_none());
        }
    }

    /// Keeps a record, as it came, with the session that is going on.
    pub fn keep_record(&mut self, record: Value<'_>) {
        if let Some(session) = self.current.and_then(|place| self.list.get_mut(place)) {
            session.records.push(record.raw().to_vec());
        }
    }

    /// The requests that were counted, in this source and those before it.
    pub const fn requests(&mut self) -> &mut Seen {
        &mut self.requests
    }

    /// The session that had the last record.
    #[must_use]
    pub fn current(&self) -> Option<&Session> {
        self.list.get(self.current?)
    }

    /// What comes is that of the how many-th speaker, from 0, whose lines have that prefix, if any.
    #[inline]
    pub(crate) fn listen_to(&mut self, speaker: usize, prefix: Option<&[u8]>) {
        let same = self.speaking == speaker;
        if !same || !self.speaker().is_some_and(|speaker| speaker.has_begun) {
            self.turn_to(speaker, prefix);
        }
    }

    fn turn_to(&mut self, speaker: usize, prefix: Option<&[u8]>) {
        if self.speakers.len() <= speaker {
            self.speakers
                .resize_with(speaker + 1, SpeakerSessions::default);
        }
        self.speaking = speaker;
        if let Some(speaker) = self.speakers.get_mut(speaker).filter(|it| !it.has_begun) {
            speaker.prefix =
                prefix.map(|prefix| Text::from(String::from_utf8_lossy(prefix).into_owned()));
        }
    }

    /// Which speaker is speaking.
    pub(crate) const fn speaking(&self) -> usize {
        self.speaking
    }

    fn speaker(&self) -> Option<&SpeakerSessions> {
        self.speakers.get(self.speaking)
    }

    /// The place of the session of the speaker that is going on.
    fn place_going(&self) -> Option<usize> {
        self.speaker()?.current
    }

    /// The session of the speaker that is going on.
    pub(crate) fn going(&self) -> Option<&Session> {
        self.list.get(self.place_going()?)
    }

    /// The sessions that are going on, one of each speaker.
    pub(crate) fn all_going(&self) -> impl Iterator<Item = &Session> {
        let places = self.speakers.iter().filter_map(|speaker| speaker.current);
        places.filter_map(|place| self.list.get(place))
    }

    /// The last session says its prefix if several speakers have sessions; if its speaker is the second one, all do.
    fn tell_apart(&mut self) {
        let was_begun = match self.speakers.get_mut(self.speaking) {
            Some(speaker) => std::mem::replace(&mut speaker.has_begun, true),
            None => return,
        };
        let begun = self
            .speakers
            .iter()
            .filter(|speaker| speaker.has_begun)
            .count();
        let those = match (begun, was_begun) {
            (0 | 1, _) => 0,
            (2, false) => self.list.len(),
            _ => 1,
        };
        for session in self.list.iter_mut().rev().take(those) {
            let speaker = self.speakers.get(session.speaker);
            session.prefix = speaker.and_then(|speaker| speaker.prefix.clone());
        }
    }

    /// How many sessions were dropped, because there were too many.
    #[must_use]
    pub const fn dropped(&self) -> usize {
        self.dropped
    }

    /// All sessions, in the order in which they began; but those that were dropped.
    #[must_use]
    pub fn all(&self) -> &[Session] {
        &self.list
    }

    /// All sessions, to be judged.
    pub fn all_mut(&mut self) -> &mut [Session] {
        &mut self.list
    }

    /// All sessions, to keep.
    #[must_use]
    pub fn into_all(self) -> Vec<Session> {
        self.list
    }

    /// The noise of the session that is going on.
    pub fn noise(&mut self) -> &mut NoiseCount {
        match self
            .place_going()
            .and_then(|place| self.list.get_mut(place))
        {
            Some(session) => &mut session.noise,
            None => &mut self.before,
        }
    }

    /// A known message stands in the noise.
    pub fn known(&mut self, known: Known) {
        let says = Some(known).filter(Known::says_why);
        match self
            .place_going()
            .and_then(|place| self.list.get_mut(place))
        {
            Some(session) => session.known = says.or(session.known),
            None => {
                self.known = says.or(self.known);
                self.known_agent = known.agent.or(self.known_agent);
            }
        }
    }

    /// An error of that class is told in the noise.
    pub fn told(&mut self, class: Outcome) {
        if let Some(session) = self
            .place_going()
            .and_then(|place| self.list.get_mut(place))
        {
            session.told = Some(class);
        }
    }

    /// A candidate for a record was cut off by the end of input.
    pub fn cut(&mut self) {
        self.lose(Outcome::Truncated);
    }

    /// A record or an envelope of an agent breaks.
    pub fn broken(&mut self) {
        self.lose(Outcome::Malformed);
    }

    fn lose(&mut self, outcome: Outcome) {
        match self
            .place_going()
            .and_then(|place| self.list.get_mut(place))
        {
            Some(session) => session.lost = true,
            None => self.lost = Some(outcome),
        }
    }

    /// The source has ended; `alone` says whether nothing counts in it beside its records. A known message where no session
    /// is tells nothing beside other documents, and more than an API that failed without saying why.
    pub(crate) fn settle_known(&mut self, alone: bool) {
        self.list.iter_mut().for_each(Session::settle);
        self.known = self.known.filter(|_| alone);
        let Some(known) = self.known else {
            return;
        };
        for session in self
            .list
            .iter_mut()
            .filter(|session| session.agent.is_none())
        {
            session.ended = match session.ended {
                Some(Outcome::Failed) => Some(known.class),
                ended => ended,
            };
        }
    }

    /// The known message, if it stands where no session is.
    #[must_use]
    pub const fn known_message(&self) -> Option<Known> {
        self.known
    }

    /// Whose run it was, where no session is and what stands there tells.
    #[must_use]
    pub fn known_agent(&self) -> Option<Agent> {
        self.known_agent.filter(|_| self.known.is_some())
    }

    /// Noise where no session is.
    #[must_use]
    pub const fn noise_alone(&self) -> &NoiseCount {
        &self.before
    }

    /// The outcome of the whole stream: that of the worst session; without any, what the noise tells, or what is left of a
    /// record.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let worst = self
            .list
            .iter()
            .map(Session::outcome)
            .chain(self.worst_dropped)
            .reduce(Outcome::worse);
        let known = self.known.map(|known| known.class);
        worst.or(known).or(self.lost).unwrap_or(Outcome::None)
    }
}

/// Whether a start without an id is that of another session than the one that is going on. One that names no model may be
/// stated again within a run (Copilot).
fn is_anew(start: &Start<'_>, current: &Session) -> bool {
    current.ended.is_some() || start.model.is_some() && current.has_begun()
}

/// The id of the session that a record belongs to, if it says one.
fn id_of<'s>(statement: &'s Statement<'_>) -> Option<&'s Text<'s>> {
    let id = statement.session.as_ref();
    id.filter(|id| id.len() <= LONGEST_ID)
}
