//! The table of agents in docs/agents.md: from the registry of agents, the recordings and the agent files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use jsift_agents::dialect::Agent;
use serde_json::Value;

use super::{read, root};

/// What runs may state, by the pointer to it in a session's JSON.
const STATED: [(&str, &str); 8] = [
    ("/agent_version", "version"),
    ("/session_id", "session id"),
    ("/model", "model"),
    ("/usage/input_tokens", "tokens"),
    ("/usage/cost_usd", "cost"),
    ("/duration_ms", "duration"),
    ("/tools/by_name", "calls"),
    ("/files/0", "files"),
];

/// What the recordings of an agent show.
#[derive(Default)]
struct Shown {
    versions: BTreeSet<String>,
    is_documented: bool,
    is_on_disk: bool,
    stated: BTreeSet<&'static str>,
}

/// Returns the table with a row for each agent.
pub(crate) fn table() -> String {
    let mut table = String::from(
        "| agent | `agent` | command and formats | known from | versions | files on disk | in no recording |\n\
         |---|---|---|---|---|---|---|\n",
    );
    let readme = read(Path::new("README.md"));
    let count = format!("The records of {} agents", Agent::ALL.len());
    assert!(readme.contains(&count), "README.md lacks: {count}");
    let shown = shown();
    for (agent, (title, formats)) in Agent::ALL.iter().zip(titles()) {
        let name = agent.name();
        let shown = shown
            .get(name)
            .unwrap_or_else(|| panic!("no recording of {name}"));
        let mut known = Vec::new();
        known.extend((!shown.versions.is_empty()).then_some("recordings"));
        known.extend(shown.is_documented.then_some("documentation"));
        let on_disk = if shown.is_on_disk { "yes" } else { "" };
        let mut versions: Vec<_> = shown.versions.iter().map(String::as_str).collect();
        let number = |part: &str| part.parse::<u64>().unwrap();
        versions.sort_by_key(|version| version.split('.').map(number).collect::<Vec<_>>());
        let all = STATED.iter().map(|(_, what)| *what);
        let missing: Vec<_> = all.filter(|what| !shown.stated.contains(what)).collect();
        writeln!(
            table,
            "| {title} | `{name}` | {formats} | {} | {} | {on_disk} | {} |",
            known.join(", "),
            versions.join(", "),
            missing.join(", ")
        )
        .unwrap();
    }
    for (name, title) in files() {
        let (title, formats) = title.split_once(", ").unwrap_or((&title, ""));
        let formats = formats.replace('|', "\\|");
        let row =
            format!("| {title} | `{name}` | {formats} | [file](../agents/{name}.toml) | | | |\n");
        table.push_str(&row);
    }
    table
}

/// Returns the title of each agent with its commands, from the comments in the registry, in its order.
fn titles() -> Vec<(String, String)> {
    let registry = read(Path::new("crates/agents/src/dialect/mod.rs"));
    let (_, variants) = registry.split_once("\nagents! {\n").unwrap();
    let (variants, _) = variants.split_once("\n}\n").unwrap();
    let mut rows = Vec::new();
    let mut comment = String::new();
    for line in variants.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("/// ") {
            write!(comment, "{text} ").unwrap();
        } else if line.ends_with(',') {
            let text = comment.trim().trim_end_matches('.').replace('|', "\\|");
            let (title, formats) = text.split_once(", ").unwrap_or((&text, ""));
            rows.push((title.to_owned(), formats.to_owned()));
            comment.clear();
        }
    }
    assert_eq!(rows.len(), Agent::ALL.len());
    rows
}

/// Returns what the recordings show, by the agent that wrote them.
fn shown() -> BTreeMap<String, Shown> {
    let mut all: BTreeMap<String, Shown> = BTreeMap::new();
    let folders = entries(&root().join("tests/recordings"));
    for folder in folders {
        let of = folder.file_name().unwrap().to_string_lossy().into_owned();
        let (_, version) = of.rsplit_once('-').unwrap();
        for recording in entries(&folder) {
            let expected = fs::read(recording.join("expected.json")).unwrap();
            let expected: Value = serde_json::from_slice(&expected).unwrap();
            let Some(agent) = expected["agent"].as_str() else {
                continue;
            };
            let shown = all.entry(agent.to_owned()).or_default();
            match version {
                "documentation" => shown.is_documented = true,
                version => drop(shown.versions.insert(version.to_owned())),
            }
            shown.is_on_disk |= recording
                .file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with("disk_");
            let text = fs::read(recording.join("stream")).unwrap();
            if let Ok(session) = jsift::session(&text) {
                let session: Value = serde_json::from_str(&session.json()).unwrap();
                let is_there = |value: &Value| value.as_object().is_none_or(|it| !it.is_empty());
                let stated = STATED
                    .iter()
                    .filter(|(place, _)| session.pointer(place).is_some_and(is_there));
                shown.stated.extend(stated.map(|(_, what)| *what));
            }
        }
    }
    all
}

/// Returns the name and the first line of each agent file.
fn files() -> Vec<(String, String)> {
    let file = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let title = text.lines().next().unwrap().trim_start_matches("# ");
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, title.trim_end_matches('.').to_owned())
    };
    entries(&root().join("agents"))
        .into_iter()
        .map(file)
        .collect()
}

/// Returns the entries of a folder, in the order of their names.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut entries: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}

#[test]
fn the_page_on_agents_has_every_key_of_a_file() {
    let wrong = "name = \"x\"\n[[record]]\nis = \"a\"\nno-such-key = 1\n";
    let error = jsift_agents::dialect::AgentFile::parse(wrong).unwrap_err();
    let (_, known) = error.message.split_once("expected one of ").unwrap();
    let page = read(Path::new("docs/agents.md"));
    for key in known.split(", ") {
        assert!(page.contains(key), "{key}");
    }
}
