//! The agent files that the command reads, and those that it contains.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;

use jsift_agents::dialect::AgentFile;
use jsift_agents::dialect::reader::AgentFiles;
use jsift_sink::diagnostic::{Diagnostic, source_name};

/// Pairs names of files in `agents/` with their texts.
macro_rules! contained {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("../../../agents/", $name, ".toml")))),*]
    };
}

/// The files in `agents/`, by their names. They are parsed only if they are named.
const CONTAINED: [(&str, &str); 9] = contained![
    "adk",
    "agno",
    "autogen",
    "dsh",
    "mastracode",
    "muse",
    "openai-agents",
    "openclaw",
    "strands"
];

/// Reads the files of --agent-file: a path, or the name of one that the command contains.
///
/// # Errors
///
/// Fails if a file cannot be read or is wrong.
pub(super) fn agent_files(paths: &[PathBuf]) -> anyhow::Result<AgentFiles> {
    paths.iter().map(agent_file).collect()
}

/// Returns the names of the files that the command contains.
pub(crate) fn contained() -> String {
    CONTAINED.map(|(name, _)| name).join(", ")
}

/// Reads the file at a path, or the contained one of that name if there is no such path.
fn agent_file(path: &PathBuf) -> anyhow::Result<Arc<AgentFile>> {
    let known = CONTAINED.iter().find(|(name, _)| path.as_os_str() == *name);
    let text = match known {
        Some((_, text)) if !path.exists() => (*text).to_owned(),
        _ => std::fs::read_to_string(path).with_context(|| {
            Diagnostic::error("cannot read the agent file")
                .of(source_name(Some(path)))
                .hint(format!("jsift contains the files {}", contained()))
        })?,
    };
    let file = AgentFile::parse(&text).map_err(|error| {
        let name = format!("{}:{}", source_name(Some(path)), error.line);
        anyhow::Error::msg(Diagnostic::error(error.message).of(name))
    })?;
    Ok(Arc::new(file))
}
