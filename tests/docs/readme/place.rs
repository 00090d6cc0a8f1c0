//! A folder to run an example in, with the samples that examples name.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// The agents, played by recordings.
pub(crate) const AGENTS: &str = concat!(include_str!("agents.sh"), "\n");

/// What came of a script.
pub(crate) struct Run {
    /// Standard output.
    pub printed: String,
    /// Standard error.
    pub errors: String,
    pub code: i32,
}

pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self {
            folder: TempDir::new().unwrap(),
        };
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
        for folder in ["tests/samples", "logs", "runs", "bin"] {
            fs::create_dir_all(place.path(folder)).unwrap();
        }
        for entry in fs::read_dir(&samples).unwrap() {
            let entry = entry.unwrap();
            if entry.path().is_dir() {
                continue;
            }
            let to = place.path("tests/samples").join(entry.file_name());
            fs::copy(entry.path(), to).unwrap();
        }
        for (from, to) in [
            ("claude.jsonl", "run.jsonl"),
            ("completion.md", "completion.md"),
            ("ci.log", "logs/ci.log"),
            ("claude.jsonl", "runs/review.jsonl"),
            ("gemini.jsonl", "runs/docs.jsonl"),
            ("gemini-quota.log", "runs/triage.jsonl"),
            ("claude-limit.jsonl", "limited.jsonl"),
        ] {
            fs::copy(samples.join(from), place.path(to)).unwrap();
        }
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_jsift"), place.path("bin/jsift")).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// Puts a shell script before every program of this name.
    pub(crate) fn program(&self, name: &str, script: &str) {
        let path = self.path("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Replaces what programs print, and all files that examples read, by this text.
    pub(crate) fn replace_inputs(&self, text: &str) {
        for folder in [".", "logs", "runs", "tests/samples"] {
            for entry in fs::read_dir(self.path(folder)).unwrap() {
                let path = entry.unwrap().path();
                if path.is_file() {
                    fs::write(path, text).unwrap();
                }
            }
        }
    }

    /// Runs as [`sh`](Self::sh) does, with standard error in its place in what is printed, as a terminal would show it.
    pub(crate) fn terminal(&self, script: &str) -> Run {
        self.sh(&format!("exec 2>&1\n{script}"))
    }

    /// Runs a script as `sh` would, with this jsift first, and the agents played.
    pub(crate) fn sh(&self, script: &str) -> Run {
        let home = self.folder.path();
        let path = std::env::var("PATH").unwrap_or_default();
        let script = AGENTS.to_owned() + script;
        let output = Command::new("sh")
            .args(["-c", &script])
            .current_dir(home)
            .stdin(Stdio::null())
            .env_clear()
            .env("PATH", format!("{}:{path}", self.path("bin").display()))
            .env("HOME", home)
            .env("LANG", "C.UTF-8")
            .env("PROMPT", "Review src/main.rs.")
            .env("RUN", "1")
            .env("samples", self.path("tests/samples"))
            .env("GITHUB_STEP_SUMMARY", self.path("step-summary.md"))
            .env("GITHUB_OUTPUT", self.path("step-output"))
            .output()
            .unwrap();
        Run {
            printed: String::from_utf8(output.stdout).unwrap(),
            errors: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code().unwrap_or(-1),
        }
    }
}

/// Whether a program is on this machine.
pub(crate) fn is_here(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}
