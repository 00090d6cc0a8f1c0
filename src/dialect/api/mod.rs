//! Response bodies of model APIs: Gemini `generateContent`, OpenAI chat completions and responses, Anthropic messages.

mod errors;

use crate::json::text::Text;
use crate::json::view::{Kind, Name, Object, Value};
pub use errors::{Failure, failure};

/// Members of which every body has at least one, an error's included.
pub(super) const NAMES: &[Name] = &[
    Name::new("candidates"),
    Name::new("choices"),
    Name::new("output"),
    Name::new("usage"),
    Name::new("error"),
];

/// The text of the answer, if the document is the body of a response that is no error. `None` for everything else; an
/// answer without text (a tool call) is empty.
#[must_use]
pub fn response_text(body: &Object<'_>) -> Option<Text<'static>> {
    if body.get("error").is_some_and(|error| !error.is_null()) {
        return None;
    }
    gemini(body)
        .or_else(|| chat(body))
        .or_else(|| responses(body))
        .or_else(|| messages(body))
}

/// `{"candidates":[{"content":{"parts":[{"text"}],"role"}}],"usageMetadata","modelVersion"}`; parts that are thoughts do
/// not count.
fn gemini(body: &Object<'_>) -> Option<Text<'static>> {
    let first = body.get("candidates")?.elements().next()?;
    let content = first.get("content")?;
    (body.has("usageMetadata") || body.has("modelVersion") || content.get("role").is_some())
        .then_some(())?;
    let parts = content.get("parts").into_iter().flat_map(Value::elements);
    Some(join(parts.filter(|part| {
        part.get("thought").and_then(Value::as_bool) != Some(true)
    })))
}

/// `{"object":"chat.completion","choices":[{"message":{"role","content"}}]}`
fn chat(body: &Object<'_>) -> Option<Text<'static>> {
    let message = body.get("choices")?.elements().next()?.get("message")?;
    message.get("role")?;
    Some(content(message.get("content")))
}

/// `{"object":"response","output":[{"type":"message","content":[{"type":"output_text","text"}]}]}`
fn responses(body: &Object<'_>) -> Option<Text<'static>> {
    body.is("object", "response").then_some(())?;
    let mut text = Text::EMPTY;
    for item in body.get("output")?.elements() {
        if item.get("type").is_some_and(|kind| kind.is("message")) {
            text.push(&content(item.get("content")));
        }
    }
    Some(text)
}

/// `{"type":"message","role":"assistant","content":[{"type":"text","text"}],"usage"}`
fn messages(body: &Object<'_>) -> Option<Text<'static>> {
    let shape = body.is("type", "message") && body.is("role", "assistant") && body.has("usage");
    shape.then(|| content(body.get("content")))
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

#[cfg(test)]
mod tests {
    use super::{Object, response_text};
    use crate::json::text::Text;
    use crate::json::view::Value;

    fn read(body: &str) -> Option<Text<'static>> {
        response_text(&Object::new(Value::new(body.as_bytes()))?)
    }

    #[test]
    fn bodies_of_four_apis_are_read() {
        for body in [
            r#"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"a"},{"text":"b"}],"role":"model"},"index":0}],"modelVersion":"gemini-2.5-flash"}"#,
            r#"{"id":"chatcmpl-1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"ab"}}]}"#,
            r#"{"object":"response","error":null,"output":[{"type":"reasoning","summary":[]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ab"}]}]}"#,
            r#"{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"thinking","thinking":"x"},{"type":"text","text":"ab"}],"usage":{"input_tokens":1}}"#,
        ] {
            assert_eq!(read(body), Some("ab".into()), "{body}");
        }
    }

    #[test]
    fn errors_and_other_objects_are_no_responses() {
        for body in [
            r#"{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED"}}"#,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            r#"{"type":"message","role":"user","content":"hi"}"#,
            r#"{"choices":["a","b"]}"#,
            r#"{"candidates":[{"name":"Ada"}]}"#,
            r#"[1,2]"#,
        ] {
            assert_eq!(read(body), None, "{body}");
        }
    }
}
