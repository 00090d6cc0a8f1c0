//! The messages of `extract`.

use memchr::memmem;

use crate::command::run::notes::{TO_STANDARD_ERROR, cut_by_pipe};
use jsift_agents::dialect::class::{Known, known_message};
use jsift_agents::figures::noun;
use jsift_find::choose::choice::Several;
use jsift_find::document::{Fault, FaultKind, Remark, Stage, is_masked};
use jsift_find::finder::FindOptions;
use jsift_find::finder::repair::Repairs;
use jsift_find::input::{BARE_UTF16, is_bare_utf16};
use jsift_json::view::{Kind, Value};
use jsift_sink::diagnostic::{Diagnostic, STANDARD_INPUT, excerpt};

/// The maximum number of characters shown of a source without JSON, or of an info string.
const EXCERPT: usize = 100;

/// How much of a text is repaired to see whether that gives a document, in bytes.
const REPAIRED: usize = 1 << 16;

/// The hint for input that is almost JSON.
const REPAIR: &str = "--repair reads broken JSON tolerantly and says what it changes";

/// The hint for input that is cut.
const CLOSES: &str = "--repair closes what is open";

/// The hint for the rest of a document whose start is missing.
const PARTS: &str = "the input starts too late or leaves out lines; --loose extracts the parts";

/// The hint for text with the marks that GitHub writes over secrets. Each line of a secret is one, so a bracket may be.
const MASKED: &str = "*** hides a secret, which may have been a bracket, a string or a part of one";

/// Returns a hint for a fault. `--repair` is not suggested if it is already in use.
fn hint(fault: &Fault, repairs: bool) -> Option<String> {
    match fault.kind {
        FaultKind::Broken if fault.masked => Some(match repairs {
            true => MASKED.to_owned(),
            false => format!("{MASKED}; --repair reads the rest"),
        }),
        FaultKind::Headless | FaultKind::Truncated if fault.masked => Some(MASKED.to_owned()),
        FaultKind::Limit => Some("--max-document SIZE raises the limit".to_owned()),
        FaultKind::Broken if !repairs => Some(match lenient_grammar(fault) {
            Some(grammar) => format!("{grammar} allows what JSON does not; --repair reads it"),
            None => REPAIR.to_owned(),
        }),
        FaultKind::Truncated if repairs => cut_by_pipe(fault),
        FaultKind::Truncated => Some(match cut_by_pipe(fault) {
            Some(cut) => format!("{cut}; {CLOSES}"),
            None => format!(
                "the input was cut; {CLOSES}, and a producer that writes to a file is not cut by a pipe"
            ),
        }),
        FaultKind::Headless => Some(PARTS.to_owned()),
        FaultKind::Broken | FaultKind::Empty => None,
    }
}

/// Returns the text of a fault, in which an info string is shortened to an excerpt.
fn fault_text(fault: &Fault) -> String {
    fault.text(|info| excerpt(info.as_bytes(), EXCERPT))
}

/// Returns the grammar that a fence names, if that allows more than JSON.
fn lenient_grammar(fault: &Fault) -> Option<&'static str> {
    let word = fault.fence.as_deref()?.split_whitespace().next()?;
    let grammars = ["jsonc", "json5"];
    grammars
        .into_iter()
        .find(|grammar| grammar.eq_ignore_ascii_case(word))
}

/// Returns the message for a fault that does not decide the outcome.
pub(super) fn passed_fault(fault: &Fault) -> Diagnostic {
    let message = Diagnostic::note(fault_text(fault)).at_fault(fault);
    message.group("faults")
}

/// Returns the message for the fault that decides the outcome.
pub(super) fn deciding_fault(fault: &Fault, repairs: bool) -> Diagnostic {
    let message = Diagnostic::error(fault_text(fault)).at_fault(fault);
    message.hint_if(hint(fault, repairs))
}

/// Returns the message for a remark.
pub(super) fn remark(remark: &Remark) -> Diagnostic {
    let (text, group) = match remark {
        Remark::LeftOut(_) => (
            "this line is left out of the document around it",
            "lines left out",
        ),
        Remark::PartsGiven(_) => (
            "this JSON is broken or its start is missing; its parts are taken for documents",
            "pieces of broken JSON",
        ),
    };
    Diagnostic::note(text).at(remark.position()).group(group)
}

/// Returns the message that the text so far, in which this many documents were written, was thinking.
pub(super) fn thinking(written: u64) -> Diagnostic {
    Diagnostic::note(match written {
        1 => "the text so far was thinking; 1 document in it has been written".to_owned(),
        many => format!("the text so far was thinking; {many} documents in it have been written"),
    })
}

/// Returns the message that only the answer of the last run or response is searched, and that of so many others is not.
pub(super) fn other_answers(others: usize) -> Diagnostic {
    let message = Diagnostic::note(match others {
        1 => "the last answer is searched, and 1 before it is not".to_owned(),
        many => format!("the last answer is searched, and {many} before it are not"),
    });
    message.hint("`jsift summary --response` prints the answers of all")
}

/// Returns the verbose message for a document that was taken.
pub(super) fn taken(what: &str, stage: Stage) -> Diagnostic {
    let stage = stage.name();
    Diagnostic::verbose(format!("took {what}, found by stage {stage}"))
}

/// Returns the message for when only a weak document was found: one inside a line, or in thinking. `text` is the text
/// that contains it, or its beginning.
pub(super) fn weak(document: &[u8], text: &[u8], may_repair: bool) -> Diagnostic {
    let document = Value::new(document);
    let is_nested = |value: Value<'_>| matches!(value.kind(), Kind::Array | Kind::Object);
    let flat = document.members().next().is_none() && !document.elements().any(is_nested);
    let message = Diagnostic::note(match flat {
        true => "only a flat array or an empty object inside a line was found",
        false => "only a document inside thinking was found",
    });
    hint_at_repair(message, text, may_repair)
}

/// Returns the message that there are several documents and only one is allowed.
pub(super) fn several(several: &Several) -> Diagnostic {
    Diagnostic::error(format!("{several}; --pick only needs a single one"))
        .hint("--pick first, last, largest or N takes one of them, --all prints all")
}

/// Returns the message that other documents were passed over. `in_stream` says whether the document that was taken is a
/// record of an agent's stream.
pub(super) fn passed_over(documents: u64, in_stream: bool) -> Diagnostic {
    let were = if documents == 1 { "was" } else { "were" };
    let documents = noun(documents, "other document");
    let message = Diagnostic::note(format!("{documents} {were} passed over"));
    message.hint(match in_stream {
        true => "--payload extracts the JSON in the agent's answer, --all prints every record",
        false => "--all prints every document, --pick another one",
    })
}

/// Returns the message for an envelope that was taken although its answer contains JSON.
pub(super) fn payload_inside() -> Diagnostic {
    Diagnostic::note("this is an envelope, and the answer in it contains JSON")
        .hint("--payload extracts that")
}

/// Returns the note on a change that a repair made.
pub(super) fn repaired(change: &str) -> Diagnostic {
    Diagnostic::note(format!("repaired: {change}"))
}

/// Returns the message for a string that would look like several.
pub(super) fn ambiguous() -> Diagnostic {
    Diagnostic::error("the string contains a NUL, which ends a document with --print0")
        .hint("without --raw it is written as \\u0000")
        .group("strings with a NUL")
}

/// Returns the message for a source without JSON. `head` is its beginning, without leading white space.
pub(super) fn nothing(source: &str, head: &[u8], may_repair: bool) -> Diagnostic {
    if head.is_empty() {
        let message = Diagnostic::error("no JSON found; the input is empty");
        return message.hint_if((source == STANDARD_INPUT).then_some(TO_STANDARD_ERROR));
    }
    let text = excerpt(head, EXCERPT);
    let message = Diagnostic::error(format!("no JSON found; the input begins: '{text}'"));
    let mut known = head.split(|&byte| byte == b'\n').filter_map(known_message);
    match known.find(Known::says_why) {
        Some(known) => message.hint(known.hint),
        None if is_bare_utf16(head) => message.hint(BARE_UTF16),
        None if is_masked(head) && memmem::find(head, b"\":").is_some() => message.hint(MASKED),
        None => hint_at_repair(message, head, may_repair),
    }
}

/// Adds a hint at `--repair`, if that makes an object or array of something in `text`.
fn hint_at_repair(message: Diagnostic, text: &[u8], may_repair: bool) -> Diagnostic {
    let is_read = || {
        let near = text.get(..REPAIRED).unwrap_or(text);
        let repairs = Repairs::of_text(near, &FindOptions::default());
        let mut documents = repairs.documents().iter();
        documents.any(|document| matches!(document.text.first(), Some(b'{' | b'[')))
    };
    message.hint_if((may_repair && is_read()).then_some(REPAIR))
}

/// Returns the message for an agent's answer without JSON.
pub(super) fn no_payload(response: &[u8], may_repair: bool) -> Diagnostic {
    if response.trim_ascii().is_empty() {
        return Diagnostic::error("the agent's answer is empty");
    }
    let text = excerpt(response.trim_ascii(), EXCERPT);
    let message = Diagnostic::error(format!(
        "no JSON found in the agent's answer; it begins: '{text}'"
    ));
    hint_at_repair(message, response, may_repair)
}
