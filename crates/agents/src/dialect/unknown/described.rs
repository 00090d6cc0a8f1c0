//! Reads the records of an agent that a file describes: a rule says what a record states and where, and what it leaves
//! out is looked up at the usual names.

use std::sync::Arc;

use crate::dialect::prelude::*;

use super::file::{AgentFile, Covers, Place, Rule, States};
use super::members::{MESSAGES, PARENTS, SAID, THOUGHT};
use super::reading::Unknown;
use super::reading::course::StatedEnd;
use super::said::TextExtent;
use crate::dialect::Agent;
use crate::dialect::usual::{self, Words};

/// Reads the records of an agent that a file describes.
#[derive(Debug)]
pub(in crate::dialect) struct Described {
    file: Arc<AgentFile>,
    reading: Unknown,
}

impl Described {
    pub(in crate::dialect) fn new(file: &Arc<AgentFile>) -> Self {
        Self {
            file: Arc::clone(file),
            reading: Unknown::default(),
        }
    }
}

impl Dialect for Described {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        self.facts_by(self.file.rule_of(record), record, out);
    }

    fn facts_by<'a>(&mut self, rule: Option<usize>, record: &Object<'a>, out: &mut Statement<'a>) {
        let file = Arc::clone(&self.file);
        let rule = rule.and_then(|rule| file.rules.get(rule));
        if rule.is_some_and(|rule| rule.states == States::Start) {
            self.reading.begin_another();
        }
        let session = file.session.get(record).and_then(Value::text);
        if let Some(id) = session.or_else(|| usual::session(record)) {
            self.reading.state_session(id, out);
        }
        match rule {
            Some(rule) => {
                self.reading.state(rule, record, out);
                out.or_known(file.kind(record));
            }
            None => self.reading.facts(record, out),
        }
    }

    fn turned_out(&self) -> Option<Agent> {
        Some(self.file.agent)
    }

    fn finish(&mut self, out: &mut Statement<'_>) {
        self.reading.finish(out);
    }
}

/// Returns the text that the file says where to find or, if it does not say so, that of the first of these names with
/// one.
fn text_of<'a>(rule: &Rule, object: &Object<'a>, names: NameList) -> Text<'a> {
    let text = match rule.text.is_said() {
        true => rule.text.get(object).and_then(usual::text),
        false => names.of(object).find_map(usual::text),
    };
    text.unwrap_or_default()
}

impl Unknown {
    /// States what a rule says that a record states.
    fn state<'a>(&mut self, rule: &Rule, record: &Object<'a>, out: &mut Statement<'a>) {
        self.begin_record(rule.of_run);
        out.parent = PARENTS.text(record);
        if !rule.at.is_said() {
            return self.state_object(rule, record, out);
        }
        if let Some(object) = rule.at.get(record).and_then(Object::new) {
            self.state_object(rule, &object, out);
        }
    }

    fn state_object<'a>(&mut self, rule: &Rule, object: &Object<'a>, out: &mut Statement<'a>) {
        match rule.states {
            States::Nothing => {}
            States::Shape => self.facts(object, out),
            States::Start => {
                let start = Start {
                    agent_version: rule.version.text(object).or_else(|| object.text("version")),
                    model: rule.model.text(object).or_else(|| object.text("model")),
                    folder: object.text("cwd"),
                };
                out.push(Fact::Start(start));
            }
            States::Prompt => {
                let text = text_of(rule, object, SAID);
                self.give(out.parent.is_none(), text, out);
            }
            States::Answer | States::Delta => self.state_answer(rule, object, out),
            States::Thought => {
                let text = text_of(rule, object, THOUGHT);
                let form = Form::of(usual::words(object).has(Words::PART));
                out.push(Fact::Reasoning(Message::new(None, text, form)));
            }
            States::Call => {
                let call = call_at(rule, object);
                if self.calls.is_new(&call.id) {
                    self.act(Fact::Call(call), out);
                }
            }
            States::Result => {
                let result = result_at(rule, object);
                if self.calls.is_answered_now(&result.id) {
                    self.act(Fact::Result(result), out);
                }
            }
            States::File => {
                let path = rule.path.text(object);
                let path = path.or_else(|| names!("path").text(object));
                out.extend(path.map(|path| Fact::Result(written(rule, object, path))));
            }
            States::Usage => {
                self.turn_counted |= matches!(rule.covers, Covers::Turn);
                out.extend(usage_at(rule, object));
            }
            States::Error => self.fail_with(problem_at(rule, object), out),
            States::Retry => out.push(Fact::Retry(problem_at(rule, object))),
            States::End => self.state_end(rule, object, out),
        }
    }

    fn state_answer<'a>(&mut self, rule: &Rule, object: &Object<'a>, out: &mut Statement<'a>) {
        let extent = match rule.states {
            _ if rule.so_far => TextExtent::Snapshot,
            States::Delta => TextExtent::Piece,
            _ => TextExtent::Whole,
        };
        let id = rule.message.text(object);
        let id = id.or_else(|| MESSAGES.text(object));
        let text = text_of(rule, object, SAID);
        if !text.is_empty() {
            self.message(text, extent, Words::END, id, Channel::of(object), out);
        }
    }

    fn state_end<'a>(&mut self, rule: &Rule, object: &Object<'a>, out: &mut Statement<'a>) {
        if rule.success.is_none() && usual::goes_on(object) {
            return;
        }
        let problem = (rule.success == Some(false)).then(|| problem_at(rule, object));
        // What went wrong may have been stated before.
        let says = |problem: &Problem<'_>| {
            problem.class != Outcome::Failed || !problem.message.is_empty() || !self.failed
        };
        let text = rule.text.is_said().then(|| text_of(rule, object, SAID));
        let stated = StatedEnd {
            success: rule.success,
            problem: problem.filter(says),
            class: rule.class,
            text,
            usage: counts(rule).then(|| usage_at(rule, object)).flatten(),
        };
        self.end_as(object, usual::words(object), stated, out);
    }
}

fn id_at<'a>(rule: &Rule, object: &Object<'a>) -> Text<'a> {
    let id = rule.id.text(object);
    id.or_else(|| usual::call_id(object)).unwrap_or_default()
}

fn call_at<'a>(rule: &Rule, object: &Object<'a>) -> Call<'a> {
    let call = usual::call(object, id_at(rule, object));
    let name = rule.tool.text(object).unwrap_or(call.name);
    let call = match rule.input.get(object) {
        None if !rule.tool.is_said() => Call { name, ..call },
        None => usual::call_of(call.id, name, usual::parameters_of(object)),
        given => usual::call_of(call.id, name, given),
    };
    match rule.path.text(object) {
        Some(path) => {
            let writes = vec![Write::new(path, None, None)];
            Call::writing(call.id, call.name, call.parameters, writes)
        }
        None => call,
    }
}

fn result_at<'a>(rule: &Rule, object: &Object<'a>) -> ToolResult<'a> {
    let result = usual::result(object, id_at(rule, object));
    let flag = |place: &Place| Some(place.get(object)?.as_bool().unwrap_or(true));
    let failed = match (flag(&rule.failed), flag(&rule.succeeded)) {
        (Some(failed), _) => Some(failed),
        (None, Some(succeeded)) => Some(!succeeded),
        _ if rule.failed.is_said() => Some(false),
        _ if rule.succeeded.is_said() => Some(true),
        _ => None,
    };
    let output = rule.output.get(object);
    let output = output.map(|it| usual::text(it).unwrap_or_else(|| Text::of_json(it)));
    ToolResult {
        status: failed.map_or(result.status, |failed| ToolStatus::of(failed, false)),
        output: output.or(result.output),
        ..result
    }
}

/// Returns a file that was written as the result of a call that wrote it.
fn written<'a>(rule: &Rule, object: &Object<'a>, path: Text<'a>) -> ToolResult<'a> {
    let tool = rule.tool.text(object);
    let id = rule.id.text(object);
    let id = id.unwrap_or_else(|| path.clone());
    let name = tool.unwrap_or(Text::from("file"));
    let writes = vec![Write::new(path, None, None)];
    let call = Call::writing(id, name, Text::EMPTY, writes);
    ToolResult::of_call(call, ToolStatus::Success)
}

/// Whether the file says where counts are.
fn counts(rule: &Rule) -> bool {
    let single = [
        &rule.input_tokens,
        &rule.output_tokens,
        &rule.cached_tokens,
        &rule.cost,
    ];
    rule.tokens.is_said() || single.iter().any(|place| place.is_said())
}

/// Returns the counts at the places that the file says, or else at the usual names.
fn tokens_at(rule: &Rule, object: &Object<'_>) -> Tokens {
    let of_object = rule.tokens.get(object).and_then(Object::new);
    let base = match of_object {
        Some(counts) => usual::tokens(&counts),
        None if counts(rule) => Tokens::default(),
        None => usual::usage(object).unwrap_or_else(|| usual::tokens(object)),
    };
    let count = |place: &Place| place.get(object)?.as_u64();
    let cost = rule.cost.get(object).and_then(Value::as_f64);
    Tokens {
        input: count(&rule.input_tokens).or(base.input),
        output: count(&rule.output_tokens).or(base.output),
        cached: count(&rule.cached_tokens).or(base.cached),
        cost_usd: cost.or(base.cost_usd),
        ..base
    }
    .with_total()
}

fn usage_at<'a>(rule: &Rule, object: &Object<'a>) -> Option<Fact<'a>> {
    let tokens = tokens_at(rule, object);
    let id = rule.id.text(object);
    let scope = match rule.covers {
        Covers::Request => Scope::Request(id),
        Covers::Turn => Scope::Turn,
        Covers::Session => Scope::Session,
    };
    tokens.is_known().then(|| Fact::usage(scope, None, tokens))
}

fn problem_at<'a>(rule: &Rule, object: &Object<'a>) -> Problem<'a> {
    let problem = match rule.text.get(object) {
        Some(said) => match Object::new(said) {
            Some(said) => usual::problem_of_error_record(&said),
            None => usual::problem(said.text().unwrap_or_default(), None),
        },
        None => usual::problem_of_error_record(object),
    };
    let problem = match rule.code.get(object).and_then(Code::of) {
        Some(code) => usual::problem(problem.message, Some(code)),
        None => problem,
    };
    // The class that the file says, if it says one.
    let class = rule.class.unwrap_or(problem.class);
    Problem { class, ..problem }
}
