//! A first draft of an agent file, from a recording of what the agent prints.

use crate::dialect::prelude::*;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use jsift_find::document::{Document, Fault, Noise, Visitor, Wants};
use jsift_json::pointer::escape;

use super::reading::Unknown;
use super::{DISCRIMINATORS, lacks_type, members_of_event, record_of_event};
use crate::stream::NamedEvents;

/// The maximum number of values of a discriminator: more of them are no kinds of records.
const KINDS: usize = 64;
/// How much of a line without a record is looked at for the name of an event, in bytes.
const LINE: usize = 1024;
/// Objects in a record that may say what the record is.
const INNER: NameList = names!("event data payload msg item update params header");

/// Collects the records of a recording.
///
/// ```
/// let mut draft = jsift_agents::dialect::AgentFileDraft::default();
/// let record = br#"{"kind":"agent.said","text":"Done."}"#;
/// draft.add(jsift_json::view::Value::new(record));
/// assert!(draft.text().contains("# 1 record; by its shape: answer\n[[record]]\nis = \"agent.said\""));
/// ```
#[derive(Debug, Default)]
pub struct AgentFileDraft {
    reading: Unknown,
    /// For each place that may say what records are, the kinds of records.
    places: BTreeMap<String, BTreeMap<String, RecordKind>>,
    records: u64,
    events: NamedEvents,
    /// The line of noise before the next document.
    line: Vec<u8>,
}

/// The records of one kind.
#[derive(Debug, Default)]
struct RecordKind {
    /// The number of the first record.
    first: u64,
    count: u64,
    states: Vec<&'static str>,
    /// The pointers to members and to the members of these, and their types, in the order of the record that had them
    /// first.
    members: Vec<(String, &'static str)>,
}

impl AgentFileDraft {
    /// Adds a document: a record, or an array of records.
    pub fn add(&mut self, document: Value<'_>) {
        match Object::new(document) {
            Some(record) => self.add_record(&record),
            None => {
                let records = document.elements().filter_map(Object::new);
                records.for_each(|record| self.add_record(&record));
            }
        }
    }

    /// Adds the event of that name, as the reader puts it together with its other members.
    fn add_event(&mut self, event: &[u8], more: &[u8]) {
        self.add(Value::new(&record_of_event(event, more)));
    }

    /// Returns the name of the event whose data stand after the prefix of their line, or after the noise on it.
    fn take_event(&mut self, prefix: Option<&[u8]>) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.line);
        self.events.take(prefix.unwrap_or(&line))
    }

    fn add_record(&mut self, record: &Object<'_>) {
        let mut statement = Statement::default();
        self.reading.facts(record, &mut statement);
        self.records += 1;
        for (place, value) in discriminators(record) {
            let kinds = self.places.entry(place).or_default();
            if kinds.len() < KINDS || kinds.contains_key(&value) {
                let kind = kinds.entry(value).or_insert_with(|| RecordKind {
                    first: self.records,
                    ..RecordKind::default()
                });
                kind.add(record, &statement);
            }
        }
    }

    /// Returns the file.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::from(
            "# A first draft from a recording. Give the agent its name, say where jsift took a record for something else\n\
             # (states = …), and delete those that it already reads correctly: docs/agents.md has the words.\n\
             name = \"my-agent\"\n",
        );
        let records =
            |kinds: &BTreeMap<_, RecordKind>| kinds.values().map(|kind| kind.count).sum::<u64>();
        let several = |kinds: &BTreeMap<_, _>| kinds.len() > 1 && kinds.len() < KINDS;
        let is_usual = |place: &str| {
            let name = place.rsplit('/').next();
            name.is_some_and(|name| DISCRIMINATORS.names.iter().any(|of| of.text == name))
        };
        let best = self.places.iter().max_by_key(|(place, kinds)| {
            let few = Reverse((place.matches('/').count(), kinds.len()));
            (several(kinds), records(kinds), is_usual(place), few)
        });
        let Some((place, kinds)) = best else {
            text.push_str("\n# No record says what it is in a member that jsift knows.\n[[record]]\nwhen = { \"/NAME\" = \"*\" }\n");
            return text;
        };
        let _ = writeln!(text, "type = {}", quoted(place));
        let mut kinds: Vec<_> = kinds.iter().collect();
        kinds.sort_by_key(|(_, kind)| kind.first);
        for (value, kind) in kinds {
            kind.write(value, &mut text);
        }
        text
    }
}

impl RecordKind {
    fn add(&mut self, record: &Object<'_>, statement: &Statement<'_>) {
        self.count += 1;
        for state in statement.facts.iter().filter_map(word) {
            if !self.states.contains(&state) {
                self.states.push(state);
            }
        }
        for (key, value) in record.members() {
            let pointer = format!("/{}", escape(&key.text().to_string_lossy()));
            for (key, value) in value.members().filter(|_| value.kind() == Kind::Object) {
                self.add_member(
                    format!("{pointer}/{}", escape(&key.text().to_string_lossy())),
                    value,
                );
            }
            if value.members().next().is_none() {
                self.add_member(pointer, value);
            }
        }
    }

    fn add_member(&mut self, pointer: String, value: Value<'_>) {
        let is_new = self.members.iter().all(|(known, _)| *known != pointer);
        if self.members.len() < KINDS && is_new {
            self.members.push((pointer, sort(value)));
        }
    }

    fn write(&self, value: &str, text: &mut String) {
        let (records, its) = match self.count {
            1 => ("record", "its"),
            _ => ("records", "their"),
        };
        let states = match self.states.is_empty() {
            true => "nothing".to_owned(),
            false => self.states.join(", "),
        };
        let members = self.members.iter();
        let members = members.map(|(name, sort)| format!("{} ({sort})", name.escape_debug()));
        let members: Vec<_> = members.collect();
        let _ = write!(
            text,
            "\n# {} {records}; by {its} shape: {states}\n[[record]]\nis = {}\n# members: {}\n",
            self.count,
            quoted(value),
            members.join(", ")
        );
    }
}

/// Returns the places in a record that may say what it is, with what they say: any short text, or a text with one of
/// the usual names in an object inside it.
fn discriminators(record: &Object<'_>) -> Vec<(String, String)> {
    // Ids and times have many digits.
    let is_word = |text: &str| {
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        text.len() <= KINDS && digits < 3
    };
    let short = |value: Value<'_>| {
        let text = value.text()?.to_string_lossy().into_owned();
        Some(text).filter(|text| is_word(text))
    };
    let own = record.members().filter_map(|(key, value)| {
        let name = key.text().to_string_lossy().into_owned();
        let is_plain = !name.contains(['/', '~', '"', '\\']);
        Some((format!("/{name}"), short(value)?)).filter(|_| is_plain)
    });
    let mut all: Vec<_> = own.collect();
    for name in INNER.names {
        let Some(inner) = record.object(name.text) else {
            continue;
        };
        let said = DISCRIMINATORS.names.iter().filter_map(|of| {
            let value = short(inner.get_named(*of)?)?;
            Some((format!("/{}/{}", name.text, of.text), value))
        });
        all.extend(said);
    }
    all
}

/// Returns the word of agent files for what a fact states.
fn word(fact: &Fact<'_>) -> Option<&'static str> {
    Some(match fact {
        Fact::Start(_) => "start",
        Fact::User(_) => "prompt",
        Fact::Message(message) if message.form == Form::Delta => "delta",
        Fact::Message(_) => "answer",
        Fact::Reasoning(_) => "thought",
        Fact::Call(_) => "call",
        Fact::Result(_) => "result",
        Fact::Usage(_) => "usage",
        Fact::Error(_) => "error",
        Fact::Retry(_) => "retry",
        Fact::End(_) => "end",
        _ => return None,
    })
}

fn sort(value: Value<'_>) -> &'static str {
    match value.kind() {
        Kind::Object => "object",
        Kind::Array => "array",
        Kind::String => "string",
        Kind::Number => "number",
        Kind::Null => "null",
        _ => "true or false",
    }
}

/// Returns a string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            _ if letter.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(letter));
            }
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

impl Visitor for AgentFileDraft {
    fn document(&mut self, document: Document<'_>) {
        let value = Value::new(document.text);
        let event = self.take_event(document.prefix);
        let first = Object::new(value).or_else(|| Object::new(value.elements().next()?));
        let is_data = |event: &Vec<u8>| first.is_some_and(|record| lacks_type(&record, event));
        match event.filter(is_data) {
            Some(event) => self.add_event(&event, &members_of_event(value)),
            None => self.add(value),
        }
    }

    fn fault(&mut self, fault: Fault) {
        // If these are the data of a named event, it says nothing.
        let _ = self.take_event(fault.prefix.as_deref());
    }

    fn noise(&mut self, noise: Noise<'_>) {
        for piece in noise.text.split_inclusive(|byte| *byte == b'\n') {
            let text = piece.strip_suffix(b"\n");
            let room = LINE.saturating_sub(self.line.len());
            self.line.extend(text.unwrap_or(piece).iter().take(room));
            if text.is_some() {
                let line = std::mem::take(&mut self.line);
                if let Some(event) = self.events.line(&line) {
                    self.add_event(&event, b"");
                }
            }
        }
    }

    fn wants(&mut self) -> Wants {
        Wants::noise(true)
    }
}
