//! Texts put together of parts, alone and after a prefix: documents, fences, thinking, records, prose, whole or broken.

use jsift_find::finder::FindOptions;

use super::Choices;
use super::chain::read;
use super::prefixes::{PREFIXES, document};

/// Lines of prose.
const PROSE: [&str; 12] = [
    "",
    "Here it is:",
    "it's done [1]",
    "range [5, 10) is open",
    "[x] `a` {b}",
    "- [ ] write tests",
    "INFO sent {\"a\":1}",
    "see {\"a\": ",
    "```",
    "}",
    "]",
    "</think>",
];
/// How fences are opened.
const OPENINGS: [&str; 8] = [
    "```json",
    "```",
    "~~~json5",
    "````jsonl title=x",
    "```python",
    "  ```JSON",
    "- ```json",
    "```json {\"a\":1}",
];
/// What takes the place of a line.
const SLIPS: [&str; 8] = [
    "",
    "}",
    "{",
    "\"a\": {\"b\": 1},",
    "x",
    "INFO x",
    "```json",
    "// x",
];

/// A document on several lines, one of which may be lost or be another.
fn pretty(choices: &mut Choices<'_>) -> Vec<String> {
    let value = serde_json::json!({"k": document(choices, 1), "l": document(choices, 2)});
    let text = serde_json::to_string_pretty(&value).unwrap_or_default();
    // What is empty counts where it stands alone on its line, which a prefix need not show.
    let text = text.replace("{}", "{\"e\":0}").replace("[]", "[{\"e\":0}]");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let slip = choices.below(4 * lines.len());
    if slip < lines.len() {
        match choices.below(3) {
            0 => drop(lines.remove(slip)),
            1 => lines.truncate(slip),
            _ => lines[slip] = SLIPS[choices.below(SLIPS.len())].to_owned(),
        }
    }
    lines
}

/// What stands in a text, or in a fence or thinking of it.
fn part(choices: &mut Choices<'_>, inside: bool, lines: &mut Vec<String>) {
    match choices.below(if inside { 5 } else { 7 }) {
        0 => lines.push(PROSE[choices.below(PROSE.len())].to_owned()),
        1 | 2 => lines.extend(pretty(choices)),
        3 => {
            // What stands alone on its line counts for that, which a prefix need not show: it is one that counts
            // anywhere.
            let value = document(choices, 1);
            lines.push(format!("{{\"v\":{value}}}"));
        }
        4 => {
            let text = document(choices, 4);
            lines.push(format!("{{\"type\":\"text\",\"text\":{text}}}"));
        }
        _ => {
            let opening = OPENINGS[choices.below(OPENINGS.len())];
            lines.push(opening.to_owned());
            for _ in 0..choices.below(3) {
                part(choices, true, lines);
            }
            let marks = opening.trim_start_matches(['-', ' ']);
            let byte = marks.as_bytes()[0];
            let marks = marks.bytes().take_while(|&mark| mark == byte).count();
            if choices.below(4) > 0 {
                lines.push(char::from(byte).to_string().repeat(marks));
            }
        }
    }
}

/// A text of some parts, which may begin with thinking.
fn text(choices: &mut Choices<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    if choices.below(4) == 1 {
        lines.push("<think>".to_owned());
        for _ in 0..choices.below(3) {
            part(choices, true, &mut lines);
        }
        if choices.below(4) > 0 {
            lines.push("</think>".to_owned());
        }
    }
    for _ in 0..1 + choices.below(4) {
        part(choices, false, &mut lines);
    }
    // What two lines have before an opening is a prefix itself.
    let mut labels = Vec::new();
    lines.retain(|line| {
        let before = line.split(['{', '[', '`', '~']).next();
        let label = before.unwrap_or_default().trim().to_owned();
        let opens = label.len() < line.trim().len() && !label.contains('"');
        let again = opens && !label.is_empty() && labels.contains(&label);
        labels.push(label);
        !again
    });
    // The next line shows what is the prefix.
    lines.push("end".to_owned());
    lines
}

/// A text gives the same documents and faults after a prefix as alone, however it is cut.
pub fn property(data: &[u8]) {
    let mut choices = Choices(data);
    let prefix = PREFIXES[choices.below(PREFIXES.len())];
    let lines = text(&mut choices);
    let (cuts, _) = choices.cuts();
    let options = FindOptions {
        string: false,
        whole: false,
        ..FindOptions::default()
    };
    let put = |prefix: &str| -> String {
        let line = |(number, line): (usize, &String)| {
            let digit = (number % 10).to_string();
            format!("{}{line}\n", prefix.replace('#', &digit))
        };
        lines.iter().enumerate().map(line).collect()
    };
    let found = |text: &str, cuts: &[usize]| {
        let (reported, _) = read(text.as_bytes(), cuts, &options);
        let documents = reported.documents_by_line();
        let faults = reported.faults.into_iter();
        let faults: Vec<_> = faults
            .map(|fault| (fault.position.line, fault.kind, fault.reason, fault.fence))
            .collect();
        (documents, faults)
    };
    let after = put(prefix);
    let alone = found(&put(""), &[]);
    let whole = found(&after, &[]);
    // After a prefix, a record is given at once and no comma asks about its next line: a member there is headless.
    let is_early = |fault: &(u64, _, &str, _)| fault.2 == "a member follows the closing bracket";
    if !alone.1.iter().any(is_early) {
        assert_eq!(whole, alone, "{after}");
    }
    assert_eq!(found(&after, &cuts), whole, "{after}cut at {cuts:?}");
}
