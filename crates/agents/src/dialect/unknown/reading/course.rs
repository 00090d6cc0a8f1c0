//! How a run goes: its start, its failures and retries, its end, and that it goes on.

use super::Unknown;
use crate::dialect::prelude::*;
use crate::dialect::unknown::envelope::{is_untyped_end, with_about};
use crate::dialect::unknown::evidence::{OTHERS, VAGUE};
use crate::dialect::unknown::members::{find_with_inner, inner};
use crate::dialect::unknown::place::{
    Context, Role, announces_answer, ends, failure, is_clear, is_run_over, role, settled,
};
use crate::dialect::unknown::said::LastSaid;
use crate::dialect::unknown::{DISCRIMINATORS, kind};
use crate::dialect::usual::{self, Words, split};

/// Words for what may be all of a run, or say nothing about what ends.
const AS_RUNS: &[&[u8]] = &[
    b"event",
    b"all",
    b"query",
    b"process",
    b"loop",
    b"invocation",
    b"pipeline",
    b"flow",
    b"graph",
    b"crew",
    b"team",
];

impl Unknown {
    /// States the start of a run; if the record repeats the type of the one that started the run, the start of a turn.
    pub(super) fn begin<'a>(&mut self, object: &Object<'a>, at: Context, out: &mut Statement<'a>) {
        self.signs.prompts |= starts_with_prompt(object, at.words);
        if kind(object).is_some_and(|kind| withdraws(&kind)) {
            self.said.close();
            out.push(Fact::TakeBack);
        }
        let part = Words::INNER.with(Words::TURN).with(Words::TOOL);
        let starts_message = at.words.has_all(Words::SAY.with(Words::START));
        if starts_message && !at.words.has(Words::USER.with(Words::TOOL)) {
            let by = at.role.or_else(|| inner(object).find_map(|it| role(&it)));
            if by.is_none_or(|by| by == Role::Agent) {
                self.begin_message(out);
            }
        }
        let starts_turn = at.words.has_all(Words::START.with(Words::TURN))
            && !at
                .words
                .has(Words::INNER.with(Words::TOOL).with(Words::END));
        if starts_turn && at.role.is_none() && std::mem::take(&mut self.ended) {
            out.push(Fact::Turn);
        }
        let begins = at.words.has(Words::START) && !at.words.has(part.with(Words::END));
        if !begins || at.role.is_some() {
            return;
        }
        let kind = kind(object);
        match &self.began {
            Some(began) if Some(began) != kind.as_ref() => {
                self.inner = kind.map(|kind| subject(&kind)).filter(|it| !it.is_empty());
            }
            Some(_) if !self.ended => {
                self.calls.begin_turn();
                out.push(Fact::Turn);
            }
            _ => {
                self.began = kind.map(Text::into_owned);
                let init = object.inner("init");
                let text = |name: &str| {
                    find_with_inner(object, |it| it.text(name)).or_else(|| init.text(name))
                };
                let model = text("model");
                self.signs.names_model |= model.is_some();
                let start = Start {
                    agent_version: text("version"),
                    model,
                    folder: text("cwd"),
                };
                self.begin_another();
                let named = out.session.take().or_else(|| usual::session(object));
                named.into_iter().for_each(|id| self.state_session(id, out));
                out.push(Fact::Start(start));
            }
        }
    }

    /// Begins a message. After one at whose end the model has stopped by itself it answers something else.
    pub(super) fn begin_message(&mut self, out: &mut Statement<'_>) {
        if std::mem::take(&mut self.rested) {
            self.ended = false;
            self.said.close();
            self.calls.begin_turn();
            out.push(Fact::Turn);
        }
    }

    /// Whether a record ends the message that the last text belongs to, which is called an answer and not a text: after
    /// it nothing is pending (Dify).
    pub(super) fn ends_answer(&self, at: Context) -> bool {
        let ends_message = at.words.has_all(Words::SAY.with(Words::END));
        let is_record = at.depth == 0 && at.role.is_none();
        is_record && ends_message && self.message.is_some() && self.message == self.said.answer
    }

    /// Whether an object ends the run. What someone says inside a record that ends something is still said.
    pub(super) fn ends_run(&self, object: &Object<'_>, at: Context) -> bool {
        let may_end = at.depth == 0 || at.role.is_none();
        let is_end = ends(at.words) && !self.is_part(at.words) && !announces_answer(object)
            || settled(object)
            || at.depth == 0 && is_run_over(object, at.words)
            || at.depth == 0 && is_untyped_end(object);
        may_end
            && is_end
            && !usual::goes_on(object)
            && !self.ends_inner(object, at)
            && !self.ends_other(object, at)
    }

    /// Whether an end is that of something else than what was started: its type has a word that neither the start has
    /// nor a run is called by (`retrieval.completed`), or a model or an agent has ended inside a run.
    fn ends_other(&self, object: &Object<'_>, at: Context) -> bool {
        let of = |kind: &Text<'_>| subject(kind).to_ascii_lowercase();
        let began = self.began.as_ref().map(of).unwrap_or_default();
        if began.is_empty() || at.depth > 0 || !at.own.has(Words::END) {
            return false;
        }
        let Some(ended) = kind(object).map(|kind| of(&kind)) else {
            return false;
        };
        let is_of_start = |word: &[u8]| split(&began).any(|of| of == word);
        let has_run = split(&began).any(|word| word == b"run" || VAGUE.contains(&word));
        let may_be_run = |word: &[u8]| match word {
            b"agent" | b"model" | b"ai" | b"llm" => !has_run,
            word => is_of_runs(word),
        };
        let mut words = usual::alphabetic_words(&ended);
        words.any(|word| !is_of_start(word) && !may_be_run(word))
    }

    /// Whether an end, of which nothing but its type says what it ends, ends what was started inside the run before the
    /// agent said or did anything: `prompt_processing.end` (LM Studio).
    fn ends_inner(&self, object: &Object<'_>, at: Context) -> bool {
        let Some(inner) = &self.inner else {
            return false;
        };
        let ended = || kind(object).is_some_and(|kind| subject(&kind) == *inner);
        !self.acted
            && at.depth == 0
            && at.words == Words::END
            && failure(object).is_none()
            && ended()
    }

    /// Leaves a run in which nothing is pending at a record that names another session in the same member.
    pub(super) fn leave(&mut self, record: &Object<'_>) {
        let Some((at, id)) = usual::session_at(record) else {
            return;
        };
        if self.session.as_ref().is_none_or(|own| *own == id) {
            self.session_at = Some(at);
        } else if self.rested && self.session_at == Some(at) {
            (self.ended, self.rested, self.acted) = (true, false, false);
            self.begin_another();
        }
    }

    /// Begins a run, which may say and do the same as the run before it and, if that has ended, has its own id.
    pub(in crate::dialect::unknown) fn begin_another(&mut self) {
        self.calls.begin_turn();
        self.said = LastSaid::default();
        (self.pending, self.inner) = (false, None);
        if std::mem::take(&mut self.ended) {
            self.session = None;
        }
    }

    /// States a text that was given to the agent; a prompt begins a turn.
    pub(in crate::dialect::unknown) fn give<'a>(
        &mut self,
        prompt: bool,
        text: Text<'a>,
        out: &mut Statement<'a>,
    ) {
        self.go_on(out);
        if prompt {
            self.calls.begin_turn();
        }
        out.push(Fact::given(prompt, text));
    }

    /// States a retry, or that no further retry follows.
    pub(super) fn retry<'a>(&mut self, object: &Object<'a>, words: Words, out: &mut Statement<'a>) {
        let problem = usual::problem_of_error_record(object);
        if words.has(Words::END) && usual::failure(object).is_some() {
            return self.fail_with(problem, out);
        }
        self.failed = false;
        out.push(Fact::Retry(problem));
    }

    pub(super) fn fail<'a>(&mut self, object: &Object<'a>, out: &mut Statement<'a>) {
        let own = usual::problem_of_error_record(object);
        let inner = || Some(usual::problem_of_error_record(&inner(object).next()?));
        let problem = match own.message.is_empty() {
            true => inner().unwrap_or(own),
            false => own,
        };
        let kind = kind(object).unwrap_or_default();
        let problem = match kind.as_bytes() {
            kind if usual::cancelled(kind) => problem.or_class(Outcome::Cancelled),
            kind if usual::timed_out(kind) => problem.or_class(Outcome::Network),
            _ => problem,
        };
        self.fail_with(problem, out);
    }

    /// Notes which request a record answers with a result.
    pub(super) fn note_request(&mut self, record: &Object<'_>) {
        let id = record.get("id").filter(|_| record.has("jsonrpc"));
        if let Some(id) = id.filter(|_| record.has("result")) {
            self.request = id.raw().to_vec();
        }
    }

    /// States the failure of the request that the records answer. The calls of tools have requests of their own.
    pub(super) fn refuse<'a>(&mut self, object: &Object<'a>, out: &mut Statement<'a>) {
        let id = object.get("id").map(Value::raw);
        if id.is_some_and(|id| id == self.request) {
            self.fail(object, out);
        }
    }

    /// States a failure; a failure after an end counts too.
    pub(in crate::dialect::unknown) fn fail_with<'a>(
        &mut self,
        problem: Problem<'a>,
        out: &mut Statement<'a>,
    ) {
        if std::mem::take(&mut self.ended) {
            out.push(Fact::Turn);
        }
        self.failed = true;
        (self.signs.acts, self.signs.fails) = (true, true);
        out.push(Fact::Error(problem));
    }

    /// Notes that an end was stated.
    pub(in crate::dialect::unknown) fn note_end(&mut self, success: bool) {
        (self.failed, self.ended, self.turn_counted) = (!success, true, false);
        (self.waits, self.pending) = (false, false);
        self.said.close();
    }

    /// Notes that something is said or done: an earlier failure did not end the run, and an earlier end ended only a
    /// turn.
    pub(in crate::dialect::unknown) fn go_on(&mut self, out: &mut Statement<'_>) {
        (self.failed, self.waits, self.rested, self.acted) = (false, false, false, true);
        if std::mem::take(&mut self.ended) {
            out.push(Fact::Turn);
        }
    }

    /// States the end of a run, or of a turn if more follows. The mark after the events of a run that waits is none.
    pub(super) fn end<'a>(&mut self, object: &Object<'a>, words: Words, out: &mut Statement<'a>) {
        if !self.waits || !is_mark(object) {
            self.end_as(object, words, StatedEnd::default(), out);
        }
    }

    /// States the end of a run, or of a turn if more follows, with what is stated about it apart from its shape.
    pub(in crate::dialect::unknown) fn end_as<'a>(
        &mut self,
        object: &Object<'a>,
        words: Words,
        stated: StatedEnd<'a>,
        out: &mut Statement<'a>,
    ) {
        let all: Vec<_> = std::iter::once(object.clone())
            .chain(inner(object))
            .flat_map(|one| with_about(&one).collect::<Vec<_>>())
            .collect();
        let answer = self.answer_of_end(&all, stated.text);
        let failure = match stated.success {
            Some(true) => None,
            Some(false) => stated.problem,
            None => failure_in(&all).or_else(|| warning(&answer.as_ref()?.0)),
        };
        // An end does not mend an earlier failure.
        let success = stated.success.unwrap_or(failure.is_none() && !self.failed);
        let is_sure = answer.as_ref().is_some_and(|(_, sure)| *sure);
        self.signs.acts |= answer.is_some() || failure.is_some();
        self.signs.fails |= !success;
        // Jobs of other kinds have outputs, too.
        self.signs.answers |= is_sure && !all.iter().any(|one| one.has("outputs"));
        self.signs.of_model |= words.has(Words::AGENT) && object.holds("output", Kind::String);
        // Each of several ends may repeat the counts, and so may an end those of a turn.
        let counts = !self.ended && !self.turn_counted;
        let counted = || counted_in(&all).filter(|_| counts);
        let usage = |tokens| Fact::usage(Scope::Turn, None, tokens);
        out.extend(stated.usage.or_else(|| counted().map(usage)));
        out.extend(all.iter().find_map(usual::took).map(Fact::SessionTook));
        out.extend(all.iter().find_map(usual::structured).map(Fact::Structured));
        let mut text = answer.map(|(text, _)| text);
        let is_said = is_sure || text.as_ref().is_some_and(|it| is_answer(it, object));
        match (&text, success) {
            (Some(text), true) => self.say_rest(text, is_said, out),
            _ => out.extend(self.calls.close_all()),
        }
        if self.ended && success {
            // The last of several ends may be the only one with the answer.
            let is_awaited = !self.acted || is_said && self.said.is_pending();
            out.extend(text.take().filter(|_| is_awaited).map(Fact::said));
        }
        let classed = failure.map(|problem| {
            let problem = with_message(problem, text.as_ref(), object);
            Problem {
                class: stated.class.unwrap_or(problem.class),
                ..problem
            }
        });
        // An end that says only that something failed adds nothing to a failure stated before.
        let classed = classed.filter(|problem| !self.failed || is_clear(problem));
        out.push(Fact::over(success, classed, text));
        self.note_end(success);
    }

    /// Returns the answer that an end gives, and whether it can be nothing else: the text that an agent file finds in
    /// it, or the answer in one of its objects.
    fn answer_of_end<'a>(
        &mut self,
        all: &[Object<'a>],
        stated: Option<Text<'a>>,
    ) -> Option<(Text<'a>, bool)> {
        let answer = match stated {
            Some(text) => Some((text, true)).filter(|(text, _)| !text.is_blank()),
            None => all.iter().find_map(usual::answer),
        };
        // What a record with all messages says counts where no other says anything.
        let snapshot = self.snapshot.take();
        let snapshot = snapshot.filter(|text| !text.is_blank() && !self.acted);
        answer.or(snapshot.map(|text| (text, true)))
    }

    /// States what the answer of an end adds to what was said, after the end of all calls; `is_said` says that it is no
    /// remark on the end.
    fn say_rest<'a>(&mut self, answer: &Text<'a>, is_said: bool, out: &mut Statement<'a>) {
        let rest = self.said.rest_of(answer);
        out.extend(rest.map(|rest| Fact::Message(Message::piece(rest))));
        out.extend(self.calls.close_all());
        // What was said before led to the answer.
        if !self.ended && is_said && self.said.lacks(answer) {
            out.extend([Fact::Step, Fact::said(answer.clone())]);
        }
    }
}

/// Whether a word in small letters is one for what a run is or does, or for what may be all of it.
fn is_of_runs(word: &[u8]) -> bool {
    let lists = [OTHERS.as_slice(), &VAGUE, AS_RUNS];
    Words::of(word) != Words::default() || lists.iter().any(|list| list.contains(&word))
}

/// Whether the text of an end is what the agent says: that of the end itself or of what it carries, and no remark on
/// the end. A remark is a plain message, or no more than words for what ends and for success (`Task completed.`).
fn is_answer(text: &Text<'_>, end: &Object<'_>) -> bool {
    let carried =
        names!("data payload params event msg message response result output turn run completion");
    let own = || std::iter::once(end.clone()).chain(carried.objects(end));
    let is_plain = |byte: &u8| byte.is_ascii_alphabetic() || b" _-.!".contains(byte);
    let is_of_end = |word: &[u8]| {
        let word = Text::from(String::from_utf8_lossy(word).to_ascii_lowercase());
        usual::means_success(&word) || is_of_runs(word.as_bytes())
    };
    let mut words = usual::alphabetic_words(text.as_bytes());
    let is_message = own().any(|one| one.text("message").as_ref() == Some(text));
    let is_own = own().any(|one| usual::answer(&one).is_some_and(|(own, _)| own == *text));
    let is_remark = text.as_bytes().iter().all(is_plain) && words.all(is_of_end);
    is_own && !is_message && !is_remark
}

/// Returns the failure of an end with its message, which may be where the answer would be, or in a summary of the run.
fn with_message<'a>(
    problem: Problem<'a>,
    answer: Option<&Text<'a>>,
    object: &Object<'a>,
) -> Problem<'a> {
    if problem.class != Outcome::Failed || !problem.message.is_empty() {
        return problem;
    }
    let summary = || object.text("summary");
    let message = answer.cloned().or_else(summary);
    usual::problem(message.unwrap_or_default(), problem.code)
}

/// What an agent file states about an end. The rest is read by shape.
#[derive(Default)]
pub(in crate::dialect::unknown) struct StatedEnd<'a> {
    pub(in crate::dialect::unknown) success: Option<bool>,
    /// The failure of an end that is no success, unless it was stated before.
    pub(in crate::dialect::unknown) problem: Option<Problem<'a>>,
    /// The class of a failure.
    pub(in crate::dialect::unknown) class: Option<Outcome>,
    /// The answer; empty if there is none at the place for it.
    pub(in crate::dialect::unknown) text: Option<Text<'a>>,
    pub(in crate::dialect::unknown) usage: Option<Fact<'a>>,
}

/// Whether an object with these words starts a turn or an agent, and has its prompt.
fn starts_with_prompt(object: &Object<'_>, words: Words) -> bool {
    let starts = words.has(Words::START) && words.has(Words::TURN.with(Words::AGENT));
    let prompt = || find_with_inner(object, |it| it.text("prompt"));
    starts && !words.has(Words::TOOL) && prompt().is_some()
}

/// Whether an object says no more than that something ends: `{"event":"done","data":"[DONE]"}`.
fn is_mark(end: &Object<'_>) -> bool {
    let names_nothing = || kind(end).is_none_or(|kind| subject(&kind).is_empty());
    let is_plain = end
        .get("data")
        .is_none_or(|data| data.kind() == Kind::String);
    is_plain && usual::has_only(end, [DISCRIMINATORS, names!("data")]) && names_nothing()
}

/// Whether a type says that a step, a message or a part of one is withdrawn: `reset-step` (AI SDK).
fn withdraws(kind: &Text<'_>) -> bool {
    let words = Words::of(kind.as_bytes());
    let is_step = |word: &[u8]| word.eq_ignore_ascii_case(b"step");
    let is_said = words.has(Words::SAY.with(Words::CONTENT)) && !words.has(Words::TOOL);
    words.has(Words::REMOVE) && (is_said || split(kind.as_bytes()).any(is_step))
}

/// Returns the words of a type that say what starts, ends or fails.
pub(in crate::dialect::unknown) fn subject(kind: &Text<'_>) -> Vec<u8> {
    let happens = Words::START.with(Words::END).with(Words::WRONG);
    let words = split(kind.as_bytes()).filter(|word| !Words::of(word).has(happens));
    words.collect::<Vec<_>>().join(&b' ')
}

/// Returns the failure that an end or an object in it states.
fn failure_in<'a>(all: &[Object<'a>]) -> Option<Problem<'a>> {
    // A turn may be in the parameters of the record that ends it, and so may its outcome.
    let about = names!("turn outcome stepResult completion");
    let mut deeper = all.iter().flat_map(|one| about.objects(one));
    let failures = || all.iter().filter_map(failure);
    let failure = failures().find(is_clear).or_else(|| failures().next());
    let failure = failure.or_else(|| deeper.find_map(|turn| usual::failure(&turn)));
    failure
        .or_else(|| usual::unsuccessful(all.first()?))
        .or_else(|| usual::incomplete(all.first()?))
}

/// Returns the tokens that an end or an object in it counts.
fn counted_in(all: &[Object<'_>]) -> Option<Tokens> {
    let own = || {
        let object = all.first()?;
        usual::counts_tokens(object).then(|| usual::tokens(object))
    };
    let output = || {
        all.iter()
            .find_map(|one| usual::usage(&one.object("output")?))
    };
    match all.iter().find_map(usual::usage).or_else(output) {
        Some(tokens) if !tokens.has_counts() => own().or(Some(tokens)),
        None => own().filter(Tokens::has_counts),
        counted => counted,
    }
}

/// States the tokens that a record counts; returns whether it counts any.
pub(super) fn count<'a>(object: &Object<'a>, words: Words, out: &mut Statement<'a>) -> bool {
    let counts = words.has(Words::COUNT);
    if words.has(Words::PART) && !counts {
        return false;
    }
    let own = || Some(usual::tokens(object)).filter(|_| counts);
    let tokens = usual::usage(object).or_else(own);
    let Some(tokens) = tokens.filter(Tokens::has_counts) else {
        return false;
    };
    // The end of a turn that goes on counts all of its requests, too.
    let scope = match ends(words) && usual::goes_on(object) {
        true => Scope::Turn,
        false => Scope::Request(names!("id messageId responseId").text(object)),
    };
    out.push(Fact::usage(scope, None, tokens));
    true
}

/// Returns the failure that the last line of an answer warns of: the program's own words, not the model's.
fn warning(answer: &Text<'_>) -> Option<Problem<'static>> {
    let text = answer.to_string_lossy();
    let last = text.trim_end().lines().next_back()?;
    // U+FE0F asks for a warning sign in colours.
    let warning = last
        .strip_prefix('\u{26a0}')?
        .trim_start_matches('\u{fe0f}');
    let warning = Text::from(warning.trim_start().to_owned());
    let class = class::of(&warning, None);
    (class != Outcome::Failed).then(|| Problem::fatal(class, warning))
}
