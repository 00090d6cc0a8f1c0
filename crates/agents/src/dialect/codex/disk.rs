//! Session files of Codex, `~/.codex/sessions/Y/M/D/rollout-TIME-ID.jsonl` (seen in 0.169.0).
//!
//! `{"timestamp","type","payload":{"type"}}`. Nearly every text is in the file twice, as a `response_item` and as an
//! `event_msg`, in either order: an answer that only an event states counts, too. Token counts are totals of the
//! thread, in later versions next to the counts of each response. A forked file starts with the records of its parent,
//! whose `session_meta` is not that of the file.

use super::legacy;
use crate::dialect::disk::{Growing, ran};
use crate::dialect::prelude::*;

/// The state that is kept between the records of a file.
#[derive(Default)]
pub(super) struct CodexFile {
    /// Whether the session has begun.
    begun: bool,
    /// Whether this version states the end of a turn.
    ends: bool,
    /// Whether the turn has failed.
    failed: bool,
    /// The last text that was stated in this turn.
    said: Text<'static>,
    /// Whether an item stated it.
    by_item: bool,
    /// An answer that an event stated, until an item repeats it or something else happens.
    announced: Option<Message<'static>>,
    model: Option<Text<'static>>,
    /// The thread's counts so far.
    counted: Growing,
}

impl CodexFile {
    /// States the facts of a record of a file.
    pub(super) fn facts<'a>(
        &mut self,
        record: &Object<'a>,
        payload: &Object<'a>,
        out: &mut Statement<'a>,
    ) {
        let kind = record.text("type");
        match kind.as_ref().and_then(Text::as_str) {
            Some("session_meta") if !self.begun => {
                self.begun = true;
                out.session = payload.text("id");
                out.push(usual::start(payload, "cli_version"));
            }
            Some("turn_context") => {
                self.model = payload.text("model").map(Text::into_owned);
                out.extend(self.model.clone().map(Fact::Model));
            }
            Some("response_item") => self.item(payload, out),
            Some("event_msg") => self.event(payload, out),
            Some("token_usage_record") => self.response(payload, out),
            _ => {}
        }
        out.or_known(payload.text("type").or(kind));
    }

    /// States the facts of a record of a file with nothing but the items (until September 2025, from documentation).
    pub(super) fn bare<'a>(&mut self, item: &Object<'a>, out: &mut Statement<'a>) {
        self.item(item, out);
        let text = usual::text_in(item, "content");
        let text = text.filter(|_| item.is("role", "user"));
        // The agent wraps its own additions in tags.
        let prompt = |text: &Text<'_>| !text.starts_with("<");
        out.extend(text.map(|text| Fact::given(prompt(&text), text)));
        out.or_known(item.text("type"));
    }

    /// States the answer that only an event has stated.
    pub(super) fn state_announced(&mut self, out: &mut Statement<'_>) {
        if let Some(message) = self.announced.take() {
            let is_answer = message.channel == Channel::Answer;
            (self.said, self.by_item) = (message.text.clone(), false);
            out.push(Fact::Message(message));
            out.extend((is_answer && !self.ends).then_some(Fact::Rest));
        }
    }

    /// Keeps an answer that an event states, unless an item has stated it.
    fn announce<'a>(&mut self, event: &Object<'a>, name: &str, out: &mut Statement<'a>) {
        self.state_announced(out);
        let text = event.text(name).filter(|text| !text.is_empty());
        if let Some(text) = text.filter(|text| *text != self.said) {
            let message = Message::whole(text.into_owned());
            self.announced = Some(message.on(Channel::of(event)));
        }
    }

    fn item<'a>(&mut self, item: &Object<'a>, out: &mut Statement<'a>) {
        match item.word("type").as_deref() {
            Some(b"message") if item.is("role", "assistant") => {
                if let Some(message) = said(item, "content") {
                    let is_it = |announced: &mut Message<'_>| announced.text == message.text;
                    if self.announced.take_if(is_it).is_none() {
                        self.state_announced(out);
                    }
                    (self.said, self.by_item) = (message.text.clone().into_owned(), true);
                    out.push(Fact::Message(message));
                }
                if Channel::of(item) == Channel::Answer && !self.ends {
                    out.push(Fact::Rest);
                }
            }
            Some(b"reasoning") => out.extend(said(item, "summary").map(Fact::Reasoning)),
            Some(b"function_call" | b"custom_tool_call" | b"local_shell_call") => {
                self.state_announced(out);
                out.push(Fact::Call(patch::applied(usual::own_call(item))));
            }
            Some(b"function_call_output" | b"custom_tool_call_output") => {
                out.push(Fact::Result(ran(usual::own_result(item))));
            }
            // One of the API's own tools, which its record calls and answers.
            Some(b"web_search_call") => {
                self.state_announced(out);
                out.push(Fact::Result(searched(item, out.timestamp)));
            }
            _ => {}
        }
    }

    fn event<'a>(&mut self, event: &Object<'a>, out: &mut Statement<'a>) {
        match event.word("type").as_deref() {
            Some(b"task_started" | b"turn_started") => {
                self.state_announced(out);
                (self.ends, self.failed) = (true, false);
                (self.said, self.by_item) = (Text::EMPTY, false);
                out.push(Fact::Turn);
            }
            Some(b"agent_message") => self.announce(event, "message", out),
            Some(b"user_message") => {
                self.state_announced(out);
                out.extend(event.text("message").map(Fact::prompt));
            }
            Some(b"item_completed") => {
                let item = event.inner("item");
                let text = usual::text_in(&item, "content");
                let text = text.filter(|_| item.is("type", "UserMessage"));
                out.extend(text.map(Fact::prompt));
            }
            Some(b"token_count") => self.thread(event, out),
            Some(b"stream_error") => out.push(super::retry(super::problem(event))),
            Some(b"error") => {
                self.failed = true;
                out.push(Fact::Error(super::problem(event)));
            }
            Some(b"turn_aborted") => {
                self.state_announced(out);
                out.push(legacy::aborted(event));
            }
            Some(b"task_complete" | b"turn_complete") => {
                self.state_announced(out);
                // What an item states may have more in it than the event repeats.
                if !self.by_item {
                    self.announce(event, "last_agent_message", out);
                    self.state_announced(out);
                }
                out.extend(event.u64("duration_ms").map(Fact::TurnTook));
                let error = event.object("error");
                let error = error.map(|error| super::problem(&error));
                // Without an answer the error before was the end.
                let failed = self.failed && event.text("last_agent_message").is_none();
                out.push(match error {
                    None => Fact::ended(!failed),
                    error => Fact::end(error, None),
                });
            }
            _ => {}
        }
    }

    /// States the counts of one response.
    fn response<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        if let Some(thread) = record.object("thread_token_usage") {
            let _ = self.counted.added(usual::tokens(&thread));
        }
        if let (Some(id), Some(usage)) = (record.text("response_id"), record.object("usage")) {
            let tokens = usual::tokens(&usage);
            out.push(Fact::usage(Scope::Once(id), self.model.clone(), tokens));
        }
    }

    /// States the part of the thread's counts that no record of a response has stated; totals are repeated.
    fn thread<'a>(&mut self, event: &Object<'a>, out: &mut Statement<'a>) {
        let total = event.inner("info").object("total_token_usage");
        let added = total.and_then(|total| self.counted.added(usual::tokens(&total)));
        out.extend(added.map(|added| Fact::usage(Scope::Request(None), self.model.clone(), added)));
    }
}

/// Returns the result of a search, which few versions give an id.
fn searched<'a>(item: &Object<'a>, at: Option<Value<'a>>) -> ToolResult<'a> {
    let id = item.text("id").or_else(|| at?.text());
    let call = usual::call_of(
        id.unwrap_or_default(),
        "web_search".into(),
        item.get("action"),
    );
    let failed = usual::failure(item).is_some();
    ToolResult::of_call(call, ToolStatus::of(failed, false))
}

fn said<'a>(item: &Object<'a>, member: &str) -> Option<Message<'a>> {
    let text = usual::text(item.get(member)?)?;
    let said = Message::new(item.text("id"), text, Form::Whole);
    (!said.text.is_empty()).then_some(said.on(Channel::of(item)))
}
