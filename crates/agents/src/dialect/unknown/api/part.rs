//! The part of a response that is in one document.

use super::errors;
use crate::dialect::prelude::*;
use crate::dialect::unknown::usual::{is_pending, stopped};

/// The part of a response that is in one document.
#[derive(Debug, Default)]
pub(super) struct Part<'a> {
    /// The form of the document: parts of different forms do not belong together.
    pub(super) form: PartForm,
    /// The id of the response, if the document states one.
    pub(super) id: Option<Text<'static>>,
    pub(super) place: PartPlace,
    pub(super) text: Text<'static>,
    /// What the text is for.
    pub(super) channel: Channel,
    /// The id of the item that the part is about, whose first part may say what its texts are for.
    pub(super) item: Option<Text<'static>>,
    /// Whether the text repeats the parts before.
    pub(super) repeats: bool,
    /// Calls, and the results of calls that the API itself made.
    pub(super) done: Vec<Fact<'a>>,
    /// Pieces of calls.
    pub(super) pieces: Vec<CallPiece<'a>>,
    /// Whether thoughts begin or end with the part, if any do.
    pub(super) thinks: Option<bool>,
    /// A piece of what the model says instead of an answer.
    pub(super) refusal: Text<'static>,
    /// The reason why there is no answer.
    pub(super) failure: Option<Problem<'static>>,
    /// A failure that counts only if the response says and does nothing.
    pub(super) silence: Option<Problem<'static>>,
    /// Whether the part says that the response goes on, or waits for somebody.
    pub(super) waits: bool,
}

/// A piece of a call, of which further pieces may follow. The first piece has the name.
#[derive(Debug)]
pub(super) struct CallPiece<'a> {
    /// Distinguishes calls that are streamed side by side.
    pub(super) index: Option<u64>,
    pub(super) id: Option<Text<'a>>,
    pub(super) name: Option<Text<'a>>,
    /// A piece of the arguments, which are JSON.
    pub(super) input: Text<'a>,
}

/// The form of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum PartForm {
    /// A response that is one document.
    #[default]
    Body,
    /// Gemini: each chunk looks like a response.
    Gemini,
    /// OpenAI chat completions, and the completions before them.
    Chat,
    /// OpenAI responses.
    Responses,
    /// Anthropic messages.
    Messages,
    Ollama,
    /// The server of llama.cpp.
    LlamaCpp,
    /// Bedrock's ConverseStream.
    Converse,
    /// Google's interactions.
    Interactions,
    /// The message stream of the AI SDK's user interfaces.
    Ui,
    /// Hugging Face TGI.
    Generated,
    /// AnythingLLM.
    AnythingLlm,
    /// RAGFlow: pieces, or all of the text so far, which may change at last.
    RagFlow,
    /// LangChain's messages.
    Langchain,
    /// DashScope: each piece looks like a response, and may repeat those before it.
    Snapshots,
    /// Bedrock's InvokeModel, Anthropic's text completions: each piece looks like a response.
    Pieces,
}

/// The place of a part in its response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum PartPlace {
    /// The part is the whole response.
    #[default]
    Whole,
    /// The part is the first one.
    First,
    /// More parts have to follow.
    Next,
    /// The part is the last one, or the whole response.
    Last,
    /// The part belongs to an open response; without one it is ignored.
    Inside,
    /// The part ends an open response.
    End,
    /// The part only counts the tokens of a response, which goes on if it is open.
    Counts,
    /// Such a part, or a whole response whose answer is empty.
    CountsOrWhole,
}

impl PartPlace {
    /// Whether the part says nothing without an open response.
    pub(super) const fn needs_response(self) -> bool {
        matches!(self, Self::Inside | Self::End | Self::Counts)
    }

    /// Returns `Last` if the part says that the response has ended, else `Next`.
    pub(super) const fn last_if(ended: bool) -> Self {
        if ended { Self::Last } else { Self::Next }
    }
}

impl<'a> Part<'a> {
    /// Returns a response that is one document.
    pub(super) fn whole(text: Text<'static>) -> Self {
        Self::said(PartPlace::Whole, text)
    }

    /// Returns a part without a text.
    pub(super) fn at(place: PartPlace) -> Self {
        Self::said(place, Text::EMPTY)
    }

    pub(super) fn said(place: PartPlace, text: Text<'static>) -> Self {
        Self {
            place,
            text,
            ..Self::default()
        }
    }

    /// Returns the part as one of that form.
    pub(super) fn of(self, form: PartForm) -> Self {
        Self { form, ..self }
    }

    /// Whether the part has neither text nor calls, and states no failure.
    pub(super) fn says_nothing(&self) -> bool {
        let failed = self.failure.is_some() || self.silence.is_some();
        let said = [&self.text, &self.refusal].iter().any(|it| !it.is_empty());
        !said && self.done.is_empty() && self.pieces.is_empty() && !failed
    }

    /// Adds calls.
    pub(super) fn with_calls(mut self, calls: impl Iterator<Item = Call<'a>>) -> Self {
        self.done.extend(calls.map(Fact::Call));
        self
    }

    /// Adds a piece of a call.
    pub(super) fn with_piece(mut self, piece: Option<CallPiece<'a>>) -> Self {
        self.pieces.extend(piece);
        self
    }

    /// Sets the id of the response.
    pub(super) fn with_id(self, id: Option<Value<'_>>) -> Self {
        let id = id.and_then(Value::text).map(Text::into_owned);
        Self { id, ..self }
    }

    /// Sets the id of the item that the part is about.
    pub(super) fn of_item(self, id: Option<Value<'_>>) -> Self {
        let item = id.and_then(Value::text).map(Text::into_owned);
        Self { item, ..self }
    }

    /// Sets what the text is for.
    pub(super) fn on(self, channel: Channel) -> Self {
        Self { channel, ..self }
    }

    /// Returns a response as one of a form whose pieces look like responses: more follows if the reason why it ended is
    /// `null`, or DashScope's word for that.
    pub(super) fn or_piece(self, form: PartForm, reason: Option<Value<'_>>) -> Self {
        let goes_on = reason.is_some_and(|reason| reason.is_null() || reason.is("null"));
        Self {
            place: if goes_on { PartPlace::Next } else { self.place },
            ..self.of(form)
        }
    }

    /// Sets the failure, if there is one: the response has no answer then.
    pub(super) fn failed(self, failure: Option<Problem<'static>>) -> Self {
        Self {
            failure: self.failure.or(failure),
            ..self
        }
    }

    /// Sets a failure for that reason.
    pub(super) fn failed_for(self, class: Outcome, reason: Text<'_>) -> Self {
        self.failed(Some(Problem::fatal(class, reason.into_owned())))
    }

    /// Sets a failure with that message, which or else the `status` gives its class.
    pub(super) fn failed_with(self, message: Text<'_>, status: Option<i64>) -> Self {
        self.failed(Some(errors::classed(message, status)))
    }

    /// Sets a failure with the class `blocked` if the model refuses.
    pub(super) fn refused(self, refusal: Option<Value<'_>>) -> Self {
        let refusal = refusal.and_then(Value::text);
        match refusal.filter(|said| !said.is_empty()) {
            Some(said) => self.failed_for(Outcome::Blocked, said),
            None => self,
        }
    }

    /// Sets a failure if the reason why the response ended, or its status, means one. A status may also say that the
    /// response has not ended.
    pub(super) fn ended_with(self, reason: Option<Value<'_>>) -> Self {
        // The AI SDK has the provider's reason next to its own since version 6.
        let reason = reason.map(|reason| reason.get("unified").unwrap_or(reason));
        self.ended_for_any(reason.and_then(Value::text))
    }

    /// Sets a failure if there is a reason and it means one; a run whose model has called a tool goes on.
    pub(super) fn run_ended_with(self, reason: Option<Value<'_>>) -> Self {
        let called = reason.and_then(Value::text);
        match called.as_ref().is_some_and(usual::hands_over) {
            true => Self {
                place: PartPlace::Next,
                waits: true,
                ..self
            },
            false => self.ended_with(reason),
        }
    }

    /// Sets a failure if there is a reason and it means one.
    pub(super) fn ended_for_any(self, reason: Option<Text<'_>>) -> Self {
        match reason {
            Some(reason) => self.ended_for(reason),
            None => self,
        }
    }

    /// Sets a failure if the reason means one. Python writes the type of a reason before it: `FinishReason.STOP`.
    pub(super) fn ended_for(self, reason: Text<'_>) -> Self {
        let typed = memchr::memrchr(b'.', reason.as_bytes());
        let reason = typed.map_or(reason.clone(), |dot| reason.since(dot + 1));
        let class = match &*reason.to_string_lossy().to_ascii_lowercase() {
            word if word == "pause_turn" || is_pending(&reason) => {
                return Self {
                    place: PartPlace::Next,
                    waits: true,
                    ..self
                };
            }
            // OpenAI's status, and Google's.
            "incomplete" => Outcome::Turns,
            "other" => {
                let silence = Problem::fatal(Outcome::Failed, reason.into_owned());
                let silence = Some(silence);
                return Self { silence, ..self };
            }
            _ => {
                let failure = stopped(reason);
                return self.failed(failure.map(Problem::into_owned));
            }
        };
        self.failed_for(class, reason)
    }
}
