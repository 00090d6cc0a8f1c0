//! Reads what programs around models return for a request: runs of crews, predictions, conversations.

use super::bodies::{calls, in_order};
use super::{Part, PartForm, PartPlace, content};
use crate::dialect::prelude::*;
use crate::dialect::usual;

/// Reads LM Studio, `{"model_instance_id","output":[{"type":"message","content"}],"stats"}`, and the conversations of
/// Mistral, `{"object":"conversation.response","outputs":[{"type":"message.output","content"}],"usage"}`.
pub(super) fn items<'a>(body: &Object<'a>) -> Option<Part<'a>> {
    let items = match body.is("object", "conversation.response") {
        true => body.get("outputs"),
        false => body.get("output").filter(|_| body.has("model_instance_id")),
    };
    let items = items.filter(|items| items.kind() == Kind::Array)?;
    let said = |item: &Object<'a>| {
        let speaks = item.is("type", "message") || item.is("type", "message.output");
        content(item.get("content").filter(|_| speaks))
    };
    Some(in_order(Some(items), said))
}

/// Reads Replicate's predictions, `{"id","version","input","output","error","status":"succeeded"}`: the output of a
/// language model is a text or a list of its pieces. What other models make is not read, unless it failed.
pub(super) fn prediction<'a>(body: &Object<'a>) -> Option<Part<'a>> {
    let names = ["id", "version", "output", "error", "status"];
    let shape = names.iter().all(|name| body.has(name)) && body.holds("input", Kind::Object);
    let status = body.text("status").filter(|_| shape)?;
    if let Some(failure) = usual::failure(body) {
        let message = Some(failure.message.clone()).filter(|message| !message.is_empty());
        let message = message.unwrap_or(status);
        return Some(Part::whole(Text::EMPTY).failed_for(failure.class, message));
    }
    let output = body.get("output").filter(|_| status == "succeeded")?;
    let pieces = match output.kind() {
        Kind::Array => output.elements().map(Value::text).collect(),
        _ => output.text().map(|text| vec![text]),
    };
    let pieces: Vec<Text<'_>> = pieces?;
    let is_file = |piece: &Text<'_>| piece.starts_with("https://");
    let says = !pieces.is_empty() && !pieces.iter().any(is_file);
    says.then(|| Part::whole(blocks::joined(pieces.into_iter()).into_owned()))
}

/// Reads the output of a crew (CrewAI), `{"raw","json_dict","tasks_output":[…],"token_usage"}`, and a prediction of
/// Flowise, `{"text","question","chatId","chatMessageId"}`.
pub(super) fn run<'a>(body: &Object<'a>) -> Option<Part<'a>> {
    let crew = body.holds("tasks_output", Kind::Array) && body.holds("token_usage", Kind::Object);
    let chat = ["chatId", "chatMessageId"].map(|name| body.holds(name, Kind::String)) == [true; 2];
    let said = match crew {
        true => body.text("raw"),
        false => body.text("text").filter(|_| chat),
    };
    Some(Part::whole(said?.into_owned()))
}

/// Reads RAGFlow, `{"code":0,"message","data":{"answer","reference","audio_binary","id","session_id"}}`: the whole
/// answer, or all of it so far, after which comes `{"code":0,"data":true}`; since 2026 a piece,
/// `{"answer","reference","final":false}`, with `start_to_think` before thoughts and `end_to_think` after them, and at
/// last `"final":true`. An answer to a request that failed has the code of the failure.
pub(super) fn ragflow<'a>(body: &Object<'a>) -> Option<Part<'a>> {
    let code = body.get("code")?.as_i64()?;
    let data = body.get("data")?;
    if data.as_bool() == Some(true) && names!("code message data").are_all_of(body) {
        return Some(Part::at(PartPlace::End).of(PartForm::RagFlow));
    }
    let data = Object::new(data).filter(|data| data.has("reference"))?;
    let last = data.get("final").and_then(Value::as_bool);
    (last.is_some() || data.has("audio_binary") || code != 0).then_some(())?;
    let answer = data.text("answer")?;
    if code != 0 {
        return Some(Part::at(PartPlace::Whole).failed_with(answer, Some(code)));
    }
    let begins = usual::is_set(&data, "start_to_think");
    let thinks = begins || usual::is_set(&data, "end_to_think");
    Some(Part {
        repeats: last != Some(false),
        thinks: thinks.then_some(begins),
        ..Part::said(PartPlace::last_if(last == Some(true)), answer.into_owned())
            .of(PartForm::RagFlow)
    })
}

/// Reads Cloudflare's Workers AI: `{"result":{"response","usage"},"success":true,"errors":[]}`, or what is in it, as a
/// worker prints it. A response that follows a schema is an object. What is streamed is [read as
/// chunks](workers_chunk).
pub(super) fn workers<'a>(body: &Object<'a>) -> Option<Part<'a>> {
    let is_whole = body.holds("errors", Kind::Array)
        && body.get("success").and_then(Value::as_bool) == Some(true);
    let inner = body.object("result").filter(|_| is_whole);
    let result = inner.as_ref().unwrap_or(body);
    let counts = result.value().pointer("/usage/prompt_tokens").is_some();
    let shape =
        names!("response usage tool_calls").are_all_of(result) && (counts || inner.is_some());
    let said = result.get("response").filter(|_| shape)?;
    let text = match said.kind() {
        Kind::Object => Text::written(said),
        Kind::Null if result.has("tool_calls") => Text::EMPTY,
        _ => said.text()?.into_owned(),
    };
    // The last chunk counts the tokens and says nothing.
    (inner.is_some() || !text.is_empty()).then_some(())?;
    Some(Part::whole(text).with_calls(calls(result.get("tool_calls"))))
}

/// Returns the chunk of Chat Completions that states what the data of an event of Workers AI do: `{"response","p"}`,
/// where a text of random length hides how long the piece is. If a response is `open`, they may lack that text, as the
/// last ones do: `{"response":"","usage"}`. Any program may write that anywhere else.
pub(in crate::dialect) fn workers_chunk(data: &Object<'_>, open: bool) -> Option<Vec<u8>> {
    let shape = names!("response p usage tool_calls").are_all_of(data)
        && (open || data.holds("p", Kind::String));
    let said = data.get("response").filter(|_| shape)?;
    let content = match said.kind() {
        Kind::String => said.raw().to_vec(),
        // A piece of nothing but digits.
        Kind::Number => [b"\"", said.raw(), b"\""].concat(),
        Kind::Null => b"null".to_vec(),
        _ => return None,
    };
    let usage = data.get("usage").map_or(&b"null"[..], Value::raw);
    let start = b"{\"choices\":[{\"delta\":{\"content\":";
    Some([start, &*content, b"}}],\"usage\":", usage, b"}"].concat())
}
