//! States the facts of an unknown agent's records.

use super::calls::{CallParts, Calls, block_of_call};
use super::place::{
    StrangerRole, Surroundings, ends, extent, failure, role, settled, speaker, stops,
};
use super::said::{LastSaid, TextExtent};
use super::{DISCRIMINATORS, discriminator, told_by};
use crate::dialect::usual::{self, Words};
use crate::dialect::{Dialect, blocks};
use crate::fact::{
    Duration, End, Fact, Form, Message, Problem, Scope, Start, Statement, Tokens, Usage, User,
};
use crate::json::text::Text;
use crate::json::view::{Kind, Object, Value};
use crate::outcome::Outcome;

/// Objects inside a record that may contain its subject.
const INNER: [&str; 29] = [
    "event",
    "data",
    "payload",
    "msg",
    "item",
    "part",
    "params",
    "update",
    "result",
    "step_update",
    "assistantMessageEvent",
    "llm_message",
    "message",
    "turn",
    "completion",
    "response",
    "init",
    "info",
    "chunk",
    "properties",
    "raw_item",
    "rawItem",
    "artifact",
    "status",
    "delta",
    "content",
    "tool",
    "metadata",
    "value",
];
/// How many levels deep such objects are looked for.
const DEPTH: usize = 4;
/// The members in `SAID` that contain a piece of a text.
const PIECES: [&str; 6] = [
    "text_delta",
    "delta",
    "deltaContent",
    "content_delta",
    "textDelta",
    "answer",
];
/// Members that contain what the agent says.
const SAID: [&str; 13] = [
    "content",
    "text",
    "text_delta",
    "delta",
    "deltaContent",
    "content_delta",
    "textDelta",
    "answer",
    "message",
    "data",
    "parts",
    "items",
    "blocks",
];
/// Members that contain what the model thinks.
const THOUGHT: [&str; 7] = [
    "thinking",
    "reasoning",
    "text",
    "content",
    "delta",
    "thought",
    "data",
];
/// Members that name the call of the subagent that wrote a record.
const PARENTS: [&str; 3] = [
    "parent_tool_use_id",
    "parentToolCallId",
    "parent_tool_call_id",
];
/// Members with lists of calls: the blocks of a message, or a list beside its content.
const CALLS: [&str; 5] = [
    "content",
    "parts",
    "tool_calls",
    "toolCalls",
    "toolRequests",
];
/// The number of names in `CALLS` whose lists contain more than calls.
const MIXED: usize = 2;

/// The signs that a record is an agent's.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Signs {
    pub(super) starts: bool,
    /// It contains a text, under a name that only texts have.
    pub(super) says: bool,
    pub(super) ends: bool,
    /// It is an end with an answer, under a name that only answers have.
    pub(super) answers: bool,
    /// It contains a text, the result of an earlier call, or an end with an answer.
    pub(super) acts: bool,
    /// Only programs around a language model write such a record.
    pub(super) of_model: bool,
}

/// Reads the records of an unknown agent.
#[derive(Debug, Default)]
pub(in crate::dialect) struct Stranger {
    said: LastSaid,
    calls: Calls,
    session: Option<Text<'static>>,
    /// The type of the record that started the run.
    began: Option<Text<'static>>,
    /// The id of the user's last message: its parts may come in records of their own.
    asked: Option<Text<'static>>,
    /// Whether the agent said or did anything.
    acted: bool,
    /// Whether a failure was stated, and nothing was said or done after it.
    failed: bool,
    /// Whether an end was stated, and nothing was said or done after it.
    ended: bool,
    signs: Signs,
}

impl Dialect for Stranger {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        self.signs = Signs::default();
        out.timestamp = usual::timestamp(record);
        out.parent = usual::first_text(record, &PARENTS);
        self.read(record, Surroundings::default(), out);
        if out.facts.is_empty() {
            let kind = discriminator(record).and_then(|at| record.text(DISCRIMINATORS[at]));
            out.push(Fact::known(kind));
        }
    }
}

impl Stranger {
    /// Returns the signs in the last record that it is an agent's.
    pub(super) const fn signs(&self) -> Signs {
        self.signs
    }

    /// Reads an object; returns whether it stated anything.
    fn read<'a>(
        &mut self,
        object: &Object<'a>,
        around: Surroundings,
        out: &mut Statement<'a>,
    ) -> bool {
        let place = self.place(object, around);
        let words = place.words;
        self.name_session(object, out);
        let of_tool = words.has(Words::TOOL);
        self.signs.starts |= words.has(Words::START) && !of_tool;
        self.signs.ends |= words.has(Words::END) && !of_tool;
        let by_model: [&[u8]; 4] = [b"assistant", b"model", b"AI", b"Machine"];
        // Many programs have agents, but only a model's agent has runs.
        let runs = object.has("run_id") && (object.has("agent_id") || object.has("team_id"));
        self.signs.of_model |= runs || speaker(object).is_some_and(|by| by_model.contains(&&*by));
        if words.has(Words::THINK) {
            let thinks = think(object, words, out);
            self.signs.of_model |= thinks && words.has(Words::MODEL.with(Words::AGENT));
            return true;
        }
        if words.has(Words::AGAIN) {
            self.retry(object, words, out);
            return true;
        }
        let ends = ends(words) || settled(object);
        if words.has(Words::WRONG) && !of_tool {
            self.fail(object, out);
            if !ends {
                return true;
            }
        }
        if ends && (place.depth == 0 || place.role.is_none() && place.depth < 2) {
            self.end(object, words, out);
            return true;
        }
        self.begin(object, place, out);
        let said = match place.role {
            Some(StrangerRole::User | StrangerRole::System) => self.given(object, place.role, out),
            Some(StrangerRole::Tool) => self.tool(object, words, out),
            _ => self.speak(object, place, out),
        };
        // An object with an id and a status is a piece of work, whatever its type, if nobody speaks in it.
        let works = || object.has("id") && object.has("status") && object.has("type");
        let is_work = !said && place.role.is_none() && place.depth > 0 && works();
        let is_call = of_tool || is_work;
        let done = said | (is_call && self.tool(object, words, out));
        let counted = count(object, words, said, out);
        let done = done | counted | (!done && self.read_inner(object, place, out));
        // A message whose tokens are counted is complete, and a record without a type only wraps one.
        let ended = stops(object) && (words.has(Words::END) || told_by(object).is_none());
        if place.role.is_none() && (ended || counted && words.has_all(Words::SAY.with(Words::END)))
        {
            out.push(Fact::Rest);
        }
        done
    }

    /// Reads the objects in an object that may contain its subject.
    fn read_inner<'a>(
        &mut self,
        object: &Object<'a>,
        place: Surroundings,
        out: &mut Statement<'a>,
    ) -> bool {
        if place.depth + 1 >= DEPTH {
            return false;
        }
        let depth = place.depth + 1;
        let around = Surroundings { depth, ..place };
        // If one of them names the speaker, the others repeat it.
        if let Some(said) = inner(object).find(|inner| inner.has("role")) {
            return self.read(&said, around, out);
        }
        inner(object).fold(false, |done, inner| done | self.read(&inner, around, out))
    }

    /// Returns the words and the role of an object and of the objects around it.
    fn place(&mut self, object: &Object<'_>, around: Surroundings) -> Surroundings {
        let flags = ["delta", "append", "partial"];
        let flag = |name: &&str| object.get(name).and_then(Value::as_bool) == Some(true);
        let own = match flags.iter().any(flag) {
            true => usual::words(object).with(Words::PART).with(Words::PIECE),
            false => usual::words(object),
        };
        let words = around.words.with(own);
        let stated = role(object);
        if stated == Some(StrangerRole::User) && object.has("id") {
            self.asked = object.text("id").map(Text::into_owned);
        }
        let message = usual::first_text(object, &["messageID", "messageId"]);
        let asked = words.has(Words::USER) || message.is_some() && message == self.asked;
        Surroundings {
            own,
            words,
            role: stated
                .or(around.role)
                .or(asked.then_some(StrangerRole::User)),
            depth: around.depth,
        }
    }

    /// States the session that a record names. An id that is first named after an end may belong to the run before or
    /// to the next one.
    fn name_session<'a>(&mut self, object: &Object<'a>, out: &mut Statement<'a>) {
        let Some(id) = usual::session(object).filter(|_| out.session.is_none()) else {
            return;
        };
        if self.session.is_none() && !self.ended {
            self.session = Some(id.clone().into_owned());
        }
        out.session = Some(id).filter(|id| self.session.as_ref() == Some(id));
    }

    /// States the start of a run; if the record repeats the type of the one that started the run, the start of a turn.
    fn begin<'a>(&mut self, object: &Object<'a>, place: Surroundings, out: &mut Statement<'a>) {
        let less = Words::INNER
            .with(Words::TURN)
            .with(Words::TOOL)
            .with(Words::END);
        let begins = place.words.has(Words::START) && !place.words.has(less);
        if !begins || place.depth > 1 || place.role.is_some() {
            return;
        }
        let kind = discriminator(object).and_then(|at| object.text(DISCRIMINATORS[at]));
        match &self.began {
            Some(began) if Some(began) != kind.as_ref() => {}
            Some(_) if !self.ended => out.push(Fact::Turn),
            _ => {
                self.began = kind.map(Text::into_owned);
                self.said = LastSaid::default();
                let inner = object.object("init");
                let model = object.text("model").or_else(|| inner?.text("model"));
                out.push(Fact::Start(Start {
                    agent_version: object.text("version"),
                    model,
                    folder: object.text("cwd"),
                }));
            }
        }
    }

    /// States a retry, or that no further retry follows.
    fn retry<'a>(&mut self, object: &Object<'a>, words: Words, out: &mut Statement<'a>) {
        let problem = usual::told(object);
        if words.has(Words::END) && usual::failure(object).is_some() {
            return self.fail_with(problem, out);
        }
        self.failed = false;
        out.push(Fact::Retry(Problem {
            fatal: false,
            ..problem
        }));
    }

    fn fail<'a>(&mut self, object: &Object<'a>, out: &mut Statement<'a>) {
        let own = usual::told(object);
        let inner = || Some(usual::told(&inner(object).next()?));
        let problem = match own.message.is_empty() {
            true => inner().unwrap_or(own),
            false => own,
        };
        self.fail_with(problem, out);
    }

    /// States a failure; a failure after an end counts too.
    fn fail_with<'a>(&mut self, problem: Problem<'a>, out: &mut Statement<'a>) {
        if std::mem::take(&mut self.ended) {
            out.push(Fact::Turn);
        }
        self.failed = true;
        out.push(Fact::Error(problem));
    }

    /// States what was given to the agent: a prompt, or the results of its tools.
    fn given<'a>(
        &mut self,
        object: &Object<'a>,
        role: Option<StrangerRole>,
        out: &mut Statement<'a>,
    ) -> bool {
        let Some(content) = usual::first(object, &SAID) else {
            return true;
        };
        for block in content.elements().filter_map(Object::new) {
            let (block, words) = block_of_call(block);
            if words.has(Words::TOOL) {
                self.tool(&block, words, out);
            }
        }
        let text = usual::text(content).filter(|text| !text.is_blank());
        if let Some(text) = text.filter(|text| self.said.is_new_from_user(text)) {
            self.go_on(out);
            let prompt = role == Some(StrangerRole::User) && out.parent.is_none();
            out.push(Fact::User(User { text, prompt }));
        }
        true
    }

    /// States what the agent says, and the calls beside it.
    fn speak<'a>(
        &mut self,
        object: &Object<'a>,
        place: Surroundings,
        out: &mut Statement<'a>,
    ) -> bool {
        let Surroundings { words, role, .. } = place;
        let is_agent = role == Some(StrangerRole::Agent);
        let may_say = Words::SAY.with(Words::AGENT).with(Words::CONTENT);
        if !is_agent && (!words.has(may_say) || words.has(Words::TOOL.with(Words::USER))) {
            return self.called(object, words, out);
        }
        let named = is_agent
            || words.has(Words::SAY)
            || words.has(Words::CONTENT) && object.holds("content", Kind::String)
            || words.has(Words::AGENT) && !words.has(Words::INNER);
        // The text of an object that names its speaker is read with that object.
        let speaks =
            |value: &Value<'a>| Object::new(*value).is_some_and(|said| self::role(&said).is_some());
        let content = |name: &&'static str| {
            let said = object.get(name).filter(|said| !speaks(said))?;
            Some((*name, usual::text(said)?))
        };
        let content = SAID.iter().find_map(content);
        let text = content.filter(|(_, text)| named && !text.is_empty());
        let says = text.is_some();
        if let Some((name, text)) = text {
            self.signs.acts = true;
            self.signs.says |= ["text", "delta", "content"].contains(&name);
            let says = words.has(Words::SAY.with(Words::CONTENT));
            let is_piece = PIECES.contains(&name);
            // A quiz has answers, too, but no messages with answers.
            let replies = name != "answer" || words.has(Words::INNER) && out.session.is_some();
            self.signs.of_model |= says && words.has(Words::AGENT)
                || is_piece && replies
                || name == "parts"
                || words.has(Words::MODEL);
            let extent = match is_piece {
                true => TextExtent::Piece,
                false => extent(place),
            };
            if let Some(message) = self.said.message(text, extent, words) {
                self.go_on(out);
                out.push(Fact::Message(message));
            }
        }
        let partial = words.has(Words::PART);
        let called = !partial && self.called(object, words, out);
        if is_agent && let Some(problem) = failure(object) {
            self.fail_with(problem, out);
        } else if is_agent
            && !called
            && !partial
            && !words.has(Words::START)
            && (stops(object) || object.is("status", "completed"))
        {
            out.push(Fact::Rest);
        }
        says | called | (is_agent && self.failed)
    }

    /// States the calls in a message: blocks of its content, or a list beside it.
    fn called<'a>(&mut self, object: &Object<'a>, around: Words, out: &mut Statement<'a>) -> bool {
        let mut called = false;
        for (at, list) in CALLS.iter().enumerate() {
            for block in object.objects(list) {
                let (block, words) = block_of_call(block);
                if at >= MIXED || words.with(around).has(Words::TOOL) {
                    called |= self.tool(&block, words, out);
                }
            }
        }
        called
    }

    /// States a call, its result, or both; returns whether the object is about a call.
    fn tool<'a>(&mut self, object: &Object<'a>, words: Words, out: &mut Statement<'a>) -> bool {
        let fact = match self.calls.take(object, words) {
            CallParts::Nothing => return false,
            CallParts::Known => return true,
            CallParts::New(fact) => fact,
            CallParts::Paired(fact) => {
                self.signs.acts = true;
                self.signs.of_model |= words.has(Words::MODEL) || usual::names_tool(object);
                fact
            }
        };
        self.go_on(out);
        self.said.close();
        out.push(fact);
        true
    }

    /// Notes that something is said or done: an earlier failure did not end the run, and an earlier end ended only a
    /// turn.
    fn go_on(&mut self, out: &mut Statement<'_>) {
        (self.failed, self.acted) = (false, true);
        if std::mem::take(&mut self.ended) {
            out.push(Fact::Turn);
        }
    }

    /// States the end of a run, or of a turn if more follows.
    fn end<'a>(&mut self, object: &Object<'a>, words: Words, out: &mut Statement<'a>) {
        let inner: Vec<_> = inner(object).collect();
        let all = || std::iter::once(object).chain(&inner);
        // A turn may be in the parameters of the record that ends it.
        let deeper = || inner.iter().filter_map(|inner| inner.object("turn"));
        let failure = all().find_map(failure);
        let failure = failure.or_else(|| deeper().find_map(|turn| usual::failure(&turn)));
        let answer = all().find_map(usual::answer);
        // An end does not mend an earlier failure.
        let success = failure.is_none() && !self.failed;
        self.signs.acts |= answer.is_some();
        self.signs.answers |= answer.as_ref().is_some_and(|(_, sure)| *sure);
        self.signs.of_model |= words.has(Words::AGENT) && object.holds("output", Kind::String);
        // Each of several ends may repeat the counts.
        let counted = all().find_map(usual::usage).filter(|_| !self.ended);
        out.facts.extend(counted.map(|tokens| {
            let scope = Scope::Turn;
            usage(scope, tokens)
        }));
        let times = ["duration_ms", "durationMs"];
        let ms = all().find_map(|one| usual::first(one, &times)?.as_u64());
        out.facts
            .extend(ms.map(|ms| Fact::Duration(Duration { ms, turn: false })));
        let mut text = answer.map(|(text, _)| text);
        if self.ended && success {
            // The last of several ends may be the only one with the answer.
            let late = text.take().filter(|_| !self.acted);
            out.facts
                .extend(late.map(|text| Fact::Message(blocks::whole(None, text))));
        }
        out.push(Fact::End(End {
            success,
            error: failure.map(|problem| match problem.class {
                // The message of a failure may be where the answer would be.
                Outcome::Failed if problem.message.is_empty() => {
                    usual::problem(text.clone().unwrap_or_default(), problem.code)
                }
                _ => problem,
            }),
            text: text.filter(|_| success),
        }));
        (self.failed, self.ended) = (!success, true);
        self.said.close();
    }
}

/// Returns the objects in an object that may contain its subject.
fn inner<'a>(object: &Object<'a>) -> impl Iterator<Item = Object<'a>> {
    INNER.iter().filter_map(|name| object.object(name))
}

/// States what the model thinks; returns whether it does.
fn think<'a>(object: &Object<'a>, words: Words, out: &mut Statement<'a>) -> bool {
    let mut texts = THOUGHT
        .iter()
        .filter_map(|name| usual::text(object.get(name)?));
    let thought = texts.find(|text| !text.is_empty()).map(|text| {
        Fact::Reasoning(Message {
            id: None,
            text,
            form: match words.has(Words::PART) {
                true => Form::Delta,
                false => Form::Whole,
            },
        })
    });
    let thinks = thought.is_some();
    out.facts.extend(thought);
    thinks
}

/// States the tokens that a record counts; returns whether it counts any.
fn count<'a>(object: &Object<'a>, words: Words, said: bool, out: &mut Statement<'a>) -> bool {
    let counts = words.has(Words::COUNT);
    if words.has(Words::PART) && !counts {
        return false;
    }
    let own = || Some(usual::tokens(object)).filter(|_| counts);
    let tokens = usual::usage(object).or_else(own).filter(Tokens::has_counts);
    let Some(tokens) = tokens.filter(|_| said || words != Words::default()) else {
        return false;
    };
    let id = usual::first_text(object, &["id", "messageId", "responseId"]);
    out.push(usage(Scope::Request(id), tokens));
    true
}

const fn usage(scope: Scope<'_>, tokens: Tokens) -> Fact<'_> {
    Fact::Usage(Usage {
        scope,
        model: None,
        tokens,
    })
}
