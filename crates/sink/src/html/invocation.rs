//! A tool call as a page shows it: its parameters, its output, its duration.

use std::time::Duration;

use super::excerpt::Excerpt;
use crate::sanitize::without_colors;
use crate::split_at_most;
use crate::text::diff::{self, Diff};
use crate::text::flow::relative;
use crate::text::step::{StepProgress, argument, todos};
use jsift_agents::event::{Event, Status};
use jsift_agents::fact::LineCounts;
use jsift_json::text::Text;
use jsift_json::view::{Kind, Value};
use jsift_json::write::{Layout, write};

/// The maximum number of parameters, and the maximum length of a parameter's name in bytes.
const PARAMETERS: usize = 40;
const NAME: usize = 200;
/// How much of the key argument is kept, in bytes.
const ARGUMENT: usize = 300;
/// The maximum number of further files of a call that are named.
const FILES: usize = 100;
/// The maximum size of a change, in total and for each text, in lines.
const LINES: diff::Bounds = diff::Bounds {
    lines: 400,
    side: 120,
};
/// The maximum length of a JSON value on one line, in bytes; longer ones are indented.
const LINE: usize = 60;

/// A tool call and its result.
#[derive(Debug, Default)]
pub(super) struct Invocation {
    pub(super) name: String,
    /// What the call is about, in a few words.
    pub(super) argument: String,
    pub(super) parameters: Vec<(String, Excerpt)>,
    pub(super) todos: Vec<(StepProgress, String)>,
    pub(super) diff: Diff,
    pub(super) output: Excerpt,
    /// The status of the result; `None` until the result arrives.
    pub(super) status: Option<Status>,
    /// The time of the result since the start of the session.
    pub(super) end: Option<Duration>,
    /// How many events of the session came before the result.
    pub(super) end_order: Option<u64>,
    /// How long the call took, if the agent states it.
    pub(super) took: Option<Duration>,
    pub(super) exit_code: Option<i64>,
    pub(super) change: Option<LineCounts>,
    /// The file that the call is about, as its result states it.
    pub(super) path: String,
    /// The other files that the call wrote.
    pub(super) files: Vec<String>,
}

impl Invocation {
    /// Returns a call with every text cut to `each` bytes; if these are none, only its name is kept.
    pub(super) fn new(event: &Event<'_>, each: usize, folder: Option<&str>) -> Self {
        let name = event.label.map(Text::to_string_lossy).unwrap_or_default();
        let mut call = Self {
            name: split_at_most(&name, NAME).0.to_owned(),
            ..Self::default()
        };
        if each > 0 {
            call.parameters(event, each, folder);
        }
        call
    }

    /// Keeps what a call is about: its key argument, to-do list, changed lines and other parameters.
    fn parameters(&mut self, event: &Event<'_>, each: usize, folder: Option<&str>) {
        let text = event.message.map_or(&[][..], Text::as_bytes);
        let value = Value::new(text);
        let (argument, _) = argument(event, value, folder);
        let line = argument.trim().lines().next().unwrap_or_default();
        self.argument = Excerpt::of(line, ARGUMENT).beginning();
        let owned = |(progress, text): (StepProgress, Text<'_>)| {
            let text = Excerpt::of(&text.to_string_lossy(), ARGUMENT);
            (progress, text.beginning())
        };
        self.todos = todos(value).into_iter().map(owned).collect();
        self.diff = Diff::within(value, LINES);
        if value.kind() != Kind::Object {
            let text = String::from_utf8_lossy(text);
            if !text.is_empty() {
                self.parameters
                    .push((String::new(), Excerpt::of(&text, each)));
            }
            return;
        }
        let members = value.members().map(|(key, value)| (key.text(), value));
        let members = members.filter(|(name, _)| {
            let shown = |is: fn(&str) -> bool| name.as_str().is_some_and(is);
            let in_diff = !self.diff.lines.is_empty() && shown(jsift_agents::change::is_part);
            let in_todos = !self.todos.is_empty() && shown(crate::text::step::is_todos);
            !in_diff && !in_todos
        });
        let members = members.take(PARAMETERS).map(|(name, value)| {
            let name = name.to_string_lossy();
            (
                split_at_most(&name, NAME).0.to_owned(),
                parameter(value, each),
            )
        });
        self.parameters = members.collect();
    }

    /// Adds the result. Returns how many bytes of text it added to the call.
    pub(super) fn settle(
        &mut self,
        event: &Event<'_>,
        time: Duration,
        each: usize,
        folder: Option<&str>,
    ) -> usize {
        self.status = event.status;
        self.end = Some(time);
        self.took = event.took;
        self.exit_code = event.exit_code;
        self.change = event.change;
        if let (1.., Some(path)) = (each, event.path) {
            self.path = shown(path, folder);
            if self.argument.is_empty() {
                self.argument.clone_from(&self.path);
            }
        }
        let output = event.message.map(Text::to_string_lossy);
        let output = output.unwrap_or_default();
        self.output = Excerpt::of(&without_colors(&output), each);
        self.output.weight()
    }

    /// Adds a file that the call wrote, unless it is the one that the call is about.
    pub(super) fn wrote(&mut self, path: &Text<'_>, folder: Option<&str>) {
        let path = shown(path, folder);
        if self.files.len() < FILES && path != self.path {
            self.files.push(path);
        }
    }

    /// Returns how long the call took: as the agent states it, or else from the call to its result.
    pub(super) fn span(&self, called: Duration) -> Option<Duration> {
        let measured = self.end.map(|end| end.saturating_sub(called));
        self.took.or(measured)
    }

    /// Returns the number of bytes of text.
    pub(super) fn weight(&self) -> usize {
        let parameters = self.parameters.iter();
        let parameters = parameters.map(|(name, value)| name.len() + value.weight());
        let todos = self.todos.iter().map(|(_, text)| text);
        let files = self.files.iter().chain(todos).map(String::len);
        self.argument.len()
            + self.path.len()
            + parameters.sum::<usize>()
            + self.diff.weight()
            + self.output.weight()
            + files.sum::<usize>()
    }

    /// Returns whether anything is left out.
    pub(super) fn is_cut(&self) -> bool {
        self.output.is_cut() || self.parameters.iter().any(|(_, value)| value.is_cut())
    }

    /// Cuts every text to at most `most` bytes.
    pub(super) fn cut(&mut self, most: usize) {
        self.output.cut(most);
        self.diff.cut(most);
        for (_, value) in &mut self.parameters {
            value.cut(most);
        }
    }
}

/// Returns a string as its text, any other value as JSON.
fn parameter(value: Value<'_>, each: usize) -> Excerpt {
    if let Some(text) = value.text() {
        return Excerpt::of(&text.to_string_lossy(), each);
    }
    let raw = value.raw();
    let mut pretty = Vec::new();
    // Writing to memory cannot fail.
    if raw.len() > LINE && write(&mut pretty, raw, Layout::Pretty(2), false).is_ok() {
        return Excerpt::of(&String::from_utf8_lossy(&pretty), each);
    }
    Excerpt::of(&String::from_utf8_lossy(raw), each)
}
/// Returns a path as it is seen from the folder that the agent works in.
fn shown(path: &Text<'_>, folder: Option<&str>) -> String {
    let path = path.to_string_lossy();
    Excerpt::of(relative(&path, folder), ARGUMENT).beginning()
}
