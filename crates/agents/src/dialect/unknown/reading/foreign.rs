//! Records that other programs than the agent write into its stream: events of LangChain, and responses of model APIs.

use super::{Unknown, api};
use crate::dialect::prelude::*;
use crate::dialect::usual::Words;
use crate::fact::Usage;

impl Unknown {
    /// States what an event of LangChain says.
    pub(super) fn take_step<'a>(
        &mut self,
        record: &Object<'a>,
        facts: Vec<Fact<'a>>,
        out: &mut Statement<'a>,
    ) {
        self.name_session(record, out);
        self.signs.of_model = true;
        for fact in facts {
            let is_new = match &fact {
                Fact::Call(call) => self.calls.is_new(&call.id),
                Fact::Result(result) => self.calls.is_answered_now(&result.id),
                Fact::Error(problem) if problem.fatal => {
                    self.fail_with(problem.clone(), out);
                    continue;
                }
                _ => {
                    out.push(fact);
                    continue;
                }
            };
            if is_new {
                self.signs.acts = true;
                self.act(fact, out);
            }
        }
    }

    /// Reads a response of a model API, or a part of one, and notes what a run's own records would repeat.
    pub(super) fn read_response<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        self.api.facts(record, out);
        for fact in &out.facts {
            match fact {
                Fact::Message(message) => {
                    let (text, extent) = (message.text.clone(), message.form.into());
                    let _ = self.said.message(text, extent, Words::END, None);
                }
                Fact::Call(call) => {
                    let _ = self.calls.is_new(&call.id);
                    self.said.interrupt();
                }
                _ => {}
            }
        }
        self.acted = true;
        self.ended = out.is_terminal();
    }

    /// Reads the event of a model API: a part of the run's answer. The run's own records repeat what it says.
    pub(super) fn read_chunk<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let mut chunk = Statement::default();
        self.api.facts(record, &mut chunk);
        self.signs.of_model = true;
        for fact in chunk.facts {
            match fact {
                Fact::Start(start) => {
                    self.begin_message(out);
                    out.extend(start.model.map(Fact::Model));
                }
                Fact::Message(message) => {
                    self.signs.acts = true;
                    let Message {
                        id, text, channel, ..
                    } = message;
                    let id = id.filter(|id| *id != api::RESPONSE);
                    self.message(text, message.form.into(), Words::END, id, channel, out);
                }
                Fact::Call(call) if self.calls.is_new(&call.id) => self.act(Fact::Call(call), out),
                Fact::Usage(usage) => {
                    let request = Text::from(format!("response {}", self.api.number));
                    let scope = Scope::Request(Some(request));
                    out.push(Fact::Usage(Usage { scope, ..usage }));
                }
                Fact::Error(problem) => self.fail_with(problem, out),
                Fact::End(End { success: true, .. }) => {
                    out.extend((!self.api.did).then_some(Fact::Rest));
                    self.rested = !self.api.did;
                }
                Fact::End(End {
                    error: Some(error), ..
                }) => self.fail_with(error, out),
                Fact::Result(_) | Fact::Reasoning(_) => out.push(fact),
                _ => {}
            }
        }
    }
}
