//! Messages of `events` and `summary`: about broken records, and about why a run failed.

use memchr::memmem;

use crate::command::cli::StreamOptions;
use crate::command::run::head::Head;
use crate::command::run::source::Channels;
use crate::failure::{failure_in, known_failure};
use jsift_agents::session::{OTHERS, REPORTED, Session, Sessions};
use jsift_find::document::{Fault, FaultKind};
use jsift_find::input::{BARE_UTF16, is_bare_utf16};
use jsift_find::unwrap::Field;
use jsift_outcome::Outcome;
use jsift_sink::diagnostic::{Diagnostic, STANDARD_INPUT, excerpt};
use jsift_sink::report::noise;

/// The maximum length of an excerpt of a broken record, in characters.
const RECORD_EXCERPT: usize = 50;
/// The maximum length of other excerpts of the input, in characters.
const EXCERPT: usize = 100;

/// The hint for an empty input.
pub(super) const TO_STANDARD_ERROR: &str =
    "gemini, claude and qwen print their error object on standard error: add 2>&1 before the pipe";
const OTHER_READERS: &str = "--agent NAME names the agent (--help lists the names), --agent-file describes another one; \
     `jsift extract` finds any JSON";
const IN_FIELD: &str = "a field of these lines has JSON in it: --unwrap auto reads those of docker and journald, --unwrap /FIELD any other";
const OTHER_AGENTS: &str = "without --agent the agent is detected from its records";

/// Returns the message that no line has the field which `--unwrap` names.
pub(super) fn missed_field(field: &Field) -> Diagnostic {
    Diagnostic::warning(format!("no line has a value at {field}"))
        .hint("--unwrap reads such lines as they are")
}

/// What messages need to know about one source.
#[derive(Debug)]
pub(crate) struct Notes {
    pub(super) source: String,
    /// The name of the agent that was given as an option.
    pub(super) agent: Option<String>,
    strict: bool,
    /// Whether the input must not be repeated in messages, because of who reads them.
    pub(super) structural: bool,
    head: Head,
    broken: bool,
    limit: bool,
}

impl Notes {
    /// Returns notes on the source that messages call `source`.
    #[must_use]
    pub(crate) fn new(source: &str, options: &StreamOptions, structural: bool) -> Self {
        Self {
            source: source.to_owned(),
            agent: options.agent.clone(),
            strict: options.strict,
            structural,
            head: Head::default(),
            broken: false,
            limit: false,
        }
    }

    /// Keeps the beginning of the source from its next bytes.
    pub(crate) fn block(&mut self, bytes: &[u8]) {
        self.head.push(bytes);
    }

    /// Returns whether the beginning is complete, so that no further bytes are needed.
    #[must_use]
    pub(crate) const fn has_head(&self) -> bool {
        self.head.is_full()
    }

    /// Reports a broken record, or a document over the size limit.
    pub(crate) fn fault(&mut self, fault: &Fault, to: &mut Channels<'_>) {
        let sample = self.quote(": ", &fault.sample, RECORD_EXCERPT);
        let message = match fault.kind {
            FaultKind::Limit => {
                self.limit = true;
                Diagnostic::error("a document is larger than --max-document")
                    .hint("--max-document SIZE raises the limit")
                    .group("documents larger than --max-document")
            }
            kind => {
                self.broken = true;
                let text = match kind {
                    FaultKind::Truncated => format!("truncated record{sample}"),
                    _ => format!("broken record: {}{sample}", fault.reason),
                };
                let level = if self.strict {
                    Diagnostic::error
                } else {
                    Diagnostic::warning
                };
                level(text)
                    .group("broken records")
                    .hint_if(cut_by_pipe(fault))
            }
        };
        self.report(message.at_fault(fault), to);
    }

    fn report(&self, message: Diagnostic, to: &mut Channels<'_>) {
        to.report(message.of(self.source.as_str()));
    }

    /// Returns an excerpt of the input with `before` in front of it; empty if the input must not be repeated.
    fn quote(&self, before: &str, text: &[u8], most: usize) -> String {
        match self.structural {
            true => String::new(),
            false => format!("{before}'{}'", excerpt(text, most)),
        }
    }

    /// Returns the outcome of the source, given the outcome of its sessions.
    #[must_use]
    pub(crate) const fn outcome(&self, sessions: Outcome) -> Outcome {
        // The exit code of a truncated stream comes from the same outcome that is reported for its sessions.
        let outcome = if self.strict && self.broken {
            Outcome::Malformed.worse(sessions)
        } else {
            sessions
        };
        if self.limit {
            outcome.worse(Outcome::Limit)
        } else {
            outcome
        }
    }

    /// Reports why a source has no session, or why its sessions failed, if any did.
    pub(crate) fn explain_all(&self, sessions: &Sessions, to: &mut Channels<'_>) {
        self.no_session(sessions, to);
        for session in sessions.all() {
            self.explain(sessions, session, to);
        }
    }

    /// Reports why one of the sessions failed, if it did.
    pub(crate) fn explain(&self, sessions: &Sessions, session: &Session, to: &mut Channels<'_>) {
        let agent = session.agent_name();
        let skipped = match noise(session, self.structural) {
            Some((noise, _)) => format!("{agent}: skipped {noise}"),
            None => format!("{agent}: skipped nothing"),
        };
        self.report(Diagnostic::verbose(skipped), to);
        if let Some(message) = failure_in(sessions, session, self.structural) {
            self.report(message.group("failed sessions"), to);
        }
        let running = session.running_tasks();
        if running > 0 && session.has_ended() {
            let text = match running {
                1 => "a background task was still running at the end".to_owned(),
                count => format!("{count} background tasks were still running at the end"),
            };
            self.report(Diagnostic::note(format!("{agent}: {text}")), to);
        }
    }

    /// Reports why the source has no session, if it has none.
    pub(crate) fn no_session(&self, sessions: &Sessions, to: &mut Channels<'_>) {
        if !sessions.has_begun()
            && let Some(message) = self.without_session(sessions)
        {
            self.report(message, to);
        }
    }

    /// Reports how many sessions go on after they were reported.
    pub(crate) fn continued(&self, sessions: &Sessions, to: &mut Channels<'_>) {
        let count = sessions.continued;
        if count > 0 {
            let text = format!(
                "{} after {OTHERS} others had begun, so that the rest is reported as a session of its own",
                match count {
                    1 => "a session went on".to_owned(),
                    count => format!("{count} sessions went on"),
                },
            );
            self.report(Diagnostic::note(text), to);
        }
    }

    /// Reports how many sessions are missing in a report on all of them, if any are.
    pub(crate) fn left_out(&mut self, sessions: &Sessions, to: &mut Channels<'_>) {
        let count = sessions.dropped;
        if count > 0 {
            self.limit = true;
            let text = format!("too many sessions: {count} of them are left out");
            let message = Diagnostic::error(text).hint(format!(
                "a page holds {REPORTED} at most: split the input, or use another format"
            ));
            self.report(message, to);
        }
    }

    /// Returns why a source has no session; `None` if that is no failure.
    fn without_session(&self, sessions: &Sessions) -> Option<Diagnostic> {
        if let Some(known) = sessions.known {
            return Some(known_failure(&known));
        }
        match sessions.outcome() {
            Outcome::None if !self.limit => {}
            Outcome::Malformed | Outcome::Truncated => {
                return Some(Diagnostic::error("no valid record found"));
            }
            _ => return None,
        }
        let head = self.head.bytes();
        if head.is_empty() {
            let piped = self.source == STANDARD_INPUT;
            let message = Diagnostic::error("the input is empty");
            return Some(message.hint_if(piped.then_some(TO_STANDARD_ERROR)));
        }
        let begins = self.quote("; the input begins: ", head, EXCERPT);
        let (owner, hint) = match &self.agent {
            Some(agent) => (agent.as_str(), OTHER_AGENTS),
            None => ("a known agent", OTHER_READERS),
        };
        let message = Diagnostic::error(format!("no record of {owner} found{begins}"));
        Some(message.hint(match head {
            _ if is_bare_utf16(head) => BARE_UTF16,
            _ if memmem::find(head, br#""{\""#).is_some() => IN_FIELD,
            _ => hint,
        }))
    }
}

/// Returns a hint if the input ends inside a document at a multiple of the size that programs write at a time or that a
/// pipe holds: programs that exit without waiting for their output are cut off there.
pub(super) fn cut_by_pipe(fault: &Fault) -> Option<String> {
    /// What Node.js and the buffers of C write at a time; a pipe of Linux holds eight times as much.
    const PIECE: u64 = 8192;
    let end = fault.stop.offset;
    let cut = fault.kind == FaultKind::Truncated && end > 0 && end.is_multiple_of(PIECE);
    cut.then(|| {
        format!(
            "the input ends after {end} bytes, a size of pipes: its producer exited before all was \
             written; let it write to a file"
        )
    })
}
