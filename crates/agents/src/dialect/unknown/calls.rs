//! Calls and their results, paired by id, or by the name of the tool where there are no ids.

use super::place::{Role, role};
use crate::dialect::prelude::*;
use crate::dialect::usual::{self, NumberedCalls, Words};
use crate::hashes::{HashedMap, TextHash};
use crate::session::hash_of;
use crate::session::recent::{Recent, push_latest};

/// The maximum number of calls whose parameters may come in pieces at a time.
const OPEN_CALLS: usize = 64;
/// How many answered calls are known at least.
const ANSWERED: usize = 64;
/// Members of an object about a call: if it has one, its own id is the call's. So it is if a call of that id waits.
const OF_CALLS: NameList = names!("name toolName tool_name tool function detail status");

/// The longest parameters of a call that are put together from pieces, in bytes.
const LONGEST_PARAMETERS: usize = 16 << 20;
/// Members with a piece of a call's parameters.
const PIECES: NameList = names!("delta argsTextDelta inputTextDelta arguments partial_json args");

/// A call whose parameters come in pieces.
#[derive(Debug)]
struct OpenCall {
    call: Call<'static>,
    pieces: Vec<u8>,
}

/// The calls of a run. Short ids are known in their turn only, as in a [session](crate::session).
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// The calls that wait for their results, by id, each with the hash of its id in its turn.
    waiting: Recent<TextHash>,
    open: Vec<OpenCall>,
    /// The calls that had their results, by the hash of their id in their turn.
    answered: HashedMap<(), ANSWERED>,
    numbered: NumberedCalls,
    /// Whether a call had neither an id nor parameters: any job may run its tools so.
    bare: bool,
    /// How many turns there were.
    turns: u64,
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
    /// Takes in an object about a call: the call, its result, or both. The result may be an object of its own in it.
    pub(super) fn take<'a>(&mut self, object: &Object<'a>, words: Words) -> CallParts<'a> {
        let inside = names!("tool_result toolResult").objects(object).next();
        let inside = inside.filter(|_| usual::call_id(object).is_none());
        let object = inside.as_ref().unwrap_or(object);
        let waits = |id: Text<'_>| words.has(Words::TOOL) && self.waits(&id);
        let own = OF_CALLS.is_in(object) || object.text("id").is_some_and(waits);
        let inner = || object.object("tool_call").or_else(|| object.object("tool"));
        let id = match own {
            true => usual::call_id(object),
            false => usual::named_call_id(object),
        };
        let id = id.or_else(|| usual::call_id(&inner()?));
        let Some(id) = id else {
            return self.take_unnamed(object, words);
        };
        let by_role = role(object) == Some(Role::Tool);
        // The status of OpenAI's items says that their text is complete.
        let is_result = || !object.is("type", "function_call") && usual::has_result(object, words);
        let has_result = by_role || is_result();
        // A call that comes in pieces is not complete yet.
        let is_piece = !has_result && words.has(Words::PART);
        let is_again = match has_result {
            true => !self.waits(&id) && self.is_answered(&id),
            false => self.is_known(&id),
        };
        if is_piece {
            self.add_piece(object, &id);
            return CallParts::Known;
        }
        if is_again {
            return self.complete(object, &id, words);
        }
        if !has_result {
            self.wait_for(&id);
            if words.has(Words::START) && usual::parameters_of(object).is_none() {
                self.open(object, &id);
                return CallParts::Known;
            }
            return CallParts::New(Fact::Call(usual::call(object, id)));
        }
        if self.answer(&id) {
            let result = usual::result(object, id);
            let call = self.close(&result.id).map(Box::new);
            return CallParts::Paired(Fact::Result(ToolResult { call, ..result }));
        }
        // Only the result may have an id.
        if let Some(id) = self.numbered.take_only(usual::tool_name(object).as_ref()) {
            return CallParts::New(Fact::Result(usual::result(object, id)));
        }
        let call = (!by_role).then(|| Box::new(usual::call(object, id.clone())));
        CallParts::New(Fact::Result(ToolResult {
            call,
            ..usual::result(object, id)
        }))
    }

    /// Whether any call waits for its result.
    pub(super) fn are_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Begins a turn, in which short ids are new ones.
    pub(super) const fn begin_turn(&mut self) {
        self.turns += 1;
    }

    /// Whether a call of that id waits for its result, which may come in a later turn.
    fn waits(&self, id: &Text<'_>) -> bool {
        self.waiting.contains(TextHash::of(id.as_bytes()))
    }

    /// Whether a call of this turn had its result.
    fn is_answered(&self, id: &Text<'_>) -> bool {
        self.answered.contains(hash_of(id, self.turns))
    }

    /// Whether a call of this turn was stated before.
    fn is_known(&self, id: &Text<'_>) -> bool {
        let waiting = self.waiting.get(TextHash::of(id.as_bytes()));
        waiting == Some(&hash_of(id, self.turns)) || self.is_answered(id)
    }

    /// Notes that a call waits for its result.
    fn wait_for(&mut self, id: &Text<'_>) {
        let (hash, in_turn) = (TextHash::of(id.as_bytes()), hash_of(id, self.turns));
        self.waiting.insert(hash, in_turn);
    }

    /// Notes that a call had its result; returns whether it waited for it.
    fn answer(&mut self, id: &Text<'_>) -> bool {
        self.answered.insert(hash_of(id, self.turns), ());
        self.waiting.remove(TextHash::of(id.as_bytes())).is_some()
    }

    /// Notes a call whose parameters come in pieces.
    fn open(&mut self, object: &Object<'_>, id: &Text<'_>) {
        let call = usual::call(object, id.clone()).into_owned();
        let pieces = Vec::new();
        push_latest(&mut self.open, OpenCall { call, pieces }, OPEN_CALLS);
    }

    /// Notes a call that was stated by another reader; returns whether it is new.
    pub(super) fn is_new(&mut self, id: &Text<'_>) -> bool {
        let is_new = id.is_empty() || !self.is_known(id);
        if is_new && !id.is_empty() {
            self.wait_for(id);
        }
        is_new
    }

    /// Notes the result of a call; returns whether it is the first one.
    pub(super) fn is_answered_now(&mut self, id: &Text<'_>) -> bool {
        let is_first = id.is_empty() || !self.is_answered(id);
        if is_first {
            self.answer(id);
        }
        is_first
    }

    /// Adds a piece of the parameters of an open call; the first piece names the tool.
    fn add_piece(&mut self, object: &Object<'_>, id: &Text<'_>) {
        if usual::tool_name(object).is_some() && self.is_new(id) {
            self.open(object, id);
        }
        let Some(open) = self.open.iter_mut().find(|open| open.call.id == *id) else {
            return;
        };
        let piece = PIECES.text(object).unwrap_or_default();
        if open.pieces.len() + piece.len() <= LONGEST_PARAMETERS {
            open.pieces.extend_from_slice(piece.as_bytes());
        }
    }

    /// Returns the call of that id if its parameters came in pieces, and `object` has all of them or ends them.
    fn complete<'a>(&mut self, object: &Object<'a>, id: &Text<'a>, words: Words) -> CallParts<'a> {
        let whole = usual::parameters_of(object).is_some();
        let is_open = self.open.iter().any(|open| open.call.id == *id);
        if !is_open || !whole && !words.has(Words::END) {
            self.add_piece(object, id);
            return CallParts::Known;
        }
        match (self.close(id), whole) {
            (_, true) => CallParts::New(Fact::Call(usual::call(object, id.clone()))),
            (Some(call), false) => CallParts::New(Fact::Call(call)),
            (None, false) => CallParts::Known,
        }
    }

    /// Returns the call of that id if its parameters came in pieces and it was not stated yet.
    fn close<'a>(&mut self, id: &Text<'_>) -> Option<Call<'a>> {
        let at = self.open.iter().position(|open| open.call.id == *id)?;
        let OpenCall { call, pieces } = self.open.remove(at);
        Some(usual::call_in_pieces(call, &pieces))
    }

    /// Returns the calls whose parameters may lack further pieces.
    pub(super) fn close_all<'a>(&mut self) -> impl Iterator<Item = Fact<'a>> {
        let all = self.open.drain(..);
        all.map(|open| Fact::Call(usual::call_in_pieces(open.call, &open.pieces)))
    }

    /// Takes in an object about a call without an id.
    fn take_unnamed<'a>(&mut self, object: &Object<'a>, words: Words) -> CallParts<'a> {
        if !words.has_all(Words::TOOL.with(Words::MODEL)) || words.has(Words::PART) {
            return CallParts::Nothing;
        }
        let name = usual::tool_name(object);
        if role(object) == Some(Role::Tool) || usual::has_result(object, words) {
            let Some(id) = self.numbered.take(name.as_ref()) else {
                return CallParts::Nothing;
            };
            let result = Fact::Result(usual::result(object, id));
            return match self.bare {
                true => CallParts::New(result),
                false => CallParts::Named(result),
            };
        }
        let has_parameters = usual::parameters_of(object).is_some();
        let calls = has_parameters || usual::says_call(object, words);
        let Some(name) = name.filter(|_| calls) else {
            return CallParts::Nothing;
        };
        self.bare |= !has_parameters;
        let id = self.numbered.add(name.into_owned());
        CallParts::New(Fact::Call(usual::call(object, id)))
    }
}

/// Returns a block of a message, or the call or the result that Gemini, Bedrock and the AI SDK put into it, and the
/// words in its type.
pub(super) fn block_of_call(block: Object<'_>) -> (Object<'_>, Words) {
    let names = names!("functionCall functionResponse toolUse toolResult toolInvocation");
    let call = names.objects(&block).next();
    match call {
        Some(call) => (call, Words::TOOL.with(Words::MODEL)),
        // An answer of a tool that asks the model to call it again.
        None if usual::asks_again(&block) => (block, Words::TOOL),
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
