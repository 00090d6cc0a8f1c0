//! The public form of a session.

use std::borrow::Cow;
use std::time::Duration;

use jsift_agents::dialect::Agent;
use jsift_agents::fact::Tokens;
use jsift_agents::session::Session as Folded;
use jsift_json::text::Text;
use jsift_outcome::Outcome;
use jsift_sink::ndjson::{self, SessionExtent};

/// How an agent's run went, as `jsift summary` reports it. Nothing is counted twice. What the stream does not state is
/// `None`.
///
/// ```
/// use jsift::Outcome;
///
/// let stream = r#"{"type":"init","timestamp":"t","session_id":"s","model":"m"}
/// {"type":"message","timestamp":"t","role":"assistant","content":"Do","delta":true}
/// {"type":"message","timestamp":"t","role":"assistant","content":"ne.","delta":true}
/// {"type":"result","timestamp":"t","status":"success","stats":{"total_tokens":12,"input_tokens":9,"output_tokens":3}}
/// "#;
/// let session = jsift::session(stream)?;
/// assert_eq!(session.outcome(), Outcome::Success);
/// assert_eq!(session.agent(), Some(jsift::Agent::Gemini));
/// assert_eq!(session.response().as_deref(), Some("Done."));
/// assert_eq!(session.usage().total, Some(12));
/// assert!(session.json().starts_with(r#"{"outcome":"success","agent":"gemini""#));
/// # Ok::<(), jsift::Error>(())
/// ```
#[derive(Debug)]
pub struct Session(Folded);

impl Session {
    pub(super) const fn new(session: Folded) -> Self {
        Self(session)
    }

    /// Returns how the run ended.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.0.outcome()
    }

    /// Returns why the run failed, in the words of the agent if it gave a reason. `None` if the run succeeded.
    #[must_use]
    pub fn reason(&self) -> Option<Cow<'_, str>> {
        self.0.reason()
    }

    /// Returns the agent, if it is a known one.
    #[must_use]
    pub const fn agent(&self) -> Option<Agent> {
        self.0.agent
    }

    /// Returns the agent's version.
    #[must_use]
    pub fn agent_version(&self) -> Option<Cow<'_, str>> {
        self.0.agent_version.as_ref().map(Text::to_string_lossy)
    }

    /// Returns the session's id.
    #[must_use]
    pub fn id(&self) -> Option<Cow<'_, str>> {
        self.0.id.as_ref().map(Text::to_string_lossy)
    }

    /// Returns the name of the model.
    #[must_use]
    pub fn model(&self) -> Option<Cow<'_, str>> {
        self.0.model.as_ref().map(Text::to_string_lossy)
    }

    /// Returns the final answer: the text after the last tool call.
    #[must_use]
    pub fn response(&self) -> Option<String> {
        let response = self.0.response();
        response.map(|text| text.to_string_lossy().into_owned())
    }

    /// Returns all text of the agent's messages.
    #[must_use]
    pub fn assistant_text(&self) -> Option<String> {
        let text = self.0.assistant_text();
        text.map(|text| text.to_string_lossy().into_owned())
    }

    /// Returns the number of turns.
    #[must_use]
    pub fn turns(&self) -> Option<u64> {
        self.0.turns()
    }

    /// Returns how many tokens the run used, and its cost.
    #[must_use]
    pub fn usage(&self) -> Tokens {
        self.0.usage()
    }

    /// Returns how long the run took, as the agent states it.
    #[must_use]
    pub fn duration(&self) -> Option<Duration> {
        self.0.duration_ms.map(Duration::from_millis)
    }

    /// Returns the messages of errors and warnings, in the order of the stream.
    pub fn errors(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let errors = self.0.errors().iter();
        errors.map(|error| error.message.to_string_lossy())
    }

    /// Returns the paths of the files that were written, in the order of their first write.
    pub fn files(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let files = self.0.files().into_iter();
        files.flat_map(|tools| tools.files().iter().map(|(path, _)| path.to_string_lossy()))
    }

    /// Returns the session as one JSON object, as `jsift summary --format json` writes it, without a line feed.
    #[must_use]
    pub fn json(&self) -> String {
        let mut json = Vec::new();
        ndjson::session(&self.0, SessionExtent::default(), &mut json);
        json.pop_if(|last| *last == b'\n');
        String::from_utf8_lossy(&json).into_owned()
    }
}
