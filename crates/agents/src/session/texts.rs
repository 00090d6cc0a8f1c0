//! The texts of a session, of all threads, and the response that the main thread's come to.

use std::ops::Range;

use super::speech::{Said, Speech, TextKind, Track};
use super::transcript::Transcript;
use crate::fact::{Message, Problem};
use jsift_json::text::Text;
use jsift_outcome::Outcome;

/// What was said and thought in a session.
#[derive(Debug, Default)]
pub(super) struct Texts {
    /// What was said and thought so far, to tell what is new.
    pub(super) speech: Speech,
    /// The assistant's text, if it is to be kept.
    pub(super) transcript: Option<Transcript>,
    /// Whether the main thread has said anything so far.
    pub(super) said: bool,
    /// The answer that the last end states.
    end: Option<Text<'static>>,
    /// The JSON that the agent gave for a schema in its last turn, next to the final answer.
    pub(super) structured: Option<Text<'static>>,
}

impl Texts {
    pub(super) fn new(transcript: Option<Transcript>) -> Self {
        Self {
            transcript,
            ..Self::default()
        }
    }

    /// Begins a new turn.
    pub(super) fn begin_turn(&mut self) {
        self.speech.begin_turn();
        self.transcript.iter_mut().for_each(Transcript::begin_turn);
    }

    /// Begins a new response of the main thread, after a call.
    pub(super) fn begin_response(&mut self) {
        self.speech.begin_response();
        self.transcript
            .iter_mut()
            .for_each(Transcript::begin_response);
    }

    /// Adds a message or a piece of one, and returns what it comes to; `None` if it is empty.
    pub(super) fn add(&mut self, track: Track<'_>, message: &Message<'_>) -> Option<Said> {
        let is_main = track.kind == TextKind::Speech && track.parent.is_none();
        let kept = self.transcript.as_ref().filter(|_| is_main);
        let said = self.speech.add(track, message, kept)?;
        if is_main {
            self.said = true;
            if let Some(transcript) = &mut self.transcript {
                transcript.push(message, said);
            }
        }
        Some(said)
    }

    /// Takes back what the main thread said since the last call or turn. Returns the numbers of these messages.
    pub(super) fn take_back(&mut self) -> Range<u64> {
        self.transcript.iter_mut().for_each(Transcript::take_back);
        self.speech.take_back()
    }

    /// Takes back the message of a thread whose deltas are open, and returns its number.
    pub(super) fn break_off(&mut self, parent: Option<&Text<'_>>) -> Option<u64> {
        let open = self.speech.break_off(parent)?;
        let transcript = self.transcript.as_mut().filter(|_| parent.is_none());
        transcript.into_iter().for_each(|it| it.drop(open));
        Some(open)
    }

    /// Takes back the last message if it is the error that names the cause of a failure: error text is no answer.
    pub(super) fn take_back_error(&mut self, failure: &Problem<'_>) {
        let is_cause = failure.class != Outcome::Failed && !failure.message.is_empty();
        if let Some(transcript) = self.transcript.as_mut().filter(|_| is_cause)
            && transcript.last() == failure.message
        {
            transcript.drop_last();
        }
    }

    /// Notes the answer that an end states.
    pub(super) fn end(&mut self, text: &Text<'_>) {
        let Some(transcript) = &mut self.transcript else {
            return;
        };
        transcript.glue(text);
        // If a turn has no answer, the previous turn's answer stays.
        if self.end.is_none() || !text.is_empty() {
            self.end = Some(text.clone().into_owned());
        }
    }

    /// Notes the JSON for a schema.
    pub(super) fn keep_structured(&mut self, json: &Text<'_>) {
        if self.transcript.is_some() {
            self.structured = Some(json.clone().into_owned());
        }
    }

    /// Returns the final answer; `None` if there is none. `has_ended` says whether the last turn has had its end.
    pub(super) fn response(&self, has_ended: bool) -> Option<Text<'_>> {
        let end = self.end.as_ref().map(Text::borrowed);
        let reported = self.answer_of_end(has_ended);
        reported
            .or_else(|| self.spoken().map(Transcript::response))
            .or(end)
    }

    /// Returns the last message of the final answer, unless that is what the end says; `None` if text was not kept.
    pub(super) fn last_message(&self, has_ended: bool) -> Option<Text<'_>> {
        let transcript = self.transcript.as_ref();
        let transcript = transcript.filter(|_| self.answer_of_end(has_ended).is_none());
        transcript.map(Transcript::last)
    }

    /// Returns what the end says, if it is the answer: no message follows the last call.
    fn answer_of_end(&self, has_ended: bool) -> Option<Text<'_>> {
        let is_last = has_ended && self.spoken().is_none_or(Transcript::is_after_call);
        let end = self.end.as_ref().filter(|_| is_last).map(Text::borrowed);
        end.filter(|end| !end.is_blank())
    }

    /// Returns the transcript, if anything was said.
    fn spoken(&self) -> Option<&Transcript> {
        self.transcript.as_ref().filter(|_| self.said)
    }
}
