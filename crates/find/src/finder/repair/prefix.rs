//! The log prefix of a text: it is taken off before the tolerant reader, which does not know about prefixes, reads the
//! text.

use crate::finder::bracket::left_open;
use crate::finder::fence;
use crate::finder::learner::{Learned, Learner, Searched};
use crate::finder::reader::{Question, Unfinished};
use crate::finder::window::Window;
use crate::prefix::Prefix;
use jsift_json::cost;

/// Returns the prefix of the text in a window: what stands before the first opening and on the lines after it. The
/// opening is a bracket left open on its line, or else a fence, or else any bracket. Less of it is the prefix if the
/// lines of a later opening carry less: a comment or a list after a prefix has lines that begin alike, too. The text
/// after the prefix need not be JSON.
pub(crate) fn prefix_of(window: &Window) -> Option<Prefix> {
    let openings = [left_open, fenced, last_bracket];
    openings
        .into_iter()
        .find_map(|opening| carried(window, opening))
}

fn carried(window: &Window, opening: fn(&[u8]) -> Option<usize>) -> Option<Prefix> {
    let mut searched = Searched::default();
    let mut found: Option<Prefix> = None;
    let mut next = 0;
    for line in window.from(0).split_inclusive(|&byte| byte == b'\n') {
        let start = next;
        next += line.len() as u64;
        cost::look_at(line.len());
        let known = |prefix: &Prefix| prefix.inside(line).is_some();
        let Some(at) = opening(line).filter(|_| !found.as_ref().is_some_and(known)) else {
            continue;
        };
        // Text inside a document is no prefix of it.
        let at = line.get(..at).and_then(left_open).unwrap_or(at);
        let (left, after) = line.split_at_checked(at)?;
        let at = start + at as u64;
        // As of a thinking block, any line that carries the prefix is a part of what was opened.
        let question = Question::of_line((start, at, next), left, after, Unfinished::Thinking);
        let Some(mut learner) = Learner::new(&question, window, &searched, false) else {
            continue;
        };
        let learned = learner.go_on(&question, window, true, &|_| false);
        searched.add(learner.cost);
        if let Learned::Prefix(prefix) = learned
            && found
                .as_ref()
                .is_none_or(|longer| prefix.inside(longer.text()).is_some())
        {
            found = Some(prefix.as_column().unwrap_or(*prefix));
        }
    }
    found
}

/// Returns the index of the first fence; `None` if it begins the line.
fn fenced(line: &[u8]) -> Option<usize> {
    fence::find_marks(line).filter(|&at| at > 0)
}

/// Returns the index of the last bracket; `None` if it begins the line. It may be part of the prefix: `app[4711]: `.
fn last_bracket(line: &[u8]) -> Option<usize> {
    memchr::memrchr2(b'{', b'[', line).filter(|&at| at > 0)
}

#[cfg(test)]
mod tests {
    use super::{Window, prefix_of};

    const LOG: &str =
        "app | see [1]\napp | got: {\ndb  | [\napp |   'a': 'b\napp | c'\napp | }\ndb  | ]\n";

    #[test]
    fn the_first_bracket_counts_after_which_a_prefix_goes_on() {
        let prefix = |text: &str| {
            let mut window = Window::new();
            window.push(text.as_bytes());
            prefix_of(&window).map(|found| found.text().to_vec())
        };
        assert_eq!(prefix(LOG), Some(b"app |".to_vec()));
        assert_eq!(
            prefix("<13>a: {\n<14>a: 'b': 1\n"),
            Some(b"<13>a:".to_vec())
        );
        let comment = "app | # {\napp | # x\ndb  | [\ndb  | ]\napp | {\napp |   'a': 1\n";
        assert_eq!(prefix(comment), Some(b"app |".to_vec()));
        assert_eq!(prefix("{\n  a: [\n    1\n  ],\n  a: [2]\n}\n"), None);
        for text in ["", "\"a{\n\"a\"\n", "x", "{\n}", "a {\nb }", "[{}]\n[{}]\n"] {
            assert_eq!(prefix(text), None, "{text}");
        }
    }
}
