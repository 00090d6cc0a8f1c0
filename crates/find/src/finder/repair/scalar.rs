//! Converts numbers, also those of other languages, and cut literal names to JSON.

use crate::finder::literal_names;
use jsift_json::is_json;

/// Returns the literal of which the end of input has left only the beginning: `tru`, `n`.
pub(super) fn cut_literal(word: &str) -> Option<&'static str> {
    let cut = |name: &&str| !word.is_empty() && name.starts_with(word);
    literal_names::JSON.into_iter().find(cut)
}

/// Returns a number of JSON, JSON5, Python or Go as JSON writes it. `None` if the token is not a number, or JSON
/// cannot express it without a guess (`0123` is 123 in some languages and 83 in others).
pub(super) fn number(token: &str) -> Option<String> {
    let (sign, digits) = match token.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", token.strip_prefix('+').unwrap_or(token)),
    };
    if literal_names::json_for(digits.as_bytes()) == Some("null") {
        return Some("null".to_owned());
    }
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    if let Some(value) = radix(digits) {
        return Some(format!("{sign}{value}"));
    }
    let mut text = digits.replace('_', "");
    // An exponent without digits is left out: the end of input has cut it.
    let bare = text
        .trim_end_matches(['+', '-'])
        .trim_end_matches(['e', 'E'])
        .len();
    if text
        .get(bare..)
        .is_some_and(|tail| tail.starts_with(['e', 'E']))
    {
        text.truncate(bare);
    }
    if text.starts_with('.') {
        text.insert(0, '0');
    }
    if text.ends_with('.') {
        text.push('0');
    }
    let text = format!("{sign}{text}");
    is_json(text.as_bytes()).then_some(text)
}

/// Returns the value of `0x1F`, `0o17` and `0b101` as an integer.
fn radix(digits: &str) -> Option<u128> {
    let (prefix, rest) = digits.split_at_checked(2)?;
    let base = match prefix {
        "0x" | "0X" => 16,
        "0o" | "0O" => 8,
        "0b" | "0B" => 2,
        _ => return None,
    };
    u128::from_str_radix(&rest.replace('_', ""), base).ok()
}
