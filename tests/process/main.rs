//! Tests that a case folder cannot express: processes, pipes, signals, terminals, and what is installed and packed.

#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

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
