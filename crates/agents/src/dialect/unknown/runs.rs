//! The runs that a stream of an unknown agent names: each has a reading of its own.
//!
//! The stream is that of the run that its first start names. What names another run, or says that it is a subagent's,
//! belongs to a run inside that one, and neither ends nor answers it; another run of the same kind that is started next
//! to it is a session of its own.

use super::envelope::RUN_IDS;
use super::kind;
use super::reading::Unknown;
use crate::dialect::prelude::*;
use crate::dialect::usual::{self, Words};
use crate::session::recent::push_latest;

/// Members of a record that name the run around the one that it belongs to.
const AROUND: NameList = names!(
    "parent_run_id parentRunId parent_session_id parentSessionId parent_task_id parentTaskId"
);
/// Flags of a record of a subagent.
const FLAGS: NameList = names!("subagent is_subagent isSubagent sidechain isSidechain");
/// Members that name a subagent.
const SUBAGENTS: NameList = names!("subagent_id subagentId");
/// How many runs are read next to the one of the stream.
const MOST: usize = 8;

/// Reads the records of an unknown agent, or of a model API.
#[derive(Debug, Default)]
pub(in crate::dialect) struct Runs {
    /// The reading of the stream's own run.
    own: Unknown,
    /// The ids that the start of the own run states.
    ids: Ids<'static>,
    /// The type of the record that started it.
    began: Option<Text<'static>>,
    /// Whether it has started and is not over.
    open: bool,
    others: Vec<OtherRun>,
}

/// The ids of a run and of its session, with the numbers of their members' names.
#[derive(Debug, Default, Clone)]
struct Ids<'a> {
    run: Option<(usize, Text<'a>)>,
    session: Option<(usize, Text<'a>)>,
}

/// Another run.
#[derive(Debug)]
struct OtherRun {
    id: Text<'static>,
    /// Whether it is inside the own run.
    is_inner: bool,
    reading: Unknown,
}

/// Whose a record is.
enum Whose<'a> {
    Own,
    /// That of another run with this id, which is inside the own one or, if it is started here, next to it.
    Other(Text<'a>, bool),
    /// That of a run which is not in the stream.
    Nobody,
}

impl Runs {
    /// Returns a reader of responses of model APIs. If other records are among them, they are a run's.
    pub(in crate::dialect) fn of_api() -> Self {
        Self {
            own: Unknown::of_api(),
            ..Self::default()
        }
    }

    /// Whether a record is another program's: all types of the stream are written in capitals (AG-UI), but not its own.
    fn is_foreign(&self, record: &Object<'_>) -> bool {
        let small = |kind: &Text<'_>| kind.as_bytes().iter().any(u8::is_ascii_lowercase);
        self.began.as_ref().is_some_and(|began| !small(began))
            && kind(record).is_some_and(|kind| small(&kind))
    }

    /// Returns whose a record is.
    fn whose<'a>(&self, record: &Object<'a>) -> Whose<'a> {
        if self.is_foreign(record) {
            return Whose::Nobody;
        }
        let place = places(record).find(|place| Ids::of(place).is_some());
        let ids = place.as_ref().and_then(Ids::of).unwrap_or_default();
        let words = usual::words(record);
        let starts = words.has(Words::START) && !words.has(Words::END.with(Words::INNER));
        let is_own = self.ids.is_same(&ids);
        let other = self.ids.other(&ids);
        let around = places(record).find_map(|place| AROUND.text(&place));
        let around = around.filter(|id| !id.is_empty());
        if let Some(mark) = mark_of_subagent(record) {
            return Whose::Other(other.unwrap_or(mark), true);
        }
        let known = |id: &Text<'_>| self.others.iter().any(|other| other.id == *id);
        match other {
            _ if is_langchain(record) => Whose::Own,
            Some(id) if known(&id) => Whose::Other(id, true),
            Some(id) if self.open => {
                let is_next = starts && around.is_none() && self.is_like_own(record, &ids);
                Whose::Other(id, !is_next)
            }
            Some(_) if words.has(Words::END.with(Words::WRONG)) && !starts => Whose::Nobody,
            None if self.open && !is_own => match around {
                Some(id) if self.ids.has(&id) || !starts => Whose::Other(id, true),
                _ => Whose::Own,
            },
            _ => Whose::Own,
        }
    }

    /// Whether a record that starts another run with these ids starts it next to the own one: it names another session,
    /// or is the start of a run of the same kind and of no session.
    fn is_like_own(&self, record: &Object<'_>, ids: &Ids<'_>) -> bool {
        match (&self.ids.session, &ids.session) {
            (Some(own), Some(other)) => own != other,
            (None, None) => kind(record).is_some() && kind(record) == self.began,
            _ => false,
        }
    }

    /// Notes what a record of the own run states about it.
    fn note(&mut self, record: &Object<'_>, out: &mut Statement<'_>) {
        let ids = || places(record).find_map(|place| Ids::of(&place));
        for fact in &out.facts {
            match fact {
                Fact::Start(_) => {
                    self.ids = ids().unwrap_or_default().into_owned();
                    self.began = kind(record).map(Text::into_owned);
                    self.open = self.ids.is_known();
                }
                Fact::End(_) | Fact::Rest => self.open = false,
                Fact::Message(_) | Fact::Call(_) | Fact::Turn => {
                    let ids = ids().filter(|ids| !self.open && self.ids.other(ids).is_some());
                    self.ids = ids.map_or(std::mem::take(&mut self.ids), Ids::into_owned);
                    self.open = self.ids.is_known();
                }
                _ => {}
            }
        }
        if self.ids.session.is_none() {
            let id = self.ids.run.as_ref().map(|(_, id)| id.clone());
            out.response = out.response.take().or(id);
        }
    }

    /// States what a record of another run does.
    fn read_other<'a>(
        &mut self,
        record: &Object<'a>,
        id: Text<'a>,
        is_inner: bool,
        out: &mut Statement<'a>,
    ) {
        if !self.others.iter().any(|other| other.id == id) {
            let other = OtherRun {
                id: id.clone().into_owned(),
                is_inner,
                reading: Unknown::default(),
            };
            push_latest(&mut self.others, other, MOST);
        }
        let Some(other) = self.others.iter_mut().find(|other| other.id == id) else {
            return;
        };
        other.reading.facts(record, out);
        match other.is_inner {
            true => become_inner(id, out),
            false => out.response = Some(id),
        }
    }
}

impl Dialect for Runs {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        match self.whose(record) {
            Whose::Own => {
                self.own.facts(record, out);
                self.note(record, out);
            }
            Whose::Other(id, is_inner) => self.read_other(record, id, is_inner, out),
            Whose::Nobody => out.push(Fact::known(kind(record))),
        }
    }

    fn goes_on_in_array(&mut self) {
        self.own.goes_on_in_array();
    }

    fn is_of_event(&mut self) {
        self.own.is_of_event();
    }

    fn finish(&mut self, out: &mut Statement<'_>) {
        self.own.finish(out);
    }
}

impl<'a> Ids<'a> {
    /// Returns the ids in a record; `None` if it has none.
    fn of(record: &Object<'a>) -> Option<Self> {
        let mut runs = RUN_IDS.numbered(record);
        let run = runs.find_map(|(at, id)| Some((at, id.text().filter(|id| !id.is_empty())?)));
        let session = usual::session_at(record);
        (run.is_some() || session.is_some()).then_some(Self { run, session })
    }

    const fn is_known(&self) -> bool {
        self.run.is_some() || self.session.is_some()
    }

    fn has(&self, id: &Text<'_>) -> bool {
        let all = self.run.iter().chain(&self.session);
        all.into_iter().any(|(_, own)| own == id)
    }

    /// Whether these ids name the same run, as far as both state one.
    fn is_same(&self, other: &Ids<'_>) -> bool {
        let same = |one: &Option<(usize, Text<'_>)>, other: &Option<(usize, Text<'_>)>| {
            one.is_some() && one == other
        };
        same(&self.run, &other.run) || same(&self.session, &other.session)
    }

    /// Returns the id by which other ids name another run: that of a member with the same name, and another one.
    fn other<'b>(&self, other: &Ids<'b>) -> Option<Text<'b>> {
        let differs = |own: &Option<(usize, Text<'_>)>, other: &Option<(usize, Text<'b>)>| {
            let ((own_at, own), (at, id)) = (own.as_ref()?, other.as_ref()?);
            (own_at == at && own != id).then(|| id.clone())
        };
        differs(&self.run, &other.run).or_else(|| differs(&self.session, &other.session))
    }

    fn into_owned(self) -> Ids<'static> {
        let owned = |id: Option<(usize, Text<'_>)>| id.map(|(at, id)| (at, id.into_owned()));
        Ids {
            run: owned(self.run),
            session: owned(self.session),
        }
    }
}

/// Returns the objects in which a record names its run: itself, and what it carries.
fn places<'a>(record: &Object<'a>) -> impl Iterator<Item = Object<'a>> {
    let carried = super::CARRIED.objects(record);
    std::iter::once(record.clone()).chain(carried)
}

/// Returns the name of the subagent that a record says it is of, by a member or by the words of its type. A call may
/// name the subagent that it starts.
fn mark_of_subagent<'a>(record: &Object<'a>) -> Option<Text<'a>> {
    let called = record.text("subagent");
    let called = called.filter(|_| !usual::words(record).has(Words::TOOL));
    let named = SUBAGENTS.text(record).or(called);
    let named = named.filter(|id| !id.is_empty());
    let is_said = |name| record.is(name, "subagent");
    let is_set = FLAGS.is_set(record)
        || ["scope", "source", "role"].into_iter().any(is_said)
        || kind(record).is_some_and(|kind| is_of_subagent(&kind));
    named.or(is_set.then(|| Text::from("subagent")))
}

/// Whether the words of a type say that a record is a subagent's: `subagent_token`, `subAgent.delta`.
fn is_of_subagent(kind: &Text<'_>) -> bool {
    let mut follows_sub = false;
    usual::alphabetic_words(kind.as_bytes()).any(|word| {
        let is = |other: &str| word.eq_ignore_ascii_case(other.as_bytes());
        is("subagent") || std::mem::replace(&mut follows_sub, is("sub")) && is("agent")
    })
}

/// Whether a record is an event of LangChain, in which each step has the id of a run.
fn is_langchain(record: &Object<'_>) -> bool {
    let event = record.word("event");
    event.is_some_and(|event| event.starts_with(b"on_"))
}

/// Makes what a record states that of a run inside the run.
fn become_inner<'a>(id: Text<'a>, out: &mut Statement<'a>) {
    (out.session, out.response) = (None, None);
    out.parent = out.parent.take().or(Some(id));
    let facts = std::mem::take(&mut out.facts);
    for fact in facts {
        match fact {
            Fact::Start(_) | Fact::Turn | Fact::Step | Fact::Rest | Fact::Model(_) => {}
            Fact::Structured(_) | Fact::SessionTook(_) | Fact::TurnTook(_) => {}
            Fact::Error(problem) | Fact::Retry(problem) => out.push(Fact::Error(problem.passing())),
            Fact::End(End { error, .. }) => {
                out.extend(error.map(|error| Fact::Error(error.passing())));
            }
            fact => out.push(fact),
        }
    }
    out.or_known(None);
}
