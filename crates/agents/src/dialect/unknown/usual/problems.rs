//! Failures: the words, flags, codes and texts in which a record states one.

use super::exit_codes;
use super::words::{Words, split};
use crate::dialect::names::has_word_in_any_case;
use crate::dialect::prelude::*;
use crate::dialect::unknown::envelope::STOPS;

/// Members that say how something ended.
const STATES: NameList = names!(
    "status state stopReason stop_reason finishReason finish_reason reason subtype outcome terminal_reason \
     exit_status exitStatus termination final_status finalStatus run_status runStatus terminal_state terminalState"
);
/// Flags that say, if they are true, that something failed.
pub(super) const FAILED: NameList = names!("is_error isError failed error has_error hasError");
/// Flags that say so if they are false.
pub(super) const SUCCEEDED: NameList = names!("success ok succeeded is_success isSuccess");
/// Flags that say why something did not end by itself.
const STOPPED: [(Outcome, NameList); 2] = [
    (
        Outcome::Cancelled,
        names!("aborted cancelled canceled interrupted"),
    ),
    (Outcome::Network, names!("timed_out timedOut")),
];
/// Words in such members, and the outcome that each means.
const FAILURES: &[(Outcome, &[&str])] = &[
    (
        Outcome::Turns,
        words!("length max limit limits budget truncation"),
    ),
    (
        Outcome::Cancelled,
        words!("cancelled canceled cancel aborted abort interrupted terminated stopped killed"),
    ),
    (
        Outcome::Blocked,
        words!("refusal refused content blocked safety filter filtered guardrail guardrails"),
    ),
    (Outcome::Quota, words!("overloaded exhausted quota")),
    (Outcome::Network, words!("timeout timed network")),
    (Outcome::Auth, words!("unauthorized unauthenticated")),
    (
        Outcome::Failed,
        words!(
            "error errored failed failure fail fatal denied declined invalid rejected incomplete expired malformed \
             exceeded exception crash crashed panic oom unsuccessful"
        ),
    ),
];

/// Reasons why a model or a run stopped whose words do not say which class they mean: Gemini's `finishReason`, the
/// `finish_reason` of OpenAI, DeepSeek and GLM, Anthropic's `stop_reason`, Bedrock's `stopReason`, Claude Code's
/// `terminal_reason`.
const REASONS: &[(Outcome, &[&str])] = &[
    (
        Outcome::Blocked,
        words!(
            "recitation blocklist spii image_recitation language model_armor sensitive error_toxic tripwire"
        ),
    ),
    (
        Outcome::Turns,
        words!("model_context_window_exceeded context_exhausted too_many_tool_calls"),
    ),
    (Outcome::Network, words!("insufficient_system_resource")),
    (Outcome::Auth, words!("auth_required")),
    (
        Outcome::Failed,
        words!("unexpected_tool_call missing_thought_signature no_image image_other"),
    ),
];

/// Returns the failure that a record states by its status, a flag, an error, or an exit code.
pub(in crate::dialect) fn failure<'a>(record: &Object<'a>) -> Option<Problem<'a>> {
    let classes = STATES.of(record).filter_map(|state| {
        let word = word_of_state(state)?;
        let class = class_of_reason(word.as_bytes())?;
        // What failed or took too long may be only a tool then.
        let may_be_tool = matches!(class, Outcome::Failed | Outcome::Network);
        let of_tool = may_be_tool && Words::of(word.as_bytes()).has(Words::TOOL);
        (!of_tool).then_some(class)
    });
    // Another member may say more than that the run failed.
    let class = classes.reduce(|first, next| match first {
        Outcome::Failed => next,
        named => named,
    });
    let mut stopped = STOPPED.iter().filter(|(_, flags)| flags.is_set(record));
    let class = class.or_else(|| stopped.next().map(|(class, _)| *class));
    let error = error(record);
    let stated = has_failed(record) || error.is_some();
    let class = class.or(stated.then_some(Outcome::Failed))?;
    // A run that went well may name an error that it got over.
    let error = error.or_else(|| error_in(record, names!("last_error lastError")));
    let problem = error.unwrap_or(Problem {
        code: code_of(record),
        ..Problem::fatal(class, Text::EMPTY)
    });
    Some(problem.or_class(class))
}

/// Returns the [`failure`] that the record of an end states, in the words of its status if it has no error. It
/// overrides what else the record says.
pub(in crate::dialect) fn failure_of_end<'a>(record: &Object<'a>) -> Option<Problem<'a>> {
    let failure = failure(record)?;
    if !failure.message.is_empty() {
        return Some(failure);
    }
    let means = |word: &Text<'_>| class_of_reason(word.as_bytes()) == Some(failure.class);
    let mut states = STATES.of(record).filter_map(word_of_state);
    let message = states.find(means).unwrap_or_default();
    Some(Problem { message, ..failure })
}

/// Members that say how far something has come.
const PROGRESS: NameList = names!("status state outcome");

/// Objects in the record of an end that say how the run ended. An answer may have a state of its own.
const OF_RUN: NameList = names!("status data payload params event update turn run outcome");

/// Returns the word of a status, which may be an object with a type or a code (AG-UI, version 1).
pub(in crate::dialect) fn word_of_state<'a>(state: Value<'a>) -> Option<Text<'a>> {
    let inner = || names!("type code kind").text(&Object::new(state)?);
    state.text().or_else(inner)
}

/// Returns an end and the objects in it that say how the run ended.
fn about_run<'a>(end: &Object<'a>) -> impl Iterator<Item = Object<'a>> {
    std::iter::once(end.clone()).chain(OF_RUN.objects(end))
}

/// Returns the words of such members, single words and not sentences: those of the end itself, or else those of the
/// first object about the run that has any.
fn progress<'a>(end: &Object<'a>) -> Vec<Text<'a>> {
    let words = |one: Object<'a>| -> Vec<_> {
        let words = PROGRESS.of(&one).filter_map(word_of_state);
        words.filter(is_word).collect()
    };
    let mut stated = about_run(end).map(words).filter(|words| !words.is_empty());
    stated.next().unwrap_or_default()
}

/// Returns the failure that a status of HTTP in an end means.
fn refused<'a>(end: &Object<'a>) -> Option<Problem<'a>> {
    let names = names!("status statusCode status_code");
    let of = |one: Object<'a>| {
        let mut numbers = names.of(&one).filter_map(|status| {
            let code = || status.get("code")?.as_i64();
            status.as_i64().or_else(code)
        });
        numbers.find(|number| (400..600).contains(number))
    };
    let number = about_run(end).find_map(of)?;
    let class = class::of_code(number).unwrap_or(Outcome::Failed);
    Some(Problem {
        code: Some(Code::Number(number)),
        ..Problem::fatal(class, Text::EMPTY)
    })
}

/// Whether a record that looks like an end says that the run goes on, waits for somebody, or was cut off.
pub(in crate::dialect) fn goes_on(end: &Object<'_>) -> bool {
    // A step of Mastra that calls a tool is none after which a run is over.
    let waits = |reason: &Text<'_>| is_word(reason) && is_pending(reason);
    let calls =
        |one: &Object<'_>| stop_reasons(one).any(|reason| hands_over(&reason) || waits(&reason));
    let steps = |one: &Object<'_>| one.object("stepResult").is_some_and(|step| calls(&step));
    let calls = || about_run(end).any(|one| calls(&one) || steps(&one));
    let stated = progress(end);
    let succeeds = || SUCCEEDED.is_set(end) || stated.iter().any(means_success);
    let is_cut = |one: &Object<'_>| names!("truncated is_truncated").is_set(one);
    let cut = || about_run(end).any(|one| is_cut(&one)) && failure(end).is_none();
    stated.iter().any(is_pending) || calls() && !succeeds() || cut()
}

/// Returns the reasons why the model stopped that a record states.
pub(in crate::dialect) fn stop_reasons<'a>(
    record: &Object<'a>,
) -> impl Iterator<Item = Text<'a>> + use<'a> {
    let more = names!("finish reason");
    let reasons: Vec<_> = STOPS.of(record).chain(more.of(record)).collect();
    reasons.into_iter().filter_map(word_of_state)
}

/// Whether the reason why the model stopped is that it called a tool: what ends then is a response and no run.
pub(in crate::dialect) fn hands_over(reason: &Text<'_>) -> bool {
    const REASONS: &[&str] = words!("tool_calls tool_call tool_use tooluse function_call");
    is_reason(REASONS, reason.as_bytes())
}

/// Whether the status of a run or of a call says that it is not over, or waits for somebody.
pub(in crate::dialect) fn is_pending(status: &Text<'_>) -> bool {
    const WORDS: &[&str] = words!(
        "running progress inprogress pending queued active working started submitted requires required needs paused \
         suspended waiting awaiting interrupt"
    );
    has_any(WORDS, status) && class_of_reason(status.as_bytes()).is_none()
}

/// Whether a record about a call says by its status that the call is over.
pub(in crate::dialect) fn is_done(record: &Object<'_>) -> bool {
    record.text("status").is_some_and(|status| is_over(&status))
}

/// Whether the status of a call says that it is over, with or without success.
pub(super) fn is_over(status: &Text<'_>) -> bool {
    !is_pending(status) && (means_success(status) || class_of_state(status.as_bytes()).is_some())
}

/// Words for success, next to those for an end.
const SUCCESSFUL: &[&str] = words!(
    "success successful successfully succeeded succeed ok okay passed pass closed ready resolved approved answered \
     fulfilled exited normal"
);

/// Whether the status of an end or of a result is a word for success, as the words for an end are.
pub(in crate::dialect) fn means_success(status: &Text<'_>) -> bool {
    const NOT: &[&str] = words!("not no never partial partially");
    // Dify's word for a run that got over the failure of a step.
    if is_reason(&["partial_succeeded"], status.as_bytes()) {
        return true;
    }
    let ends = || Words::of(status.as_bytes()).has(Words::END);
    let is_good = has_any(SUCCESSFUL, status) || ends();
    is_good && is_word(status) && !has_any(NOT, status) && stopped(status.clone()).is_none()
}

/// Returns the failure that the status of an end means: a number for one, or whatever is no word for success.
pub(in crate::dialect) fn unsuccessful<'a>(end: &Object<'a>) -> Option<Problem<'a>> {
    let mut words = progress(end).into_iter();
    let failed = words.find(|word| !means_success(word));
    let failed = failed.map(|word| Problem::fatal(Outcome::Failed, word));
    failed.or_else(|| refused(end))
}

/// Returns the failure that an end states which says by a flag that the run is not complete, by its reason if that
/// names a class: `{"type":"run.completed","completed":false,"turn_exit_reason":"iteration_limit"}` (Hermes).
pub(in crate::dialect) fn incomplete<'a>(end: &Object<'a>) -> Option<Problem<'a>> {
    let is_off = |one: &Object<'_>| {
        let mut flags = names!("completed complete is_complete isComplete").of(one);
        flags.any(|flag| flag.as_bool() == Some(false))
    };
    let end = about_run(end).find(is_off)?;
    let reason = names!("turn_exit_reason exit_reason exitReason").text(&end);
    let named = reason.and_then(stopped);
    Some(named.unwrap_or(Problem::fatal(Outcome::Failed, Text::EMPTY)))
}

/// Whether a status is a single word and not a sentence.
fn is_word(status: &Text<'_>) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.');
    !status.is_empty() && status.as_bytes().iter().all(is_part)
}

/// Whether a failure is one of the account, the model or its limits, by a code or by what its message says, and not by
/// a word of a status only: jobs of other kinds do not fail so. So is one that names a language model, or a limit of
/// tokens.
pub(in crate::dialect) fn blames_model(problem: &Problem<'_>) -> bool {
    use Outcome::{Auth, Blocked, Quota, Turns};
    let names_model = |text: &Text<'_>| Words::of(text.as_bytes()).has(Words::LLM);
    if names_model(&problem.message)
        || limits_tokens(&problem.message)
        || matches!(&problem.code, Some(Code::Word(word)) if names_model(word))
    {
        return true;
    }
    let said = problem.code.is_some() || class::of(&problem.message, None) == problem.class;
    said && matches!(problem.class, Auth | Blocked | Quota | Turns)
}

/// Whether a message says that there are too many tokens, which only language models count.
fn limits_tokens(message: &Text<'_>) -> bool {
    const TOKENS: &[&str] = words!("token tokens");
    const LIMITS: &[&str] = words!("limit exceeded exceeds maximum max");
    has_any(TOKENS, message) && has_any(LIMITS, message)
}

/// Whether one of the words in an identifier is among these.
fn has_any(words: &[&str], identifier: &Text<'_>) -> bool {
    split(identifier.as_bytes()).any(|word| has_word_in_any_case(words, word))
}

/// Whether the words of a record's type say that the run was cancelled.
pub(in crate::dialect) fn cancelled(kind: &[u8]) -> bool {
    class_of_state(kind) == Some(Outcome::Cancelled)
}

/// Whether the words of a record's type say that the run took too long.
pub(in crate::dialect) fn timed_out(kind: &[u8]) -> bool {
    class_of_state(kind) == Some(Outcome::Network)
}

/// Whether a flag or an exit code says that something failed, whatever else the record says.
pub(in crate::dialect) fn has_failed(record: &Object<'_>) -> bool {
    let mut succeeded = SUCCEEDED.of(record);
    FAILED.is_set(record)
        || succeeded.any(|flag| flag.as_bool() == Some(false))
        || exit_codes(record).any(|code| code != 0)
}

/// Returns the outcome that a status word means, if it means a failure.
fn class_of_state(word: &[u8]) -> Option<Outcome> {
    let row_of = |part: &[u8]| {
        let mut rows = FAILURES.iter();
        rows.position(|(_, all)| has_word_in_any_case(all, part))
    };
    let first = split(word).filter_map(row_of).min()?;
    FAILURES.get(first).map(|(class, _)| *class)
}

/// Returns the outcome that a reason or a status means, if it means a failure.
fn class_of_reason(word: &[u8]) -> Option<Outcome> {
    if let Some((class, _)) = REASONS.iter().find(|(_, all)| is_reason(all, word)) {
        return Some(*class);
    }
    let stated = class_of_state(word);
    // An identifier may name the cause as the code of an error does: `rate_limited`. A usual word does not.
    let is_usual = stated.is_some()
        || Words::of(word).has(Words::END)
        || has_word_in_any_case(SUCCESSFUL, word);
    let is_word = split(word).nth(1).is_none();
    if is_word && is_usual || word.contains(&b' ') {
        return stated;
    }
    let identifier = std::str::from_utf8(word).ok();
    identifier.and_then(class::cause_of).or(stated)
}

/// Whether a reason is one of these, in any case and with any hyphens.
fn is_reason(reasons: &[&str], word: &[u8]) -> bool {
    let plain = |byte: &u8| match byte {
        b'-' => b'_',
        byte => byte.to_ascii_lowercase(),
    };
    let is_it = |reason: &&str| reason.bytes().eq(word.iter().map(plain));
    reasons.iter().any(is_it)
}

/// Whether the reason why the model stopped says that it did so of itself: its answer is complete. Words of OpenAI,
/// Anthropic, Google and Cohere; the AI SDK and Bedrock have the same.
pub(in crate::dialect) fn stopped_by_itself(reason: &Text<'_>) -> bool {
    const REASONS: &[&str] = words!("stop end_turn endturn stop_sequence complete");
    is_reason(REASONS, reason.as_bytes())
}

/// Returns the failure that the reason why the model or a run stopped means, if it means one.
pub(in crate::dialect) fn stopped(reason: Text<'_>) -> Option<Problem<'_>> {
    let class = class_of_reason(reason.as_bytes())?;
    Some(Problem::fatal(class, reason))
}

/// Returns a failure with the class that the word for an end means, if its own says only that something failed.
pub(in crate::dialect) fn or_stopped<'a>(
    problem: Problem<'a>,
    word: Option<Text<'_>>,
) -> Problem<'a> {
    match word.and_then(stopped) {
        Some(named) => problem.or_class(named.class),
        None => problem,
    }
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
    error_in(record, names)
}

/// Returns the error in the first of a record's members with these names.
fn error_in<'a>(record: &Object<'a>, names: NameList) -> Option<Problem<'a>> {
    let of_value = |value: Value<'a>| {
        let (problem, coded) = match Object::new(value) {
            Some(error) => (stated(&error, code_of(record)), code_of(&error).is_some()),
            None => (problem(value.text()?, code_of(record)), false),
        };
        (coded || !problem.message.is_empty()).then_some(problem)
    };
    let value = names.first(record)?;
    match value.kind() {
        Kind::Array => value.elements().find_map(of_value),
        _ => of_value(value),
    }
}

/// Members in which an error says of what kind it is. Codex may name it by the only member of an object.
const KINDS: NameList = names!("type code kind status name codexErrorInfo codex_error_info");

/// Returns the failure that an error object states, with the code of the record around it if it has none.
pub(in crate::dialect) fn stated<'a>(
    error: &Object<'a>,
    code_around: Option<Code<'a>>,
) -> Problem<'a> {
    let inner = error.object("data");
    let message = names!("message detail text name type").text(error);
    let said = inner.and_then(|data| names!("message details").text(&data));
    let message = said.or(message).unwrap_or_default();
    let code = code_of(error).or(code_around);
    let (mut kind, mut status) = (word_of(code.as_ref()), code.as_ref().and_then(Code::number));
    for value in KINDS.of(error) {
        let (name, inner) = value.members().next().unzip();
        let named = value.text().or_else(|| Some(name?.text()));
        kind.extend(named.map(|name| format!("\n{}", name.to_string_lossy())));
        let inner = inner.and_then(|inner| inner.get("httpStatusCode"));
        status = status.or_else(|| inner.unwrap_or(value).as_i64());
    }
    let class = class::of_kind(&kind, &message, status);
    Problem {
        code,
        ..Problem::fatal(class, message)
    }
}

/// Returns the word that a code is.
fn word_of(code: Option<&Code<'_>>) -> String {
    match code {
        Some(Code::Word(word)) => word.to_string_lossy().into_owned(),
        _ => String::new(),
    }
}

fn code_of<'a>(record: &Object<'a>) -> Option<Code<'a>> {
    let names = names!(
        "code status_code statusCode http_status_code httpStatusCode http_status errorCode \
         error_code api_error_status errorClass"
    );
    names.first(record).and_then(Code::of)
}

/// Returns a failure with that message and code, classified by both.
pub(in crate::dialect) fn problem<'a>(message: Text<'a>, code: Option<Code<'a>>) -> Problem<'a> {
    named_problem(message, code, None)
}

/// Returns a failure with that message, code and name, classified by all three. The name is the code if there is none.
pub(in crate::dialect) fn named_problem<'a>(
    message: Text<'a>,
    code: Option<Code<'a>>,
    name: Option<Text<'a>>,
) -> Problem<'a> {
    let number = code.as_ref().and_then(Code::number);
    let kind = match &name {
        Some(name) => name.to_string_lossy().into_owned(),
        None => word_of(code.as_ref()),
    };
    let class = class::of_kind(&kind, &message, number);
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
pub(in crate::dialect) fn problem_of_error_record<'a>(record: &Object<'a>) -> Problem<'a> {
    failure(record)
        .filter(|problem| !problem.message.is_empty())
        .unwrap_or_else(|| {
            let names = names!("message errorText detail text content reason data");
            let message = names.text(record).unwrap_or_default();
            problem(message, code_of(record))
        })
}
