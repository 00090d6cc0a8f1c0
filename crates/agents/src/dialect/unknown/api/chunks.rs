//! The chunks of streamed responses.

use super::errors;
use super::{CallPiece, Part, PartForm, PartPlace, bodies, content};
use crate::dialect::prelude::*;
use crate::dialect::unknown::place::{Role, role};

/// Returns what a document states as a chunk; `None` if it is none.
pub(super) fn part<'a>(chunk: &Object<'a>) -> Option<Part<'a>> {
    let adds = |choice: Object<'_>| choice.holds("delta", Kind::Object);
    let is_chat = chunk.is("object", "chat.completion.chunk") || ends_chat(chunk);
    if is_chat || chunk.objects("choices").any(adds) {
        return Some(chat(chunk)?.of(PartForm::Chat));
    }
    if let Some(kind) = chunk.word("event_type") {
        return Some(interactions(&kind, chunk)?.of(PartForm::Interactions));
    }
    let Some(kind) = chunk.word("type") else {
        return Some(converse(chunk)?.of(PartForm::Converse));
    };
    let numbered = *kind == *b"error" && chunk.has("sequence_number");
    Some(match &*kind {
        kind if numbered || kind.starts_with(b"response.") => {
            responses(kind, chunk)?.of(PartForm::Responses)
        }
        b"AIMessageChunk" | b"ai" => langchain(&kind, chunk)?.of(PartForm::Langchain),
        _ => {
            let anything_llm = || Some(anything_llm(&kind, chunk)?.of(PartForm::AnythingLlm));
            let ui = || Some(ui(&kind, chunk)?.of(PartForm::Ui));
            let messages = messages(&kind, chunk).map(|part| part.of(PartForm::Messages));
            messages.or_else(anything_llm).or_else(ui)?
        }
    })
}

/// Whether a chunk without texts says why a completion stopped or counts its tokens.
fn ends_chat(chunk: &Object<'_>) -> bool {
    let counts = chunk.holds("usage", Kind::Object);
    let stops = |choice: Object<'_>| {
        choice.holds("finish_reason", Kind::String) && !names!("message text").is_in(&choice)
    };
    let mut choices = chunk.objects("choices");
    chunk.holds("choices", Kind::Array) && choices.next().map_or(counts, stops)
}

/// Reads `{"id","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content"},"finish_reason"}]}`. The
/// chunk with the usage has no choices, or an empty one (OpenRouter): it comes after the end, or anywhere. OpenRouter
/// adds an `error` to the chunk at which the provider failed, which may be the first one and have no choices.
fn chat<'a>(chunk: &Object<'a>) -> Option<Part<'a>> {
    let choices = chunk.get("choices")?;
    let is_first =
        |choice: &Value<'_>| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
    let first = choices.elements().find(is_first);
    let delta = first.and_then(|choice| Object::new(choice.get("delta")?));
    // What a tool gave may be streamed, too (Azure's answers from one's own data).
    let delta = delta.filter(|delta| role(delta).is_none_or(|role| role == Role::Agent));
    let said = delta.and_then(|delta| delta.text("content"));
    let reason = first
        .and_then(|choice| choice.get("finish_reason"))
        .filter(is_reason);
    let adds = |choice: Value<'_>| choice.get("delta").is_some();
    let error = chunk.object("error").as_ref().and_then(errors::of_error);
    let error = error.or_else(|| usual::error(chunk).map(Problem::into_owned));
    let place = match choices.elements().any(adds) {
        // Another choice goes on after the first one has ended.
        true if first.is_none() => PartPlace::Inside,
        true => PartPlace::last_if(reason.is_some()),
        false if error.is_some() => PartPlace::CountsOrWhole,
        false if reason.is_none() => PartPlace::Counts,
        false => PartPlace::End,
    };
    let called = first.and_then(|choice| choice.get("delta")?.get("tool_calls"));
    let called = called.into_iter().flat_map(Value::elements);
    let pieces = called.filter_map(|block| {
        let function = block.get("function").and_then(Object::new)?;
        let input = function.text("arguments").unwrap_or_default();
        piece(&Object::new(block)?, function.text("name"), Some(input))
    });
    let mut part = self::said(place, said)
        .with_id(chunk.get("id"))
        .failed(error);
    let refusal = first.and_then(|choice| choice.get("delta")?.get("refusal")?.text());
    part.refusal = refusal.map(Text::into_owned).unwrap_or_default();
    part.pieces.extend(pieces);
    Some(part.ended_with(reason))
}

/// Whether a reason why a completion ended is one: while it goes on, it is `null`, an empty text or the word `null`.
fn is_reason(reason: &Value<'_>) -> bool {
    !reason.is_null() && !reason.is("") && !reason.is("null")
}

/// Reads `{"type":"response.…"}`. The last chunk repeats the whole response (`response.done` in the Realtime API);
/// `{"type":"error","code","message","param","sequence_number"}` may precede it, or be in its place.
fn responses<'a>(kind: &[u8], chunk: &Object<'a>) -> Option<Part<'a>> {
    match kind {
        b"response.created" => chunk.object("response").map(|_| Part::at(PartPlace::First)),
        b"response.completed" | b"response.incomplete" | b"response.failed" | b"response.done" => {
            Some(ended(
                kind.strip_prefix(b"response.").unwrap_or_default(),
                chunk,
            ))
        }
        // The Realtime API streams texts, and what is spoken; others shorten the name.
        b"response.output_text.delta"
        | b"response.text.delta"
        | b"response.audio_transcript.delta"
        | b"response.output_audio_transcript.delta"
        | b"response.delta"
        | b"response.chunk" => {
            let text = said(PartPlace::Next, Some(chunk.text("delta")?));
            Some(text.of_item(chunk.get("item_id")))
        }
        b"response.output_text.done" => {
            let text = said(PartPlace::Next, Some(chunk.text("text")?));
            Some(Part {
                repeats: true,
                ..text.of_item(chunk.get("item_id"))
            })
        }
        b"response.output_item.added" => {
            let item = chunk.object("item")?;
            let part = Part::at(PartPlace::Next).of_item(item.get("id"));
            Some(part.on(Channel::of(&item)))
        }
        b"response.output_item.done" => {
            let item = chunk.object("item")?;
            let text = content(item.get("content").filter(|_| item.is("type", "message")));
            // It repeats its pieces, and may be the first to say what they are for.
            let message = Message::new(item.text("id"), text, Form::Block).on(Channel::of(&item));
            let message = Some(message).filter(|message| !message.text.is_empty());
            let mut part = Part::at(PartPlace::Next);
            part.done.extend(message.map(Fact::Message));
            part.done.extend(bodies::step(&item));
            Some(part)
        }
        b"error" => {
            let failure = errors::of_error(chunk)?;
            Some(Part::at(PartPlace::Next).failed(Some(failure)))
        }
        _ => {
            let shape = chunk.has("sequence_number") || chunk.has("item_id") || chunk.has("delta");
            shape.then(|| Part::at(PartPlace::Next))
        }
    }
}

/// Reads the chunk that ends a response with that status, which the response in it need not repeat. Without a response
/// it only ends the one before, since any program may call its responses so, unless it says nothing but that it failed.
fn ended<'a>(status: &[u8], chunk: &Object<'a>) -> Part<'a> {
    let response = chunk.object("response");
    let error = chunk.object("error").as_ref().and_then(errors::of_error);
    let only_fails = status == b"failed" && usual::has_only(chunk, [names!("type error")]);
    let is_last = response.is_some() || error.is_some() || only_fails;
    let error = error.or_else(|| usual::error(chunk).map(Problem::into_owned));
    let stated = response.as_ref().map(bodies::response).unwrap_or_default();
    let part = Part {
        place: match is_last {
            true => PartPlace::Last,
            false => PartPlace::End,
        },
        repeats: is_last,
        ..stated.failed(error)
    };
    part.ended_for(Text::from(String::from_utf8_lossy(status).into_owned()))
}

/// Reads `{"type":"message_start","message"}`,
/// `{"type":"content_block_delta","index","delta":{"type":"text_delta","text"}}`,
/// `{"type":"message_delta","delta":{"stop_reason"},"usage"}`, `{"type":"message_stop"}`.
fn messages<'a>(kind: &[u8], chunk: &Object<'a>) -> Option<Part<'a>> {
    Some(match kind {
        b"message_start" => {
            let message = chunk.object("message")?;
            let typed = message.is("type", "message") && message.is("role", "assistant");
            let shape = typed || message.holds("usage", Kind::Object);
            shape.then(|| Part::at(PartPlace::First))?
        }
        b"content_block_start" => {
            let block = chunk.object("content_block")?;
            let text = block.text("text").filter(|_| block.is("type", "text"));
            said(PartPlace::Next, text).with_piece(begun(chunk, &block, "input"))
        }
        b"content_block_delta" => {
            let delta = chunk.object("delta")?;
            let kind = blocks::kind(&delta);
            let is_text = kind.is_some_and(|kind| kind.starts_with(b"text"));
            let text = delta.text("text").filter(|_| is_text);
            said(PartPlace::Next, text).with_piece(piece(chunk, None, delta.text("partial_json")))
        }
        b"message_delta" => {
            let reason = chunk.get("delta").and_then(|it| it.get("stop_reason"));
            let shape = reason.is_some() || chunk.holds("usage", Kind::Object);
            shape.then(|| Part::at(PartPlace::Next).ended_with(reason))?
        }
        b"content_block_stop" => Part::at(PartPlace::Inside),
        b"message_stop" => Part::at(PartPlace::End),
        _ => return None,
    })
}

/// Reads Bedrock's ConverseStream: `{"messageStart":{"role"}}`,
/// `{"contentBlockStart":{"start":{"toolUse":{"toolUseId","name"}}}}`,
/// `{"contentBlockDelta":{"delta":{"text"}|{"toolUse":{"input"}},"contentBlockIndex"}}`,
/// `{"messageStop":{"stopReason"}}`, after it `{"metadata":{"usage"}}`; a failure is
/// `{"throttlingException":{"message"}}` and the like.
fn converse<'a>(chunk: &Object<'a>) -> Option<Part<'a>> {
    const MEMBERS: NameList = names!(
        "messageStart contentBlockStart contentBlockDelta contentBlockStop messageStop metadata throttlingException \
         validationException modelStreamErrorException modelTimeoutException internalServerException \
         serviceUnavailableException"
    );
    const EXCEPTIONS: [(&str, i64); 6] = [
        ("throttlingException", 429),
        ("validationException", 400),
        ("modelStreamErrorException", 500),
        ("modelTimeoutException", 408),
        ("internalServerException", 500),
        ("serviceUnavailableException", 503),
    ];
    let (at, value) = MEMBERS.numbered(chunk).next()?;
    let inner = Object::new(value)?;
    Some(match MEMBERS.names[at].text {
        "messageStart" if inner.has("role") => Part::at(PartPlace::First),
        "contentBlockStart" => {
            let call = inner.object("start")?.object("toolUse");
            Part::at(PartPlace::Next)
                .with_piece(call.and_then(|call| begun(&inner, &call, "input")))
        }
        "contentBlockDelta" => {
            let delta = inner.object("delta")?;
            let input = delta.object("toolUse").and_then(|call| call.text("input"));
            said(PartPlace::Next, delta.text("text")).with_piece(piece(&inner, None, input))
        }
        "contentBlockStop" if inner.has("contentBlockIndex") => Part::at(PartPlace::Next),
        "messageStop" => Part::at(PartPlace::End).ended_with(inner.get("stopReason")),
        // Other records have metadata next to what they say.
        "metadata" if inner.has("usage") && usual::has_only(chunk, [names!("metadata")]) => {
            Part::at(PartPlace::End)
        }
        name => {
            let (_, code) = EXCEPTIONS.iter().find(|(known, _)| *known == name)?;
            Part::at(PartPlace::Last).failed_with(inner.text("message")?, Some(*code))
        }
    })
}

/// Reads Google's interactions: `{"event_type":"interaction.created","interaction"}`,
/// `{"event_type":"step.start","index","step":{"type",…}}`,
/// `{"event_type":"step.delta","index","delta":{"type":"text","text"}|{"type":"arguments_delta","arguments"}}`, at the
/// end `{"event_type":"interaction.completed","interaction":{"status","usage"}}`. Before 2026 they were called
/// `content.…` and `interaction.complete`.
fn interactions<'a>(kind: &[u8], chunk: &Object<'a>) -> Option<Part<'a>> {
    Some(match kind {
        b"interaction.created" | b"interaction.start" => {
            chunk.object("interaction")?;
            Part::at(PartPlace::First)
        }
        b"step.start" => {
            let step = chunk.object("step")?;
            let first = begun(chunk, &step, "arguments");
            let said = step
                .get("content")
                .filter(|_| step.is("type", "model_output"));
            Part::said(PartPlace::Next, content(said)).with_piece(first)
        }
        b"step.delta" | b"content.delta" => {
            let delta = chunk.object("delta")?;
            let text = delta.text("text").filter(|_| delta.is("type", "text"));
            let call = delta.has("name").then(|| usual::own_call(&delta));
            let input = delta.text("arguments").filter(|_| call.is_none());
            said(PartPlace::Next, text)
                .with_calls(call.into_iter())
                .with_piece(piece(chunk, None, input))
        }
        b"step.stop" | b"content.start" | b"content.stop" | b"interaction.status_update" => {
            Part::at(PartPlace::Inside)
        }
        b"interaction.completed" | b"interaction.complete" => {
            let interaction = chunk.object("interaction")?;
            let whole = bodies::interaction(&interaction);
            Part {
                place: PartPlace::Last,
                repeats: true,
                ..whole.unwrap_or_else(|| Part::at(PartPlace::Last))
            }
            .ended_with(interaction.get("status"))
        }
        b"error" => Part::at(PartPlace::Next).failed(errors::of_error(&chunk.object("error")?)),
        _ => return None,
    })
}

/// Reads the message stream of the AI SDK's user interfaces (version 5): `{"type":"start","messageId"}`,
/// `{"type":"text-delta","id","delta"}`, `{"type":"tool-input-available","toolCallId","toolName","input"}`,
/// `{"type":"tool-output-available","toolCallId","output"}`, `{"type":"error","errorText"}`, `{"type":"finish"}`.
fn ui<'a>(kind: &[u8], chunk: &Object<'a>) -> Option<Part<'a>> {
    let mut part = Part::at(PartPlace::Next);
    let id = || chunk.text("toolCallId");
    match kind {
        b"start" if chunk.has("messageId") => part.place = PartPlace::First,
        b"text-delta" => {
            part = part.of_item(Some(
                chunk.get("id").filter(|id| id.kind() == Kind::String)?,
            ));
            part.text = chunk.text("delta")?.into_owned();
        }
        b"tool-input-available" => part.done.push(Fact::Call(usual::call(chunk, id()?))),
        // A result that others replace.
        b"tool-output-available" if usual::is_set(chunk, "preliminary") => {
            part.place = PartPlace::Inside;
        }
        b"tool-output-available" => {
            part.done.push(Fact::Result(usual::result(chunk, id()?)));
        }
        b"tool-input-error" | b"tool-output-error" | b"tool-output-denied" => {
            let status = ToolStatus::of(true, kind.ends_with(b"denied"));
            let call = || Box::new(usual::call(chunk, id().unwrap_or_default()));
            part.done.push(Fact::Result(ToolResult {
                error: chunk.text("errorText"),
                call: chunk.has("toolName").then(call),
                ..ToolResult::new(id()?, status)
            }));
        }
        b"error" => part = part.failed_with(chunk.text("errorText")?, None),
        b"reset-step" => {
            part.place = PartPlace::Inside;
            part.done.push(Fact::TakeBack);
        }
        b"finish" => part = Part::at(PartPlace::End).run_ended_with(chunk.get("finishReason")),
        b"abort" => {
            let reason = chunk.text("reason").unwrap_or(Text::from("abort"));
            part = Part::at(PartPlace::End).failed_for(Outcome::Cancelled, reason);
        }
        b"start" | b"start-step" | b"finish-step" | b"message-metadata" | b"file"
        | b"text-start" | b"text-end" | b"reasoning-start" | b"reasoning-delta"
        | b"reasoning-end" | b"tool-input-start" | b"tool-input-delta" | b"source-url"
        | b"source-document" => part.place = PartPlace::Inside,
        data if data.starts_with(b"data-") => part.place = PartPlace::Inside,
        _ => return None,
    }
    Some(part)
}

/// Reads LangChain's messages, as LangGraph streams them: pieces are `AIMessageChunk`s, a message of type `ai` repeats
/// what came before: `{"type","content","response_metadata":{"finish_reason"},"tool_calls":[{"name","args","id"}]}`.
/// Calls come in `tool_call_chunks`.
fn langchain<'a>(kind: &[u8], chunk: &Object<'a>) -> Option<Part<'a>> {
    let metadata = chunk.object("response_metadata")?;
    let reason = names!("finish_reason stop_reason done_reason").first(&metadata);
    let place = PartPlace::last_if(reason.is_some());
    let part = Part::said(place, content(chunk.get("content")));
    let repeats = kind == b"ai";
    let calls = bodies::calls(chunk.get("tool_calls").filter(|_| repeats));
    let mut part = part.with_calls(calls).with_id(chunk.get("id"));
    let pieces = chunk.objects("tool_call_chunks");
    part.pieces.extend(pieces.filter_map(|it| {
        let input = it.text("args").unwrap_or_default();
        piece(&it, it.text("name"), Some(input))
    }));
    Some(Part { repeats, ..part }.ended_with(reason))
}

/// Reads AnythingLLM, `{"uuid","type":"textResponseChunk","textResponse","sources":[],"close":false,"error":false}`, at
/// the end `{"uuid","type":"finalizeResponseStream","close":true,"error":false,"metrics":{"prompt_tokens",…}}`, with
/// the whole text if agents wrote it; a response that is not streamed,
/// `{"id","type":"textResponse","textResponse","close":true}`; a failure,
/// `{"type":"abort","textResponse":null,"close":true,"error"}`.
fn anything_llm<'a>(kind: &[u8], chunk: &Object<'a>) -> Option<Part<'a>> {
    chunk.holds("close", Kind::Boolean).then_some(())?;
    let text = || chunk.text("textResponse");
    let error = chunk.text("error").filter(|error| !error.is_empty());
    let part = match kind {
        b"abort" if error.is_some() => Part::at(PartPlace::Last),
        b"agentThought" => Part::at(PartPlace::Inside),
        b"finalizeResponseStream" => Part {
            repeats: true,
            ..said(PartPlace::End, text())
        },
        b"textResponse" | b"textResponseChunk" => {
            let place = PartPlace::last_if(usual::is_set(chunk, "close"));
            said(place, Some(text()?))
        }
        _ => return None,
    };
    let part = match error {
        Some(error) => part.failed_with(error, None),
        None => part,
    };
    Some(part.with_id(names!("uuid id").first(chunk)))
}

/// Returns a part that says a text, if there is one.
fn said<'a>(place: PartPlace, text: Option<Text<'_>>) -> Part<'a> {
    Part::said(place, text.unwrap_or_default().into_owned())
}

/// Returns the first piece of a call: its arguments come later, except those in `input`.
fn begun<'a>(chunk: &Object<'a>, block: &Object<'a>, input: &str) -> Option<CallPiece<'a>> {
    let name = block.text("name")?;
    let given = block.get(input).filter(|it| it.members().next().is_some());
    let given = given.map(Text::of_json).unwrap_or_default();
    Some(CallPiece {
        id: usual::call_id(block),
        ..piece(chunk, Some(name), Some(given))?
    })
}

/// Returns a piece of the call at the index that `chunk` has.
fn piece<'a>(
    chunk: &Object<'a>,
    name: Option<Text<'a>>,
    input: Option<Text<'a>>,
) -> Option<CallPiece<'a>> {
    Some(CallPiece {
        index: names!("index contentBlockIndex")
            .first(chunk)
            .and_then(Value::as_u64),
        id: usual::call_id(chunk),
        name,
        input: input?,
    })
}
