//! Failures: the words, flags, codes and texts in which a record states one.

use super::words::{Words, split};
use crate::dialect::names::has_word_in_any_case;
use crate::dialect::prelude::*;

/// Members that say how something ended.
const STATES: NameList = names!(
    "status state stopReason stop_reason finishReason finish_reason reason subtype outcome terminal_reason"
);
/// Words in such members, and the outcome that each means.
const FAILURES: &[(Outcome, &[&str])] = &[
    (Outcome::Turns, words!("length max limit budget")),
    (
        Outcome::Cancelled,
        words!("cancelled canceled aborted abort interrupted terminated"),
    ),
    (
        Outcome::Blocked,
        words!("refusal content blocked safety filter filtered"),
    ),
    (Outcome::Quota, words!("overloaded exhausted quota")),
    (Outcome::Network, words!("timeout network")),
    (
        Outcome::Failed,
        words!("error failed failure denied declined invalid rejected incomplete"),
    ),
];

/// Reasons why a model or a run stopped whose words do not say which class they mean: Gemini's `finishReason`, the
/// `finish_reason` of OpenAI, DeepSeek and GLM, Anthropic's `stop_reason`, Bedrock's `stopReason`, Claude Code's
/// `terminal_reason`.
const REASONS: &[(Outcome, &[&str])] = &[
    (
        Outcome::Blocked,
        words!(
            "recitation blocklist spii image_recitation language guardrail_intervened sensitive"
        ),
    ),
    (
        Outcome::Turns,
        words!("model_context_window_exceeded context_exhausted"),
    ),
    (Outcome::Network, words!("insufficient_system_resource")),
    (
        Outcome::Failed,
        words!(
            "malformed_function_call malformed_response unexpected_tool_call too_many_tool_calls \
             missing_thought_signature no_image image_other"
        ),
    ),
];

/// Returns the failure that a record states by its status, a flag, an error, or an exit code.
pub(in crate::dialect) fn failure<'a>(record: &Object<'a>) -> Option<Problem<'a>> {
    let classes = STATES.of(record).filter_map(|state| {
        let word = state.word()?;
        let class = class_of_reason(&word)?;
        // What failed or took too long may be only a tool then.
        let may_be_tool = matches!(class, Outcome::Failed | Outcome::Network);
        let of_tool = may_be_tool && Words::of(&word).has(Words::TOOL);
        (!of_tool).then_some(class)
    });
    // Another member may say more than that the run failed.
    let class = classes.reduce(|first, next| match first {
        Outcome::Failed => next,
        named => named,
    });
    let stopped = names!("aborted cancelled canceled interrupted").is_set(record);
    let class = class.or(stopped.then_some(Outcome::Cancelled));
    let error = error(record);
    let stated = has_failed(record) || error.is_some();
    let class = class.or(stated.then_some(Outcome::Failed))?;
    let problem = error.unwrap_or(Problem::fatal(class, Text::EMPTY));
    Some(problem.or_class(class))
}

/// Returns the [`failure`] that the record of an end states, in the words of its status if it has no error. It overrides
/// what else the record says.
pub(in crate::dialect) fn failure_of_end<'a>(record: &Object<'a>) -> Option<Problem<'a>> {
    let failure = failure(record)?;
    if !failure.message.is_empty() {
        return Some(failure);
    }
    let means = |word: &Text<'_>| class_of_reason(word.as_bytes()) == Some(failure.class);
    let mut states = STATES.of(record).filter_map(Value::text);
    let message = states.find(means).unwrap_or_default();
    Some(Problem { message, ..failure })
}

/// Whether a flag or an exit code says that something failed, whatever else the record says.
pub(in crate::dialect) fn has_failed(record: &Object<'_>) -> bool {
    let mut succeeded = names!("success ok").of(record);
    let mut codes = names!("exit_code exitCode").of(record);
    names!("is_error isError").is_set(record)
        || succeeded.any(|flag| flag.as_bool() == Some(false))
        || codes.any(|code| code.as_i64().is_some_and(|code| code != 0))
}

/// Returns the outcome that a status word means, if it means a failure.
pub(super) fn class_of_state(word: &[u8]) -> Option<Outcome> {
    let row_of = |part: &[u8]| {
        let mut rows = FAILURES.iter();
        rows.position(|(_, all)| has_word_in_any_case(all, part))
    };
    let first = split(word).filter_map(row_of).min()?;
    FAILURES.get(first).map(|(class, _)| *class)
}

/// Returns the outcome that a reason or a status means, if it means a failure.
fn class_of_reason(word: &[u8]) -> Option<Outcome> {
    let plain = |byte: &u8| match byte {
        b'-' => b'_',
        byte => byte.to_ascii_lowercase(),
    };
    let is_it = |reason: &&str| reason.bytes().eq(word.iter().map(plain));
    let row = REASONS.iter().find(|(_, all)| all.iter().any(&is_it));
    row.map(|(class, _)| *class)
        .or_else(|| class_of_state(word))
}

/// Returns the failure that the reason why the model or a run stopped means, if it means one.
pub(in crate::dialect) fn stopped(reason: Text<'_>) -> Option<Problem<'_>> {
    let class = class_of_reason(reason.as_bytes())?;
    Some(Problem::fatal(class, reason))
}

/// Returns the end of a run that stopped for `reason`, with the answer `text`.
pub(in crate::dialect) fn end<'a>(reason: Option<Text<'a>>, text: Option<Text<'a>>) -> Fact<'a> {
    Fact::end(reason.and_then(stopped), text)
}

/// Whether a record states an error, by a flag, a text or its status, and not only why the model stopped.
pub(in crate::dialect) fn states_error(record: &Object<'_>) -> bool {
    let status = record.word("status");
    has_failed(record)
        || error(record).is_some()
        || status.is_some_and(|status| class_of_state(&status).is_some())
}

/// Returns the error in a record: a text, or an object with a message.
pub(in crate::dialect) fn error<'a>(record: &Object<'a>) -> Option<Problem<'a>> {
    let names = names!("error errorMessage error_message finalError errors");
    let value = names.first(record)?;
    let (message, code) = match value.kind() {
        Kind::String => (value.text()?, None),
        Kind::Object => problem_parts(&Object::new(value)?),
        Kind::Array => {
            let reported = |one: Value<'a>| match Object::new(one) {
                Some(one) => Some(problem_parts(&one)),
                None => Some((one.text()?, None)),
            };
            value.elements().find_map(reported)?
        }
        _ => return None,
    };
    (!message.is_empty() || code.is_some())
        .then(|| problem(message, code.or_else(|| code_of(record))))
}

/// Returns the message and the code of an error object.
fn problem_parts<'a>(error: &Object<'a>) -> (Text<'a>, Option<Code<'a>>) {
    let inner = error.object("data");
    let message = names!("message detail text name type").text(error);
    let said = inner.and_then(|data| names!("message").text(&data));
    (said.or(message).unwrap_or_default(), code_of(error))
}

fn code_of<'a>(record: &Object<'a>) -> Option<Code<'a>> {
    let names =
        names!("code status_code statusCode errorCode error_code api_error_status errorClass");
    names.first(record).and_then(Code::of)
}

/// Returns a failure with that message and code, classified by both.
pub(in crate::dialect) fn problem<'a>(message: Text<'a>, code: Option<Code<'a>>) -> Problem<'a> {
    let name = match &code {
        Some(Code::Word(word)) => Some(word.clone()),
        _ => None,
    };
    named_problem(message, code, name)
}

/// Returns a failure with that message, code and name, classified by all three. The name is the code if there is none.
pub(in crate::dialect) fn named_problem<'a>(
    message: Text<'a>,
    code: Option<Code<'a>>,
    name: Option<Text<'a>>,
) -> Problem<'a> {
    let number = code.as_ref().and_then(Code::number);
    let class = match (class::of(&message, number), &name) {
        (Outcome::Failed, Some(name)) => class::of(name, number),
        (class, _) => class,
    };
    Problem {
        code: code.or(name.map(Code::Word)),
        ..Problem::fatal(class, message)
    }
}

/// Returns the failure that a member contains as a text.
pub(in crate::dialect) fn problem_in<'a>(record: &Object<'a>, name: &str) -> Problem<'a> {
    problem(record.text(name).unwrap_or_default(), None)
}

/// Returns the failure that an error record states.
pub(in crate::dialect) fn reported<'a>(record: &Object<'a>) -> Problem<'a> {
    failure(record)
        .filter(|problem| !problem.message.is_empty())
        .unwrap_or_else(|| {
            let names = names!("message errorText detail text content reason data");
            let message = names.text(record).unwrap_or_default();
            problem(message, code_of(record))
        })
}
