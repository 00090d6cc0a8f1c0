//! Names and comments use the field's words. Words that the code has had for the same ideas, and that a reader would
//! not search for, do not come back, neither in sources nor in the names of cases and seeds.

use std::fs;
use std::path::Path;

use super::root;

/// Folders of Rust sources.
const FOLDERS: [&str; 6] = ["src", "crates", "tests", "fuzz", "benches", "examples"];

/// Folders of pages.
const PAGES: [&str; 2] = ["docs", "man/sections"];

/// A word that is not used, and what is used instead.
const WORDS: [(&str, &str); 14] = [
    ("ajar", "closed by a line feed"),
    ("behind", "after"),
    ("beside", "next to, alongside"),
    ("fate", "receiver"),
    ("lettered", "ai_sdk"),
    ("nobodys", "unclaimed"),
    ("speaker", "writer"),
    ("speakers", "writers"),
    ("strand", "substream"),
    ("strands", "substreams"),
    ("stranger", "unknown agent"),
    ("strangers", "unknown agents"),
    ("told", "reported, stated, distinguished"),
    ("voice", "active dialect"),
];

/// Names of products, which have words of their own.
const NAMES: [&str; 2] = ["Strands Agents", "agents/strands.toml"];

/// Returns the words of a line: `first_of_strand` and `FirstOfStrand` have three each. What a line has between two of
/// `quote` is printed or read, and has words of its own.
fn words(line: &str, quote: char) -> Vec<String> {
    let mut code: String = line.split(quote).step_by(2).collect::<Vec<_>>().join(" ");
    for name in NAMES {
        code = code.replace(name, "");
    }
    let mut words = vec![String::new()];
    let mut last = ' ';
    for c in code.chars() {
        let begins_word = c.is_ascii_uppercase() && !last.is_ascii_uppercase();
        if begins_word || !c.is_ascii_alphabetic() {
            words.push(String::new());
        }
        if c.is_ascii_alphabetic() {
            words.last_mut().unwrap().push(c.to_ascii_lowercase());
        }
        last = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Adds the words of a text that are replaced, but not those between two of `quote`.
fn add_words(text: &str, quote: char, place: &str, found: &mut Vec<String>) {
    for word in words(text, quote) {
        if let Some((_, plain)) = WORDS.iter().find(|(it, _)| *it == word) {
            found.push(format!("{place}: {word}: {plain}"));
        }
    }
}

/// Adds the lines of a file that have one of the words.
fn look_through_file(path: &Path, quote: char, found: &mut Vec<String>) {
    let text = fs::read_to_string(path).unwrap();
    for (line, text) in text.lines().enumerate() {
        add_words(
            text,
            quote,
            &format!("{}:{}", path.display(), line + 1),
            found,
        );
    }
}

/// Adds the lines of the files in a folder that have one of the words: sources, or pages, whose examples stand in
/// backticks.
fn look_through(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            look_through(&path, found);
        }
        match path.extension().and_then(|it| it.to_str()) {
            Some("rs") if !path.ends_with("docs/words.rs") => look_through_file(&path, '"', found),
            Some("md" | "roff") => look_through_file(&path, '`', found),
            _ => {}
        }
    }
}

/// Adds the folders of cases, and the seeds, whose names have one of the words.
fn look_through_names(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy();
        add_words(&name, '"', &path.display().to_string(), found);
    }
}

#[test]
fn words_that_were_replaced_do_not_come_back() {
    let mut found = Vec::new();
    for folder in FOLDERS.into_iter().chain(PAGES) {
        look_through(&root().join(folder), &mut found);
    }
    for page in [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
    ] {
        look_through_file(&root().join(page), '`', &mut found);
    }
    look_through_names(&root().join("tests/cases"), &mut found);
    for target in fs::read_dir(root().join("tests/seeds")).unwrap() {
        look_through_names(&target.unwrap().path(), &mut found);
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert_eq!(
        words("a FirstOfStrand \"told\" OLD_STRAND", '"').join("-"),
        "a-first-of-strand-old-strand"
    );
}
