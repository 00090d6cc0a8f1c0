//! Agent files: descriptions of agents without code.
//!
//! A file says where an agent's records say what they are, and for each kind of record what it states and where. What
//! it does not say is read by shape. `docs/agents.md` has the words.
//!
//! A dialect in Rust says more than a file can: how sure its shapes are (a file's records are certain), shapes that
//! lack a member or know how one begins, results in the order of their calls and runs without a last record (Warp),
//! counts of several models in a list (Junie), a cost in a unit of its own (Auggie). Of the smallest dialects, a file
//! would read Kiro's recordings nearly alike, but it has to be named.

use std::collections::HashMap;
use std::sync::Arc;

use super::described::Described;
use crate::dialect::Agent;
use crate::dialect::prelude::*;
use crate::dialect::usual::Words;
use jsift_json::pointer::Pointer;
use serde::{Deserialize, Deserializer, de::Error};

/// An agent that a file describes.
#[derive(Debug)]
pub struct AgentFile {
    pub(super) agent: Agent,
    /// The places where a record says what it is.
    kinds: OneOrMore<Place>,
    pub(super) session: Place,
    pub(super) rules: Vec<Rule>,
}

/// An error in an agent file.
#[derive(Debug, PartialEq, Eq)]
pub struct AgentFileError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// What records of one kind state, and where.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Rule {
    /// The kinds of records; any if there are none.
    is: OneOrMore<String>,
    /// Values that members have to have.
    when: HashMap<Place, OneOrMore<Wanted>>,
    pub(super) states: States,
    /// The object with the members below.
    pub(super) at: Place,
    pub(super) text: Place,
    pub(super) message: Place,
    pub(super) id: Place,
    pub(super) tool: Place,
    pub(super) input: Place,
    pub(super) output: Place,
    pub(super) failed: Place,
    pub(super) succeeded: Place,
    pub(super) path: Place,
    pub(super) model: Place,
    pub(super) version: Place,
    pub(super) tokens: Place,
    pub(super) input_tokens: Place,
    pub(super) output_tokens: Place,
    pub(super) cached_tokens: Place,
    pub(super) cost: Place,
    pub(super) code: Place,
    /// Whether a text repeats the message so far.
    pub(super) so_far: bool,
    pub(super) success: Option<bool>,
    #[serde(deserialize_with = "class")]
    pub(super) class: Option<Outcome>,
    pub(super) covers: Covers,
    /// Whether the kinds of records are of a run.
    #[serde(skip)]
    pub(super) of_run: bool,
}

/// What a record states.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum States {
    /// What its shape says.
    #[default]
    Shape,
    Nothing,
    Start,
    Prompt,
    Answer,
    Delta,
    Thought,
    Call,
    Result,
    File,
    Usage,
    Error,
    Retry,
    End,
}

/// What a count of tokens covers.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Covers {
    #[default]
    Request,
    Turn,
    Session,
}

/// A value that a member has to have.
#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "a value is a string, an integer, true or false; \"*\" is any value"
)]
enum Wanted {
    /// This string, or this number as it is written; `*` is anything but `null`.
    Text(String),
    Number(i64),
    Bool(bool),
}

#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "this must be a string or a list of strings; values of members may be integers, true or false, too"
)]
enum OneOrMore<T> {
    One(T),
    More(Vec<T>),
}

/// Where a member is, if the file says so.
#[derive(Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Place(Option<Pointer>);

impl<T> OneOrMore<T> {
    fn all(&self) -> &[T] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::More(all) => all,
        }
    }
}

impl OneOrMore<String> {
    /// Reads each string as the place of a member. The error of an untagged enum would not say what is wrong with it.
    fn places(&self) -> Result<OneOrMore<Place>, String> {
        let places = self.all().iter().cloned().map(Place::try_from);
        Ok(OneOrMore::More(places.collect::<Result<_, _>>()?))
    }
}

impl<T> Default for OneOrMore<T> {
    fn default() -> Self {
        Self::More(Vec::new())
    }
}

impl AgentFile {
    /// Reads an agent file.
    ///
    /// The agent's name is kept for the life of the program.
    ///
    /// # Errors
    ///
    /// Fails if the text is not TOML or says what no agent file says; the error names the line.
    pub fn parse(text: &str) -> Result<Self, AgentFileError> {
        /// The file as it is written.
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Written {
            #[serde(deserialize_with = "name")]
            name: String,
            r#type: Option<toml::Spanned<OneOrMore<String>>>,
            #[serde(default)]
            session: Place,
            #[serde(default)]
            record: Vec<toml::Spanned<Rule>>,
        }
        let error = |at: usize, message: &str| {
            let before = text.get(..at).unwrap_or(text);
            AgentFileError {
                line: before.matches('\n').count() + 1,
                message: message.to_owned(),
            }
        };
        let written: Written = toml::from_str(text).map_err(|wrong| {
            let at = wrong.span().unwrap_or_default().start;
            let message = wrong.message().lines().next().unwrap_or_default();
            error(at, &message.replace("a sequence", "[[record]]"))
        })?;
        let mut rules = Vec::new();
        for record in written.record {
            let at = record.span().start;
            let mut rule = record.into_inner();
            let is_of_run = |is: &String| Words::of(is.as_bytes()).has(Words::RUN);
            rule.of_run = rule.is.all().iter().any(is_of_run);
            if rule.is.all().is_empty() && rule.when.is_empty() {
                let message = "a record must say what it is: `is`, or values of members: `when`";
                return Err(error(at, message));
            }
            rules.push(rule);
        }
        if rules.is_empty() {
            return Err(error(0, "an agent file must have at least one [[record]]"));
        }
        let by_type = || OneOrMore::One(Place(Pointer::parse("/type").ok()));
        let kinds = written.r#type.map(|names| {
            let (at, names) = (names.span().start, names.into_inner());
            names.places().map_err(|message| error(at, &message))
        });
        Ok(Self {
            agent: Agent::Described(Box::leak(written.name.into_boxed_str())),
            kinds: kinds.transpose()?.unwrap_or_else(by_type),
            session: written.session,
            rules,
        })
    }

    /// Returns a new reader of the agent's records.
    pub(in crate::dialect) fn dialect(self: &Arc<Self>) -> Box<dyn Dialect> {
        Box::new(Described::new(self))
    }

    /// Returns the values with which a record says what it is.
    fn kinds<'a>(&self, record: &Object<'a>) -> impl Iterator<Item = Value<'a>> {
        let places = self.kinds.all().iter();
        places.filter_map(|place| place.0.as_ref()?.find_in(record))
    }

    /// Returns what a record says that it is.
    pub(super) fn kind<'a>(&self, record: &Object<'a>) -> Option<Text<'a>> {
        self.kinds(record).find_map(Value::text)
    }

    /// Returns the number of the rule for a record; `None` if the file does not mention such records.
    pub(in crate::dialect) fn rule_of(&self, record: &Object<'_>) -> Option<usize> {
        let mut kinds = self.kinds(record);
        // Most records say in one place what they are.
        let (first, more): (_, Vec<_>) = (kinds.next(), kinds.collect());
        let kinds = first.iter().chain(&more);
        self.rules
            .iter()
            .position(|rule| rule.fits(record, kinds.clone()))
    }
}

impl Rule {
    /// Whether a record, which says that it is one of `kinds`, is of the kind of this rule.
    fn fits<'k>(
        &self,
        record: &Object<'_>,
        mut kinds: impl Iterator<Item = &'k Value<'k>>,
    ) -> bool {
        let all = self.is.all();
        let is = all.is_empty() || kinds.any(|kind| all.iter().any(|is| kind.is(is)));
        let has = |(place, wanted): (&Place, &OneOrMore<Wanted>)| {
            let is_it = |found| wanted.all().iter().any(|wanted| wanted.is(found));
            place.get(record).is_some_and(is_it)
        };
        is && self.when.iter().all(has)
    }
}

impl Place {
    /// Returns the member at the place that the file says; `None` if it says none, or nothing is there.
    pub(super) fn get<'a>(&self, object: &Object<'a>) -> Option<Value<'a>> {
        self.0.as_ref()?.find_in(object)?.non_null()
    }

    /// Returns the text, or the number as it is written, at the place that the file says.
    pub(super) fn text<'a>(&self, object: &Object<'a>) -> Option<Text<'a>> {
        let value = self.get(object)?;
        match value.kind() {
            Kind::Number => Some(Text::of_json(value)),
            _ => value.text(),
        }
    }

    /// Whether the file says where that member is.
    pub(super) const fn is_said(&self) -> bool {
        self.0.is_some()
    }
}

impl Wanted {
    fn is(&self, value: Value<'_>) -> bool {
        match self {
            Self::Text(text) if value.kind() == Kind::Number => value.raw() == text.as_bytes(),
            Self::Text(text) => text == "*" || value.is(text),
            Self::Number(wanted) => value.as_i64() == Some(*wanted),
            Self::Bool(wanted) => value.as_bool() == Some(*wanted),
        }
    }
}

impl TryFrom<String> for Place {
    type Error = String;

    /// Reads a JSON Pointer; a bare name is a member of the record.
    fn try_from(text: String) -> Result<Self, String> {
        if text.is_empty() {
            return Err("a pointer is empty".to_owned());
        }
        if !text.starts_with('/') && text.contains(['/', ' ', '[']) {
            return Err(format!("not a JSON Pointer: '{text}'; one begins with '/'"));
        }
        let pointer = Pointer::parse(&text).map_err(|error| error.to_string())?;
        Ok(Self(Some(pointer)))
    }
}

fn name<'de, D: Deserializer<'de>>(value: D) -> Result<String, D::Error> {
    let name = String::deserialize(value)?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_plain) {
        let message = "a name has letters, digits, `-`, `_` and `.` only";
        return Err(D::Error::custom(message));
    }
    match Agent::from_name(&name) {
        Some(_) => Err(D::Error::custom(format!(
            "jsift knows {name}: its dialect is not replaced by a file"
        ))),
        None => Ok(name),
    }
}

fn class<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Outcome>, D::Error> {
    let word = String::deserialize(value)?;
    // Only a limit of the user's makes a denial a failure.
    let is_class = |class: &Outcome| class.is_agent() && *class != Outcome::Denied;
    let classes = || Outcome::ALL.into_iter().filter(is_class);
    let class = classes().find(|class| class.word() == word);
    let known = || classes().map(Outcome::word).collect::<Vec<_>>().join(", ");
    let unknown = || D::Error::custom(format!("'{word}' is none of {}", known()));
    class.map(Some).ok_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use super::AgentFile;

    fn error(text: &str) -> (usize, String) {
        let error = AgentFile::parse(text).unwrap_err();
        (error.line, error.message)
    }

    #[test]
    fn an_error_in_an_agent_file_names_its_line() {
        let rule = "name = \"x\"\n[[record]]\nis = \"a\"\n";
        assert!(AgentFile::parse(rule).is_ok());
        for (text, line, part) in [
            ("name = \"x\"\n", 1, "[[record]]"),
            ("[[record]]\nis = \"a\"\n", 1, "name"),
            ("name = x\n", 1, ""),
            ("\nname = \"claude\"\n", 2, "knows claude"),
            ("name = \"a b\"\n", 1, "letters"),
            (
                "name = \"x\"\n[[record]]\nstates = \"end\"\n",
                2,
                "what it is",
            ),
            (&format!("{rule}states = \"ende\"\n"), 4, "unknown variant"),
            (&format!("{rule}txt = \"/a\"\n"), 4, "unknown field `txt`"),
            (&format!("{rule}text = \"a/b\"\n"), 4, "JSON Pointer"),
            (
                "name = \"x\"\ntype = \"/k~2\"\n[[record]]\nis = \"a\"\n",
                2,
                "a ~ stands for nothing",
            ),
            (
                "name = \"x\"\ntype = [\"/k\", \"a/b\"]\n[[record]]\nis = \"a\"\n",
                2,
                "JSON Pointer",
            ),
            (&format!("{rule}text = \"/a~b\"\n"), 4, "JSON pointer"),
            (&format!("{rule}when = {{ \"/a\" = 1.5 }}\n"), 4, "integer"),
            (&format!("{rule}so-far = 1\n"), 4, "boolean"),
            ("name = \"x\"\nrecord = 1\n", 2, "[[record]]"),
        ] {
            let (at, message) = error(text);
            assert_eq!(at, line, "{text}: {message}");
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
