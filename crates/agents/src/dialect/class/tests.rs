//! Tests of the class of a message.

use super::{CAUSES, ErrorMessage, HINTS, of, status_in};
use jsift_json::text::Text;
use jsift_outcome::Outcome::{
    self, Auth, Blocked, Cancelled, Failed, Input, Network, Quota, Turns,
};

fn class(message: &str, code: Option<i64>) -> Outcome {
    of(&Text::from(message), code)
}

#[test]
fn every_phrase_is_found_where_it_stands() {
    for phrase in [CAUSES, HINTS]
        .concat()
        .iter()
        .flat_map(|(_, phrases)| *phrases)
    {
        let words = phrase.replace('…', " or so ").replace('*', "");
        for text in [
            words.clone(),
            format!("é: 7 {words}."),
            words.to_uppercase(),
        ] {
            assert!(ErrorMessage::new(&text).says(phrase), "{text}");
        }
    }
}

#[test]
fn the_names_of_errors_are_read_like_their_messages() {
    for (message, expected) in [
        ("litellm.ContextWindowExceededError: too long", Input),
        (
            "litellm.ServiceUnavailableError: OpenAIException - boom",
            Network,
        ),
        ("litellm.InternalServerError: boom", Network),
        ("litellm.APIConnectionError: boom", Network),
        ("litellm.ContentPolicyViolationError: boom", Blocked),
        ("AccessDeniedException: boom", Auth),
        ("litellm.PermissionDeniedError: boom", Auth),
        ("litellm.UnprocessableEntityError: boom", Input),
        ("google.api_core.exceptions.DeadlineExceeded: 7", Network),
        ("FatalTurnLimitedError", Turns),
        ("FatalUntrustedWorkspaceError", Input),
        ("Your OAuth token is gone", Auth),
        ("The APIs of a MacBook", Failed),
    ] {
        assert_eq!(class(message, None), expected, "{message}");
    }
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
            "You must have at least $1 in available credits to start this request.",
            Quota,
        ),
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
        ("Remote end closed connection without response", Network),
        ("Server disconnected without sending a response.", Network),
        ("<title>504 Gateway Time-out</title>", Network),
        ("<title>401 Authorization Required</title>", Auth),
        (
            "The response was blocked because it contained prohibited content",
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
            "Run aborted: tool-call budget of 1 exceeded (--max-tool-calls).",
            Turns,
        ),
        (
            "Model stream ended with an invalid chunk or missing finish reason.",
            Network,
        ),
        (
            "{\"error\":{\"code\":400,\"message\":\"Budget 0 is invalid.\",\"status\":\"INVALID_ARGUMENT\"}}",
            Input,
        ),
        ("The service is currently unavailable.", Network),
        ("API key expired. Please renew the API key.", Auth),
        (
            "Permission denied: Consumer 'api_key:x' has been suspended.",
            Auth,
        ),
        ("Please log in with `codex login`.", Auth),
        (
            "upstream connect error or disconnect/reset before headers. reset reason: connection termination",
            Network,
        ),
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
    assert_eq!(class("client closed request", Some(499)), Cancelled);
    assert_eq!(class("max_tokens must be positive", Some(400)), Input);
    assert_eq!(
        class("unexpected status 502, url: http://127.0.0.1:4000/v1", None),
        Network
    );
}

#[test]
fn a_status_is_three_digits_that_are_announced() {
    assert_eq!(status_in("429 slow down"), Some(429));
    assert_eq!(status_in("429"), None);
    assert_eq!(status_in("all 429 of them"), None);
    assert_eq!(
        status_in("{\"error\":{\"code\":429,\"message\":…"),
        Some(429)
    );
    assert_eq!(status_in("api error: 529 {…"), Some(529));
    assert_eq!(status_in("error on line 4000 after 503 tries"), None);
    assert_eq!(status_in("error 200, then status 500"), Some(500));
    assert_eq!(status_in("status"), None);
    assert_eq!(
        status_in("api error (us.anthropic.claude-sonnet-4-20250514-v1:0): 429 too many"),
        Some(429)
    );
    assert_eq!(status_in("api error (claude-3-7-sonnet): 400 x"), Some(400));
    assert_eq!(status_in("as was said (an error): 500 g of flour"), None);
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

#[test]
fn a_phrase_stands_for_whole_words() {
    for (message, expected) in [
        ("got not_found_error", Input),
        ("ResourceNotFoundException: no such model version", Failed),
        ("codepipeline failed", Failed),
        ("SyntaxError: missing closing quotation mark", Failed),
        ("UNSAFETY", Failed),
        ("QuotaExceeded", Quota),
        ("insufficient_quota", Quota),
        ("ThrottlingException: slow down", Quota),
        ("on-demand throughput is not offered", Failed),
        ("UND_ERR_SOCKET", Network),
        ("finishReason: CONTENT_FILTERED", Blocked),
        ("Unknown arguments: such-flag, suchFlag", Input),
        ("FatalTurnLimitedError", Turns),
        ("FatalUntrustedWorkspaceError", Input),
        ("an untrusted certificate", Network),
        ("EDQUOT: disk quota exceeded, write", Failed),
        ("The operation was aborted due to timeout", Network),
    ] {
        assert_eq!(class(message, None), expected, "{message}");
    }
}

#[test]
fn a_refused_request_may_name_every_parameter() {
    let body = |message: &str| format!(r#"API Error: 400 {{"error":{{"message":"{message}"}}}}"#);
    for message in [
        "missing closing quotation mark",
        "Invalid value at 'safety_settings[0].category'",
        "max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens",
        "tools.3.name: forbidden characters",
        "the certificate of the image's server",
        "messages: credentials must be a string",
    ] {
        assert_eq!(class(&body(message), None), Input, "{message}");
        assert_eq!(class(message, Some(400)), Input, "{message}");
    }
    for message in [
        r#"API Error: 404 {"type":"error","error":{"type":"not_found_error","message":"model: x"}}"#,
        r#"{"type":"error","error":{"type":"not_found_error","message":"model: x"}}"#,
        r#"{"detail":"Unsupported parameter: max_output_tokens"}"#,
        r#"{"type":"invalid_request_error","message":"max_tokens: at most 8192"}"#,
        r#"{"error":{"message":"Invalid value at 'safety_settings[0]'","status":"INVALID_ARGUMENT"}}"#,
    ] {
        assert_eq!(class(message, None), Input, "{message}");
    }
    let credits = "This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens.";
    assert_eq!(class(credits, None), Quota);
    assert_eq!(class(&format!("API Error: 402 {credits}"), None), Quota);
    assert_eq!(class("fewer max_tokens, please", Some(402)), Quota);
}

#[test]
fn a_cause_that_is_named_beats_the_refusal() {
    for (message, expected) in [
        (
            r#"Failed to refresh token: 400 Bad Request: {"error":{"message":"Could not validate your refresh token.","type":"invalid_request_error"}}"#,
            Auth,
        ),
        (
            r#"API Error: 400 {"error":{"type":"invalid_request_error","message":"This organization has been disabled."}}"#,
            Auth,
        ),
        (
            r#"API Error: 400 {"error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#,
            Quota,
        ),
        (
            r#"API Error: 400 {"error":{"message":"You have reached your specified API usage limits."}}"#,
            Quota,
        ),
        (
            r#"API Error: 400 {"error":{"message":"Output blocked by content filtering policy"}}"#,
            Blocked,
        ),
        (
            r#"[API Error: {"error":{"code":403,"message":"This API method requires billing to be enabled.","status":"PERMISSION_DENIED"}}]"#,
            Quota,
        ),
    ] {
        assert_eq!(class(message, None), expected, "{message}");
    }
}

#[test]
fn the_words_of_providers_are_known_whatever_the_sentence_is() {
    for (messages, expected) in [
        (
            &[
                "the request exceeds the available context size, try increasing it",
                "Context size has been exceeded.",
                "context_overflow",
                "Please reduce the length of the messages or completion.",
                "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
                "prompt token count of 130000 exceeds the limit of 128000",
                "Range of input length should be [1, 129024]",
                "tokens in request more than max tokens allowed",
                "API Error: 404 model: claude-x not found",
                "model 'llama9' not found, try pulling it first",
                "messages: text content blocks must be non-empty",
                "No endpoints found that support tool use.",
                "Invalid schema for function 'x': None is not of type 'object'",
                "Could not process image",
            ][..],
            Input,
        ),
        (
            &[
                "You are sending requests too quickly",
                "Service tier capacity exceeded for this model.",
                "Key limit exceeded (daily limit).",
                "Your account has insufficient funds",
                "You have run out of usage. Upgrade to continue",
                "Request limit exceeded",
                "Exceeded daily request limit",
                "Free tier limit exceeded",
                "TPD limit reached",
            ],
            Quota,
        ),
        (
            &[
                "You didn't provide an API key.",
                "Your session has expired. Please sign in again.",
                "You must be logged in to use this command",
                "Invalid bearer token",
                "Your API key has been disabled",
            ],
            Auth,
        ),
        (
            &[
                "Content Exists Risk",
                "Input data may contain inappropriate content.",
                "data_inspection_failed",
                "Content violates usage guidelines.",
                "The model refused to answer",
            ],
            Blocked,
        ),
        (
            &[
                "Agent stopped due to iteration limit or time limit.",
                "Recursion limit of 25 reached without hitting a stop condition.",
                "The next request would exceed the request_limit of 50",
                "Exceeded total_tokens_limit of 5000",
                "max steps exceeded",
                "Exceeded max_tool_calls",
                "Agent reached max consecutive auto replies",
            ],
            Turns,
        ),
        (
            &[
                "The user aborted a request.",
                "KeyboardInterrupt",
                "Cancelled",
                "SIGINT received",
            ],
            Cancelled,
        ),
        (
            &[
                "read tcp 10.0.0.1:443: i/o timeout",
                "unexpected EOF",
                "net::ERR_INTERNET_DISCONNECTED",
                "upstream_error",
                "We're experiencing high traffic right now! Please try again soon.",
            ],
            Network,
        ),
        (
            &[
                "2 checks cancelled",
                "the model of the file was not found",
                "the user asked for a context",
                "time limit exceeded",
            ],
            Failed,
        ),
    ] {
        for message in messages {
            assert_eq!(class(message, None), expected, "{message}");
        }
    }
}

#[test]
fn limits_of_a_plan_are_a_matter_of_waiting() {
    for message in [
        "You've hit your limit · resets 9pm (America/New_York)",
        "You've hit your weekly limit · resets Oct 12 at 5pm",
        "You've hit your Opus limit · resets Oct 12 at 5pm",
        "You’ve hit your usage limit. Try again at 1:37 AM.",
        "You've reached your Fable limit · resets 3pm",
        "5-hour limit reached ∙ resets 3pm",
        "Session limit reached ∙ resets 12am",
        "Limit reached · resets 7pm (Europe/London)",
        "You're out of extra usage · resets 3pm (UTC)",
        "You have hit your monthly spend limit.",
        "API Error: Extra usage is required for 1M context · run /extra-usage to enable",
        "API Error: Usage credits required for 1M context · turn on usage credits",
        "usage_limit_reached",
        "[API Error: You have exhausted your capacity on this model.]",
    ] {
        assert_eq!(class(message, None), Quota, "{message}");
    }
    for (message, expected) in [
        ("Tool call limit reached", Turns),
        ("You have reached your limit of max turns", Turns),
        (
            "Context limit reached · /compact or /clear to continue",
            Input,
        ),
        ("The recursion limit was reached", Failed),
        (
            "hit your knee, and much more than a few words behind it a limit",
            Failed,
        ),
    ] {
        assert_eq!(class(message, None), expected, "{message}");
    }
}

#[test]
fn sign_ins_that_failed_are_a_matter_of_the_account() {
    for message in [
        "Failed to authenticate: OAuth session expired and could not be refreshed",
        "Your access token could not be refreshed because you have since logged out or signed in to another account.",
        "This account requires setting the GOOGLE_CLOUD_PROJECT or GOOGLE_CLOUD_PROJECT_ID env var.",
        "Your current account is not eligible for Gemini Code Assist for individuals",
        "[API Error: invalid_grant]",
        "Your ANTHROPIC_API_KEY belongs to a disabled organization · Update or unset the environment variable",
        "Your organization has disabled Claude subscription access for Claude Code",
        "oauth_org_not_allowed",
        "Claude Fable isn't available on your plan.",
        "ExpiredTokenException: The security token included in the request is expired",
    ] {
        assert_eq!(class(message, None), Auth, "{message}");
    }
}

#[test]
fn connections_that_broke_and_requests_that_were_wrong_are_distinguished() {
    for (message, expected) in [
        (
            "API Error: The socket connection was closed unexpectedly. For more information, pass `verbose: true`",
            Network,
        ),
        (
            "API Error: Stream idle timeout - partial response received",
            Network,
        ),
        (
            "API Error: Response stalled mid-stream. The response above may be incomplete.",
            Network,
        ),
        ("connect EHOSTUNREACH 160.79.104.10:443", Network),
        (
            "There's an issue with the selected model (x). It may not exist or you may not have access to it.",
            Input,
        ),
        (
            "The model `gpt-5` does not exist or you do not have access to it.",
            Input,
        ),
        ("Model provider `foo` not found", Input),
        ("code: DeploymentNotFound", Input),
        (
            "The API deployment for this resource does not exist.",
            Input,
        ),
        ("upstream timeout", Network),
        ("[API Error: Request contains an invalid argument.]", Input),
        ("[API Error: Precondition check failed.]", Input),
        (
            "This content was flagged for possible cybersecurity risk. If this seems wrong, try rephrasing your request.",
            Blocked,
        ),
        ("Max number of steps reached: 100", Turns),
    ] {
        assert_eq!(class(message, None), expected, "{message}");
    }
}
