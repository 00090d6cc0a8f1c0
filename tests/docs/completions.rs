//! Completion scripts for six shells.

use std::path::Path;

use clap_complete::{Generator, Shell};
use clap_complete_nushell::Nushell;

use super::{Page, grammar};

pub fn pages() -> Vec<Page> {
    let mut pages: Vec<Page> = [
        Shell::Bash,
        Shell::Zsh,
        Shell::Fish,
        Shell::Elvish,
        Shell::PowerShell,
    ]
    .map(page)
    .into();
    pages.push(page(Nushell));
    pages
}

fn page(generator: impl Generator) -> Page {
    let mut text = Vec::new();
    let path = Path::new("completions").join(generator.file_name("jsift"));
    clap_complete::generate(generator, &mut grammar(), "jsift", &mut text);
    Page {
        path,
        text: String::from_utf8(text).unwrap(),
    }
}
