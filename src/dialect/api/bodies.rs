//! Responses that come in one document, and chunks that look like one.

use super::{Form, Part, Place, content, errors, join};
use crate::json::text::Text;
use crate::json::view::{Kind, Object, Value};

/// Each API's.
const BODIES: [fn(&Object<'_>) -> Option<Part>; 12] = [
    gemini, chat, completion, responses, messages, ollama, llama_cpp, converse, cohere, generated,
    llama, titan,
];

/// What a document says as a response. An answer without text (a tool call) is empty.
pub(super) fn part(body: &Object<'_>) -> Option<Part> {
    let part = BODIES.iter().find_map(|read| read(body))?;
    let failed = body.get("error").is_some_and(|error| !error.is_null());
    (!failed || part.failure.is_some()).then_some(part)
}

/// `{"candidates":[{"content":{"parts":[{"text"}],"role"},"finishReason"}],"usageMetadata","modelVersion"}`; parts that
/// are thoughts do not count. What is blocked has no content, or `promptFeedback` and no candidates. Chunks but the last
/// have no `finishReason`, and all of them the same `responseId` (2025).
fn gemini(body: &Object<'_>) -> Option<Part> {
    let of_gemini = || body.has("usageMetadata") || body.has("modelVersion");
    let candidate = body.get("candidates").and_then(|all| all.elements().next());
    let Some(candidate) = candidate else {
        let reason = body.get("promptFeedback")?.get("blockReason")?.text()?;
        let blocked = Part::of(Form::Gemini, Place::Last, Text::EMPTY);
        return Some(blocked.blocked(reason));
    };
    let reason = candidate.get("finishReason").and_then(Value::non_null);
    let content = candidate.get("content");
    let has_role = content.is_some_and(|content| content.get("role").is_some());
    let shape = has_role || of_gemini() && (content.or(reason)).is_some();
    shape.then_some(())?;
    let parts = content.and_then(|content| content.get("parts"));
    let said = parts.into_iter().flat_map(Value::elements);
    let text = join(said.filter(|part| part.get("thought").and_then(Value::as_bool) != Some(true)));
    let part = Part::of(Form::Gemini, Place::last_if(reason.is_some()), text);
    Some(part.with_id(body.get("responseId")).ended_with(reason))
}

/// `{"object":"chat.completion","choices":[{"message":{"role","content"},"finish_reason"}]}`. OpenRouter has an `error`
/// in the choice where the provider failed.
fn chat(body: &Object<'_>) -> Option<Part> {
    let choice = body.get("choices")?.elements().next()?;
    let message = choice.get("message")?;
    message.get("role")?;
    let error = choice.get("error").and_then(Object::new);
    let failure = error.as_ref().and_then(errors::of_error);
    let part = Part::whole(content(message.get("content"))).failed(failure);
    Some(part.ended_with(choice.get("finish_reason")))
}

/// `{"object":"text_completion","choices":[{"text","finish_reason"}]}`, also in chunks with the same `id`.
fn completion(body: &Object<'_>) -> Option<Part> {
    body.is("object", "text_completion").then_some(())?;
    let choice = body.get("choices")?.elements().next()?;
    let reason = choice.get("finish_reason").and_then(Value::non_null);
    let text = choice.get("text")?.text()?.into_owned();
    let part = Part::of(Form::Chat, Place::last_if(reason.is_some()), text);
    Some(part.with_id(body.get("id")).ended_with(reason))
}

/// `{"object":"response","output":[{"type":"message","content":[{"type":"output_text","text"}]}]}`, with an `error` where
/// `status` is `failed`.
pub(super) fn responses(body: &Object<'_>) -> Option<Part> {
    body.is("object", "response").then_some(())?;
    let mut text = Text::EMPTY;
    for item in body.get("output")?.elements() {
        if item.get("type").is_some_and(|kind| kind.is("message")) {
            text.push(&content(item.get("content")));
        }
    }
    let reason = body.value().pointer("/incomplete_details/reason");
    let failure = body.object("error").as_ref().and_then(errors::of_error);
    Some(Part::whole(text).failed(failure).ended_with(reason))
}

/// `{"type":"message","role":"assistant","content":[{"type":"text","text"}],"stop_reason","usage"}`
fn messages(body: &Object<'_>) -> Option<Part> {
    let shape = body.is("type", "message") && body.is("role", "assistant") && body.has("usage");
    shape.then(|| Part::whole(content(body.get("content"))).ended_with(body.get("stop_reason")))
}

/// `{"model","created_at","message":{"role","content"},"done"}` or with `response`, a string: a chunk until it is done.
fn ollama(body: &Object<'_>) -> Option<Part> {
    let done = body.get("done")?.as_bool()?;
    let shape = body.holds("model", Kind::String) && body.holds("created_at", Kind::String);
    let said = match body.get("message") {
        Some(message) => message.get("role").and(message.get("content")),
        None => body.get("response"),
    };
    let text = said.filter(|_| shape)?.text()?.into_owned();
    Some(Part::of(Form::Ollama, Place::last_if(done), text))
}

/// `/completion` of llama.cpp's server: `{"content","stop","tokens_predicted"}`, a chunk until it stops.
fn llama_cpp(body: &Object<'_>) -> Option<Part> {
    let stop = body.get("stop")?.as_bool()?;
    let counts = ["tokens_predicted", "tokens", "id_slot"];
    let text = body.text("content")?.into_owned();
    let shape = counts.iter().any(|name| body.has(name));
    shape.then(|| Part::of(Form::LlamaCpp, Place::last_if(stop), text))
}

/// Bedrock Converse: `{"output":{"message":{"role","content":[{"text"}]}},"stopReason","usage"}`
fn converse(body: &Object<'_>) -> Option<Part> {
    let message = body.get("output")?.get("message")?;
    let shape = message.has("role") && body.has("usage");
    let reason = body.get("stopReason").filter(|_| shape)?;
    Some(Part::whole(content(message.get("content"))).ended_with(Some(reason)))
}

/// Cohere v2: `{"id","finish_reason","message":{"role":"assistant","content":[{"type":"text","text"}]},"usage"}`
fn cohere(body: &Object<'_>) -> Option<Part> {
    let message = body.object("message")?;
    let shape = message.is("role", "assistant") && body.has("id") && body.has("usage");
    let reason = body.get("finish_reason").filter(|_| shape)?;
    Some(Part::whole(content(message.get("content"))).ended_with(Some(reason)))
}

/// Hugging Face TGI: `{"generated_text"}`, with `details` at most.
fn generated(body: &Object<'_>) -> Option<Part> {
    let text = body.text("generated_text")?;
    let known = ["generated_text", "details"];
    let shape = body
        .members()
        .all(|(key, _)| known.iter().any(|name| key.is(name)));
    shape.then(|| Part::whole(text.into_owned()))
}

/// Llama at Bedrock's InvokeModel: `{"generation","prompt_token_count","generation_token_count","stop_reason"}`
fn llama(body: &Object<'_>) -> Option<Part> {
    let shape = body.has("generation_token_count") && body.has("stop_reason");
    let text = body.text("generation").filter(|_| shape)?;
    Some(Part::whole(text.into_owned()))
}

/// Titan there: `{"inputTextTokenCount","results":[{"outputText","completionReason"}]}`
fn titan(body: &Object<'_>) -> Option<Part> {
    body.get("inputTextTokenCount")?;
    let result = body.get("results")?.elements().next()?;
    let text = result.get("outputText")?.text()?.into_owned();
    Some(Part::whole(text).ended_with(result.get("completionReason")))
}
