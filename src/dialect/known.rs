//! The messages that agents and their shells print where JSON was expected.
//!
//! Every line of noise is asked for them, so asking has to cost next to nothing: a [sieve](Sieve) tells from four bytes in ten
//! that a line holds none of them.

use crate::outcome::Outcome::{self, Auth, Cancelled, Input, Network, Quota, Turns};

/// A message that an agent or its shell prints where JSON was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// What it says, as it is printed.
    pub phrase: &'static str,
    /// Its class.
    pub class: Outcome,
    /// What to do about it.
    pub hint: &'static str,
}

const fn known(class: Outcome, phrase: &'static str, hint: &'static str) -> Known {
    Known {
        phrase,
        class,
        hint,
    }
}

const GEMINI_LOGIN: &str = "set GEMINI_API_KEY, or run `gemini` once and log in";
const UNKNOWN_FLAG: &str = "the agent does not know that flag; see its --help";
const NOT_INSTALLED: &str = "install the agent, or put it on the PATH";
const BUDGET: &str = "raise the limit that the message names";
const WAIT: &str = "wait and retry";
const NO_NODE: &str = "install Node.js, or put it on the PATH";

/// The messages of agents that fail before they print any JSON, or instead of it. What names a cause stands first.
const KNOWN: &[Known] = &[
    // Gemini CLI.
    known(Auth, "Please set an Auth method", GEMINI_LOGIN),
    known(Auth, "Invalid auth method selected", GEMINI_LOGIN),
    known(
        Auth,
        "must specify the GEMINI_API_KEY environment variable",
        "set GEMINI_API_KEY",
    ),
    known(
        Auth,
        "The enforced authentication type is",
        "log in with that type, or change security.auth.enforcedType in settings.json",
    ),
    known(
        Auth,
        "GEMINI_API_KEY environment variable not found",
        "set GEMINI_API_KEY",
    ),
    known(
        Auth,
        "When using Vertex AI, you must specify",
        "set GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION, or GOOGLE_API_KEY",
    ),
    known(
        Turns,
        "Reached max session turns",
        "raise the agent's limit of turns (gemini: model.maxSessionTurns in settings.json)",
    ),
    known(
        Cancelled,
        "Operation cancelled.",
        "the agent was interrupted; run it again",
    ),
    known(
        Input,
        "is not running in a trusted directory",
        "trust the directory by running `gemini` in it once, or set GEMINI_CLI_TRUST_WORKSPACE=true",
    ),
    known(
        Input,
        "Please fix the configuration file(s) and try again",
        "correct settings.json",
    ),
    known(
        Input,
        "No input provided via stdin",
        "give the prompt with -p, or on standard input",
    ),
    known(
        Input,
        "Argument: output-format, Given:",
        "the agent does not know that output format; see its --help",
    ),
    // Claude Code, Qwen Code.
    known(
        Auth,
        "Please run /login",
        "run `claude` once and log in, or set ANTHROPIC_API_KEY",
    ),
    known(Turns, "Run aborted: tool-call budget", BUDGET),
    known(Turns, "Run aborted: wall-clock budget", BUDGET),
    known(Turns, "Run aborted: API-call budget", BUDGET),
    known(Turns, "Run aborted: token budget", BUDGET),
    known(Auth, "API Error: 401", "check the agent's API key"),
    known(Auth, "API Error: 403", "check the agent's API key"),
    known(Input, "API Error: 400", "the provider rejects the request"),
    known(Quota, "API Error: 429", WAIT),
    known(Quota, "API Error: 529", WAIT),
    known(Network, "API Error: 500", WAIT),
    known(Network, "API Error: 502", WAIT),
    known(Network, "API Error: 503", WAIT),
    known(Network, "API Error: 504", WAIT),
    known(Network, "API Error: Connection error", WAIT),
    known(
        Input,
        "--output-format=stream-json requires --verbose",
        "add --verbose to the claude command",
    ),
    // Codex.
    known(
        Input,
        "Not inside a trusted directory",
        "run codex inside a git repository, or add --skip-git-repo-check",
    ),
    known(
        Input,
        "No prompt provided. Either specify one",
        "give codex exec the prompt as an argument, or on standard input with `-`",
    ),
    known(
        Input,
        "Error loading config",
        "correct ~/.codex/config.toml",
    ),
    known(
        Auth,
        "Not logged in",
        "log in with the agent's login command (`codex login`), or set its API key",
    ),
    // opencode prints its help at a flag that it does not know.
    known(
        Input,
        "run opencode with a message",
        "opencode does not know a flag; see `opencode run --help`",
    ),
    known(
        Input,
        "You must provide a message or a command",
        "give `opencode run` the prompt as an argument",
    ),
    // GitHub Copilot CLI.
    known(
        Auth,
        "No authentication information found",
        "run `copilot` once and log in, or set COPILOT_GITHUB_TOKEN",
    ),
    known(
        Auth,
        "Access denied by policy settings",
        "ask for Copilot CLI to be enabled in the policies of the GitHub organisation",
    ),
    // Argument parsers: commander, clap, yargs.
    known(Input, "error: unknown option", UNKNOWN_FLAG),
    known(Input, "error: unexpected argument", UNKNOWN_FLAG),
    known(Input, "Unknown argument", UNKNOWN_FLAG),
    // Shells. That of Debian says only `sh: 1: codex: not found`.
    known(Input, "command not found", NOT_INSTALLED),
    known(Input, "gemini: not found", NOT_INSTALLED),
    known(Input, "claude: not found", NOT_INSTALLED),
    known(Input, "codex: not found", NOT_INSTALLED),
    known(Input, "qwen: not found", NOT_INSTALLED),
    known(Input, "opencode: not found", NOT_INSTALLED),
    known(Input, "copilot: not found", NOT_INSTALLED),
    known(Input, "executable file not found in $PATH", NOT_INSTALLED),
    known(
        Input,
        "is not recognized as an internal or external command",
        NOT_INSTALLED,
    ),
    known(
        Input,
        "is not recognized as the name of a cmdlet",
        NOT_INSTALLED,
    ),
    known(Input, "env: node: No such file or directory", NO_NODE),
    known(Input, "env: 'node': No such file or directory", NO_NODE),
    known(Input, "env: ‘node’: No such file or directory", NO_NODE),
];

/// How many bytes are looked at at a time.
const BLOCK: usize = 4;
/// From one block that is looked at to the next. No phrase fits between two of them.
const STRIDE: usize = shortest(KNOWN) - BLOCK + 1;
/// The places at which a block of a phrase can stand that is looked at: those of each phrase follow each other.
const PLACES: usize = KNOWN.len() * STRIDE;
const SLOT_BITS: u32 = 12;

/// Leads from a block to the places in the phrases where it may stand. Numbers are one more than the place; 0 is none.
struct Sieve {
    /// The first place for each value that [`hash`] can have.
    first: [u16; 1 << SLOT_BITS],
    /// For each place the next one with the same value.
    next: [u16; PLACES],
}

static SIEVE: Sieve = sieve(KNOWN);

const fn shortest(known: &[Known]) -> usize {
    let mut length = usize::MAX;
    let mut at = 0;
    while at < known.len() {
        if known[at].phrase.len() < length {
            length = known[at].phrase.len();
        }
        at += 1;
    }
    length
}

const fn hash(block: [u8; BLOCK]) -> usize {
    (u32::from_le_bytes(block).wrapping_mul(0x9E37_79B1) >> (u32::BITS - SLOT_BITS)) as usize
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "there are far fewer than 65,536 places"
)]
const fn sieve(known: &[Known]) -> Sieve {
    let mut sieve = Sieve {
        first: [0; 1 << SLOT_BITS],
        next: [0; PLACES],
    };
    // Backwards, so that the first place comes first.
    let mut place = PLACES;
    while place > 0 {
        place -= 1;
        let (phrase, at) = (known[place / STRIDE].phrase.as_bytes(), place % STRIDE);
        let value = hash([phrase[at], phrase[at + 1], phrase[at + 2], phrase[at + 3]]);
        sieve.next[place] = sieve.first[value];
        sieve.first[value] = place as u16 + 1;
    }
    sieve
}

/// The known message that a line of noise holds.
#[must_use]
pub fn known_message(line: &[u8]) -> Option<Known> {
    // What is tried again has not failed.
    if line.starts_with(b"Retrying ") {
        return None;
    }
    let mut at = 0;
    while let Some(block) = line.get(at..).and_then(<[u8]>::first_chunk) {
        let first = SIEVE.first[hash(*block)];
        if first != 0
            && let Some(known) = around(line, at, first)
        {
            return Some(known);
        }
        at += STRIDE;
    }
    None
}

/// The known message of which the block at `at` is a part, if it is one of those that the sieve leads to.
fn around(line: &[u8], at: usize, first: u16) -> Option<Known> {
    let place_of = |number: u16| usize::from(number).checked_sub(1);
    let mut place = place_of(first);
    while let Some(candidate) = place {
        let known = KNOWN.get(candidate / STRIDE)?;
        let stands_here = at
            .checked_sub(candidate % STRIDE)
            .and_then(|start| line.get(start..))
            .is_some_and(|rest| rest.starts_with(known.phrase.as_bytes()));
        if stands_here {
            return Some(*known);
        }
        place = place_of(*SIEVE.next.get(candidate)?);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{KNOWN, STRIDE, known_message};
    use crate::outcome::Outcome;

    #[test]
    fn every_message_is_found_wherever_it_stands() {
        for known in KNOWN {
            for before in 0..2 * STRIDE {
                for behind in ["", ".", " and some more text behind it"] {
                    let line = format!("{}{}{behind}", "x".repeat(before), known.phrase);
                    let found = known_message(line.as_bytes());
                    assert_eq!(found.map(|f| f.class), Some(known.class), "{line}");
                }
            }
        }
    }

    #[test]
    fn a_message_that_is_cut_is_not_found() {
        for known in KNOWN {
            let cut = &known.phrase.as_bytes()[..known.phrase.len() - 1];
            assert_eq!(known_message(cut), None, "{}", known.phrase);
        }
        for line in [
            "",
            "all",
            "all is well",
            "error: not found in the command",
            "Retrying in 60s (attempt 1/10): [API Error: 429 Rate limit reached]",
        ] {
            assert_eq!(known_message(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn what_agents_and_shells_print_is_classed() {
        for (line, class) in [
            ("bash: line 1: gemini: command not found", Outcome::Input),
            ("sh: 1: codex: not found", Outcome::Input),
            (
                "error: unexpected argument '--no-such-flag' found",
                Outcome::Input,
            ),
            (
                "Not inside a trusted directory and --skip-git-repo-check was not specified.",
                Outcome::Input,
            ),
            ("Error: No authentication information found.", Outcome::Auth),
            (
                "The enforced authentication type is 'vertex-ai', but the current type is 'gemini-api-key'.",
                Outcome::Auth,
            ),
            (
                "Please fix the configuration file(s) and try again.\x1b[0m",
                Outcome::Input,
            ),
            (
                "Run aborted: wall-clock budget of 2s exceeded (--max-wall-time).",
                Outcome::Turns,
            ),
            ("[API Error: 429 Rate limit reached]", Outcome::Quota),
            ("API Error: 500 {\"type\":\"error\"}", Outcome::Network),
            ("Please set an Auth method in your settings", Outcome::Auth),
        ] {
            assert_eq!(
                known_message(line.as_bytes()).unwrap().class,
                class,
                "{line}"
            );
        }
    }
}
