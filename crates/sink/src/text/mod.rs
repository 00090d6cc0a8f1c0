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

mod call;
pub(crate) mod command;
pub(crate) mod diff;
pub(crate) mod flow;
pub(crate) mod step;
pub(crate) mod time;

use std::collections::VecDeque;
use std::time::Duration;

use crate::report::{EndMark, ReportOptions, noun};
use crate::sanitize::{Sanitizer, sanitize};
use diff::Diff;
use flow::{Flow, Tint};
use jsift_agents::event::{Event, Phase, Status};
use jsift_agents::figures::whole_seconds;
use jsift_json::text::Text;
use jsift_outcome::Outcome;
use time::Timeline;

/// How many file names are remembered for the last line.
const FILES: usize = 1000;
/// How many columns subagents are indented by.
const SUBAGENT: usize = 2;
/// The column where text begins, after the time and the icon.
const TEXT: usize = 8;
/// The maximum width of a tool's name below its calls, in columns.
const NAME: usize = 30;
/// How many columns a file leaves free for what was done to it.
const OPERATION: usize = 7;

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
    /// The name of the source, for the line before its first event.
    source: Option<String>,
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
    /// Whether the line `thinking` was written and no message came after it.
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
    /// Returns a view at the start of a source; `source` is its name if there are several.
    #[must_use]
    pub fn new(options: ViewOptions, source: Option<&str>) -> Self {
        Self {
            options,
            source: source.map(str::to_owned),
            flow: Flow::new(&ReportOptions {
                color: options.color,
                ascii: options.ascii,
                ci: options.ci,
                ..ReportOptions::default()
            }),
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
        let is_message = matches!(event.phase, Phase::Assistant | Phase::User | Phase::Init);
        self.thought &= !is_message;
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
        self.flow.write_to(out);
    }

    /// Writes the decided part of a running text, since the next event may take a while.
    pub fn settle(&mut self, out: &mut Vec<u8>) {
        self.flow.settle();
        self.flow.write_to(out);
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
                let lead = format!("{:TEXT$}{} {}", "", self.flow.ellipsis, call.name);
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
        let (column, width) = (self.flow.column, flow::columns(&text));
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
        self.flow.write_to(out);
    }

    const fn icon(&self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.options.ascii { ascii } else { unicode }
    }

    const fn end_icon(&self, end: EndMark) -> &'static str {
        match end {
            EndMark::Success => self.icon("✓", "ok"),
            EndMark::Doubtful => "!",
            EndMark::Failure => self.icon("✗", "x"),
        }
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
        if let Some(source) = self.source.take() {
            let source = self.flow.path(&source, self.flow.room());
            self.flow.put_last(&source, Tint::Bold);
        }
        let indent = event.parent.map_or(0, |_| SUBAGENT);
        let prefix = event.prefix.map(|prefix| {
            let prefix = prefix.to_string_lossy();
            self.flow.one_line(&prefix, NAME).into_owned() + " "
        });
        let prefix = prefix.unwrap_or_default();
        self.flow.indent = TEXT + indent + flow::columns(&prefix);
        self.flow
            .put(&format!("{:>5} ", time::clock(time)), Tint::Dim);
        self.flow.put(&prefix, Tint::Bold);
        self.flow.put(&" ".repeat(indent), Tint::Plain);
        self.flow.put(&format!("{icon} "), tint);
    }

    /// Writes a message or a thought, or a piece that continues it.
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

    /// Writes the line `thinking`, once between two messages.
    fn thoughts(&mut self, event: &Event<'_>, time: Duration) {
        if self.open != OpenLine::Thoughts && !std::mem::replace(&mut self.thought, true) {
            self.begin(event, time, self.icon("✻", "~"), Tint::Dim);
            self.flow.put("thinking", Tint::Dim);
            self.open = OpenLine::Thoughts;
        }
    }

    /// Returns whether the line of a call's result has already named this file.
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
        let end = EndMark::of_event(event);
        let (icon, tint) = match event.phase {
            Phase::Init => (self.icon("◆", "#"), Tint::Cyan),
            Phase::User => (self.icon("›", "?"), Tint::Cyan),
            Phase::File => (self.icon("✎", "+"), Tint::Green),
            Phase::Retry => (self.icon("↻", "!"), Tint::Magenta),
            Phase::Error if event.warns => (self.icon("!", "!"), Tint::Magenta),
            Phase::Error => (self.icon("✗", "x"), Tint::Red),
            Phase::Complete => (self.end_icon(end), end.tint()),
            _ => (self.icon("·", "."), Tint::Dim),
        };
        self.begin(event, time, icon, tint);
        match event.phase {
            Phase::Init => self.init(event),
            Phase::File => {
                self.remember_files(event);
                let file = event.path.map(Text::to_string_lossy).unwrap_or_default();
                let room = self.flow.room().saturating_sub(OPERATION);
                let file = self.flow.path(self.relative(&file), room);
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
        let agent = event.agent.map_or("", jsift_agents::Agent::name);
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
            self.flow.message(&message);
        }
    }

    /// Writes how a session ended, with its figures and the files that it wrote.
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
                .map(|(_, file)| self.flow.path(file, 100))
                .collect();
            self.flow.text(&names.join(", "));
            if count > names.len() {
                self.flow.text(&format!(", {}", self.flow.ellipsis));
            }
        }
        self.calls.retain(|call| call.step.0 != event.session);
    }

    /// Returns as much of a text as fits on the line if `free` columns are left over.
    fn fit(&self, text: Option<&Text<'_>>, free: usize) -> String {
        let room = self.flow.room().saturating_sub(free);
        text.map_or_else(String::new, |text| {
            (self.flow)
                .one_line(&text.to_string_lossy(), room)
                .into_owned()
        })
    }
}

#[cfg(test)]
mod tests;
