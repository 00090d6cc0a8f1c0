//! Tests that a case folder cannot express: processes, pipes, signals, terminals, and what is installed and packed.

#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

mod events;
mod extract;
mod faults;
#[cfg(feature = "html")]
mod html;
#[cfg(target_os = "linux")]
mod ignored;
#[cfg(unix)]
mod install;
#[cfg(target_os = "linux")]
mod packaging;
#[cfg(feature = "html")]
#[allow(dead_code)]
#[path = "../properties/picked.rs"]
mod picked;
mod summary;
#[cfg(target_os = "linux")]
mod terminal;

/// Returns the program with these arguments, an empty environment, and pipes.
fn jsift(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jsift"));
    command
        .args(args)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Returns the recordings of all agents.
fn recordings() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for agent in fs::read_dir("tests/recordings").unwrap() {
        for scenario in fs::read_dir(agent.unwrap().path()).unwrap() {
            found.push(scenario.unwrap().path().join("stream"));
        }
    }
    assert!(found.len() > 20);
    found
}
