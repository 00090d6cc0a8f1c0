//! The members in which agents usually state things: the names that most of them use, in the order in which they are
//! looked up.
//!
//! Dialects build on this module. An [unknown agent](super) is read by nothing else; the dialect of a known
//! agent states what its shapes alone do not say.

mod calls;
mod problems;
mod tokens;
mod words;

use super::place::{Role, role};
use super::types;
use crate::dialect::prelude::*;
pub(in crate::dialect) use calls::{
    NumberedCalls, Writer, Writers, asks_again, call, call_about, call_id, call_in_pieces, call_of,
    edit, has_result, named_call_id, names_tool, no_parameters, operation, own_call, own_result,
    parameters_of, result, says_call, tool_name, writing,
};
use problems::is_over;
pub(in crate::dialect) use problems::{
    blames_model, cancelled, end, error, failure, failure_of_end, goes_on, hands_over, has_failed,
    incomplete, is_done, is_pending, means_success, named_problem, or_stopped, problem, problem_in,
    problem_of_error_record, stated, states_error, stop_reasons, stopped, stopped_by_itself,
    timed_out, unsuccessful,
};
pub(in crate::dialect) use tokens::{
    COUNTS, by_model, counted, counts_tokens, tokens, tokens_apart, tokens_in_all, usage,
};
pub(in crate::dialect) use words::{Words, alphabetic_words, split};

/// Members that say what a record is: all discriminators but a role, which says whose it is, and further ones.
const KINDS: NameList = names!(concat!(
    types!(),
    " object subtype contentType step_type sessionUpdate hookEventName item_type part_kind part_delta_kind block_type"
));
/// Members that identify a session.
pub(super) const SESSIONS: NameList = names!(
    "session_id sessionId sessionID thread_id threadId conversation_id conversationId taskId"
);
/// Members with the exit code of a command or a run.
pub(in crate::dialect) const EXIT_CODES: NameList =
    names!("exit_code exitCode exit_status exitStatus returncode return_code returnCode exit");
/// Members with the time at which a record was written.
pub(in crate::dialect) const TIMES: NameList = names!("timestamp ts time created_at createdAt");
/// Members that only name or number a record: ids of records, requests, runs and users, versions, the folder.
const LABELS: NameList = names!(
    "id uuid request_id requestId run_id runId turn_id turnId message_id messageId user_id event_id \
     sequence_number version cwd"
);
/// Members that only date, name or number a record: they never decide that it is none.
pub(in crate::dialect) const NEUTRAL: [NameList; 3] = [TIMES, SESSIONS, LABELS];
/// Members that can be nothing but the answer in the record that ends a run.
const SURE_ANSWERS: NameList = names!(
    "response finalText final_text last_agent_message final_answer final final_output finalOutput answer output_text"
);
/// Members that may be the answer in such a record.
const LIKELY_ANSWERS: NameList = names!("result text output message content payloads");

/// Returns the words in a record's type.
pub(in crate::dialect) fn words(record: &Object<'_>) -> Words {
    // A type that says no more than that the record is an event leaves the rest to a name.
    let named = record.word("name").filter(|_| record.is("type", "event"));
    // The phase of a span says what happens in it.
    let in_span = record.holds("span", Kind::String);
    let phase = record.word("phase").filter(|_| in_span);
    // So does that of the lifecycle of a run (openclaw).
    let of_run = record
        .object("data")
        .filter(|_| record.is("stream", "lifecycle"));
    let phase = phase.or_else(|| of_run?.word("phase"));
    let all = KINDS.of(record).filter_map(Value::word);
    let all = all.chain(named).chain(phase);
    let of = |kind: &[u8]| match kind {
        b"delta" | b"chunk" if is_delta_of_text(record) => Words::of(b"content_chunk"),
        kind => Words::of(kind),
    };
    let words = all.fold(Words::default(), |words, kind| words.with(of(&kind)));
    match is_piece_of_node(record) {
        true => words.with(Words::of(b"agent_delta")).with(Words::CONTENT),
        false => words,
    }
}

/// Whether a delta or a chunk is one of a text, as it says by its members where its type does not. Other things change,
/// too, so that it is a piece of what an agent says only where more than such deltas shows it.
pub(super) fn is_delta_of_text(delta: &Object<'_>) -> bool {
    has_text(delta) || delta.object("data").as_ref().is_some_and(has_text)
}

/// Whether a record has a text, whatever it is about.
pub(super) fn has_text(record: &Object<'_>) -> bool {
    let mut texts = names!("text delta content").of(record);
    texts.any(|text| text.kind() == Kind::String)
}

/// Whether a record is a piece of what an agent says that is a node of a workflow (n8n):
/// `{"type":"item","content","metadata":{"nodeId","nodeName"}}`.
fn is_piece_of_node(record: &Object<'_>) -> bool {
    record.is("type", "item")
        && record.holds("content", Kind::String)
        && ["nodeId", "nodeName"]
            .iter()
            .all(|name| record.inner("metadata").has(name))
}

/// Returns the words for a thought, a prompt or a tool's output in the members that say what a text is for.
pub(in crate::dialect) fn channel(record: &Object<'_>) -> Words {
    let asides = Words::THINK.with(Words::USER).with(Words::TOOL);
    let named = Channel::NAMES.of(record).filter_map(Value::word);
    let words = named.fold(Words::default(), |words, name| match &*name {
        // Harmony's channel of thoughts.
        b"analysis" => words.with(Words::THINK),
        name => words.with(Words::of(name).only(asides)),
    });
    match is_set(record, "thought") {
        true => words.with(Words::THINK),
        false => words,
    }
}

/// Returns the id of the session that a record names.
pub(in crate::dialect) fn session<'a>(record: &Object<'a>) -> Option<Text<'a>> {
    session_at(record).map(|(_, id)| id)
}

/// Returns the id of the session that a record names, and the number of the member's name.
pub(super) fn session_at<'a>(record: &Object<'a>) -> Option<(usize, Text<'a>)> {
    let ids = SESSIONS.numbered(record);
    let mut ids = ids.filter_map(|(at, id)| Some((at, id.text()?)));
    ids.find(|(_, id)| !id.is_empty())
}

/// Whether a record has no members but those in these lists and such as only date, name or number it.
pub(in crate::dialect) fn has_only<const N: usize>(
    record: &Object<'_>,
    lists: [NameList; N],
) -> bool {
    NameList::cover(lists.into_iter().chain(NEUTRAL), record)
}

/// Returns the start of a session, with the agent's version in the member of that name.
pub(in crate::dialect) fn start<'a>(record: &Object<'a>, version: &str) -> Fact<'a> {
    Fact::Start(Start {
        agent_version: record.text(version),
        model: record.text("model"),
        folder: names!("cwd workdir directory").string(record),
    })
}

/// Returns the time at which a record says that it was written.
pub(in crate::dialect) fn timestamp<'a>(record: &Object<'a>) -> Option<Value<'a>> {
    let is_time = |value: &Value<'_>| matches!(value.kind(), Kind::String | Kind::Number);
    TIMES.first(record).filter(is_time)
}

/// Returns the milliseconds that something took.
pub(in crate::dialect) fn took(record: &Object<'_>) -> Option<u64> {
    names!("duration_ms durationMs").first(record)?.as_u64()
}

/// Returns the exit code of a command.
pub(in crate::dialect) fn exit_code(record: &Object<'_>) -> Option<i64> {
    exit_codes(record).next()
}

/// Returns the exit codes in a record: numbers, or objects with one.
fn exit_codes<'a>(record: &Object<'a>) -> impl Iterator<Item = i64> {
    let inner = |code: Value<'a>| code.get("code")?.as_i64();
    let codes = EXIT_CODES.of(record);
    codes.filter_map(move |code| code.as_i64().or_else(|| inner(code)))
}

/// Returns the text of a content: a string, an object with a `text`, a list of blocks, without thoughts and calls, or a
/// message with one of these. `None` if the value is no content.
pub(in crate::dialect) fn text<'a>(content: Value<'a>) -> Option<Text<'a>> {
    match content.kind() {
        Kind::String => content.text(),
        Kind::Object => said(content).and_then(Value::text).or_else(|| {
            let inner = ["content", "parts"].into_iter();
            let list = inner.filter_map(|name| content.get(name));
            let mut lists = list.filter(|list| list.kind() == Kind::Array);
            lists.next().and_then(text)
        }),
        Kind::Array => {
            let text = |block: Value<'a>| {
                let said = match block.kind() {
                    Kind::Object => said(block),
                    Kind::String => Some(block),
                    _ => return None,
                };
                let text = said.and_then(Value::text).filter(|_| !is_aside(block));
                Some(text.unwrap_or_default())
            };
            let all: Option<Vec<_>> = content.elements().map(text).collect();
            let all = all.filter(|all| !all.is_empty())?;
            Some(blocks::joined(all.into_iter()))
        }
        _ => None,
    }
}

/// Returns the [`text`] of the content in the member of that name.
pub(in crate::dialect) fn text_in<'a>(record: &Object<'a>, name: &str) -> Option<Text<'a>> {
    text(record.get(name)?)
}

/// Whether a block is a thought, a call or the result of one.
fn is_aside(block: Value<'_>) -> bool {
    let aside = Words::THINK.with(Words::TOOL).with(Words::AGAIN);
    let kinds = ["type", "part_kind", "kind"].into_iter();
    let mut kinds = kinds.filter_map(|name| block.get(name)?.word());
    kinds.any(|kind| Words::of(&kind).has(aside))
        || block.get("thought").and_then(Value::as_bool) == Some(true)
}

/// Returns the `text` of a block; OpenAI's Assistants put it into a `value`. Pydantic AI and BeeAI call it `content`.
fn said(block: Value<'_>) -> Option<Value<'_>> {
    let Some(text) = block.get("text") else {
        let kind = block.get("content_type").and_then(Value::word);
        let is_text = kind.is_some_and(|kind| kind.starts_with(b"text/"));
        let shape = is_text || block.get("part_kind").is_some();
        return block.get("content").filter(|_| shape);
    };
    text.get("value").or(Some(text))
}

/// Returns the answer in a record that ends a run, and whether the member can be nothing but the answer.
pub(in crate::dialect) fn answer<'a>(record: &Object<'a>) -> Option<(Text<'a>, bool)> {
    let of = |list: NameList, sure| {
        let mut texts = list.of(record).filter_map(text);
        Some((texts.find(|text| !text.is_blank())?, sure))
    };
    let said = || {
        // The last message of a run that is stated with all its messages.
        let last = record.objects("messages").last()?;
        let is_agents = role(&last) == Some(Role::Agent);
        Some((text(last.get("content").filter(|_| is_agents)?)?, true))
    };
    let stated = || Some((output_of(&record.object("outputs")?)?, true));
    let answer = of(SURE_ANSWERS, true).or_else(|| of(LIKELY_ANSWERS, false));
    answer.or_else(said).or_else(stated)
}

/// Returns the answer among the named outputs of a workflow (Dify): the one with a usual name, or the only text.
fn output_of<'a>(outputs: &Object<'a>) -> Option<Text<'a>> {
    let text = |value: Value<'a>| value.text().filter(|text| !text.is_blank());
    let only = || {
        let mut texts = outputs.members().filter_map(|(_, value)| text(value));
        let first = texts.next()?;
        texts.next().is_none().then_some(first)
    };
    let mut answers = SURE_ANSWERS.of(outputs).chain(LIKELY_ANSWERS.of(outputs));
    answers.find_map(text).or_else(only)
}

/// Returns the structured output that the record of an end states: what a schema asked for.
pub(in crate::dialect) fn structured<'a>(record: &Object<'a>) -> Option<Text<'a>> {
    let names = names!("structured_output structuredOutput structured_result");
    names.first(record).map(Text::of_json)
}

/// Returns the structured output in the parts of a message or an artifact, the last of them (A2A):
/// `{"parts":[{"kind":"data","data":{…}}]}`.
pub(in crate::dialect) fn data<'a>(object: &Object<'a>) -> Option<Text<'a>> {
    let is_data = |part: &Object<'_>| part.is("kind", "data") || part.is("type", "data");
    let parts = object.objects("parts").filter(is_data);
    parts.last()?.get("data").map(Text::of_json)
}

/// Whether a flag is there and true.
#[inline(always)]
pub(in crate::dialect) fn is_set(record: &Object<'_>, name: &str) -> bool {
    record.get(name).and_then(Value::as_bool) == Some(true)
}
