//! Agent files: descriptions of agents without code.
//!
//! A file says where an agent's records say what they are, and for each kind of record what it states and where. What
//! it does not say is read by shape. `docs/agents.md` has the words.
//!
//! A dialect in Rust says more than a file can: how sure its shapes are (a file's records are certain), shapes that lack
//! a member or know how one begins, results in the order of their calls and runs without a last record (Warp), counts of
//! several models in a list (Junie), a cost in a unit of its own (Auggie). Of the smallest dialects, a file would read
//! Kiro's recordings nearly alike, but it has to be named.

#![cfg_attr(
    not(feature = "agent-file"),
    allow(dead_code, reason = "only the parser makes rules")
)]

#[cfg(feature = "agent-file")]
use std::ops::Range;

use crate::dialect::prelude::*;
use jsift_json::pointer::Pointer;
#[cfg(feature = "agent-file")]
use toml::Spanned;
#[cfg(feature = "agent-file")]
use toml::de::{DeTable, DeValue};

use crate::dialect::Agent;
#[cfg(feature = "agent-file")]
use crate::dialect::usual::Words;

/// An agent that a file describes.
#[derive(Debug)]
pub struct AgentFile {
    pub(super) agent: Agent,
    /// The pointers to what a record says that it is.
    kinds: Vec<Pointer>,
    pub(super) session: Option<Pointer>,
    rules: Vec<Rule>,
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
#[derive(Debug, Default)]
pub(super) struct Rule {
    /// The kinds of records; any if there are none.
    is: Vec<String>,
    /// Values that members have to have.
    when: Vec<(Pointer, Vec<Wanted>)>,
    pub(super) states: States,
    /// The pointer to the object with the members below.
    pub(super) at: Option<Pointer>,
    places: Vec<(Place, Pointer)>,
    /// Whether a text repeats the message so far.
    pub(super) so_far: bool,
    pub(super) success: Option<bool>,
    pub(super) class: Option<Outcome>,
    pub(super) covers: Covers,
    /// Whether the kinds of records are of a run.
    pub(super) of_run: bool,
}

/// A value that a member has to have.
#[derive(Debug)]
enum Wanted {
    /// This string, or this number as it is written.
    Text(String),
    Bool(bool),
    /// Anything but `null`.
    Anything,
}

/// Writes an enum whose variants have words in agent files.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub(super) enum $name { $($(#[$of])* $variant,)* }

        impl $name {
            #[cfg(feature = "agent-file")]
            const ALL: &[(&str, Self)] = &[$(($word, Self::$variant),)*];
        }
    };
}

words!(
    /// What a record states.
    States {
        /// What its shape says.
        #[default]
        Shape "shape",
        Nothing "nothing",
        Start "start",
        Prompt "prompt",
        Answer "answer",
        Delta "delta",
        Thought "thought",
        Call "call",
        Result "result",
        File "file",
        Usage "usage",
        Error "error",
        Retry "retry",
        End "end",
    }
);

words!(
    /// A member whose place a file says.
    Place {
        #[default]
        Text "text",
        Message "message",
        Id "id",
        Tool "tool",
        Input "input",
        Output "output",
        Failed "failed",
        Succeeded "succeeded",
        Path "path",
        Model "model",
        Version "version",
        Tokens "tokens",
        InputTokens "input-tokens",
        OutputTokens "output-tokens",
        CachedTokens "cached-tokens",
        Cost "cost",
        Code "code",
    }
);

words!(
    /// What a count of tokens covers.
    Covers {
        #[default]
        Request "request",
        Turn "turn",
        Session "session",
    }
);

impl AgentFile {
    /// Reads an agent file.
    ///
    /// The agent's name is kept for the life of the program.
    ///
    /// # Errors
    ///
    /// Fails if the text is not TOML or says what no agent file says; the error names the line.
    #[cfg(feature = "agent-file")]
    pub fn parse(text: &str) -> Result<Self, AgentFileError> {
        Parser { text }.file()
    }

    /// Returns the agent that the file describes.
    #[must_use]
    pub const fn agent(&self) -> Agent {
        self.agent
    }

    /// Returns what a record says that it is.
    pub(super) fn kind<'a>(&self, record: &Object<'a>) -> Option<Text<'a>> {
        self.kinds
            .iter()
            .find_map(|kind| kind.find_in(record)?.text())
    }

    /// Returns the number of the rule for a record; `None` if the file does not mention such records.
    pub(in crate::dialect) fn rule_of(&self, record: &Object<'_>) -> Option<usize> {
        let mut kinds = self.kinds.iter().filter_map(|kind| kind.find_in(record));
        // Most records say in one place what they are.
        let (first, more): (_, Vec<_>) = (kinds.next(), kinds.collect());
        let kinds = first.iter().chain(&more);
        self.rules
            .iter()
            .position(|rule| rule.fits(record, kinds.clone()))
    }

    /// Returns the rule of that number.
    pub(super) fn rule(&self, number: usize) -> Option<&Rule> {
        self.rules.get(number)
    }
}

impl Rule {
    /// Whether a record, which says that it is one of `kinds`, is of the kind of this rule.
    fn fits<'k>(
        &self,
        record: &Object<'_>,
        mut kinds: impl Iterator<Item = &'k Value<'k>>,
    ) -> bool {
        let is_of = |kind: &Value<'_>| self.is.iter().any(|is| kind.is(is));
        let is = self.is.is_empty() || kinds.any(is_of);
        let has = |(place, wanted): &(Pointer, Vec<Wanted>)| {
            let found = place.find_in(record).and_then(Value::non_null);
            found.is_some_and(|found| wanted.iter().any(|wanted| wanted.is(found)))
        };
        is && self.when.iter().all(has)
    }

    /// Returns the member at the place that the file says; `None` if it says none, or nothing is there.
    pub(super) fn get<'a>(&self, place: Place, object: &Object<'a>) -> Option<Value<'a>> {
        let (_, pointer) = self.places.iter().find(|(of, _)| *of == place)?;
        pointer.find_in(object)?.non_null()
    }

    /// Returns the text, or the number as it is written, at the place that the file says.
    pub(super) fn text<'a>(&self, place: Place, object: &Object<'a>) -> Option<Text<'a>> {
        let value = self.get(place, object)?;
        match value.kind() {
            Kind::Number => Some(Text::of_json(value)),
            _ => value.text(),
        }
    }

    /// Whether the file says where that member is.
    pub(super) fn says(&self, place: Place) -> bool {
        self.places.iter().any(|(of, _)| *of == place)
    }
}

impl Wanted {
    fn is(&self, value: Value<'_>) -> bool {
        match self {
            Self::Text(text) if value.kind() == Kind::Number => value.raw() == text.as_bytes(),
            Self::Text(text) => value.is(text),
            Self::Bool(wanted) => value.as_bool() == Some(*wanted),
            Self::Anything => true,
        }
    }
}

#[cfg(feature = "agent-file")]
type Key<'i> = Spanned<std::borrow::Cow<'i, str>>;
#[cfg(feature = "agent-file")]
type Entry<'t, 'i> = (&'t Key<'i>, &'t Spanned<DeValue<'i>>);

#[cfg(feature = "agent-file")]
/// Reads a file, and says where it is wrong.
struct Parser<'t> {
    text: &'t str,
}

#[cfg(feature = "agent-file")]
impl Parser<'_> {
    fn error(&self, span: Range<usize>, message: impl Into<String>) -> AgentFileError {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        AgentFileError {
            line: before.matches('\n').count() + 1,
            message: message.into(),
        }
    }

    fn file(&self) -> Result<AgentFile, AgentFileError> {
        let table = DeTable::parse(self.text).map_err(|error| {
            let span = error.span().unwrap_or_default();
            self.error(span, error.message().lines().next().unwrap_or_default())
        })?;
        let (mut name, mut kinds, mut session, mut rules) = (None, Vec::new(), None, Vec::new());
        for entry in table.get_ref() {
            let (key, value) = entry;
            match &**key.get_ref() {
                "name" => name = Some(self.name(value)?),
                "type" => kinds = self.list(value, |value| self.pointer(value))?,
                "session" => session = Some(self.pointer(value)?),
                "record" => rules = self.list(value, |value| self.rule(value))?,
                _ => return Err(self.unknown(key, &["name", "type", "session", "record"])),
            }
        }
        let lacks = |what| self.error(0..0, format!("an agent file must have {what}"));
        if kinds.is_empty() {
            kinds.push(self.pointer_of("/type", 0..0)?);
        }
        let name = name.ok_or_else(|| lacks("a name"))?;
        if rules.is_empty() {
            return Err(lacks("at least one [[record]]"));
        }
        Ok(AgentFile {
            agent: Agent::Described(Box::leak(name.into_boxed_str())),
            kinds,
            session,
            rules,
        })
    }

    fn rule(&self, value: &Spanned<DeValue<'_>>) -> Result<Rule, AgentFileError> {
        let Some(table) = value.get_ref().as_table() else {
            return Err(self.error(value.span(), "each record is a table: write [[record]]"));
        };
        let mut rule = Rule::default();
        for entry in table {
            self.rule_entry(&mut rule, entry)?;
        }
        if rule.is.is_empty() && rule.when.is_empty() {
            let message = "a record must say what it is: `is`, or values of members: `when`";
            return Err(self.error(value.span(), message));
        }
        Ok(rule)
    }

    fn rule_entry(
        &self,
        rule: &mut Rule,
        (key, value): Entry<'_, '_>,
    ) -> Result<(), AgentFileError> {
        match &**key.get_ref() {
            "is" => {
                rule.is = self.list(value, |value| self.string(value))?;
                let is_of_run = |is: &String| Words::of(is.as_bytes()).has(Words::RUN);
                rule.of_run = rule.is.iter().any(is_of_run);
            }
            "when" => rule.when = self.conditions(value)?,
            "states" => rule.states = self.word(value, States::ALL)?,
            "at" => rule.at = Some(self.pointer(value)?),
            "so-far" => rule.so_far = self.bool(value)?,
            "success" => rule.success = Some(self.bool(value)?),
            "covers" => rule.covers = self.word(value, Covers::ALL)?,
            "class" => rule.class = Some(self.word(value, CLASSES)?),
            name => {
                let Some((_, place)) = Place::ALL.iter().find(|(word, _)| *word == name) else {
                    let own = [
                        "is", "when", "states", "at", "so-far", "success", "covers", "class",
                    ];
                    let places = Place::ALL.iter().map(|(word, _)| *word);
                    let known: Vec<_> = own.into_iter().chain(places).collect();
                    return Err(self.unknown(key, &known));
                };
                rule.places.push((*place, self.pointer(value)?));
            }
        }
        Ok(())
    }

    fn conditions(
        &self,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Vec<(Pointer, Vec<Wanted>)>, AgentFileError> {
        let Some(table) = value.get_ref().as_table() else {
            let message = "`when` is a table of pointers and values: { \"/role\" = \"assistant\" }";
            return Err(self.error(value.span(), message));
        };
        let one = |(key, value): Entry<'_, '_>| {
            let pointer = self.pointer_of(key.get_ref(), key.span())?;
            Ok((pointer, self.list(value, |value| self.wanted(value))?))
        };
        table.iter().map(one).collect()
    }

    fn wanted(&self, value: &Spanned<DeValue<'_>>) -> Result<Wanted, AgentFileError> {
        Ok(match value.get_ref() {
            DeValue::String(text) if text == "*" => Wanted::Anything,
            DeValue::String(text) => Wanted::Text(text.to_string()),
            DeValue::Integer(number) => Wanted::Text(number.as_str().to_owned()),
            DeValue::Boolean(wanted) => Wanted::Bool(*wanted),
            _ => {
                let message = "a value is a string, an integer, true or false; \"*\" is any value";
                return Err(self.error(value.span(), message));
            }
        })
    }

    /// Returns the elements of an array, or the only element.
    fn list<T>(
        &self,
        value: &Spanned<DeValue<'_>>,
        one: impl Fn(&Spanned<DeValue<'_>>) -> Result<T, AgentFileError>,
    ) -> Result<Vec<T>, AgentFileError> {
        match value.get_ref().as_array() {
            Some(array) => array.iter().map(one).collect(),
            None => Ok(vec![one(value)?]),
        }
    }

    fn string(&self, value: &Spanned<DeValue<'_>>) -> Result<String, AgentFileError> {
        let text = value.get_ref().as_str();
        let message = || self.error(value.span(), "this must be a string");
        text.map(str::to_owned).ok_or_else(message)
    }

    fn name(&self, value: &Spanned<DeValue<'_>>) -> Result<String, AgentFileError> {
        let name = self.string(value)?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_plain) {
            let message = "a name has letters, digits, `-`, `_` and `.` only";
            return Err(self.error(value.span(), message));
        }
        if Agent::from_name(&name).is_some() {
            let message = format!("jsift knows {name}: its dialect is not replaced by a file");
            return Err(self.error(value.span(), message));
        }
        Ok(name)
    }

    fn bool(&self, value: &Spanned<DeValue<'_>>) -> Result<bool, AgentFileError> {
        let message = || self.error(value.span(), "this must be true or false");
        value.get_ref().as_bool().ok_or_else(message)
    }

    /// Returns a JSON Pointer; a bare name is a member of the record.
    fn pointer(&self, value: &Spanned<DeValue<'_>>) -> Result<Pointer, AgentFileError> {
        self.pointer_of(&self.string(value)?, value.span())
    }

    fn pointer_of(&self, text: &str, span: Range<usize>) -> Result<Pointer, AgentFileError> {
        if text.is_empty() {
            return Err(self.error(span, "a pointer is empty"));
        }
        if !text.starts_with('/') && text.contains(['/', ' ', '[']) {
            let message = format!("not a JSON Pointer: '{text}'; one begins with '/'");
            return Err(self.error(span, message));
        }
        Pointer::parse(text).map_err(|error| self.error(span, error))
    }

    fn word<T: Copy>(
        &self,
        value: &Spanned<DeValue<'_>>,
        all: &[(&str, T)],
    ) -> Result<T, AgentFileError> {
        let word = self.string(value)?;
        let found = all.iter().find(|(name, _)| **name == word);
        found.map(|(_, found)| *found).ok_or_else(|| {
            let known: Vec<_> = all.iter().map(|(name, _)| *name).collect();
            let message = format!("'{word}' is none of {}", known.join(", "));
            self.error(value.span(), message)
        })
    }

    fn unknown(&self, key: &Key<'_>, known: &[&str]) -> AgentFileError {
        let message = format!(
            "unknown key '{}'; known are {}",
            key.get_ref(),
            known.join(", ")
        );
        self.error(key.span(), message)
    }
}

#[cfg(feature = "agent-file")]
/// The classes of failures.
const CLASSES: &[(&str, Outcome)] = &[
    ("failed", Outcome::Failed),
    ("auth", Outcome::Auth),
    ("quota", Outcome::Quota),
    ("turns", Outcome::Turns),
    ("blocked", Outcome::Blocked),
    ("cancelled", Outcome::Cancelled),
    ("input", Outcome::Input),
    ("network", Outcome::Network),
];

#[cfg(test)]
#[cfg(feature = "agent-file")]
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
            (&format!("{rule}states = \"ende\"\n"), 4, "none of"),
            (&format!("{rule}txt = \"/a\"\n"), 4, "unknown key 'txt'"),
            (&format!("{rule}text = \"a/b\"\n"), 4, "JSON Pointer"),
            (&format!("{rule}text = \"/a~b\"\n"), 4, "JSON pointer"),
            (&format!("{rule}when = {{ \"/a\" = 1.5 }}\n"), 4, "integer"),
            (&format!("{rule}so-far = 1\n"), 4, "true or false"),
            ("name = \"x\"\nrecord = 1\n", 2, "table"),
        ] {
            let (at, message) = error(text);
            assert_eq!(at, line, "{text}: {message}");
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
