//! Error texts, HTTP statuses and exit codes to classes.
//!
//! Text beats numbers: a 400 that says "API key not valid" is a matter of the key. What neither tells is
//! [`Outcome::Failed`].

use memchr::memmem;

use crate::json::text::Text;
use crate::outcome::Outcome;

pub use super::known::{Known, known_message};

/// Longer messages are classed by their beginning: what follows is a body or a stack trace.
const LONGEST: usize = 4096;

/// Phrases, in lower case, and what they say. The first row with a phrase in the text decides, so what names a cause
/// stands before what names only a symptom.
const PHRASES: &[(Outcome, &[&str])] = &[
    // An answer without text, with advice of all sorts behind it.
    (
        Outcome::Failed,
        &[
            "no final response text",
            "empty text response",
            "returned an empty response",
        ],
    ),
    (
        Outcome::Auth,
        &[
            "api key not valid",
            "invalid api key",
            "incorrect api key",
            "invalid x-api-key",
            "api_key_invalid",
            "api key expired",
            "missing api key",
            "gemini_api_key",
            "google_api_key",
            "missing environment variable",
            "unauthenticated",
            "unauthorized",
            "authentication",
            "not logged in",
            "please run /login",
            "set an auth method",
            "invalid auth method",
            "auth_method",
            "credentials",
            "permission_denied",
            "permission_error",
            "denied on resource",
            "oauth token",
            "_api_key",
            "no api key",
            "api key is missing",
            "api key is required",
            "forbidden",
            "not authorized",
            "not authenticated",
            "access denied",
            "token has expired",
            "token expired",
            "login required",
            "verify your account",
        ],
    ),
    (
        Outcome::Quota,
        &[
            "rate limit",
            "rate_limit",
            "ratelimit",
            "quota",
            "too many requests",
            "resource_exhausted",
            "resource has been exhausted",
            "overloaded",
            "at capacity",
            "no capacity",
            "usage limit",
            "credit balance",
            "resource exhausted",
            "over capacity",
            "throttl",
            "rate-limit",
            "premium request",
            "payment required",
            "insufficient balance",
            "out of credits",
            "billing",
        ],
    ),
    (
        Outcome::Input,
        &[
            "context window",
            "context length",
            "context_length",
            "prompt is too long",
            "prompt_too_long",
            "input token count",
            "no conversation found",
            "session not found",
            "trusted directory",
            "untrusted",
            "model not found",
            "model_not_found",
            "unknown model",
            "invalid model",
            "unsupported model",
            "model is not supported",
            "maximum context",
            "input is too long",
            "request too large",
            "request_too_large",
            "payload too large",
        ],
    ),
    (
        Outcome::Turns,
        &[
            "max session turns",
            "maximum session turns",
            "turnlimited",
            "max_turns",
            "maximum number of turns",
            "max_output_tokens",
            "output token",
            "max_tokens",
            "response was truncated",
            "max_budget",
            "maximum budget",
            "budget exceeded",
            "budget limit",
            "exceeded budget",
            "over budget",
            "tool call limit",
            "max turns",
            "maximum turns",
            "step limit",
            "maximum iterations",
        ],
    ),
    (
        Outcome::Blocked,
        &[
            "safety",
            "recitation",
            "prohibited_content",
            "content_filter",
            "content policy",
            "usage policy",
            "refusal",
            "execution blocked",
            "blocked by",
            "blocked due to",
            "content filter",
            "content management policy",
            "usage policies",
            "invalid_prompt",
            "flagged as",
            "moderation",
        ],
    ),
    (
        Outcome::Cancelled,
        &[
            "operation cancelled",
            "operation was cancelled",
            "operation was aborted",
            "request was aborted",
            "interrupted by user",
            "fatalcancellation",
            "interrupted by the user",
            "aborted by user",
            "aborted by the user",
            "cancelled by user",
            "canceled by user",
            "user_initiated",
            "turn aborted",
        ],
    ),
    (
        Outcome::Network,
        &[
            "fetch failed",
            "econnrefused",
            "econnreset",
            "enotfound",
            "etimedout",
            "eai_again",
            "connection refused",
            "connection error",
            "connection reset",
            "connection closed",
            "connection dropped",
            "other side closed",
            "api error: terminated",
            "und_err",
            "epipe",
            "socket disconnected",
            "headers timeout error",
            "body timeout error",
            "unable to connect",
            "connection_failed",
            "socket hang up",
            "stream disconnected",
            "stream closed",
            "without a finish reason",
            "premature close",
            "network error",
            "error sending request",
            "timed out",
            "bad gateway",
            "service unavailable",
            "currently unavailable",
            "status: unavailable",
            "internal server error",
            "internal error has occurred",
            "status: internal",
            "deadline expired",
            "deadline exceeded",
            "deadline_exceeded",
            "gateway timeout",
            "high demand",
            "server_error",
            "waiting for network",
            "network is unreachable",
            "network unreachable",
            "no route to host",
            "name resolution",
            "dns error",
            "failed to connect",
            "could not connect",
            "cannot connect",
            "connection aborted",
            "connection lost",
            "econnaborted",
            "broken pipe",
            "tls handshake",
            "certificate",
            "temporarily unavailable",
            "server had an error",
        ],
    ),
    (
        Outcome::Input,
        &[
            "invalid_argument",
            "invalid_request",
            "invalid request",
            "bad request",
            "badrequest",
            "failed_precondition",
            "location is not supported",
            "404 not found",
            "status: not_found",
            "modelnotfound",
            "entity was not found",
            "is not found for api version",
            "is not supported for generatecontent",
            "fatalinput",
            "fatalconfig",
            "fatalsandbox",
            "unknown option",
            "unknown argument",
            "unexpected argument",
        ],
    ),
];

/// What Node.js says of a connection that was closed inside a body. Beside other words it may mean anything.
const CLOSED: &str = "terminated";

/// The class of an error: what its message says, else what the message's or the record's code says.
#[must_use]
pub fn of(message: &Text<'_>, code: Option<i64>) -> Outcome {
    let text = message
        .slice(0..message.len().min(LONGEST))
        .to_string_lossy()
        .to_ascii_lowercase();
    let status = || status_in(&text);
    match of_phrase(&text) {
        // Such a limit was not reached, but is no valid one.
        Some(Outcome::Turns) if [code, status()].contains(&Some(400)) => Outcome::Input,
        Some(class) => class,
        None => code
            .and_then(of_code)
            .or_else(|| of_code(status()?))
            .unwrap_or(Outcome::Failed),
    }
}

fn of_phrase(text: &str) -> Option<Outcome> {
    let says = |phrase: &&str| memmem::find(text.as_bytes(), phrase.as_bytes()).is_some();
    let row = PHRASES.iter().find(|(_, phrases)| phrases.iter().any(says));
    row.map(|(class, _)| *class)
        .or_else(|| (text.trim() == CLOSED).then_some(Outcome::Network))
}

/// The class of an HTTP status or of an agent's exit code.
#[must_use]
pub const fn of_code(code: i64) -> Option<Outcome> {
    Some(match code {
        41 | 401 | 403 => Outcome::Auth,
        429 | 529 => Outcome::Quota,
        53 => Outcome::Turns,
        130 => Outcome::Cancelled,
        42 | 44 | 52 | 55 | 400..=407 | 409..=428 => Outcome::Input,
        408 | 500..=599 => Outcome::Network,
        _ => return None,
    })
}

/// The HTTP status in a text: three digits behind a word that announces one.
fn status_in(text: &str) -> Option<i64> {
    const WINDOW: usize = 16;
    let bytes = text.as_bytes();
    let mut end = 0;
    while let Some(start) = bytes
        .get(end..)?
        .iter()
        .position(u8::is_ascii_digit)
        .map(|at| at + end)
    {
        let digits = bytes
            .get(start..)?
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        end = start + digits;
        let before = bytes.get(start.saturating_sub(WINDOW)..start)?;
        let announced = ["status", "code", "error", "http"]
            .iter()
            .any(|word| memmem::find(before, word.as_bytes()).is_some());
        if digits == 3 && announced {
            let status = text.get(start..end)?.parse().ok()?;
            if (400..600).contains(&status) {
                return Some(status);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{of, status_in};
    use crate::json::text::Text;
    use crate::outcome::Outcome::{
        self, Auth, Blocked, Cancelled, Failed, Input, Network, Quota, Turns,
    };

    fn class(message: &str, code: Option<i64>) -> Outcome {
        of(&Text::from(message), code)
    }

    #[test]
    fn text_beats_numbers() {
        assert_eq!(
            class("API key not valid. Please pass a valid API key.", Some(400)),
            Auth
        );
        assert_eq!(class("Selected model is at capacity", Some(503)), Quota);
        assert_eq!(
            class("The request exceeds the context window", Some(400)),
            Input
        );
    }

    #[test]
    fn what_agents_say_of_their_providers_is_classed() {
        for (message, expected) in [
            (
                "OpenAI API key is missing. Pass it in the environment.",
                Auth,
            ),
            (
                "unexpected status 403 Forbidden: forbidden, url: http://127.0.0.1:3/v1",
                Auth,
            ),
            ("402 Payment Required: insufficient balance", Quota),
            (
                "You've hit your usage limit. Upgrade to Pro or try again later.",
                Quota,
            ),
            (
                "Incomplete response returned, reason: max_output_tokens",
                Turns,
            ),
            (
                "Codex ran out of room in the model's context window.",
                Input,
            ),
            (
                "Incomplete response returned, reason: content_filter",
                Blocked,
            ),
            (
                "Reconnecting... waiting for network (Connection failed)",
                Network,
            ),
            ("Aborted by user", Cancelled),
            (
                "[API Error: {\"error\":{\"code\":429}}]\nPlease wait and try again later. To increase your limits, \
                 request a quota increase through AI Studio, or switch to another /auth method",
                Quota,
            ),
            (
                "The model returned reasoning thoughts but no final response text. If your context window is near \
                 capacity, try using /compress.",
                Failed,
            ),
            (
                "Model response was truncated because it exceeded the token limit.",
                Turns,
            ),
            (
                "The model response was blocked due to other policy settings.",
                Blocked,
            ),
            ("terminated", Network),
            ("[API Error: terminated]", Network),
            ("The process was terminated", Failed),
            (
                "models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.",
                Input,
            ),
            ("[API Error: Requested entity was not found.]", Input),
            ("Reached maximum budget ($0.01)", Turns),
            (
                "{\"error\":{\"code\":400,\"message\":\"Budget 0 is invalid.\",\"status\":\"INVALID_ARGUMENT\"}}",
                Input,
            ),
            ("The service is currently unavailable.", Network),
            ("API key expired. Please renew the API key.", Auth),
        ] {
            assert_eq!(class(message, None), expected, "{message}");
        }
    }

    #[test]
    fn numbers_decide_where_text_is_silent() {
        assert_eq!(class("[object Object]", Some(401)), Auth);
        assert_eq!(class("[object Object]", Some(1)), Failed);
        assert_eq!(class("no such thing", Some(404)), Input);
        assert_eq!(class("limit", Some(53)), Turns);
        assert_eq!(class("max_tokens must be positive", Some(400)), Input);
        assert_eq!(
            class("unexpected status 502, url: http://127.0.0.1:4000/v1", None),
            Network
        );
    }

    #[test]
    fn a_status_is_three_digits_that_are_announced() {
        assert_eq!(
            status_in("{\"error\":{\"code\":429,\"message\":…"),
            Some(429)
        );
        assert_eq!(status_in("api error: 529 {…"), Some(529));
        assert_eq!(status_in("error on line 4000 after 503 tries"), None);
        assert_eq!(status_in("error 200, then status 500"), Some(500));
        assert_eq!(status_in("status"), None);
    }

    #[test]
    fn what_an_agent_calls_an_error_without_a_cause_is_failed() {
        assert_eq!(
            class(
                "The model returned an empty response with no text or thoughts.",
                None
            ),
            Failed
        );
        assert_eq!(
            class("Model stream ended with malformed function call.", None),
            Failed
        );
        assert_eq!(
            class("Model stream ended without a finish reason.", None),
            Network
        );
    }
}
