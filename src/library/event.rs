//! Progress events of a stream that is pushed piece by piece.

use std::collections::VecDeque;
use std::fmt;

use super::{Error, Options, Session};
use crate::failure::known_failure;
use jsift_agents::dialect::Agent;
use jsift_agents::dialect::reader::RecordReader;
use jsift_agents::event::{Event as Reported, Phase, Progress, Status};
use jsift_agents::fact::Tokens;
use jsift_agents::session::{Kept, Sessions};
use jsift_agents::stream::{Follower, StatedRecord, Stream};
use jsift_find::reading::Reading;
use jsift_json::text::Text;
use jsift_outcome::Outcome;
use jsift_sink::ndjson;

/// One thing that an agent did, in a form that is the same for every agent.
///
/// Unknown fields are `None`. Later versions may add fields.
///
/// ```
/// use jsift::{EventFeed, Phase, Status};
///
/// let mut feed = EventFeed::new();
/// let record = r#"{"type":"item.completed","item":{"id":"1","type":"command_execution","command":"ls","aggregated_output":"a.txt\n","exit_code":0,"status":"completed"}}"#;
/// feed.push_line(r#"{"type":"thread.started","thread_id":"t"}"#).for_each(drop);
/// let result = feed.push_line(record).last().unwrap();
/// assert_eq!(result.phase, Phase::Tool);
/// assert_eq!(result.status, Some(Status::Success));
/// assert_eq!(result.message.as_deref(), Some("a.txt\n"));
/// assert!(result.json().starts_with(r#"{"phase":"tool","status":"success""#));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// What the event is about.
    pub phase: Phase,
    /// How far the subject of the event has come.
    pub status: Option<Status>,
    /// Init: the model. Tool and file: the tool's name. Error and retry: the class of the failure. Complete: the
    /// outcome. Other: the record's type.
    pub label: Option<String>,
    /// User, assistant and reasoning: the text. Tool: its parameters as JSON while it is running, then its output or
    /// error. Error and retry: the message. Complete: one line with duration and tokens.
    pub message: Option<String>,
    /// Init: the session's id. Tool and file: the id of the tool call.
    pub detail: Option<String>,
    /// The file that the tool call or its result is about.
    pub path: Option<String>,
    /// Whether this is the last event about its subject, such as the result of a tool call.
    pub done: bool,
    /// Tokens and cost of the session, on a complete event.
    pub usage: Option<Tokens>,
    /// The agent that wrote the record.
    pub agent: Option<Agent>,
    /// The id of the tool call that started the subagent, if a subagent wrote the record.
    pub parent: Option<String>,
    /// The line of the record in the stream, 1-based.
    pub line: Option<u64>,
    json: String,
}

impl Event {
    fn new(event: &Reported<'_>) -> Self {
        let text = |text: Option<&Text<'_>>| text.map(|text| text.to_string_lossy().into_owned());
        let mut json = Vec::new();
        ndjson::event(event, None, false, &mut json);
        json.pop_if(|last| *last == b'\n');
        Self {
            phase: event.phase,
            status: event.status,
            label: text(event.label),
            message: text(event.message),
            detail: text(event.detail),
            path: text(event.path),
            done: event.done,
            usage: event.usage,
            agent: event.agent,
            parent: text(event.parent),
            line: event.line,
            json: String::from_utf8_lossy(&json).into_owned(),
        }
    }

    /// Returns the event as one line of JSON, as `jsift events` writes it, without a line feed.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.json
    }
}

/// Turns the records of an agent's stream into events as they are pushed.
///
/// There are no callbacks: each push returns an iterator, and a loop over it may fail with `?` or stop with `break`.
/// Events that the loop did not take are returned first by the next push.
///
/// ```
/// use jsift::EventFeed;
///
/// let stream = r#"{"type":"thread.started","thread_id":"t"}
/// {"type":"item.completed","item":{"id":"1","type":"agent_message","text":"Done."}}
/// {"type":"turn.completed","usage":{"input_tokens":9,"cached_input_tokens":0,"output_tokens":3}}
/// "#;
/// let mut feed = EventFeed::new();
/// let mut seen = Vec::new();
/// for line in stream.split_inclusive('\n') {
///     for event in feed.push(line.as_bytes()) {
///         seen.push(format!("{} {}", event.phase.word(), event.message.unwrap_or_default()));
///     }
/// }
/// assert_eq!(seen, ["init ", "assistant Done.", "complete 12 tokens"]);
///
/// let (_, session) = feed.finish();
/// assert_eq!(session?.response().as_deref(), Some("Done."));
/// # Ok::<(), jsift::Error>(())
/// ```
pub struct EventFeed {
    options: Options,
    reading: Reading,
    stream: Stream<EventFollower>,
}

/// Gathers the events of a stream's records.
struct EventFollower {
    progress: Progress,
    events: VecDeque<Event>,
}

impl Follower for EventFollower {
    fn record(&mut self, stated: StatedRecord<'_>) {
        let Self { progress, events } = self;
        progress.record(stated, &mut |event: &Reported<'_>| {
            events.push_back(Event::new(event));
        });
    }

    fn sessions(&mut self) -> &mut Sessions {
        &mut self.progress.sessions
    }
}

impl Default for EventFeed {
    fn default() -> Self {
        Self::new()
    }
}

impl EventFeed {
    /// Returns a feed at the start of a stream, with default options.
    #[must_use]
    pub fn new() -> Self {
        Options::new().event_feed()
    }

    /// Returns a feed at the start of a stream.
    pub(super) fn with(mut options: Options) -> Self {
        options.search.find.layout = true;
        let follow = EventFollower {
            progress: Progress::with(Sessions::new(Kept::Text)),
            events: VecDeque::new(),
        };
        let reader = options
            .agent
            .map_or_else(RecordReader::default, RecordReader::of);
        Self {
            reading: options.search.reading(),
            stream: Stream::new(reader, follow),
            options,
        }
    }

    /// Reads the next bytes of the stream and returns the events of the records that are now complete.
    pub fn push(&mut self, bytes: &[u8]) -> impl Iterator<Item = Event> {
        self.read(bytes);
        let EventFollower { events, .. } = self.stream.follower();
        std::iter::from_fn(|| events.pop_front())
    }

    /// Reads the next line of the stream, given without its line feed, and returns the events of its record.
    pub fn push_line(&mut self, line: &str) -> impl Iterator<Item = Event> {
        self.read(line.as_bytes());
        self.push(b"\n")
    }

    pub(super) fn read(&mut self, bytes: &[u8]) {
        self.reading.block(bytes, &mut self.stream);
    }

    /// Ends the stream. Returns the remaining events, and the last session of the stream.
    ///
    /// If the stream has no session, an error takes its place: [`Outcome::None`], or a failure that the text itself
    /// names.
    ///
    /// ```
    /// use jsift::{EventFeed, Outcome};
    ///
    /// let mut feed = EventFeed::new();
    /// feed.push_line("The agent never started.").for_each(drop);
    /// let (events, session) = feed.finish();
    /// assert!(events.is_empty());
    /// assert_eq!(session.unwrap_err().outcome(), Outcome::None);
    /// ```
    #[must_use = "the last events come here"]
    pub fn finish(mut self) -> (Vec<Event>, Result<Session, Error>) {
        self.reading.end(&mut self.stream);
        let EventFollower {
            mut progress,
            mut events,
        } = self.stream.finish();
        progress.finish(&mut |event: &Reported<'_>| events.push_back(Event::new(event)));
        let sessions = std::mem::take(&mut progress.sessions);
        let session = self.options.check().and_then(|()| last_of(sessions));
        (events.into(), session)
    }
}

/// Returns the last session, or the reason why there is none.
fn last_of(sessions: Sessions) -> Result<Session, Error> {
    let why = match (sessions.known, sessions.outcome()) {
        (Some(known), _) => Error::new(known.class, known_failure(&known).text()),
        (None, Outcome::Malformed) => Error::new(Outcome::Malformed, "no sound record found"),
        (None, Outcome::Truncated) => Error::new(Outcome::Truncated, "no sound record found"),
        (None, _) => Error::new(Outcome::None, "no record of a known agent found"),
    };
    sessions.into_all().pop().map(Session::new).ok_or(why)
}

impl fmt::Debug for EventFeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventFeed").finish_non_exhaustive()
    }
}
