//! Shows the steps of a session, one below the other; a subagent's steps are inside the call that started it.

use std::time::Duration;

use maud::{Markup, html};

use super::course::{Course, CourseStep, StepKind};
use super::excerpt::Excerpt;
use super::invocation::Invocation;
use super::markdown::{self, verbatim};
use super::plain::{Plain, number};
use super::times::{status_class, status_word};
use crate::report::{EndMark, noun};
use crate::text::diff::DiffLine;
use crate::text::flow::one_line;
use crate::text::step::StepProgress;
use crate::text::time::clock;
use jsift_agents::event::Status;
use jsift_agents::figures::{plural, span};

/// The shortest duration of a call that is shown.
const MOMENT: Duration = Duration::from_millis(100);
/// The maximum width of the key argument on a call's line, in columns.
const ABOUT: usize = 160;
/// The length in bytes above which prompts are folded.
const LONG: usize = 2000;

/// Shows the steps of a course.
pub(super) struct Steps<'c> {
    course: &'c Course,
    /// The indexes of the steps inside each step.
    inside: Vec<Vec<usize>>,
    timed: bool,
    /// The prefix of the ids of steps.
    id: &'c str,
    /// The level of the heading above the steps.
    level: u8,
    /// Whether texts are left out.
    structural: bool,
}

impl<'c> Steps<'c> {
    /// Returns the steps of a course, to be shown below a heading of this level.
    pub(super) fn new(course: &'c Course, id: &'c str, level: u8, structural: bool) -> Self {
        let mut inside = vec![Vec::new(); course.steps.len()];
        for (place, step) in course.steps.iter().enumerate() {
            let of = step.parent.filter(|parent| *parent < place);
            if let Some(list) = of.and_then(|parent| inside.get_mut(parent)) {
                list.push(place);
            }
        }
        Self {
            course,
            inside,
            timed: course.is_timed(),
            id,
            level,
            structural,
        }
    }

    /// Returns all steps.
    pub(super) fn all(&self) -> Markup {
        let top = self.course.steps.iter().enumerate();
        let top = top.filter(|(_, step)| step.parent.is_none());
        let top: Vec<usize> = top.map(|(place, _)| place).collect();
        self.list(&top)
    }

    /// Shows the steps at these places, and where some are left out.
    fn list(&self, places: &[usize]) -> Markup {
        let gap = |place: usize| {
            let (at, count) = self.course.left_out?;
            (at == place).then_some(count)
        };
        html! {
            ol.steps.untimed[!self.timed] {
                @for place in places {
                    @if let Some(count) = gap(*place) {
                        li.gap { p.cut { "… " (noun(count as u64, "step")) " left out …" } }
                    }
                    @if let Some(step) = self.course.steps.get(*place) { (self.step(*place, step)) }
                }
            }
        }
    }

    /// Formats a time, with tenths of seconds if the session is shorter than a minute.
    fn time(&self, time: Duration) -> String {
        match self.course.length.as_secs() {
            0..60 => format!("{}.{} s", time.as_secs(), time.subsec_millis() / 100),
            _ => clock(time),
        }
    }

    /// Shows a step with its time.
    fn step(&self, place: usize, step: &CourseStep) -> Markup {
        let class = match &step.what {
            StepKind::Init(_) => "init",
            StepKind::Prompt => "prompt",
            StepKind::Message(..) => "said",
            StepKind::Thought => "thought",
            StepKind::Call(_) | StepKind::Todos(_) => "call",
            StepKind::Problem { retry: true, .. } => "retry",
            StepKind::Problem { .. } => "problem",
            StepKind::Complete { .. } => "complete",
        };
        html! {
            li class=(class) id={ (self.id) (place) } {
                @if self.timed { span.time { (self.time(step.time)) } }
                div.what { (self.what(place, step)) }
            }
        }
    }

    /// Shows what happened in a step.
    fn what(&self, place: usize, step: &CourseStep) -> Markup {
        let text = &step.text;
        match &step.what {
            StepKind::Init(model) => html! {
                p.line { "Start" @if !model.is_empty() { " · " (Plain(&one_line(model, ABOUT, "…"))) } }
            },
            StepKind::Prompt => self.prompt(text),
            StepKind::Message(_) if self.structural => {
                html! { p.line { "Message · " (bytes(text)) } }
            }
            StepKind::Message(withdrawn) => html! {
                @if *withdrawn { p.line { "Taken back by the agent:" } }
                div.text.withdrawn[*withdrawn] dir="auto" { (markdown::excerpt(text, self.level)) }
            },
            StepKind::Thought if self.structural => {
                html! { p.line { "Thinking · " (bytes(text)) } }
            }
            StepKind::Thought => html! {
                details {
                    summary { span.line { "Thinking · " (bytes(text)) } }
                    div.text dir="auto" { (markdown::excerpt(text, self.level)) }
                }
            },
            StepKind::Call(call) => self.call(place, step, call),
            StepKind::Todos(list) => html! { p.line { "Things to do" } (todos(list)) },
            StepKind::Problem { retry, class } => html! {
                p { b { @if *retry { "Retry: " } (Plain(class)) } }
                @if !text.is_blank() { pre { (verbatim(text)) } }
            },
            StepKind::Complete {
                end,
                outcome,
                facts,
            } => html! {
                p.line {
                    (end_mark(*end))
                    " " (Plain(outcome))
                    @if !facts.is_empty() { " · " (Plain(facts)) }
                }
            },
        }
    }

    /// Shows a prompt, folded if it is long.
    fn prompt(&self, text: &Excerpt) -> Markup {
        if self.structural {
            return html! { p.line { "Prompt · " (bytes(text)) } };
        }
        html! {
            @if text.length() > LONG {
                details {
                    summary { span.line { "Prompt · " (bytes(text)) } }
                    div.verbatim dir="auto" { (verbatim(text)) }
                }
            } @else {
                p.line { "Prompt" }
                div.verbatim dir="auto" { (verbatim(text)) }
            }
        }
    }

    /// Shows a call on a line, and its parameters and result below it after a click.
    fn call(&self, place: usize, step: &CourseStep, call: &Invocation) -> Markup {
        let took = call
            .span(step.time)
            .filter(|took| self.timed || call.took == Some(*took));
        let inside = self
            .inside
            .get(place)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let is_empty = call.parameters.is_empty()
            && call.diff.lines.is_empty()
            && call.output.is_blank()
            && call.files.is_empty()
            && inside.is_empty();
        let head = html! {
            (call_mark(call.status)) " "
            b { @if call.name.is_empty() { "unknown tool" } @else { (Plain(&one_line(&call.name, ABOUT, "…"))) } }
            @if call.todos.is_empty() && !call.argument.is_empty() {
                " " code { (Plain(&one_line(&call.argument, ABOUT, "…"))) }
            }
            @if let Some(took) = took.filter(|took| *took >= MOMENT) { " " span.took { (span(took)) } }
            @if let Some(code) = call.exit_code.filter(|code| *code != 0) { " " span.bad { "exit " (code) } }
            @if !matches!(call.status, Some(Status::Success | Status::Error)) {
                " " span.denied { (status_word(call.status)) }
            }
            @if let Some(change) = call.change {
                @if let Some(lines @ 1..) = change.added { " " span.add { "+" (number(lines)) } }
                @if let Some(lines @ 1..) = change.removed { " " span.del { "−" (number(lines)) } }
            }
        };
        let failed = matches!(call.status, Some(Status::Error | Status::Denied));
        html! {
            @if is_empty {
                p.head { (head) }
            } @else {
                details open[failed && inside.is_empty()] {
                    summary.head { (head) }
                    div.body { (self.body(call, inside)) }
                }
            }
            (todos(&call.todos))
        }
    }

    /// Shows parameters, changed lines, the steps of a subagent and the result of a call.
    fn body(&self, call: &Invocation, inside: &[usize]) -> Markup {
        html! {
            @if !call.parameters.is_empty() { (parameters(&call.parameters)) }
            @if !call.diff.lines.is_empty() { (diff(&call.diff.lines)) }
            @if !inside.is_empty() {
                p.label { "Subagent" }
                (self.list(inside))
            }
            @if self.structural {
                @if call.output.length() > 0 { p.line { "Result · " (bytes(&call.output)) } }
            } @else if !call.output.is_blank() {
                p.label { "Result" @if call.output.length() > LONG { " · " (bytes(&call.output)) } }
                pre { (verbatim(&call.output)) }
            }
            @for path in &call.files {
                p.line { "also wrote " code { (Plain(path)) } }
            }
        }
    }
}

fn bytes(text: &Excerpt) -> String {
    let bytes = text.length() as u64;
    format!("{} {}", number(bytes), plural(bytes, "byte"))
}

fn parameters(parameters: &[(String, Excerpt)]) -> Markup {
    html! {
        dl.parameters {
            @for (name, value) in parameters {
                dt { (Plain(name)) }
                dd {
                    @if value.has_lines() { pre { (verbatim(value)) } } @else { code { (verbatim(value)) } }
                }
            }
        }
    }
}

fn diff(lines: &[DiffLine]) -> Markup {
    html! {
        pre.diff {
            @for line in lines {
                @match line {
                    DiffLine::Stays(line) => span { "  " (Plain(line)) "\n" },
                    DiffLine::Added(line) => span.add { "+ " (Plain(line)) "\n" },
                    DiffLine::Removed(line) => span.del { "− " (Plain(line)) "\n" },
                    DiffLine::LeftOut(count) => span.cut { "… " (noun(*count as u64, "more line")) "\n" },
                }
            }
        }
    }
}

fn todos(list: &[(StepProgress, String)]) -> Markup {
    html! {
        @if !list.is_empty() {
            ul.todos {
                @for (progress, text) in list {
                    @let (sign, word) = match progress {
                        StepProgress::Open => ("☐", "open"),
                        StepProgress::Begun => ("◐", "begun"),
                        StepProgress::Done => ("☑", "done"),
                    };
                    li { span role="img" aria-label=(word) { (sign) } " " (Plain(text)) }
                }
            }
        }
    }
}

/// Returns the sign for how a turn or session ended, with its name for screen readers.
pub(super) fn end_mark(end: EndMark) -> Markup {
    let word = match end {
        EndMark::Success => status_word(Some(Status::Success)),
        EndMark::Doubtful => "succeeded, but no tool call did",
        EndMark::Failure => status_word(Some(Status::Error)),
    };
    mark(end_class(end), word, end_sign(end))
}

pub(super) const fn end_sign(end: EndMark) -> &'static str {
    match end {
        EndMark::Success => "✓",
        EndMark::Doubtful => "!",
        EndMark::Failure => "✗",
    }
}

pub(super) const fn end_class(end: EndMark) -> &'static str {
    match end {
        EndMark::Success => "ok",
        EndMark::Doubtful => "warn",
        EndMark::Failure => "bad",
    }
}

/// Returns the sign for how a call ended, with its name for screen readers.
fn call_mark(status: Option<Status>) -> Markup {
    let sign = match status {
        Some(Status::Success) => "✓",
        Some(_) => "✗",
        None => "…",
    };
    mark(status_class(status), status_word(status), sign)
}

fn mark(class: &str, word: &str, sign: &str) -> Markup {
    html! { span class={ "mark " (class) } role="img" aria-label=(word) { (sign) } }
}
