//! Runs to make pages of.

use assert_cmd::Command;
use serde_json::{Value, json};

use crate::jsift;

/// What `jsift summary` prints; its exit code is that of the run, and does not matter here.
pub(crate) fn summary(arguments: &[&str], input: &str) -> String {
    let mut command = Command::from_std(jsift(&[&["summary"], arguments].concat()));
    let output = command.write_stdin(input).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The page of a run.
pub(crate) fn shown(run: &Run, arguments: &[&str]) -> String {
    let arguments: Vec<&str> = ["--format", "html"]
        .iter()
        .chain(arguments)
        .copied()
        .collect();
    summary(&arguments, &run.to_string())
}

/// The records of a run, in the form of claude 2.1.330.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    records: Vec<Value>,
    calls: usize,
}

impl Run {
    /// A run in which a text stands wherever text can.
    pub(crate) fn of(text: &str) -> Self {
        let run = Self {
            records: Vec::new(),
            calls: 0,
        };
        run.start(text)
            .prompt(text)
            .said(json!({"type":"thinking","thinking":text}), None)
            .said(json!({"type":"text","text":text}), None)
            .with_call("Bash", text)
            .call(text, json!({"command": text, text: text, "list": [text, {text: 1}]}), text, true)
            .call("Edit", json!({"file_path": text, "old_string": format!("a\n{text}\nb"), "new_string": text}), text, false)
            .call("Write", json!({"file_path": text, "content": text}), text, false)
            .call("TodoWrite", json!({"todos": [{"content": text, "status": "pending"}]}), text, false)
            .subagent(text)
            .said(json!({"type":"text","text":text}), None)
            .end(text)
    }

    /// Puts another word where names stand: those of models, sessions and tools.
    pub(crate) fn with_names(mut self, name: &str) -> Self {
        for record in &mut self.records {
            for field in ["session_id", "model", "claude_code_version"] {
                if record.get(field).is_some() {
                    record[field] = name.into();
                }
            }
            if let Some(message) = record.get_mut("message") {
                message["model"] = name.into();
                for content in message["content"].as_array_mut().unwrap() {
                    let tool = content["name"].as_str().unwrap_or_default();
                    if !["", "Bash", "Edit", "Write", "Agent", "TodoWrite"].contains(&tool) {
                        content["name"] = name.into();
                    }
                }
            }
            if let Some(models) = record.get_mut("modelUsage") {
                *models = json!({});
            }
        }
        self
    }

    /// A run with another call after the others.
    pub(crate) fn with_call(self, name: &str, text: &str) -> Self {
        let exit = format!("Exit code 1\n{text}");
        self.call(
            name,
            json!({"command": text, "description": text}),
            &exit,
            true,
        )
    }

    fn push(mut self, mut record: Value) -> Self {
        record["session_id"] = "run".into();
        self.records.push(record);
        self
    }

    fn time(&self) -> String {
        let second = self.records.len();
        format!(
            "2026-11-20T{:02}:{:02}:{:02}.000Z",
            second / 3600 % 24,
            second / 60 % 60,
            second % 60
        )
    }

    fn start(self, text: &str) -> Self {
        self.push(json!({"type":"system","subtype":"init","tools":[],"model":text,"claude_code_version":text}))
    }

    fn prompt(self, text: &str) -> Self {
        let time = self.time();
        self.push(json!({"type":"user","message":{"role":"user","content":[{"type":"text","text":text}]},"parent_tool_use_id":null,"timestamp":time}))
    }

    fn said(self, content: Value, parent: Option<&str>) -> Self {
        let (time, id) = (self.time(), self.records.len());
        self.push(json!({
            "type":"assistant",
            "message":{"id":format!("m{id}"),"model":"m","role":"assistant","content":[content],"usage":{"input_tokens":10,"output_tokens":5}},
            "parent_tool_use_id":parent,
            "timestamp":time,
        }))
    }

    fn call(self, name: &str, input: Value, output: &str, error: bool) -> Self {
        let id = format!("t{}", self.calls);
        self.opened(&id, name, input, None)
            .closed(&id, output, error, None)
    }

    fn opened(mut self, id: &str, name: &str, input: Value, parent: Option<&str>) -> Self {
        self.calls += 1;
        self.said(
            json!({"type":"tool_use","id":id,"name":name,"input":input}),
            parent,
        )
    }

    fn closed(self, id: &str, output: &str, error: bool, parent: Option<&str>) -> Self {
        let time = self.time();
        let result =
            json!({"type":"tool_result","tool_use_id":id,"content":output,"is_error":error});
        self.push(json!({"type":"user","message":{"role":"user","content":[result]},"parent_tool_use_id":parent,"timestamp":time}))
    }

    fn subagent(self, text: &str) -> Self {
        self.opened(
            "agent",
            "Agent",
            json!({"description": text, "prompt": text}),
            None,
        )
        .said(json!({"type":"text","text":text}), Some("agent"))
        .opened("inside", "Bash", json!({"command": text}), Some("agent"))
        .closed("inside", text, true, Some("agent"))
        .closed("agent", text, false, None)
    }

    fn end(self, text: &str) -> Self {
        self.push(json!({
            "type":"result","subtype":"error_during_execution","is_error":true,"duration_ms":1000,
            "total_cost_usd":0.1,"errors":[text],
            "modelUsage":{text:{"inputTokens":10,"outputTokens":5,"costUSD":0.1}},
        }))
    }
}

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.records
            .iter()
            .try_for_each(|record| writeln!(f, "{record}"))
    }
}
