//! The dialect of Kimi CLI, `kimi --print --output-format stream-json`, and of Kimi Code, its successor, `kimi -p
//! --output-format stream-json` (recorded: 1.49 and 2.1; more from their sources, `ui/print/visualize.py` and
//! `cli/prompt-render.ts`).
//!
//! The records are chat messages in the form of the OpenAI API, without a `type`:
//! `{"role":"assistant","content","tool_calls"}` and `{"role":"tool","tool_call_id","content"}`. A failed tool is
//! recognisable only by its content, and nothing is counted.
//!
//! - Kimi CLI has neither a first nor a terminal record: an assistant's message without tool calls is the last one.
//! - Kimi Code adds `{"role":"meta","type"}`: `system.version` comes first, `session.resume_hint` last unless the run
//!   failed, and `turn.step.retrying` in between. A hook's output is a message of the assistant. Before the last record
//!   of a run with a goal (`-p "/goal …"`, 0.8) comes one without a role, `goal.summary`, which counts tokens and says
//!   whether the goal was reached (`cli/goal-prompt.ts`).
//!
//! `kimi --wire` prints the messages of session files as JSON-RPC ([`wire`]).

use crate::dialect::prelude::*;

/// The agent's entry in the registry.
pub(crate) const ENTRY: Entry = Entry::of::<Kimi>("kimi", SHAPES);

/// The words of the shape of an assistant's message that meets these and has no members but those of the OpenAI API.
macro_rules! message {
    ($words:literal) => {
        concat!(
            "role=assistant ",
            $words,
            " only:role,content,tool_calls,name,partial,refusal,annotations,audio,function_call,",
            "reasoning_content"
        )
    };
}

/// The shapes of its records. Many logs contain chat messages: only a message with no members but the API's opens a
/// session, and never after the message with the role `system` that starts a request.
const SHAPES: &[RecordShape] = &[
    certain("type=system.version|session.resume_hint|turn.step.retrying role=meta"),
    fits("role=meta type:string"),
    likely(message!("content:string")),
    likely(message!("content:array")),
    likely(message!("tool_calls:list")),
    likely("role=tool tool_call_id:string only:role,content,tool_call_id,name,partial"),
    fits("role=assistant|tool content"),
    fits("role=user content:array"),
    never("role=user content:string"),
    never("role=system content"),
    fits("goalId type=goal.summary"),
    doubtful("type=metadata protocol_version:string"),
    doubtful("type=runtime.set_binding|profile.bind|permission.set_mode agentId:string"),
    certain("message.type=TurnBegin message.payload.user_input"),
    certain("message.type=StepBegin message.payload.n:number"),
    certain("message.type=ToolCall message.payload.function:object"),
    certain("message.type=ToolResult message.payload.return_value:object"),
    certain("message.type=StatusUpdate message.payload.token_usage"),
    fits("message.type:Name message.payload:object"),
    certain("method=event params.type=TurnBegin params.payload.user_input"),
    certain("method=event params.type=StepBegin params.payload.n:number"),
    likely("method=event params.type=ContentPart params.payload.type:string"),
    certain("method=event params.type=ToolCall params.payload.function:object"),
    certain("method=event params.type=ToolResult params.payload.return_value:object"),
    certain("method=event params.type=StatusUpdate params.payload.token_usage"),
    likely("method=event params.type=StepInterrupted params.payload:object"),
    likely("method=event params.type=TurnEnd params.payload:object"),
    certain("method=request params.type=ApprovalRequest params.payload.tool_call_id"),
    likely("method=prompt params.user_input"),
    likely("result.server.name^=Kimi result.protocol_version"),
    fits("method:string params.type:Name"),
    fits("jsonrpc result:object"),
    fits("jsonrpc error:object"),
    certain("type=turn.prompt input:array origin"),
    likely("type=turn.prompt input:list"),
    certain("type=context.append_loop_event event.type:string"),
    fits("type=context.append_message message.role=assistant"),
    certain("type=usage.record usage.inputOther:number"),
    certain("type=turn.ended agentId reason:string"),
    fits("type=turn.ended"),
    fits("type agentId:string"),
    fits("type kind=event"),
];

/// The start of the content of a failed tool's message.
const FAILED: [&str; 4] = [
    "<system>ERROR",
    "Invalid args for tool \"",
    "Parent directory does not exist: ",
    "Parent path is not a directory: ",
];
/// The start of the last line of a failed command's output (Kimi Code).
const EXITED: &str = "Command failed with exit code: ";
/// The start of the content of a failed tool's message that names the tool; `TOOL_FAILED` is the text after the name.
const TOOL: &str = "Tool \"";
const TOOL_FAILED: [&str; 4] = [
    " not found",
    " failed: ",
    " failed to resolve execution: ",
    " was aborted",
];
/// The start of the content of a call that was not permitted, usually by a hook; `BLOCKED` is the text after the name.
const TOOL_CALL: &str = "Tool call \"";
const BLOCKED: &str = " was blocked";

/// The start of grok-cli's message about the failure of a run.
const SORRY: &str = "Sorry, I encountered an error: ";

/// The type of the record that says how far a goal was reached.
const GOAL: &str = "goal.summary";

/// Reads Kimi's records.
#[derive(Default)]
pub(super) struct Kimi {
    /// Whether the user's messages are prompts, as with grok-cli.
    prompted: bool,
    /// Whether the agent is Kimi Code, which states its end.
    ends: bool,
    /// Whether the run stopped before its goal.
    stopped: bool,
    disk: disk::KimiFile,
}

mod disk;
mod wire;

impl Dialect for Kimi {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let role = record.text("role");
        match role.as_ref().and_then(Text::as_str) {
            Some("meta") => self.meta(record, out),
            Some("assistant") => self.assistant(record, out),
            Some("tool") => out.push(Fact::Result(result(record))),
            // Output of a tool other than text; the prompt is not printed.
            Some("user") => out.push(Fact::given(self.prompted, content(record))),
            None if record.is("type", GOAL) => self.goal(record, out),
            None if self.disk.facts(record, out) => {}
            _ => out.push(Fact::unknown(role)),
        }
    }
}

impl Kimi {
    /// Returns a reader of records that include the prompts.
    pub(super) fn prompted() -> Self {
        Self {
            prompted: true,
            ..Self::default()
        }
    }

    /// States what the agent did for its goal. Members without a value are null.
    fn goal<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let tokens = Tokens {
            total: record.u64("tokensUsed"),
            ..Tokens::default()
        };
        if tokens.is_known() {
            out.push(Fact::usage(Scope::Turn, None, tokens));
        }
        out.extend(record.u64("wallClockMs").map(Fact::TurnTook));
        match unreached(record) {
            Some(problem) => {
                self.stopped = true;
                out.push(Fact::Error(problem));
            }
            None => out.push(Fact::known(record.text("type"))),
        }
    }

    fn meta<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        self.ends = true;
        let kind = record.text("type");
        let fact = match kind.as_ref().and_then(Text::as_str) {
            Some("system.version") => usual::start(record, "version"),
            Some("turn.step.retrying") => Fact::Retry(disk::failure(record, "error_message")),
            Some("session.resume_hint") => {
                out.session = record.text("session_id");
                Fact::ended(!std::mem::take(&mut self.stopped))
            }
            _ => Fact::unknown(kind),
        };
        out.push(fact);
    }

    fn assistant<'a>(&self, record: &Object<'a>, out: &mut Statement<'a>) {
        let parts = record.get("content").into_iter().flat_map(Value::elements);
        let thoughts = parts.filter_map(|part| part.get("think")?.text());
        out.extend(thoughts.map(Fact::thought));
        let text = content(record);
        if is_hooks(&text) {
            // The text before is not the answer, because the hook objected to it.
            out.push(Fact::given(false, text));
            return out.push(Fact::Step);
        }
        if let Some(why) = text.as_bytes().strip_prefix(SORRY.as_bytes()) {
            let why = Text::from(String::from_utf8_lossy(why).into_owned());
            return out.push(Fact::Error(usual::problem(why, None)));
        }
        if !text.is_empty() {
            out.push(Fact::said(text));
        }
        let before = out.facts.len();
        let calls = record.objects("tool_calls");
        out.extend(calls.map(|call| Fact::Call(usual::own_call(&call))));
        if out.facts.len() == before && !self.ends {
            out.push(Fact::Rest);
        }
    }
}

/// Returns the reason why a goal was not reached: the agent gave up or ran out of its budget (`blocked`), or the run
/// was interrupted or failed (`paused`).
fn unreached<'a>(record: &Object<'a>) -> Option<Problem<'a>> {
    let status = record.text("status")?;
    let otherwise = match status.as_str()? {
        "blocked" => Outcome::Failed,
        "paused" => Outcome::Cancelled,
        _ => return None,
    };
    let message = record.text("reason").unwrap_or(status);
    Some(usual::problem(message, None).or_class(otherwise))
}

/// Whether a text is a hook's output: a line `NAME hook` or `NAME hook blocked`, an empty line, and its words.
fn is_hooks(text: &Text<'_>) -> bool {
    let mut lines = text.as_bytes().split(|&byte| byte == b'\n');
    let title = lines.next().unwrap_or_default();
    let title = title.strip_suffix(b" blocked").unwrap_or(title);
    let name = title.strip_suffix(b" hook").unwrap_or_default();
    let is_name = name.first().is_some_and(u8::is_ascii_uppercase)
        && name.iter().all(u8::is_ascii_alphabetic);
    is_name && lines.next() == Some(b"")
}

/// Returns a text that is a string or a list of parts.
fn content<'a>(record: &Object<'a>) -> Text<'a> {
    record.get("content").map(blocks::text).unwrap_or_default()
}

fn result<'a>(record: &Object<'a>) -> ToolResult<'a> {
    let output = content(record);
    let status = status(&output.to_string_lossy());
    ToolResult {
        output: Some(output),
        ..ToolResult::new(record.text("tool_call_id").unwrap_or_default(), status)
    }
}

/// Returns how a call ended, judging by the tool's output.
fn status(output: &str) -> ToolStatus {
    let after_name = |begin| Some(output.strip_prefix(begin)?.split_once('"')?.1);
    if after_name(TOOL_CALL).is_some_and(|rest| rest.starts_with(BLOCKED)) {
        return ToolStatus::Denied;
    }
    let named = after_name(TOOL).is_some_and(|rest| {
        let mut words = TOOL_FAILED.iter();
        words.any(|words| rest.starts_with(words))
    });
    let exited = output.lines().next_back();
    let exited = exited.is_some_and(|last| last.starts_with(EXITED));
    let failed = named || exited || FAILED.iter().any(|words| output.starts_with(words));
    ToolStatus::of(failed, false)
}

#[cfg(test)]
mod tests {
    use crate::dialect::Agent;
    use crate::dialect::reader::{FoundRecord, RecordReader, StatedRecord, Taken};
    use crate::dialect::testing::sessions;
    use crate::fact::ToolStatus;
    use jsift_json::view::Value;
    use jsift_outcome::Outcome;

    /// Written from Kimi CLI's source, not recorded.
    const STREAM: [&str; 4] = [
        r#"{"role":"assistant","content":[{"type":"think","think":"Two files."},{"type":"text","text":"I write."}],"tool_calls":[{"type":"function","id":"c1","function":{"name":"WriteFile","arguments":"{\"path\": \"a.txt\", \"content\": \"x\"}"}},{"type":"function","id":"c2","function":{"name":"StrReplaceFile","arguments":"{\"path\":\"b.txt\",\"edit\":{\"old\":\"a\",\"new\":\"b\"}}"}}]}"#,
        r#"{"role":"tool","content":[{"type":"text","text":"<system>File written.</system>"}],"tool_call_id":"c1"}"#,
        r#"{"role":"tool","content":"<system>ERROR: no such file</system>","tool_call_id":"c2"}"#,
        r#"{"role":"assistant","content":"Done."}"#,
    ];

    #[test]
    fn a_step_of_a_file_that_failed_is_tried_again_and_one_that_was_cut_ends_the_turn() {
        for (reason, outcome) in [
            ("error", Outcome::Success),
            ("end_turn", Outcome::Success),
            ("max_tokens", Outcome::Turns),
            ("filtered", Outcome::Blocked),
        ] {
            let said = r#"{"type":"context.append_loop_event","agentId":"main","event":{"type":"content.part","part":{"type":"text","text":"a"}}}"#;
            let end = r#"{"type":"context.append_loop_event","agentId":"main","event":{"type":"step.end","step":1,"finishReason":"REASON"}}"#;
            let end = end.replace("REASON", reason);
            let turn = r#"{"type":"turn.ended","agentId":"main","turnId":0,"reason":"completed","durationMs":4}"#;
            let begun = r#"{"type":"metadata","protocol_version":"1.4","created_at":1}"#;
            let prompt = r#"{"type":"turn.prompt","agentId":"main","input":[{"type":"text","text":"?"}],"origin":{"kind":"user"},"promptId":"m","turnId":0}"#;
            let all = sessions([begun, prompt, said, &end, turn]);
            assert_eq!(all.current().unwrap().outcome(), outcome, "{reason}");
        }
    }

    #[test]
    fn a_run_with_a_goal_says_whether_it_is_reached() {
        let goal = |status: &str, reason: &str| {
            let version = r#"{"role":"meta","type":"system.version","version":"0.41.0"}"#;
            let said = r#"{"role":"assistant","content":"Stuck."}"#;
            let goal = r#"{"type":"goal.summary","goalId":"g","status":"STATUS","reason":REASON,"turnsUsed":2,"tokensUsed":1200,"wallClockMs":53000}"#;
            let goal = goal.replace("STATUS", status).replace("REASON", reason);
            let hint = r#"{"role":"meta","type":"session.resume_hint","session_id":"session_1"}"#;
            let all = sessions([version, said, &goal, hint]);
            let session = all.current().unwrap();
            assert_eq!(
                (session.usage().total, session.duration_ms),
                (Some(1200), Some(53000))
            );
            (session.outcome(), session.errors().len())
        };
        assert_eq!(goal("complete", "null"), (Outcome::Success, 0));
        assert_eq!(goal("blocked", r#""no access""#), (Outcome::Failed, 1));
        assert_eq!(
            goal("blocked", r#""Token budget exceeded""#),
            (Outcome::Turns, 1)
        );
        assert_eq!(goal("paused", "null"), (Outcome::Cancelled, 1));
        assert_eq!(
            goal("paused", r#""429 Too Many Requests""#),
            (Outcome::Quota, 1)
        );
    }

    #[test]
    fn chat_messages_are_a_session() {
        let all = sessions(STREAM);
        let session = all.current().unwrap();
        assert_eq!(
            (session.agent, session.outcome()),
            (Some(Agent::Kimi), Outcome::Success)
        );
        assert_eq!(session.response().unwrap(), "Done.");
        let tools = session.tools().unwrap();
        assert_eq!((tools.sum().success, tools.sum().error), (1, 1));
        assert_eq!(*tools.files().iter().next().unwrap().0, "a.txt");
    }

    #[test]
    fn a_stream_that_stops_at_a_call_is_truncated() {
        assert_eq!(sessions(&STREAM[..1]).outcome(), Outcome::Truncated);
        assert_eq!(sessions(&STREAM[..3]).outcome(), Outcome::Truncated);
    }

    /// Kimi Code 2.0, written from its source.
    const CODE: [&str; 7] = [
        r#"{"role":"meta","type":"system.version","version":"2.0.2"}"#,
        r#"{"role":"assistant","content":"I write.","tool_calls":[{"type":"function","id":"t1","function":{"name":"Write","arguments":"{\"path\":\"a.txt\",\"content\":\"x\"}"}},{"type":"function","id":"t2","function":{"name":"Edit","arguments":"{\"path\":\"b.txt\",\"old_string\":\"a\",\"new_string\":\"b\"}"}}]}"#,
        r#"{"role":"tool","tool_call_id":"t1","content":"Wrote 1 bytes to a.txt"}"#,
        r#"{"role":"tool","tool_call_id":"t2","content":"Tool \"Edit\" failed: EACCES"}"#,
        r#"{"role":"meta","type":"turn.step.retrying","failed_attempt":1,"next_attempt":2,"max_attempts":10,"delay_ms":606.03,"error_name":"APIProviderRateLimitError","error_message":"429 rate limit exceeded","status_code":429}"#,
        r#"{"role":"assistant","content":"Done."}"#,
        r#"{"role":"meta","type":"session.resume_hint","session_id":"session_x","command":"kimi -r session_x","content":"To resume this session: kimi -r session_x"}"#,
    ];

    #[test]
    fn kimi_code_says_who_it_is_and_that_it_is_done() {
        let all = sessions(CODE);
        let session = all.current().unwrap();
        assert_eq!((all.all().len(), all.outcome()), (1, Outcome::Success));
        assert_eq!(session.id.as_ref().unwrap(), "session_x");
        assert_eq!(session.response().unwrap(), "Done.");
        let tools = session.tools().unwrap();
        assert_eq!((tools.sum().success, tools.sum().error), (1, 1));
        assert_eq!((tools.files().len(), session.errors().len()), (1, 0));
        // A failed run prints the records so far, and no more.
        assert_eq!(sessions(&CODE[..6]).outcome(), Outcome::Truncated);
        assert_eq!(sessions(&CODE[..5]).outcome(), Outcome::Quota);
        // A run that resumes the session names it at its end too.
        let twice = sessions(CODE.repeat(2));
        assert_eq!((twice.all().len(), twice.outcome()), (2, Outcome::Success));
    }

    #[test]
    fn what_a_hook_sends_back_is_no_answer() {
        let hook = r#"{"role":"assistant","content":"Stop hook blocked\n\nRun the tests."}"#;
        let again = r#"{"role":"assistant","content":"They pass."}"#;
        let all = sessions([CODE[0], CODE[5], hook, again, CODE[6]]);
        assert_eq!(all.current().unwrap().response().unwrap(), "They pass.");
        let quoted = hook.replace("Stop", "A Stop");
        let all = sessions([CODE[0], CODE[5], &quoted, again, CODE[6]]);
        let response = all.current().unwrap().response().unwrap();
        assert!(response.to_string_lossy().starts_with("Done.\n"));
    }

    #[test]
    fn what_a_tool_says_tells_whether_it_failed() {
        for (output, status) in [
            ("Wrote 4 bytes to a.txt", ToolStatus::Success),
            ("Tool \"Edit\" is the best", ToolStatus::Success),
            ("Tool \"x\" not found", ToolStatus::Error),
            ("Invalid args for tool \"x\": no", ToolStatus::Error),
            ("Tool call \"Bash\" was blocked", ToolStatus::Denied),
        ] {
            assert_eq!(super::status(output), status, "{output}");
        }
    }

    #[test]
    fn messages_with_more_in_them_open_no_stream() {
        for decoy in [
            r#"{"role":"assistant","content":"hi","text":"hi"}"#,
            r#"{"role":"user","content":"hi"}"#,
            r#"{"role":"assistant"}"#,
            r#"{"role":"meta","type":"note","content":"x"}"#,
            r#"{"role":"admin","content":"x"}"#,
        ] {
            let mut nobody = |_: StatedRecord<'_>| {};
            let document = Value::new(decoy.as_bytes());
            let taken = RecordReader::default().read(document, FoundRecord::ALONE, &mut nobody);
            assert_ne!(taken, Taken::Reported, "{decoy}");
        }
    }

    #[test]
    fn a_record_of_its_own_is_no_other_agents() {
        let claude = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":1,"total_cost_usd":0,"session_id":"s","result":"a"}"#;
        let all = sessions([&[claude], &CODE[..]].concat());
        let runs: Vec<_> = all
            .all()
            .iter()
            .map(|session| (session.agent, session.outcome()))
            .collect();
        assert_eq!(
            runs,
            [
                (Some(Agent::Claude), Outcome::Success),
                (Some(Agent::Kimi), Outcome::Success)
            ]
        );
        // Without the version only the end is known.
        let all = sessions([claude, CODE[CODE.len() - 1]]);
        assert_eq!(all.all().len(), 2);
        assert_eq!(all.current().unwrap().outcome(), Outcome::Success);
    }
}
