//! Chooses the dialect of each document and reads its records.

use super::claims::Claims;
use super::{Agent, Dialect, Strength};
use crate::fact::Statement;
use crate::json::view::{Object, Value};

/// How many elements of an array are looked at before it is taken for no array of records.
const ELEMENTS_LOOKED_AT: usize = 4;

/// Takes the records that a [`Reader`] finds.
pub trait Records {
    /// One record with its agent and what it states.
    fn record(&mut self, agent: Agent, record: Value<'_>, statement: &Statement<'_>);
}

impl<F: FnMut(Agent, Value<'_>, &Statement<'_>)> Records for F {
    fn record(&mut self, agent: Agent, record: Value<'_>, statement: &Statement<'_>) {
        self(agent, record, statement);
    }
}

/// Reads the documents of one stream.
///
/// The first record that is at least [`Strength::Likely`] an agent's decides; from then on only a record that is
/// [`Strength::Certain`] another's changes the agent, or one that is [`Strength::Likely`] that of an agent before: a log
/// may hold the streams of several.
#[derive(Default)]
pub struct Reader {
    current: Option<(Agent, Box<dyn Dialect>)>,
    /// Whether it began with a record that is certain to be its agent's.
    certain: bool,
    /// Other agents of which that is true.
    before: Vec<(Agent, Box<dyn Dialect>)>,
    pinned: bool,
}

impl Reader {
    /// A reader that finds out by itself whose records they are.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A reader that takes every record for one of that agent.
    #[must_use]
    pub fn of(agent: Agent) -> Self {
        Self {
            current: Some((agent, (agent.entry().dialect)())),
            pinned: true,
            ..Self::default()
        }
    }

    /// Whether an agent is known: then most documents are its records.
    #[must_use]
    pub(crate) const fn has_agent(&self) -> bool {
        self.current.is_some()
    }

    /// Whether another agent was known before.
    #[must_use]
    pub(crate) const fn has_changed(&self) -> bool {
        !self.before.is_empty()
    }

    /// Hands the records of a document on: the document itself, or the elements of an array of records. Says whether
    /// there were any; if not, the document belongs to no agent.
    pub fn read(&mut self, document: Value<'_>, records: &mut impl Records) -> bool {
        match Object::new(document) {
            Some(record) => self.read_record(&record, records),
            None => self.read_array(document, records),
        }
    }

    /// The same for a document that is no object.
    pub(crate) fn read_array(&mut self, document: Value<'_>, records: &mut impl Records) -> bool {
        let mut looked_at = document
            .elements()
            .take(ELEMENTS_LOOKED_AT)
            .filter_map(Object::new);
        let Some(agent) = looked_at.find_map(|element| self.recognise(&element)) else {
            return false;
        };
        // Elements before the one that tells the agent are its records, too.
        self.dialect(agent, || true);
        for element in document.elements().filter_map(Object::new) {
            self.read_record(&element, records);
        }
        true
    }

    /// The same for an object.
    pub(crate) fn read_record(&mut self, record: &Object<'_>, records: &mut impl Records) -> bool {
        let agent = self.recognise(record);
        if let Some(agent) = agent {
            self.read_as(agent, record, records);
        }
        agent.is_some()
    }

    /// The same for a record of that agent.
    pub(crate) fn read_as(
        &mut self,
        agent: Agent,
        record: &Object<'_>,
        records: &mut impl Records,
    ) {
        let mut statement = Statement::default();
        let certain = || (agent.entry().recognise)(record) == Strength::Certain;
        self.dialect(agent, certain).facts(record, &mut statement);
        records.record(agent, record.value(), &statement);
    }

    /// The dialect of an agent; `certain` says whether its record is certain to be that agent's.
    fn dialect(&mut self, agent: Agent, certain: impl FnOnce() -> bool) -> &mut Box<dyn Dialect> {
        let is_it = |(other, _): &(Agent, Box<dyn Dialect>)| *other == agent;
        if !self.current.as_ref().is_some_and(is_it) {
            let again = self.before.iter().position(is_it);
            let again = again.map(|at| self.before.swap_remove(at));
            let left = self.current.take().filter(|_| self.certain);
            self.before.extend(left);
            self.certain = again.is_some() || certain();
            self.current = again;
        }
        let begun = || (agent, (agent.entry().dialect)());
        &mut self.current.get_or_insert_with(begun).1
    }

    /// Whether a record of that agent is an error object at the start of a stream that may just as well be a fork's: the
    /// records behind it tell.
    #[must_use]
    pub(crate) fn is_undecided(&self, agent: Agent, record: &Object<'_>) -> bool {
        let may_be_forks = || Agent::ALL.iter().any(|fork| fork.fork_of() == Some(agent));
        if self.current.is_some()
            || !may_be_forks()
            || (agent.entry().recognise)(record) == Strength::Certain
        {
            return false;
        }
        let mut terminal = false;
        let mut look =
            |_: Agent, _: Value<'_>, statement: &Statement<'_>| terminal |= statement.is_terminal();
        Self::of(agent).read_as(agent, record, &mut look);
        terminal
    }

    /// Whose record it was that was cut off behind `beginning`.
    #[must_use]
    pub fn recognise_cut(&self, beginning: &[u8]) -> Option<Agent> {
        let document = Value::new(beginning);
        let record = Object::new(document).or_else(|| Object::new(document.elements().next()?))?;
        let known = self.current.as_ref().map(|(agent, _)| *agent);
        known.or_else(|| {
            let claims = Agent::ALL.map(|agent| ((agent.entry().recognise)(&record), agent));
            // Among equals the first in the registry's order.
            let best = claims
                .into_iter()
                .rev()
                .max_by_key(|(strength, _)| *strength);
            best.filter(|(strength, _)| *strength > Strength::No)
                .map(|(_, agent)| agent)
        })
    }

    /// Whose record it is.
    #[must_use]
    pub(crate) fn recognise(&self, record: &Object<'_>) -> Option<Agent> {
        if let Some((current, _)) = &self.current {
            return self.goes_on(*current, record);
        }
        let claims = Claims::of(record);
        let mut best = None;
        for agent in claims.any() {
            match (agent.entry().recognise)(record) {
                Strength::Certain => return Some(agent),
                Strength::Likely if best.is_none() => best = Some(agent),
                _ => {}
            }
        }
        best
    }

    /// Whose record it is behind those of an agent.
    fn goes_on(&self, current: Agent, record: &Object<'_>) -> Option<Agent> {
        let own = Some(current).filter(|agent| (agent.entry().is_possible)(record));
        if self.pinned {
            return own;
        }
        let is_certain = |agent: Agent| (agent.entry().recognise)(record) == Strength::Certain;
        let mut others = Claims::of(record)
            .certain()
            .filter(|agent| *agent != current && is_certain(*agent));
        match others.next() {
            Some(other) if own.is_none() || !is_certain(current) => Some(other),
            _ if self.before.is_empty() => own,
            _ => self.comes_back(current, record).or(own),
        }
    }

    /// The agent before whose record it is, if it is not likely that of the present one.
    fn comes_back(&self, current: Agent, record: &Object<'_>) -> Option<Agent> {
        let is_likely = |agent: &Agent| (agent.entry().recognise)(record) >= Strength::Likely;
        if is_likely(&current) {
            return None;
        }
        let mut before = self.before.iter().rev().map(|(agent, _)| *agent);
        before.find(is_likely)
    }
}
