//! The whole chain against serde_json: JSON that is made from choices, in noise that is made from choices, too. What is
//! found must be that JSON, all of it and no more, and JSON to that reader.

use jsift_find::finder::FindOptions;
use jsift_json::write::minify;
use serde_json::Value;

use super::chain::read;
use super::{Choices, shown};

/// Numbers at the edges of what readers hold.
const NUMBERS: [&str; 12] = [
    "0",
    "-0",
    "9007199254740993",
    "-9223372036854775808",
    "18446744073709551616",
    "1e400",
    "1E-400",
    "-1.5e+3",
    "0.1000000000000000055511151231257827",
    "5e-324",
    "123456789012345678901234567890",
    "1.7976931348623157e308",
];
/// Parts of strings, as they are spelled: all escapes, and what looks like structure, a fence or a log.
const SPELLINGS: [&str; 20] = [
    "a",
    "\\\"",
    "\\\\",
    "\\/",
    "\\b\\f\\n\\r\\t",
    "\\u0000",
    "\\u001f",
    "\\ud83d\\ude00",
    "\\uD800",
    "\\uffff",
    "é",
    "😀",
    "\u{2028}",
    "\u{7f}",
    "{",
    "]}",
    "[1,",
    "```json",
    "\\u007b",
    "app | ",
];
/// White space between tokens. A document has some of it, and may have a line of it.
const BLANKS: [&str; 6] = ["", " ", "\n", "\r\n", "\t", "\n  "];
/// Noise around documents, but closing brackets, which make parts of them: brackets that begin none, colours, prefixes,
/// markdown, line ends, and nothing.
const NOISE: [&str; 22] = [
    " ",
    "\n",
    "\r\n",
    "\r",
    "note: ",
    "2026-01-01T00:00:00.000Z INFO ",
    "[info] ",
    "[x](y) ",
    "{x} ",
    "it's 5\" wide\n",
    "\x1b[31m",
    "\x1b[0m",
    "\x1b]0;title\x07",
    "\x1b[2K",
    "- item\n",
    "> quote\n",
    "`code` ",
    "\u{feff}",
    "\0",
    "é ",
    "a,b:c ",
    "... ",
];

/// Writes any value as JSON.
struct Spelling<'c, 'd> {
    choices: &'c mut Choices<'d>,
    text: String,
    /// Values still to be spent, lest a text grows without end.
    left: usize,
}

impl Spelling<'_, '_> {
    fn pick(&mut self, of: &[&str]) {
        let at = self.choices.below(of.len());
        self.text.push_str(of[at]);
    }

    fn blank(&mut self) {
        if self.choices.below(4) == 1 {
            self.pick(&BLANKS);
        }
    }

    fn string(&mut self) {
        self.text.push('"');
        for _ in 0..self.choices.below(4) {
            self.pick(&SPELLINGS);
        }
        self.text.push('"');
    }

    fn value(&mut self, depth: usize) {
        self.left = self.left.saturating_sub(1);
        let kinds = if depth > 40 || self.left == 0 { 5 } else { 9 };
        match self.choices.below(kinds) {
            0 => self.text.push_str("null"),
            1 => self.text.push_str("true"),
            2 => self.text.push_str("false"),
            3 => self.pick(&NUMBERS),
            4 => self.string(),
            5 => self.nested(depth),
            6 | 7 => self.object(depth),
            _ => self.array(depth),
        }
    }

    /// Brackets in brackets, up to some hundred.
    fn nested(&mut self, depth: usize) {
        let levels = usize::from(self.choices.byte());
        for level in 0..levels {
            self.text
                .push_str(if level % 3 == 1 { "{\"\":" } else { "[" });
        }
        self.value(depth + 41);
        for level in (0..levels).rev() {
            self.text.push(if level % 3 == 1 { '}' } else { ']' });
        }
    }

    fn array(&mut self, depth: usize) {
        self.text.push('[');
        for at in 0..self.choices.below(5) {
            self.text.push_str(if at > 0 { "," } else { "" });
            self.blank();
            self.value(depth + 1);
            self.blank();
        }
        self.text.push(']');
    }

    fn object(&mut self, depth: usize) {
        self.text.push('{');
        for at in 0..self.choices.below(5) {
            self.text.push_str(if at > 0 { "," } else { "" });
            self.member(depth);
        }
        self.text.push('}');
    }

    fn member(&mut self, depth: usize) {
        self.blank();
        self.string();
        self.blank();
        self.text.push(':');
        self.blank();
        self.value(depth + 1);
        self.blank();
    }

    /// A document that counts wherever it stands: an object with a member.
    fn document(&mut self) {
        self.left = 64;
        self.text.push('{');
        self.member(0);
        if self.choices.below(2) == 1 {
            self.text.push(',');
            self.member(0);
        }
        self.text.push('}');
    }
}

/// Documents that are wrapped in noise, as they are spelled, and where each begins.
fn wrapped(choices: &mut Choices<'_>) -> (String, Vec<(usize, String)>) {
    // A word that begins no JSON: else a source of nothing but JSON would have scalars, too.
    let mut text = String::from("log: ");
    let mut documents = Vec::new();
    for _ in 0..=choices.below(4) {
        noise(choices, &mut text);
        let mut spelling = Spelling {
            choices,
            text: String::new(),
            left: 0,
        };
        spelling.document();
        let document = spelling.text;
        documents.push((text.len(), document.clone()));
        text.push_str(&document);
    }
    noise(choices, &mut text);
    (text, documents)
}

fn noise(choices: &mut Choices<'_>, text: &mut String) {
    for _ in 0..choices.below(5) {
        text.push_str(NOISE[choices.below(NOISE.len())]);
    }
}

/// The text of a value as another reader knows it, or nothing where that reader refuses it: lone surrogates and numbers
/// beyond what it can hold.
fn by_another(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

/// JSON in noise is found, in order, where it stands and as it stands; it means to another reader what it meant; and
/// nothing else is found.
pub fn property(data: &[u8]) {
    let mut choices = Choices(data);
    let (text, expected) = wrapped(&mut choices);
    let (cuts, _) = choices.cuts();
    let (reported, _) = read(text.as_bytes(), &cuts, &FindOptions::default());
    let found: Vec<(usize, &[u8])> = reported
        .documents
        .iter()
        .map(|(text, origin, ..)| (origin.position.offset as usize, &**text))
        .collect();
    let wanted: Vec<(usize, &[u8])> = expected
        .iter()
        .map(|(start, text)| (*start, text.as_bytes()))
        .collect();
    assert_eq!(found, wanted, "{}", shown(text.as_bytes()));
    assert!(reported.faults.is_empty(), "{:?}", reported.faults);
    for ((_, origin, ..), (start, document)) in reported.documents.iter().zip(&expected) {
        assert_eq!(origin.length as usize, document.len());
        let before = &text.as_bytes()[..*start];
        let feeds = before.iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!(origin.position.line as usize, feeds + 1);
        let compact = minify(document.as_bytes());
        let compact = std::str::from_utf8(&compact).unwrap_or_default();
        assert_eq!(by_another(compact), by_another(document), "{document}");
    }
}
