//! That what a diff or an excerpt shows of a document is no document, however it is coloured and cut into reads.

use jsift_find::finder::FindOptions;

use crate::properties::chain::read;
use crate::random::Random;

/// How many lines of context a diff shows around a change.
const CONTEXT: usize = 3;

/// Puts the lines of an object or array of random members below the last of `lines`, and closes it.
fn put_document(random: &mut Random, lines: &mut Vec<String>, deep: usize, object: bool) {
    let indent = "  ".repeat(deep + 1);
    let count = 2 + random.below(4);
    for number in 0..count {
        let name = match object {
            true => format!("\"k{number}\": "),
            false => String::new(),
        };
        match random.below(4) {
            0 if deep < 2 => {
                let object = random.below(2) == 0;
                lines.push(format!("{indent}{name}{}", if object { '{' } else { '[' }));
                put_document(random, lines, deep + 1, object);
            }
            1 => lines.push(format!("{indent}{name}{}", random.below(9))),
            _ => lines.push(format!("{indent}{name}{{\"n\": {}}}", random.below(9))),
        }
        if number + 1 < count
            && let Some(line) = lines.last_mut()
        {
            line.push(',');
        }
    }
    let close = if object { '}' } else { ']' };
    lines.push(format!("{}{close}", "  ".repeat(deep)));
}

/// Returns the lines of a diff around a member or element that has changed, with their signs.
fn diff(random: &mut Random) -> Vec<String> {
    let object = random.below(2) == 0;
    let mut lines = vec![if object { "{" } else { "[" }.to_owned()];
    put_document(random, &mut lines, 0, object);
    let on_one_line = |&at: &usize| lines[at].contains("{\"n\"");
    let changes: Vec<_> = (0..lines.len()).filter(on_one_line).collect();
    let Some(&change) = changes.get(random.below(changes.len())) else {
        return Vec::new();
    };
    let from = change.saturating_sub(CONTEXT);
    let context = |line: &String| format!(" {line}");
    let mut shown: Vec<String> = lines[from..change].iter().map(context).collect();
    let line = &lines[change];
    let is = random.below(3);
    if is > 0 {
        shown.push(format!("-{line}"));
    }
    if is < 2 {
        shown.push(format!("+{}", line.replace("\"n\": ", "\"m\": ")));
    }
    let after = lines[change + 1..].iter().take(CONTEXT);
    shown.extend(after.map(context));
    shown
}

/// Asserts that a text gives no document, read at once and byte by byte.
fn assert_no_document(text: &str) {
    let every: Vec<usize> = (1..text.len()).collect();
    for cuts in [&every[..], &[]] {
        let (found, _) = read(text.as_bytes(), cuts, &FindOptions::default());
        assert_eq!(found.documents, [], "{text}");
    }
}

#[test]
fn what_a_diff_shows_of_a_document_is_none() {
    let mut random = Random(11);
    let rounds = if cfg!(feature = "slow") { 20_000 } else { 1000 };
    let mut shown = 0;
    for _ in 0..rounds {
        let lines = diff(&mut random);
        let whole = |line: &String| matches!(&**line, " {" | " [");
        if lines.iter().any(whole) {
            continue;
        }
        shown += 1;
        let coloured = |line: &String| match line.split_at(1) {
            ("-", rest) => format!("\u{1b}[31m-{rest}\u{1b}[m\n"),
            ("+", rest) => format!("\u{1b}[32m+\u{1b}[m\u{1b}[32m{rest}\u{1b}[m\n"),
            _ => format!("{line}\n"),
        };
        let head = "diff --git a/a.json b/a.json\n@@ -7,6 +7,7 @@\n";
        let plain = format!("{head}{}\n", lines.join("\n"));
        let coloured = lines.iter().map(coloured).collect::<String>();
        let coloured = format!("{head}{coloured}");
        assert_no_document(&plain);
        assert_no_document(&coloured);
    }
    assert!(shown > rounds / 4, "{shown} of {rounds}");
}

/// Returns whole members of an object, of which no closing bracket is shown; `None` if there are none that hold
/// documents.
fn excerpt(random: &mut Random) -> Option<Vec<String>> {
    let mut lines = Vec::new();
    put_document(random, &mut lines, 0, true);
    let member = |line: &String| line.starts_with("  \"") && line.ends_with(',');
    let from = random.below(lines.len());
    let members = lines.split_off(from).into_iter();
    let mut shown = members.take_while(member).collect::<Vec<_>>();
    shown.truncate(1 + random.below(3));
    shown.iter().any(|line| line.contains('{')).then_some(shown)
}

#[test]
fn what_other_text_follows_of_an_object_is_none() {
    let mut random = Random(12);
    let rounds = if cfg!(feature = "slow") { 20_000 } else { 1000 };
    let mut shown = 0;
    let before = ["", "> 7 | ", "a.json:", "4 |", "e87c6fa3 (Ann  7) "];
    let ends = ["", "", " \\", "$", "    │"];
    let after = [
        "Done.",
        "    |   ^^^",
        "--",
        "1b4 (Ann 12)",
        "8:x",
        "\"as\" said",
    ];
    for _ in 0..rounds {
        let (first, next) = (random.below(before.len()), random.below(after.len()));
        let Some(lines) = excerpt(&mut random) else {
            continue;
        };
        shown += 1;
        let end = ends[random.below(ends.len())];
        let lines = lines
            .iter()
            .map(|line| format!("{}{line}{end}\n", before[first]));
        let lines: Vec<_> = lines.collect();
        let plain = format!("text\n{}{}\nmore\n", lines.concat(), after[next]);
        let coloured = plain.replace('"', "\u{1b}[36m\"\u{1b}[m");
        assert_no_document(&plain);
        assert_no_document(&coloured);
    }
    assert!(shown > rounds / 8, "{shown} of {rounds}");
}
