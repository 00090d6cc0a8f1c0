//! States the facts of an unknown agent's records.
//!
//! The words in an object's type, and in the types of the objects around it, say what the object is: a thought, a
//! retry, a failure or an end, in this order. If it is none of these, its role says whether it was given to the agent,
//! is the result of a tool, or is what the agent says. An object that states nothing by these rules wraps the one that
//! does.

pub(super) mod course;
mod foreign;

use self::course::count;
use super::calls::{CallParts, Calls, block_of_call};
use super::envelope::with_about;
use super::evidence::Signs;
use super::langchain;
use super::members::{
    CALLS, MESSAGES, MIXED, PARENTS, PIECES, SAID, THOUGHT, find_with_inner, inner,
};
use super::place::{
    Context, Role, announces_answer, ends, extent, failure, is_by_model, is_work, rests, role,
};
use super::said::{LastSaid, TextExtent};
use super::{UNTYPED, discriminator, kind, messages, refuses, snapshot, stated_by, update};
use crate::dialect::api::{self, Api};
use crate::dialect::prelude::*;
use crate::dialect::usual::{self, Words};

/// How many levels deep such objects are looked for.
const DEPTH: usize = 4;

/// Reads the records of an unknown agent.
#[derive(Debug, Default)]
pub(in crate::dialect) struct Unknown {
    said: LastSaid,
    pub(super) calls: Calls,
    session: Option<Text<'static>>,
    /// The number of the name of the member that names it.
    session_at: Option<usize>,
    /// The type of the record that started the run.
    began: Option<Text<'static>>,
    /// The id of the request of JSON-RPC that the records answer, as it is written.
    request: Vec<u8>,
    /// The id of the user's last message: its parts may come in records of their own.
    asked: Option<Text<'static>>,
    /// The id of the message that the record belongs to.
    message: Option<Text<'static>>,
    /// Whether a record was about a run: then a task is a part of it.
    runs: bool,
    /// Whether all records so far are responses of a model API, each of them complete in itself.
    only_api: bool,
    /// Reads the events of model APIs among the records.
    api: Api,
    /// Whether the agent said or did anything.
    acted: bool,
    /// Whether a failure was stated, and nothing was said or done after it.
    pub(super) failed: bool,
    /// Whether an end was stated, and nothing was said or done after it.
    ended: bool,
    /// Whether nothing was pending after the last record that said something.
    rested: bool,
    /// Whether a record said that the run goes on or waits for somebody, and nothing was said or done after it.
    waits: bool,
    /// Whether the last text was the start of a part.
    opened: bool,
    /// Whether the run said of itself that it is going on, so that only its own end ends it.
    pending: bool,
    /// What was started in the run by the last record with another type than its start, in words.
    inner: Option<Vec<u8>>,
    /// Whether a record counted the tokens of the turn.
    pub(super) turn_counted: bool,
    /// The number of messages in the last state, and the last of them.
    state: (usize, Vec<u8>),
    /// The answer in the last record that repeats all messages.
    snapshot: Option<Text<'static>>,
    /// The signs in the last record that it is an agent's.
    pub(super) signs: Signs,
}

impl Dialect for Unknown {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        self.begin_record(usual::words(record).has(Words::RUN));
        out.parent = PARENTS.text(record);
        self.message = langchain::message(record).map(Text::into_owned);
        let around = Context::default();
        if let Some(facts) = langchain::facts(record) {
            self.take_step(record, facts, out);
            return out.or_known(kind(record));
        }
        match update(record) {
            Some((words, update)) => {
                self.read(&update, Context { words, ..around }, out);
                self.signs.of_model = true;
            }
            None if self.only_api && (api::is_part(record) || api::answers_call(record)) => {
                self.read_response(record, out);
            }
            None if api::is_chunk(record) => self.read_chunk(record, out),
            None if refuses(record) => self.refuse(record, out),
            None if super::is_failure(record) => self.fail(record, out),
            None => match api::carried_chunk(record) {
                Some(chunk) => self.read_chunk(&chunk, out),
                None => {
                    self.only_api = false;
                    self.leave(record);
                    self.read(record, around, out);
                }
            },
        }
        self.note_request(record);
        out.or_known(kind(record));
    }

    fn goes_on_in_array(&mut self) {
        self.api.joined = true;
    }

    fn is_of_event(&mut self) {
        self.api.streamed = true;
    }

    fn finish(&mut self, out: &mut Statement<'_>) {
        out.extend(self.calls.close_all());
        self.api.finish(out);
    }
}

impl Unknown {
    /// Returns a reader of responses of model APIs. If other records are among them, they are a run's.
    pub(in crate::dialect) fn of_api() -> Self {
        Self {
            only_api: true,
            ..Self::default()
        }
    }

    /// Prepares for a record; `of_run` says whether it is about a run.
    pub(super) fn begin_record(&mut self, of_run: bool) {
        self.signs = Signs::default();
        self.message = None;
        self.runs |= of_run;
    }

    /// States that something is done.
    pub(super) fn act<'a>(&mut self, fact: Fact<'a>, out: &mut Statement<'a>) {
        self.go_on(out);
        self.said.interrupt();
        out.push(fact);
    }

    /// Reads an object and, if it states nothing itself, the objects in it.
    fn read<'a>(&mut self, object: &Object<'a>, around: Context, out: &mut Statement<'a>) {
        let place = self.place(object, around);
        let words = place.words;
        self.name_session(object, out);
        self.snapshot = snapshot(object)
            .map(Text::into_owned)
            .or(self.snapshot.take());
        self.see(object, words);
        if words.has(Words::THINK) {
            return self.think(object, words, out);
        }
        if words.has(Words::AGAIN) {
            return self.retry(object, words, out);
        }
        self.runs |= words.has(Words::RUN);
        let fails = words.has(Words::WRONG) && !words.has(Words::TOOL) && !self.is_part(words);
        if fails {
            self.fail(object, out);
        }
        if self.ends_run(object, place) {
            return self.end(object, words, out);
        }
        if fails {
            return;
        }
        self.begin(object, place, out);
        let is_given = matches!(place.role, Some(Role::User | Role::System));
        let data = usual::data(object).filter(|_| !is_given && !place.comments);
        self.signs.acts |= data.is_some();
        out.extend(data.map(Fact::Structured));
        let states = match place.role {
            Some(Role::User | Role::System) => self.given(object, place, out),
            Some(Role::Tool) => self.tool(object, words, out),
            _ => self.speak(object, place, out),
        };
        let states = states || is_work(object, place) && self.tool(object, words, out);
        // The events of the API have counted the same requests.
        let counts = self.api.begun == 0 && count(object, words, out);
        if !states {
            self.read_inner(object, place, out);
        }
        let is_open = |fact: &Fact<'_>| matches!(fact, Fact::Call(_) | Fact::Error(_));
        let is_open = self.calls.are_waiting() || out.facts.iter().any(is_open);
        let rests = rests(object, place, counts)
            || self.ends_answer(place)
            || ends(words) && announces_answer(object) && !self.opened;
        if rests && !is_open && !self.pending {
            out.push(Fact::Rest);
            self.rested = true;
        }
        let goes_on = usual::goes_on(object);
        self.waits |= words.has(Words::RUN.with(Words::END)) && goes_on;
        self.pending |= place.own.has(Words::RUN) && !words.has(Words::INNER) && goes_on;
    }

    /// States what is new in a text of the agent.
    pub(super) fn message<'a>(
        &mut self,
        text: Text<'a>,
        extent: TextExtent,
        words: Words,
        id: Option<Text<'a>>,
        channel: Channel,
        out: &mut Statement<'a>,
    ) {
        // What repeats a complete message leaves nothing pending, either.
        let rests = self.rested && extent == TextExtent::Whole && self.said.is_all(&text);
        if let Some(message) = self.said.message(text, extent, words, id) {
            out.extend(self.calls.close_all());
            self.go_on(out);
            out.push(Fact::Message(message.on(channel)));
            out.extend(rests.then_some(Fact::Rest));
            self.rested = rests;
        }
    }

    /// Reads the objects in an object that may contain its subject.
    fn read_inner<'a>(&mut self, object: &Object<'a>, place: Context, out: &mut Statement<'a>) {
        let depth = place.depth + 1;
        if depth >= DEPTH {
            return;
        }
        let around = Context { depth, ..place };
        let messages: Vec<_> = messages(object).collect();
        if !messages.is_empty() {
            return self.read_messages(&messages, around, out);
        }
        // If one of them names the writer, the others repeat it.
        match inner(object).find(|inner| inner.has("role")) {
            Some(said) => self.read(&said, around, out),
            None => inner(object).for_each(|inner| self.read(&inner, around, out)),
        }
    }

    /// Reads the messages of a run's state, but for those that the state before contained, too.
    fn read_messages<'a>(
        &mut self,
        messages: &[Object<'a>],
        around: Context,
        out: &mut Statement<'a>,
    ) {
        let (known, last) = &self.state;
        let before = known.checked_sub(1).and_then(|at| messages.get(at));
        let known = match before {
            Some(before) if before.value().raw() == last => *known,
            _ => 0,
        };
        self.signs.of_model = true;
        for message in messages.iter().skip(known) {
            self.read(message, around, out);
        }
        if let Some(message) = messages.last() {
            self.state = (messages.len(), message.value().raw().to_vec());
        }
    }

    /// Notes the signs in an object, whatever it states.
    fn see(&mut self, object: &Object<'_>, words: Words) {
        let of_tool = words.has(Words::TOOL);
        // A run may say that it goes on instead.
        let starts = words.has(Words::START)
            || words.has(Words::RUN) && !words.has(Words::INNER) && usual::goes_on(object);
        self.signs.starts |= starts && !of_tool;
        // A run may go on after a step of it has failed.
        let ends = words.has(Words::END) || words.has(Words::WRONG) && !words.has(Words::INNER);
        self.signs.ends |= ends && !of_tool;
        // Many programs have agents, but only a model's agent has runs.
        let runs = object.has("run_id") && (object.has("agent_id") || object.has("team_id"));
        // What an agent of Bedrock says is in bytes, which are text or not. Tasks of A2A have a context.
        let chunk = object.object("chunk");
        let of_task =
            object.has("contextId") || object.has("taskId") && object.is("kind", "status-update");
        self.signs.of_model |= runs
            || words.has(Words::LLM)
            || chunk.is_some_and(|chunk| chunk.has("bytes"))
            || of_task && object.holds("status", Kind::Object)
            || role(object).is_some() && object.holds("parts", Kind::Array)
            || is_by_model(object);
    }

    /// Whether a record with these words is about a task that is a part of the run.
    fn is_part(&self, words: Words) -> bool {
        self.runs && words.has(Words::TASK) && !words.has(Words::RUN)
    }

    /// Returns the words and the role of an object and of the objects around it.
    fn place(&mut self, object: &Object<'_>, around: Context) -> Context {
        let is_piece = super::place::is_piece(object);
        let own = match is_piece {
            true => usual::words(object).with(Words::PART).with(Words::PIECE),
            false => usual::words(object),
        };
        let words = around.words.with(own).with(usual::channel(object));
        let stated = role(object);
        if stated == Some(Role::User) && object.has("id") {
            self.asked = object.text("id").map(Text::into_owned);
        }
        let message = MESSAGES.text(object);
        // Each piece may have an id of its own, and so has the whole message after them; where it says of what object
        // it is a piece, the id is that of the object.
        let is_named = stated.is_some() && !is_piece || own.has(Words::SAY) && object.has("object");
        let own_id = || object.text("id").filter(|_| is_named);
        if let Some(id) = message.clone().or_else(own_id) {
            self.message = Some(id.into_owned());
        }
        let asked = words.has(Words::USER) || message.is_some() && message == self.asked;
        Context {
            own,
            words,
            role: stated.or(around.role).or(asked.then_some(Role::User)),
            comments: around.has_comments_in(object, own),
            depth: around.depth,
        }
    }

    /// States the session that a record names. An id that is first named after an end may belong to the run before or
    /// to the next one.
    fn name_session<'a>(&mut self, object: &Object<'a>, out: &mut Statement<'a>) {
        let id = || with_about(object).find_map(|one| usual::session(&one));
        if out.session.is_none()
            && let Some(id) = id()
        {
            self.state_session(id, out);
        }
    }

    /// States the session of that id.
    pub(super) fn state_session<'a>(&mut self, id: Text<'a>, out: &mut Statement<'a>) {
        if self.session.is_none() && !self.ended {
            self.session = Some(id.clone().into_owned());
        }
        out.session = Some(id).filter(|id| self.session.as_ref() == Some(id));
    }

    /// States what the model thinks.
    fn think<'a>(&mut self, object: &Object<'a>, words: Words, out: &mut Statement<'a>) {
        let thought = |object: &Object<'a>| {
            let mut texts = THOUGHT.of(object).filter_map(usual::text);
            texts.find(|text| !text.is_empty())
        };
        let Some(text) = find_with_inner(object, thought) else {
            return;
        };
        self.signs.thinks = true;
        self.signs.of_model |= words.has(Words::MODEL.with(Words::AGENT));
        let form = Form::of(words.has(Words::PART));
        out.push(Fact::Reasoning(Message::new(None, text, form)));
    }

    /// States what was given to the agent: a prompt, or the results of its tools.
    fn given<'a>(&mut self, object: &Object<'a>, place: Context, out: &mut Statement<'a>) -> bool {
        self.called(object, Words::default(), out);
        let content = SAID.first(object);
        let text = content.and_then(usual::text).filter(|it| !it.is_blank());
        if let Some(text) = text.filter(|text| self.said.is_new_from_user(text)) {
            let prompt = place.role == Some(Role::User) && out.parent.is_none();
            self.signs.asks |= prompt;
            self.give(prompt, text, out);
        }
        true
    }

    /// States what the agent says, the calls next to it, and why it said no more; returns whether it did any of this.
    fn speak<'a>(&mut self, object: &Object<'a>, place: Context, out: &mut Statement<'a>) -> bool {
        let says = self.say(object, place, out);
        // A call that comes in pieces is complete in a later record.
        let called = !place.words.has(Words::PART) && self.called(object, place.words, out);
        // What is said of a session as a whole is said of the run.
        let of_session = || {
            let part = Words::TOOL.with(Words::INNER).with(Words::USER);
            usual::session(object).is_some() && !place.words.has(part.with(Words::TURN))
        };
        let ends_message = place.words.has_all(Words::SAY.with(Words::END))
            || place.words.has_all(Words::AGENT.with(Words::END)) && !place.words.has(Words::INNER);
        let may_fail = place.role == Some(Role::Agent)
            || ends_message && !place.words.has(Words::TOOL.with(Words::USER))
            || place.depth == 0 && (discriminator(object) == Some(UNTYPED) || of_session());
        if let Some(problem) = failure(object).filter(|_| may_fail) {
            self.fail_with(problem, out);
        }
        says || called
    }

    /// States what the agent says; returns whether it says anything.
    fn say<'a>(&mut self, object: &Object<'a>, place: Context, out: &mut Statement<'a>) -> bool {
        let words = place.words;
        let talks = words.has(Words::SAY.with(Words::CONTENT));
        let may_say = talks
            || words.has(Words::AGENT) && !words.has(Words::INNER)
            || words.has_all(Words::LLM.with(Words::PIECE));
        // A piece of what a model says has the reason for which it stopped, which is unknown yet.
        let is_chunk =
            place.depth == 0 && object.has("finish_reason") && stated_by(object).is_none();
        let may_say = may_say || is_chunk;
        let by_others = !may_say || words.has(Words::TOOL.with(Words::USER));
        if by_others && place.role != Some(Role::Agent) {
            return false;
        }
        // The text of an object that names its writer, or what it is for, is read with that object.
        let is_own = |value: &Value<'a>| {
            let is_plain = |said: Object<'a>| {
                let aside = usual::channel(&said) != Words::default();
                role(&said).is_none() && !aside && Channel::of(&said) == Channel::Answer
            };
            Object::new(*value).is_none_or(is_plain)
        };
        let mut texts = SAID
            .numbered(object)
            .filter(|(_, said)| is_own(said))
            .filter_map(|(at, said)| Some((at, usual::text(said)?)));
        let Some((at, text)) = texts.next().filter(|(_, text)| !text.is_empty()) else {
            return false;
        };
        let name = SAID.names[at].text;
        let is_piece = is_chunk || PIECES.contains(&at);
        self.signs.acts = true;
        self.signs.says |= ["text", "delta", "content"].contains(&name)
            || name == "data" && words.has(Words::PIECE);
        // A quiz has answers, too, but no messages with answers.
        let named = out.session.is_some() || self.message.is_some();
        let replies = name != "answer" || words.has(Words::INNER) && named;
        self.signs.of_model |= talks && words.has(Words::AGENT)
            || is_piece && replies
            || words.has_all(Words::AGENT.with(Words::PIECE))
            || name == "parts"
            || words.has(Words::MODEL);
        let extent = match is_piece {
            true => TextExtent::Piece,
            false => extent(place),
        };
        if words.has_all(Words::REPLACE.with(Words::SAY)) {
            self.said.close();
            out.push(Fact::TakeBack);
        }
        self.opened = words.has(Words::START);
        let id = self.message.clone();
        self.said.answer = id.clone().filter(|_| name == "answer");
        let channel = match place.comments {
            true => Channel::Commentary,
            false => Channel::of(object),
        };
        self.message(text, extent, words, id, channel, out);
        true
    }

    /// States the calls in a message: blocks of its content, or a list next to it.
    fn called<'a>(&mut self, object: &Object<'a>, around: Words, out: &mut Statement<'a>) -> bool {
        let mut called = false;
        for (at, list) in CALLS.names.iter().enumerate() {
            for block in object.objects(list.text) {
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
                (self.signs.acts, self.signs.pairs) = (true, true);
                self.signs.of_model |= words.has(Words::MODEL) || usual::names_tool(object);
                fact
            }
            CallParts::Named(fact) => {
                // Any job may call its tools so, but says nothing next to them.
                self.signs.of_model = true;
                fact
            }
        };
        self.act(fact, out);
        true
    }
}
