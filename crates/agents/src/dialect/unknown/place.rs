//! What an object says about itself: who speaks, how much of a message it contains, whether it ends something.

use std::borrow::Cow;

use super::said::TextExtent;
use super::{DISCRIMINATORS, stated_by};
use crate::dialect::prelude::*;
use crate::dialect::usual::{self, Words, split};

/// The role of the writer of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::dialect) enum Role {
    Agent,
    User,
    Tool,
    System,
}

/// What an object and the objects around it say about their subject.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Context {
    /// The words in the object's own type.
    pub(super) own: Words,
    /// The words in the types of the object and of the objects around it.
    pub(super) words: Words,
    pub(super) role: Option<Role>,
    /// Whether the objects around it say that the work goes on: what is said there is a comment.
    pub(super) comments: bool,
    pub(super) depth: usize,
}

impl Context {
    /// Whether what is said in an object with the words `own` in its type is a comment: the work goes on.
    pub(super) fn has_comments_in(self, object: &Object<'_>, own: Words) -> bool {
        self.comments
            || object.word("state").is_some_and(|state| works(&state))
            || own.has_all(Words::AGENT.with(Words::PROGRESS))
    }
}

/// Whether the state of a task says that the agent works on it: `working`, or `TASK_STATE_WORKING` in version 1 of A2A.
fn works(state: &[u8]) -> bool {
    let last = split(state).last();
    last.is_some_and(|word| word.eq_ignore_ascii_case(b"working"))
}

/// Words for the writer of a message that nobody but a language model is called by.
const MODELS: [&[u8]; 4] = [b"assistant", b"model", b"AI", b"Machine"];

/// Whether a record names a language model as the writer of a message.
pub(super) fn is_by_model(object: &Object<'_>) -> bool {
    role_word(object).is_some_and(|by| MODELS.contains(&&*by))
}

/// Returns the word for the role of the writer of a message.
fn role_word<'a>(object: &Object<'a>) -> Option<Cow<'a, [u8]>> {
    let writer = |value: Value<'a>| value.word().or_else(|| value.get("role")?.word());
    let names = names!("role source sender author from who speaker");
    names.of(object).find_map(writer)
}

/// Returns the role of the writer of a message.
pub(in crate::dialect) fn role(object: &Object<'_>) -> Option<Role> {
    // The messages of Pydantic AI are what a model is asked and what it says.
    if object.holds("parts", Kind::Array) {
        match object.word("kind").as_deref() {
            Some(b"response") => return Some(Role::Agent),
            Some(b"request") => return Some(Role::User),
            _ => {}
        }
    }
    // The messages of LangChain name their writer in their type.
    let word = role_word(object).or_else(|| {
        let kind = object.word("type")?;
        [b"ai".as_slice(), b"human"]
            .contains(&&*kind)
            .then_some(kind)
    });
    Some(match &*word? {
        word if MODELS.contains(&word) => Role::Agent,
        b"agent" | b"ai" | b"ROLE_AGENT" => Role::Agent,
        b"user" | b"human" | b"User" | b"ROLE_USER" => Role::User,
        b"tool" | b"toolResult" | b"environment" | b"function" => Role::Tool,
        b"system" | b"developer" | b"meta" => Role::System,
        _ => return None,
    })
}

/// Returns how much of its message the text of an agent's object is.
pub(super) fn extent(place: Context) -> TextExtent {
    let Context { own, words, .. } = place;
    // A record that has no more than content is a piece (Agno's `RunContent`), and so is a part of a message (BeeAI).
    let whole = Words::START.with(Words::END);
    let is_content = words.has(Words::CONTENT) && !(words.has(Words::SAY) && words.has(whole));
    let partial = words.has(Words::PART) || is_content;
    let is_agent = place.role == Some(Role::Agent);
    match words {
        _ if words.has(Words::SO_FAR) => TextExtent::Snapshot,
        _ if words.has(Words::PIECE) => TextExtent::Piece,
        _ if words.has_all(Words::ARTIFACT.with(Words::PART)) => TextExtent::Growth,
        // A record about an update contains a whole message, or as much of it as there is.
        _ if is_agent && own.has(Words::SAY) => TextExtent::Whole,
        _ if is_agent && (partial || words.has(Words::START)) => TextExtent::Snapshot,
        _ if partial || words.has(Words::START) => TextExtent::Piece,
        _ => TextExtent::Whole,
    }
}

/// Whether an object says of its text that it is a piece: by a flag, by its phase, or because it is one of what a model
/// or a text streams: `on_chat_model_stream` (LangChain).
pub(super) fn is_piece(object: &Object<'_>) -> bool {
    let streams = |kind: &[u8]| {
        let stream = |word: &[u8]| word.eq_ignore_ascii_case(b"stream");
        let words = Words::of(kind);
        split(kind).any(stream)
            && words.has(Words::SAY.with(Words::AGENT))
            && !words.has(Words::START.with(Words::END).with(Words::WRONG))
    };
    let kind = stated_by(object).and_then(|at| object.get_named(*DISCRIMINATORS.names.get(at)?));
    names!("delta append partial").is_set(object)
        || object.is("phase", "delta")
        || kind
            .and_then(Value::word)
            .is_some_and(|kind| streams(&kind))
}

/// Whether a record with these words ends a run and not a part of it.
pub(super) fn ends(words: Words) -> bool {
    let part = Words::INNER.with(Words::TOOL).with(Words::PART);
    words.has(Words::END) && !words.has(part)
}

/// Whether a record of a result says no more than which tool the answer is given with, if any: the answer has begun
/// before it and goes on (Pydantic AI).
pub(super) fn announces_answer(object: &Object<'_>) -> bool {
    let names = names!("tool_name tool_call_id");
    names.of(object).count() == 2 && usual::answer(object).is_none()
}

/// Whether the `status` of a task says that it is settled (A2A).
pub(super) fn settled(object: &Object<'_>) -> bool {
    let status = object.object("status");
    let state = status.as_ref().and_then(|status| status.word("state"));
    let ends = |state: &[u8]| Words::of(state).has(Words::END);
    state.is_some_and(|state| ends(&state))
        || status.is_some_and(|status| failure(&status).is_some())
}

/// Whether an object about a run says by its status that the run is over (the runs of OpenAI's Assistants).
pub(super) fn is_run_over(object: &Object<'_>, words: Words) -> bool {
    let part = Words::INNER.with(Words::TOOL).with(Words::PART);
    let other = part.with(Words::START.with(Words::SAY.with(Words::CONTENT)));
    words.has(Words::RUN) && !words.has(other) && usual::is_done(object)
}

/// Whether nothing is pending after an object, since the model stopped by itself; `counted` says whether it counts
/// tokens.
pub(super) fn rests(object: &Object<'_>, place: Context, counted: bool) -> bool {
    let words = place.words;
    match place.role {
        Some(Role::Agent) => {
            // What wraps a message and says nothing may bring it piece by piece.
            let may_go_on = place.depth > 0 && words == Words::default();
            let complete = !may_go_on && !words.has(Words::PART.with(Words::START));
            complete && (stops(object) || object.is("status", "completed"))
        }
        // A message whose tokens are counted is complete, and a record without a type only wraps one.
        None => {
            let ends_message = words.has_all(Words::SAY.with(Words::END));
            // So is one after which only what there is to know about it is stated (Dify).
            let described =
                || object.holds("metadata", Kind::Object) && usual::session(object).is_some();
            stops(object) && (words.has(Words::END) || stated_by(object).is_none())
                || ends_message && (counted || place.depth == 0 && described())
        }
        Some(_) => false,
    }
}

/// Whether a message says that the model stopped by itself.
fn stops<'a>(object: &Object<'a>) -> bool {
    let of = |object: &Object<'a>| usual::stop_reasons(object).next();
    let reason = of(object).or_else(|| of(&object.object("response_metadata")?));
    reason.is_some_and(|reason| usual::stopped_by_itself(&reason))
}

/// Whether an object is about a call: by its type, or because it has an id and a status, as a piece of work has.
pub(super) fn is_work(object: &Object<'_>, place: Context) -> bool {
    let works = || ["id", "status", "type"].iter().all(|name| object.has(name));
    place.words.has(Words::TOOL) || place.role.is_none() && place.depth > 0 && works()
}

/// Returns the failure that an object states. The reason why the model stopped may be in an object in it.
pub(super) fn failure<'a>(object: &Object<'a>) -> Option<Problem<'a>> {
    let own = usual::failure(object);
    if own.as_ref().is_some_and(is_clear) {
        return own;
    }
    let mut details = names!("usage response_metadata incomplete_details").objects(object);
    details.find_map(|inner| usual::failure(&inner)).or(own)
}

/// Whether a failure says more than that something failed: a status alone says less than its details.
pub(super) fn is_clear(failure: &Problem<'_>) -> bool {
    failure.class != Outcome::Failed || !failure.message.is_empty()
}
