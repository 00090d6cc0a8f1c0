//! Responses in other objects: the lines of a batch's results, the answers of JSON-RPC and of gateways.

use super::{bodies, errors};
use crate::dialect::prelude::*;

/// Returns why a request of a batch has no response: the API's error, or that the batch was over before
/// (`{"custom_id","result":{"type":"expired"}}`), or why Vertex has refused it,
/// `{"status":"Bad Request: …","request":{"contents"},"response":{}}`, or Bedrock,
/// `{"recordId","modelInput","error":{"errorCode","errorMessage"}}`.
pub(super) fn batch_failure(line: &Object<'_>) -> Option<Problem<'static>> {
    let request = line.get("request").and_then(|it| it.get("contents"));
    if request.is_some() && usual::has_only(line, [AROUND]) {
        let status = line.text("status").filter(|status| !status.is_empty())?;
        let answered = line.get("response")?.members().next().is_some();
        return (!answered).then(|| errors::classed(status, None));
    }
    if line.has("recordId") && line.has("modelInput") {
        let error = line.object("error")?;
        let code = error.get("errorCode").and_then(Value::as_i64);
        return Some(errors::classed(error.text("errorMessage")?, code));
    }
    line.get("custom_id")?;
    if let Some(result) = line.object("result") {
        let kind = result.text("type").filter(|kind| kind != "succeeded")?;
        // A filter may leave the body of the error out.
        let error = result.inner("error");
        let error = error.object("error").unwrap_or(error);
        let reported = errors::of_error(&error);
        let class = match kind.as_bytes() {
            b"canceled" => Outcome::Cancelled,
            _ => Outcome::Failed,
        };
        return reported.or_else(|| Some(Problem::fatal(class, kind.into_owned())));
    }
    if let Some(error) = line.object("error") {
        return errors::of_error(&error);
    }
    let response = line.object("response")?;
    let problem = usual::failure(&response.object("body")?)?;
    let code = response.get("status_code").and_then(Value::as_i64);
    Some(errors::classed(problem.message, code))
}

/// Members that may be next to a response in an object: those that name the request or say that it succeeded.
const AROUND: NameList = names!(
    "response result data output body status statusCode status_code code success ok error errors message msg request \
     traceId trace_id processed_time headers usage model completed_at started_at"
);

/// Returns the response in the line of a batch's results (`{"custom_id","response":{"status_code","body"}}`,
/// `{"custom_id","result":{"type","message"}}`, Gemini's `{"key","response"}`, Bedrock's
/// `{"recordId","modelInput","modelOutput"}`) or in an answer of JSON-RPC, the chunk in an event that has nothing else
/// (Strands Agents), or the response in an object that says nothing else (Gemini's Code Assist, Vertex, DashScope,
/// `{"status":200,"data"}`).
pub(super) fn wrapped<'a>(document: &Object<'a>) -> Option<Object<'a>> {
    if document.has("custom_id") || document.has("key") {
        let inner = names!("response result").objects(document).next()?;
        let body = names!("body message").objects(&inner).next();
        return body.or(Some(inner));
    }
    if document.has("jsonrpc") {
        return document.object("result");
    }
    if document.has("recordId") && document.has("modelInput") {
        return document.object("modelOutput");
    }
    let is_alone = document.members().count() == 1;
    let event = document.object("event").filter(|_| is_alone);
    event.or_else(|| {
        let mut all = names!("response result data output body").objects(document);
        let none = |error: Value<'_>| matches!(error.raw(), b"null" | b"\"\"" | b"[]" | b"false");
        let succeeds = || names!("error errors").of(document).all(none);
        let shape = |_: &Object<'_>| usual::has_only(document, [AROUND]) && succeeds();
        // An event of the Responses API contains the response so far; its name may be in a line of its own.
        let is_event =
            |inner: &Object<'_>| document.has("response") && inner.is("object", "response");
        let inner = all.next().filter(shape);
        inner.filter(|inner| !is_event(inner) && bodies::is_distinct(inner))
    })
}
