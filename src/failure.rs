//! Messages that say why an agent failed: from a session, an envelope or a known message in the noise.

use jsift_agents::dialect::Agent;
use jsift_agents::dialect::class::Known;
use jsift_agents::envelope::{self, Answer};
use jsift_agents::session::{Session, Sessions};
use jsift_agents::time::utc;
use jsift_find::choose::choice::{Chosen, Standing};
use jsift_json::view::Value;
use jsift_outcome::Outcome;
use jsift_sink::diagnostic::{Diagnostic, excerpt};

/// The maximum number of characters shown of a session's reason.
const REASON: usize = 100;
/// The maximum number of characters shown of an envelope's error.
const ERROR: usize = 200;
/// What messages call the API that a response body comes from.
const API: &str = "the API";

/// Returns why a session of a source failed, with a hint if a known message in the noise suggests one. `None` if it
/// succeeded.
pub(crate) fn failure_in(
    sessions: &Sessions,
    session: &Session,
    structural: bool,
) -> Option<Diagnostic> {
    let message = failure(session, structural)?;
    let known = sessions.known.filter(|_| session.agent.is_none());
    let known = known.filter(|known| known.class == session.outcome());
    Some(message.hint_if(known.map(|known| known.hint)))
}

/// Returns why a session failed. `structural` leaves out what the agent itself stated.
fn failure(session: &Session, structural: bool) -> Option<Diagnostic> {
    let agent = session.agent.map_or("the run", Agent::name);
    let outcome = session.outcome();
    if outcome == Outcome::Success {
        return None;
    }
    if let Some(known) = session.known_message() {
        let text = format!("{}: '{}'", failed(agent, outcome), known.phrase);
        return Some(Diagnostic::error(text).hint(known.hint));
    }
    let stated = session.reason().filter(|_| !structural);
    let stated = stated.map(|stated| excerpt(stated.as_bytes(), REASON));
    let message = Diagnostic::error(match stated {
        Some(stated) => format!("{}: {stated}", failed(agent, outcome)),
        None if outcome == Outcome::Truncated => match session.agent {
            Some(_) => format!("the stream of {agent} ended without its terminal event"),
            None => "the stream ended without its terminal event".to_owned(),
        },
        None => failed(agent, outcome),
    });
    let resets_at = session.resets_at().and_then(utc);
    Some(message.hint_if(resets_at.map(|at| format!("the quota resets at {at}"))))
}

/// Returns the message for a known message of an agent in place of its records.
pub(crate) fn known_failure(known: &Known) -> Diagnostic {
    let class = match known.class {
        Outcome::Failed => String::new(),
        class => format!("{class} "),
    };
    let text = format!("{class}failure detected: '{}'", known.phrase);
    Diagnostic::error(text).hint(known.hint)
}

/// Returns how the run ended of which the chosen document is the envelope, and the message, if it failed.
pub(crate) fn failure_of(chosen: &Chosen) -> Option<(Outcome, Diagnostic)> {
    let is_envelope = chosen.standing == Standing::Envelope;
    let answer = is_envelope.then(|| envelope::answer(Value::new(&chosen.document.text)))??;
    let failed = answer.outcome != Outcome::Success;
    failed.then(|| {
        let message = failed_envelope(&answer).at(chosen.position());
        (answer.outcome, message)
    })
}

/// Returns the message for an envelope that reports a failure.
fn failed_envelope(answer: &Answer) -> Diagnostic {
    let outcome = answer.outcome;
    let agent = answer.agent.map_or(API, Agent::name);
    match answer.error.as_ref().filter(|error| !error.is_blank()) {
        Some(error) => {
            let stated = excerpt(error.to_string_lossy().as_bytes(), ERROR);
            Diagnostic::error(format!("{}: {stated}", failed(agent, outcome)))
        }
        None => Diagnostic::error(format!("{}: {}", failed(agent, outcome), outcome.meaning())),
    }
}

/// Returns `gemini failed (quota)`, without the class if it adds nothing to the word *failed*.
fn failed(who: &str, outcome: Outcome) -> String {
    match outcome {
        Outcome::Failed => format!("{who} failed"),
        outcome => format!("{who} failed ({outcome})"),
    }
}
