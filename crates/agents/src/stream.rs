//! Connects the finder and the facts: documents go to the dialects, everything else is noise.

mod ai_sdk;
mod before;
mod cut;
mod events;
mod name;
mod noise;
mod sse;
mod visitor;
mod writers;

use crate::dialect::class::{self, known_message};
use crate::dialect::reader::{FoundRecord, RecordReader, Records, Taken};
use crate::dialect::{Agent, has_type, may_be_read};
use crate::fact::{Fact, Statement};
use crate::session::Sessions;
use before::TextBefore;
use cut::CutArray;
use events::Events;
use jsift_find::document::{Document, Fault, Rank};
use jsift_json::text::Text;
use jsift_json::view::{Object, ObjectMemory, Value};
use noise::{CountedLines, LINE_KEPT, sample};
pub use sse::LONGEST_EVENT;
pub(crate) use sse::NamedEvents;
use writers::{Owner, RunStart, Writers};

/// The column at which programs wrap their messages if there is no terminal.
const WIDTH: usize = 80;

pub use crate::dialect::reader::StatedRecord;

/// Receives the contents of a stream.
pub trait Follower {
    /// Receives a record.
    fn record(&mut self, stated: StatedRecord<'_>);
    /// Returns the sessions that noise is counted for.
    fn sessions(&mut self) -> &mut Sessions;
    /// Receives a broken record, or any document that is larger than the limit.
    fn broken(&mut self, _fault: &Fault) {}
}

impl Follower for Sessions {
    fn record(&mut self, stated: StatedRecord<'_>) {
        Self::record(self, stated.agent, stated.statement);
    }

    fn sessions(&mut self) -> &mut Sessions {
        self
    }
}

/// Reads one source's documents as records and hands them to a [`Follower`].
pub struct Stream<F> {
    writers: Writers,
    follower: F,
    line: OpenNoiseLine,
    /// The prefix that was taken off the current line.
    prefix: Option<Vec<u8>>,
    /// Whether the next piece follows a document on the same line.
    goes_on: bool,
    counted: CountedLines,
    events: Events,
    /// The text before the next document, if that is the first one.
    before: TextBefore,
    /// The array at the end of the input that is not complete.
    cut: Option<CutArray>,
    /// Whether the source has a document that counts and is no record, nor what scripts print next to the body of a
    /// response.
    other: bool,
    /// Whether files describe agents: any document may be a record of theirs.
    has_files: bool,
    /// The memory for the members of the next record.
    memory: ObjectMemory,
}

/// The line of noise that is being collected.
#[derive(Default)]
struct OpenNoiseLine {
    number: u64,
    text: Vec<u8>,
    bytes: u64,
    blank: bool,
}

impl OpenNoiseLine {
    /// Returns what stands before a document on the line, given the prefix that was taken off it.
    fn left<'l>(&'l self, prefix: Option<&'l [u8]>) -> &'l [u8] {
        let own = match self.bytes {
            0 => &[][..],
            _ => &self.text,
        };
        prefix.unwrap_or(own)
    }
}

impl<F: Follower> Stream<F> {
    /// Returns a stream whose records `reader` reads.
    pub fn new(reader: RecordReader, follower: F) -> Self {
        Self {
            has_files: reader.has_files(),
            writers: Writers::new(reader),
            follower,
            line: OpenNoiseLine::default(),
            prefix: None,
            goes_on: false,
            counted: CountedLines::default(),
            events: Events::default(),
            before: TextBefore::default(),
            cut: None,
            other: false,
            memory: ObjectMemory::default(),
        }
    }

    /// Returns the follower, while the stream is being read.
    pub const fn follower(&mut self) -> &mut F {
        &mut self.follower
    }

    /// Whether the documents so far are the records of a stream, although no agent is known that writes it; `several`
    /// says that two or more are on lines of their own, and `chosen` is the one that would be the answer. None of them
    /// is. The data of a single event are a record if they say what they are.
    pub fn has_unknown(&mut self, several: bool, chosen: Option<&Object<'_>>) -> bool {
        let mut all = 0..self.writers.all.len();
        let mut may_be_agents =
            || all.any(|one| (self.writers.get(one).reader).may_be_agents(several, chosen));
        let is_event = || self.events.are_at_data() && chosen.is_some_and(has_type);
        self.events.are_in_source() || may_be_agents() || is_event()
    }

    /// Ends the stream and returns the follower.
    pub fn finish(mut self) -> F {
        self.end_noise_line();
        self.end_cut_array();
        let alone = !self.other;
        for writer in 0..self.writers.all.len() {
            // An API's error is noise next to records of other writers.
            let has_other = self.follower.sessions().current().is_some();
            self.select_writer(writer);
            let is_own = self.follower.sessions().selected().is_some();
            let (reader, mut receiver) = self.parts_of(writer);
            reader.finish(alone && (is_own || !has_other), &mut receiver);
        }
        self.follower.sessions().settle_known(alone);
        self.follower
    }

    /// Returns the reader of the current writer, and the receiver of the records that it finds.
    fn parts(&mut self) -> (&mut RecordReader, RecordReceiver<'_, F>) {
        self.parts_of(self.writers.current)
    }

    /// Returns the reader of a writer, and the receiver of the records that it finds.
    fn parts_of(&mut self, writer: usize) -> (&mut RecordReader, RecordReceiver<'_, F>) {
        let (follower, counted) = (&mut self.follower, &mut self.counted);
        let reader = &mut self.writers.get(writer).reader;
        (reader, RecordReceiver { follower, counted })
    }

    /// Makes `writer` the one whose sessions get the next records.
    fn select_writer(&mut self, writer: usize) {
        let prefix = self.writers.prefix(writer);
        self.follower.sessions().select_writer(writer, prefix);
    }

    /// Counts the next document if it is the data of an event. Returns the name of the event.
    fn event_of_document(&mut self, document: Document<'_>) -> Option<Vec<u8>> {
        self.set_prefix(document.prefix);
        if self.goes_on {
            return None;
        }
        let left = self.line.left(self.prefix.as_deref());
        self.events.of_document(left, document.text)
    }

    /// Finds the writer of a document. Returns the name of the event that the document is the data of.
    fn switch_to(&mut self, document: Document<'_>) -> Option<Vec<u8>> {
        let event = self.event_of_document(document);
        if !self.goes_on {
            let left = self.line.left(self.prefix.as_deref());
            let sessions = self.follower.sessions();
            let starts = |reader| starts(reader, Value::new(document.text), sessions);
            self.writers.switch_to(left, document.text, starts);
        }
        self.goes_on = true;
        self.select_writer(self.writers.current);
        event
    }

    /// Notes the prefix that was taken off the lines of what comes next.
    #[inline]
    fn set_prefix(&mut self, prefix: Option<&[u8]>) {
        // Most lines have no prefix.
        let is_none = prefix.is_none() && self.prefix.is_none();
        if !is_none && prefix != self.prefix.as_deref() {
            self.prefix = prefix.map(<[u8]>::to_vec);
            self.goes_on = false;
        }
    }

    /// Finds the writer of a broken record. The line of a fence's marks goes on, as it is noise.
    fn find_writer_of_fault(&mut self, in_fence: bool) {
        if !self.goes_on && self.writers.all.len() > 1 {
            let left = self.prefix.as_deref().unwrap_or(&self.line.text);
            if let Owner::Writer(writer) = self.writers.owner(left) {
                self.writers.current = writer;
            }
        }
        if !in_fence {
            // If these are the data of a named event, it says nothing.
            let left = self.line.left(self.prefix.as_deref());
            self.events.lose(left);
            self.end_noise_line();
        }
        self.select_writer(self.writers.current);
    }

    /// Finds the writer of a line of noise. Returns the line without its prefix; `None` if it belongs to a writer
    /// without any record.
    fn find_writer_of_noise<'t>(&mut self, text: &'t [u8]) -> Option<&'t [u8]> {
        if !self.writers.have_names() {
            return Some(self.writers.after(text));
        }
        let line = self.prefix.as_deref().unwrap_or(text);
        let (writer, said) = match (self.writers.owner(line), &self.prefix) {
            (Owner::Writer(writer), None) => (writer, Some(self.writers.said(writer, text))),
            (Owner::Writer(writer), Some(_)) => (writer, Some(text)),
            (Owner::NewWriter, _) => (self.writers.current, None),
            (Owner::Unknown, _) => (self.writers.current, Some(self.writers.after(text))),
        };
        self.select_writer(writer);
        said
    }

    fn end_noise_line(&mut self) {
        let has_text = self.line.bytes > 0 && !self.line.blank;
        let mut text = std::mem::take(&mut self.line.text);
        if has_text {
            self.count_noise(&text, self.line.bytes, self.line.number);
        }
        text.clear();
        self.line.text = text;
        self.line.bytes = 0;
    }

    /// Counts a line of noise of that many bytes, which starts with `text`.
    fn count_noise(&mut self, line: &[u8], bytes: u64, number: u64) {
        self.before.add(line);
        let said = self.find_writer_of_noise(line);
        let sessions = self.follower.sessions();
        self.counted
            .add(number, bytes, sessions.noise(), || sample(line));
        if let Some((event, more)) = self.events.of_line(line, said) {
            return self.read_event(&event, &more, number);
        }
        let Some(text) = said else {
            return;
        };
        let selected = sessions.selected;
        let is_end = || {
            let after = || self.writers.carried(selected, line);
            NamedEvents::is_end(text) || after().is_some_and(NamedEvents::is_end)
        };
        if self.writers.all[selected].reader.is_open() && is_end() {
            self.writers.current = selected;
            let (reader, mut receiver) = self.parts();
            return reader.end_open(&|| number, &mut receiver);
        }
        let writer = self.writers.get(selected);
        let wrapped = std::mem::take(&mut writer.wrapped);
        let is_apart = || class::is_of_stack(&String::from_utf8_lossy(text));
        let whole = match wrapped.is_empty() || is_apart() {
            true => text,
            false => &*[&wrapped, text].concat(),
        };
        if let Some(known) = known_message(whole) {
            sessions.note_known_message(known);
            let is_wrapped = text.len() + 1 >= WIDTH && !text.trim_ascii_end().ends_with(b"}");
            if known.tells_more && is_wrapped && whole.len() < LINE_KEPT {
                writer.wrapped = whole.to_vec();
            }
        } else if class::may_be_stated(line) {
            let after = || self.writers.carried(selected, line);
            let class = class::of_line(text).or_else(|| class::of_line(after()?));
            class
                .into_iter()
                .for_each(|class| sessions.note_class(class));
        }
        let current = sessions.selected().filter(|session| !session.has_ended());
        if let Some(agent) = current.and_then(|session| session.agent)
            && let Some(retry) = (agent.entry().retry)(text)
        {
            let mut statement = Statement::default();
            statement.push(Fact::Retry(retry));
            self.follower.record(StatedRecord {
                agent: Some(agent),
                line: &|| number,
                document: Value::new(b""),
                statement: &statement,
            });
        }
    }

    /// Reads an event without a document on the line `number`; `more` are its members next to its name.
    fn read_event(&mut self, event: &[u8], more: &[u8], number: u64) {
        let line = || number;
        let found = FoundRecord {
            line: &line,
            ..FoundRecord::ALONE
        };
        let writer = self.follower.sessions().selected;
        self.writers.current = writer;
        let (reader, mut receiver) = self.parts();
        let _ = reader.read_event(event, more, found, &mut receiver);
    }

    /// Reads a document that may be a record.
    pub fn read(&mut self, document: Document<'_>) {
        // The bytes of a weak document are reported as noise, and the document itself may come long after them.
        let parts_noise = document.rank != Rank::Weak;
        let mut event = None;
        if parts_noise {
            event = self.switch_to(document);
            if self.line.bytes > 0 {
                self.end_noise_line();
                self.select_writer(self.writers.current);
            }
        }
        let line = || document.position().line;
        let value = Value::of_document(document.text);
        let before = std::mem::replace(&mut self.before, TextBefore::Other);
        let found = FoundRecord {
            line: &line,
            rank: match document.rank {
                Rank::Embedded if before == TextBefore::Head => Rank::Whole,
                rank => rank,
            },
            event: event.as_deref(),
        };
        let memory = std::mem::take(&mut self.memory);
        let is_data = self.events.are_at_data();
        let (reader, mut receiver) = self.parts();
        reader.is_data = is_data;
        let record = Object::of_document(value, document.layout, memory);
        let taken = match &record {
            Some(record) => reader.read_record(record, found, &mut receiver),
            None => reader.read_array(value, found, &mut receiver),
        };
        if let Some(record) = record {
            self.memory = record.into_memory();
        }
        if parts_noise {
            self.writers.wrote(taken != Taken::Unclaimed);
            if taken == Taken::Unclaimed {
                self.pass(document);
            }
        }
    }

    /// Whether a document may be a record: a quick check, which is reliable only if it says no.
    pub fn may_be_read(&self, document: Document<'_>) -> bool {
        self.events.may_name()
            || self.has_files
            || may_be_read(Value::new(document.text), document.layout)
    }

    /// Counts a document that is no record as noise, whatever it contains; the bytes of a weak one are reported as
    /// noise anyway.
    pub fn pass(&mut self, document: Document<'_>) {
        if document.rank == Rank::Weak {
            return;
        }
        let _ = self.event_of_document(document);
        self.end_noise_line();
        self.before = TextBefore::Other;
        self.goes_on = true;
        self.other = self.other || !is_next_to_body(document.text);
        let noise = self.follower.sessions().noise();
        let first = document.position().line;
        self.counted
            .document(first, document.text, document.compact, noise);
    }
}

/// Receives the records that the reader finds, and the held documents that turn out to be none.
struct RecordReceiver<'s, F> {
    follower: &'s mut F,
    counted: &'s mut CountedLines,
}

impl<F: Follower> Records for RecordReceiver<'_, F> {
    fn record(&mut self, stated: StatedRecord<'_>) {
        self.follower.record(stated);
    }

    fn held(&mut self, line: u64) {
        self.counted.hold(line);
    }

    fn unclaimed(&mut self, line: u64, document: &[u8]) {
        let noise = self.follower.sessions().noise();
        self.counted.release(line);
        self.counted.document(line, document, false, noise);
    }

    fn agent_of(&mut self, session: &Text<'_>) -> Option<Agent> {
        self.follower.sessions().agent_of(session)
    }

    fn turned_out(&mut self, agent: Option<Agent>) {
        self.follower.sessions().turned_out(agent);
    }
}

/// The length of the longest document that is looked at as a request, in bytes.
const REQUEST: usize = 1 << 20;

/// Whether a document is one that scripts print next to the body of a response: the request that was sent, or a scalar,
/// as `curl -w '%{http_code}'` and `echo $?` do.
fn is_next_to_body(document: &[u8]) -> bool {
    if !matches!(document.first(), Some(b'{' | b'[')) {
        return true;
    }
    let near = Some(document).filter(|document| document.len() <= REQUEST);
    let Some(request) = near.and_then(|document| Object::new(Value::new(document))) else {
        return false;
    };
    let has = |name| request.get(name).is_some();
    let is_prompt = |name| {
        request
            .get(name)
            .is_some_and(|value| value.elements().next().is_some())
    };
    is_prompt("messages")
        || is_prompt("contents")
        || has("model") && (has("input") || has("prompt"))
}

/// Returns how a run of an agent starts with a document that belongs to none of the `sessions` so far; `None` if none
/// does. Responses of APIs do not count: any piece may be the first.
fn starts(mut reader: RecordReader, document: Value<'_>, sessions: &Sessions) -> Option<RunStart> {
    let mut start = None;
    let mut look = |stated: StatedRecord<'_>| {
        if stated.agent.is_none() || stated.statement.start().is_none() {
            return;
        }
        start = start.or(match sessions.have(stated.statement) {
            Some(true) => None,
            Some(false) => Some(RunStart::OfAnother),
            None => Some(RunStart::Unclear),
        });
    };
    let _ = reader.read(document, FoundRecord::ALONE, &mut look);
    start
}

#[cfg(test)]
mod tests {
    use super::Stream;
    use crate::dialect::Agent;
    use crate::dialect::reader::RecordReader;
    use crate::session::{Kept, Sessions};
    use jsift_find::finder::{FindOptions, Finder};
    use jsift_outcome::Outcome;

    const ERROR: &str =
        r#"{"error": {"type": "Error", "message": "[API Error: 401 no]", "code": 1}}"#;
    const QWEN: &str = r#"[{"type":"system","subtype":"init","session_id":"s","qwen_code_version":"0.24.4"},{"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"s","num_turns":1,"error":{"message":"[API Error: 401 no]"}}]"#;
    const GEMINI: &str = r#"{"response":"ok","stats":{"models":{}}}"#;

    fn read(text: &str) -> Sessions {
        let mut stream = Stream::new(RecordReader::default(), Sessions::new(Kept::Text));
        let mut finder = Finder::new(FindOptions::default());
        finder.push(text.as_bytes(), &mut stream);
        finder.finish(&mut stream);
        stream.finish()
    }

    fn sessions(text: &str) -> Vec<(Option<Agent>, Outcome)> {
        let sessions = read(text);
        let all = sessions.all().iter();
        all.map(|session| (session.agent, session.outcome()))
            .collect()
    }

    #[test]
    fn noise_is_counted_once_however_it_comes() {
        let many = "more than is kept of what was read\n".repeat(400);
        // A document that ends in the middle here is not complete yet.
        for end in ["see [1, 2]", "12:00 {\"a\":\n", "```\n[1, 2", "[1, 2] "] {
            let begun = format!("{many}{end}");
            let rest = " and more\n```\n".repeat(2);
            let counted = |pieces: &[&str]| {
                let mut stream = Stream::new(RecordReader::default(), Sessions::new(Kept::Text));
                let mut finder = Finder::new(FindOptions::default());
                for piece in pieces {
                    finder.push(piece.as_bytes(), &mut stream);
                }
                finder.finish(&mut stream);
                let mut sessions = stream.finish();
                let noise = sessions.noise();
                (noise.lines, noise.bytes)
            };
            let lines: Vec<&str> = begun.split_inclusive('\n').chain([&*rest]).collect();
            assert_eq!(counted(&[&begun, &rest]), counted(&lines), "{end}");
        }
        // So many weak documents that they are handed on before the end.
        let weak = "list [1, 2] of numbers\n".repeat(5000);
        let noise = read(&weak).noise().clone();
        let bytes = weak.len() as u64 - 5000;
        assert_eq!((noise.lines, noise.bytes), (5000, bytes));
    }

    #[test]
    fn a_broken_record_is_one_line_of_noise_with_one_sample() {
        let text = "12:00 {\"type\":\"init\" oops}\n{\"type\":\"x\",,}\nlast words\n";
        let sessions = read(text);
        let noise = sessions.before;
        assert_eq!((noise.lines, noise.broken), (3, 2));
        assert_eq!(noise.bytes, text.len() as u64 - 3);
        let samples = [
            (1, "{\"type\":\"init\" o"),
            (2, "{\"type\":\"x\",,"),
            (3, "last words"),
        ];
        assert_eq!(
            noise.samples,
            samples.map(|(line, text)| (line, text.to_owned()))
        );
    }

    #[test]
    fn a_stream_that_is_cut_in_its_first_record_is_truncated() {
        let config =
            r#"{"sandbox":"read-only","reasoning effort":"none","model":"m","workdir":"/w"#;
        // The result of Claude Code 1.0, which Qwen Code's resembles.
        let result = r#"{"type":"result","subtype":"success","is_error":false,"duration_ms":7,"duration_api_ms":5,"num_turns":1,"result":"ok","session_id":"s","tot"#;
        for (cut, agent) in [(config, None), (result, Some(Agent::Claude))] {
            let all = sessions(cut);
            let agents = all.iter().map(|(agent, _)| *agent);
            assert_eq!(agents.collect::<Vec<_>>(), Vec::from_iter(agent.map(Some)));
            assert_eq!(read(cut).outcome(), Outcome::Truncated);
        }
    }

    #[test]
    fn a_foreign_document_is_noise_with_a_sample() {
        let text = format!("{GEMINI}\n {{\"level\":30,\n \"msg\":\"pino\"}} end\n");
        let sessions = read(&text);
        let samples = [(2, "{\"level\":30,"), (3, "\"msg\":\"pino\"}")];
        assert_eq!(
            sessions.all()[0].noise.samples,
            samples.map(|(line, text)| (line, text.to_owned()))
        );
    }

    #[test]
    fn what_is_left_of_an_envelope_is_malformed_where_noise_follows_and_no_session() {
        let outcome = |text: &str| read(text).outcome();
        let cut = "{\n  \"session_id\": \"s\",\n  \"response\": \"Sure! Here";
        assert_eq!(outcome(cut), Outcome::Truncated);
        let after = "Hook system message: session-end-noise";
        let left = format!("{cut}\n{after}\n");
        assert_eq!(outcome(&left), Outcome::Malformed);
        // The time stamps that Buildkite writes.
        let stamped = left.replace("\n", "\n\x1b_bk;t=1745322209921\x07");
        assert_eq!(outcome(&stamped), Outcome::Malformed);
        assert_eq!(outcome(&format!("{left}{GEMINI}\n")), Outcome::Success);
        let log = format!("{{\"level\": 30, \"msg\": \"{after}\n{after}\n");
        assert_eq!(outcome(&log), Outcome::None);
    }

    #[test]
    fn agents_may_write_side_by_side() {
        let gemini = [
            r#"{"type":"init","timestamp":"t","session_id":"g","model":"m"}"#,
            r#"{"type":"message","timestamp":"t","role":"user","content":"go"}"#,
            r#"{"type":"message","timestamp":"t","role":"assistant","content":"Paris.","delta":true}"#,
            r#"{"type":"result","timestamp":"t","status":"success","stats":{"total_tokens":9}}"#,
        ];
        let claude = [
            r#"{"type":"system","subtype":"init","session_id":"c","tools":[],"model":"m","permissionMode":"default"}"#,
            r#"{"type":"assistant","message":{"id":"1","model":"m","content":[{"type":"text","text":"Rome."}]},"session_id":"c"}"#,
            r#"{"type":"user","message":{"role":"user","content":"and?"},"session_id":"c","timestamp":"t"}"#,
            r#"{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"Rome.","session_id":"c"}"#,
        ];
        let both = gemini.iter().zip(claude);
        let log: String = both
            .map(|(a, b)| format!("a-1  | {a}\nb-1  | {b}\n"))
            .collect();
        let all = read(&log);
        let reported = all.all().iter().map(|session| {
            let answer = session.response().unwrap().to_string_lossy().into_owned();
            (session.agent, session.outcome(), answer)
        });
        let one = |agent, answer: &str| (Some(agent), Outcome::Success, answer.to_owned());
        let expected = [one(Agent::Gemini, "Paris."), one(Agent::Claude, "Rome.")];
        assert_eq!(reported.collect::<Vec<_>>(), expected);
        // After its end, a record without an id starts another run.
        let later = format!("{log}{}\n", gemini[2]);
        assert_eq!(read(&later).all().len(), 3);
    }

    #[test]
    fn an_error_as_text_is_found_after_the_prefix_of_the_records() {
        let lines = [
            r#"{"type":"system","subtype":"init","apiKeySource":"login","session_id":"c","model":"m","permissionMode":"default"}"#,
            r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Well"}]},"session_id":"c"}"#,
            "Error: 401 Unauthorized",
        ];
        for prefix in [
            "",
            "    ",
            "\t",
            "agent-1  | ",
            "agent-1  | 2026-11-21T21:04:0#.1Z ",
            "job\tstep\t2026-11-21T21:04:0#.1Z ",
            "[pod/a/app] 2026-11-21T21:04:0#.1Z ",
            "INFO:agent:",
            "run.log:#:",
            "100# [main] INFO App - ",
            "     #\t",
        ] {
            let numbered = (8..).zip(lines).map(|(number, line)| {
                format!("{}{line}\n", prefix.replace('#', &number.to_string()))
            });
            let all = sessions(&numbered.collect::<String>());
            assert_eq!(all, [(Some(Agent::Cursor), Outcome::Auth)], "{prefix}");
        }
    }

    #[test]
    fn an_error_object_belongs_to_the_fork_whose_records_follow() {
        let qwen = (Some(Agent::Qwen), Outcome::Auth);
        let gemini = (Some(Agent::Gemini), Outcome::Auth);
        assert_eq!(sessions(&format!("{ERROR}{QWEN}\n")), [qwen]);
        assert_eq!(sessions(&format!("{ERROR}\n")), [gemini]);
        assert_eq!(
            sessions(&format!("{ERROR}\n{GEMINI}\n")),
            [gemini, (Some(Agent::Gemini), Outcome::Success)]
        );
    }
}
