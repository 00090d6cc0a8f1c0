//! A value that other values are compared with.

use std::collections::BTreeSet;
use std::fmt;

use jsift_json::is_json;
use jsift_json::view::{Key, Kind, Value};

/// The largest number of brackets in a value that is compared.
pub const DEPTH: usize = 128;

/// A JSON value to compare with: numbers are compared by value, objects without regard to the order of members.
///
/// ```
/// use jsift_find::choose::expected::Expected;
/// use jsift_json::view::Value;
///
/// assert!(Expected::parse("3").equals(Value::new(b"3.0")));
/// assert!(Expected::parse("error").equals(Value::new(b"\"error\"")));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// The value as JSON.
    text: String,
}

impl Expected {
    /// Reads a value: JSON, or any other text as a string.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let trimmed = text.trim();
        let deep = trimmed.bytes().filter(|byte| matches!(byte, b'[' | b'{'));
        match is_json(trimmed.as_bytes()) && deep.count() <= DEPTH {
            true => Self {
                text: trimmed.to_owned(),
            },
            false => Self {
                text: serde_json::Value::from(text).to_string(),
            },
        }
    }

    /// Whether a value equals this one.
    #[must_use]
    pub fn equals(&self, value: Value<'_>) -> bool {
        equal(Value::new(self.text.as_bytes()), value)
    }
}

/// Compares two values. Recurses at most as deep as the first one.
fn equal(a: Value<'_>, b: Value<'_>) -> bool {
    if a.kind() != b.kind() {
        return false;
    }
    match a.kind() {
        Kind::Null => true,
        Kind::Boolean => a.raw() == b.raw(),
        Kind::String => a.text() == b.text(),
        Kind::Number => decimal(a.raw()) == decimal(b.raw()),
        Kind::Array => {
            let (mut others, mut all) = (b.elements(), true);
            for element in a.elements() {
                all &= others.next().is_some_and(|other| equal(element, other));
            }
            all && others.next().is_none()
        }
        Kind::Object => {
            let names = |object: Value<'_>| -> BTreeSet<Vec<u8>> {
                let names = object.members();
                names
                    .map(|(name, _)| name.text().as_bytes().to_vec())
                    .collect()
            };
            let same = |(name, _): (Key<'_>, _)| {
                let name = name.text().to_string_lossy().into_owned();
                let pair = a.get(&name).zip(b.get(&name));
                pair.is_some_and(|(a, b)| equal(a, b))
            };
            names(a) == names(b) && a.members().all(same)
        }
    }
}

/// Returns a number as its sign, its digits without leading and trailing zeros, and the power of ten of its last digit.
fn decimal(number: &[u8]) -> Option<(bool, Vec<u8>, i64)> {
    let text = std::str::from_utf8(number).ok()?;
    let (negative, text) = match text.strip_prefix('-') {
        Some(text) => (true, text),
        None => (false, text),
    };
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    let significant = digits.trim_end_matches('0');
    let zeros = i64::try_from(digits.len() - significant.len()).ok()?;
    let places = i64::try_from(fraction.len()).ok()?;
    let digits = significant.trim_start_matches('0').as_bytes().to_vec();
    match digits.is_empty() {
        true => Some((false, digits, 0)),
        // Exponents that are too large for an integer are all equal.
        false => {
            let exponent = exponent.parse().unwrap_or(i64::MAX);
            let last = exponent.saturating_sub(places).saturating_add(zeros);
            Some((negative, digits, last))
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::Expected;
    use jsift_json::view::Value;

    #[test]
    fn values_are_compared_by_what_they_are() {
        for (wanted, same, others) in [
            (
                "error",
                &[r#""error""#, r#""err\u006fr""#][..],
                &["\"Error\"", "null"][..],
            ),
            ("\"3\"", &["\"3\""], &["3"]),
            (
                "3",
                &["3", "3.0", "3e0", "0.3E+1", "300e-2"],
                &["\"3\"", "-3", "30", "3.01"],
            ),
            ("-0", &["0", "0.0", "-0e5"], &["1"]),
            (
                "9007199254740993",
                &["9007199254740993.0"],
                &["9007199254740992"],
            ),
            ("1e400", &["10e399"], &["1e401"]),
            (
                "1e99999999999999999999",
                &["1e99999999999999999999"],
                &["1"],
            ),
            ("true", &["true"], &["false", "\"true\""]),
            ("null", &["null"], &["{}"]),
            ("", &["\"\""], &["null"]),
            (
                r#"{"a":1,"b":[1,{"c":null}]}"#,
                &[
                    r#"{"b":[1.0,{"c":null}],"a":1}"#,
                    r#"{"a":2,"b":[1,{"c":null}],"\u0061":1}"#,
                ],
                &[
                    r#"{"a":1}"#,
                    r#"{"a":1,"b":[1,{"c":null}],"d":2}"#,
                    r#"{"a":1,"b":[1]}"#,
                ],
            ),
            ("[1,2]", &["[ 1, 2 ]"], &["[2,1]", "[1]", "[1,2,3]"]),
            ("[1,", &["\"[1,\""], &["[1]"]),
        ] {
            let wanted = Expected::parse(wanted);
            for value in same {
                assert!(
                    wanted.equals(Value::new(value.as_bytes())),
                    "{wanted} {value}"
                );
            }
            for value in others {
                assert!(
                    !wanted.equals(Value::new(value.as_bytes())),
                    "{wanted} {value}"
                );
            }
        }
    }

    #[test]
    fn what_is_too_deep_is_a_string() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        let wanted = Expected::parse(&deep);
        assert!(!wanted.equals(Value::new(deep.as_bytes())));
        assert!(!Expected::parse("[[]]").equals(Value::new(deep.as_bytes())));
    }
}
