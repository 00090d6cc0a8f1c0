//! Reads the responses of Gemini's API, whole and in chunks.

use super::{Part, PartForm, PartPlace};
use crate::dialect::prelude::*;

/// Members that only the bodies of Gemini's API have. The clients for Python write their names with underscores.
const GEMINIS: NameList = names!(
    "usageMetadata usage_metadata modelVersion model_version promptFeedback prompt_feedback"
);

/// The names of the numbers that those clients may write instead of a `finishReason`, from 1 on.
const STOPS: &[&str] = words!(
    "STOP MAX_TOKENS SAFETY RECITATION OTHER LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII \
     MALFORMED_FUNCTION_CALL IMAGE_SAFETY UNEXPECTED_TOOL_CALL"
);
/// The names of the numbers instead of a `blockReason`.
const BLOCKS: &[&str] = words!("SAFETY OTHER BLOCKLIST PROHIBITED_CONTENT IMAGE_SAFETY");

/// Returns a reason that is a word or the number of one of `words`; 0 is no reason.
fn reason_of<'a>(reason: Value<'a>, words: &'static [&'static str]) -> Option<Text<'a>> {
    let named = |number: u64| {
        let at = usize::try_from(number).ok()?.checked_sub(1)?;
        Some(Text::from(*words.get(at).unwrap_or(&"OTHER")))
    };
    reason.text().or_else(|| named(reason.as_u64()?))
}

/// Reads `{"candidates":[{"content":{"parts":[{"text"}],"role"},"finishReason"}],"usageMetadata","modelVersion"}`;
/// parts that are thoughts do not count. A blocked response has no content, or has `promptFeedback` and no candidates.
/// Only the last chunk has a `finishReason`; all chunks have the same `responseId` (2025).
pub(super) fn gemini<'a>(body: &Object<'a>) -> Option<Part<'a>> {
    let id = names!("responseId response_id").first(body);
    let Some(candidate) = body.objects("candidates").next() else {
        return Some(without_candidates(body)?.of(PartForm::Gemini).with_id(id));
    };
    let reason = names!("finishReason finish_reason").first(&candidate);
    let reason = reason.and_then(|reason| reason_of(reason, STOPS));
    let content = candidate.object("content");
    let parts = || content.iter().flat_map(|content| content.objects("parts"));
    let call_of = |part: &Object<'a>| names!("functionCall function_call").objects(part).next();
    let speaks = || parts().any(|part| part.has("text") || call_of(&part).is_some());
    let has_role = content.as_ref().is_some_and(|content| content.has("role"));
    let shape =
        has_role || speaks() || reason.is_some() || GEMINIS.is_in(body) && content.is_some();
    shape.then_some(())?;
    let said = parts().filter(|part| !usual::is_set(part, "thought"));
    let text = blocks::texts(said.map(|part| part.value())).into_owned();
    let part = Part::said(PartPlace::last_if(reason.is_some()), text)
        .of(PartForm::Gemini)
        .with_calls(parts().filter_map(|part| Some(usual::own_call(&call_of(&part)?))));
    Some(part.with_id(id).ended_for_any(reason))
}

/// Reads a response of Gemini that was blocked, or has no answer, or a chunk that only counts.
fn without_candidates<'a>(body: &Object<'a>) -> Option<Part<'a>> {
    let feedback = names!("promptFeedback prompt_feedback")
        .objects(body)
        .next();
    let reason = feedback.and_then(|it| names!("blockReason block_reason").first(&it));
    if let Some(reason) = reason.and_then(|reason| reason_of(reason, BLOCKS)) {
        return Some(Part::at(PartPlace::Last).failed_for(Outcome::Blocked, reason));
    }
    let named = GEMINIS.of(body).filter(|value| !value.is_null()).count();
    let ids = names!("responseId response_id createTime create_time");
    let shape = match is_empty_list(body, "candidates") {
        true => named > 0,
        // The events of Google's ADK have these members, too.
        false => named > 1 && NameList::cover([GEMINIS, ids].into_iter(), body),
    };
    shape.then(|| Part::at(PartPlace::CountsOrWhole))
}

/// Whether a member is an empty list, or `null` in its place.
fn is_empty_list(body: &Object<'_>, name: &str) -> bool {
    let list = body.get(name);
    list.is_some_and(|list| {
        list.is_null() || list.kind() == Kind::Array && list.elements().next().is_none()
    })
}
