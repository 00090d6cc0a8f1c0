//! Error bodies of model APIs, and the class of each.
//!
//! Only the shapes that APIs print count as an error body, and only without further members that say something: a log
//! may well contain an object with an `error`, and so does the JSON-RPC of tools. What only dates, names or numbers the
//! body may be there, but then the error has to name a cause: lines of logs and answers of other services have it, too.

use crate::dialect::prelude::*;

/// Members that APIs write next to `error`: ids of the request and, with OpenRouter, of the user.
const ALONGSIDE: NameList =
    names!("type error id request_id user_id detail http_status status_code sequence_number");
/// Members that may be next to the `message` of an error record that is all that a program printed.
const ALONGSIDE_MESSAGE: NameList = names!("type message code");
/// Members that may be next to the `error` of a result that is all that a program printed.
const ALONGSIDE_STATUS: NameList = names!("type status error stats");
/// The descriptions of gRPC's statuses, which xAI has as the `code` of an error, and the statuses of HTTP for them.
const GRPC: [(&str, i64); 5] = [
    ("Client specified an invalid argument", 400),
    (
        "The request does not have valid authentication credentials",
        401,
    ),
    (
        "The caller does not have permission to execute the specified operation",
        403,
    ),
    ("Some resource has been exhausted", 429),
    ("The service is currently unavailable", 503),
];
/// Codes of errors that only DashScope has, and the statuses of HTTP for them.
const DASHSCOPE: [(&str, i64); 8] = [
    ("InvalidApiKey", 401),
    ("Model.AccessDenied", 403),
    ("ModelNotFound", 404),
    ("DataInspectionFailed", 400),
    ("AllocationQuota.FreeTierOnly", 429),
    ("Throttling.RateQuota", 429),
    ("Throttling.BurstRate", 429),
    ("Throttling.AllocationQuota", 429),
];
/// Members that distinguish an API's error from other objects with a message.
const TELLING: [&str; 3] = ["type", "code", "status"];
/// The statuses of Anthropic's errors whose words say less than the status.
const STATUSES: [(&str, i64); 3] = [
    ("not_found_error", 404),
    ("api_error", 500),
    ("timeout_error", 504),
];

/// Returns the error of a document that contains nothing else: `{"type":"error","error":{"type","message"}}`
/// (Anthropic), `{"error":{"message","type","code"}}` (OpenAI), `{"error":{"code","message","status"}}` (Gemini),
/// `{"object":"error","message","type","code"}` (vLLM, Mistral), `{"success":false,"errors":[{"code","message"}]}`
/// (Cloudflare).
pub(crate) fn of_body(body: &Object<'_>) -> Option<Problem<'static>> {
    if body.is("object", "error") {
        return of_error(body);
    }
    if is_bare(body) {
        return of_error(body);
    }
    if body.get("success").and_then(Value::as_bool) == Some(false) && body.has("messages") {
        return of_error(&body.objects("errors").next()?);
    }
    if let Some(failure) = of_code(body) {
        return Some(failure);
    }
    let shape =
        body.get("type").is_none_or(|kind| kind.is("error")) && usual::has_only(body, [ALONGSIDE]);
    let Some(error) = body.get("error").filter(|_| shape) else {
        return of_record(body);
    };
    let failure = match Object::new(error) {
        Some(error) => with_status(&error, http_status(body)),
        None => of_text(body, error),
    };
    failure.filter(|problem| problem.class != Outcome::Failed || ALONGSIDE.are_all_of(body))
}

/// Whether a body is what others have in `error`, `{"message","type":"…_error","param","code"}` (Cerebras).
fn is_bare(body: &Object<'_>) -> bool {
    const BARE: NameList = names!("message type param code");
    let is_typed = || body.word("type").is_some_and(|it| it.ends_with(b"_error"));
    BARE.are_all_of(body) && BARE.of(body).count() == 4 && is_typed()
}

/// Returns the failure of a body with no more than a code that is known and a text: xAI's `{"code","error"}`, if the
/// text blames the account or the model, since other services have such codes, and DashScope's
/// `{"code","message","request_id"}`.
fn of_code(body: &Object<'_>) -> Option<Problem<'static>> {
    let code = body.get("code")?;
    let status_in = |codes: &[(&str, i64)]| {
        let known = codes.iter().find(|(known, _)| code.is(known));
        known.map(|(_, status)| *status)
    };
    let (status, message) = if names!("code error").are_all_of(body) {
        (status_in(&GRPC)?, body.text("error")?)
    } else if names!("code message request_id").are_all_of(body) && body.has("request_id") {
        (status_in(&DASHSCOPE)?, body.text("message")?)
    } else {
        return None;
    };
    let kind = code
        .text()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let class = class::of_kind(&kind, &message, Some(status));
    let failure = Problem::fatal(class, message.into_owned());
    (body.has("request_id") || usual::blames_model(&failure)).then_some(failure)
}

/// Returns the failure of a record that is all that a program printed, `{"type":"error","message":"Not logged in."}` or
/// `{"type":"result","status":"error","error":{"message":"Quota exceeded."}}`, whose message names a cause: of one
/// without a time only that the account is at fault, or in a result the model, since a model may answer anything.
fn of_record(body: &Object<'_>) -> Option<Problem<'static>> {
    let is_error = body.is("type", "error") && usual::has_only(body, [ALONGSIDE_MESSAGE]);
    let is_result = body.is("type", "result")
        && body.is("status", "error")
        && usual::has_only(body, [ALONGSIDE_STATUS]);
    let problem = match is_error {
        true => usual::problem(body.text("message")?, None),
        false => usual::error(body).filter(|_| is_result)?,
    };
    let named = match problem.class {
        Outcome::Auth | Outcome::Quota => true,
        _ if is_result && usual::blames_model(&problem) => true,
        class => usual::timestamp(body).is_some() && class != Outcome::Failed,
    };
    named.then(|| Problem::fatal(problem.class, problem.message.into_owned()))
}

/// Returns the failure of a body whose `error` is a text, if the text starts with an HTTP status and its words name a
/// cause: `{"type":"error","error":"401 Unauthorized"}` (goose); or if Ollama lacks the model:
/// `{"error":"model 'llama9' not found"}`. Its other errors could be the answers of a model.
fn of_text(body: &Object<'_>, error: Value<'_>) -> Option<Problem<'static>> {
    let message = error.text()?;
    if lacks_model(message.as_str()?) {
        return Some(Problem::fatal(Outcome::Input, message.into_owned()));
    }
    body.has("type").then_some(())?;
    let (status, rest) = message.as_bytes().split_at_checked(3)?;
    let status: i64 = std::str::from_utf8(status).ok()?.parse().ok()?;
    // A number alone may count anything.
    let class = class::of(&message.since(3), None);
    let is_status = class::of_code(status).is_some() && matches!(rest, [b' ' | b':', ..]);
    (is_status && class != Outcome::Failed).then(|| Problem::fatal(class, message.into_owned()))
}

/// Whether Ollama says that it does not have a model.
fn lacks_model(message: &str) -> bool {
    let name = message.strip_prefix("model ");
    let quoted = name.and_then(|name| name.strip_prefix(['\'', '"']));
    let after = quoted.and_then(|name| name.split_once(['\'', '"']));
    after.is_some_and(|(_, after)| after.starts_with(" not found"))
}

/// Returns a failure with that message, which or else the `status` gives its class.
pub(super) fn classed(message: Text<'_>, status: Option<i64>) -> Problem<'static> {
    Problem::fatal(class::of(&message, status), message.into_owned())
}

/// Returns the failure that the `error` object of a body states.
pub(super) fn of_error(error: &Object<'_>) -> Option<Problem<'static>> {
    with_status(error, None)
}

/// Returns the HTTP status in a body or an error, by any of its names; `raw_status_code` is Mistral's.
fn http_status(stated: &Object<'_>) -> Option<i64> {
    let mut statuses = names!("http_status status_code raw_status_code").of(stated);
    statuses.find_map(Value::as_i64)
}

/// Returns the failure that the `error` object of a body with that HTTP status states.
fn with_status(error: &Object<'_>, status_around: Option<i64>) -> Option<Problem<'static>> {
    let message = error.text("message");
    let reported = TELLING.map(|name| error.get(name).and_then(Value::non_null));
    reported.iter().any(Option::is_some).then_some(())?;
    let status = |kind: Value<'_>| STATUSES.iter().find(|(name, _)| kind.is(name));
    let code = match reported[0].and_then(status) {
        Some((_, status)) => Some(*status),
        None => {
            // Mistral has numbers of its own, written as strings.
            let code = error.get("code").and_then(Value::as_i64);
            let mut all = [code, http_status(error), status_around]
                .into_iter()
                .flatten();
            all.find(|code| class::of_code(*code).is_some())
        }
    };
    let mut said = String::new();
    for (name, value) in TELLING.iter().zip(reported) {
        if let Some(value) = value.filter(|value| status(*value).is_none())
            && let Some(word) = value.text()
        {
            said.push_str(&format!("\n{name}: {}", word.to_string_lossy()));
        }
    }
    let class = class::of_kind(&said, message.as_ref().unwrap_or(&Text::EMPTY), code);
    let message = message.or_else(|| name_of(error, class))?;
    Some(Problem::fatal(class, message.into_owned()))
}

/// Returns the name of an error of that class that has no message: only a type as APIs write it, a word for a fault of
/// the account, or what Groq says that the model wrote, distinguishes it from others.
fn name_of<'a>(error: &Object<'a>, class: Outcome) -> Option<Text<'a>> {
    let kind = error.word("type");
    let is_typed = kind.is_some_and(|kind| kind.ends_with(b"_error"));
    let is_known = match class {
        Outcome::Auth | Outcome::Quota => true,
        class => is_typed && class != Outcome::Failed || error.has("failed_generation"),
    };
    names!("type code status").text(error).filter(|_| is_known)
}

#[cfg(test)]
mod tests {
    use super::of_body;
    use jsift_json::view::{Object, Value};
    use jsift_outcome::Outcome::{self, Auth, Blocked, Input, Network, Quota};

    fn class(body: &str) -> Option<Outcome> {
        let failure = of_body(&Object::new(Value::new(body.as_bytes()))?);
        failure.map(|failure| failure.class)
    }

    #[test]
    fn error_bodies_of_apis_are_classed() {
        for (body, expected) in [
            (
                r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#,
                Auth,
            ),
            (
                r#"{"type":"error","error":"401 Unauthorized: no key"}"#,
                Auth,
            ),
            (
                r#"{"success":false,"errors":[{"code":10000,"message":"Authentication error"}],"messages":[],"result":null}"#,
                Auth,
            ),
            (
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":null}"#,
                Quota,
            ),
            (
                r#"{"type":"error","error":{"type":"not_found_error","message":"model: claude-9"},"request_id":"req_1"}"#,
                Input,
            ),
            (
                r#"{"type":"error","error":{"type":"api_error","message":"Internal server error"}}"#,
                Network,
            ),
            (
                r#"{"error":{"message":"Incorrect API key provided: sk-x.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}"#,
                Auth,
            ),
            (
                r#"{"error":{"message":"The server had an error while processing your request.","type":"server_error","param":null,"code":null}}"#,
                Network,
            ),
            (
                r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[]}}"#,
                Auth,
            ),
            (
                r#"{"error":{"code":503,"message":"Try again.","status":"UNAVAILABLE"}}"#,
                Network,
            ),
            (
                r#"{"error":{"message":"Provider returned error","code":429},"user_id":"user_2x"}"#,
                Quota,
            ),
            (
                r#"{"object":"error","message":"Full.","type":"engine_max_pending_tokens","param":null,"code":"3810","raw_status_code":429}"#,
                Quota,
            ),
            (
                r#"{"error":{"code":"content_filter","message":"The response was filtered.","param":"prompt","type":null}}"#,
                Blocked,
            ),
        ] {
            assert_eq!(class(body), Some(expected), "{body}");
        }
    }

    #[test]
    fn other_documents_with_an_error_are_none() {
        for body in [
            r#"{"error":"not found"}"#,
            r#"{"error":"404 not found"}"#,
            r#"{"type":"error","error":"not found"}"#,
            r#"{"type":"error","error":"500 files changed"}"#,
            r#"{"error":{"message":"no code"}}"#,
            r#"{"error":null,"data":{"code":1}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid Request"}}"#,
            r#"{"level":"error","error":{"type":"TypeError","message":"x is undefined"}}"#,
            r#"{"type":"result","error":{"type":"Error","message":"x"}}"#,
            r#"{"response":"x","error":{"code":1,"message":"a"}}"#,
        ] {
            assert_eq!(class(body), None, "{body}");
        }
    }
}
