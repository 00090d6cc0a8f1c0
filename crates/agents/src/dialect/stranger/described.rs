//! Reads the records of an agent that a file describes: a rule says what a record states and where, and what it leaves
//! out is looked up at the usual names.

use std::sync::Arc;

use jsift_json::text::Text;
use jsift_json::view::{Object, Value};

use super::file::{AgentFile, Covers, Place, Rule, States};
use super::kind;
use super::names::{MESSAGES, PARENTS, SAID, THOUGHT};
use super::place::failure;
use super::reading::Stranger;
use super::said::TextExtent;
use crate::dialect::usual::{self, Words};
use crate::dialect::{Agent, Dialect};
use crate::fact::{
    Call, End, Fact, Form, Message, Problem, Scope, Start, Statement, ToolResult, ToolStatus, User,
    Write,
};

/// Reads the records of an agent that a file describes.
#[derive(Debug)]
pub(in crate::dialect) struct Described {
    file: Arc<AgentFile>,
    reading: Stranger,
}

impl Described {
    pub(in crate::dialect) fn new(file: &Arc<AgentFile>) -> Self {
        Self {
            file: Arc::clone(file),
            reading: Stranger::default(),
        }
    }
}

impl Dialect for Described {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let file = Arc::clone(&self.file);
        let session = file.session.as_ref();
        let session = session.and_then(|place| record.value().pointer(place)?.text());
        if let Some(id) = session.or_else(|| usual::session(record)) {
            self.reading.state_session(id, out);
        }
        match file.rule(record) {
            Some(rule) => self.reading.state(rule, record, out),
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

/// Returns the text of a place or, if the file says none, of the first of these names with one.
fn text_of<'a>(rule: &Rule, object: &Object<'a>, names: &[&str]) -> Text<'a> {
    let usual = || names.iter().find_map(|name| usual::text(object.get(name)?));
    let said = match rule.says(Place::Text) {
        true => rule.get(Place::Text, object).and_then(usual::text),
        false => usual(),
    };
    said.unwrap_or_default()
}

impl Stranger {
    /// States what a rule says that a record states.
    fn state<'a>(&mut self, rule: &Rule, record: &Object<'a>, out: &mut Statement<'a>) {
        self.begin_record(record);
        out.timestamp = usual::timestamp(record);
        out.parent = usual::first_text(record, &PARENTS);
        if let Some(object) = rule.object(record) {
            self.state_object(rule, &object, out);
        }
        out.or_known(kind(record));
    }

    fn state_object<'a>(&mut self, rule: &Rule, object: &Object<'a>, out: &mut Statement<'a>) {
        let text = |place| rule.get(place, object).and_then(Value::text);
        match rule.states {
            States::Nothing => {}
            States::Shape => self.facts(object, out),
            States::Start => out.push(Fact::Start(Start {
                agent_version: text(Place::Version).or_else(|| object.text("version")),
                model: text(Place::Model).or_else(|| object.text("model")),
                folder: object.text("cwd"),
            })),
            States::Prompt => {
                let text = text_of(rule, object, &SAID);
                self.go_on(out);
                let prompt = out.parent.is_none();
                out.push(Fact::User(User { text, prompt }));
            }
            States::Answer | States::Delta => self.state_answer(rule, object, out),
            States::Thought => {
                let text = text_of(rule, object, &THOUGHT);
                let form = Form::of(usual::words(object).has(Words::PART));
                out.push(Fact::Reasoning(Message::new(None, text, form)));
            }
            States::Call => {
                let call = call_at(rule, object);
                if self.is_new_call(&call.id) {
                    self.act(Fact::Call(call), out);
                }
            }
            States::Result => {
                let result = result_at(rule, object);
                if self.is_new_result(&result.id) {
                    self.act(Fact::Result(result), out);
                }
            }
            States::File => {
                let path = text(Place::Path).or_else(|| usual::first_text(object, &["path"]));
                out.extend(path.map(|path| Fact::Result(written(rule, object, path))));
            }
            States::Usage => out.extend(usage_at(rule, object)),
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
        let id = rule.get(Place::Message, object).and_then(Value::text);
        let id = id.or_else(|| usual::first_text(object, &MESSAGES));
        let text = text_of(rule, object, &SAID);
        if !text.is_empty() {
            self.message(text, extent, Words::END, id, out);
        }
    }

    fn state_end<'a>(&mut self, rule: &Rule, object: &Object<'a>, out: &mut Statement<'a>) {
        out.extend(self.close_calls());
        let stated = match rule.success {
            Some(true) => None,
            Some(false) => Some(problem_at(rule, object)),
            None => failure(object).map(|problem| with_class(rule, problem)),
        };
        let success = stated.is_none() && !(rule.success.is_none() && self.has_failed());
        let usual = || usual::answer(object).map(|(text, _)| text);
        let answer = match rule.says(Place::Text) {
            true => rule.get(Place::Text, object).and_then(usual::text),
            false => usual(),
        };
        if rule.says(Place::Tokens) {
            out.extend(usage_at(rule, object));
        }
        out.push(Fact::End(End {
            success,
            error: stated,
            text: answer.filter(|_| success),
            ..End::default()
        }));
        self.note_end(success);
    }
}

fn call_at<'a>(rule: &Rule, object: &Object<'a>) -> Call<'a> {
    let text = |place| rule.get(place, object).and_then(Value::text);
    let id = text(Place::Id).or_else(|| usual::call_id(object, true));
    let call = usual::call(object, id.unwrap_or_default());
    let name = text(Place::Tool).unwrap_or(call.name);
    match rule.get(Place::Input, object) {
        None if !rule.says(Place::Tool) => Call { name, ..call },
        None => {
            let given = usual::parameters_of(object);
            usual::call_of(call.id, name, given)
        }
        given => usual::call_of(call.id, name, given),
    }
}

fn result_at<'a>(rule: &Rule, object: &Object<'a>) -> ToolResult<'a> {
    let id = rule.get(Place::Id, object).and_then(Value::text);
    let id = id.or_else(|| usual::call_id(object, true));
    let result = usual::result(object, id.unwrap_or_default());
    let failed = match rule.get(Place::Failed, object) {
        Some(flag) => flag.as_bool().unwrap_or(true),
        None if rule.says(Place::Failed) => false,
        None => {
            return ToolResult {
                output: output_at(rule, object).or(result.output),
                ..result
            };
        }
    };
    ToolResult {
        status: ToolStatus::of(failed, false),
        output: output_at(rule, object).or(result.output),
        ..result
    }
}

fn output_at<'a>(rule: &Rule, object: &Object<'a>) -> Option<Text<'a>> {
    let output = rule.get(Place::Output, object)?;
    usual::text(output).or_else(|| Some(Text::of_json(output)))
}

/// Returns a file that was written as the result of a call that wrote it.
fn written<'a>(rule: &Rule, object: &Object<'a>, path: Text<'a>) -> ToolResult<'a> {
    let tool = rule.get(Place::Tool, object).and_then(Value::text);
    let id = rule.get(Place::Id, object).and_then(Value::text);
    let id = id.unwrap_or_else(|| path.clone());
    let write = Write::new(path.clone(), None, None);
    let call = Call {
        id: id.clone(),
        name: tool.unwrap_or(Text::from("file")),
        parameters: Text::EMPTY,
        path: Some(path),
        writes: vec![write],
    };
    ToolResult {
        call: Some(Box::new(call)),
        ..ToolResult::new(id, ToolStatus::Success)
    }
}

fn usage_at<'a>(rule: &Rule, object: &Object<'a>) -> Option<Fact<'a>> {
    let counts = rule.get(Place::Tokens, object).and_then(Object::new);
    let tokens = match counts {
        Some(counts) => usual::tokens(&counts),
        None if rule.says(Place::Tokens) => return None,
        None => usual::usage(object).unwrap_or_else(|| usual::tokens(object)),
    };
    let id = rule.get(Place::Id, object).and_then(Value::text);
    let scope = match rule.covers {
        Covers::Request => Scope::Request(id),
        Covers::Turn => Scope::Turn,
        Covers::Session => Scope::Session,
    };
    tokens.is_known().then(|| Fact::usage(scope, None, tokens))
}

fn problem_at<'a>(rule: &Rule, object: &Object<'a>) -> Problem<'a> {
    let problem = match rule.get(Place::Text, object) {
        Some(said) => match Object::new(said) {
            Some(said) => usual::told(&said),
            None => usual::problem(said.text().unwrap_or_default(), None),
        },
        None => usual::told(object),
    };
    with_class(rule, problem)
}

/// Returns the problem with the class that the file says, if it says one.
fn with_class<'a>(rule: &Rule, problem: Problem<'a>) -> Problem<'a> {
    let class = rule.class.unwrap_or(problem.class);
    Problem { class, ..problem }
}
