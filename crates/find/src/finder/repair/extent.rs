//! How far text goes that is almost JSON, and what tells it from a stray bracket: the tolerant reader reads it to its
//! closing bracket, and neither leaves text out nor takes words for members.

use super::change::RepairChange;
use super::reader::{Next, TolerantReader};
use super::text::CandidateText;
use super::unescape;
use super::view::Decoded;

/// How many strings may be searched to the end of the text for where they end.
const SEARCHES: u32 = 1;

/// How far text goes that is almost JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// To the bracket that closes the first one; this many bytes.
    Closed(usize),
    /// To the end of the text, where brackets are still open.
    Open,
    /// Nowhere: its bracket is a stray one.
    None,
}

/// Returns how far text goes that starts with a bracket which strict JSON cannot take. `is_all` says whether the input
/// ends with the text.
pub(crate) fn extent(text: &[u8], is_all: bool) -> Extent {
    let decoded = Decoded::new(text);
    match extent_unescaped(CandidateText(&decoded.text), is_all) {
        Extent::Closed(end) => Extent::Closed(decoded.in_bytes(end)),
        other => other,
    }
}

/// Returns how far text goes that may stand in a string, or in a string in one.
fn extent_unescaped(text: CandidateText<'_>, is_all: bool) -> Extent {
    if !unescape::is_escaped(text, 1) {
        return extent_of(text, is_all);
    }
    let (inner, end) = unescape::unescape(text, 0, usize::MAX);
    match extent_unescaped(CandidateText(&inner), is_all) {
        Extent::Closed(length) => Extent::Closed(unescape::unescape(text, 0, length).1),
        Extent::Open if end < text.len() => Extent::Closed(end),
        other => other,
    }
}

fn extent_of(text: CandidateText<'_>, is_all: bool) -> Extent {
    let mut searches = SEARCHES;
    let mut reader = TolerantReader::new(text, 0, &mut searches);
    let mut next = Next::Value;
    while next != Next::End {
        next = reader.step(next);
        if reader.stack.len() > super::reader::DEPTH || is_other_text(&reader) {
            return Extent::None;
        }
    }
    // Values in braces without a name: a set, or the fields of a structure.
    let is_nameless = text.0.starts_with('{') && !reader.named;
    match reader.stack.is_empty() {
        true if is_nameless => Extent::None,
        // Only the end of the input shows that a string ended which is not closed.
        true if *reader.searches < SEARCHES && !is_all => Extent::Open,
        // A member after the comma shows that the bracket closes nothing.
        true if ends_with_comma(text.0.get(reader.at..)) && !is_all => Extent::Open,
        true => Extent::Closed(reader.at),
        false if reader.at < text.0.trim_end().len() => Extent::None,
        false => Extent::Open,
    }
}

/// Whether a text is nothing but a comma, blanks and closing brackets.
fn ends_with_comma(text: Option<&str>) -> bool {
    let aside = |c: char| c.is_whitespace() || matches!(c, '}' | ']');
    text.is_some_and(|text| text.trim_matches(aside) == ",")
}

/// Whether what was changed shows that the text is a sentence or a program.
fn is_other_text(reader: &TolerantReader<'_>) -> bool {
    use RepairChange::{
        Bare, Bracket, Colon, Control, Dropped, Equals, InnerQuote, Separator, Wrapper,
    };
    let has = |change| reader.changes.has(change);
    // Programs assign what is in brackets, too: `x = {"a": 1};`, `x = f({"a": 1})`.
    let assigns = has(Equals) && (has(Separator) || has(Wrapper));
    has(Dropped)
        || has(Bare) && (has(Colon) || has(Bracket) || assigns)
        || has(InnerQuote) && has(Control)
}

#[cfg(test)]
mod tests {
    use super::{Extent, extent};

    #[test]
    fn almost_json_goes_to_its_closing_bracket() {
        for text in [
            "{\n// c\n\"a\": {\"b\": 1}\n}",
            "{'verdict': 'reject', 'lines': [3, 4]}",
            "{xa\": {\"b\": 1}, \"c\": 2}",
            "{\"a\" {\"b\": 1}}",
            "{\u{a0}\"a\": {\"b\": 1}}",
            "[None, {\"a\": 1}]",
            "{a: 1, b: {\"c\": 1}}",
            "{\\n  \"a\": {\"b\": 1},\\n  \"c\": \"x\\\\ny\"\\n}",
            "[\n  {\n  {\n    \"id\": 1\n  }\n]",
            "{tasks = {\"id\": 1}}",
            "{tasks => {\"id\": 1}, n => 2}",
            "{\n  a = {\"b\": 1}\n  c = 2\n}",
            "{name: \"x\", meta: {\"a\" => [{\"b\" => 1}], list: [1, 2]}}",
            "{my key: {\"id\": 1}}",
            "{@tasks: {\"id\": 1}}",
            "{ tasks” : {\"id\": 1}}",
        ] {
            let found = extent(format!("{text}\n{{\"d\": 1}}\n").as_bytes(), false);
            assert_eq!(found, Extent::Closed(text.len()), "{text}");
        }
    }

    #[test]
    fn programs_and_sentences_are_none() {
        for text in [
            "{\n  log({\"a\": 1});\n}\n",
            "{\n  return {\"a\": 1};\n}\n",
            "{\n  const x = {\"a\": 1};\n  f(x);\n}\n",
            "{ echo {\"a\":1}; }\n",
            "[see {\"a\":1} for details]\n",
            "{\n  foo {\"a\":1}\n  bar {\"b\":2}\n}\n",
            "{ x = {\"a\":1}; f(x) }\n",
            "{\n  x = {\"a\":1}\n  f(x)\n}\n",
            "{\n  x = {\"a\":1};\n}\n",
            "{\n  x = f({\"a\":1})\n}\n",
            "{\n  x := {\"a\":1}\n}\n",
            "{\n  x={\"a\":1}\n  echo $x\n}\n",
            "{\n  let x = {\"a\":1}\n}\n",
            "{ a == {\"b\":1} }\n",
            "{`{\"a\": {\"b\":1}}`, nil},\n",
            "{'{\"a\": 1}', 'b'}\n",
        ] {
            assert_eq!(extent(text.as_bytes(), true), Extent::None, "{text}");
        }
        assert_eq!(extent(b"{\n// c\n\"a\": {\"b\": 1},\n", true), Extent::Open);
    }

    #[test]
    fn a_bracket_before_a_comma_closes_the_object_if_no_member_follows() {
        let text = b"{\n// c\n\"a\": {\"b\": 1}\n},\n";
        assert_eq!(extent(text, false), Extent::Open);
        assert_eq!(extent(text, true), Extent::Closed(22));
        let with = |next: &[u8]| extent(&[text, next].concat(), false);
        assert_eq!(with(b"\"c\": 1\n"), Extent::Open);
        assert_eq!(with(b"end\n"), Extent::Closed(22));
    }

    #[test]
    fn a_string_that_is_not_closed_ends_at_the_end_of_the_input() {
        let text = b"{\"a\": \"b\n}\n";
        assert_eq!(extent(text, false), Extent::Open);
        assert_eq!(extent(text, true), Extent::Closed(10));
    }
}
