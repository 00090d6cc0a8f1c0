//! How a run goes: its start, its failures and retries, its end, and that it goes on.

use super::{Unknown, find_with_inner, inner};
use crate::dialect::prelude::*;
use crate::dialect::unknown::kind;
use crate::dialect::unknown::place::{Context, failure};
use crate::dialect::unknown::said::LastSaid;
use crate::dialect::usual::{self, Words};

impl Unknown {
    /// States the start of a run; if the record repeats the type of the one that started the run, the start of a turn.
    pub(super) fn begin<'a>(&mut self, object: &Object<'a>, at: Context, out: &mut Statement<'a>) {
        let part = Words::INNER.with(Words::TURN).with(Words::TOOL);
        let begins = at.words.has(Words::START) && !at.words.has(part.with(Words::END));
        if !begins || at.role.is_some() {
            return;
        }
        let kind = kind(object);
        match &self.began {
            Some(began) if Some(began) != kind.as_ref() => {}
            Some(_) if !self.ended => {
                self.calls.turn();
                out.push(Fact::Turn);
            }
            _ => {
                self.calls.turn();
                self.began = kind.map(Text::into_owned);
                self.said = LastSaid::default();
                let init = object.inner("init");
                let text = |name: &str| {
                    find_with_inner(object, |it| it.text(name)).or_else(|| init.text(name))
                };
                let model = text("model");
                self.signs.names_model |= model.is_some();
                out.push(Fact::Start(Start {
                    agent_version: text("version"),
                    model,
                    folder: text("cwd"),
                }));
            }
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
            self.calls.turn();
        }
        out.push(Fact::given(prompt, text));
    }

    /// States a retry, or that no further retry follows.
    pub(super) fn retry<'a>(&mut self, object: &Object<'a>, words: Words, out: &mut Statement<'a>) {
        let problem = usual::reported(object);
        if words.has(Words::END) && usual::failure(object).is_some() {
            return self.fail_with(problem, out);
        }
        self.failed = false;
        out.push(Fact::Retry(problem));
    }

    pub(super) fn fail<'a>(&mut self, object: &Object<'a>, out: &mut Statement<'a>) {
        let own = usual::reported(object);
        let inner = || Some(usual::reported(&inner(object).next()?));
        let problem = match own.message.is_empty() {
            true => inner().unwrap_or(own),
            false => own,
        };
        let cancelled = kind(object).is_some_and(|kind| usual::cancelled(kind.as_bytes()));
        let problem = match cancelled {
            true => problem.or_class(Outcome::Cancelled),
            false => problem,
        };
        self.fail_with(problem, out);
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
        (self.failed, self.ended) = (!success, true);
        self.said.close();
    }

    /// Notes that something is said or done: an earlier failure did not end the run, and an earlier end ended only a
    /// turn.
    pub(in crate::dialect::unknown) fn go_on(&mut self, out: &mut Statement<'_>) {
        (self.failed, self.acted) = (false, true);
        if std::mem::take(&mut self.ended) {
            out.push(Fact::Turn);
        }
    }

    /// States the end of a run, or of a turn if more follows.
    pub(super) fn end<'a>(&mut self, object: &Object<'a>, words: Words, out: &mut Statement<'a>) {
        let inner: Vec<_> = inner(object).collect();
        let all = || std::iter::once(object).chain(&inner);
        // A turn may be in the parameters of the record that ends it, and so may its outcome.
        let about = names!("turn outcome stepResult");
        let mut deeper = all().flat_map(|one| about.objects(one));
        let failure = all().find_map(failure);
        let failure = failure.or_else(|| deeper.find_map(|turn| usual::failure(&turn)));
        let failure = failure.or_else(|| usual::unsuccessful(object));
        let answer = all().find_map(usual::answer);
        let warned = || warning(&answer.as_ref()?.0);
        let failure = failure.or_else(warned);
        // An end does not mend an earlier failure.
        let success = failure.is_none() && !self.failed;
        self.signs.acts |= answer.is_some();
        self.signs.fails |= !success;
        let is_sure = answer.as_ref().is_some_and(|(_, sure)| *sure);
        self.signs.answers |= is_sure;
        self.signs.of_model |= words.has(Words::AGENT) && object.holds("output", Kind::String);
        // Each of several ends may repeat the counts.
        let own = || usual::counts_tokens(object).then(|| usual::tokens(object));
        let output = || all().find_map(|one| usual::usage(&one.object("output")?));
        let counted = match all().find_map(usual::usage).or_else(output) {
            Some(tokens) if !tokens.has_counts() => own().or(Some(tokens)),
            None => own().filter(Tokens::has_counts),
            counted => counted,
        };
        let counted = counted.filter(|_| !self.ended);
        let usage = |tokens| Fact::usage(Scope::Turn, None, tokens);
        out.extend(counted.map(usage));
        out.extend(all().find_map(usual::took).map(Fact::SessionTook));
        out.extend(all().find_map(usual::structured).map(Fact::Structured));
        let mut text = answer.map(|(text, _)| text);
        let rest = text.as_ref().and_then(|text| self.said.rest_of(text));
        out.extend(
            rest.filter(|_| success)
                .map(|rest| Fact::Message(Message::piece(rest))),
        );
        out.extend(self.calls.close_all());
        if self.ended && success {
            // The last of several ends may be the only one with the answer.
            let late = text.take().filter(|_| !self.acted);
            out.extend(late.map(Fact::said));
        } else if success && is_sure {
            // What was said before led to the answer.
            let answer = text.clone().filter(|answer| self.said.lacks(answer));
            let answer = answer.map(|answer| [Fact::Step, Fact::said(answer)]);
            out.extend(answer.into_iter().flatten());
        }
        let failure = failure.map(|problem| match problem.class {
            // The message of a failure may be where the answer would be.
            Outcome::Failed if problem.message.is_empty() => {
                usual::problem(text.clone().unwrap_or_default(), problem.code)
            }
            _ => problem,
        });
        out.push(Fact::over(success, failure, text));
        self.note_end(success);
    }
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
