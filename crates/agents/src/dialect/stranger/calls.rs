//! Calls and their results, paired by id, or by the name of the tool where there are no ids.

use super::place::{StrangerRole, role};
use crate::dialect::usual::{self, Answered, NumberedCalls, Words};
use crate::fact::{Fact, ToolResult};
use jsift_json::text::Text;
use jsift_json::view::Object;

/// The maximum number of calls that are remembered while they wait for a result.
const WAITING: usize = 64;
/// Members of an object about a call: if it has one, its own id is the call's.
const OF_CALLS: [&str; 7] = [
    "name",
    "toolName",
    "tool_name",
    "tool",
    "function",
    "detail",
    "status",
];

/// The calls of a run.
#[derive(Debug, Default)]
pub(super) struct Calls {
    waiting: Vec<Text<'static>>,
    answered: Answered,
    numbered: NumberedCalls,
}

/// What an object says about a call.
pub(super) enum CallParts<'a> {
    /// It is not about a call.
    Nothing,
    /// It repeats what is known.
    Known,
    /// A call, or a result that belongs to no earlier call.
    New(Fact<'a>),
    /// The result of an earlier call.
    Paired(Fact<'a>),
    /// The result of an earlier call without an id.
    Named(Fact<'a>),
}

impl Calls {
    /// Takes in an object about a call: the call, its result, or both.
    pub(super) fn take<'a>(&mut self, object: &Object<'a>, words: Words) -> CallParts<'a> {
        let own = OF_CALLS.iter().any(|name| object.has(name));
        let inner = || object.object("tool_call").or_else(|| object.object("tool"));
        let id = usual::call_id(object, own).or_else(|| usual::call_id(&inner()?, true));
        let Some(id) = id else {
            return self.take_unnamed(object, words);
        };
        let waits = self.waiting.iter().position(|call| *call == id);
        let by_role = role(object) == Some(StrangerRole::Tool);
        let has_result = by_role || usual::has_result(object, words);
        // A call that comes in pieces is not complete yet.
        let is_piece = !has_result && words.has(Words::PART);
        let is_again = match waits {
            Some(_) => !has_result,
            None => self.answered.has(&id),
        };
        if is_piece || is_again {
            return CallParts::Known;
        }
        if !has_result {
            self.waiting.push(id.clone().into_owned());
            let over = self.waiting.len().saturating_sub(WAITING);
            self.waiting.drain(..over);
            return CallParts::New(Fact::Call(usual::call(object, id)));
        }
        self.answered.add(&id);
        if let Some(at) = waits {
            self.waiting.remove(at);
            return CallParts::Paired(Fact::Result(usual::result(object, id)));
        }
        let call = (!by_role).then(|| Box::new(usual::call(object, id.clone())));
        CallParts::New(Fact::Result(ToolResult {
            call,
            ..usual::result(object, id)
        }))
    }

    /// Takes in an object about a call without an id.
    fn take_unnamed<'a>(&mut self, object: &Object<'a>, words: Words) -> CallParts<'a> {
        if !words.has_all(Words::TOOL.with(Words::MODEL)) || words.has(Words::PART) {
            return CallParts::Nothing;
        }
        let name = usual::tool_name(object);
        if role(object) == Some(StrangerRole::Tool) || usual::has_result(object, words) {
            let Some(number) = self.numbered.take(name.as_ref()) else {
                return CallParts::Nothing;
            };
            return CallParts::Named(Fact::Result(usual::result(object, numbered(number))));
        }
        let Some(name) = name.filter(|_| usual::has_parameters(object)) else {
            return CallParts::Nothing;
        };
        let number = self.numbered.add(name.into_owned());
        CallParts::New(Fact::Call(usual::call(object, numbered(number))))
    }
}

/// Returns the id of a call that has but a number.
fn numbered(number: u64) -> Text<'static> {
    Text::from(format!("#{number}"))
}

/// Returns a block of a message, or the call or the result that Gemini puts into it, and the words in its type.
pub(super) fn block_of_call(block: Object<'_>) -> (Object<'_>, Words) {
    let names = ["functionCall", "functionResponse"];
    match names.iter().find_map(|name| block.object(name)) {
        Some(call) => (call, Words::TOOL.with(Words::MODEL)),
        None => {
            let words = usual::words(&block);
            (block, words)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CallParts, Calls};
    use crate::dialect::usual::Words;
    use crate::fact::Fact;
    use jsift_json::view::{Object, Value};

    #[test]
    fn a_piece_of_a_call_is_no_call_yet() {
        let piece = Value::new(br#"{"call_id":"c","name":"ls","arguments":"{"}"#);
        let piece = Object::new(piece).unwrap();
        let mut calls = Calls::default();
        let of_piece = calls.take(&piece, Words::TOOL.with(Words::PART));
        assert!(matches!(of_piece, CallParts::Known));
        let of_call = calls.take(&piece, Words::TOOL);
        assert!(matches!(of_call, CallParts::New(Fact::Call(_))));
    }
}
