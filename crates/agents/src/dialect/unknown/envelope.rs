//! A single object that is all that an unknown agent printed about a run.
//!
//! Its members are those that only runs have: what was used, how many turns it took, why the model stopped. Test
//! reports, answers of other services and configurations have some of them, but not two, of which one is a language
//! model's.

use super::api::errors;
use super::place::{Role, role};
use super::stated_by;
use crate::dialect::prelude::*;
use crate::dialect::usual::{self, Words};

/// Members with the id of a run.
macro_rules! run_ids {
    () => {
        "runId run_id workflow_run_id"
    };
}
pub(in crate::dialect) const RUN_IDS: NameList = names!(run_ids!());
/// Members that identify a run: its id, or that of what started it.
const RUNS: NameList = names!(concat!(run_ids!(), " invocationId invocation_id requestId"));
/// Members that name the model.
pub(in crate::dialect) const MODELS: NameList = names!("model modelVersion model_name modelName");
/// Members with the duration of a run.
pub(in crate::dialect) const DURATIONS: NameList =
    names!("duration_ms durationMs duration_api_ms duration elapsed_ms elapsedMs elapsed_time");
/// Members with the number of turns of a run. Games have `turns`, too.
pub(in crate::dialect) const TURNS: NameList = names!("num_turns numTurns assistantTurns");
/// Members that say why the model stopped.
pub(in crate::dialect) const STOPS: NameList =
    names!("stopReason stop_reason finishReason finish_reason");
/// Members with lists that only programs around a language model have.
pub(in crate::dialect) const LISTS: NameList =
    names!("payloads toolCalls tool_calls toolResults tool_results permission_denials");
/// Members that identify a turn.
pub(in crate::dialect) const TURN_IDS: NameList = names!("turnId turn_id");
/// The members of Claude Code's envelope that are left where its type is dropped.
pub(in crate::dialect) const CLAUDE: NameList = names!(
    "is_error subtype result structured_output total_cost_usd api_error_status usage duration_ms duration_api_ms \
     num_turns stop_reason terminal_reason permission_denials modelUsage errors error"
);
/// Those of them that say how a run of Claude Code ended: with one of them and the flag, other members are only those
/// of an envelope; with two there may be any.
const CLAUDES_OWN: NameList =
    names!("result subtype total_cost_usd api_error_status terminal_reason");
/// Members that only say how a run went, next to its answer, model, duration and stop reason: an object without others
/// is a run's.
const OF_RUN: NameList = names!(
    "response result answer final_answer final_output finalText final_text output_text status ok success is_error error \
     num_turns numTurns turns usage total_cost_usd cost_usd"
);
/// Objects about the run in an object about the run.
const ABOUT: NameList = names!("meta agentMeta");
/// Members that identify the invocation of an agent.
pub(in crate::dialect) const INVOCATIONS: NameList = names!("invocationId invocation_id");

/// Whether a record names its run and its session, as only programs around a language model do.
pub(in crate::dialect) fn names_run(record: &Object<'_>) -> bool {
    let names = |record: &Object<'_>| {
        let runs = holds(record, RUNS, Kind::String);
        runs && (usual::session(record).is_some() || record.holds("author", Kind::String))
    };
    names(record) || record.object("data").as_ref().is_some_and(names)
}

/// Whether an object, if it is all that there is, is an unknown agent's: it has an answer or an error and two members
/// that only runs have.
pub(in crate::dialect) fn is_envelope(object: &Object<'_>) -> bool {
    is_of_run(object)
        && match signed_message(object) {
            Some(message) => role(&message) == Some(Role::Agent),
            None => is_end(object),
        }
        || is_in_result(object)
}

/// Whether an object names a run and has its envelope as the `result` (the gateway of openclaw) or as `data` (Dify's
/// workflows). Next to the envelope it may state a failure.
fn is_in_result(object: &Object<'_>) -> bool {
    let mut inner = names!("result data").objects(object);
    let is_it =
        |inner: Object<'_>| is_of_run(&inner) && (is_end(&inner) || usual::states_error(object));
    holds(object, RUNS, Kind::String) && stated_by(object).is_none() && inner.any(is_it)
}

/// Returns an object and the objects about the run in it, each in the one before.
pub(super) fn with_about<'a>(object: &Object<'a>) -> impl Iterator<Item = Object<'a>> {
    std::iter::successors(Some(object.clone()), |one| ABOUT.objects(one).next())
}

/// Whether an object ends a run though its type, if it has one, does not say so: it is an envelope, or says why the
/// model stopped after the messages of the run or with the last of them.
pub(super) fn is_untyped_end(object: &Object<'_>) -> bool {
    if is_counted_answer(object) {
        return true;
    }
    if stated_by(object).is_some() || signed_message(object).is_some() {
        return false;
    }
    let stops = |object: &Object<'_>| STOPS.is_in(object);
    let result = object.object("result");
    result.is_some_and(|result| stops(&result) && result.has("message"))
        || stops(object) && object.holds("messages", Kind::Array)
        || is_of_run(object) && is_end(object)
        || is_in_result(object)
}

/// Returns an object's message if that has a role, which says whose it is.
pub(super) fn signed_message<'a>(object: &Object<'a>) -> Option<Object<'a>> {
    let mut messages = names!("content message").objects(object);
    messages.find(|message| message.holds("role", Kind::String))
}

/// Whether an object states an answer or a failure. Its type, if it has one, must be that of an end.
fn is_end(object: &Object<'_>) -> bool {
    let is_whole = object.is("object", "response") || is_counted_answer(object);
    let typed = stated_by(object).is_some() && !is_whole;
    let ends = !typed || usual::words(object).has(Words::END.with(Words::WRONG));
    let about = || with_about(object).skip(1);
    let fails = || about().any(|one| usual::failure(&one).is_some());
    ends && (usual::answer(object).is_some() || usual::states_error(object) || fails())
}

/// Whether an object has an answer and, apart from it, the tokens that were used for it (Dify).
fn is_counted_answer(object: &Object<'_>) -> bool {
    let counts = || (object.object("metadata")).is_some_and(|one| counts_models(&one));
    object.holds("answer", Kind::String) && counts()
}

/// Whether an object counts tokens under names that only the tokens of models have.
fn counts_models(object: &Object<'_>) -> bool {
    let used = usual::usage(object).filter(|_| usual::counts_tokens(object));
    let in_all = || names!("total_tokens totalTokens").is_in(&object.inner("usage"));
    used.is_some_and(|tokens| tokens.input.is_some() || tokens.output.is_some() || in_all())
}

/// Whether an object has two members that only runs have, of which one is a language model's.
fn is_of_run(object: &Object<'_>) -> bool {
    let about: Vec<_> = with_about(object).collect();
    let any = |names, kind| about.iter().any(|one| holds(one, names, kind));
    let counts = counts_models(object) || is_counted_answer(object);
    // A request has messages, too, but counts nothing.
    let answers = counts && object.holds("messages", Kind::Array);
    if names!("prompt prompts level jsonrpc").is_in(object) || object.has("messages") && !answers {
        return false;
    }
    let words = usual::words(object);
    let ends = words.has(Words::END) || words.has_all(Words::WRONG.with(Words::AGENT));
    let invoked = any(INVOCATIONS, Kind::String);
    let flagged = stated_by(object).is_none()
        && object.holds("is_error", Kind::Boolean)
        && match CLAUDES_OWN.of(object).count() {
            0 => false,
            1 => usual::has_only(object, [CLAUDE]),
            _ => true,
        };
    let of_model = [
        counts,
        any(TURNS, Kind::Number),
        any(STOPS, Kind::String),
        any(LISTS, Kind::Array),
        any(names!("threadId thread_id"), Kind::String) && TURN_IDS.is_in(object),
        invoked && (object.has("author") || object.has("modelVersion")),
        object.has("workflow_id") && object.holds("total_tokens", Kind::Number),
        stated_by(object).is_some() && ends && (object.has("model") || words.has(Words::AGENT)),
    ];
    let of_run @ [session, run, model, took, request, _] = [
        about.iter().any(|one| usual::session(one).is_some()),
        any(RUNS, Kind::String),
        about.iter().any(names_model),
        any(DURATIONS, Kind::Number),
        any(names!("request_id"), Kind::String),
        object.holds("turns", Kind::Number),
    ];
    let count = |all: &[bool]| all.iter().filter(|one| **one).count();
    let count_of_model = count(&of_model);
    let blamed = || usual::failure(object).is_some_and(|problem| usual::blames_model(&problem));
    // The model, what identifies the run or its session, and how long it took or why the model failed.
    let of_all = model && ((session || run) && took || session && blamed());
    let identified = session || any(RUN_IDS, Kind::String);
    // Games have sessions and turns, too.
    let of_few = count(&[session, run, model, took, request]) > 1
        && (answers_for_run(object, identified, model) || identified && fails_for_run(object));
    let failed = took && words.has_all(Words::RUN.with(Words::WRONG)) && fails_for_run(object);
    flagged
        || of_all
        || of_few
        || failed
        || count_of_model > 0 && count_of_model + count(&of_run) > 1
}

/// Whether an object has an answer and next to it only what is stated about a run. Since services answer, too, the run
/// or its session is `identified`, or else a `model` is, which only answers under a name of their own. Speech has a
/// text, a session and a duration, but hardly a model.
fn answers_for_run(object: &Object<'_>, identified: bool, model: bool) -> bool {
    const OUTPUTS: NameList = names!("result output");
    const TEXTS: NameList = names!("text content");
    let holds = |names| holds(object, names, Kind::String);
    let answers = || identified && (holds(OUTPUTS) || model && holds(TEXTS));
    (answers() || (identified || model) && is_sure_answer(object))
        && usual::has_only(object, [OF_RUN, OUTPUTS, TEXTS, MODELS, DURATIONS, STOPS])
}

/// Whether an object states a failure as runs do: by a flag or a status, or by an error next to nothing but what is
/// stated about a run. Requests, queries and devices have sessions and fail, too: an object that says where a request
/// went or which status of HTTP it was answered with, or that is dated and has a message, is a line of a log. A type
/// has to say that a run or an agent failed.
fn fails_for_run(object: &Object<'_>) -> bool {
    const OF_REQUEST: NameList = names!(
        "method path url uri route endpoint host hostname ip remote_addr client_ip user_agent userAgent status_code \
         statusCode http_status service logger pid"
    );
    let words = usual::words(object);
    let is_other = match stated_by(object) {
        Some(_) => {
            !words.has(Words::RUN.with(Words::AGENT))
                || words.has(Words::INNER.with(Words::TASK).with(Words::TOOL))
        }
        None => usual::timestamp(object).is_some() && object.has("message"),
    };
    let of_request = OF_REQUEST.is_in(object) || object.holds("status", Kind::Number);
    let flagged = || {
        let status = object.text("status");
        usual::has_failed(object) || status.is_some_and(|status| !usual::means_success(&status))
    };
    let only = || usual::has_only(object, [OF_RUN, MODELS, DURATIONS, STOPS]);
    let stated = stated_by(object).is_some() || flagged() || only();
    !is_other && !of_request && stated && usual::states_error(object)
}

/// Whether an object has an answer under a name that only answers have.
fn is_sure_answer(object: &Object<'_>) -> bool {
    usual::answer(object).is_some_and(|(_, sure)| sure)
}

/// Whether an object names the model: by its name, or by an object with its id.
fn names_model(object: &Object<'_>) -> bool {
    let is_name = |model: Value<'_>| match Object::new(model) {
        Some(model) => model.holds("id", Kind::String),
        None => model.kind() == Kind::String,
    };
    MODELS.of(object).any(is_name)
}

/// Whether an object has a member of that kind with one of these names.
fn holds(object: &Object<'_>, names: NameList, kind: Kind) -> bool {
    names.of(object).any(|value| value.kind() == kind)
}

/// Whether a value is such an object, or the record of a failure that names its cause.
pub(in crate::dialect) fn is_alone(document: Value<'_>) -> bool {
    let is_it = |object| is_envelope(&object) || errors::of_body(&object).is_some();
    Object::new(document).is_some_and(is_it)
}
