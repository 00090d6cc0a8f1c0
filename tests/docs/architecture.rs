//! The table of modules in ARCHITECTURE.md has a row for each, and the files that the page names are there.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use jsift_agents::dialect::Agent;

use super::{read, root};

const PAGE: &str = "ARCHITECTURE.md";

/// Returns the files and folders in a folder of sources, without their extension.
fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let sources =
        paths.filter(|path| path.is_dir() || path.extension().is_some_and(|it| it == "rs"));
    sources
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|name| !["lib", "main", "mod", "tests"].contains(&name.as_str()))
        .collect()
}

/// Adds the folders below a folder that contain more than tests.
fn add_folders(folder: &Path, modules: &mut BTreeSet<String>) {
    for name in names(folder) {
        let path = folder.join(&name);
        let is_agent = folder.ends_with("dialect") && agents().contains(&name);
        if !is_agent && root().join(&path).is_dir() && !names(&path).is_empty() {
            modules.insert(path.display().to_string());
            add_folders(&path, modules);
        }
    }
}

/// The names of the agents, as modules have them.
fn agents() -> BTreeSet<String> {
    let names = Agent::ALL
        .iter()
        .map(|agent| agent.name().replace('-', "_"));
    names.collect()
}

/// The modules of all crates, and the folders of modules in them.
fn modules() -> BTreeSet<String> {
    let mut roots = vec![Path::new("src").to_owned()];
    for name in fs::read_dir(root().join("crates")).unwrap() {
        roots.push(
            Path::new("crates")
                .join(name.unwrap().file_name())
                .join("src"),
        );
    }
    let mut modules = BTreeSet::new();
    for sources in roots {
        let top = names(&sources);
        if top.is_empty() {
            modules.insert(sources.display().to_string());
        }
        modules.extend(
            top.iter()
                .map(|name| sources.join(name).display().to_string()),
        );
        add_folders(&sources, &mut modules);
    }
    modules
}

#[test]
fn every_module_has_a_row_in_the_table() {
    let page = read(Path::new(PAGE));
    let table = page
        .split("\n## ")
        .find(|section| section.starts_with("Modules\n"));
    let rows = table
        .unwrap()
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let rows: BTreeSet<String> = rows
        .filter(|row| !row.ends_with("/NAME"))
        .map(str::to_owned)
        .collect();
    let modules = modules();
    let missing: Vec<_> = modules.difference(&rows).collect();
    let gone: Vec<_> = rows.difference(&modules).collect();
    assert!(
        missing.is_empty() && gone.is_empty(),
        "{PAGE} has no row for {missing:?}, and rows for {gone:?}"
    );
}

/// The names of jsift's crates that a manifest lists as dependencies.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let manifest = read(Path::new(manifest));
    let names = manifest
        .lines()
        .filter_map(|line| line.strip_prefix("jsift-")?.split([' ', '.']).next());
    names.map(str::to_owned).collect()
}

#[test]
fn crates_use_those_on_their_right_in_the_picture() {
    let page = read(Path::new(PAGE));
    let picture: Vec<&str> = page
        .lines()
        .skip_while(|line| !line.starts_with("    jsift ─▶ "))
        .take(2)
        .flat_map(|line| line.split("─▶"))
        .map(|name| name.trim_matches([' ', '└', '─']))
        .filter(|name| !name.is_empty())
        .collect();
    assert_eq!(picture.len(), 6, "{picture:?}");
    for (at, name) in picture.iter().enumerate() {
        let manifest = match at {
            0 => "Cargo.toml".to_owned(),
            _ => format!("crates/{name}/Cargo.toml"),
        };
        let used = dependencies(&manifest);
        let right: BTreeSet<String> = picture[at + 1..].iter().map(|&it| it.to_owned()).collect();
        assert!(used.is_subset(&right), "{name} uses {used:?}");
        let ends = ["json", "outcome"].contains(name);
        assert!(
            ends || used.contains(picture[at + 1]),
            "{name} uses {used:?}"
        );
    }
}

/// Adds the sources in a folder that use a dialect, outside of their tests.
fn add_uses_of_dialects(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_uses_of_dialects(&path, found);
        } else if !path.ends_with("tests.rs") {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("\nmod tests {").next().unwrap();
            if code.contains("dialect::") {
                found.push(path.display().to_string());
            }
        }
    }
}

#[test]
fn sinks_know_no_dialects() {
    let mut found = Vec::new();
    add_uses_of_dialects(&root().join("crates/sink/src"), &mut found);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn every_state_of_the_reader_has_a_row() {
    let source = read(Path::new("crates/find/src/finder/reader/mod.rs"));
    let states = source
        .lines()
        .skip_while(|line| *line != "enum ReadMode {")
        .skip(1)
        .take_while(|line| *line != "}")
        .filter_map(|line| line.strip_prefix("    ")?.split([',', '(']).next())
        .filter(|name| name.starts_with(char::is_uppercase));
    let states: BTreeSet<&str> = states.collect();
    let page = read(Path::new(PAGE));
    let rows = page
        .split("\n## ")
        .find(|section| section.starts_with("States of the reader\n"))
        .unwrap()
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    assert_eq!(states, rows.collect());
}

#[test]
fn files_that_the_page_names_are_there() {
    let page = read(Path::new(PAGE));
    let quoted = page.split('`').skip(1).step_by(2);
    let paths = quoted.filter(|path| {
        ["src/", "crates/", "tests/"]
            .iter()
            .any(|root| path.starts_with(root))
    });
    let mut named = 0;
    for path in paths.filter(|path| !path.contains("AGENT") && !path.contains("NAME")) {
        named += 1;
        let path = root().join(path.trim_end_matches('/'));
        assert!(
            path.exists() || path.with_extension("rs").exists(),
            "{}",
            path.display()
        );
    }
    assert!(named > 40, "{named}");
}
