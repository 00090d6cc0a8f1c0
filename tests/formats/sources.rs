//! Runs that write at the same time, distinguished by the prefixes that a supervisor puts before their lines.

use std::collections::BTreeMap;

use jsift_agents::session::Session;

use super::{Recording, codes, recordings, sessions};
use crate::picked::is_picked;

/// Prefixes of two sources, in the forms that supervisors write.
const PREFIXES: [[&str; 2]; 6] = [
    ["a | ", "b | "],
    ["agent-1  | ", "agent-2  | "],
    ["[pod/x/app] ", "[pod/y/app] "],
    ["build (1)\tRun agent\t", "build (2)\tRun agent\t"],
    ["12:00:01 web.1  | ", "12:00:02 worker.1  | "],
    ["host | app-1  | ", "host | app-2  | "],
];

/// What has to be the same next to another run as alone: agent, outcome, response, usage.
type Said = (Option<String>, String, String, String);

fn said(session: &Session) -> Said {
    let response = session.response().unwrap_or_default();
    (
        session.agent.map(|agent| agent.name().to_owned()),
        session.outcome().word().to_owned(),
        response.to_string_lossy().into_owned(),
        format!("{:?}", session.usage()),
    )
}

/// Takes a line of each text in turn, after its prefix.
fn interleaved(texts: [&str; 2], prefixes: [&str; 2]) -> String {
    let mut lines = texts.map(str::lines);
    let mut all = String::new();
    loop {
        let before = all.len();
        for (lines, prefix) in lines.iter_mut().zip(prefixes) {
            if let Some(line) = lines.next() {
                all += &format!("{prefix}{line}\n");
            }
        }
        if all.len() == before {
            return all;
        }
    }
}

#[test]
fn two_runs_of_an_agent_after_prefixes_are_the_sessions_that_each_gives_alone() {
    let mut by_agent: BTreeMap<String, Vec<(Recording, Vec<Said>)>> = BTreeMap::new();
    for recording in recordings() {
        let agent = recording.name.rsplit_once('-').unwrap().0.to_owned();
        let alone = sessions(&recording.text);
        let alone: Vec<_> = alone.all().iter().map(said).collect();
        if !alone.is_empty() {
            by_agent.entry(agent).or_default().push((recording, alone));
        }
    }
    let (mut wrong, mut pairs) = (Vec::new(), 0);
    for recordings in by_agent.values() {
        for (first, one) in recordings.iter().enumerate() {
            for other in recordings.iter().skip(first + 1) {
                let prefixes = PREFIXES[pairs % PREFIXES.len()];
                pairs += 1;
                if !is_picked(one.0.text.as_bytes()) {
                    continue;
                }
                let both = interleaved([&one.0.text, &other.0.text], prefixes);
                let both = sessions(&both);
                for ((_, alone), prefix) in [one, other].into_iter().zip(prefixes) {
                    let name_of = |session: &&Session| {
                        let prefix_of = session
                            .prefix
                            .as_ref()
                            .map(|prefix| prefix.to_string_lossy().into_owned());
                        prefix_of.is_some_and(|name| prefix.contains(&name))
                    };
                    let here: Vec<_> = both.all().iter().filter(name_of).map(said).collect();
                    if here != *alone {
                        let (name, other) = (&one.0.name, &other.0.name);
                        wrong.push(format!(
                            "{name} next to {other}, {prefix:?}:\n  {here:?}\n  {alone:?}"
                        ));
                    }
                }
            }
        }
    }
    assert!(pairs > 50, "{pairs}");
    assert!(
        wrong.is_empty(),
        "{} of {pairs}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Agents each of whose records tells whose it is, or the records around it do.
const DISTINGUISHED: [&str; 14] = [
    "acp", "agy", "amp", "claude", "cline", "codex", "copilot", "cursor", "gemini", "kiro",
    "opencode", "pi", "qwen", "vibe",
];

#[test]
fn runs_of_two_agents_without_a_prefix_are_the_sessions_that_each_gives_alone() {
    let all = |text: &str| -> Vec<_> {
        let sessions = sessions(text);
        sessions.all().iter().map(said).collect()
    };
    let recordings = recordings();
    let runs = DISTINGUISHED.map(|agent| {
        let of_agent = |name: &str| name.split(['-', '/']).next() == Some(agent);
        let run = recordings.iter().find(|recording| {
            // A message in files of Cursor and Kiro does not say whose it is.
            let mut on_disk =
                ["cursor-documentation/disk_", "kiro-documentation/disk_"].into_iter();
            let apart = !on_disk.any(|folder| recording.name.starts_with(folder));
            let of_stream = apart && recording.records().len() > 2;
            of_agent(&recording.name) && recording.is("success") && of_stream
        });
        &run.unwrap_or_else(|| panic!("{agent}")).text
    });
    let mut wrong = Vec::new();
    for (at, first) in runs.iter().enumerate() {
        for (alongside, second) in runs.iter().enumerate().skip(at + 1) {
            let mut alone = [all(first), all(second)].concat();
            let mut both = all(&interleaved([first, second], [""; 2]));
            alone.sort();
            both.sort();
            if both != alone {
                let names = [DISTINGUISHED[at], DISTINGUISHED[alongside]];
                wrong.push(format!("{names:?}:\n  {both:?}\n  {alone:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

const CODEX: [&str; 3] = [
    r#"{"type":"thread.started","thread_id":"t"}"#,
    r#"{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"Done."}}"#,
    r#"{"type":"turn.completed","usage":{"input_tokens":9,"cached_input_tokens":0,"output_tokens":3}}"#,
];

const MESSAGE: &str = "Error: 429 Too Many Requests";

/// The outcomes of the sessions of some lines, and what names their sources.
fn distinguished(lines: &[String]) -> Vec<(&'static str, Option<String>)> {
    let sessions = sessions(&lines.join("\n"));
    let name = |session: &Session| Some(session.prefix.as_ref()?.to_string_lossy().into_owned());
    let all = sessions.all().iter();
    all.map(|session| (session.outcome().word(), name(session)))
        .collect()
}

#[test]
fn a_prefix_that_changes_tells_no_sources_apart() {
    for prefixes in [
        ["INFO agent: ", "WARN agent: ", "INFO agent: "],
        ["[INFO] ", "[ERROR] ", "[INFO] "],
        [
            "2026-01-02 03:04:05 a | ",
            "2026-01-02 03:04:06 a | ",
            "2026-01-03 00:00:00 a | ",
        ],
        ["[1/3] ", "[2/3] ", "[3/3] "],
        ["  1 | ", "  2 | ", "  3 | "],
        ["line 1: ", "line 2: ", "line 3: "],
        ["Event: ", "Event: ", "Result: "],
        ["Started: ", "Said: ", "Result: "],
        ["[thread.started] ", "[agent_message] ", "[turn.completed] "],
        ["[agent] ", "", ""],
        ["", "[tool] ", "agent | "],
        ["run.jsonl:1:", "run.jsonl:2:", "run.jsonl:3:"],
    ] {
        let lines: Vec<String> = prefixes
            .iter()
            .zip(CODEX)
            .map(|(prefix, record)| format!("{prefix}{record}"))
            .collect();
        assert_eq!(distinguished(&lines), [("success", None)], "{prefixes:?}");
    }
}

#[test]
fn a_run_that_starts_on_a_later_line_is_the_same_after_line_numbers() {
    for recording in recordings() {
        let lines = recording.text.lines().enumerate();
        let numbered: String = lines
            .map(|(at, line)| format!("run.log:{}:{line}\n", at + 1))
            .collect();
        let all = |text: &str| -> Vec<_> {
            let read = sessions(text);
            read.all().iter().map(said).collect()
        };
        assert_eq!(all(&numbered), all(&recording.text), "{}", recording.name);
    }
}

#[test]
fn a_message_in_the_noise_stands_after_what_records_stand_after() {
    for prefix in [
        "",
        "> ",
        "web-7d9f app ",
        "2026-01-02T03:04:05.678Z host app - ",
    ] {
        let mut lines: Vec<String> = CODEX[..2]
            .iter()
            .map(|record| format!("{prefix}{record}"))
            .collect();
        lines.push(format!("{prefix}{MESSAGE}").replace("678Z", "912Z"));
        assert_eq!(distinguished(&lines), [("quota", None)], "{prefix}");
    }
}

#[test]
fn a_message_in_the_noise_is_of_who_prints_it() {
    let run = |prefix: &str, records: usize| -> Vec<String> {
        CODEX
            .iter()
            .take(records)
            .map(|record| format!("{prefix}{record}"))
            .collect()
    };
    let mut lines = run("a | ", 2);
    lines.extend(run("b | ", 2));
    let named = |outcomes: [&'static str; 2]| {
        let [a, b] = outcomes;
        [(a, Some("a |".to_owned())), (b, Some("b |".to_owned()))]
    };
    for (prefix, outcomes) in [
        ("a | ", ["quota", "truncated"]),
        ("b | ", ["truncated", "quota"]),
        ("proxy | ", ["truncated", "truncated"]),
    ] {
        let mut lines = lines.clone();
        lines.push(format!("{prefix}{MESSAGE}"));
        assert_eq!(distinguished(&lines), named(outcomes), "{prefix}");
    }
    // A record that is cut off is its writer's, too.
    lines.push(format!("a | {}", CODEX[2]));
    lines.push(r#"b | {"type":"turn.compl"#.to_owned());
    assert_eq!(distinguished(&lines), named(["success", "truncated"]));
}

#[test]
fn runs_without_a_prefix_are_not_distinguished() {
    let lines: Vec<String> = [CODEX, CODEX]
        .concat()
        .iter()
        .map(|record| (*record).to_owned())
        .collect();
    assert!(distinguished(&lines).iter().all(|(_, name)| name.is_none()));
}

#[test]
fn a_source_that_is_no_agents_has_no_session() {
    let mut lines = Vec::new();
    for record in CODEX {
        lines.push(format!("agent | {record}"));
        lines.push(r#"api | {"level":"info","msg":"request","status":200}"#.to_owned());
        lines.push(
            r#"api | {"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}"#
                .to_owned(),
        );
    }
    assert_eq!(distinguished(&lines), [("success", None)]);
}

/// A chunk belongs to the response whose id it has.
#[test]
fn responses_that_are_streamed_side_by_side_are_distinguished_by_their_ids() {
    let chunk = |id: &str, delta: &str, reason: &str| {
        format!(
            r#"data: {{"id":"chatcmpl-{id}","object":"chat.completion.chunk","model":"m","choices":[{{"index":0,"delta":{delta},"finish_reason":{reason}}}]}}"#
        )
    };
    let count = |id: &str, tokens: u64| {
        format!(
            r#"data: {{"id":"chatcmpl-{id}","object":"chat.completion.chunk","model":"m","choices":[],"usage":{{"total_tokens":{tokens}}}}}"#
        )
    };
    let say = |id: &str, text: &str| chunk(id, &format!(r#"{{"content":"{text}"}}"#), "null");
    let lines = [
        say("a", "{\\\"a\\\":"),
        say("b", "{\\\"b\\\":"),
        say("a", "1}"),
        say("b", "2}"),
        chunk("a", "{}", r#""stop""#),
        chunk("b", "{}", r#""stop""#),
        count("a", 5),
        count("b", 7),
        "data: [DONE]".to_owned(),
    ];
    let text = lines.join("\n\n");
    assert_eq!(codes(&text), ([0; 3], "{\"b\":2}\n".to_owned()));
    let sessions = sessions(&text);
    let said = sessions.all().iter().map(|session| {
        let tokens = session.usage().total;
        (
            session.response().unwrap().to_string_lossy().into_owned(),
            tokens,
        )
    });
    let expected = [(r#"{"a":1}"#, 5), (r#"{"b":2}"#, 7)];
    let expected = expected.map(|(text, tokens)| (text.to_owned(), Some(tokens)));
    assert_eq!(said.collect::<Vec<_>>(), expected);
}
