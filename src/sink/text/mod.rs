//! Events as lines for people.
//!
//! ```text
//!  0:00 ◆ gemini auto-gemini-2.5
//!  0:00 › fix the failing test
//!  0:03 ● I will look at the test first.
//!  0:03 → run_shell_command cargo test ✗ 4.2 s
//!         error: could not compile `demo`
//!  0:09 → replace src/lib.rs ✓ +3 -1
//!  0:12 ✓ success · 12 s, 20111 tokens · 1 file: src/lib.rs
//! ```
//!
//! A call begins its line when it is made, so that one sees what an agent is waiting for; the result ends that line if
//! nothing came between, and has a line of its own otherwise. Nothing is ever erased or overwritten: what goes to a
//! terminal and what goes to a log differ in colour and wrapping only.
//!
//! Everything from the input is written with its hidden characters visible; where a CI runner reads it, workflow
//! commands are broken up, as the very last step, since wrapping makes new lines.

mod diff;
pub(crate) mod flow;
mod step;
pub(crate) mod time;

use std::collections::VecDeque;
use std::time::Duration;

use crate::event::{Event, Phase, Status};
use crate::json::text::Text;
use crate::json::view::Value;
use crate::sink::report::noun;
use crate::sink::sanitize::{Sanitizer, sanitize};
use diff::{Diff, Line};
use flow::{Flow, MESSAGE, Tint, cut, one_line, path};
use step::{Progress, key_argument, todos, todos_in};
use time::Timeline;

/// How many calls may wait for their results before the oldest is forgotten.
const CALLS: usize = 64;
/// How many names of files are remembered for the last line.
const FILES: usize = 1000;
/// How many columns subagents are indented by.
const SUBAGENT: usize = 2;
/// The column that text begins at: behind the time and the icon.
const TEXT: usize = 8;
/// How many lines of what a tool that failed says are shown.
const MESSAGE_LINES: usize = 3;
/// Columns that a call leaves free for its result.
const RESULT: usize = 16;

/// What a [`View`] is told about where it writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Manner {
    /// Lines are wrapped to the width of a terminal.
    pub terminal: bool,
    /// Text is coloured.
    pub color: bool,
    /// Icons are ASCII.
    pub ascii: bool,
    /// Workflow commands are broken up.
    pub ci: bool,
    /// Thoughts, records of unknown types and the lines that an edit changes are shown, too.
    pub verbose: bool,
}

/// Writes events as lines.
#[derive(Debug)]
pub struct View {
    manner: Manner,
    flow: Flow,
    timeline: Timeline,
    open: Open,
    /// Makes the text of one message safe, over its pieces.
    clean: Sanitizer,
    /// The first half of a surrogate pair that the last piece of text ended with.
    half: Text<'static>,
    calls: VecDeque<Call>,
    /// Files that were written, each once.
    files: Vec<String>,
    /// The error that was shown last, if no step came behind it.
    error: Option<(Text<'static>, Text<'static>)>,
}

/// What the last line can go on with.
#[derive(Debug, PartialEq, Eq)]
enum Open {
    Nothing,
    /// Text of a thread, `parent` being its subagent.
    Text {
        phase: Phase,
        parent: Option<Text<'static>>,
    },
    /// Thoughts that are not shown.
    Thoughts,
    /// A call that waits for its result.
    Call(Text<'static>),
}

/// What a call is about, in a few words.
#[derive(Debug, Default)]
struct Argument {
    text: String,
    /// Whether it is the path of a file.
    path: bool,
}

/// A call that waits for its result.
#[derive(Debug)]
struct Call {
    id: Text<'static>,
    time: Duration,
    argument: Argument,
    /// Its success goes without saying.
    silent: bool,
    /// What it changes if it succeeds, where that is shown.
    diff: Option<Diff>,
}

impl View {
    /// A view before the first event of a source.
    #[must_use]
    pub fn new(manner: Manner) -> Self {
        Self {
            manner,
            flow: Flow::new(None, manner.color, manner.ci),
            timeline: Timeline::default(),
            open: Open::Nothing,
            clean: Sanitizer::new(true, false),
            half: Text::default(),
            calls: VecDeque::new(),
            files: Vec::new(),
            error: None,
        }
    }

    /// How wide the terminal is from here on, in columns.
    pub fn set_width(&mut self, columns: Option<usize>) {
        self.flow.width = columns.filter(|_| self.manner.terminal);
    }

    /// Writes an event that arrived so long after the start.
    pub fn event(&mut self, event: &Event<'_>, arrival: Duration, out: &mut Vec<u8>) {
        let time = self.timeline.at(event.timestamp, arrival);
        if !matches!(event.phase, Phase::Error | Phase::Other) {
            self.error = None;
        }
        match (event.phase, event.status) {
            (Phase::Assistant, _) => self.text(event, time),
            (Phase::Reasoning, _) if self.manner.verbose => self.text(event, time),
            (Phase::Reasoning, _) => self.thoughts(event, time),
            (Phase::Tool, Some(Status::Running)) => self.call(event, time),
            (Phase::Tool, _) => self.result(event, time),
            (Phase::Other, _) if event.todos.is_some() => self.todos(event, time),
            (Phase::Other, _) if !(self.manner.verbose && event.unknown) => {}
            (Phase::Error, _) if self.repeats(event) => {}
            _ => self.step(event, time),
        }
        self.flow.hand_on(out);
    }

    /// Writes what of a running text is decided, since nothing may come for a while.
    pub fn settle(&mut self, out: &mut Vec<u8>) {
        self.flow.settle();
        self.flow.hand_on(out);
    }

    /// Ends a line that could go on, since something else is written below it or nothing more.
    pub fn end_line(&mut self, out: &mut Vec<u8>) {
        self.close();
        self.flow.hand_on(out);
    }

    const fn icon(&self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.manner.ascii { ascii } else { unicode }
    }

    /// Ends what the last line could have gone on with.
    fn close(&mut self) {
        if matches!(self.open, Open::Text { .. }) {
            let half = std::mem::take(&mut self.half);
            let clean = self.clean.push(&half.to_string_lossy()).into_owned();
            self.flow.text(&clean);
            let held = self.clean.finish();
            self.flow.text(&held);
        }
        self.flow.settle();
        if self.open != Open::Nothing {
            self.flow.end_line();
        }
        self.open = Open::Nothing;
    }

    /// Begins a line with its time and icon.
    fn begin(&mut self, event: &Event<'_>, time: Duration, icon: &str, tint: Tint) {
        self.close();
        let indent = event.parent.map_or(0, |_| SUBAGENT);
        self.flow.set_indent(TEXT + indent);
        self.flow
            .put(&format!("{:>5} ", time::clock(time)), Tint::Dim);
        self.flow.put(&" ".repeat(indent), Tint::Plain);
        self.flow.put(&format!("{icon} "), tint);
    }

    fn text(&mut self, event: &Event<'_>, time: Duration) {
        let parent = event.parent.cloned().map(Text::into_owned);
        let open = Open::Text {
            phase: event.phase,
            parent,
        };
        let goes_on = self.open == open && event.status == Some(Status::Stream);
        let joined;
        let message = match event.message {
            Some(more) if goes_on && !self.half.is_empty() => {
                let mut all = std::mem::take(&mut self.half);
                all.push(more);
                joined = all;
                &joined
            }
            Some(message) => message,
            None => &Text::EMPTY,
        };
        let (message, half) = message.split_half();
        let text = message.to_string_lossy();
        if !goes_on {
            if text.trim().is_empty() && half.is_empty() {
                return;
            }
            let (icon, tint) = match event.phase {
                Phase::Reasoning => (self.icon("✻", "~"), Tint::Dim),
                _ => (self.icon("●", "*"), Tint::Cyan),
            };
            self.begin(event, time, icon, tint);
            self.open = open;
        }
        let text = if goes_on { &text } else { text.trim_start() };
        let clean = self.clean.push(text);
        self.flow.text(&clean);
        self.half = half.into_owned();
        if event.status == Some(Status::Success) {
            self.close();
        }
    }

    /// Whether an error is the one that was just shown: agents state one and the same on its own and at the end.
    fn repeats(&mut self, event: &Event<'_>) -> bool {
        let owned = |text: Option<&Text<'_>>| text.cloned().unwrap_or_default().into_owned();
        let error = Some((owned(event.label), owned(event.message)));
        let repeats = self.error == error;
        self.error = error;
        repeats
    }

    /// Says that the model thinks, once.
    fn thoughts(&mut self, event: &Event<'_>, time: Duration) {
        if self.open != Open::Thoughts {
            self.begin(event, time, self.icon("✻", "~"), Tint::Dim);
            self.flow.put("thinking", Tint::Dim);
            self.open = Open::Thoughts;
        }
    }

    fn call(&mut self, event: &Event<'_>, time: Duration) {
        let parameters = event.message.map_or(&[][..], Text::as_bytes);
        let parameters = Value::new(parameters);
        let todos = todos(parameters);
        let argument = key_argument(parameters).or_else(|| event.path.cloned());
        // What is to be done is told below.
        let argument = argument.filter(|_| todos.is_empty());
        let argument = argument.map_or_else(Argument::default, |argument| Argument {
            text: one_line(&argument.to_string_lossy(), usize::MAX, self.ellipsis()).into_owned(),
            path: event.path == Some(&argument),
        });
        let id = event.detail.cloned().unwrap_or_default().into_owned();
        self.begin(event, time, self.icon("→", ">"), Tint::Cyan);
        self.tool(event, &argument);
        self.open = Open::Call(id.clone());
        for (progress, text) in &todos {
            self.todo(*progress, &text.to_string_lossy());
        }
        if self.calls.len() >= CALLS {
            self.calls.pop_front();
        }
        self.calls.push_back(Call {
            id,
            time,
            argument,
            silent: !todos.is_empty(),
            diff: self.manner.verbose.then(|| Diff::of(parameters)),
        });
    }

    /// The name of a tool and what it is called with, as much as leaves room for the result.
    fn tool(&mut self, event: &Event<'_>, argument: &Argument) {
        let name = self.fit(event.label, RESULT);
        self.flow.put(&name, Tint::Bold);
        let room = self.flow.room().saturating_sub(RESULT);
        let argument = if argument.path {
            path(&argument.text, room, self.ellipsis()).into()
        } else {
            one_line(&argument.text, room, self.ellipsis())
        };
        if !argument.is_empty() {
            self.flow.put(&format!(" {argument}"), Tint::Plain);
        }
    }

    /// A list of things to do that no tool call sets.
    fn todos(&mut self, event: &Event<'_>, time: Duration) {
        let todos = event.todos.map(todos_in).unwrap_or_default();
        if todos.is_empty() {
            return;
        }
        self.begin(event, time, self.icon("→", ">"), Tint::Cyan);
        self.tool(event, &Argument::default());
        self.flow.end_line();
        for (progress, text) in &todos {
            self.todo(*progress, &text.to_string_lossy());
        }
    }

    fn todo(&mut self, progress: Progress, text: &str) {
        if self.open != Open::Nothing {
            self.close();
        }
        let (icon, tint) = match progress {
            Progress::Open => (self.icon("☐", "[ ]"), Tint::Plain),
            Progress::Begun => (self.icon("◐", "[~]"), Tint::Magenta),
            Progress::Done => (self.icon("☑", "[x]"), Tint::Green),
        };
        self.flow.put(&" ".repeat(TEXT), Tint::Plain);
        self.flow.put(&format!("{icon} "), tint);
        let text = one_line(text, self.flow.room(), self.ellipsis());
        self.flow.put(&text, Tint::Plain);
        self.flow.end_line();
    }

    fn result(&mut self, event: &Event<'_>, time: Duration) {
        let id = event.detail.map_or(&[][..], Text::as_bytes);
        let place = self.calls.iter().position(|call| call.id.as_bytes() == id);
        let call = place.and_then(|place| self.calls.remove(place));
        self.remember_files(event);
        let success = event.status == Some(Status::Success);
        if success && call.as_ref().is_some_and(|call| call.silent) {
            return;
        }
        let goes_on = matches!(&self.open, Open::Call(open) if open.as_bytes() == id);
        if !goes_on {
            self.begin(event, time, self.icon("←", "<"), Tint::Cyan);
            match &call {
                Some(call) => self.tool(event, &call.argument),
                None => self.tool(event, &Argument::default()),
            }
        }
        self.open = Open::Nothing;
        self.mark(event);
        let measured = call.as_ref().map(|call| time.saturating_sub(call.time));
        let took = event.took.or(measured);
        if let Some(took) = took.filter(|took| took.as_millis() >= 100) {
            self.flow.put(&format!(" {}", time::span(took)), Tint::Dim);
        }
        self.flow.end_line();
        if !success {
            self.message(event);
        } else if let Some(diff) = call.and_then(|call| call.diff)
            && event.change.is_some()
        {
            self.diff(event, &diff);
        }
    }

    /// The lines that a call changed.
    fn diff(&mut self, event: &Event<'_>, diff: &Diff) {
        for line in diff.lines() {
            let (line, tint) = match line {
                Line::Stays(line) => (format!("  {line}"), Tint::Dim),
                Line::Added(line) => (format!("+ {line}"), Tint::Green),
                Line::Removed(line) => (format!("- {line}"), Tint::Red),
                Line::LeftOut(count) => {
                    let count = noun(*count as u64, "more line");
                    (format!("{} {count}", self.ellipsis()), Tint::Dim)
                }
            };
            self.below(event, &line, tint);
        }
    }

    /// A line below the one that it belongs to.
    fn below(&mut self, event: &Event<'_>, line: &str, tint: Tint) {
        let indent = TEXT + event.parent.map_or(0, |_| SUBAGENT);
        self.flow.put(&" ".repeat(indent), Tint::Plain);
        let line = cut(line, self.flow.room(), self.ellipsis());
        self.flow.put(&line, tint);
        self.flow.end_line();
    }

    /// How a call ended, and what it changed.
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
        // To some agents a command that failed is a call that succeeded.
        if let Some(code) = event.exit_code.filter(|code| *code != 0) {
            self.flow.put(&format!(" exit {code}"), Tint::Red);
        }
        let Some(change) = event.change else {
            return;
        };
        if let Some(added) = change.lines_added {
            self.flow.put(&format!(" +{added}"), Tint::Green);
        }
        if let Some(removed) = change.lines_removed {
            self.flow.put(&format!(" -{removed}"), Tint::Red);
        }
    }

    /// The first few lines of a message that say something.
    fn message(&mut self, event: &Event<'_>) {
        let message = event.message.map(Text::to_string_lossy);
        let message = message.unwrap_or_default();
        let (message, _) = crate::sink::split_at_most(&message, MESSAGE);
        let lines = message.lines().filter(|line| !line.trim().is_empty());
        for line in lines.take(MESSAGE_LINES) {
            self.below(event, line.trim(), Tint::Red);
        }
    }

    fn remember_files(&mut self, event: &Event<'_>) {
        let wrote = event.change.is_some() || event.phase == Phase::File;
        let Some(path) = event.path.filter(|_| wrote) else {
            return;
        };
        let path = path.to_string_lossy();
        if self.files.len() < FILES && !self.files.iter().any(|file| *file == path) {
            self.files.push(path.into_owned());
        }
    }

    /// Any other event: one line.
    fn step(&mut self, event: &Event<'_>, time: Duration) {
        let success = event.status == Some(Status::Success);
        let (icon, tint) = match event.phase {
            Phase::Init => (self.icon("◆", "#"), Tint::Cyan),
            Phase::User => (self.icon("›", "?"), Tint::Cyan),
            Phase::File => (self.icon("✎", "+"), Tint::Green),
            Phase::Retry => (self.icon("↻", "!"), Tint::Magenta),
            Phase::Complete if success => (self.icon("✓", "ok"), Tint::Green),
            Phase::Error | Phase::Complete => (self.icon("✗", "x"), Tint::Red),
            _ => (self.icon("·", "."), Tint::Dim),
        };
        self.begin(event, time, icon, tint);
        match event.phase {
            Phase::Init => self.init(event),
            Phase::File => {
                self.remember_files(event);
                let file = event.path.map(Text::to_string_lossy);
                let file = path(&file.unwrap_or_default(), self.flow.room(), self.ellipsis());
                self.flow.put(&file, Tint::Plain);
            }
            Phase::Complete => self.complete(event, tint),
            Phase::Retry => self.labelled(event, "retry ", tint),
            Phase::Error => self.labelled(event, "", tint),
            _ => {
                let text = event.message.or(event.label);
                let text = self.fit(text, 0);
                self.flow.put(&text, Tint::Dim);
            }
        }
        self.flow.end_line();
    }

    fn init(&mut self, event: &Event<'_>) {
        let agent = event.agent.map_or("", crate::dialect::Agent::name);
        self.flow.put(agent, Tint::Bold);
        let model = self.fit(event.label, 1);
        if !model.is_empty() {
            self.flow.put(&format!(" {model}"), Tint::Plain);
        }
    }

    /// A class and its message, which may take several lines.
    fn labelled(&mut self, event: &Event<'_>, before: &str, tint: Tint) {
        let label = self.fit(event.label, 0);
        self.flow.put(&format!("{before}{label}"), tint);
        let message = event.message.map(Text::to_string_lossy);
        if let Some(message) = message.filter(|message| !message.trim().is_empty()) {
            self.flow.message(&message, self.ellipsis());
        }
    }

    fn complete(&mut self, event: &Event<'_>, tint: Tint) {
        let outcome = self.fit(event.label, 0);
        self.flow.put(&outcome, tint);
        let part = self.icon(" · ", " - ");
        if let Some(message) = event.message {
            self.flow.text(part);
            self.flow
                .text(&sanitize(&message.to_string_lossy(), true, false));
        }
        let files = std::mem::take(&mut self.files);
        if !files.is_empty() {
            let count = files.len();
            self.flow
                .text(&format!("{part}{}: ", noun(count as u64, "file")));
            let names: Vec<String> = files
                .iter()
                .take(10)
                .map(|file| path(file, 100, self.ellipsis()))
                .collect();
            self.flow.text(&names.join(", "));
            if count > names.len() {
                self.flow.text(&format!(", {}", self.ellipsis()));
            }
        }
        self.calls.clear();
    }

    const fn ellipsis(&self) -> &'static str {
        self.icon("…", "...")
    }

    /// As much of a text as fits on the line with so many columns left free.
    fn fit(&self, text: Option<&Text<'_>>, free: usize) -> String {
        let room = self.flow.room().saturating_sub(free);
        text.map_or_else(String::new, |text| {
            one_line(&text.to_string_lossy(), room, self.ellipsis()).into_owned()
        })
    }
}

#[cfg(test)]
mod tests;
