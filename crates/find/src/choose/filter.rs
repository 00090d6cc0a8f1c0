//! Which documents a caller accepts: `--type`, `--require` and `--schema`.
//!
//! A filter comes after the finder: documents that fail it are skipped, and if none is left, the closest one provides
//! the reason.

use std::cmp::Ordering;
use std::fmt;

use super::expected::Expected;
use super::schema::Schema;
use jsift_json::pointer::Pointer;
use jsift_json::view::{Kind, Value};

/// The longest value that a message shows, in bytes.
const SHOWN: usize = 40;

/// The conditions for a document.
#[derive(Debug, Default)]
pub struct Filter {
    /// The accepted kinds of values; empty accepts all.
    pub kinds: Vec<Kind>,
    /// The values that it must have.
    pub required: Vec<Required>,
    /// The schema that it must conform to.
    pub schema: Option<Schema>,
}

/// A value that a document must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Required {
    /// The place of the value in the document.
    pub pointer: Pointer,
    /// The value; `None` accepts any.
    pub value: Option<Expected>,
}

/// Why a document failed a filter. The order is the distance from passing: a lesser mismatch is closer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The document's kind, if it is not accepted, and the accepted kinds.
    kind: Option<(Kind, Vec<Kind>)>,
    /// The required values that the document lacks, each with the other value found in its place, as JSON.
    missing: Vec<(Required, Option<String>)>,
    /// How the document violates the schema.
    violations: Option<Violations>,
}

/// How a document violates a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(
    not(feature = "schema"),
    expect(dead_code, reason = "without schemas there is nothing to violate")
)]
pub(super) enum Violations {
    /// The document could not be checked, for this reason.
    Unchecked(String),
    /// It was checked.
    Found {
        /// The first violations, each with its place in the document.
        named: Vec<String>,
        /// The number of violations.
        count: usize,
    },
}

/// How deeply nested a document may be to be checked against a schema: the most that the schema's parser reads.
pub const DEPTH: usize = 127;

impl Filter {
    /// Whether every document passes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.kinds.is_empty() && self.required.is_empty() && self.schema.is_none()
    }

    /// Checks a document, which is valid JSON.
    ///
    /// # Errors
    ///
    /// Returns why the document does not pass.
    pub fn check(&self, document: &[u8]) -> Result<(), Mismatch> {
        let value = Value::new(document);
        let kind = value.kind();
        let wanted = self.kinds.is_empty() || self.kinds.contains(&kind);
        let missing = self.required.iter().filter_map(|required| {
            let found = required.pointer.find(value);
            (!required.is_met(found)).then(|| (required.clone(), found.map(shown)))
        });
        let mismatch = Mismatch {
            kind: (!wanted).then(|| (kind, self.kinds.clone())),
            missing: missing.collect(),
            violations: self
                .schema
                .as_ref()
                .and_then(|schema| schema.check(document).err()),
        };
        let passes = mismatch.distance() == (false, 0);
        if passes { Ok(()) } else { Err(mismatch) }
    }
}

impl Required {
    /// Whether what a document has in the place is what is required.
    pub(super) fn is_met(&self, found: Option<Value<'_>>) -> bool {
        found.is_some_and(|found| {
            let expected = self.value.as_ref();
            expected.is_none_or(|expected| expected.equals(found))
        })
    }
}

impl Mismatch {
    /// Returns how far the document is from passing: whether its kind is not accepted, and how many things are wrong
    /// with it.
    fn distance(&self) -> (bool, usize) {
        let violations = match &self.violations {
            None => 0,
            Some(Violations::Unchecked(_)) => usize::MAX,
            Some(Violations::Found { count, .. }) => *count,
        };
        (
            self.kind.is_some(),
            self.missing.len().saturating_add(violations),
        )
    }
}

impl PartialOrd for Mismatch {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let order = self.distance().cmp(&other.distance());
        // Two mismatches at the same distance need not be equal.
        (order != Ordering::Equal || self == other).then_some(order)
    }
}

impl Mismatch {
    /// Keeps this mismatch in `closest`, if it is closer to passing than that.
    pub(crate) fn keep_closest(self, closest: &mut Option<Self>) {
        if closest.as_ref().is_none_or(|closest| self < *closest) {
            *closest = Some(self);
        }
    }
}

impl fmt::Display for Mismatch {
    /// Writes one line:
    /// `it is an array and not an object; /status is missing; /n: "x" is not of type "integer"; and 2 more`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut reasons = Vec::new();
        if let Some((kind, wanted)) = &self.kind {
            let wanted: Vec<_> = wanted.iter().map(|kind| name(*kind)).collect();
            reasons.push(format!(
                "it is {} and not {}",
                name(*kind),
                wanted.join(" or ")
            ));
        }
        reasons.extend(self.missing.iter().map(|(required, found)| {
            let pointer = match required.pointer.to_string() {
                all if all.is_empty() => "the document".to_owned(),
                pointer => pointer,
            };
            match (found, &required.value) {
                (Some(found), Some(expected)) => format!("{pointer} is {found} and not {expected}"),
                _ => format!("{pointer} is missing"),
            }
        }));
        match &self.violations {
            None => {}
            Some(Violations::Unchecked(reason)) => reasons.push(reason.clone()),
            Some(Violations::Found { named, count }) => {
                reasons.extend_from_slice(named);
                let more = count - named.len();
                if more > 0 {
                    reasons.push(format!("and {more} more"));
                }
            }
        }
        f.write_str(&reasons.join("; "))
    }
}

/// Returns a value for a message: itself if it is short, or else its kind.
fn shown(value: Value<'_>) -> String {
    let text = value.compact();
    match std::str::from_utf8(&text) {
        Ok(text) if text.len() <= SHOWN => text.to_owned(),
        _ => {
            let name = name(value.kind());
            let noun = name.split_once(' ').map_or(name, |(_article, noun)| noun);
            format!("another {noun}")
        }
    }
}

/// Returns a kind of value, with its article.
const fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Object => "an object",
        Kind::Array => "an array",
        Kind::String => "a string",
        Kind::Number => "a number",
        Kind::Boolean => "a boolean",
        Kind::Null => "null",
    }
}

#[cfg(test)]
#[cfg(feature = "schema")]
mod tests {
    use super::{Expected, Filter, Required, Schema};
    use crate::choose::filter::DEPTH;
    use jsift_json::pointer::Pointer;
    use jsift_json::view::Kind;

    fn schema(text: &str) -> Filter {
        let schema = Schema::new(text.as_bytes(), |name| match name {
            "name.json" => Ok(br#"{"type": "string", "minLength": 2}"#.to_vec()),
            other => Err(format!("no file {other}")),
        });
        Filter {
            schema: Some(schema.expect("a valid schema")),
            ..Filter::default()
        }
    }

    fn required(pointers: &[&str]) -> Vec<Required> {
        let required = pointers.iter().map(|pointer| Required {
            pointer: Pointer::parse(pointer).unwrap(),
            value: None,
        });
        required.collect()
    }

    #[test]
    fn a_value_that_is_required_is_distinguished_from_others() {
        let wants = |pointer: &str, value: &str| Filter {
            required: vec![Required {
                pointer: Pointer::parse(pointer).unwrap(),
                value: Some(Expected::parse(value)),
            }],
            ..Filter::default()
        };
        let level = wants("level", "error");
        assert_eq!(level.check(br#"{"level":"err\u006fr"}"#), Ok(()));
        fails(&level, "{}", "/level is missing");
        fails(
            &level,
            r#"{"level":"info"}"#,
            r#"/level is "info" and not "error""#,
        );
        let long = format!(r#"{{"level":"{}"}}"#, "x".repeat(100));
        fails(&level, &long, r#"/level is another string and not "error""#);
        let long = format!(r#"{{"level":{}}}"#, "1".repeat(100));
        fails(&level, &long, r#"/level is another number and not "error""#);
        let long = format!(r#"{{"level":["{}"]}}"#, "x".repeat(100));
        fails(&level, &long, r#"/level is another array and not "error""#);
        assert_eq!(wants("/a/b", "3").check(br#"{"a":{"b":3.0}}"#), Ok(()));
        assert_eq!(wants("", "[]").check(b"[ ]"), Ok(()));
    }

    #[track_caller]
    fn fails(filter: &Filter, document: &str, why: &str) {
        let mismatch = filter
            .check(document.as_bytes())
            .expect_err("it is to fail");
        assert_eq!(mismatch.to_string(), why);
    }

    #[test]
    fn kinds_and_required_values_are_checked() {
        let filter = Filter {
            kinds: vec![Kind::Object, Kind::String],
            required: required(&["/a/0", "b"]),
            schema: None,
        };
        assert!(!filter.is_empty() && Filter::default().is_empty());
        assert_eq!(filter.check(br#"{"a":[null],"b":0}"#), Ok(()));
        assert_eq!(Filter::default().check(b"1"), Ok(()));
        fails(&filter, r#"{"a":[],"b":0}"#, "/a/0 is missing");
        fails(
            &filter,
            "[]",
            "it is an array and not an object or a string; /a/0 is missing; /b is missing",
        );
    }

    #[test]
    fn the_closest_document_is_the_least() {
        let filter = Filter {
            kinds: vec![Kind::Object],
            required: required(&["a", "b"]),
            schema: None,
        };
        let of = |document: &str| filter.check(document.as_bytes()).unwrap_err();
        assert!(of(r#"{"a":1}"#) < of("{}"));
        assert!(of("{}") < of("[]"));
        assert!(of(r#"{"a":1}"#).partial_cmp(&of(r#"{"b":1}"#)).is_none());
    }

    #[test]
    fn violations_of_a_schema_are_named_with_their_places() {
        let filter = schema(
            r#"{"type":"object","required":["a"],"properties":{"a":{"type":"integer"},"b":{"items":{"enum":[1]}}}}"#,
        );
        assert_eq!(filter.check(br#"{"a":1,"b":[1]}"#), Ok(()));
        fails(&filter, "{}", "the document: \"a\" is a required property");
        fails(
            &filter,
            r#"{"a":"x"}"#,
            "/a: \"x\" is not of type \"integer\"",
        );
        fails(
            &filter,
            r#"{"a":1,"b":[2,3,4,5,6]}"#,
            "/b/0: 2 is not one of 1; /b/1: 3 is not one of 1; /b/2: 4 is not one of 1; and 2 more",
        );
        fails(
            &filter,
            r#"{"a":{"secret":"long"}}"#,
            "/a: the value is not of type \"integer\"",
        );
    }

    #[test]
    fn documents_that_a_parsed_value_cannot_hold_are_still_checked() {
        let filter = schema(r#"{"properties":{"a":{"type":"string","maxLength":3}}}"#);
        assert_eq!(
            filter.check(br#"{"a":"\ud83d\\","b":"\ud83d\ude00"}"#),
            Ok(())
        );
        fails(
            &filter,
            r#"{"a":"\udc00\udc00\ud83d\ud83d"}"#,
            "/a: \"����\" is longer than 3 characters",
        );
        let deep = "[".repeat(2000) + &"]".repeat(2000);
        let mismatch = filter.check(deep.as_bytes()).unwrap_err().to_string();
        assert!(
            mismatch.starts_with("it cannot be checked against the schema: recursion limit"),
            "{mismatch}"
        );
    }

    #[test]
    fn the_draft_is_the_one_that_the_schema_names() {
        let exclusive = |draft: &str| {
            schema(&format!(
                r#"{{{draft}"minimum":1,"exclusiveMinimum":true}}"#
            ))
        };
        let filter = exclusive(r#""$schema":"http://json-schema.org/draft-04/schema#","#);
        assert!(filter.check(b"1").is_err() && filter.check(b"2").is_ok());
        let error =
            Schema::new(br#"{"exclusiveMinimum":true}"#, |_| Err(String::new())).unwrap_err();
        assert!(
            error.to_string().contains("is not of type \"number\""),
            "{error}"
        );
        for draft in ["draft-04/schema#", "draft-06/schema#", "draft-07/schema#"] {
            let filter = schema(&format!(
                r#"{{"$schema":"http://json-schema.org/{draft}","type":"object"}}"#
            ));
            assert!(filter.check(b"[]").is_err());
        }
        for draft in ["2019-09", "2020-12"] {
            let filter = schema(&format!(
                r#"{{"$schema":"https://json-schema.org/draft/{draft}/schema","type":"object"}}"#
            ));
            assert!(filter.check(b"[]").is_err());
        }
    }

    #[test]
    fn references_go_no_further_than_the_files_alongside_the_schema() {
        let filter = schema(
            r##"{"properties":{"n":{"$ref":"name.json"},"m":{"$ref":"#/$defs/m"}},"$defs":{"m":{"type":"null"}}}"##,
        );
        assert_eq!(filter.check(br#"{"n":"ab","m":null}"#), Ok(()));
        assert!(filter.check(br#"{"n":"a"}"#).is_err());
        let filter = schema(r#"{"$id":"https://example.org/s/a.json","$ref":"name.json"}"#);
        assert!(filter.check(br#""a""#).is_err());
        for reference in [
            "https://example.org/x.json",
            "http://127.0.0.1/x.json",
            "file:///etc/passwd",
            "../name.json",
            "/name.json",
            "sub/name.json",
            "%2e%2e%2fname.json",
            ".hidden",
        ] {
            let text = format!(r#"{{"$ref":"{reference}"}}"#);
            let error = Schema::new(text.as_bytes(), |name| panic!("{name} was read")).unwrap_err();
            assert!(
                error.to_string().contains("files in its folder"),
                "{reference}: {error}"
            );
        }
        let error =
            Schema::new(br#"{"$ref":"none.json"}"#, |name| Err(format!("no {name}"))).unwrap_err();
        assert!(error.to_string().contains("no none.json"), "{error}");
    }

    #[test]
    fn what_is_no_schema_is_refused() {
        for text in [
            "",
            "{",
            "[]",
            "3",
            r#"{"type":"objekt"}"#,
            r##"{"$ref":"#/nowhere"}"##,
            r#"{"pattern":"("}"#,
        ] {
            assert!(
                Schema::new(text.as_bytes(), |_| Err(String::new())).is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let filter = schema(r##"{"properties":{"next":{"$ref":"#"}},"type":"object"}"##);
        assert_eq!(filter.check(br#"{"next":{"next":{}}}"#), Ok(()));
        assert!(filter.check(br#"{"next":{"next":1}}"#).is_err());
    }

    #[test]
    fn what_is_too_deep_or_too_large_fits_no_schema() {
        let filter = schema("true");
        let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
        assert_eq!(filter.check(nested(DEPTH).as_bytes()), Ok(()));
        assert!(filter.check(nested(DEPTH + 1).as_bytes()).is_err());
        assert_eq!(filter.check(b"1.7e308"), Ok(()));
        assert!(filter.check(b"1.8e308").is_err());
    }

    #[test]
    fn a_schema_that_is_nothing_but_itself_ends() {
        for text in [
            r##"{"$ref":"#"}"##,
            r##"{"allOf":[{"$ref":"#"}]}"##,
            r##"{"anyOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"$ref":"#"}}}"##,
        ] {
            let _ = schema(text).check(b"{}");
        }
    }
}
