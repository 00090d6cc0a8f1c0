//! What a report asks of a session: how it ended and why, what it answered, and its figures.

use std::borrow::Cow;

use super::named::Named;
use super::transcript::Transcript;
use super::{Session, Tools};
use crate::dialect::Agent;
use crate::dialect::class::Known;
use crate::fact::{Problem, Tokens};
use jsift_json::text::Text;
use jsift_outcome::Outcome;

/// A limit that a session exceeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exceeded {
    /// The limit as it was asked for: `cost:0.1`.
    pub name: String,
    /// How the session exceeds it: `cost $0.43 > $0.10`.
    pub text: String,
}

impl Session {
    /// Sets the outcome that exceeded limits give the session, and the reasons. Only a success is changed.
    pub fn limit(&mut self, outcome: Outcome, why: Vec<Exceeded>) {
        if self.outcome() == Outcome::Success {
            self.limited = Some(Box::new((outcome, why)));
        }
    }

    /// Returns the limits that turn the session's success into a failure.
    #[must_use]
    pub fn limits(&self) -> &[Exceeded] {
        self.limited.as_ref().map_or(&[], |limited| &limited.1)
    }

    /// Returns why the session failed, in the words of the agent or of the message in the noise; `None` if it did not
    /// fail or no reason is stated.
    #[must_use]
    pub fn reason(&self) -> Option<Cow<'_, str>> {
        if !self.limits().is_empty() {
            let texts = self.limits().iter().map(|limit| limit.text.as_str());
            return Some(texts.collect::<Vec<_>>().join("; ").into());
        }
        if self.outcome() == Outcome::Success {
            return None;
        }
        if let Some(known) = self.known_message() {
            return Some(known.phrase.into());
        }
        let retry = self.errors.retry.as_deref();
        let retry = retry.filter(|_| !self.has_ended());
        let causes = self.fatal_error().into_iter().chain(retry);
        let messages = causes.map(|error| &error.message);
        let mut said = messages.filter(|message| !message.is_blank());
        said.next().map(Text::to_string_lossy)
    }

    /// Returns when the quota that ended the session becomes available again, in seconds since 1970, if that is stated.
    #[must_use]
    pub fn resets_at(&self) -> Option<i64> {
        let resets_at = self.errors.resets_at();
        resets_at.filter(|_| self.outcome() == Outcome::Quota)
    }

    /// Returns how the session ended. The first of these that is known decides: a [limit](Self::limit); the last
    /// terminal record; a fatal error; a retry that the session did not recover from; a known message after the last
    /// record; success, if the session came to rest and no record was lost after that; the class of an error that is
    /// mentioned after the last record. Otherwise the session is truncated.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let limited = self.limited.as_ref().map(|limited| limited.0);
        let retry = || self.errors.retry.as_ref().map(|cause| cause.class);
        let after = &self.after;
        limited
            .or(self.turn.ended)
            .or_else(|| self.fatal_error().map(|error| error.class))
            .or_else(retry)
            .or_else(|| after.known.map(|known| known.class))
            .or((self.turn.rested && !after.lost).then_some(Outcome::Success))
            .or(after.reported)
            .unwrap_or(Outcome::Truncated)
    }

    /// Returns whether the session succeeded although all its tool calls failed.
    #[must_use]
    pub fn is_doubtful(&self) -> bool {
        let tools = self.tools().map(Tools::sum).unwrap_or_default();
        self.outcome() == Outcome::Success && tools.have_all_failed()
    }

    /// Returns the known message after the last record, if the outcome comes from it.
    #[must_use]
    pub fn known_message(&self) -> Option<Known> {
        let known = self.after.known;
        known.filter(|known| !self.has_ended() && known.class == self.outcome())
    }

    /// Returns whether another start must begin another run: the model is known, or in this turn the agent has done
    /// anything or failed to.
    pub(super) fn has_begun(&self) -> bool {
        self.model.is_some() || self.turn.active || self.outcome() != Outcome::Truncated
    }

    /// Returns whether the last turn has had its terminal record.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        self.turn.ended.is_some()
    }

    /// Returns how many tasks still work in the background: subagents and commands whose end was not stated.
    #[must_use]
    pub fn running_tasks(&self) -> u64 {
        self.tasks.len() as u64
    }

    /// Returns the agent's name as messages show it.
    #[must_use]
    pub fn agent_name(&self) -> &'static str {
        self.agent.map_or("the agent", Agent::name)
    }

    /// Returns the final answer, empty if there is none. Unknown for an envelope that has no place for an answer.
    #[must_use]
    pub fn response(&self) -> Option<Text<'_>> {
        let response = self.texts.response(self.has_ended());
        response.or_else(|| self.streamed.then_some(Text::EMPTY))
    }

    /// Returns the last message of the final answer, unless that is what the end says; `None` if text was not kept.
    #[must_use]
    pub fn last_message(&self) -> Option<Text<'_>> {
        self.texts.last_message(self.has_ended())
    }

    /// Returns everything that the main thread said, if it was kept. Unknown for an envelope, which has only the
    /// answer.
    #[must_use]
    pub fn assistant_text(&self) -> Option<Text<'_>> {
        self.full_transcript()?.text()
    }

    /// Returns the transcript; `None` if text was not kept, and for an envelope, which has only the answer.
    fn full_transcript(&self) -> Option<&Transcript> {
        let transcript = self.texts.transcript.as_ref();
        transcript.filter(|_| self.streamed)
    }

    /// Returns the JSON that the agent gave for a schema in its last turn, next to the final answer.
    #[must_use]
    pub const fn structured(&self) -> Option<&Text<'static>> {
        self.texts.structured.as_ref()
    }

    /// Returns whether the main thread has said anything so far.
    pub(crate) const fn has_said(&self) -> bool {
        self.texts.said
    }

    /// Returns the number of messages of the main thread. Unknown for an envelope.
    #[must_use]
    pub fn messages(&self) -> Option<u64> {
        self.full_transcript().map(|it| it.messages)
    }

    /// Returns whether the session was read from an envelope: one record that states a whole run.
    pub(crate) const fn is_envelope(&self) -> bool {
        !self.streamed && self.has_ended()
    }

    /// Returns the number of turns. Unknown for an envelope.
    #[must_use]
    pub fn turns(&self) -> Option<u64> {
        self.streamed.then_some(self.turn.number)
    }

    /// Returns the tokens and the cost of the session.
    #[must_use]
    pub fn usage(&self) -> Tokens {
        self.usage.total()
    }

    /// Returns the tokens and the cost of each model.
    #[must_use]
    pub fn models(&self) -> Named<Tokens> {
        self.usage.models()
    }

    /// Returns the tool calls. Unknown for an envelope that does not count them.
    #[must_use]
    pub fn tools(&self) -> Option<&Tools> {
        (self.streamed || self.tools.has_totals()).then_some(&self.tools)
    }

    /// Returns whether a tool call was denied, even if the calls themselves are unknown.
    #[must_use]
    pub fn was_denied(&self) -> bool {
        self.tools.sum().denied > 0
    }

    /// Returns the tools with the files that they wrote. Unknown for an envelope.
    #[must_use]
    pub fn files(&self) -> Option<&Tools> {
        self.streamed.then_some(&self.tools)
    }

    /// Returns the errors and warnings.
    #[must_use]
    pub fn errors(&self) -> &[Problem<'static>] {
        &self.errors.kept
    }

    /// Returns the last error that is fatal.
    #[must_use]
    pub fn fatal_error(&self) -> Option<&Problem<'static>> {
        self.errors.fatal()
    }
}
