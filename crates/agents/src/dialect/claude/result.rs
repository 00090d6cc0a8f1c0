//! Results of Claude Code: how a turn ended, its answer, its counts and its cost.

use super::{API_ERROR, Claude};
use crate::dialect::prelude::*;

/// The start of an error, usually a result's first, that says why the agent considers the turn failed, not what failed.
const DIAGNOSIS: &str = "[ede_diagnostic]";

impl Claude {
    pub(super) fn result<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.extend(denials(record));
        out.extend(self.reported.take().map(Fact::Model));
        self.result_usage(record, out);
        out.extend(record.u64("duration_ms").map(Fact::TurnTook));

        let stated = self.stated.take();
        // A result that does not say whether it is an error is one if it repeats one, or starts like one of the API.
        let text = record.text("result").unwrap_or_default();
        let tells = stated.as_ref() == Some(&text) || text.starts_with(API_ERROR);
        let success = is_success(record) && (record.has("is_error") || !tells);
        let failure = (!success).then(|| failure(record));
        end(record, failure, stated, out);
        // After a task in the background, a process may print such a result before its first turn (2.1).
        let is_early = success && !self.spoken && record.u64("num_turns") == Some(0);
        if let Some(Fact::End(end)) = out.facts.last_mut().filter(|_| is_early) {
            end.scope = EndScope::Attempt;
        }
    }

    /// Returns the cost of the whole process; `None` if no turn led to this result and an earlier result stated the
    /// cost: such a result does not count what was spent before (2.1.0 to 2.1.6, after background tasks).
    fn cost(&mut self, record: &Object<'_>, of_no_model: bool) -> Option<f64> {
        // Until 1.0.22 the member had other names.
        let mut costs = names!("total_cost_usd total_cost cost_usd").of(record);
        let cost_usd = costs.find_map(Value::as_f64)?;
        let session = record.text("session_id").map(Text::into_owned);
        let is_blank = of_no_model && record.u64("num_turns") == Some(0);
        if is_blank && self.costed == session {
            return None;
        }
        self.costed = session;
        Some(cost_usd)
    }

    fn result_usage<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let models = record.get("modelUsage").into_iter();
        let models: Vec<_> = models.flat_map(Value::members).collect();
        if let ([(only, _)], true) = (models.as_slice(), self.model_of != out.session) {
            out.push(Fact::Model(only.text()));
        }
        out.extend(models.iter().filter_map(|(name, model)| {
            let tokens = usual::tokens_apart(&Object::new(*model)?);
            let usage = || Fact::usage(Scope::Session, Some(name.text()), tokens);
            tokens.is_known().then(usage)
        }));
        let cost = self.cost(record, models.is_empty());
        out.extend(cost.map(|cost| Fact::cost(Some(cost))));
        let turn = usual::tokens_apart(&record.inner("usage"));
        let usage = || Fact::usage(Scope::Turn, None, turn);
        out.extend(turn.is_known().then(usage));
    }
}

/// Whether a result is a success: `is_error` decides, except that 1.0 sets it to false when the turns ran out.
pub(in crate::dialect) fn is_success(record: &Object<'_>) -> bool {
    let failed = usual::is_set(record, "is_error");
    let subtype = record.text("subtype").unwrap_or_default();
    !failed && !subtype.starts_with("error")
}

/// Returns the calls that were not permitted, which a result lists.
pub(in crate::dialect) fn denials<'a>(record: &Object<'a>) -> impl Iterator<Item = Fact<'a>> {
    let denials = record.objects("permission_denials");
    denials.map(|denial| Fact::Denial(denial_of(&denial)))
}

/// Returns the denial that a record states.
pub(super) fn denial_of<'a>(record: &Object<'a>) -> Denial<'a> {
    Denial {
        id: record.text("tool_use_id").unwrap_or_default(),
        tool: record.text("tool_name").unwrap_or_default(),
    }
}

/// States how a result ends the turn; an error need not be repeated if it is the one that was `stated` before.
pub(in crate::dialect) fn end<'a>(
    record: &Object<'a>,
    failure: Option<Problem<'a>>,
    stated: Option<Text<'_>>,
    out: &mut Statement<'a>,
) {
    if failure.is_none() {
        out.extend(unsaid(record).map(Fact::Message));
        out.extend(usual::structured(record).map(Fact::Structured));
    }
    out.push(match failure {
        Some(failure) if stated.as_ref() == Some(&failure.message) => Fact::ended(false),
        failure => Fact::end(failure, answer(record)),
    });
}

/// Returns the answer of a result, or the structured output of a schema. Programs that print such records may have
/// another name for the answer.
fn answer<'a>(record: &Object<'a>) -> Option<Text<'a>> {
    let text = record.text("result");
    if text.as_ref().is_some_and(|text| !text.is_empty()) {
        return text;
    }
    let other = || usual::answer(record).map(|(text, _)| text);
    usual::structured(record).or(text).or_else(other)
}

/// Returns the structured output (`--json-schema`), if the result has no other answer: the model gave it in a call, so
/// that no message contains it.
fn unsaid<'a>(record: &Object<'a>) -> Option<Message<'a>> {
    let structured = usual::structured(record)?;
    let is_answer = answer(record).is_some_and(|answer| answer == structured);
    is_answer.then(|| Message::whole(structured))
}

/// Returns the failure that a result states.
pub(in crate::dialect) fn failure<'a>(record: &Object<'a>) -> Problem<'a> {
    let stated = || Some(usual::stated(&record.object("error")?, None).message);
    let message = first_error(record).or_else(stated);
    let message = message.or_else(|| names!("error result subtype").text(record));
    let message = message.unwrap_or_default();
    let reason = record.text("terminal_reason").unwrap_or_default();
    let class = match reason.starts_with("aborted") {
        true => Outcome::Cancelled,
        false => class_of(&message, record, record.text("stop_reason")),
    };
    Problem {
        code: status_of(record).and_then(Code::of),
        ..Problem::fatal(class, message)
    }
}

/// Returns the first error in a result's list that is more than a diagnosis; if there is none, the first.
fn first_error<'a>(record: &Object<'a>) -> Option<Text<'a>> {
    let errors = || {
        let list = record.get("errors").into_iter().flat_map(Value::elements);
        list.filter_map(Value::text)
    };
    let diagnosis = Text::from(DIAGNOSIS);
    let mut causes = errors().filter(|error| !error.starts_with(&diagnosis));
    causes.next().or_else(|| errors().next())
}

/// Returns the class of an error: a refusal says so itself; else the text decides, then the members next to it.
pub(in crate::dialect) fn class_of(
    text: &Text<'_>,
    record: &Object<'_>,
    stop_reason: Option<Text<'_>>,
) -> Outcome {
    if stop_reason.is_some_and(|reason| reason == "refusal") {
        return Outcome::Blocked;
    }
    let status = status_of(record).and_then(Value::as_i64);
    let words = names!("api_error api_error_type error subtype terminal_reason");
    let alongside = words.of(record).filter_map(Value::text);
    std::iter::once(class::of(text, status))
        .chain(alongside.map(|word| class::of_kind(&word.to_string_lossy(), &word, None)))
        .chain(not_started(record))
        .find(|class| *class != Outcome::Failed)
        .unwrap_or(Outcome::Failed)
}

/// Returns the status of HTTP that a record states next to an error, in a stream or on disk.
pub(super) fn status_of<'a>(record: &Object<'a>) -> Option<Value<'a>> {
    names!("api_error_status apiErrorStatus").first(record)
}

/// Returns the class of the reason why the agent did not start (2.1): the account or its organisation, or its input.
fn not_started(record: &Object<'_>) -> Option<Outcome> {
    let reason = record.text("startup_failure_reason")?;
    let begins = |begin: &&str| reason.starts_with(begin);
    let is_accounts = ["org_", "provider_", "gateway_"].iter().any(begins);
    Some(match is_accounts {
        true => Outcome::Auth,
        false => Outcome::Input,
    })
}
