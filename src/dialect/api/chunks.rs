//! The chunks of streamed responses.

use super::{Form, Part, Place, bodies, errors};
use crate::json::text::Text;
use crate::json::view::{Kind, Object, Value};

/// What a document says as a chunk.
pub(super) fn part(chunk: &Object<'_>) -> Option<Part> {
    if chunk.is("object", "chat.completion.chunk") {
        return chat(chunk);
    }
    let kind = chunk.word("type")?;
    match &*kind {
        kind if kind.starts_with(b"response.") => responses(kind, chunk),
        kind => messages(kind, chunk),
    }
}

/// `{"id","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content"},"finish_reason"}]}`. The one with the
/// usage has no choices, and comes behind the end; OpenRouter has an `error` in the one at which the provider failed.
fn chat(chunk: &Object<'_>) -> Option<Part> {
    let choices = chunk.get("choices")?;
    let is_first =
        |choice: &Value<'_>| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
    let first = choices.elements().find(is_first);
    let said = first.and_then(|choice| choice.get("delta")?.get("content")?.text());
    let reason = first.and_then(|choice| choice.get("finish_reason")?.non_null());
    let place = match choices.elements().next() {
        Some(_) => Place::last_if(reason.is_some()),
        None => Place::End,
    };
    let error = chunk.object("error");
    let part = Part::of(Form::Chat, place, said.unwrap_or_default().into_owned())
        .with_id(chunk.get("id"))
        .failed(error.as_ref().and_then(errors::of_error));
    Some(part.ended_with(reason))
}

/// `{"type":"response.…"}`. The last one repeats all that was said, in a response: the others do not count.
fn responses(kind: &[u8], chunk: &Object<'_>) -> Option<Part> {
    let whole = || bodies::responses(&chunk.object("response")?);
    match kind {
        b"response.created" => {
            let first = Part::of(Form::Responses, Place::First, Text::EMPTY);
            whole().map(|_| first)
        }
        b"response.completed" | b"response.incomplete" | b"response.failed" => whole(),
        _ => {
            let shape = chunk.has("sequence_number") || chunk.has("item_id") || chunk.has("delta");
            shape.then(|| Part::of(Form::Responses, Place::Next, Text::EMPTY))
        }
    }
}

/// `{"type":"message_start","message"}`, `{"type":"content_block_delta","index","delta":{"type":"text_delta","text"}}`,
/// `{"type":"message_delta","delta":{"stop_reason"},"usage"}`, `{"type":"message_stop"}`
fn messages(kind: &[u8], chunk: &Object<'_>) -> Option<Part> {
    let part = |place, text| Part::of(Form::Messages, place, text);
    let empty = |place| part(place, Text::EMPTY);
    Some(match kind {
        b"message_start" => {
            let message = chunk.object("message")?;
            let shape = message.is("type", "message") && message.is("role", "assistant");
            shape.then(|| empty(Place::First))?
        }
        b"content_block_start" => {
            chunk.get("content_block").filter(|_| chunk.has("index"))?;
            empty(Place::Next)
        }
        b"content_block_delta" => {
            let delta = chunk.object("delta").filter(|_| chunk.has("index"))?;
            match delta
                .text("text")
                .filter(|_| delta.is("type", "text_delta"))
            {
                Some(text) => part(Place::Next, text.into_owned()),
                None => empty(Place::Next),
            }
        }
        b"message_delta" if chunk.holds("usage", Kind::Object) => {
            empty(Place::Next).ended_with(chunk.get("delta")?.get("stop_reason"))
        }
        b"message_stop" => empty(Place::End),
        _ => return None,
    })
}
