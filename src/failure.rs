//! Why an agent did not succeed, as a message: what a session, an envelope or a known message in the noise tells.

use crate::diagnostic::{Diagnostic, excerpt};
use crate::dialect::Agent;
use crate::dialect::class::Known;
use crate::envelope::Answer;
use crate::outcome::Outcome;
use crate::session::{Session, Sessions};

/// How many characters of a session's reason are shown.
const REASON: usize = 100;
/// How many characters of an envelope's error are shown.
const ERROR: usize = 200;
/// What messages call the API that a body comes from.
const API: &str = "the API";

/// Why one of these sessions did not succeed, with what to do about it where the noise beside it tells.
pub(crate) fn failure_in(
    sessions: &Sessions,
    session: &Session,
    structural: bool,
) -> Option<Diagnostic> {
    let message = failure(session, structural)?;
    let known = sessions
        .known_message()
        .filter(|_| session.agent().is_none());
    Some(
        match known.filter(|known| known.class == session.outcome()) {
            Some(known) => message.hint(known.hint),
            None => message,
        },
    )
}

/// Why a session did not succeed. `structural`: whether to leave out what the agent said of it.
fn failure(session: &Session, structural: bool) -> Option<Diagnostic> {
    let agent = session.agent().map_or("the run", Agent::name);
    let outcome = session.outcome();
    if outcome == Outcome::Success {
        return None;
    }
    if let Some(known) = session.known_message() {
        let text = format!("{}: '{}'", failed(agent, outcome), known.phrase);
        return Some(Diagnostic::error(text).hint(known.hint));
    }
    let said = session.reason().filter(|_| !structural);
    let said = said.map(|said| excerpt(said.as_bytes(), REASON));
    Some(Diagnostic::error(match said {
        Some(said) => format!("{}: {said}", failed(agent, outcome)),
        None if outcome == Outcome::Truncated => match session.agent() {
            Some(_) => format!("the stream of {agent} ended without its terminal event"),
            None => "the stream ended without its terminal event".to_owned(),
        },
        None => failed(agent, outcome),
    }))
}

/// A known message of an agent stands where its records were expected.
pub(crate) fn known_failure(known: &Known) -> Diagnostic {
    let class = match known.class {
        Outcome::Failed => String::new(),
        class => format!("{class} "),
    };
    let text = format!("{class}failure detected: '{}'", known.phrase);
    Diagnostic::error(text).hint(known.hint)
}

/// The envelope that was chosen tells of a failure.
pub(crate) fn failed_envelope(answer: &Answer) -> Diagnostic {
    let outcome = answer.outcome;
    let agent = answer.agent.map_or(API, Agent::name);
    match &answer.error {
        Some(error) => {
            let said = excerpt(error.to_string_lossy().as_bytes(), ERROR);
            Diagnostic::error(format!("{}: {said}", failed(agent, outcome)))
        }
        None => Diagnostic::error(format!("{}: {}", failed(agent, outcome), outcome.meaning())),
    }
}

/// `gemini failed (quota)`: the class, if it says more than the word before it.
fn failed(who: &str, outcome: Outcome) -> String {
    match outcome {
        Outcome::Failed => format!("{who} failed"),
        outcome => format!("{who} failed ({outcome})"),
    }
}
