//! Session files of Claude Code, `~/.claude/projects/DIR/ID.jsonl` (seen in 2.1.330).
//!
//! The messages are the same as in a stream, with other members around them: `sessionId`, `isSidechain` for
//! `parent_tool_use_id`, `toolUseResult`. The usage is that of the whole message, repeated with each of its blocks; a
//! session that continues in another file starts there with a copy of its earlier records. There is no `result`: the
//! last message shows how a turn ended.

use super::INTERRUPTED;
use crate::dialect::prelude::*;

/// The state that is kept between the records of a file.
#[derive(Default)]
pub(super) struct ClaudeFile {
    /// Whether the record is from a file.
    pub(super) reads: bool,
    /// The session whose start was stated.
    started: Option<Text<'static>>,
    /// Whether the whole file is a subagent's.
    aside: Option<bool>,
    /// Whether nothing was pending after the last message, which had no mark of a file.
    rested: bool,
    /// The failure of the request that is being tried again.
    retried: Option<Problem<'static>>,
}

impl ClaudeFile {
    /// States what only records of a file say; returns whether nothing else is left to state.
    pub(super) fn begin<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) -> bool {
        let aside = record.get("isSidechain").and_then(Value::as_bool);
        let session = record.text("sessionId");
        // Without these marks these are a stream's, whatever it calls its session.
        let kind = record.word("type").unwrap_or_default();
        let of_stream = has_word(words!("system result"), &kind) || kind.is_empty();
        let marked = is_marked(record);
        self.reads = marked || session.is_some() && !of_stream;
        if !self.reads {
            if let Some(message) = record.object("message").filter(|_| out.parent.is_none()) {
                self.aside.get_or_insert(false);
                self.rested = record.is("type", "assistant") && rests(record, &message);
            }
            return false;
        }
        out.extend(std::mem::take(&mut self.rested).then_some(Fact::Rest));
        if *self.aside.get_or_insert(aside.unwrap_or(false)) {
            self.aside = aside.or(self.aside);
        } else if aside == Some(true) {
            out.parent = record.text("agentId").or_else(|| Some("sidechain".into()));
        }
        let id = session.clone().unwrap_or_default();
        if marked && out.parent.is_none() && self.started.as_ref() != Some(&id) {
            self.started = Some(id.into_owned());
            out.push(usual::start(record, "version"));
        }
        out.session = session;
        match record.word("type").as_deref() {
            Some(b"assistant") => {
                self.retried = None;
                return false;
            }
            Some(b"user") => return false,
            Some(b"system") if record.is("subtype", "api_error") => {
                let problem = failed_request(record);
                self.retried = Some(problem.clone().into_owned());
                out.push(Fact::Retry(problem));
            }
            Some(b"cost-state") => self.totals(record, out),
            _ => out.push(Fact::known(record.text("type"))),
        }
        true
    }

    /// States the cost of the process, which is written when it ends, and the request that it gave up.
    fn totals<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.extend(record.u64("totalDuration").map(Fact::SessionTook));
        let cost_usd = record.get("totalCostUSD").and_then(Value::as_f64);
        // A model that the agent does not know has no price.
        let models = record.get("modelUsage").into_iter();
        let mut models = models.flat_map(Value::members);
        let cost_of = |model: Value<'_>| model.get("costUSD")?.as_f64();
        let is_known = models.all(|(_, model)| cost_of(model).is_some());
        out.push(Fact::cost(cost_usd.filter(|_| is_known)));
        out.extend(self.retried.take().map(Fact::Error));
    }
}

/// Whether a record has a mark of a file: its place in the tree of messages.
fn is_marked(record: &Object<'_>) -> bool {
    names!("isSidechain parentUuid").is_in(record)
}

/// Whether a user's record is a prompt, not a text of the agent itself.
pub(super) fn is_prompt(record: &Object<'_>) -> bool {
    is_marked(record) && !names!("isMeta isCompactSummary").is_set(record)
}

/// Whether a text of the user is a command that the agent answers itself, or what it prints then: `/exit`, `/compact`,
/// `!ls`. The turn before is complete.
pub(super) fn is_local(text: &Text<'_>) -> bool {
    const OUTPUTS: &[&str] = words!("<local-command- <bash-input> <bash-stdout> <bash-stderr>");
    const COMMANDS: &[&str] = words!(
        "clear compact config context cost exit export help login logout mcp memory model quit status usage"
    );
    let begins = |word: &str| text.starts_with(word);
    if !begins("<command-") {
        return OUTPUTS.iter().any(|output| begins(output));
    }
    let text = text.to_string_lossy();
    let name = text.split_once("<command-name>/");
    let name = name.and_then(|(_, name)| name.split_once('<'));
    name.is_some_and(|(name, _)| has_word(COMMANDS, name.as_bytes()))
}

/// States how the turn stands after a message of the main thread.
pub(super) fn end<'a>(record: &Object<'a>, out: &mut Statement<'a>) {
    let Some(message) = record.object("message").filter(|_| out.parent.is_none()) else {
        return;
    };
    if record.is("type", "user") {
        let text = usual::text_in(&message, "content");
        let interrupted = text.filter(|text| text.starts_with(INTERRUPTED));
        return out
            .extend(interrupted.map(|text| Fact::Error(Problem::fatal(Outcome::Cancelled, text))));
    }
    if rests(record, &message) {
        out.push(Fact::Rest);
    } else if is_complete(record, &message) {
        let reason = message.text("stop_reason").unwrap_or_default();
        out.extend(usual::stopped(reason).map(Fact::Error));
    }
}

/// Whether the model wrote a message that ends with a text, not with a call.
fn is_complete(record: &Object<'_>, message: &Object<'_>) -> bool {
    blocks::ends_with_text(message) && !super::is_synthetic(record, message)
}

/// Whether the model stopped by itself after a message. Older versions give no reason.
fn rests(record: &Object<'_>, message: &Object<'_>) -> bool {
    let reason = message.text("stop_reason").unwrap_or_default();
    is_complete(record, message) && (reason.is_empty() || usual::stopped_by_itself(&reason))
}

fn failed_request<'a>(record: &Object<'a>) -> Problem<'a> {
    let error = record.inner("error");
    let message = names!("formatted message").string(&error);
    let code = error.get("status").and_then(Code::of);
    usual::problem(message.unwrap_or_default(), code)
}

/// Returns the request that a message came from, by ids that are the same in every file with a copy of it.
pub(super) fn request<'a>(record: &Object<'a>, id: Text<'a>) -> Scope<'a> {
    let mut id = id;
    if let Some(request) = names!("requestId requestRef").string(record) {
        id.push_str(" ");
        id.push(&request);
    }
    Scope::Once(id)
}
