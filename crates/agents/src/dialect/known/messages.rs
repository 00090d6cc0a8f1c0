//! The table of known messages: what agents and the shells around them print instead of JSON, as they print it.

use super::place::PhrasePlace::{Alongside, Name, Started};
use super::{Known, begins, coded, first, known, names, shell};
use crate::dialect::{Agent, COMMANDS, NOT_FOUND};
use jsift_outcome::Outcome::{Auth, Blocked, Cancelled, Failed, Input, Network, Quota, Turns};

const GEMINI_LOGIN: &str = "set GEMINI_API_KEY, or run `gemini` once and log in";
const GEMINI_TRUST: &str =
    "trust the directory by running `gemini` in it once, or set GEMINI_CLI_TRUST_WORKSPACE=true";
const UNKNOWN_FLAG: &str = "the agent does not know that flag; see its --help";
pub(super) const NOT_INSTALLED: &str = "install what is missing, or put it on the PATH";
const BUDGET: &str = "raise the limit that the message names";
pub(super) const WAIT: &str = "wait and retry";
const API_KEY: &str = "check the agent's API key";
const REJECTED: &str = "the provider rejects the request";
const KIMI_LOG: &str = "see the log that the message names";
const KIMI_LOGIN: &str = "run `kimi` once and log in with /login";
const CURSOR_LOGIN: &str = "run `cursor-agent login`, or set CURSOR_API_KEY";

/// All known messages.
pub(super) const KNOWN: &[Known] = &joined::<{ MESSAGES.len() + NOT_FOUND.len() }>();

/// Returns the messages of agents and those of shells.
const fn joined<const LEN: usize>() -> [Known; LEN] {
    let mut all = [MESSAGES[0]; LEN];
    let mut at = 0;
    while at < LEN {
        all[at] = match at.checked_sub(MESSAGES.len()) {
            None => MESSAGES[at],
            Some(at) => shell(NOT_FOUND[at], Name),
        };
        at += 1;
    }
    all
}

/// The messages of agents that fail before they print any JSON, or instead of it. Messages that name a cause come
/// first.
const MESSAGES: &[Known] = &[
    // Gemini CLI.
    known(Auth, "Please set an Auth method").hint(GEMINI_LOGIN),
    known(Auth, "Invalid auth method selected").hint(GEMINI_LOGIN),
    known(Auth, "must specify the GEMINI_API_KEY environment variable").hint("set GEMINI_API_KEY"),
    known(Auth, "The enforced authentication type is")
        .hint("log in with that type, or change security.auth.enforcedType in settings.json"),
    known(Auth, "GEMINI_API_KEY environment variable not found").hint("set GEMINI_API_KEY"),
    known(Auth, "When using Vertex AI, you must specify")
        .hint("set GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION, or GOOGLE_API_KEY"),
    known(Turns, "Reached max session turns")
        .hint("raise the agent's limit of turns (gemini: model.maxSessionTurns in settings.json)"),
    known(Cancelled, "Operation cancelled.").hint("the agent was interrupted; run it again"),
    known(Input, "is not running in a trusted directory").hint(GEMINI_TRUST),
    known(Input, "Please fix the configuration file(s) and try again")
        .hint("correct settings.json"),
    known(Input, "No input provided via stdin")
        .hint("give the prompt with -p, or on standard input"),
    known(Input, "Argument: output-format, Given:")
        .hint("the agent does not know that output format; see its --help"),
    known(
        Auth,
        "This account requires setting the GOOGLE_CLOUD_PROJECT",
    )
    .hint("set GOOGLE_CLOUD_PROJECT"),
    known(
        Auth,
        "Ensure your Google account is not a Workspace account",
    )
    .hint("set GOOGLE_CLOUD_PROJECT"),
    first(Quota, "[API Error: You have exhausted"),
    begins(Failed, "Error when talking to Gemini API")
        .hint("see the report that the message names"),
    // Claude Code, Qwen Code.
    known(Auth, "Please run /login").hint("run `claude` once and log in, or set ANTHROPIC_API_KEY"),
    known(
        Auth,
        "Authentication failed. Your API key may be invalid or expired.",
    )
    .hint("set KIRO_API_KEY to a valid key"),
    known(Turns, "Run aborted: tool-call budget").hint(BUDGET),
    known(Turns, "Run aborted: wall-clock budget").hint(BUDGET),
    known(Turns, "Run aborted: API-call budget").hint(BUDGET),
    known(Turns, "Run aborted: token budget").hint(BUDGET),
    known(Auth, "API Error: 401").hint(API_KEY),
    known(Auth, "API Error: 403").hint(API_KEY),
    known(Input, "API Error: 400").hint(REJECTED),
    known(Quota, "API Error: 429"),
    known(Quota, "API Error: 529"),
    known(Network, "API Error: 500"),
    known(Network, "API Error: 502"),
    known(Network, "API Error: 503"),
    known(Network, "API Error: 504"),
    known(Network, "API Error: Connection error"),
    known(Network, "API Error: Unable to connect to API"),
    known(Network, "API Error: The socket connection was closed"),
    first(Network, "API Error: Request timed out"),
    first(Quota, "API Error: Repeated 529 Overloaded errors"),
    first(Quota, "API Error: Request rejected (429)"),
    first(
        Blocked,
        "API Error: Claude Code is unable to respond to this request",
    )
    .hint("ask for something else"),
    first(Turns, "API Error: Claude's response exceeded")
        .hint("raise CLAUDE_CODE_MAX_OUTPUT_TOKENS"),
    first(Input, "Prompt is too long").hint("make the prompt shorter"),
    first(Input, "There's an issue with the selected model").hint("name another --model"),
    first(
        Auth,
        "Your organization has disabled Claude subscription access for Claude Code",
    )
    .hint("set ANTHROPIC_API_KEY"),
    known(Input, "--output-format=stream-json requires --verbose")
        .hint("add --verbose to the claude command"),
    first(Auth, "Invalid API key · Fix external API key")
        .hint("correct ANTHROPIC_API_KEY, or unset it and log in with `claude`"),
    first(Quota, "Claude AI usage limit reached"),
    first(Quota, "Claude usage limit reached"),
    first(Quota, "You're out of extra usage"),
    first(Quota, "Credit balance is too low")
        .hint("add credit to the account that the key belongs to"),
    first(Quota, "You've hit your limit"),
    first(Quota, "You've hit your session limit"),
    first(Quota, "You've hit your weekly limit"),
    first(Quota, "You've hit your Opus limit"),
    first(Turns, "Reached max turns").hint("raise --max-turns of the claude command"),
    first(Input, "No conversation found with session ID")
        .hint("the session is not one of this directory; leave --resume out"),
    first(
        Input,
        "Input must be provided either through stdin or as a prompt argument",
    )
    .hint("give `claude -p` the prompt as an argument, or on standard input"),
    first(
        Input,
        "--dangerously-skip-permissions cannot be used with root",
    )
    .hint("run claude as another user than root"),
    first(Auth, "No auth type is selected")
        .hint("name one with --auth-type of the qwen command, or run `qwen` once and log in"),
    // Codex.
    known(Input, "Not inside a trusted directory")
        .hint("run codex inside a git repository, or add --skip-git-repo-check"),
    known(Input, "No prompt provided. Either specify one")
        .hint("give codex exec the prompt as an argument, or on standard input with `-`"),
    known(Input, "Error loading config").hint("correct ~/.codex/config.toml"),
    known(Auth, "Not logged in")
        .hint("log in with the agent's login command (`codex login`), or set its API key"),
    first(Quota, "You've hit your usage limit"),
    first(Quota, "You’ve hit your usage limit"),
    begins(Failed, "exceeded retry limit, last status")
        .hint("the provider answered so to each attempt; the status says why"),
    first(Input, "no rollout found for thread id")
        .hint("the session is not one of this machine; leave `resume` out"),
    // opencode prints its help at a flag that it does not know.
    known(Input, "run opencode with a message")
        .hint("opencode does not know a flag; see `opencode run --help`"),
    known(Input, "You must provide a message or a command")
        .hint("give `opencode run` the prompt as an argument"),
    // GitHub Copilot CLI.
    known(Auth, "No authentication information found")
        .hint("run `copilot` once and log in, or set COPILOT_GITHUB_TOKEN"),
    known(Auth, "Access denied by policy settings")
        .hint("ask for Copilot CLI to be enabled in the policies of the GitHub organisation"),
    known(Input, "from --model flag is not available")
        .hint("name another model with --model, or `auto`"),
    // Cursor's agent, Kimi CLI.
    first(
        Auth,
        "Authentication required. Please run 'cursor-agent login'",
    )
    .hint(CURSOR_LOGIN),
    first(Auth, "[unauthenticated] Error").hint(CURSOR_LOGIN),
    // Auggie.
    known(Auth, "Please log in with `auggie login`")
        .hint("run `auggie login`, or set AUGMENT_SESSION_AUTH"),
    first(Quota, "[resource_exhausted]"),
    first(Network, "[unavailable] Error"),
    first(Input, "Cannot use this model")
        .hint("name one of the models that the message lists with --model"),
    first(Turns, "Max number of steps reached")
        .hint("raise the limit of steps (kimi: --max-steps-per-turn)"),
    // goose.
    known(Input, "configured. Run 'goose configure' first")
        .hint("run `goose configure`, or set GOOSE_PROVIDER and GOOSE_MODEL"),
    // Kimi Code. The code of an error names its kind (`errors/codes.ts`), unless the provider's text says better.
    first(Quota, "failed to run prompt: provider.rate_limit"),
    first(
        Quota,
        "failed to run prompt: provider.auth_error: 403 You've reached your",
    ),
    first(Auth, "failed to run prompt: provider.auth_error: 401").hint(KIMI_LOGIN),
    first(Auth, "failed to run prompt: auth.login_required").hint(KIMI_LOGIN),
    first(Auth, "failed to run prompt: No model configured").hint(KIMI_LOGIN),
    first(Network, "failed to run prompt: provider.connection_error"),
    first(Network, "failed to run prompt: provider.api_error: 5"),
    first(Input, "failed to run prompt: provider.api_error: 400").hint(REJECTED),
    first(Input, "failed to run prompt: context.overflow").hint("give the agent less to read"),
    first(
        Blocked,
        "failed to run prompt: Provider safety policy blocked the response",
    )
    .hint("ask for something else"),
    first(Turns, "failed to run prompt: loop.max_steps_exceeded")
        .hint("raise the limit of steps (kimi: loop_control.max_steps_per_turn)"),
    first(Input, "failed to run prompt: Model \"")
        .hint("name a model of ~/.kimi-code/config.toml with -m"),
    first(Input, "failed to run prompt: Session \"")
        .hint("the session is not one of this directory; leave --session out"),
    begins(Failed, "failed to run prompt")
        .hint(KIMI_LOG)
        .of(Agent::Kimi),
    // Kimi CLI prints its error in place of records.
    first(Failed, "The API returned an empty response.").hint(WAIT),
    names(Agent::Kimi, "To resume this session: kimi -r "),
    // Mistral Vibe says on standard error why it stopped (3.0).
    known(Auth, "Invalid API key (from env var")
        .hint("correct the variable that the message names")
        .of(Agent::Vibe),
    first(Turns, "Stopped: length")
        .hint("raise the model's output limit")
        .of(Agent::Vibe),
    first(Turns, "Stopped: turn_limit")
        .hint("raise --max-turns of the vibe command")
        .of(Agent::Vibe),
    first(Failed, "Stopped: terminated")
        .hint("the agent was stopped by a signal; run it again")
        .of(Agent::Vibe),
    // The errors of the OpenAI SDK for Python, `Error code: 401 - {'error': {…`, as Kimi CLI, llm, gptme and others
    // print them.
    coded(Auth, "Error code: 401").hint(API_KEY),
    coded(Auth, "Error code: 403").hint(API_KEY),
    coded(Quota, "Error code: 429"),
    coded(Quota, "Error code: 529"),
    coded(Input, "Error code: 400").hint(REJECTED),
    coded(Input, "Error code: 404").hint(REJECTED),
    coded(Input, "Error code: 413").hint(REJECTED),
    coded(Input, "Error code: 422").hint(REJECTED),
    coded(Network, "Error code: 500"),
    coded(Network, "Error code: 502"),
    coded(Network, "Error code: 503"),
    coded(Network, "Error code: 504"),
    // Argument parsers: commander, clap, yargs.
    known(Input, "error: unknown option").hint(UNKNOWN_FLAG),
    known(Input, "error: unexpected argument").hint(UNKNOWN_FLAG),
    known(Input, "Unknown argument").hint(UNKNOWN_FLAG),
    // Shells, and programs that start commands for them.
    shell("command not found", Alongside(COMMANDS)),
    shell("Unknown command", Alongside(COMMANDS)),
    shell("No such file or directory", Started(COMMANDS)),
    shell("executable file not found in $PATH", Alongside(COMMANDS)),
    shell(
        "is not recognized as an internal or external command",
        Alongside(COMMANDS),
    ),
    shell(
        "is not recognized as the name of a cmdlet",
        Alongside(COMMANDS),
    ),
];
