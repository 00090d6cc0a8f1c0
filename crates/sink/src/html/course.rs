//! The course of a session: what happened, step by step.

use std::collections::HashMap;
use std::ops::Range;
use std::time::Duration;

use super::counts::{Requests, UsageCounts};
use super::excerpt::Excerpt;
use super::invocation::Invocation;
use crate::report::EndMark;
use crate::text::step::{self, todos_in};
use crate::text::time::Timeline;
use jsift_agents::event::{Event, Phase, Status};
use jsift_agents::fact::Tokens;
use jsift_json::text::Text;

/// The length that texts are cut to before whole steps are left out, in bytes.
pub(super) const SHORTEST: usize = 128;
/// About how many bytes a step takes up in addition to its text.
pub(super) const STEP: usize = 256;
/// The maximum length of a folder, in bytes.
const FOLDER: usize = 1024;
/// The minimum number of steps that are kept of each session.
const FEWEST: usize = 8;
/// How deeply subagents of subagents are shown inside each other.
pub(super) const DEPTH: u8 = 6;
/// How long the arrivals of events must extend over to be used as times.
const LIVE: Duration = Duration::from_secs(1);

/// What holds texts and steps, and can be made smaller.
pub(super) trait Shrink {
    /// Returns about how many bytes are held.
    fn weight(&self) -> usize;

    /// Cuts every text to at most `most` bytes.
    fn cut(&mut self, most: usize);

    /// Returns the number of steps.
    fn steps(&self) -> usize;

    /// Leaves out steps until about `most` are left.
    fn thin(&mut self, most: usize);
}

/// How much several of them hold, and how much they may hold.
#[derive(Debug)]
pub(super) struct Holding {
    /// About how many bytes are held.
    pub(super) held: usize,
    /// How many bytes may be held.
    pub(super) most: usize,
    /// The length that texts are cut to, in bytes; 0 if there are none.
    pub(super) each: usize,
}

impl Holding {
    /// Makes all of them smaller if they hold too much: cuts texts to half, or else leaves out half of the steps. Each
    /// time the size is about halved, so that the total time is linear.
    pub(super) fn relieve<'s, S: Shrink + 's>(&mut self, all: impl Iterator<Item = &'s mut S>) {
        if self.held <= self.most {
            return;
        }
        let mut all: Vec<_> = all.collect();
        while self.held > self.most {
            let before = self.held;
            let shorter = self.each > SHORTEST;
            self.each = if shorter { self.each / 2 } else { self.each };
            for one in &mut all {
                match shorter {
                    true => one.cut(self.each),
                    false => one.thin(one.steps() / 2),
                }
            }
            self.held = all.iter().map(|one| one.weight()).sum();
            if !shorter && self.held >= before - before / 8 {
                // There are many small sessions, and they cannot be cut much further.
                self.most = 2 * self.held;
            }
        }
    }
}

/// Something that happened.
#[derive(Debug)]
pub(super) struct CourseStep {
    /// The time since the start of the session.
    pub(super) time: Duration,
    /// How many events came before.
    pub(super) order: u64,
    /// How many messages, thoughts and calls the session had with this step.
    number: u64,
    /// The call whose subagent took the step, by the call's index among the steps.
    pub(super) parent: Option<usize>,
    pub(super) depth: u8,
    /// The text of a message, a thought or a prompt, or the message of an error.
    pub text: Excerpt,
    pub(super) what: StepKind,
}

/// The steps.
#[derive(Debug)]
pub(super) enum StepKind {
    /// A session or turn began, with this model.
    Init(String),
    /// Text was given to the agent.
    Prompt,
    /// A message of the agent; the flag is set if the agent took it back.
    Message(bool),
    /// The model thought.
    Thought,
    /// A tool was called.
    Call(Box<Invocation>),
    /// The agent set its to-do list.
    Todos(Vec<(step::StepProgress, String)>),
    /// An error or a warning with its class, or a retry.
    Problem { retry: bool, class: String },
    /// A turn or session ended: whether it succeeded and its outcome, and a few words.
    Complete {
        end: EndMark,
        outcome: String,
        facts: String,
    },
}

impl StepKind {
    /// Returns the step that an event is; `None` if it is not shown.
    fn of(event: &Event<'_>, message: &str, each: usize) -> Option<Self> {
        let label = event.label.map(Text::to_string_lossy).unwrap_or_default();
        let short = |text: &str| Excerpt::of(text, SHORTEST).beginning();
        Some(match event.phase {
            Phase::Init => Self::Init(short(&label)),
            Phase::User => Self::Prompt,
            Phase::Error | Phase::Retry => Self::Problem {
                retry: event.phase == Phase::Retry,
                class: label.into_owned(),
            },
            Phase::Complete => Self::Complete {
                end: EndMark::of_event(event),
                outcome: label.into_owned(),
                facts: message.to_owned(),
            },
            _ => {
                let todos = todos_in(event.todos.filter(|_| each > 0)?).into_iter();
                let todos =
                    todos.map(|(progress, text)| (progress, short(&text.to_string_lossy())));
                Self::Todos(todos.collect())
            }
        })
    }

    /// Returns the class of an error or a warning.
    fn error(&self) -> Option<&str> {
        match self {
            Self::Problem {
                retry: false,
                class,
            } => Some(class),
            _ => None,
        }
    }
}

/// The steps of one session.
#[derive(Debug, Default)]
pub struct Course {
    pub(super) steps: Vec<CourseStep>,
    /// How many steps are left out, and the index of the step that follows them.
    pub(super) left_out: Option<(usize, usize)>,
    timeline: Timeline,
    /// The folder that the agent works in.
    pub(super) folder: Option<String>,
    /// How long the session has lasted.
    pub(super) length: Duration,
    /// How many events the session has had.
    pub(super) events: u64,
    /// The first halves of surrogate pairs at the ends of texts so far, by the numbers of the texts.
    halves: HashMap<u64, Text<'static>>,
    pub(super) requests: Requests,
    /// The counts at the end of each turn, including all turns before it.
    turns: Vec<Tokens>,
}

impl Shrink for Course {
    fn weight(&self) -> usize {
        self.steps.iter().map(CourseStep::weight).sum()
    }

    fn cut(&mut self, most: usize) {
        for step in &mut self.steps {
            step.text.cut(most);
            if let StepKind::Call(call) = &mut step.what {
                call.cut(most);
            }
        }
    }

    fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Leaves out steps until `most` are left: a quarter of these from the beginning, the others from the end.
    fn thin(&mut self, most: usize) {
        let most = most.max(FEWEST);
        let Some(count @ 1..) = self.steps.len().checked_sub(most) else {
            return;
        };
        let start = self.left_out.map_or(most / 4, |(at, _)| at.min(most / 4));
        let before = self.left_out.map_or(0, |(_, before)| before);
        let gone = start..start + count;
        self.steps.drain(gone.clone());
        self.left_out = Some((start, before + count));
        let moved = |step: usize| match step {
            step if step < gone.start => Some(step),
            step => step.checked_sub(count).filter(|_| step >= gone.end),
        };
        for step in &mut self.steps {
            step.parent = step.parent.and_then(moved);
        }
    }
}

impl Course {
    /// Returns whether steps are left out or texts are cut.
    pub(super) fn is_cut(&self) -> bool {
        self.left_out.is_some() || self.steps.iter().any(CourseStep::is_cut)
    }

    /// Returns whether the times of the steps are known.
    pub(super) fn is_timed(&self) -> bool {
        self.timeline.is_stamped() || self.length >= LIVE
    }

    /// Returns the usage of each request or, if that is not known, of each turn.
    pub(super) fn counts(&self) -> UsageCounts {
        let counted = self.requests.counted();
        if counted.tokens.len() > 1 || self.turns.len() < 2 {
            return counted;
        }
        let none = Tokens::default();
        let before = std::iter::once(&none).chain(&self.turns);
        let pairs = self.turns.iter().zip(before);
        let turns = pairs.map(|(after, before)| after.since(*before));
        UsageCounts::new("turn", turns.collect())
    }

    /// Returns the place of the message, the thought or the call of that number, unless it is left out.
    fn place(&self, number: Option<u64>) -> Option<usize> {
        let number = number?;
        let place = self.steps.partition_point(|step| step.number <= number);
        let step = self.steps.get(place)?;
        let is_it = matches!(
            step.what,
            StepKind::Message(_) | StepKind::Thought | StepKind::Call(_)
        );
        (is_it && step.number == number + 1).then_some(place)
    }

    /// Returns whether an event is more of a message, a thought or a call that is left out.
    fn is_left_out(&self, event: &Event<'_>) -> bool {
        let last = self.steps.last().map_or(0, |last| last.number);
        event.step.is_some_and(|number| number < last) && self.place(event.step).is_none()
    }

    /// Marks the main thread's messages with these numbers as taken back.
    pub(super) fn take_back(&mut self, numbers: &Range<u64>) {
        for step in self.steps.iter_mut().rev() {
            match &mut step.what {
                _ if step.number <= numbers.start => break,
                StepKind::Message(taken_back) if step.parent.is_none() => *taken_back = true,
                _ => {}
            }
        }
    }

    /// Adds an event, with every text cut to `each` bytes; if these are none, only names and numbers are kept. Returns
    /// about how many bytes it added.
    pub(super) fn event(&mut self, event: &Event<'_>, arrival: Duration, each: usize) -> usize {
        let time = self.timeline.at(event.timestamp, arrival);
        self.length = self.length.max(time);
        self.events += 1;
        if self.is_left_out(event) {
            return 0;
        }
        match (event.phase, event.status) {
            (Phase::Assistant | Phase::Reasoning, _) => self.text(event, time, each),
            (Phase::Tool, Some(Status::Running)) => {
                let call = Invocation::new(event, each, self.folder.as_deref());
                self.push_call(event, time, call)
            }
            (Phase::Tool, _) => self.result(event, time, each),
            (Phase::File, _) => {
                let folder = self.folder.clone();
                if let (Some(path), 1..) = (event.path, each)
                    && let Some(call) = self.invocation_of(event)
                {
                    call.wrote(path, folder.as_deref());
                }
                0
            }
            _ => {
                if let (1.., Some(folder)) = (each, event.folder) {
                    self.folder = Some(Excerpt::of(&folder.to_string_lossy(), FOLDER).beginning());
                }
                self.turns
                    .extend(event.usage.filter(|_| event.phase == Phase::Complete));
                self.other(event, time, each)
            }
        }
    }

    /// Adds a step that is made of one event, unless it repeats the last one: agents state an error separately and at
    /// the end.
    fn other(&mut self, event: &Event<'_>, time: Duration, each: usize) -> usize {
        let message = event.message.map(Text::to_string_lossy).unwrap_or_default();
        let text = match event.phase {
            Phase::User | Phase::Error | Phase::Retry => Excerpt::of(&message, each),
            _ => Excerpt::default(),
        };
        let Some(what) = StepKind::of(event, &message, each) else {
            return 0;
        };
        let error = what.error();
        let is_it = |last: &CourseStep| last.what.error() == error && last.text == text;
        match error.is_some() && self.steps.last().is_some_and(is_it) {
            true => 0,
            false => self.push(event, time, text, what),
        }
    }

    fn push_call(&mut self, event: &Event<'_>, time: Duration, call: Invocation) -> usize {
        let what = StepKind::Call(Box::new(call));
        self.push(event, time, Excerpt::default(), what)
    }

    /// Adds a step. Returns about how many bytes it takes up.
    fn push(&mut self, event: &Event<'_>, time: Duration, text: Excerpt, what: StepKind) -> usize {
        let thread = self.place(event.parent_step);
        let last = self.steps.last().map_or(0, |last| last.number);
        let of = |step: usize| self.steps.get(step);
        let (parent, depth) = match thread.and_then(of) {
            Some(call) if call.depth >= DEPTH => (call.parent, call.depth),
            Some(call) => (thread, call.depth + 1),
            None => (None, 0),
        };
        let order = self.events;
        let step = CourseStep {
            time,
            order,
            number: event.step.map_or(last, |number| number + 1),
            parent,
            depth,
            text,
            what,
        };
        let weight = step.weight();
        self.steps.push(step);
        weight
    }

    /// Adds a text: a message, a piece that continues it, or what replaces it.
    fn text(&mut self, event: &Event<'_>, time: Duration, each: usize) -> usize {
        let (Some(message), Some(number)) = (event.message, event.step) else {
            return 0;
        };
        let mut added = 0;
        let mut place = self.place(event.step);
        if place.is_none() {
            let what = match event.phase {
                Phase::Reasoning => StepKind::Thought,
                _ => StepKind::Message(false),
            };
            added = self.push(event, time, Excerpt::default(), what);
            place = self.steps.len().checked_sub(1);
        }
        let Some(step) = place.and_then(|place| self.steps.get_mut(place)) else {
            return added;
        };
        let mut all = self.halves.remove(&number).unwrap_or_default();
        if event.status == Some(Status::Success) {
            step.text = Excerpt::default();
            all = Text::EMPTY;
        }
        all.push(message);
        let (text, half) = all.split_half();
        if !half.is_empty() {
            self.halves.insert(number, half.into_owned());
        }
        let before = step.text.weight();
        step.text.push(&text.to_string_lossy(), each);
        added + step.text.weight().saturating_sub(before)
    }

    fn result(&mut self, event: &Event<'_>, time: Duration, each: usize) -> usize {
        let mut added = 0;
        if self.invocation_of(event).is_none() {
            added = self.push_call(event, time, Invocation::new(event, 0, None));
        }
        let (events, folder) = (self.events, self.folder.clone());
        let Some(call) = self.invocation_of(event) else {
            return added;
        };
        call.end_order = Some(events);
        added + call.settle(event, time, each, folder.as_deref())
    }

    fn invocation_of(&mut self, event: &Event<'_>) -> Option<&mut Invocation> {
        let place = self.place(event.step)?;
        match &mut self.steps.get_mut(place)?.what {
            StepKind::Call(call) => Some(call),
            _ => None,
        }
    }
}

impl CourseStep {
    /// Returns about how many bytes the step takes up.
    fn weight(&self) -> usize {
        let more = match &self.what {
            StepKind::Call(call) => call.weight(),
            StepKind::Todos(list) => list.iter().map(|(_, text)| text.len()).sum(),
            _ => 0,
        };
        STEP + self.text.weight() + more
    }

    fn is_cut(&self) -> bool {
        self.text.is_cut() || matches!(&self.what, StepKind::Call(call) if call.is_cut())
    }
}
