//! What APIs of models send: whole responses (`bodies`), the `chunks` of streamed ones, `errors`.
//!
//! A document is an API's if it has several members that belong together; one that is not is nobody's. What the documents
//! of a source say is put together by [`Replies`].

mod bodies;
mod chunks;
mod errors;
mod replies;
#[cfg(test)]
mod tests;

use crate::json::text::Text;
use crate::json::view::{Kind, Name, Object, Value};
use crate::outcome::Outcome;
pub use errors::{Failure, failure};
pub use replies::{Replies, Reply};

/// Members of which every body and chunk has at least one.
pub(super) const NAMES: &[Name] = &[
    Name::new("candidates"),
    Name::new("promptFeedback"),
    Name::new("choices"),
    Name::new("output"),
    Name::new("usage"),
    Name::new("done"),
    Name::new("stop"),
    Name::new("generated_text"),
    Name::new("generation"),
    Name::new("results"),
    Name::new("type"),
    Name::new("error"),
];

/// What one document adds to a response.
#[derive(Debug)]
struct Part {
    /// Whose form it has: parts of different forms do not belong together.
    form: Form,
    /// The response that it belongs to, if it says so.
    id: Option<Text<'static>>,
    place: Place,
    text: Text<'static>,
    /// Why there is no answer.
    failure: Option<Failure>,
}

/// The form of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A response that comes in one document.
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
}

/// Where in a response a part stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It is all of it.
    Whole,
    /// It is the first one.
    First,
    /// More have to follow.
    Next,
    /// It is the last one, or all of it.
    Last,
    /// It ends one that has begun.
    End,
}

impl Place {
    /// That of a part that may be the last one.
    const fn last_if(ended: bool) -> Self {
        if ended { Self::Last } else { Self::Next }
    }
}

impl Part {
    /// A response that comes in one document.
    const fn whole(text: Text<'static>) -> Self {
        Self::of(Form::Body, Place::Whole, text)
    }

    const fn of(form: Form, place: Place, text: Text<'static>) -> Self {
        Self {
            form,
            id: None,
            place,
            text,
            failure: None,
        }
    }

    /// The same of the response with that id.
    fn with_id(self, id: Option<Value<'_>>) -> Self {
        let id = id.and_then(Value::text).map(Text::into_owned);
        Self { id, ..self }
    }

    /// The same, without an answer if there is a failure.
    fn failed(self, failure: Option<Failure>) -> Self {
        Self {
            failure: self.failure.or(failure),
            ..self
        }
    }

    /// The same, blocked for that reason.
    fn blocked(self, reason: Text<'_>) -> Self {
        self.failed(Some(Failure {
            class: Outcome::Blocked,
            message: reason.into_owned(),
        }))
    }

    /// The same, blocked if the reason why the response ended says so.
    fn ended_with(self, reason: Option<Value<'_>>) -> Self {
        let blocks = |reason: &Text<'_>| {
            let word = reason.to_string_lossy().to_ascii_lowercase();
            BLOCKED.contains(&word.as_str())
        };
        match reason.and_then(Value::text).filter(blocks) {
            Some(reason) => self.blocked(reason),
            None => self,
        }
    }
}

/// Reasons for which APIs withhold an answer: Gemini's `finishReason`, OpenAI's `finish_reason`, Anthropic's
/// `stop_reason`, Bedrock's `stopReason`.
const BLOCKED: [&str; 10] = [
    "safety",
    "recitation",
    "blocklist",
    "prohibited_content",
    "spii",
    "image_safety",
    "content_filter",
    "content_filtered",
    "guardrail_intervened",
    "refusal",
];

/// What a document says that is no error.
fn part(document: &Object<'_>) -> Option<Part> {
    bodies::part(document).or_else(|| chunks::part(document))
}

/// The response that a document is all of, if it is an API's and no chunk of a stream.
#[must_use]
pub fn response(document: &Object<'_>) -> Option<Reply> {
    let part = bodies::part(document)?;
    let alone = part.form == Form::Gemini || matches!(part.place, Place::Whole | Place::Last);
    alone.then(|| Reply::new(part))
}

/// Whether a document is a response with an answer, empty though it may be.
#[must_use]
pub fn is_answer(document: &Object<'_>) -> bool {
    response(document).is_some_and(|reply| reply.failure().is_none())
}

/// Text as a string or as a list of parts.
fn content(value: Option<Value<'_>>) -> Text<'static> {
    match value {
        Some(value) if value.kind() == Kind::Array => join(value.elements()),
        Some(value) => value.text().unwrap_or_default().into_owned(),
        None => Text::EMPTY,
    }
}

/// The `text` members of parts, put together.
fn join<'a>(parts: impl Iterator<Item = Value<'a>>) -> Text<'static> {
    let mut text = Text::EMPTY;
    for part in parts.filter_map(|part| part.get("text")?.text()) {
        text.push(&part);
    }
    text
}
