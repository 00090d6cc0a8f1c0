//! The places in programs that a message contains: lines of a stack trace and names of source files say where something
//! failed, and not why.

use std::borrow::Cow;

/// The endings of the names of source files.
const SOURCES: &[&str] = &[
    "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "py", "go", "rs", "java", "kt", "rb",
    "cs", "php", "swift",
];

/// Returns a message without the places in programs that it contains.
pub(super) fn without_places(message: &str) -> Cow<'_, str> {
    let has_place = message.lines().any(is_of_stack) || message.split(parts_words).any(is_source);
    if !has_place {
        return Cow::Borrowed(message);
    }
    let mut kept = String::with_capacity(message.len());
    let lines = message.split_inclusive('\n');
    let words = lines
        .filter(|line| !is_of_stack(line))
        .flat_map(|line| line.split_inclusive(parts_words));
    for word in words {
        let name = word.strip_suffix(parts_words).unwrap_or(word);
        kept.push_str(match is_source(name) {
            true => word.get(name.len()..).unwrap_or_default(),
            false => word,
        });
    }
    Cow::Owned(kept)
}

/// Whether a line is one of a stack trace: `at run (/app/a.js:1:2)`, `at a.B.run(B.java:7)`, `File "/app/a.py", line 7,
/// in run`.
pub fn is_of_stack(line: &str) -> bool {
    let line = line.trim();
    if let Some(frame) = line.strip_prefix("at ") {
        let place = frame.strip_suffix(')').and_then(|it| it.rsplit_once('('));
        return match place {
            Some((_, place)) => !place.contains(' ') || is_numbered(place),
            None => is_numbered(frame),
        };
    }
    let file = line.strip_prefix("File \"");
    file.is_some_and(|file| file.contains("\", line "))
}

/// Whether a place ends in the number of a line: `a.js:7`, `A.cs:line 7`.
fn is_numbered(place: &str) -> bool {
    let before = place.trim_end_matches(|digit: char| digit.is_ascii_digit());
    before.len() < place.len() && (before.ends_with(':') || before.ends_with(":line "))
}

/// Whether a word is the name of a source file, perhaps with its folder and the number of a line.
fn is_source(word: &str) -> bool {
    let is_of_number = |letter: char| letter.is_ascii_digit() || matches!(letter, ':' | '.' | ';');
    let ending = word.trim_end_matches(is_of_number).rsplit_once('.');
    ending.is_some_and(|(name, ending)| !name.is_empty() && SOURCES.contains(&ending))
}

/// Whether a character stands between words.
fn parts_words(letter: char) -> bool {
    letter.is_whitespace() || "\"'`()[]{}<>,=|".contains(letter)
}

#[cfg(test)]
mod tests {
    use super::{is_of_stack, without_places};

    #[test]
    fn lines_of_stack_traces_and_names_of_source_files_are_places() {
        for (message, expected) in [
            (
                "Not found\n    at f (file:///x/quotaErrors.js:1:6)\n  code: 404",
                "Not found\n  code: 404",
            ),
            ("at /x/quota.ts:12 it fails", "at  it fails"),
            ("(quota.py) says 'a/rate_limit.go:7': no", "() says '': no"),
            ("the file quota.json is gone", "the file quota.json is gone"),
            (
                "Rate limit reached. Try again",
                "Rate limit reached. Try again",
            ),
        ] {
            assert_eq!(without_places(message), expected);
        }
    }

    #[test]
    fn a_line_of_a_stack_trace_names_a_place() {
        for line in [
            "    at f (file:///x/a.js:145:16)",
            "    at async Promise.f (/my files/a.js:1:2)",
            "    at file:///x/a.js:145:16",
            "\tat org.a.B.run(B.java:7)",
            "   at A.B.Run() in C:\\a\\B.cs:line 7",
            "    at new Promise (<anonymous>)",
            "  File \"/x/a.py\", line 7, in run",
        ] {
            assert!(is_of_stack(line), "{line}");
        }
        for line in [
            "at capacity",
            "at the moment (rate limit reached)",
            "File not found",
            "Error: at most 3",
        ] {
            assert!(!is_of_stack(line), "{line}");
        }
    }
}
