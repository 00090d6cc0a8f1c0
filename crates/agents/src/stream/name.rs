//! The name of a source in the prefix of its lines: `agent-1 |`, `[pod/a/app]`, a job and its step. Time stamps, levels
//! and the names of streams do not name a source.

use crate::dialect::names::{has_word_in_any_case, words};
use crate::syslog::after_priority;
use jsift_find::prefix::{
    Class, PREFIX_LIMIT, classify, is_address, is_stamp, is_stamp_part, stands_apart,
};
use jsift_json::cost;
use jsift_json::scan::clean;

/// The length of the longest name, in bytes.
const LONGEST_SOURCE: usize = 128;
/// Words that may precede the text of any source, and so do not name one.
const WORDS: &[&str] = words!(
    "trace debug info notice warn warning error err fatal critical stdout stderr stdin out in f p recv received \
     receive send sent request response notification event message data"
);

/// How a name is set off from the text after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameForm {
    /// `agent-1  | text`
    Bar,
    /// `[pod/a/app] text`
    Brackets,
    /// `job⇥step⇥text`
    Tab,
    /// In a way in which other text may be set off as well: `web: text`, `Got a record: text`.
    Loose,
}

/// The name of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceName {
    /// The name as it is in the source, with the mark after it.
    pub(super) text: Vec<u8>,
    form: NameForm,
}

impl SourceName {
    /// Returns the name in the text `left` of a document; `None` if nothing there names a source.
    pub(super) fn of(left: &[u8]) -> Option<Self> {
        let text = stable(left, usize::MAX);
        let (end, form) = if let Some(bar) = bar(&text) {
            (bar + 1, NameForm::Bar)
        } else if let Some(tab) = text.iter().position(|byte| *byte == b'\t') {
            // The step of a job may follow.
            let rest = text.get(tab + 1..).unwrap_or_default();
            let next = rest.iter().position(|byte| *byte == b'\t');
            (next.map_or(tab, |next| tab + 1 + next), NameForm::Tab)
        } else if text.starts_with(b"[") && without_words_after(&text).ends_with(b"]") {
            (text.len(), NameForm::Brackets)
        } else if let Some(end) = path_in_brackets(&text) {
            (end, NameForm::Brackets)
        } else if stands_apart(left) {
            (text.len(), NameForm::Loose)
        } else {
            return None;
        };
        let text = without_words_after(text.get(..end)?);
        (1..=LONGEST_SOURCE).contains(&text.len()).then(|| Self {
            text: text.to_vec(),
            form,
        })
    }

    /// Whether the form of the name shows that it is one.
    pub(super) fn is_sure(&self) -> bool {
        self.form != NameForm::Loose
    }

    /// Whether both names are set off in the same way.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.form == other.form
    }

    /// Whether the two names may be line numbers or counters: `[12/40]`, `[line 12]`, `12 |`, `run.log:12:`, `1003
    /// [main] App`.
    pub(super) fn counts_on(&self, other: &Self) -> bool {
        let is_word = self.text.iter().any(u8::is_ascii_alphabetic);
        let is_line = self.form == NameForm::Brackets && self.text.contains(&b' ');
        let is_address = self.text.split(u8::is_ascii_whitespace).any(is_address);
        if is_address || is_word && !is_line && !self.is_numbered() {
            return false;
        }
        is_same_but_for_digits(&self.text, &other.text)
    }

    /// Whether the name begins with a number, as log4j writes milliseconds (`1003 [main] App -`), or ends with a line
    /// number, as `grep -n` writes it (`run.log:12:`).
    fn is_numbered(&self) -> bool {
        let (number, after) = split(self.text.trim_ascii_start(), |byte| !byte.is_ascii_digit());
        if !number.is_empty() && after.first().is_some_and(u8::is_ascii_whitespace) {
            return true;
        }
        let mut fields = self.text.rsplit(|byte| *byte == b':');
        let number = fields.nth(1).filter(|number| !number.is_empty());
        number.is_some_and(|number| number.iter().all(u8::is_ascii_digit))
            && self.text.ends_with(b":")
            && fields.next().is_some()
    }

    /// Whether a [stable] text begins with the name.
    pub(super) fn begins(&self, stable: &[u8]) -> bool {
        let after = stable.strip_prefix(&*self.text);
        after.is_some_and(|after| !after.first().is_some_and(u8::is_ascii_alphanumeric))
    }

    /// Whether the name is a word that the record itself contains as a string: `[message] {"type":"message"…`.
    pub(super) fn is_string_in(&self, record: &[u8]) -> bool {
        let word = self.text.trim_ascii();
        let word = word.strip_prefix(b"[").unwrap_or(word);
        let word = word.strip_suffix(b"]").unwrap_or(word);
        let quoted = [b"\"", word, b"\""].concat();
        memchr::memmem::find(record, &quoted).is_some()
    }
}

/// Returns the first `most` bytes of what the lines of a source have in common at their beginning: the line without
/// time stamps, and without the words before a name that name nothing.
pub(super) fn stable(line: &[u8], most: usize) -> Vec<u8> {
    let line = clean(line.get(..PREFIX_LIMIT).unwrap_or(line));
    cost::look_at(line.len());
    let mut kept = Vec::with_capacity(line.len());
    let line = after_priority(&line).unwrap_or(&line);
    // A time stamp is within one word, since it has no blanks.
    for word in line.split_inclusive(u8::is_ascii_whitespace) {
        let is_first = kept.is_empty();
        let has_digit = word.iter().any(u8::is_ascii_digit);
        let mut rest = word;
        while has_digit && !rest.is_empty() {
            let (run, after) = split(rest, |byte| !is_stamp_part(*byte));
            let (plain, after) = split(after, |byte| is_stamp_part(*byte));
            if !is_stamp(run) {
                kept.extend_from_slice(run);
            }
            kept.extend_from_slice(plain);
            rest = after;
        }
        kept.extend_from_slice(rest);
        if is_first && !says(kept.trim_ascii()) {
            kept.clear();
        }
        if kept.len() >= most {
            break;
        }
    }
    kept.truncate(most);
    kept
}

/// Splits a text before the first byte for which `is_it` is true.
fn split(text: &[u8], is_it: impl Fn(&u8) -> bool) -> (&[u8], &[u8]) {
    text.split_at(text.iter().position(is_it).unwrap_or(text.len()))
}

/// A text before records, to be compared with other texts except for the digits of its time stamps.
#[derive(Debug)]
pub(super) struct Stamped {
    pub(super) text: Vec<u8>,
    classes: Vec<Class>,
}

impl Stamped {
    pub(super) fn of(text: &[u8]) -> Self {
        Self {
            text: text.to_vec(),
            classes: classify(text),
        }
    }

    pub(super) fn has_stamp(&self) -> bool {
        self.classes.contains(&Class::Stamp)
    }

    /// Whether another text differs at most in the digits of the time stamps, so that both have the same [stable] text.
    pub(super) fn is(&self, other: &[u8]) -> bool {
        let bytes = self.text.iter().zip(other).zip(&self.classes);
        // Without a branch for each byte, many are compared at once.
        self.text.len() == other.len()
            && bytes.fold(true, |same, ((one, other), class)| {
                let is_changed = (*class == Class::Stamp) & other.is_ascii_digit();
                same & ((one == other) | is_changed)
            })
    }

    /// Returns the rest of a line that starts with the text; `None` if it does not.
    pub(super) fn after<'t>(&self, line: &'t [u8]) -> Option<&'t [u8]> {
        let (text, after) = line.split_at_checked(self.text.len())?;
        self.is(text).then_some(after)
    }
}

/// Whether two texts differ in nothing but digits, of which either may have more.
pub(super) fn is_same_but_for_digits(one: &[u8], other: &[u8]) -> bool {
    let [one, other] = [one, other].map(|text| text.iter().filter(|byte| !byte.is_ascii_digit()));
    one.eq(other)
}

/// Whether a word names something.
fn says(word: &[u8]) -> bool {
    let is_sign = |byte: &u8| byte.is_ascii_punctuation();
    let (first, last) = (
        word.iter().position(|byte| !is_sign(byte)),
        word.iter().rposition(|byte| !is_sign(byte)),
    );
    let core = first
        .zip(last)
        .and_then(|(first, last)| word.get(first..=last));
    core.is_some_and(|core| !has_word_in_any_case(WORDS, core))
}

fn without_words_after(mut text: &[u8]) -> &[u8] {
    loop {
        text = text.trim_ascii_end();
        let start = text.iter().rposition(u8::is_ascii_whitespace);
        let (before, word) = text.split_at(start.map_or(0, |start| start + 1));
        // A number in a field of its own is a line number: `worker: 12: `.
        let is_number =
            word.ends_with(b":") && word.iter().all(|byte| b"0123456789:".contains(byte));
        let counts = is_number && before.trim_ascii_end().ends_with(b":");
        if word.is_empty() || word == b"|" || (says(word) && !counts) {
            return text;
        }
        text = before;
    }
}

/// Returns the index of the bar after the name of a source, that is the first one before white space or the end; of a
/// source within another one (`host | app-1  | `), of the bar after both names.
fn bar(text: &[u8]) -> Option<usize> {
    let ends = |at: &usize| text.get(at + 1).is_none_or(u8::is_ascii_whitespace);
    let mut bars = memchr::memchr_iter(b'|', text).filter(ends);
    let first = bars.next()?;
    let is_name = |field: Option<&[u8]>| {
        let field = field.unwrap_or_default().trim_ascii();
        let is_word = !field.iter().any(u8::is_ascii_whitespace);
        is_word && field.iter().any(u8::is_ascii_alphabetic) && says(field)
    };
    let mut last = first;
    let mut start = 0;
    for bar in bars {
        if !is_name(text.get(start..last)) || !is_name(text.get(last + 1..bar)) {
            break;
        }
        (start, last) = (last + 1, bar);
    }
    Some(last)
}

/// Returns the end of the path in brackets with which a text begins, as `kubectl logs --prefix` names a container:
/// `[pod/a/app] text`.
fn path_in_brackets(text: &[u8]) -> Option<usize> {
    let end = memchr::memchr(b']', text).filter(|_| text.starts_with(b"["))?;
    let path = text.get(1..end)?;
    let is_path = path.contains(&b'/') && path.first().is_some_and(u8::is_ascii_alphabetic);
    (is_path && !path.iter().any(u8::is_ascii_whitespace)).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::{SourceName, stable};

    fn name(left: &str) -> Option<String> {
        let name = SourceName::of(left.as_bytes())?;
        Some(String::from_utf8_lossy(&name.text).into_owned())
    }

    #[test]
    fn a_source_is_named_by_what_stays() {
        for (left, expected) in [
            ("agent-1  | ", "agent-1  |"),
            ("\x1b[36magent-1  | \x1b[0m", "agent-1  |"),
            ("12:00:01 web.1  | ", "web.1  |"),
            ("host | app-1  | ", "host | app-1  |"),
            ("host | app-1  | Error of api: ", "host | app-1  |"),
            ("[pod/x/app] Error of api: ", "[pod/x/app]"),
            ("10.0.0.1:8080 ", "10.0.0.1:8080"),
            ("app-1  | INFO | ", "app-1  |"),
            ("app-1  | 12 | ", "app-1  |"),
            ("app-1  | see me | ", "app-1  |"),
            ("agent-1  | 2026-01-02T03:04:05.678Z INFO ", "agent-1  |"),
            ("[pod/agent-7f9c4/app] ", "[pod/agent-7f9c4/app]"),
            ("[pod/a/app] 2026-01-02T03:04:05.678901234Z ", "[pod/a/app]"),
            ("[2026-01-02T03:04:05.678Z] [linux] ", "[linux]"),
            (
                "build (1)\tRun agent\t2026-01-02T03:04:05.6789012Z ",
                "build (1)\tRun agent",
            ),
            ("linux\t", "linux"),
            ("[pod/a/app] data: ", "[pod/a/app]"),
            ("[0] ", "[0]"),
            ("web:dev: ", "web:dev:"),
            ("<13>app: ", "app:"),
            ("<165>1 2026-01-02T03:04:05Z host app ", "1  host app"),
            ("worker: 12: ", "worker:"),
            ("agent 1: ", "agent 1:"),
            ("pod-a app ", "pod-a app"),
        ] {
            assert_eq!(name(left).as_deref(), Some(expected), "{left}");
        }
        for left in [
            "",
            "  ",
            "2026-01-02T03:04:05Z ",
            "[INFO] ",
            "12:00:01 ERROR: ",
            "--> ",
            "recv: ",
            "done",
            "see {\"b",
        ] {
            assert_eq!(name(left), None, "{left}");
        }
    }

    #[test]
    fn the_beginning_of_what_is_stable_is_that_of_all_of_it() {
        for line in [
            "12:00:01 INFO agent-1 | 2026-01-02T03:04:05.678Z Error: 4.5",
            "\x1b[36m[2026-01-02T03:04:05Z] [a12:00:01b] 10.0.0.1 \x1b[0m",
            "build (1)\tRun 1.5 agents\t2026-01-02T03:04:05.6789012Z ",
            "",
            " 12:00:01 ",
        ] {
            let all = stable(line.as_bytes(), usize::MAX);
            for most in 0..=line.len() {
                let begin = &all[..most.min(all.len())];
                assert_eq!(stable(line.as_bytes(), most), begin, "{line}");
            }
        }
    }

    #[test]
    fn a_line_begins_with_the_name_of_its_source() {
        let begins = |name: &str, line: &str| {
            SourceName::of(name.as_bytes())
                .is_some_and(|name| name.begins(&stable(line.as_bytes(), usize::MAX)))
        };
        assert!(begins("a | ", "a | Error: 401"));
        assert!(begins("12:00:01 a | ", "12:00:09 a | Error: 401"));
        assert!(begins(
            "[pod/a/app] ",
            "[pod/a/app] 2026-01-02T03:04:05Z Error: 401"
        ));
        assert!(begins("a\tb\t", "a\tb\tError"));
        assert!(!begins("a\t", "ab\tError"));
        assert!(!begins("a | ", "b | Error: 401"));
    }
}
