//! The dialect of an unknown agent: its records are read by shape alone. What agents have in common is here, too: the
//! [usual] names, the responses of model [APIs](api), agent files.
//!
//! The words in a record's type say what it is, and a role says who speaks. The subject is in the record or in an
//! object inside it (`event`, `data`, `item`, `message` …). Texts, calls and their results, counts, errors and the end
//! are taken from members with the [usual] names. Nothing is guessed: a stream is a success only if its
//! end says so, or if the model's last message says that it stopped by itself.
//!
//! The records count as an agent's only if one of them is such as no other program writes; see [`UnknownEvidence`].

pub(crate) mod api;
mod calls;
#[cfg(feature = "agent-file")]
mod described;
mod draft;
pub(super) mod envelope;
mod evidence;
#[cfg(feature = "agent-file")]
mod file;
mod langchain;
mod members;
#[cfg(not(feature = "agent-file"))]
mod no_file;
mod place;
mod reading;
mod runs;
mod said;
#[cfg(test)]
mod tests;
pub(super) mod usual;

use super::names::count;
use super::prelude::*;

pub use draft::AgentFileDraft;
pub(super) use evidence::UnknownEvidence;
#[cfg(feature = "agent-file")]
pub use file::{AgentFile, AgentFileError};
#[cfg(not(feature = "agent-file"))]
pub use no_file::AgentFile;
pub(super) use reading::Unknown;
pub(super) use runs::Runs;
use usual::Words;

/// The members that say what a record is, but for two.
macro_rules! types {
    () => {
        "type event kind method event_type eventType event_name eventName event_kind message_type messageType msg_type \
         msgType record_type recordType payload_type span"
    };
}
use types;

/// Members that say what a record is.
pub(super) const DISCRIMINATORS: NameList = names!(concat!(types!(), " role object"));
/// Members next to the object that says what the record is.
pub(super) const ALONGSIDE: NameList = names!("jsonrpc messages");
/// Members of a record without a type that only programs around a language model write.
pub(super) const UNTYPED_NAMES: NameList = names!(
    "invocationId invocation_id tool_calls finish_reason token_usage chunk statusUpdate artifactUpdate"
);
/// Objects that may say what the record is if it does not say so itself.
pub(super) const CARRIED: NameList = names!("payload data params body");
/// A record that ends a run and says nothing.
pub(super) const END: &[u8] = br#"{"event":"done"}"#;
/// What [`discriminator`] returns for a record without a type.
const UNTYPED: usize = DISCRIMINATORS.names.len();
/// The index of `role` in [`DISCRIMINATORS`], where it follows the types.
const ROLE: usize = count(types!());

/// Whether the beginning of a document that is broken or was cut off is that of a record or an envelope: it contains
/// the name of a member that few other documents have. Logs, too, say what an entry is (`event`, `kind`, `method`), and
/// with which request it goes: such a member counts if `of_agent` says that an agent writes here.
pub(crate) fn announces_record(beginning: &[u8], of_agent: impl FnOnce() -> bool) -> bool {
    // Members of records and of responses of APIs, and the first of the configuration of Codex 0.39, which has no
    // order.
    const ALONE: NameList = names!(
        "type session_id sessionID sessionId conversation_id response role msg uuid duration_api_ms approval sandbox \
         workdir choices candidates"
    );
    const OF_AGENTS: [NameList; 3] = [DISCRIMINATORS, usual::SESSIONS, names!("jsonrpc")];
    let has = |list: NameList| {
        list.names.iter().any(|name| {
            let quoted = [b"\"", name.text.as_bytes(), b"\""].concat();
            memchr::memmem::find(beginning, &quoted).is_some()
        })
    };
    matches!(beginning.first(), Some(b'{' | b'['))
        && (has(ALONE) || OF_AGENTS.into_iter().any(has) && of_agent())
}

/// Returns the index in [`DISCRIMINATORS`] of the member that says what a record (or an object that it wraps) is, or
/// their number if it is recognised without a type.
pub(super) fn discriminator(record: &Object<'_>) -> Option<usize> {
    let inside = || wrapped(record).find_map(|inner| stated_by(&inner));
    stated_by(record).or_else(inside).or_else(|| {
        let is_recognised = UNTYPED_NAMES.is_in(record)
            || update(record).is_some()
            || envelope::is_untyped_end(record)
            || messages(record).next().is_some()
            || refuses(record);
        is_recognised.then_some(UNTYPED)
    })
}

/// Whether an object, although it is all that there is, is a record of a run: messages of a state, a record about a run
/// that names it and its session, a message with its writer apart, what someone did or saw (OpenHands before 1.0), or
/// an end.
pub(super) fn is_record(object: &Object<'_>) -> bool {
    let apart = || object.inner("message").holds("content", Kind::Array);
    messages(object).next().is_some()
        || envelope::is_untyped_end(object)
        || envelope::names_run(object)
            && (usual::words(object).has(Words::RUN.with(Words::AGENT))
                || envelope::signed_message(object).is_some())
        || object.holds("role", Kind::String) && apart()
        || object.holds("source", Kind::String)
            && names!("action observation").is_in(object)
            && names!("args extras").is_in(object)
            && place::role(object).is_some()
}

/// Whether a record says what it is: a role only says whose it is.
pub(crate) fn has_type(record: &Object<'_>) -> bool {
    let inside = || named(record).find_map(|inner| stated_by(&inner));
    let stated = stated_by(record).or_else(inside);
    stated.is_some_and(|at| at != ROLE)
}

/// Whether a record that follows the name of an event says what it is only together with that name. The events of
/// JSON-RPC are all called messages.
pub(super) fn lacks_type(record: &Object<'_>, event: &[u8]) -> bool {
    !record.has("jsonrpc") && (!has_type(record) || is_message_of(record, event))
}

/// Returns the record that the event of that name is, given its other members as [`members_of_event`] returns them.
pub(super) fn record_of_event(event: &[u8], more: &[u8]) -> Vec<u8> {
    [b"{\"event\":\"", event, b"\"", more, b"}"].concat()
}

/// Returns the members that the data of an event have next to its name, after a comma: those of an object that contains
/// its data itself, of which the name is the type; otherwise the data.
pub(super) fn members_of_event(data: Value<'_>) -> Vec<u8> {
    match data.raw().trim_ascii() {
        [b'{', members @ .., b'}']
            if data.get("data").is_some_and(|it| it.kind() == Kind::Object) =>
        {
            [b",", members].concat()
        }
        json => [b",\"data\":", json].concat(),
    }
}

/// Whether the name of an event says what happens to the message in its data, whose own type only says what kind of
/// message it is: `event: conversation.message.delta` before `{"role","type":"answer","content"}` (Coze).
fn is_message_of(record: &Object<'_>, event: &[u8]) -> bool {
    let happens = Words::PART.with(Words::END);
    let words = Words::of(event);
    let members = ["role", "type", "content"];
    words.has(Words::SAY)
        && words.has(happens)
        && members.iter().all(|name| record.holds(name, Kind::String))
        && !usual::words(record).has(happens.with(Words::START))
}

/// Whether a record among an API's events is an agent's own: it says or does what agents do.
pub(super) fn is_of_run(record: &Object<'_>) -> bool {
    if discriminator(record).is_none() {
        return false;
    }
    let mut reading = Unknown::default();
    reading.facts(record, &mut Statement::default());
    let signs = reading.signs;
    signs.of_model && (signs.acts || signs.starts || signs.ends)
}

/// Returns the type of a record.
fn kind<'a>(record: &Object<'a>) -> Option<Text<'a>> {
    let name = DISCRIMINATORS.names.get(discriminator(record)?)?;
    record.get_named(*name)?.text()
}

/// Returns the objects in a record that may say what the record is: those under a name for it, or an object that is all
/// that the record, or all that the object in it contains (Llama Stack).
fn wrapped<'a>(record: &Object<'a>) -> impl Iterator<Item = Object<'a>> {
    let only = only_member(record);
    let deeper = only.as_ref().and_then(only_member);
    let carried = stated_by(record).is_none().then(|| CARRIED.objects(record));
    let carried = carried.into_iter().flatten();
    named(record).chain(only).chain(deeper).chain(carried)
}

/// Returns what an event contains, a result of JSON-RPC (A2A), the content of a message (Google's ADK), the item of a
/// run (OpenAI's Agents SDK), a message or an event that is wrapped.
fn named<'a>(record: &Object<'a>) -> impl Iterator<Item = Object<'a>> {
    names!("msg result content item message event").objects(record)
}

/// Returns the update of a task, also in a result of JSON-RPC, and the words in its name (A2A, version 1).
fn update<'a>(record: &Object<'a>) -> Option<(Words, Object<'a>)> {
    let of = |object: &Object<'a>| {
        let mut names = ["statusUpdate", "artifactUpdate"].into_iter();
        names.find_map(|name| Some((Words::of(name.as_bytes()), object.object(name)?)))
    };
    of(record).or_else(|| of(&record.object("result")?))
}

/// Whether a record answers a request of JSON-RPC with an error.
fn refuses(record: &Object<'_>) -> bool {
    record.has("jsonrpc") && record.has("id") && record.holds("error", Kind::Object)
}

/// Whether a record says no more than that something went wrong.
fn is_failure(record: &Object<'_>) -> bool {
    discriminator(record).is_none() && usual::error(record).is_some()
}

/// Returns the object that is a record's only member.
fn only_member<'a>(record: &Object<'a>) -> Option<Object<'a>> {
    let mut members = record.members();
    let (_, only) = members.next()?;
    members.next().is_none().then(|| Object::new(only))?
}

/// Returns the messages in the state of a run, or in what a step adds to it under its own name (LangGraph). Their types
/// say who speaks; messages with roles are a request.
fn messages<'a>(state: &Object<'a>) -> impl Iterator<Item = Object<'a>> {
    let added = || only_member(state)?.get("messages");
    let list = state.get("messages").or_else(added);
    let all = list.into_iter().flat_map(Value::elements);
    let speaks = |message: &Object<'_>| {
        let kinds = ["human", "ai", "tool", "system"];
        kinds.iter().any(|kind| message.is("type", kind))
    };
    all.map_while(Object::new).take_while(speaks)
}

/// Returns the answer in a record that repeats all messages of a run (AG-UI): the text of the last one, empty if that
/// is not the agent's. `None` if the record is no such one.
fn snapshot<'a>(record: &Object<'a>) -> Option<Text<'a>> {
    let list = |object: &Object<'a>| object.objects("messages").last();
    let last = list(record).or_else(|| list(&record.object("data")?))?;
    let kind = kind(record)?.as_bytes().to_ascii_lowercase();
    memchr::memmem::find(&kind, b"snapshot")?;
    let is_agents = place::role(&last) == Some(place::Role::Agent);
    let said = last.get("content").filter(|_| is_agents);
    Some(said.and_then(usual::text).unwrap_or_default())
}

/// Whether a document may have but one member, an object: a quick check, which is reliable only if it says no.
pub(super) fn may_be_step(document: Value<'_>) -> bool {
    // How the document ends is known without reading it.
    let inner = document.raw().strip_suffix(b"}");
    if !inner.is_some_and(|inner| inner.trim_ascii_end().ends_with(b"}")) {
        return false;
    }
    let mut members = document.members();
    let first = members.next();
    first.is_some_and(|(_, first)| first.kind() == Kind::Object) && members.next().is_none()
}

/// Returns the index in [`DISCRIMINATORS`] of the object's own member that says what it is.
fn stated_by(object: &Object<'_>) -> Option<usize> {
    let has_content = |object: &Object<'_>| names!("content parts items blocks").is_in(object);
    let speaks =
        || has_content(object) || object.object("message").as_ref().is_some_and(has_content);
    let tells = |(at, value): &(usize, Value<'_>)| {
        value.kind() == Kind::String && (*at != ROLE || speaks())
    };
    let mut all = DISCRIMINATORS.numbered(object);
    all.find(tells).map(|(at, _)| at)
}
