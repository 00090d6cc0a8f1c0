//! Session files of pi, `~/.pi/agent/sessions/DIR/TIME_ID.jsonl` (seen in 0.74.2).
//!
//! `session`, `model_change`, and `message` records with a `parentId`, which contain the messages of the stream. A
//! message of the model says why it stopped, or is complete if it has a text and no call; a failed request is tried
//! again, so that the last one counts.

use crate::dialect::prelude::*;

/// States the facts of a record of a file.
pub(super) fn facts<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    match record.object("message") {
        Some(message) => self::message(record, &message, out),
        None => out.extend(record.text("modelId").map(Fact::Model)),
    }
    out.or_known(record.text("type"));
}

fn message<'a>(record: &Object<'a>, message: &Object<'a>, out: &mut Statement<'a>) {
    let text = usual::text_in(message, "content");
    match message.word("role").as_deref() {
        Some(b"user") => out.extend(text.map(Fact::prompt)),
        Some(b"toolResult") => {
            out.push(Fact::Result(usual::own_result(message)));
        }
        Some(b"assistant") => assistant(record, message, out),
        _ => {}
    }
}

fn assistant<'a>(record: &Object<'a>, message: &Object<'a>, out: &mut Statement<'a>) {
    let stopped = super::said(message, record.text("id"), out);
    if let Some(tokens) = usual::usage(message).filter(|tokens| tokens.total != Some(0)) {
        // A forked session starts with the records of its parent.
        let scope = match (record.text("id"), record.text("timestamp")) {
            (Some(mut id), Some(time)) => {
                id.push(&time);
                Scope::Once(id)
            }
            _ => Scope::Request(None),
        };
        out.push(Fact::usage(scope, message.text("model"), tokens));
    }
    match stopped {
        Some(problem) => out.push(Fact::Error(problem)),
        None => {
            let rests = match message.text("stopReason") {
                Some(reason) => usual::stopped_by_itself(&reason),
                None => is_complete(message),
            };
            out.extend(rests.then_some(Fact::Rest));
        }
    }
}

/// Whether a message that does not say why the model stopped leaves nothing pending: it has a text and no call.
fn is_complete(message: &Object<'_>) -> bool {
    let text = usual::text_in(message, "content").filter(|text| !text.is_blank());
    text.is_some()
        && !message
            .objects("content")
            .any(|block| super::call(&block).is_some())
}
