//! Reads responses that are one document, and chunks that look like one.

use super::gemini::gemini;
use super::programs::{items, prediction, ragflow, run, workers};
use super::{Part, PartForm, PartPlace, content, errors};
use crate::dialect::claude::SYNTHETIC;
use crate::dialect::prelude::*;
use crate::dialect::usual::{self, Words};

/// The readers of each API's responses.
const BODIES: [for<'a> fn(&Object<'a>) -> Option<Part<'a>>; 20] = [
    refused,
    gemini,
    chat,
    completion,
    responses,
    messages,
    ollama,
    llama_cpp,
    converse,
    cohere,
    generated,
    plain,
    choice,
    interaction,
    workers,
    task,
    items,
    prediction,
    run,
    ragflow,
];

/// Those of them that read no object of other programs: a response is also one inside an object.
const DISTINCT: [for<'a> fn(&Object<'a>) -> Option<Part<'a>>; 6] =
    [gemini, chat, completion, messages, converse, cohere];

/// Whether a document is a response, wherever it is.
pub(super) fn is_distinct(body: &Object<'_>) -> bool {
    let items = body.holds("output", Kind::Array);
    DISTINCT.iter().any(|read| read(body).is_some()) || items && responses(body).is_some()
}

/// Returns what a document states as a response. An answer without text (a tool call) is empty.
pub(super) fn part<'a>(body: &Object<'a>) -> Option<Part<'a>> {
    let part = BODIES.iter().find_map(|read| read(body))?;
    let failed = body.get("error").is_some_and(|error| !error.is_null());
    (!failed || part.failure.is_some()).then_some(part)
}

/// Reads `{"object":"chat.completion","choices":[{"message":{"role","content"},"finish_reason"}]}`; DashScope's batches
/// have no role. OpenRouter adds an `error` to the choice where the provider failed. A body that is called a completion
/// is one without choices and messages, too: its answer is empty. The pieces that DashScope streams have `null`, or the
/// word for it, as their reason.
fn chat<'a>(body: &Object<'a>) -> Option<Part<'a>> {
    let is_chunk = body.is("object", "chat.completion.chunk");
    let named = ["chat.completion", "text_completion"];
    let named = named.iter().any(|name| body.is("object", name));
    // Perplexity repeats the message so far next to each piece.
    let mut choices = body
        .objects("choices")
        .filter(|choice| !is_chunk || !choice.has("delta"));
    let Some(choice) = choices.next() else {
        let error = body.object("error").filter(|_| !is_chunk);
        let failure = error.as_ref().and_then(errors::of_error);
        let failure = failure.or_else(|| {
            usual::error(body)
                .filter(|_| named)
                .map(Problem::into_owned)
        });
        let shape = named || failure.is_some() && body.has("choices");
        let part = shape.then(|| Part::at(PartPlace::CountsOrWhole).failed(failure))?;
        return Some(part.of(PartForm::Chat).with_id(body.get("id")));
    };
    let error = choice.object("error");
    let failure = error.as_ref().and_then(errors::of_error);
    let reason = choice.get("finish_reason");
    let Some(message) = choice.object("message") else {
        let shape = named && !choice.has("text");
        let part = shape.then(|| Part::whole(Text::EMPTY).failed(failure))?;
        return Some(part.ended_with(reason));
    };
    let shape = named || names!("role content").is_in(&message);
    let part = shape.then(|| Part::whole(content(message.get("content"))).failed(failure))?;
    let part = part.with_calls(calls(message.get("tool_calls")));
    let part = part.refused(message.get("refusal"));
    let part = match named {
        true => part,
        false => part.or_piece(PartForm::Snapshots, reason),
    };
    Some(part.ended_with(reason))
}

/// Reads `{"object":"text_completion","choices":[{"text","finish_reason"}]}`, also in chunks with the same `id`.
fn completion<'a>(body: &Object<'a>) -> Option<Part<'a>> {
    body.is("object", "text_completion").then_some(())?;
    let choice = body.get("choices")?.elements().next()?;
    let reason = choice.get("finish_reason").and_then(Value::non_null);
    let text = choice.get("text")?.text()?.into_owned();
    let part = Part::said(PartPlace::last_if(reason.is_some()), text).of(PartForm::Chat);
    Some(part.with_id(body.get("id")).ended_with(reason))
}

/// Reads `{"object":"response","output":[{"type":"message","content":[{"type":"output_text","text"}]}]}`, with an
/// `error` if `status` is `failed`. A refusal is a block `{"type":"refusal","refusal"}`.
fn responses<'a>(body: &Object<'a>) -> Option<Part<'a>> {
    let kinds = ["response", "realtime.response"];
    let named = kinds.iter().any(|kind| body.is("object", kind))
        && (body.has("output") || body.has("status"));
    let speaks = |item: Object<'_>| {
        let is_text = |block: Object<'_>| block.is("type", "output_text");
        item.is("type", "message") && item.objects("content").any(is_text)
    };
    (named || body.objects("output").any(speaks)).then(|| response(body))
}

/// Reads a response of which the record around it says that it is one.
pub(super) fn response<'a>(body: &Object<'a>) -> Part<'a> {
    let said = |item: &Object<'a>| {
        let message = item.is("type", "message");
        content(item.get("content").filter(|_| message))
    };
    let refusal = body.objects("output").find_map(|item| {
        let refused = |block: Object<'a>| block.get("refusal");
        item.objects("content").find_map(refused)
    });
    // The Realtime API has the details of any status in one member.
    let details = names!("incomplete_details status_details");
    let reason = details.objects(body).find_map(|it| it.get("reason"));
    let failed = || body.object("status_details")?.object("error");
    let error = body.object("error").or_else(failed);
    let failure = error.as_ref().and_then(errors::of_error);
    let failure = failure.or_else(|| usual::error(body).map(Problem::into_owned));
    let part = in_order(body.get("output"), said).failed(failure);
    let part = part.refused(refusal).ended_with(reason);
    part.ended_with(body.get("status"))
}

/// Reads `{"type":"message","role":"assistant","content":[{"type":"text","text"}],"stop_reason","usage"}`. Claude Code
/// writes its errors so, too, with a model that is none. A filter may leave type and role out, or the usage.
fn messages<'a>(body: &Object<'a>) -> Option<Part<'a>> {
    let typed = body.is("type", "message") && body.is("role", "assistant");
    let stops = || body.holds("content", Kind::Array) && body.holds("stop_reason", Kind::String);
    let bare = || body.holds("usage", Kind::Object) && !names!("type role").is_in(body);
    let shape = typed && (body.has("usage") || stops()) || bare() && stops();
    let part = shape.then(|| in_order(body.get("content"), text))?;
    if body.is("model", SYNTHETIC) {
        return Some(Part::at(PartPlace::Whole).failed_with(part.text, None));
    }
    Some(part.ended_with(body.get("stop_reason")))
}

/// Reads `{"model","created_at","message":{"role","content"},"done"}` or with a string `response`: a chunk until `done`
/// is true. The last chunk may say nothing, and has a `done_reason`. Where a filter has left no more than
/// `{"model","response","done"}`, a chunk that is done only ends the response before it: any service answers so.
fn ollama<'a>(body: &Object<'a>) -> Option<Part<'a>> {
    let done = match body.get("done") {
        Some(done) => done.as_bool()?,
        None => body.has("done_reason").then_some(true)?,
    };
    let message = body.object("message");
    let speaks = |message: &Object<'_>| message.is("role", "assistant");
    let counts = names!("done_reason eval_count");
    let is_filtered = names!("response done model").are_all_of(body);
    let shape = message.as_ref().is_some_and(speaks)
        || body.holds("model", Kind::String)
            && (body.holds("created_at", Kind::String) || message.is_some())
        || done && counts.is_in(body)
        || is_filtered;
    shape.then_some(())?;
    let said = match &message {
        Some(message) => message.text("content"),
        None => body.text("response"),
    };
    let place = match &said {
        None if done => PartPlace::End,
        Some(_) if done && is_filtered => PartPlace::End,
        None if message.as_ref().is_some_and(speaks) => PartPlace::Next,
        None => return None,
        Some(_) => PartPlace::last_if(done),
    };
    let called = message.and_then(|said| said.get("tool_calls"));
    let text = said.unwrap_or_default().into_owned();
    let part = Part::said(place, text)
        .of(PartForm::Ollama)
        .with_calls(calls(called));
    Some(part.ended_with(body.get("done_reason")))
}

/// Reads responses of `/completion` of llama.cpp's server: `{"content","stop","tokens_predicted"}`, a chunk until
/// `stop` is true. Chunks of 2024 have no counts.
fn llama_cpp<'a>(body: &Object<'a>) -> Option<Part<'a>> {
    let stop = body.get("stop")?.as_bool()?;
    let counts = names!("tokens_predicted tokens id_slot");
    let text = body.text("content")?.into_owned();
    let bare = names!("content stop multimodal slot_id");
    let shape = counts.is_in(body) || !stop && bare.are_all_of(body);
    let part = || Part::said(PartPlace::last_if(stop), text).of(PartForm::LlamaCpp);
    shape.then(|| part().ended_with(body.get("stop_type")))
}

/// Reads Bedrock Converse: `{"output":{"message":{"role","content":[{"text"}]}},"stopReason","usage"}`.
fn converse<'a>(body: &Object<'a>) -> Option<Part<'a>> {
    let message = body.get("output")?.get("message")?;
    let shape = message.get("role")?.is("assistant") || message.has("role") && body.has("usage");
    let reason = body.get("stopReason").filter(|_| shape)?;
    let part = in_order(message.get("content"), text);
    Some(part.ended_with(Some(reason)))
}

/// Reads Cohere v2: `{"id","finish_reason","message":{"role":"assistant","content":[{"type":"text","text"}]},"usage"}`.
fn cohere<'a>(body: &Object<'a>) -> Option<Part<'a>> {
    let message = body.object("message")?;
    let shape = message.is("role", "assistant") && body.has("id");
    let reason = body.get("finish_reason").filter(|_| shape)?;
    let part = Part::whole(content(message.get("content")));
    let part = part.with_calls(calls(message.get("tool_calls")));
    Some(part.ended_with(Some(reason)))
}

/// Reads Hugging Face TGI: `{"generated_text"}`, with `details` at most; in chunks
/// `{"index","token":{"text","special"},"generated_text"}`, of which the last repeats the whole text.
fn generated<'a>(body: &Object<'a>) -> Option<Part<'a>> {
    let text = body.text("generated_text");
    let names = names!("generated_text details index token top_tokens");
    names.are_all_of(body).then_some(())?;
    let reason = body.value().pointer("/details/finish_reason");
    let part = match body.object("token") {
        Some(token) => {
            let special = token.get("special").and_then(Value::as_bool)?;
            let said = token.text("text").filter(|_| !special).unwrap_or_default();
            let place = PartPlace::last_if(text.is_some());
            Part::said(place, said.into_owned()).of(PartForm::Generated)
        }
        None => Part::whole(text?.into_owned()),
    };
    Some(part.ended_with(reason))
}

/// Bodies of a text and few other members: their form, and the places of what tells them from other documents, of the
/// text, and of the reason why it ended. Llama, Titan (in pieces, too) and Mistral at Bedrock's InvokeModel, Cohere
/// before its version 2, Anthropic's text completions, DashScope.
const PLAIN: [(PartForm, &[&str; 3]); 7] = [
    (
        PartForm::Pieces,
        words!("/generation_token_count /generation /stop_reason"),
    ),
    (
        PartForm::Body,
        words!("/results/0/outputText /results/0/outputText /results/0/completionReason"),
    ),
    (
        PartForm::Pieces,
        words!("/totalOutputTextTokenCount /outputText /completionReason"),
    ),
    (
        PartForm::Pieces,
        words!("/outputs/0/stop_reason /outputs/0/text /outputs/0/stop_reason"),
    ),
    (
        PartForm::Body,
        words!("/generation_id /text /finish_reason"),
    ),
    (
        PartForm::Pieces,
        words!("/stop_reason /completion /stop_reason"),
    ),
    (
        PartForm::Snapshots,
        words!("/usage/output_tokens /output/text /output/finish_reason"),
    ),
];

/// Reads one of the [`PLAIN`] bodies.
fn plain<'a>(body: &Object<'a>) -> Option<Part<'a>> {
    PLAIN.iter().find_map(|(form, [tells, text, reason])| {
        // Most documents have no such member.
        body.get(text.split('/').nth(1)?)?;
        let at = |place| body.value().pointer(place);
        let said = at(tells).and(at(text))?.text()?;
        let part = Part::whole(said.into_owned());
        let part = match form {
            PartForm::Body => part,
            form => part.or_piece(*form, at(reason)),
        };
        Some(part.ended_with(at(reason)))
    })
}

/// Reads the choice of a completion that is all that there is, a chunk until it has a reason:
/// `{"text","finish_reason","index"}` (AI21, LiteLLM).
fn choice<'a>(body: &Object<'a>) -> Option<Part<'a>> {
    let names = names!("text finish_reason index is_finished usage tool_use logprobs");
    let shape = names!("index is_finished").is_in(body) && names.are_all_of(body);
    let reason = body.get("finish_reason").filter(|_| shape)?;
    let part = Part::whole(body.text("text")?.into_owned());
    let reason = Some(reason);
    Some(part.or_piece(PartForm::Pieces, reason).ended_with(reason))
}

/// Reads Google's interactions:
/// `{"object":"interaction","status","steps":[{"type":"model_output","content":[{"type":"text","text"}]},
/// {"type":"function_call","id","name","arguments"}],"usage"}`; before 2026 its `outputs` were the contents themselves.
pub(super) fn interaction<'a>(body: &Object<'a>) -> Option<Part<'a>> {
    let said = body.get("steps").or_else(|| body.get("outputs"));
    let shape = body.is("object", "interaction") || said.is_some() && body.has("usage");
    let status = body.get("status").filter(|_| shape)?;
    let text_of = |step: Value<'a>| match step.get("type")?.text()?.as_str()? {
        "model_output" => step.get("content").map(blocks::text),
        "text" => step.get("text").map(blocks::text),
        _ => None,
    };
    let steps = said.into_iter().flat_map(Value::elements);
    let text = blocks::joined(steps.filter_map(text_of));
    let part = Part::whole(text.into_owned()).with_calls(calls(said));
    Some(part.ended_with(Some(status)))
}

/// Reads a list of blocks or items in their order. Text before a call is a message of its own, and so are a comment and
/// an item with a content; only the text after the last call is the answer.
pub(super) fn in_order<'a>(
    list: Option<Value<'a>>,
    say: impl Fn(&Object<'a>) -> Text<'static>,
) -> Part<'a> {
    let plain = list.and_then(Value::text).unwrap_or_default();
    let (mut said, mut done) = (plain.into_owned(), Vec::new());
    let blocks = list.into_iter().flat_map(Value::elements);
    let message = |said: &mut Text<'static>, done: &mut Vec<Fact<'a>>| {
        let text = std::mem::take(said);
        let whole = (!text.is_empty()).then(|| Fact::said(text));
        done.extend(whole);
    };
    for block in blocks.filter_map(Object::new) {
        match step(&block).or_else(|| comment(&block, &say)) {
            Some(step) => {
                message(&mut said, &mut done);
                done.push(step);
            }
            None => {
                if block.has("content") {
                    message(&mut said, &mut done);
                }
                said.push(&say(&block));
            }
        }
    }
    if !done.is_empty() {
        message(&mut said, &mut done);
    }
    Part {
        done,
        ..Part::whole(said)
    }
}

/// Returns the message of an item that says that its text is a comment.
fn comment<'a>(item: &Object<'a>, say: impl Fn(&Object<'a>) -> Text<'static>) -> Option<Fact<'a>> {
    let channel = Channel::of(item);
    let text = (channel == Channel::Commentary).then(|| say(item));
    let text = text.filter(|text| !text.is_empty())?;
    Some(Fact::Message(Message::whole(text).on(channel)))
}

/// Returns the text of a block.
fn text(block: &Object<'_>) -> Text<'static> {
    block.text("text").unwrap_or_default().into_owned()
}

/// Returns the action in a block or an item: a call, the result of one of the API's own tools, or both.
pub(super) fn step<'a>(block: &Object<'a>) -> Option<Fact<'a>> {
    if block.holds("tool_use_id", Kind::String) {
        return Some(Fact::Result(usual::own_result(block)));
    }
    let kind = block.word("type");
    let own = kind.is_some_and(|kind| match &*kind {
        b"mcp_call" => names!("output error").first(block).is_some(),
        kind => kind.ends_with(b"_call") && block.has("status") && !block.has("name"),
    });
    if own {
        return Some(Fact::Result(ToolResult {
            call: Some(Box::new(usual::own_call(block))),
            ..usual::own_result(block)
        }));
    }
    as_call(block).map(Fact::Call)
}

/// Reads what an A2A server returns for a message: a task that has ended,
/// `{"kind":"task","contextId","status":{"state","message"},"artifacts":[{"parts":[{"text"}]}]}` (version 1:
/// `{"task":{…}}`, without `kind`), or a message, `{"kind":"message","role":"agent","messageId","parts"}`; in JSON-RPC
/// as the `result`.
fn task<'a>(body: &Object<'a>) -> Option<Part<'a>> {
    let inner = names!("task message result").objects(body).next();
    let task = inner.as_ref().unwrap_or(body);
    let of_agent = task.is("role", "agent") || task.is("role", "ROLE_AGENT");
    let stating = |text: Text<'static>, data: Option<Text<'a>>| Part {
        done: data.map(Fact::Structured).into_iter().collect(),
        ..Part::whole(text)
    };
    if of_agent && task.has("messageId") {
        return Some(stating(content(task.get("parts")), usual::data(task)));
    }
    let status = task.object("status")?;
    let artifacts = || task.objects("artifacts");
    let has_parts = |one: Object<'_>| one.holds("parts", Kind::Array);
    let signs = [
        task.has("contextId"),
        inner.is_some(),
        task.is("kind", "task"),
    ];
    let shape = signs.iter().filter(|sign| **sign).count() > 1 || artifacts().any(has_parts);
    let state = status.text("state").filter(|_| shape)?;
    let said = content(status.object("message").and_then(|said| said.get("parts")));
    if let Some(problem) = usual::failure(&status) {
        let message = Some(said).filter(|said| !said.is_empty());
        let message = message.unwrap_or_else(|| state.into_owned());
        let class = problem.or_class(class::of(&message, None)).class;
        return Some(Part::whole(Text::EMPTY).failed_for(class, message));
    }
    let ended = Words::of(state.as_bytes()).has(Words::END);
    let parts = artifacts().filter_map(|one| one.get("parts"));
    let text = blocks::texts(parts.flat_map(Value::elements)).into_owned();
    let text = if text.is_empty() { said } else { text };
    let data = artifacts().filter_map(|one| usual::data(&one)).last();
    ended.then(|| stating(text, data))
}

/// Reads the failure of a request to MiniMax, `{"base_resp":{"status_code":1008,"status_msg"}}`, whatever is next to
/// it.
fn refused<'a>(body: &Object<'a>) -> Option<Part<'a>> {
    let base = body.object("base_resp")?;
    let message = base.text("status_msg")?;
    let failed = base.get("status_code")?.as_i64()? != 0;
    failed.then(|| Part::at(PartPlace::Whole).failed_with(message, None))
}

/// Returns the calls in a list.
pub(super) fn calls<'a>(list: Option<Value<'a>>) -> impl Iterator<Item = Call<'a>> {
    let list = list.into_iter().flat_map(Value::elements);
    list.filter_map(Object::new)
        .filter_map(|block| as_call(&block))
}

/// Returns the call that a block is: an element of a list of calls, a block of a message, or an item of a response.
fn as_call<'a>(block: &Object<'a>) -> Option<Call<'a>> {
    // Bedrock puts the call into `toolUse`.
    if let Some(inner) = block.object("toolUse") {
        return Some(usual::own_call(&inner));
    }
    let kind = block.word("type");
    let calls = kind.as_deref().is_none_or(|kind| {
        let ends = [&b"function"[..], b"_call", b"tool_use"];
        ends.iter().any(|end| kind.ends_with(end))
    });
    let named = block.has("name") || block.has("function");
    (calls && named).then(|| usual::own_call(block))
}
