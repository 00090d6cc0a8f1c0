//! Calls of tools and their results.

use std::time::Duration;

use super::command;
use super::diff::{Bounds, Diff, DiffLine};
use super::flow::{MESSAGE, Tint, cut};
use super::step::{StepProgress, argument, is_command, todos, todos_in};
use super::{Argument, NAME, OpenLine, SUBAGENT, TEXT, View, WaitingCall};
use crate::report::noun;
use jsift_agents::event::{Event, Status};
use jsift_agents::figures::span;
use jsift_json::text::Text;
use jsift_json::view::Value;

/// How many calls may wait for their results; beyond that, the oldest is forgotten.
const CALLS: usize = 64;
/// How many lines of a failed tool's message are shown.
const MESSAGE_LINES: usize = 3;
/// How many columns a call leaves free for its result.
const RESULT: usize = 16;

impl View {
    /// Begins the line of a call, which stays open for its result.
    pub(super) fn call(&mut self, event: &Event<'_>, time: Duration) {
        let parameters = event.message.map_or(&[][..], Text::as_bytes);
        let parameters = Value::new(parameters);
        let todos = todos(parameters);
        let argument = match todos.is_empty() {
            true => {
                let (text, path) = argument(event, parameters, self.folder.as_deref());
                let text = self.flow.one_line(&text, usize::MAX).into_owned();
                Argument { text, path }
            }
            // The to-do list is shown below.
            false => Argument::default(),
        };
        let step = (event.session, event.step);
        self.begin(event, time, self.icon("→", ">"), Tint::Cyan);
        self.tool(event, &argument);
        self.open = OpenLine::Call(step);
        self.todo_list(&todos);
        let name = event.label.map(Text::to_string_lossy).unwrap_or_default();
        let verbose = self.options.verbose;
        if self.calls.len() >= CALLS {
            self.calls.pop_front();
        }
        self.calls.push_back(WaitingCall {
            step,
            name: self.flow.one_line(&name, NAME).into_owned(),
            time,
            arrival: self.arrival,
            argument,
            silent: !todos.is_empty(),
            command: is_command(parameters),
            diff: verbose.then(|| Diff::within(parameters, Bounds::default())),
        });
    }

    /// Writes the name of a tool and its argument, leaving room for the result.
    fn tool(&mut self, event: &Event<'_>, argument: &Argument) {
        let name = self.fit(event.label, RESULT);
        self.flow.put(&name, Tint::Bold);
        let room = self.flow.room().saturating_sub(RESULT);
        let argument = match argument.path {
            true => self.flow.path(&argument.text, room).into(),
            false => self.flow.one_line(&argument.text, room),
        };
        if !argument.is_empty() {
            self.flow.put(&format!(" {argument}"), Tint::Plain);
        }
    }

    /// Writes a to-do list that was not set by a tool call.
    pub(super) fn todos(&mut self, event: &Event<'_>, time: Duration) {
        let todos = event.todos.map(todos_in).unwrap_or_default();
        if todos.is_empty() {
            return;
        }
        self.begin(event, time, self.icon("→", ">"), Tint::Cyan);
        self.tool(event, &Argument::default());
        self.flow.end_line();
        self.todo_list(&todos);
    }

    fn todo_list(&mut self, todos: &[(StepProgress, Text<'_>)]) {
        for (progress, text) in todos {
            self.close();
            let (icon, tint) = match progress {
                StepProgress::Open => (self.icon("☐", "[ ]"), Tint::Plain),
                StepProgress::Begun => (self.icon("◐", "[~]"), Tint::Magenta),
                StepProgress::Done => (self.icon("☑", "[x]"), Tint::Green),
            };
            self.flow.put(&" ".repeat(TEXT), Tint::Plain);
            self.flow.put(&format!("{icon} "), tint);
            let text = self.fit(Some(text), 0);
            self.flow.put_last(&text, Tint::Plain);
        }
    }

    /// Ends the line of a call with its result, or writes a line of its own if other lines came between.
    pub(super) fn result(&mut self, event: &Event<'_>, time: Duration) {
        let step = (event.session, event.step);
        let place = self.calls.iter().position(|call| call.step == step);
        let call = place.and_then(|place| self.calls.remove(place));
        self.remember_files(event);
        let path = event.path.cloned().unwrap_or_default();
        self.result = Some((step, path.into_owned()));
        if call.is_none() && event.status == Some(Status::Denied) && event.message.is_none() {
            // A denied call was already shown as a failure.
            return;
        }
        let success = event.status == Some(Status::Success);
        if success && call.as_ref().is_some_and(|call| call.silent) {
            return;
        }
        if self.open != OpenLine::Call(step) {
            self.begin(event, time, self.icon("←", "<"), Tint::Cyan);
            match &call {
                Some(call) => self.tool(event, &call.argument),
                None => self.tool(event, &Argument::default()),
            }
        }
        self.open = OpenLine::Nothing;
        self.mark(event);
        let measured = call.as_ref().map(|call| time.saturating_sub(call.time));
        let took = event.took.or(measured);
        if let Some(took) = took.filter(|took| took.as_millis() >= 100) {
            self.flow.put(&format!(" {}", span(took)), Tint::Dim);
        }
        self.flow.end_line();
        let exit = event.exit_code.is_some_and(|code| code != 0);
        if !success || exit {
            self.message(event, call.is_some_and(|call| call.command) || exit);
        } else if let Some(diff) = call.and_then(|call| call.diff)
            && event.change.is_some()
        {
            self.diff(event, &diff);
        }
    }

    /// Writes the lines that a call changed.
    fn diff(&mut self, event: &Event<'_>, diff: &Diff) {
        for line in &diff.lines {
            let (line, tint) = match line {
                DiffLine::Stays(line) => (format!("  {line}"), Tint::Dim),
                DiffLine::Added(line) => (format!("+ {line}"), Tint::Green),
                DiffLine::Removed(line) => (format!("- {line}"), Tint::Red),
                DiffLine::LeftOut(count) => {
                    let count = noun(*count as u64, "more line");
                    (format!("{} {count}", self.flow.ellipsis), Tint::Dim)
                }
            };
            self.below(event, &line, tint);
        }
    }

    /// Writes a line below the line of its event.
    fn below(&mut self, event: &Event<'_>, line: &str, tint: Tint) {
        let indent = TEXT + event.parent.map_or(0, |_| SUBAGENT);
        self.flow.put(&" ".repeat(indent), Tint::Plain);
        let line = cut(line, self.flow.room(), self.flow.ellipsis);
        self.flow.put_last(&line, tint);
    }

    /// Writes how a call ended, and how many lines it changed.
    fn mark(&mut self, event: &Event<'_>) {
        let (mark, tint) = match event.status {
            Some(Status::Success) => (self.icon(" ✓", " ok").to_owned(), Tint::Green),
            Some(Status::Error) | None => (self.icon(" ✗", " FAILED").to_owned(), Tint::Red),
            Some(status) => {
                let mark = self.icon(" ✗", " FAILED");
                (format!("{mark} {}", status.word()), Tint::Red)
            }
        };
        self.flow.put(&mark, tint);
        // Some agents report a failed command as a successful call.
        let stated = || {
            let text = event.message?.to_string_lossy();
            text.lines().next().and_then(command::exit_code)
        };
        if let Some(code) = event.exit_code.or_else(stated).filter(|code| *code != 0) {
            self.flow.put(&format!(" exit {code}"), Tint::Red);
        }
        let Some(change) = event.change else {
            return;
        };
        if let Some(added) = change.added {
            self.flow.put(&format!(" +{added}"), Tint::Green);
        }
        if let Some(removed) = change.removed {
            self.flow.put(&format!(" -{removed}"), Tint::Red);
        }
    }

    /// Writes a few lines of a failed call's message; of a command's output the last ones, which are the most
    /// informative. A message that repeats the one of the call before is not written again.
    fn message(&mut self, event: &Event<'_>, of_command: bool) {
        let message = event.message.map(Text::to_string_lossy).unwrap_or_default();
        let message = command::without_tags(&message);
        let informs = |line: &&str| !line.trim().is_empty() && command::exit_code(line).is_none();
        let lines = message.lines().filter(informs);
        let mut lines: Vec<&str> = match of_command {
            true => lines.rev().take(MESSAGE_LINES).collect(),
            false => lines.take(MESSAGE_LINES).collect(),
        };
        if of_command {
            lines.reverse();
        }
        let failure = lines.join("\n");
        if failure == self.failure && event.status == Some(Status::Denied) {
            return;
        }
        for line in lines {
            let (line, _) = crate::split_at_most(line.trim(), MESSAGE);
            self.below(event, line, Tint::Red);
        }
        self.failure = failure;
    }
}
