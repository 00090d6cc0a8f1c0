//! Writes documents with their origins, events and sessions as JSON, one object per line, with keys in the order of
//! their specification.
//!
//! A serializer is not used because text may contain lone surrogates, which can only be written as escapes, and because
//! time stamps and records are written as they were read.

use std::borrow::Cow;
use std::io::Write as _;

use crate::sanitize::json_escapes;
use jsift_agents::Agent;
use jsift_agents::event::{Event, Status};
use jsift_agents::fact::{Code, Operation, Problem, Tokens};
use jsift_agents::session::{Counts, File, Named, NoiseCount, Session, Sessions, Tools};
use jsift_agents::time::utc;
use jsift_find::document::{Origin, Stage};
use jsift_json::text::Text;
use jsift_json::view::Value;
use jsift_outcome::Outcome;

/// The key of a member with a comma, quotes and a colon, so that it is written at once: each event has ten keys.
macro_rules! key {
    ($name:literal) => {
        concat!(",\"", $name, "\":")
    };
}

/// An object that is being written. Unknown members are left out.
struct ObjectWriter<'o> {
    out: &'o mut Vec<u8>,
    empty: bool,
}

impl<'o> ObjectWriter<'o> {
    fn begin(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, empty: true }
    }

    fn end(self) {
        self.out.push(b'}');
    }

    /// Writes a key that was made by `key!`.
    #[inline(always)]
    fn key(&mut self, key: &'static str) -> &mut Vec<u8> {
        if std::mem::take(&mut self.empty) {
            let key = key.strip_prefix(',').unwrap_or(key);
            self.out.extend_from_slice(key.as_bytes());
        } else {
            self.out.extend_from_slice(key.as_bytes());
        }
        self.out
    }

    /// Writes a key that comes from the input.
    fn name(&mut self, name: &Text<'_>) -> &mut Vec<u8> {
        if !std::mem::take(&mut self.empty) {
            self.out.push(b',');
        }
        name.write_json(self.out);
        self.out.push(b':');
        self.out
    }

    #[inline(always)]
    fn raw(&mut self, key: &'static str, value: Option<Value<'_>>) {
        if let Some(value) = value {
            self.key(key).extend_from_slice(&value.compact());
        }
    }

    #[inline(always)]
    fn text(&mut self, key: &'static str, value: Option<&Text<'_>>) {
        if let Some(value) = value {
            value.write_json(self.key(key));
        }
    }

    /// Writes a member whose value contains nothing that has to be escaped.
    #[inline(always)]
    fn word(&mut self, key: &'static str, word: impl Into<Option<&'static str>>) {
        if let Some(word) = word.into() {
            let out = self.key(key);
            out.push(b'"');
            out.extend_from_slice(word.as_bytes());
            out.push(b'"');
        }
    }

    fn number(&mut self, key: &'static str, value: Option<impl std::fmt::Display>) {
        if let Some(value) = value {
            // Writing to memory does not fail.
            let _ = write!(self.key(key), "{value}");
        }
    }

    #[inline(always)]
    fn count(&mut self, key: &'static str, count: Option<u64>) {
        if let Some(count) = count {
            write_count(count, self.key(key));
        }
    }

    fn object(&mut self, key: &'static str, write: impl FnOnce(&mut ObjectWriter<'_>)) {
        let mut inner = ObjectWriter::begin(self.key(key));
        write(&mut inner);
        inner.end();
    }

    fn object_of(&mut self, name: &Text<'_>, write: impl FnOnce(&mut ObjectWriter<'_>)) {
        let mut inner = ObjectWriter::begin(self.name(name));
        write(&mut inner);
        inner.end();
    }

    /// Writes an array; `write` writes an element.
    fn array<T>(
        &mut self,
        key: &'static str,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Vec<u8>, T),
    ) {
        let out = self.key(key);
        out.push(b'[');
        for (place, item) in items.into_iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            write(out, item);
        }
        out.push(b']');
    }

    fn objects<T>(
        &mut self,
        key: &'static str,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut ObjectWriter<'_>, T),
    ) {
        self.array(key, items, |out, item| {
            let mut inner = ObjectWriter::begin(out);
            write(&mut inner, item);
            inner.end();
        });
    }
}

/// Writes a number. Every event has such a number, and formatting it with `write!` costs five times as much.
fn write_count(mut count: u64, out: &mut Vec<u8>) {
    let mut digits = [b'0'; 20];
    let mut length = 0;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (count % 10) as u8;
        count /= 10;
        length += 1;
        if count == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(digits.len() - length..).unwrap_or_default());
}

/// Runs `write`, which writes JSON. For a `terminal`, hidden characters in that JSON become escapes.
pub fn show(terminal: bool, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    write(out);
    let shown = out.get(start..).filter(|_| terminal);
    let written = shown.and_then(|json| std::str::from_utf8(json).ok());
    if let Some(Cow::Owned(safe)) = written.map(json_escapes) {
        out.truncate(start);
        out.extend_from_slice(safe.as_bytes());
    }
}

/// Writes a document with its origin, its `stage` and its warnings.
pub fn document(
    text: &[u8],
    source: &str,
    stage: Stage,
    origin: &Origin,
    warnings: &[String],
    out: &mut Vec<u8>,
) {
    let mut object = ObjectWriter::begin(out);
    object.key(key!("document")).extend_from_slice(text);
    object.object(key!("origin"), |object| {
        object.text(key!("source"), Some(&source.into()));
        object.word(key!("stage"), stage.name());
        object.count(key!("line"), Some(origin.position.line));
        object.count(key!("column"), Some(origin.position.column));
        object.count(key!("offset"), Some(origin.position.offset));
        object.count(key!("length"), Some(origin.length));
        let info = origin.info.as_deref().map(Text::from);
        object.text(key!("info"), info.as_ref());
        let prefix = origin.prefix.as_deref().map(String::from_utf8_lossy);
        let prefix = prefix.map(|prefix| Text::from(prefix.into_owned()));
        object.text(key!("prefix"), prefix.as_ref());
    });
    object.array(key!("warnings"), warnings, |out, warning| {
        Text::from(warning.as_str()).write_json(out);
    });
    object.end();
}

/// Writes an event of a source, which is named if there are several, and a line feed.
pub fn event(event: &Event<'_>, source: Option<&Text<'_>>, with_raw: bool, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::begin(out);
    object.word(key!("phase"), event.phase.word());
    object.word(key!("status"), event.status.map(Status::word));
    object.text(key!("label"), event.label);
    object.text(key!("message"), event.message);
    object.text(key!("detail"), event.detail);
    object.text(key!("path"), event.path);
    if event.done {
        object.key(key!("progress")).extend_from_slice(b"1.0");
    }
    if let Some(usage) = &event.usage {
        object.object(key!("usage"), |object| tokens(object, usage));
    }
    object.raw(key!("timestamp"), event.timestamp);
    object.word(key!("agent"), event.agent.map(Agent::name));
    object.text(key!("source"), source);
    object.text(key!("parent"), event.parent);
    object.text(key!("prefix"), event.prefix);
    object.count(key!("line"), event.line);
    object.raw(key!("raw"), event.raw.filter(|_| with_raw));
    object.end();
    out.push(b'\n');
}

/// Which parts of a session are written.
#[derive(Debug, Clone, Copy, Default)]
pub struct SessionExtent<'s> {
    /// The name of the session's source, if there are several.
    pub source: Option<&'s str>,
    /// Whether only names, counts, times and classes are written: no prompts, texts, parameters or outputs.
    pub structural: bool,
    /// Whether the kept records are written, too.
    pub records: bool,
}

/// Writes the chosen parts of a session and a line feed.
pub fn session(session: &Session, extent: SessionExtent<'_>, out: &mut Vec<u8>) {
    let words = !extent.structural;
    let mut object = ObjectWriter::begin(out);
    object.word(key!("outcome"), session.outcome().word());
    failed_on(&mut object, session);
    object.word(key!("agent"), session.agent.map(Agent::name));
    object.text(key!("agent_version"), session.agent_version.as_ref());
    object.text(key!("session_id"), session.id.as_ref());
    object.text(key!("source"), extent.source.map(Text::from).as_ref());
    object.text(key!("prefix"), session.prefix.as_ref());
    object.text(key!("model"), session.model.as_ref());
    if words {
        object.text(key!("response"), session.response().as_ref());
        if let Some(json) = session.structured() {
            let structured = object.key(key!("structured_output"));
            structured.extend_from_slice(&Value::new(json.as_bytes()).compact());
        }
        object.text(key!("assistant_text"), session.assistant_text().as_ref());
    }
    object.count(key!("messages"), session.messages());
    object.count(key!("turns"), session.turns());
    let usage = session.usage();
    if usage.is_known() {
        object.object(key!("usage"), |object| tokens(object, &usage));
    }
    models(&mut object, &session.models());
    if let Some(tools) = session.tools() {
        self::tools(&mut object, tools);
    }
    let running = Some(session.running_tasks()).filter(|count| *count > 0);
    object.count(key!("background_tasks"), running);
    if let Some(tools) = session.files() {
        object.objects(
            key!("files"),
            tools.files().iter(),
            |object, (path, file)| {
                self::file(object, Some(path).filter(|_| words), file);
            },
        );
    }
    object.objects(key!("errors"), session.errors(), |object, problem| {
        error(object, problem, words);
    });
    object.count(key!("duration_ms"), session.duration_ms);
    noise(&mut object, &session.noise, words);
    object.count(key!("unknown_records"), Some(session.unknown_records));
    if extent.records {
        object.array(key!("events"), &session.records, |out, record| {
            out.extend_from_slice(&Value::new(record).compact());
        });
    }
    object.end();
    out.push(b'\n');
}

/// Writes the chosen parts of what is known of a stream without any session, and a line feed; nothing if nothing is
/// known.
pub fn no_session(sessions: &Sessions, extent: SessionExtent<'_>, out: &mut Vec<u8>) {
    let words = !extent.structural;
    let outcome = sessions.outcome();
    if outcome == Outcome::None {
        return;
    }
    let mut object = ObjectWriter::begin(out);
    object.word(key!("outcome"), outcome.word());
    object.word(key!("agent"), sessions.known_agent().map(Agent::name));
    object.text(key!("source"), extent.source.map(Text::from).as_ref());
    let known = sessions
        .known
        .map(|known| Problem::fatal(known.class, known.phrase.into()));
    object.objects(key!("errors"), &known, |object, problem| {
        error(object, problem, true);
    });
    noise(&mut object, &sessions.before, words);
    object.end();
    out.push(b'\n');
}

fn tokens(object: &mut ObjectWriter<'_>, tokens: &Tokens) {
    object.count(key!("input_tokens"), tokens.input);
    object.count(key!("cached_tokens"), tokens.cached);
    object.count(key!("output_tokens"), tokens.output);
    object.count(key!("reasoning_tokens"), tokens.reasoning);
    object.count(key!("total_tokens"), tokens.total);
    object.count(key!("requests"), tokens.requests);
    object.number(key!("cost_usd"), tokens.cost_usd);
}

/// Writes the limits that turned the session's success into a failure, if any did.
fn failed_on(object: &mut ObjectWriter<'_>, session: &Session) {
    let limits = session.limits();
    if !limits.is_empty() {
        object.array(key!("failed_on"), limits, |out, limit| {
            Text::from(limit.name.as_str()).write_json(out);
        });
    }
}

fn models(object: &mut ObjectWriter<'_>, models: &Named<Tokens>) {
    if !models.is_empty() {
        object.object(key!("models"), |object| {
            for (name, usage) in models.iter() {
                object.object_of(name, |object| tokens(object, usage));
            }
        });
    }
}

fn tools(object: &mut ObjectWriter<'_>, tools: &Tools) {
    object.object(key!("tools"), |object| {
        counts(object, &tools.sum());
        object.object(key!("by_name"), |object| {
            for (name, by_name) in tools.by_name().iter() {
                object.object_of(name, |object| counts(object, by_name));
            }
        });
    });
}

fn counts(object: &mut ObjectWriter<'_>, counts: &Counts) {
    object.count(key!("calls"), Some(counts.calls));
    object.count(key!("success"), Some(counts.success));
    object.count(key!("error"), Some(counts.error));
    object.count(key!("denied"), Some(counts.denied));
    object.count(key!("duration_ms"), counts.duration_ms);
}

fn file(object: &mut ObjectWriter<'_>, path: Option<&Text<'_>>, file: &File) {
    object.text(key!("path"), path);
    object.word(key!("operation"), file.operation.map(Operation::word));
    object.text(
        key!("tool"),
        Some(&file.tool).filter(|tool| !tool.is_empty()),
    );
    object.count(key!("writes"), Some(file.writes));
    object.count(key!("lines_added"), file.lines.added);
    object.count(key!("lines_removed"), file.lines.removed);
}

/// Writes an error; without `words` its class, its number and its times alone.
fn error(object: &mut ObjectWriter<'_>, problem: &Problem<'_>, words: bool) {
    object.word(key!("class"), problem.class.word());
    object.text(
        key!("message"),
        Some(&problem.message).filter(|message| words && !message.is_empty()),
    );
    match &problem.code {
        Some(Code::Number(number)) => object.number(key!("code"), Some(number)),
        Some(Code::Word(word)) if words => object.text(key!("code"), Some(word)),
        _ => {}
    }
    object.number(key!("fatal"), Some(problem.fatal));
    let resets_at = problem.resets_at.and_then(utc).map(Text::from);
    object.text(key!("resets_at"), resets_at.as_ref());
}

fn noise(object: &mut ObjectWriter<'_>, noise: &NoiseCount, words: bool) {
    object.object(key!("noise"), |object| {
        object.count(key!("lines"), Some(noise.lines));
        object.count(key!("bytes"), Some(noise.bytes));
        object.count(key!("broken"), Some(noise.broken));
        if words {
            object.objects(key!("samples"), &noise.samples, |object, (line, text)| {
                object.count(key!("line"), Some(*line));
                object.text(key!("text"), Some(&text.as_str().into()));
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::{show, write_count};

    #[test]
    fn counts_are_written_in_full() {
        for count in [0, 7, 10, 1_234_567_890, u64::MAX] {
            let mut out = Vec::new();
            write_count(count, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), count.to_string());
        }
    }

    #[test]
    fn json_on_a_terminal_means_the_same_and_shows_everything() {
        let json = "{\"a\":\"\u{202e}x\u{9b}\"}\n";
        let mut out = "\u{202e}".as_bytes().to_vec();
        show(true, &mut out, |out| out.extend(json.bytes()));
        let want = "\u{202e}{\"a\":\"\\u202ex\\u009b\"}\n";
        assert_eq!(String::from_utf8(out).unwrap(), want);
    }
}
