//! The messages that agents and their shells print where JSON was expected.
//!
//! Every line of noise is searched for them, so the search has to cost next to nothing: a [sieve](Sieve) shows from six
//! bytes in eight that a line contains none of them.

mod messages;
mod place;

use jsift_json::cost;
use memchr::{memchr2, memmem};

use super::{Agent, class};
use jsift_json::scan::clean;
use jsift_json::terminal::ESCAPE;
use jsift_json::text::Text;
use jsift_outcome::Outcome;
use messages::{KNOWN, NOT_INSTALLED, WAIT};
pub(super) use place::PhrasePlace;

/// A message that an agent or its shell prints where JSON was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// The words of the message, as they are printed.
    pub phrase: &'static str,
    /// Its class.
    pub class: Outcome,
    /// How to fix the cause.
    pub hint: &'static str,
    place: PhrasePlace,
    /// The agent that prints it, if no other program does and the agent prints nothing else.
    pub agent: Option<Agent>,
    /// Whether the text after the phrase gives the class better, as an error's message does, so that a line wrapped at
    /// a terminal's width continues the message.
    pub tells_more: bool,
}

impl Known {
    /// Whether the message says why a run failed, not only which agent ran.
    #[must_use]
    pub fn says_why(&self) -> bool {
        self.class != Outcome::None
    }

    /// Returns the message with that agent.
    const fn of(self, agent: Agent) -> Self {
        let agent = Some(agent);
        Self { agent, ..self }
    }

    /// Returns the message with that hint.
    const fn hint(self, hint: &'static str) -> Self {
        Self { hint, ..self }
    }

    /// Returns the message as one that counts only in that place.
    const fn in_place(self, place: PhrasePlace) -> Self {
        Self { place, ..self }
    }

    /// Returns the message with the class that the rest of its line gives.
    fn classed(self, line: &[u8]) -> Self {
        let line = String::from_utf8_lossy(line);
        let said = line.find(self.phrase).and_then(|at| line.get(at..));
        match said.map(|said| class::of(&Text::from(said), None)) {
            Some(class) if self.tells_more && class != Outcome::Failed => Self { class, ..self },
            _ => self,
        }
    }
}

/// Returns a message with the usual hint for its class, if there is one.
const fn known(class: Outcome, phrase: &'static str) -> Known {
    Known {
        phrase,
        class,
        hint: match class {
            Outcome::Quota | Outcome::Network => WAIT,
            _ => "",
        },
        place: PhrasePlace::Anywhere,
        agent: None,
        tells_more: false,
    }
}

/// Returns a message that counts only at the start of a line: other programs might quote or print it in the middle.
const fn first(class: Outcome, phrase: &'static str) -> Known {
    known(class, phrase).in_place(PhrasePlace::First)
}

/// Returns the start of an error's message, where the rest usually gives the class.
const fn begins(class: Outcome, phrase: &'static str) -> Known {
    Known {
        tells_more: true,
        ..first(class, phrase)
    }
}

/// Returns the start of an error's message that ends in a status, followed by the message.
const fn coded(class: Outcome, phrase: &'static str) -> Known {
    begins(class, phrase).in_place(PhrasePlace::Coded)
}

/// Returns a message that says only which agent ran.
const fn names(agent: Agent, phrase: &'static str) -> Known {
    first(Outcome::None, phrase).of(agent)
}

/// Returns a message about a command that a shell did not find.
const fn shell(phrase: &'static str, place: PhrasePlace) -> Known {
    known(Outcome::Input, phrase)
        .hint(NOT_INSTALLED)
        .in_place(place)
}

/// The number of bytes of a block, which is compared at once.
const BLOCK: usize = 6;
/// The distance from one compared block of a line to the next. No phrase fits between two blocks.
const STRIDE: usize = shortest(KNOWN) - BLOCK + 1;
/// The number of places at which a compared block of a phrase can be; the places of each phrase are consecutive.
const PLACES: usize = KNOWN.len() * STRIDE;
/// The bits of a [`hash`].
const HASH_BITS: u32 = 16;
/// The number of bits of a hash that select a slot.
const SLOT_BITS: u32 = 12;

/// Leads from a block to the places in the phrases where it may be. A number is a place plus one; 0 is none.
struct Sieve {
    /// One bit for each hash, set if a phrase has such a block: it rules out most blocks of noise.
    any: [u64; 1 << (HASH_BITS - u64::BITS.ilog2())],
    /// The first place of each slot.
    first: [u16; 1 << SLOT_BITS],
    /// For each place the next one of the same slot.
    next: [u16; PLACES],
}

impl Sieve {
    /// Returns the first place at which `block` may be in a phrase.
    #[inline]
    fn lead(&self, block: [u8; BLOCK]) -> u16 {
        let hash = hash(block);
        match self.any[hash / 64] >> (hash % 64) & 1 {
            0 => 0,
            _ => self.first[slot(hash)],
        }
    }
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

const fn hash([a, b, c, d, e, f]: [u8; BLOCK]) -> usize {
    let block = u64::from_le_bytes([a, b, c, d, e, f, 0, 0]);
    (block.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - HASH_BITS)) as usize
}

const fn slot(hash: usize) -> usize {
    hash >> (HASH_BITS - SLOT_BITS)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "there are far fewer than 65,536 places"
)]
const fn sieve(known: &[Known]) -> Sieve {
    let mut sieve = Sieve {
        any: [0; 1 << (HASH_BITS - u64::BITS.ilog2())],
        first: [0; 1 << SLOT_BITS],
        next: [0; PLACES],
    };
    // Backwards, so that the first place comes first.
    let mut place = PLACES;
    while place > 0 {
        place -= 1;
        let (phrase, at) = (known[place / STRIDE].phrase.as_bytes(), place % STRIDE);
        let Some(block) = phrase.split_at(at).1.first_chunk() else {
            panic!("a phrase is too short");
        };
        let hash = hash(*block);
        sieve.any[hash / 64] |= 1 << (hash % 64);
        sieve.next[place] = sieve.first[slot(hash)];
        sieve.first[slot(hash)] = place as u16 + 1;
    }
    sieve
}

/// Returns the known message that a line of noise contains.
#[must_use]
pub fn known_message(line: &[u8]) -> Option<Known> {
    cost::search(line.len());
    let mut at = 0;
    while let Some(block) = line.get(at..).and_then(<[u8]>::first_chunk) {
        let first = SIEVE.lead(*block);
        if first != 0
            && let Some(known) = around(line, at, *block, first)
        {
            return Some(known.classed(line)).filter(|known| {
                let unclassed = known.tells_more && known.class == Outcome::Failed;
                !unclassed && !tells_of_retry(line)
            });
        }
        at += STRIDE;
    }
    None
}

/// Whether a line says that something is tried again, so that the run has not failed.
fn tells_of_retry(line: &[u8]) -> bool {
    const RETRYING: &[u8] = b"Retrying ";
    let Some((before, after)) = memmem::find(line, RETRYING).map(|at| line.split_at(at)) else {
        return false;
    };
    let how = after.get(RETRYING.len()..).unwrap_or_default();
    matches!(how, [b'i', b'n', b' ', (b'0'..=b'9'), ..])
        || PhrasePlace::First.is_between(before, b"")
}

/// Returns the known message that the block at `at` belongs to, trying the places that the sieve leads to.
fn around(line: &[u8], at: usize, block: [u8; BLOCK], first: u16) -> Option<Known> {
    let place_of = |number: u16| usize::from(number).checked_sub(1);
    let mut place = place_of(first);
    while let Some(candidate) = place {
        let known = KNOWN.get(candidate / STRIDE)?;
        let (phrase, offset) = (known.phrase.as_bytes(), candidate % STRIDE);
        let parts = at
            .checked_sub(offset)
            .filter(|_| phrase.get(offset..).and_then(<[u8]>::first_chunk) == Some(&block))
            .and_then(|start| line.split_at_checked(start));
        let stands_here = |(before, rest): (&[u8], &[u8])| {
            let after = rest.strip_prefix(phrase);
            after.is_some_and(|after| stands_in(known.place, before, after))
        };
        if parts.is_some_and(stands_here) {
            return Some(*known);
        }
        place = place_of(*SIEVE.next.get(candidate)?);
    }
    None
}

/// Whether a phrase between `before` and `after` is in that place, in the raw line or in the line that a terminal
/// shows.
fn stands_in(place: PhrasePlace, before: &[u8], after: &[u8]) -> bool {
    let steers = |text| memchr2(ESCAPE, b'\r', text).is_some();
    let is_shown = || {
        let (before, after) = (clean(before), clean(after));
        let mut lines = before.rsplit(|byte| matches!(byte, b'\r' | b'\n'));
        place.is_between(lines.next().unwrap_or_default(), &after)
    };
    place.is_between(before, after) || (steers(before) || steers(after)) && is_shown()
}

#[cfg(test)]
mod tests {
    use super::{KNOWN, Known, PhrasePlace, STRIDE, known_message};
    use jsift_outcome::Outcome;

    /// Returns a line with the message after `before` bytes.
    fn line(known: &Known, before: usize, after: &str) -> String {
        let (some, phrase) = ("1".repeat(before), known.phrase);
        match known.place {
            PhrasePlace::Anywhere => format!("{some}{phrase}{after}"),
            PhrasePlace::First if known.tells_more => {
                format!("{some} {phrase}: 401 Unauthorized{after}")
            }
            PhrasePlace::First => format!("{some} {phrase}{after}"),
            PhrasePlace::Coded => format!("{some} {phrase} - {after}"),
            PhrasePlace::Alongside(names) => format!("{some}: {}: {phrase}{after}", names[0]),
            PhrasePlace::Started(names) => format!("{some} env: ‘{}’: {phrase}{after}", names[0]),
            PhrasePlace::Name => format!("{some}: {phrase}{after}"),
        }
    }

    #[test]
    fn every_message_is_found_wherever_it_stands() {
        for known in KNOWN {
            for before in 0..2 * STRIDE {
                for after in ["", ":", " and some more text after it"] {
                    let line = line(known, before, after);
                    let found = known_message(line.as_bytes());
                    assert_eq!(found.map(|f| f.hint), Some(known.hint), "{line}");
                }
            }
        }
    }

    #[test]
    fn a_message_that_is_cut_is_not_found() {
        for known in KNOWN {
            let cut = &known.phrase.as_bytes()[..known.phrase.len() - 1];
            // A known message that is the start of this one may still be found.
            let found = known_message(cut).map(|found| found.phrase);
            assert_ne!(found, Some(known.phrase));
            assert!(
                found.is_none_or(|found| known.phrase.starts_with(found)),
                "{}",
                known.phrase
            );
        }
    }

    #[test]
    fn what_others_say_is_no_message_of_an_agent() {
        for line in [
            "",
            "all",
            "all is well",
            "error: not found in the command",
            "Retrying in 60s (attempt 1/10): [API Error: 429 Rate limit reached]",
            "2026-03-14T09:00:07.5Z Retrying in 60s (attempt 1/10): [API Error: 429 Rate limit reached]",
            "[Step 1/2] agent Retrying in 60s (attempt 1/10): [API Error: 429 Rate limit reached]",
            "2026-03-14T09:00:07.5Z Retrying after [API Error: 429 Rate limit reached]",
            "./post.sh: line 3: yarn: command not found",
            "sh: 1: myclaude: not found",
            "bash: gemini-helper: command not found",
            "zsh: command not found: claude-wrapper",
            "module claude: not found",
            "cat: gemini: No such file or directory",
            "ls: cannot access '/opt/claude': No such file or directory",
            "exec: \"docker-compose\": executable file not found in $PATH",
            "'yarn' is not recognized as an internal or external command,",
            "git: Unknown command 'gemnii'",
            "The customer's Credit balance is too low for that",
            "INFO [unavailable] host",
            "- Credit balance is too low: add credit",
            "> Reached max turns (3)",
            "`Reached max turns` means that",
            "The solver says: Max number of steps reached",
            "failed to run prompt: no such thing",
            "Error code: 404",
            "Error code: 4040 - no",
            "the server says Error code: 404 - not found",
            "Stopped: container",
            "<34>1 2026-03-14T09:00:07.5Z host agent 123 - - He says: Credit balance is too low",
            "<em>1 of all the hosts here Credit balance is too low",
            "09:00:07 He says Credit balance is too low",
        ] {
            assert_eq!(known_message(line.as_bytes()), None, "{line}");
        }
    }

    #[track_caller]
    fn are(class: Outcome, lines: &[&str]) {
        for line in lines {
            let known = known_message(line.as_bytes());
            assert_eq!(known.map(|known| known.class), Some(class), "{line}");
        }
    }

    #[test]
    fn what_agents_and_shells_print_is_classed() {
        are(
            Outcome::Input,
            &[
                "bash: line 1: gemini: command not found",
                "gemini: command not found",
                "\x1b[2K\x1b[36magent-1  | \x1b[0mgemini: command not found\r\n",
                "/builds/run.sh: line 12: /opt/bin/cursor-agent: command not found",
                "zsh: command not found: codex",
                "zsh:1: command not found: qwen",
                "fish: Unknown command: codex",
                "fish: Unknown command 'codex'",
                "sh: 1: codex: not found",
                "/bin/sh: 1: /usr/local/bin/claude: not found",
                "sh: kimi: not found",
                "sh: 1: kiro-cli: not found",
                "sh: 1: roo: not found",
                "bash: line 1: npx: command not found",
                "env: 'qwen': No such file or directory",
                "env: ‘qwen’: No such file or directory",
                "env: gemini: No such file or directory",
                "env: 'node': No such file or directory",
                "timeout: failed to run command 'gemini': No such file or directory",
                "exec: \"gemini\": executable file not found in $PATH: unknown",
                "'gemini' is not recognized as an internal or external command,",
                "gemini : The term 'gemini' is not recognized as the name of a cmdlet, function,",
                "error: unexpected argument '--no-such-flag' found",
                "Not inside a trusted directory and --skip-git-repo-check was not specified.",
                "error: No provider configured. Run 'goose configure' first.",
                "Error: Model \"gpt-9\" from --model flag is not available.",
                "Please fix the configuration file(s) and try again.\x1b[0m",
                "No conversation found with session ID: 01",
                "Error: thread/resume: thread/resume failed: no rollout found for thread id 01 (code -32600)",
                "error: failed to run prompt: Model \"x\" is not configured in config.toml.",
            ],
        );
        are(
            Outcome::Auth,
            &[
                "Error: No authentication information found.",
                "The enforced authentication type is 'vertex-ai', but the current type is 'gemini-api-key'.",
                "Please set an Auth method in your settings",
                "Error: Authentication required. Please run 'cursor-agent login' first, or set CURSOR_API_KEY",
                "Invalid API key · Fix external API key",
                "No auth type is selected. Please configure an auth type",
                "ConnectError: [unauthenticated] Error",
            ],
        );
        are(
            Outcome::Blocked,
            &["error: failed to run prompt: Provider safety policy blocked the response."],
        );
        are(
            Outcome::Turns,
            &[
                "Run aborted: wall-clock budget of 2s exceeded (--max-wall-time).",
                "Error: Reached max turns (1)",
                "Max number of steps reached: 100",
                "[ERROR] Max number of steps reached: 100",
            ],
        );
        are(
            Outcome::Quota,
            &[
                "[API Error: 429 Rate limit reached]",
                "[API Error: 429 Rate limit reached] Retrying does not help before tomorrow",
                "ERROR: You've hit your usage limit. Visit https://chatgpt.com/codex/settings/usage",
                "ActionRequiredError: You've hit your usage limit Get Cursor Pro for more",
                "Claude AI usage limit reached|1759400000",
                "2026-03-05T20:42:53.931Z Credit balance is too low",
                "agent | Credit balance is too low",
                "Mar 14 09:00:07 host claude[4711]: Credit balance is too low",
                "2026-03-14T09:00:07+0100 host claude[4711]: Credit balance is too low",
                "Mar 14 09:00:07 host claude: Credit balance is too low",
                "Mar 14 09:00:07 Credit balance is too low",
                "2026-03-14T09:00:07.123Z stdout F Credit balance is too low",
                "\x1b]0;some title\x07⠋ Working on it\r\x1b[2KCredit balance is too low",
                "✕ [API Error: You have exhausted your capacity on this model.]",
                "ConnectError: [resource_exhausted] Error",
                "error: failed to run prompt: provider.rate_limit: 429 rate limit exceeded",
                "error: failed to run prompt: provider.auth_error: 403 You've reached your 5-hour usage limit.",
                "<34>1 2026-03-14T09:00:07.5Z host agent 123 - - Credit balance is too low",
                "<34>1 - host agent - ID47 [e@1 k=\"v w\"][f] Credit balance is too low",
            ],
        );
        are(
            Outcome::Input,
            &[
                "Error code: 400 - {'error': {'message': \"This model's maximum context length is 8 tokens.\"",
                "error: failed to run prompt: compaction.failed: APIContextOverflowError: 400 maximum context length",
            ],
        );
        are(
            Outcome::Auth,
            &[
                "Error code: 401 - {'error': {'message': 'Incorrect API key provided', 'type': 'a",
                "Error: Error code: 401 - Incorrect API key provided",
                "openai.AuthenticationError: Error code: 401 - {'error'",
                "Error code: 400 - [{'error': {'code': 400, 'message': 'API key not valid.",
                "error: failed to run prompt: provider.auth_error: 403 Your account may not use this model",
                "Error: Invalid API key (from env var MOCK_KEY). Please check your API key and try again.",
            ],
        );
        are(
            Outcome::Quota,
            &[
                "Error code: 429 - {'error': {'message': 'Rate limit reached for requests', 'type",
                "error: failed to run prompt: provider.api_error: 429 You exceeded your current quota",
            ],
        );
        are(
            Outcome::Network,
            &[
                "API Error: 500 {\"type\":\"error\"}",
                "ConnectError: [unavailable] Error",
                "Error when talking to Gemini API Full report available at: /h/report-2026-03-14T09-00-07-500Z.json Error: exception TypeError: fetch failed sending request",
            ],
        );
        are(Outcome::Failed, &["The API returned an empty response."]);
    }
}
