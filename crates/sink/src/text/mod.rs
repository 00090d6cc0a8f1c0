//! Writes events as lines for people.
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
//! A tool call begins its line when it is made, so that one sees what an agent is waiting for. The result ends that
//! line if nothing came between, and otherwise gets its own line. None of this is ever erased or overwritten: output to
//! a terminal and to a log differ only in colour and wrapping. The time that a call has been running is shown after it
//! on terminals that can erase it again ([`View::waits`]).
//!
//! Everything from the input is written with its hidden characters visible. If a CI runner reads the output, workflow
//! commands are broken up in the very last step, since wrapping creates new lines.

pub(crate) mod command;
pub(crate) mod diff;
pub(crate) mod flow;
pub(crate) mod step;
pub(crate) mod time;

use std::collections::VecDeque;
use std::time::Duration;

use crate::report::noun;
use crate::sanitize::{Sanitizer, sanitize};
use diff::{Diff, DiffLine};
use flow::{Flow, MESSAGE, Tint, cut, one_line, path};
use jsift_agents::event::{Event, Phase, Status};
use jsift_agents::figures::{span, whole_seconds};
use jsift_json::text::Text;
use jsift_json::view::Value;
use jsift_outcome::Outcome;
use step::{StepProgress, is_command, key_argument, todos, todos_in};
use time::Timeline;

/// How many calls may wait for their results; beyond that, the oldest is forgotten.
const CALLS: usize = 64;
/// How many file names are remembered for the last line.
const FILES: usize = 1000;
/// How many columns subagents are indented by.
const SUBAGENT: usize = 2;
/// The column where text begins, after the time and the icon.
const TEXT: usize = 8;
/// How many lines of a failed tool's message are shown.
const MESSAGE_LINES: usize = 3;
/// The maximum width of a tool's name below its calls, in columns.
const NAME: usize = 30;
/// How many columns a file leaves free for what was done to it.
const OPERATION: usize = 7;
/// How many columns a call leaves free for its result.
const RESULT: usize = 16;

/// How to write the events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ViewOptions {
    /// Whether lines are wrapped to the width of a terminal.
    pub terminal: bool,
    /// Whether text is coloured.
    pub color: bool,
    /// Whether icons are ASCII.
    pub ascii: bool,
    /// Whether workflow commands are neutralised.
    pub ci: bool,
    /// Whether thoughts, records of unknown types and the lines that an edit changes are shown, too.
    pub verbose: bool,
}

/// Writes events as lines.
#[derive(Debug)]
pub struct View {
    options: ViewOptions,
    flow: Flow,
    timeline: Timeline,
    open: OpenLine,
    /// Sanitises the text of one message, across its pieces.
    clean: Sanitizer,
    /// The first half of a surrogate pair at the end of the last piece of text.
    half: Text<'static>,
    calls: VecDeque<WaitingCall>,
    /// The files that were written, each once per session.
    files: Vec<(u64, String)>,
    /// The error that was shown last, unless another step came after it.
    error: Option<(Text<'static>, Text<'static>)>,
    /// The folder that the agent works in.
    folder: Option<String>,
    /// Whether a line already says that the model thinks, and the model has said nothing since.
    thought: bool,
    /// The message of the last failed call, as it was shown.
    failure: String,
    /// The call that the last result's line is about, and its file.
    result: Option<(StepId, Text<'static>)>,
    /// When the last event arrived.
    arrival: Duration,
    /// Whether a running time is shown after the cursor.
    waiting: bool,
}

/// A message, a thought or a call: the number of its session, and its number in it.
type StepId = (u64, Option<u64>);

/// What may continue the last line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenLine {
    Nothing,
    /// More of this text.
    Text(StepId),
    /// Thoughts that are not shown.
    Thoughts,
    /// The result of this call.
    Call(StepId),
}

/// What a call is about, in a few words.
#[derive(Debug, Default)]
struct Argument {
    text: String,
    /// Whether the text is the path of a file.
    path: bool,
}

/// A call that waits for its result.
#[derive(Debug)]
struct WaitingCall {
    step: StepId,
    name: String,
    time: Duration,
    /// When the call arrived.
    arrival: Duration,
    argument: Argument,
    /// Whether the call's success is not shown.
    silent: bool,
    /// Whether the call runs a command; the end of a command's output says what is wrong.
    command: bool,
    /// The changes that the call makes if it succeeds, if they are shown.
    diff: Option<Diff>,
}

impl View {
    /// Returns a view at the start of a source.
    #[must_use]
    pub fn new(options: ViewOptions) -> Self {
        Self {
            options,
            flow: Flow::new(None, options.color, options.ci),
            timeline: Timeline::default(),
            open: OpenLine::Nothing,
            clean: Sanitizer::new(true, false),
            half: Text::default(),
            calls: VecDeque::new(),
            files: Vec::new(),
            error: None,
            folder: None,
            thought: false,
            failure: String::new(),
            result: None,
            arrival: Duration::ZERO,
            waiting: false,
        }
    }

    /// Sets the current width of the terminal, in columns.
    pub fn set_width(&mut self, columns: Option<usize>) {
        self.flow.width = columns.filter(|_| self.options.terminal);
    }

    /// Writes an event. `arrival` is the time since the start of the run.
    pub fn event(&mut self, event: &Event<'_>, arrival: Duration, out: &mut Vec<u8>) {
        self.erase(out);
        self.arrival = arrival;
        let time = self.timeline.at(event.timestamp, arrival);
        let says = matches!(event.phase, Phase::Assistant | Phase::User | Phase::Init);
        self.thought &= !says;
        if !matches!(event.phase, Phase::Error | Phase::Other) {
            self.error = None;
        }
        match (event.phase, event.status) {
            (Phase::Assistant, _) => self.text(event, time),
            (Phase::Reasoning, _) if self.options.verbose => self.text(event, time),
            (Phase::Reasoning, _) => self.thoughts(event, time),
            (Phase::Tool, Some(Status::Running)) => self.call(event, time),
            (Phase::Tool, _) => self.result(event, time),
            (Phase::Other, _) if event.todos.is_some() => self.todos(event, time),
            (Phase::Other, _) if !(self.options.verbose && event.unknown) => {}
            (Phase::Error, _) if self.repeats(event) => {}
            (Phase::File, _) if self.shows_file(event) => {}
            _ => self.step(event, time),
        }
        self.flow.hand_on(out);
    }

    /// Writes the decided part of a running text, since the next event may take a while.
    pub fn settle(&mut self, out: &mut Vec<u8>) {
        self.flow.settle();
        self.flow.hand_on(out);
    }

    /// Shows how long the current call or thought has been running, if it fits into `columns` on a terminal that can
    /// erase it again. Returns the time until it should be shown again.
    pub fn waits(
        &mut self,
        now: Duration,
        columns: Option<usize>,
        out: &mut Vec<u8>,
    ) -> Option<Duration> {
        let running = match self.open {
            OpenLine::Text(_) => None,
            OpenLine::Thoughts => Some((self.arrival, String::new())),
            OpenLine::Call(step) => {
                let call = self.calls.iter().find(|call| call.step == step);
                call.map(|call| (call.arrival, String::new()))
            }
            OpenLine::Nothing => self.calls.front().map(|call| {
                let lead = format!("{:TEXT$}{} {}", "", self.ellipsis(), call.name);
                (call.arrival, lead)
            }),
        };
        let Some((since, what)) = running else {
            self.erase(out);
            return None;
        };
        let elapsed = now.saturating_sub(since);
        let next = Duration::from_secs(1) - Duration::from_nanos(elapsed.subsec_nanos().into());
        let text = format!("{what} {}", whole_seconds(elapsed));
        let (column, width) = (self.flow.column(), flow::columns(&text));
        // A character in the last column would make some terminals begin another line.
        let fits = columns.is_some_and(|columns| column + width < columns);
        self.erase(out);
        if fits && elapsed.as_secs() > 0 {
            let back = match column {
                0 => "\r".to_owned(),
                _ => format!("\x1b[{width}D"),
            };
            let (dim, plain) = match self.options.color {
                true => ("\x1b[2m", "\x1b[0m"),
                false => ("", ""),
            };
            out.extend_from_slice(format!("{dim}{text}{plain}{back}").as_bytes());
            self.waiting = true;
        }
        Some(next)
    }

    /// Erases the running time after the cursor.
    fn erase(&mut self, out: &mut Vec<u8>) {
        if std::mem::take(&mut self.waiting) {
            out.extend_from_slice(b"\x1b[K");
        }
    }

    /// Ends a line that could be continued, because something else follows below it, or nothing at all.
    pub fn end_line(&mut self, out: &mut Vec<u8>) {
        self.erase(out);
        self.close();
        self.flow.hand_on(out);
    }

    const fn icon(&self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.options.ascii { ascii } else { unicode }
    }

    /// Ends whatever could have been continued on the last line.
    fn close(&mut self) {
        if matches!(self.open, OpenLine::Text(_)) {
            let half = std::mem::take(&mut self.half);
            let clean = self.clean.push(&half.to_string_lossy()).into_owned();
            self.flow.text(&clean);
            let held = self.clean.finish();
            self.flow.text(&held);
        }
        self.flow.settle();
        if self.open != OpenLine::Nothing {
            self.flow.end_line();
        }
        self.open = OpenLine::Nothing;
    }

    /// Begins a line with its time and icon.
    fn begin(&mut self, event: &Event<'_>, time: Duration, icon: &str, tint: Tint) {
        self.close();
        let indent = event.parent.map_or(0, |_| SUBAGENT);
        let prefix = event.prefix.map(|prefix| {
            let prefix = prefix.to_string_lossy();
            one_line(&prefix, NAME, self.ellipsis()).into_owned() + " "
        });
        let prefix = prefix.unwrap_or_default();
        self.flow.set_indent(TEXT + indent + flow::columns(&prefix));
        self.flow
            .put(&format!("{:>5} ", time::clock(time)), Tint::Dim);
        self.flow.put(&prefix, Tint::Bold);
        self.flow.put(&" ".repeat(indent), Tint::Plain);
        self.flow.put(&format!("{icon} "), tint);
    }

    fn text(&mut self, event: &Event<'_>, time: Duration) {
        let open = OpenLine::Text((event.session, event.step));
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

    /// Returns whether an error is the one that was shown last: agents state the same error separately and at the end.
    fn repeats(&mut self, event: &Event<'_>) -> bool {
        let owned = |text: Option<&Text<'_>>| text.cloned().unwrap_or_default().into_owned();
        let error = Some((owned(event.label), owned(event.message)));
        let repeats = self.error == error;
        self.error = error;
        repeats
    }

    /// Returns the path of a file relative to the folder that the agent works in.
    fn relative<'p>(&self, path: &'p str) -> &'p str {
        flow::relative(path, self.folder.as_deref())
    }

    /// Writes that the model thinks, once until it says something.
    fn thoughts(&mut self, event: &Event<'_>, time: Duration) {
        if self.open != OpenLine::Thoughts && !std::mem::replace(&mut self.thought, true) {
            self.begin(event, time, self.icon("✻", "~"), Tint::Dim);
            self.flow.put("thinking", Tint::Dim);
            self.open = OpenLine::Thoughts;
        }
    }

    fn call(&mut self, event: &Event<'_>, time: Duration) {
        let parameters = event.message.map_or(&[][..], Text::as_bytes);
        let parameters = Value::new(parameters);
        let todos = todos(parameters);
        let argument = key_argument(parameters).or_else(|| event.path.cloned());
        // The to-do list is shown below.
        let argument = argument.filter(|_| todos.is_empty());
        let command = is_command(parameters);
        let argument = argument.map_or_else(Argument::default, |argument| {
            let path = event.path == Some(&argument);
            let text = argument.to_string_lossy();
            let text = match (path, command) {
                (true, _) => self.relative(&text).into(),
                (false, true) => command::shown(&text, self.folder.as_deref()).into(),
                (false, false) => text,
            };
            let text = one_line(&text, usize::MAX, self.ellipsis()).into_owned();
            Argument { text, path }
        });
        let step = (event.session, event.step);
        self.begin(event, time, self.icon("→", ">"), Tint::Cyan);
        self.tool(event, &argument);
        self.open = OpenLine::Call(step);
        self.todo_list(&todos);
        let name = event.label.map(Text::to_string_lossy).unwrap_or_default();
        if self.calls.len() >= CALLS {
            self.calls.pop_front();
        }
        self.calls.push_back(WaitingCall {
            step,
            name: one_line(&name, NAME, self.ellipsis()).into_owned(),
            time,
            arrival: self.arrival,
            argument,
            silent: !todos.is_empty(),
            command,
            diff: self.options.verbose.then(|| Diff::of(parameters)),
        });
    }

    /// Writes the name of a tool and its argument, leaving room for the result.
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

    /// Writes a to-do list that was not set by a tool call.
    fn todos(&mut self, event: &Event<'_>, time: Duration) {
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
            self.flow.put(&text, Tint::Plain);
            self.flow.end_line();
        }
    }

    fn result(&mut self, event: &Event<'_>, time: Duration) {
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
        for line in diff.lines() {
            let (line, tint) = match line {
                DiffLine::Stays(line) => (format!("  {line}"), Tint::Dim),
                DiffLine::Added(line) => (format!("+ {line}"), Tint::Green),
                DiffLine::Removed(line) => (format!("- {line}"), Tint::Red),
                DiffLine::LeftOut(count) => {
                    let count = noun(*count as u64, "more line");
                    (format!("{} {count}", self.ellipsis()), Tint::Dim)
                }
            };
            self.below(event, &line, tint);
        }
    }

    /// Writes a line below the line of its event.
    fn below(&mut self, event: &Event<'_>, line: &str, tint: Tint) {
        let indent = TEXT + event.parent.map_or(0, |_| SUBAGENT);
        self.flow.put(&" ".repeat(indent), Tint::Plain);
        let line = cut(line, self.flow.room(), self.ellipsis());
        self.flow.put(&line, tint);
        self.flow.end_line();
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
        let said = || {
            let text = event.message?.to_string_lossy();
            text.lines().next().and_then(command::exit_code)
        };
        if let Some(code) = event.exit_code.or_else(said).filter(|code| *code != 0) {
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

    /// Writes a few lines of a failed call's message; of a command's output the last ones, which are the most
    /// informative. A message that repeats the one of the call before is not written again.
    fn message(&mut self, event: &Event<'_>, of_command: bool) {
        let message = event.message.map(Text::to_string_lossy).unwrap_or_default();
        let message = command::without_tags(&message);
        let says = |line: &&str| !line.trim().is_empty() && command::exit_code(line).is_none();
        let lines = message.lines().filter(says);
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

    /// Returns whether the line of a call's result already says that the call wrote this file.
    fn shows_file(&self, event: &Event<'_>) -> bool {
        let shows = |(step, path): &(StepId, _)| {
            *step == (event.session, event.step) && Some(path) == event.path
        };
        self.result.as_ref().is_some_and(shows)
    }

    fn remember_files(&mut self, event: &Event<'_>) {
        let wrote = event.change.is_some() || event.phase == Phase::File;
        let Some(path) = event.path.filter(|_| wrote) else {
            return;
        };
        let path = path.to_string_lossy();
        let path = self.relative(&path);
        let is_it = |(session, file): &(u64, String)| *session == event.session && file == path;
        if self.files.len() < FILES && !self.files.iter().any(is_it) {
            self.files.push((event.session, path.to_owned()));
        }
    }

    /// Writes any other event, on one line.
    fn step(&mut self, event: &Event<'_>, time: Duration) {
        let success = event.status == Some(Status::Success);
        let (icon, tint) = match event.phase {
            Phase::Init => (self.icon("◆", "#"), Tint::Cyan),
            Phase::User => (self.icon("›", "?"), Tint::Cyan),
            Phase::File => (self.icon("✎", "+"), Tint::Green),
            Phase::Retry => (self.icon("↻", "!"), Tint::Magenta),
            Phase::Error if event.warns => (self.icon("!", "!"), Tint::Magenta),
            Phase::Complete if success && event.warns => (self.icon("!", "!"), Tint::Magenta),
            Phase::Complete if success => (self.icon("✓", "ok"), Tint::Green),
            Phase::Error | Phase::Complete => (self.icon("✗", "x"), Tint::Red),
            _ => (self.icon("·", "."), Tint::Dim),
        };
        self.begin(event, time, icon, tint);
        match event.phase {
            Phase::Init => self.init(event),
            Phase::File => {
                self.remember_files(event);
                let file = event.path.map(Text::to_string_lossy).unwrap_or_default();
                let file = path(
                    self.relative(&file),
                    self.flow.room().saturating_sub(OPERATION),
                    self.ellipsis(),
                );
                self.flow.put(&file, Tint::Plain);
                if let Some(operation) = event.label {
                    self.flow
                        .put(&format!(" {}", operation.to_string_lossy()), Tint::Dim);
                }
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
        let folder = event.folder.map(Text::to_string_lossy);
        self.folder = folder.map(|folder| folder.trim_end_matches('/').to_owned());
        let agent = event.agent.map_or("", jsift_agents::dialect::Agent::name);
        self.flow.put(agent, Tint::Bold);
        let model = self.fit(event.label, 1);
        if !model.is_empty() {
            self.flow.put(&format!(" {model}"), Tint::Plain);
        }
    }

    /// Writes a class and its message, which may take several lines.
    fn labelled(&mut self, event: &Event<'_>, before: &str, tint: Tint) {
        let mut label = self.fit(event.label, 0);
        if event.warns && label == Outcome::Failed.word() {
            "warning".clone_into(&mut label);
        }
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
        let own = |(session, _): &mut (u64, String)| *session == event.session;
        let files: Vec<(u64, String)> = self.files.extract_if(.., own).collect();
        if !files.is_empty() {
            let count = files.len();
            self.flow
                .text(&format!("{part}{}: ", noun(count as u64, "file")));
            let names: Vec<String> = files
                .iter()
                .take(10)
                .map(|(_, file)| path(file, 100, self.ellipsis()))
                .collect();
            self.flow.text(&names.join(", "));
            if count > names.len() {
                self.flow.text(&format!(", {}", self.ellipsis()));
            }
        }
        self.calls.retain(|call| call.step.0 != event.session);
    }

    const fn ellipsis(&self) -> &'static str {
        self.icon("…", "...")
    }

    /// Returns as much of a text as fits on the line if `free` columns are left over.
    fn fit(&self, text: Option<&Text<'_>>, free: usize) -> String {
        let room = self.flow.room().saturating_sub(free);
        text.map_or_else(String::new, |text| {
            one_line(&text.to_string_lossy(), room, self.ellipsis()).into_owned()
        })
    }
}

#[cfg(test)]
mod tests;
