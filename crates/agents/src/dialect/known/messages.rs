//! The table of known messages: what agents and the shells around them print instead of JSON, as they print it.

use super::place::{Commands, PhrasePlace};
use super::{Known, begins, coded, first, known, names, shell};
use crate::dialect::Agent;
use crate::dialect::names::words;
use jsift_outcome::Outcome::{Auth, Blocked, Cancelled, Failed, Input, Network, Quota, Turns};

const GEMINI_LOGIN: &str = "set GEMINI_API_KEY, or run `gemini` once and log in";
const UNKNOWN_FLAG: &str = "the agent does not know that flag; see its --help";
pub(super) const NOT_INSTALLED: &str = "install what is missing, or put it on the PATH";
const BUDGET: &str = "raise the limit that the message names";
const WAIT: &str = "wait and retry";
const API_KEY: &str = "check the agent's API key";
const REJECTED: &str = "the provider rejects the request";
const KIMI_LOG: &str = "see the log that the message names";
const KIMI_LOGIN: &str = "run `kimi` once and log in with /login";
const CURSOR_LOGIN: &str = "run `cursor-agent login`, or set CURSOR_API_KEY";

/// The commands of the agents, and the programs that start most of them.
const COMMANDS: Commands = words!(
    "gemini claude codex qwen opencode copilot cursor-agent amp goose kimi agy kiro-cli auggie cn acpx \
     droid cline pi vibe openhands grok kilo junie oz roo node npx"
);

/// The messages of agents that fail before they print any JSON, or instead of it. Messages that name a cause come
/// first.
pub(super) const KNOWN: &[Known] = &[
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
    known(
        Auth,
        "This account requires setting the GOOGLE_CLOUD_PROJECT",
        "set GOOGLE_CLOUD_PROJECT",
    ),
    known(
        Auth,
        "Ensure your Google account is not a Workspace account",
        "set GOOGLE_CLOUD_PROJECT",
    ),
    first(Quota, "[API Error: You have exhausted", WAIT),
    begins(
        Failed,
        "Error when talking to Gemini API",
        "see the report that the message names",
    ),
    // Claude Code, Qwen Code.
    known(
        Auth,
        "Please run /login",
        "run `claude` once and log in, or set ANTHROPIC_API_KEY",
    ),
    known(
        Auth,
        "Authentication failed. Your API key may be invalid or expired.",
        "set KIRO_API_KEY to a valid key",
    ),
    known(Turns, "Run aborted: tool-call budget", BUDGET),
    known(Turns, "Run aborted: wall-clock budget", BUDGET),
    known(Turns, "Run aborted: API-call budget", BUDGET),
    known(Turns, "Run aborted: token budget", BUDGET),
    known(Auth, "API Error: 401", API_KEY),
    known(Auth, "API Error: 403", API_KEY),
    known(Input, "API Error: 400", REJECTED),
    known(Quota, "API Error: 429", WAIT),
    known(Quota, "API Error: 529", WAIT),
    known(Network, "API Error: 500", WAIT),
    known(Network, "API Error: 502", WAIT),
    known(Network, "API Error: 503", WAIT),
    known(Network, "API Error: 504", WAIT),
    known(Network, "API Error: Connection error", WAIT),
    known(Network, "API Error: Unable to connect to API", WAIT),
    known(Network, "API Error: The socket connection was closed", WAIT),
    first(Network, "API Error: Request timed out", WAIT),
    first(Quota, "API Error: Repeated 529 Overloaded errors", WAIT),
    first(Quota, "API Error: Request rejected (429)", WAIT),
    first(
        Blocked,
        "API Error: Claude Code is unable to respond to this request",
        "ask for something else",
    ),
    first(
        Turns,
        "API Error: Claude's response exceeded",
        "raise CLAUDE_CODE_MAX_OUTPUT_TOKENS",
    ),
    first(Input, "Prompt is too long", "make the prompt shorter"),
    first(
        Input,
        "There's an issue with the selected model",
        "name another --model",
    ),
    first(
        Auth,
        "Your organization has disabled Claude subscription access for Claude Code",
        "set ANTHROPIC_API_KEY",
    ),
    known(
        Input,
        "--output-format=stream-json requires --verbose",
        "add --verbose to the claude command",
    ),
    first(
        Auth,
        "Invalid API key · Fix external API key",
        "correct ANTHROPIC_API_KEY, or unset it and log in with `claude`",
    ),
    first(Quota, "Claude AI usage limit reached", WAIT),
    first(Quota, "Claude usage limit reached", WAIT),
    first(Quota, "You're out of extra usage", WAIT),
    first(
        Quota,
        "Credit balance is too low",
        "add credit to the account that the key belongs to",
    ),
    first(Quota, "You've hit your limit", WAIT),
    first(Quota, "You've hit your session limit", WAIT),
    first(Quota, "You've hit your weekly limit", WAIT),
    first(Quota, "You've hit your Opus limit", WAIT),
    first(
        Turns,
        "Reached max turns",
        "raise --max-turns of the claude command",
    ),
    first(
        Input,
        "No conversation found with session ID",
        "the session is not one of this directory; leave --resume out",
    ),
    first(
        Input,
        "Input must be provided either through stdin or as a prompt argument",
        "give `claude -p` the prompt as an argument, or on standard input",
    ),
    first(
        Input,
        "--dangerously-skip-permissions cannot be used with root",
        "run claude as another user than root",
    ),
    first(
        Auth,
        "No auth type is selected",
        "name one with --auth-type of the qwen command, or run `qwen` once and log in",
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
    first(Quota, "You've hit your usage limit", WAIT),
    first(Quota, "You’ve hit your usage limit", WAIT),
    first(
        Input,
        "no rollout found for thread id",
        "the session is not one of this machine; leave `resume` out",
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
    known(
        Input,
        "from --model flag is not available",
        "name another model with --model, or `auto`",
    ),
    // Cursor's agent, Kimi CLI.
    first(
        Auth,
        "Authentication required. Please run 'cursor-agent login'",
        CURSOR_LOGIN,
    ),
    first(Auth, "[unauthenticated] Error", CURSOR_LOGIN),
    // Auggie.
    known(
        Auth,
        "Please log in with `auggie login`",
        "run `auggie login`, or set AUGMENT_SESSION_AUTH",
    ),
    first(Quota, "[resource_exhausted]", WAIT),
    first(Network, "[unavailable] Error", WAIT),
    first(
        Input,
        "Cannot use this model",
        "name one of the models that the message lists with --model",
    ),
    first(
        Turns,
        "Max number of steps reached",
        "raise the limit of steps (kimi: --max-steps-per-turn)",
    ),
    // goose.
    known(
        Input,
        "configured. Run 'goose configure' first",
        "run `goose configure`, or set GOOSE_PROVIDER and GOOSE_MODEL",
    ),
    // Kimi Code. The code of an error names its kind (`errors/codes.ts`), unless the provider's text says better.
    first(Quota, "failed to run prompt: provider.rate_limit", WAIT),
    first(
        Quota,
        "failed to run prompt: provider.auth_error: 403 You've reached your",
        WAIT,
    ),
    first(
        Auth,
        "failed to run prompt: provider.auth_error: 401",
        KIMI_LOGIN,
    ),
    first(
        Auth,
        "failed to run prompt: auth.login_required",
        KIMI_LOGIN,
    ),
    first(
        Auth,
        "failed to run prompt: No model configured",
        KIMI_LOGIN,
    ),
    first(
        Network,
        "failed to run prompt: provider.connection_error",
        WAIT,
    ),
    first(Network, "failed to run prompt: provider.api_error: 5", WAIT),
    first(
        Input,
        "failed to run prompt: provider.api_error: 400",
        REJECTED,
    ),
    first(
        Input,
        "failed to run prompt: context.overflow",
        "give the agent less to read",
    ),
    first(
        Blocked,
        "failed to run prompt: Provider safety policy blocked the response",
        "ask for something else",
    ),
    first(
        Turns,
        "failed to run prompt: loop.max_steps_exceeded",
        "raise the limit of steps (kimi: loop_control.max_steps_per_turn)",
    ),
    first(
        Input,
        "failed to run prompt: Model \"",
        "name a model of ~/.kimi-code/config.toml with -m",
    ),
    first(
        Input,
        "failed to run prompt: Session \"",
        "the session is not one of this directory; leave --session out",
    ),
    begins(Failed, "failed to run prompt", KIMI_LOG).of(Agent::Kimi),
    // Kimi CLI prints its error in place of records.
    first(Failed, "The API returned an empty response.", WAIT),
    names(Agent::Kimi, "To resume this session: kimi -r "),
    // Mistral Vibe says on standard error why it stopped (3.0).
    known(
        Auth,
        "Invalid API key (from env var",
        "correct the variable that the message names",
    )
    .of(Agent::Vibe),
    first(Turns, "Stopped: length", "raise the model's output limit").of(Agent::Vibe),
    first(
        Turns,
        "Stopped: turn_limit",
        "raise --max-turns of the vibe command",
    )
    .of(Agent::Vibe),
    first(
        Failed,
        "Stopped: terminated",
        "the agent was stopped by a signal; run it again",
    )
    .of(Agent::Vibe),
    // The errors of the OpenAI SDK for Python, `Error code: 401 - {'error': {…`, as Kimi CLI, llm, gptme and others
    // print them.
    coded(Auth, "Error code: 401", API_KEY),
    coded(Auth, "Error code: 403", API_KEY),
    coded(Quota, "Error code: 429", WAIT),
    coded(Quota, "Error code: 529", WAIT),
    coded(Input, "Error code: 400", REJECTED),
    coded(Input, "Error code: 404", REJECTED),
    coded(Input, "Error code: 413", REJECTED),
    coded(Input, "Error code: 422", REJECTED),
    coded(Network, "Error code: 500", WAIT),
    coded(Network, "Error code: 502", WAIT),
    coded(Network, "Error code: 503", WAIT),
    coded(Network, "Error code: 504", WAIT),
    // Argument parsers: commander, clap, yargs.
    known(Input, "error: unknown option", UNKNOWN_FLAG),
    known(Input, "error: unexpected argument", UNKNOWN_FLAG),
    known(Input, "Unknown argument", UNKNOWN_FLAG),
    // Shells, and programs that start commands for them. Debian's shell says only `sh: 1: codex: not found`.
    shell("command not found", PhrasePlace::Alongside(COMMANDS)),
    shell("Unknown command", PhrasePlace::Alongside(COMMANDS)),
    shell("gemini: not found", PhrasePlace::Name),
    shell("claude: not found", PhrasePlace::Name),
    shell("codex: not found", PhrasePlace::Name),
    shell("qwen: not found", PhrasePlace::Name),
    shell("opencode: not found", PhrasePlace::Name),
    shell("copilot: not found", PhrasePlace::Name),
    shell("cursor-agent: not found", PhrasePlace::Name),
    shell("amp: not found", PhrasePlace::Name),
    shell("goose: not found", PhrasePlace::Name),
    shell("kimi: not found", PhrasePlace::Name),
    shell("droid: not found", PhrasePlace::Name),
    shell("cline: not found", PhrasePlace::Name),
    shell("pi: not found", PhrasePlace::Name),
    shell("vibe: not found", PhrasePlace::Name),
    shell("openhands: not found", PhrasePlace::Name),
    shell("grok: not found", PhrasePlace::Name),
    shell("kilo: not found", PhrasePlace::Name),
    shell("node: not found", PhrasePlace::Name),
    shell("npx: not found", PhrasePlace::Name),
    shell("No such file or directory", PhrasePlace::Started(COMMANDS)),
    shell(
        "executable file not found in $PATH",
        PhrasePlace::Alongside(COMMANDS),
    ),
    shell(
        "is not recognized as an internal or external command",
        PhrasePlace::Alongside(COMMANDS),
    ),
    shell(
        "is not recognized as the name of a cmdlet",
        PhrasePlace::Alongside(COMMANDS),
    ),
];
