//! JSON pointers (RFC 6901): the place of a value in a document.

use std::fmt;
use std::ops::Range;

use super::view::{Kind, Object, Value};

/// The path from a document to one of its values.
///
/// ```
/// use jsift_json::pointer::Pointer;
///
/// let pointer = Pointer::parse("/a/1").unwrap();
/// assert_eq!(pointer.locate(br#"{"a": [1, 22]}"#), Some(10..12));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pointer {
    tokens: Vec<String>,
}

impl Pointer {
    /// Reads a pointer. Text that does not start with `/` is the literal name of a member of the outermost object.
    ///
    /// # Errors
    ///
    /// Fails if a `~` in a pointer is followed by neither `0` nor `1`, and says so.
    pub fn parse(text: &str) -> Result<Self, String> {
        let tokens = match text.strip_prefix('/') {
            Some(pointer) => pointer.split('/').map(unescape).collect(),
            None if text.is_empty() => Some(Vec::new()),
            None => Some(vec![text.to_owned()]),
        };
        match tokens {
            Some(tokens) => Ok(Self { tokens }),
            None => Err(format!(
                "in the JSON pointer '{text}' a ~ stands for nothing: ~0 is ~ and ~1 is /"
            )),
        }
    }

    /// Returns the names and indexes on the way, from the outermost one.
    #[must_use]
    pub fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// Returns the value in a document, if it has one at this pointer. If a name is repeated, the last member counts.
    #[must_use]
    pub fn find<'a>(&self, document: Value<'a>) -> Option<Value<'a>> {
        find(&self.tokens, document)
    }

    /// Returns the value in an object whose members are known; otherwise the same as [`find`](Self::find).
    #[must_use]
    pub fn find_in<'a>(&self, object: &Object<'a>) -> Option<Value<'a>> {
        match self.tokens.split_first() {
            Some((name, rest)) => find(rest, object.get_any(name)?),
            None => Some(object.value()),
        }
    }

    /// Returns the range of bytes of the value in a valid JSON text.
    #[must_use]
    pub fn locate(&self, document: &[u8]) -> Option<Range<usize>> {
        self.find(Value::new(document))?.place_in(document)
    }
}

/// Returns the value at the end of a path.
fn find<'a>(tokens: &[String], document: Value<'a>) -> Option<Value<'a>> {
    tokens
        .iter()
        .try_fold(document, |value, token| match value.kind() {
            Kind::Object => value.get(token),
            Kind::Array => value.elements().nth(index(token)?),
            _ => None,
        })
}

/// Returns a token with its escapes replaced by the characters they stand for.
fn unescape(token: &str) -> Option<String> {
    let mut escapes = token.split('~').skip(1);
    let sound = escapes.all(|after| after.starts_with(['0', '1']));
    // The order matters: `~01` is `~1`.
    sound.then(|| token.replace("~1", "/").replace("~0", "~"))
}

/// Returns a name as a token of a pointer.
#[must_use]
pub fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Returns the index of an array element: digits without a leading zero.
fn index(token: &str) -> Option<usize> {
    let digits = token.bytes().all(|b| b.is_ascii_digit());
    let plain = token == "0" || !token.starts_with('0');
    token.parse().ok().filter(|_| digits && plain)
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for token in &self.tokens {
            write!(f, "/{}", escape(token))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Pointer;
    use proptest::prelude::*;
    use serde_json::Value;

    fn at<'a>(document: &'a str, pointer: &str) -> Option<&'a str> {
        document.get(
            Pointer::parse(pointer)
                .unwrap()
                .locate(document.as_bytes())?,
        )
    }

    #[test]
    fn values_are_located_byte_for_byte() {
        let document =
            " {\"a/b\": [1 , {\"m~n\":\"x\"} ],\"\":2.50, \"\\u0061\":{ } ,\"k\":1,\"k\":[ 2 ]}\n";
        for (pointer, value) in [
            ("", Some(document.trim())),
            ("/a~1b/1/m~0n", Some("\"x\"")),
            ("/a~1b/0", Some("1")),
            ("/", Some("2.50")),
            ("/a", Some("{ }")),
            ("a", Some("{ }")),
            ("a/b", Some("[1 , {\"m~n\":\"x\"} ]")),
            ("/k/0", Some("2")),
            ("/k/00", None),
            ("/k/-", None),
            ("/k/+0", None),
            ("/k/99999999999999999999", None),
            ("/a~1b/0/x", None),
            ("/b", None),
        ] {
            assert_eq!(at(document, pointer), value, "{pointer}");
        }
    }

    #[test]
    fn a_pointer_is_shown_as_it_is_written() {
        for pointer in ["", "/", "/a~1b/m~0n/0"] {
            assert_eq!(Pointer::parse(pointer).unwrap().to_string(), pointer);
        }
        assert_eq!(Pointer::parse("a/b").unwrap().to_string(), "/a~1b");
        let error = Pointer::parse("/a~2").unwrap_err();
        assert!(error.starts_with("in the JSON pointer '/a~2'"), "{error}");
        assert!(Pointer::parse("/~").is_err());
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = "[".repeat(200_000) + &"]".repeat(200_000);
        assert_eq!(at(&deep, "/0").map(str::len), Some(deep.len() - 2));
    }

    fn document() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<i8>().prop_map(Value::from),
            "[a~/\"\\\\é]{0,3}".prop_map(Value::from)
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::btree_map("[ab~/\"0]{0,2}", inner, 0..3)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn pointers_agree_with_another_reader(value in document(), pointer in "(/([ab01~/\"]|~0|~1){0,2}){0,3}") {
            let text = value.to_string();
            if let Ok(ours) = Pointer::parse(&pointer) {
                let found = ours.locate(text.as_bytes()).map(|range| serde_json::from_str(&text[range]).unwrap());
                prop_assert_eq!(found.as_ref(), value.pointer(&pointer), "{} in {}", pointer, text);
            }
        }
    }
}
