//! The finder against naive models of fences, of thinking, of parts and of prefixes, on texts of which each line is one
//! thing.

use jsift_find::document::{Document, Fault, Rank, Stage, Visitor};
use jsift_find::finder::{FindOptions, Finder};
use jsift_json::is_json;
use proptest::prelude::*;
use proptest::sample::select;

/// The documents that count, as they came, with whether a fence has them, and the number of faults.
#[derive(Debug, Default, PartialEq)]
struct Found {
    documents: Vec<(String, bool)>,
    faults: usize,
}

impl Visitor for Found {
    fn document(&mut self, document: Document<'_>) {
        if document.rank != Rank::Weak {
            let text = String::from_utf8_lossy(document.text).into_owned();
            self.documents
                .push((text, document.stage() == Stage::Fence));
        }
    }
    fn fault(&mut self, _: Fault) {
        self.faults += 1;
    }
    fn thinking_ended(&mut self) {
        *self = Self::default();
    }
}

fn found(text: &str) -> Found {
    let mut found = Found::default();
    let mut finder = Finder::new(FindOptions::default());
    finder.push(text.as_bytes(), &mut found);
    finder.finish(&mut found);
    found
}

/// The lines of a fence: its opening marks, its content, its closing marks.
fn fence() -> impl Strategy<Value = Vec<&'static str>> {
    let marks = select(vec![("```", "```"), ("~~~~", "~~~~~"), ("````", "````")]);
    let info = select(vec![
        "",
        "json",
        "JSON",
        "jsonl",
        "python",
        "json5 x=1",
        "text",
    ]);
    let line = select(vec![
        "{\"a\":1}",
        "[1, {\"b\": \"```\"}]",
        "",
        "  ",
        "x = 1",
        "{\"c\":\"~~~~ json\"}",
    ]);
    (marks, info, prop::collection::vec(line, 0..4)).prop_map(|((open, close), info, content)| {
        let open: &'static str = Box::leak(format!("{open}{info}").into_boxed_str());
        [vec![open], content, vec![close, "so"]].concat()
    })
}

/// Fences line by line: a fence has the documents of its first lines, if it announces JSON or they are all of it;
/// others are text. A fence that announces JSON is at fault if it begins with none.
fn fences(lines: &[&str]) -> Found {
    let (mut found, mut open) = (Found::default(), None::<(&str, Vec<&str>)>);
    for line in lines {
        let marks = line.len() - line.trim_start_matches(['`', '~']).len();
        match &mut open {
            None if marks >= 3 => open = Some((line, Vec::new())),
            Some((opening, content))
                if marks == line.len()
                    && line.starts_with(opening.trim_end_matches(|byte| !"`~".contains(byte))) =>
            {
                let word = opening.trim_start_matches(['`', '~']).to_lowercase();
                let json = |line: &&str| is_json(line.as_bytes());
                let sound = content.iter().take_while(|line| json(line)).count();
                let has = word.starts_with("json") || sound == content.len();
                for (at, line) in content.iter().enumerate().filter(|(_, line)| json(line)) {
                    found
                        .documents
                        .push(((*line).to_owned(), has && at < sound));
                }
                found.faults += usize::from(word.starts_with("json") && sound == 0);
                open = None;
            }
            Some((_, content)) if !line.trim().is_empty() => content.push(line),
            _ => {}
        }
    }
    found
}

/// Tags that close thinking that the prompt may have opened.
const CLOSING: [&str; 4] = ["</think>", "</thinking>", "</REASONING>", "[/THINK]"];

/// Thinking: what follows the first closing mark that is not quoted counts; all of it, if there is none.
fn answer<'t>(lines: &[&'t str]) -> Vec<&'t str> {
    let closes = |line: &&str| CLOSING.iter().any(|tag| line.ends_with(tag));
    let end = lines.iter().position(closes);
    let after = lines.iter().skip(end.map_or(0, |end| end + 1));
    let documents = after.filter(|line| line.starts_with('{'));
    documents.copied().collect()
}

/// A value with containers in it, each with members or elements.
fn value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = select(vec!["1", "\"x\"", "\"} {\"", "null", "-2.5"]);
    let leaf = leaf.prop_map(|text| serde_json::from_str(text).unwrap());
    let inner = leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(serde_json::Value::from),
            prop::collection::vec(inner, 1..4).prop_map(|all| {
                let named = all.into_iter().enumerate();
                named.map(|(at, value)| (format!("m{at}"), value)).collect()
            }),
        ]
    });
    inner.prop_map(|inner| serde_json::json!({"id": 1, "body": inner, "last": [2]}))
}

proptest! {
    #[test]
    fn fences_are_those_of_a_naive_model(fences in prop::collection::vec(fence(), 1..4)) {
        let lines = fences.concat();
        let model = self::fences(&lines);
        prop_assert_eq!(found(&(lines.join("\n") + "\n")), model, "{:?}", lines);
    }

    #[test]
    fn the_answer_is_that_of_a_naive_model(
        (tag, end) in select(vec![
            ("", "</think>"),
            ("", "</thinking>"),
            ("", "done.</REASONING>"),
            ("<think>hm", "</think>"),
            ("\n<think>\n", "done.</think>"),
            ("[THINK]", "done.[/THINK]"),
        ]),
        thoughts in prop::collection::vec(select(vec!["well", "{\"a\":1}", "not `</think>` yet", "\"</think>\" is it", ""]), 0..4),
        answer in prop::collection::vec(select(vec!["so", "{\"b\":2}", "{\"c\":3}", ""]), 0..3),
    ) {
        let lines = [vec!["I think"; usize::from(tag.is_empty())], thoughts, vec![end], answer].concat();
        let text = format!("{tag}{}\n", lines.join("\n"));
        let documents = found(&text).documents;
        let texts: Vec<_> = documents.iter().map(|(text, _)| &**text).collect();
        prop_assert_eq!(texts, self::answer(&lines), "{}", text);
    }

    /// What is left of a document that lost its first lines holds no document, and the document after it is found.
    #[test]
    fn the_rest_of_a_document_holds_none(
        value in value(),
        lost in any::<prop::sample::Index>(),
        prefix in select(vec!["", "app | ", "2026-01-02T03:04:05Z [x] "]),
    ) {
        let lines = serde_json::to_string_pretty(&value).unwrap();
        let lines: Vec<_> = lines.lines().collect();
        let left = &lines[1 + lost.index(lines.len() - 1)..];
        let last = ["so", "{\"c\":3}", "so"];
        let text: String = left.iter().chain(&last).map(|line| format!("{prefix}{line}\n")).collect();
        let documents = found(&text).documents;
        prop_assert_eq!(documents, [("{\"c\":3}".to_owned(), false)], "{}", text);
    }

    /// The lines of a document after a prefix, with lines of others between them, are those of the document.
    #[test]
    fn lines_after_a_prefix_are_read_as_if_they_were_alone(
        value in value(),
        prefix in select(vec!["app | ", "[x] ", "2026-01-02T03:04:05Z "]),
        others in prop::collection::vec(any::<bool>(), 40),
    ) {
        let lines = serde_json::to_string_pretty(&value).unwrap();
        let mut text = String::new();
        for (at, line) in lines.lines().enumerate() {
            let other = others.get(at).is_some_and(|other| *other && at > 0);
            text += &format!("{prefix}{line}\n{}", if other { "db-1 | idle\n" } else { "" });
        }
        let documents = found(&text).documents;
        let read = |(text, _): &(String, bool)| serde_json::from_str(text).unwrap();
        let values: Vec<serde_json::Value> = documents.iter().map(read).collect();
        prop_assert_eq!(values, [value], "{}", text);
    }
}
