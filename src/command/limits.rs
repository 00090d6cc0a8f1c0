//! The bounds that a result can depend on: the table of the manual page, with the numbers that the code uses.
//!
//! How far a rule looks around a place that it judges is no row of it: for the marker of a list before a box, say, or
//! the end of a string that is repaired. Nothing is kept or given up there; what is farther away is no evidence.

use crate::command::run::source::AHEAD_BYTES;
use jsift_agents::dialect::reader::{HELD_BYTES, HELD_RECORDS};
use jsift_agents::session::named::{NAMES, NAMES_BYTES};
use jsift_agents::session::recent::{KEPT, KEPT_BYTES};
use jsift_agents::session::sessions::LONGEST_ID;
use jsift_agents::session::{
    ERRORS_KEPT, FOLLOWED, LONGEST_NAME, MESSAGE_KEPT, OTHERS, REPORTED, SAMPLES_KEPT,
};
use jsift_agents::stream::LONGEST_EVENT;
use jsift_find::choose::expected::DEPTH as COMPARED;
use jsift_find::choose::filter::DEPTH;
use jsift_find::choose::refused::BROKEN_LIMIT;
use jsift_find::finder::head::LITERAL_LIMIT;
use jsift_find::finder::learner::{WAIT_BYTES, WAIT_LINES};
use jsift_find::finder::reader::{LEFT_KEPT, WITHHELD, WITHHELD_COUNT};
use jsift_find::finder::repair::{DEPTH as REPAIRED, LEAST_WORK, PREFIXES, WORK};
use jsift_find::finder::substreams::{HELD, SUBSTREAMS};
use jsift_find::finder::thinking::LOOKED_AT;
use jsift_find::finder::{BLANKS_KEPT, BLANKS_LIMIT, FindOptions, INFO_LIMIT};
use jsift_find::prefix::{CUTS, PREFIX_LIMIT};
use jsift_find::unwrap::{DETECT_BYTES, DETECT_LINES, RECORD_LIMIT, WAITING_LINES, WAITING_SIZE};
use jsift_json::terminal::{CSI_LIMIT, STRING_LIMIT};
use jsift_sink::diagnostic::Diagnostics;
use jsift_sink::session_table::ROWS;

/// One bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// What the bound applies to.
    pub what: &'static str,
    /// The largest size or number.
    pub most: String,
    /// What happens to anything beyond the bound; if there is no bound, why none is needed.
    pub beyond: &'static str,
}

/// Returns the table.
#[must_use]
pub fn all() -> Vec<Limit> {
    [documents(), logs(), sessions()].concat()
}

const fn limit(what: &'static str, most: String, beyond: &'static str) -> Limit {
    Limit { what, most, beyond }
}

/// Returns the bounds of documents and of what stands around them.
#[rustfmt::skip]
fn documents() -> Vec<Limit> {
    let document = format!("{}, or --max-document", size(FindOptions::default().max_document));
    let withheld = format!("{} or {WITHHELD_COUNT} documents", size(WITHHELD));
    vec![
        limit("a document", document, "exits with 6"),
        limit("what --text holds", "as a document".into(), "exits with 6"),
        limit("depth of nesting", "none".into(), "a level costs a bit of memory and no stack"),
        limit("depth of a document that is checked against a schema", DEPTH.to_string(), "does not conform"),
        limit("a number in such a document", "1.8e308".into(), "does not conform"),
        limit("brackets in the value of --require", COMPARED.to_string(), "is compared as a string"),
        limit("length of a line", "none".into(), "lines are not held, only what is pending in them"),
        limit("a source that is one string literal", size(LITERAL_LIMIT), "is read as text"),
        limit("blank text before the first byte", size(BLANKS_KEPT), "is not kept"),
        limit("documents that may turn out not to count", withheld, "counts"),
        limit("a broken document that --type or --require may refuse", size(BROKEN_LIMIT as u64), "is not refused"),
        limit("blanks and commas after a document that may not count", size(BLANKS_LIMIT as u64), "is taken for text after it"),
        limit("the line that opens a fence", size(INFO_LIMIT as u64), "is content of the fence"),
        limit("thinking that has only a closing tag", size(LOOKED_AT), "counts"),
    ]
}

/// Returns the bounds of prefixes, transports, terminal bytes and repairs.
#[rustfmt::skip]
fn logs() -> Vec<Limit> {
    let detected = format!("{DETECT_LINES} or {}", size(DETECT_BYTES));
    let wait = format!("{WAIT_LINES} lines or {}", size(WAIT_BYTES));
    let waiting = format!("{WAITING_LINES} or {}", size(WAITING_SIZE as u64));
    let work = format!("{WORK} times the text and {}", size(LEAST_WORK as u64));
    vec![
        limit("a log prefix", size(PREFIX_LIMIT as u64), "is ignored"),
        limit("a log prefix with the message after it", size(LEFT_KEPT), "is ignored"),
        limit("readings of one prefix", (2 * CUTS).to_string(), "is left out, from the middle"),
        limit("lines after an opening bracket without its prefix, or its mark", wait.clone(), "means that it has none"),
        limit("lines without a prefix inside an indented document", wait, "breaks it"),
        limit("text of other sources between two lines of one", size(WAIT_BYTES), "breaks its document"),
        limit("log sources with a prefix, or named in records, that are read at the same time", SUBSTREAMS.to_string(), "is given up, the longest silent first"),
        limit("text of other sources that waits for a document", size(HELD), "breaks that document"),
        limit("findings that wait for their turn in the order of the source", size(HELD), "is reported out of order, or breaks the document that is waited for"),
        limit("lines at the beginning that may show the format of a log", detected, "shows none: --unwrap names it"),
        limit("a JSON record that is unwrapped", size(RECORD_LIMIT as u64), "is read as it is"),
        limit("lines that wait for the rest of a record that was cut", waiting, "ends that record"),
        limit("a control sequence of a terminal", size(CSI_LIMIT as u64), "is read as text"),
        limit("a control string of a terminal", size(STRING_LIMIT as u64), "is read as text"),
        limit("depth of what --repair reads", REPAIRED.to_string(), "is not repaired"),
        limit("log prefixes that --repair takes off", PREFIXES.to_string(), "is read as text"),
        limit("text that --repair reads without a result", work, "is not repaired"),
    ]
}

/// Returns the bounds of records, sessions and reports.
#[rustfmt::skip]
fn sessions() -> Vec<Limit> {
    let pending = format!("{KEPT} or {}", size(KEPT_BYTES as u64));
    let names = format!("{NAMES} or {}", size(NAMES_BYTES as u64));
    let errors = format!("{ERRORS_KEPT} of {} each", size(MESSAGE_KEPT as u64));
    let ids = format!("{} and {}", size(LONGEST_ID as u64), size(LONGEST_NAME as u64));
    let doubted = format!("{HELD_RECORDS} or {}", size(HELD_BYTES as u64));
    vec![
        limit("the name of an event before its data", size(LONGEST_EVENT as u64), "is ignored"),
        limit("records whose agent is not known yet", doubted, "is noise, the oldest first"),
        limit("sessions that begin before one that has ended is reported", OTHERS.to_string(), "is reported first: its later records are a session of their own"),
        limit("sessions of a source that have not ended", REPORTED.to_string(), "is reported as it is, the longest silent first"),
        limit("sessions of a source on a page", REPORTED.to_string(), "is left out, the longest silent first, and exits with 6"),
        limit("rows of the table at the end of a summary", ROWS.to_string(), "is only counted"),
        limit("results of a file that is read before its turn", size(AHEAD_BYTES as u64), "waits for its turn"),
        limit("sessions that are followed at the same time", FOLLOWED.to_string(), "is forgotten, the oldest first: its results name no tool"),
        limit("calls of a session without a result", pending, "is forgotten, the oldest first: its results name no tool"),
        limit("tools, models or files of a session", names, "is counted together, under an ellipsis"),
        limit("the id of a session; the name of a model", ids, "is ignored"),
        limit("errors of a session", errors, "is left out, a longer message with an ellipsis"),
        limit("the page of a summary", "5 MB, or --max-bytes".into(), "is left out, with a note: long texts first, then steps, then runs"),
        limit("samples of noise", SAMPLES_KEPT.to_string(), "is only counted"),
        limit("messages of one kind", Diagnostics::SHOWN.to_string(), "is only counted"),
    ]
}

/// Returns a number of bytes in a readable unit.
fn size(bytes: u64) -> String {
    match bytes {
        gib if gib >= 1 << 30 => format!("{} GiB", gib >> 30),
        mib if mib >= 1 << 20 => format!("{} MiB", mib >> 20),
        kib if kib >= 1 << 10 => format!("{} KiB", kib >> 10),
        bytes => format!("{bytes} bytes"),
    }
}
