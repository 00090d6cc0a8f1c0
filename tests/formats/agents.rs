//! Records with nothing but what they say, of agents whose failures are reported in places of their own.

use jsift_agents::dialect::Agent;

use super::{Run, assert_runs, codes};

const BLOCKS: &[Run] = &[
    (
        r#"{"type":"message","role":"user","text":"hi"}
{"type":"message","role":"assistant","text":"Hello"}
{"type":"completion","finalText":"Hello"}"#,
        "droid",
        "success",
        "Hello",
    ),
    // What the command says last may be what the model said: it is not classed.
    (
        r#"{"type":"message","role":"assistant","text":"HTTP 429 is a rate limit."}
{"type":"error","source":"cli","message":"HTTP 429 is a rate limit."}"#,
        "droid",
        "failed",
        "HTTP 429 is a rate limit.",
    ),
    (
        r#"{"type":"system","subtype":"init","model":"m"}
{"type":"error","source":"agent_loop","message":"429 slow down"}"#,
        "droid",
        "quota",
        "",
    ),
    (
        r#"{"type":"agent_event","event":{"type":"content_end","contentType":"text","text":"Hello"}}
{"type":"run_result","finishReason":"completed","text":"Hello"}"#,
        "cline",
        "success",
        "Hello",
    ),
    (
        r#"{"type":"run_result","finishReason":"max_iterations","text":""}"#,
        "cline",
        "turns",
        "",
    ),
    (
        r#"{"type":"agent_event","event":{"type":"content_start","contentType":"text","text":"Hel"}}
{"type":"agent_event","event":{"type":"content_start","contentType":"text","text":"lo"}}"#,
        "cline",
        "truncated",
        "Hello",
    ),
    (
        r#"{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"Hello"}],"stopReason":"stop"}}
{"type":"agent_end","messages":[{"role":"assistant","content":[{"type":"text","text":"Hello"}],"stopReason":"stop"}]}"#,
        "pi",
        "success",
        "Hello",
    ),
    // A try that failed is no end where another one follows.
    (
        r#"{"type":"agent_end","messages":[{"role":"assistant","content":[],"stopReason":"error","errorMessage":"429 slow down"}]}
{"type":"auto_retry_start","attempt":1,"errorMessage":"429 slow down"}
{"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta":"Hello"}}"#,
        "pi",
        "truncated",
        "Hello",
    ),
    (
        r#"{"type":"agent_end","messages":[{"role":"assistant","content":[],"stopReason":"error","errorMessage":"429 slow down"}]}
{"type":"auto_retry_start","attempt":1,"errorMessage":"429 slow down"}"#,
        "pi",
        "quota",
        "",
    ),
    (
        r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"Hello"}],"outcome":{"type":"committed"}}"#,
        "vibe",
        "success",
        "Hello",
    ),
    (
        r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"Hel"}],"outcome":{"type":"discarded"}}"#,
        "vibe",
        "truncated",
        "",
    ),
    // What stands in the noise after a message says that it was not the last word.
    (
        r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"Hello"}],"outcome":{"type":"committed"}}
Stopped: terminated"#,
        "vibe",
        "failed",
        "Hello",
    ),
    (
        r#"{"kind":"MessageEvent","source":"agent","llm_message":{"role":"assistant","content":[{"type":"text","text":"Hello"}]}}
│ {"type": "a string that is broken at the
│ width of the box" │"#,
        "openhands",
        "success",
        "Hello",
    ),
    (
        r#"{"kind":"MessageEvent","source":"agent","llm_message":{"role":"assistant","content":[{"type":"text","text":"Hello"}]}}
{"kind":"ActionEvent","source":"agent","tool_name":"terminal","tool_call_id":"c","action":{"command":"ls","kind":"TerminalAction"}}"#,
        "openhands",
        "truncated",
        "Hello",
    ),
    (
        r#"{"kind":"ActionEvent","source":"agent","tool_name":"finish","tool_call_id":"c","action":{"message":"Hello","kind":"FinishAction"}}
{"kind":"ObservationEvent","source":"environment","tool_name":"finish","tool_call_id":"c","observation":{"content":[{"type":"text","text":"Hello"}],"kind":"FinishObservation"}}"#,
        "openhands",
        "success",
        "Hello",
    ),
    (
        r#"{"kind":"ConversationErrorEvent","code":"MaxIterationsReached","detail":"Agent reached maximum iterations limit (500)."}"#,
        "openhands",
        "turns",
        "",
    ),
    (
        r#"{"role":"user","content":"hi"}
{"role":"assistant","content":"Hello"}"#,
        "grok",
        "success",
        "Hello",
    ),
    (
        r#"{"role":"assistant","content":"Sorry, I encountered an error: Grok API error: 401 no"}"#,
        "kimi",
        "auth",
        "",
    ),
    (
        r#"{"type":"text","part":{"type":"text","text":"Hello"}}
{"type":"step_finish","part":{"reason":"stop","metrics":{"generation":1}}}"#,
        "kilo",
        "success",
        "Hello",
    ),
    // The cause may stand after the width of a terminal.
    (
        "{\"role\":\"assistant\",\"content\":\"Hello\",\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"f\"}}]}\n\
         Error code: 400 - {'error': {'message': 'The server has thought about it, and at\n\
          last: API key not valid. Please pass a valid API key.', 'type': 'bad_request'}}\n",
        "kimi",
        "auth",
        "Hello",
    ),
    (
        "{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"ok\"}\n\
         {\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"d\",\"function\":{\"name\":\"f\"}}]}\n\
         Error: 429 Too Many Requests\n",
        "kimi",
        "quota",
        "",
    ),
    (
        r#"{"type":"system","event_type":"run_started","run_id":"r","run_url":"u"}
{"type":"agent","text":"Hello"}
{"type":"system","event_type":"run_interrupted"}"#,
        "warp",
        "cancelled",
        "Hello",
    ),
    (
        r#"{"type":"system","event_type":"run_started","run_id":"r","run_url":"u"}
{"type":"tool_call","tool":"grep","queries":["x"]}
{"type":"system","event_type":"run_completed"}"#,
        "warp",
        "success",
        "",
    ),
    (
        r#"{"type":"system","event_type":"conversation_started","conversation_id":"c"}
{"type":"system","event_type":"output_error","error":"429 slow down"}"#,
        "warp",
        "quota",
        "",
    ),
    (
        r#"{"type":"system","subtype":"init","schemaVersion":1,"protocol":"roo-cli-stream"}
{"type":"control","subtype":"error","content":"429 slow down"}"#,
        "roo",
        "quota",
        "",
    ),
    // A text of the extension that is not whole may go on.
    (
        r#"{"type":"system","subtype":"init","schemaVersion":1,"protocol":"roo-cli-stream"}
{"type":"assistant","id":2,"subtype":"api_req_failed","content":"429 slow","done":false}"#,
        "roo",
        "truncated",
        "",
    ),
    (
        r#"{"jsonrpc":"2.0","id":"1","result":{"protocol_version":"1","server":{"name":"Kimi Code CLI","version":"1.0"}}}
{"jsonrpc":"2.0","id":"2","error":{"code":-32001,"message":"LLM is not set"}}"#,
        "kimi",
        "failed",
        "",
    ),
    // A request that was not accepted ends no turn.
    (
        r#"{"jsonrpc":"2.0","method":"event","params":{"type":"TurnBegin","payload":{"user_input":"hi"}}}
{"jsonrpc":"2.0","method":"event","params":{"type":"ContentPart","payload":{"type":"text","text":"Hello"}}}
{"jsonrpc":"2.0","id":"2","error":{"code":-32000,"message":"An agent turn is already in progress"}}"#,
        "kimi",
        "truncated",
        "Hello",
    ),
    // A turn that says nothing may be followed by another.
    (
        r#"{"jsonrpc":"2.0","method":"event","params":{"type":"TurnBegin","payload":{"user_input":"hi"}}}
{"jsonrpc":"2.0","method":"event","params":{"type":"StepBegin","payload":{"n":1}}}
{"jsonrpc":"2.0","method":"event","params":{"type":"TurnEnd","payload":{}}}"#,
        "kimi",
        "truncated",
        "",
    ),
    // A subagent ends its own turn only.
    (
        r#"{"jsonrpc":"2.0","method":"event","params":{"type":"TurnBegin","payload":{"user_input":"hi"}}}
{"jsonrpc":"2.0","method":"event","params":{"type":"StepBegin","payload":{"n":1}}}
{"jsonrpc":"2.0","method":"event","params":{"type":"ContentPart","payload":{"type":"text","text":"Hello"}}}
{"jsonrpc":"2.0","method":"event","params":{"type":"SubagentEvent","payload":{"parent_tool_call_id":"t","event":{"type":"StepInterrupted","payload":{}}}}}
{"jsonrpc":"2.0","method":"event","params":{"type":"SubagentEvent","payload":{"parent_tool_call_id":"t","event":{"type":"ContentPart","payload":{"type":"text","text":"aside"}}}}}
{"jsonrpc":"2.0","method":"event","params":{"type":"SubagentEvent","payload":{"parent_tool_call_id":"t","event":{"type":"TurnEnd","payload":{}}}}}"#,
        "kimi",
        "truncated",
        "Hello",
    ),
    // The text says why the run failed, not its status.
    (
        r#"{"messages":[{"role":"assistant","content":[{"type":"text","text":"Ran into this error: Rate limit exceeded: 429.\n\nPlease retry if you think this is a transient or recoverable error."}]}],"metadata":{"total_tokens":1,"status":"failed"}}"#,
        "goose",
        "quota",
        "",
    ),
];

#[test]
fn failures_are_found_where_each_agent_tells_them() {
    assert_runs(BLOCKS);
}

#[test]
fn a_message_of_an_agent_alone_says_whose_it_is() {
    for (text, agent, outcome) in [
        (
            "Error code: 401 - {'error': {'message': 'no'}}\n\nTo resume this session: kimi -r 4d\n",
            Some("kimi"),
            "auth",
        ),
        ("Error: Error code: 429 - slow down\n", None, "quota"),
        (
            "Error: Invalid API key (from env var KEY).\n",
            Some("vibe"),
            "auth",
        ),
    ] {
        let sessions = super::sessions(text);
        let owner = sessions.known_agent().map(Agent::name);
        assert_eq!(
            (owner, sessions.outcome().word()),
            (agent, outcome),
            "{text}"
        );
    }
    // Whose it would be is no failure.
    let resumed = "To resume this session: kimi -r 4d\n";
    assert_eq!(super::sessions(resumed).known_agent(), None);
    assert_eq!(codes(resumed).0, [1; 3]);
}
