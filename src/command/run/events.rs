//! `jsift events`: turns the records of a live stream into progress events as they arrive.
//!
//! Finder → stream → [`Progress`] → sink. The events of one read are written before the next read.

use std::io::Write as _;
use std::ops::ControlFlow;
use std::time::Duration;

use crate::command::cli::Events;
use crate::command::cli::value::EventsFormat;
use crate::command::run::environment::{Environment, OutputStream};
use crate::command::run::followed::Followed;
use crate::command::run::jobs;
use crate::command::run::notes::Notes;
use crate::command::run::source::{
    Arrived, Channels, Consumer, SourceConsumer, SourceEnd, Sources, Timeouts,
};
use jsift_agents::event::{Event, Progress};
use jsift_agents::session::{Kept, Session, Sessions};
use jsift_agents::stream::{Follower, StatedRecord};
use jsift_find::document::Fault;
use jsift_json::text::Text;
use jsift_outcome::Outcome;
use jsift_sink::ndjson;
use jsift_sink::response::response;
use jsift_sink::text::{View, ViewOptions};

/// Runs `events` over its sources.
pub(crate) fn run(options: &Events, environment: &Environment, to: &mut Channels<'_>) -> Outcome {
    let metered = (!options.final_only).then_some("record");
    let mut sources = Sources::new(&options.common.files, environment, metered);
    sources.timeouts = Timeouts {
        idle: options.idle_timeout,
        total: options.timeout,
    };
    sources.jobs = jobs(&options.common, environment);
    let watch = Watch {
        options,
        environment,
    };
    sources.read(&watch, to)
}

/// Turns the sources, one after the other, into events.
struct Watch<'a> {
    options: &'a Events,
    environment: &'a Environment,
}

/// Turns one source into events.
struct WatchedSource<'a> {
    watch: &'a Watch<'a>,
    followed: Followed<SourceFollower<'a>>,
}

/// Follows the records of one source.
struct SourceFollower<'a> {
    progress: Progress,
    writer: EventWriter<'a>,
    records: u64,
    /// Whether no further events are needed.
    done: bool,
    /// Broken records, each with the events before it.
    faults: Vec<(Vec<u8>, Fault)>,
}

/// Writes the selected events.
struct EventWriter<'a> {
    options: &'a Events,
    /// Writes the events as text; `None` for JSON.
    view: Option<Box<View>>,
    /// Whether a terminal shows them.
    terminal: bool,
    /// The name of the source, if there are several.
    source: Option<Text<'static>>,
    /// When the current input arrived, since the start of the run.
    arrival: Duration,
    /// The events that are not written yet.
    out: Vec<u8>,
}

impl Watch<'_> {
    /// Returns where the events go: to standard error if the answer alone goes to standard output.
    const fn channel(&self) -> OutputStream {
        match self.options.final_only {
            true => self.environment.stderr,
            false => self.environment.stdout,
        }
    }

    /// Returns the writer of the events of a source.
    fn writer(&self, source: &str) -> EventWriter<'_> {
        let stream = self.channel();
        let text = match self.options.format {
            None => self.options.final_only || stream.terminal,
            Some(format) => format == EventsFormat::Text,
        };
        let options = ViewOptions {
            terminal: stream.terminal,
            color: stream.color,
            ascii: !self.environment.utf8,
            ci: self.environment.ci || self.options.common.ci,
            verbose: self.options.common.verbose,
        };
        let source = Some(source).filter(|_| self.options.common.files.len() > 1);
        EventWriter {
            options: self.options,
            view: text.then(|| Box::new(View::new(options, source))),
            terminal: stream.terminal,
            source: source.map(|source| Text::from(source.to_owned())),
            arrival: Duration::ZERO,
            out: Vec::new(),
        }
    }
}

impl<'a> WatchedSource<'a> {
    fn follower(&mut self) -> &mut SourceFollower<'a> {
        self.followed.stream.follower()
    }

    /// Writes the events of the last read, with messages about broken records at their place.
    fn write_pending(&mut self, to: &mut Channels<'_>) {
        let Followed { stream, notes, .. } = &mut self.followed;
        let SourceFollower { writer, faults, .. } = stream.follower();
        for (events, fault) in std::mem::take(faults) {
            writer.write(&events, true, to);
            notes.fault(&fault, to);
        }
        writer.write(&writer.out, false, to);
        writer.out.clear();
    }
}

impl Consumer for Watch<'_> {
    fn begin<'s>(&'s self, name: &str, _: bool) -> Box<dyn SourceConsumer<'s> + 's> {
        let options = self.options;
        let follower = SourceFollower {
            progress: match options.final_only {
                true => Progress::with(Sessions::new(Kept::Responses)),
                false => Progress::default(),
            },
            writer: self.writer(name),
            records: 0,
            done: false,
            faults: Vec::new(),
        };
        let notes = Notes::new(name, &options.stream, false);
        Box::new(WatchedSource {
            watch: self,
            followed: Followed::new(notes, &options.common, self.environment, follower),
        })
    }
}

impl<'s> SourceConsumer<'s> for WatchedSource<'_> {
    fn read(&mut self, bytes: Arrived<'_>, to: &mut Channels<'_>) -> ControlFlow<()> {
        let Environment { clock, columns, .. } = self.watch.environment;
        let writer = &mut self.follower().writer;
        writer.arrival = clock();
        // Memory that grows piece by piece is copied each time.
        writer.out.reserve(bytes.len());
        if let Some(view) = &mut writer.view {
            view.set_width(columns());
        }
        self.followed.read(bytes);
        self.write_pending(to);
        match self.follower().done {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn space(&mut self, size: usize) -> Option<&mut [u8]> {
        self.followed.space(size)
    }

    fn before_blocking_read(&mut self, to: &mut Channels<'_>) {
        let EventWriter { view, out, .. } = &mut self.follower().writer;
        if let Some(view) = view {
            view.settle(out);
        }
        self.write_pending(to);
    }

    fn waits(&mut self, to: &mut Channels<'_>) -> Option<Duration> {
        let environment = self.watch.environment;
        let terminal = self.watch.channel().terminal;
        let columns = environment.status_columns.as_ref().filter(|_| terminal)?;
        let EventWriter { view, out, .. } = &mut self.followed.stream.follower().writer;
        let next = view.as_mut()?.waits((environment.clock)(), columns(), out);
        self.write_pending(to);
        next
    }

    fn end(mut self: Box<Self>, gave_up: bool, to: &mut Channels<'_>) -> Box<dyn SourceEnd + 's> {
        if !self.follower().done {
            self.followed.end(to);
            self.write_pending(to);
        }
        let mut notes = self.followed.notes;
        let mut follower = self.followed.stream.finish();
        let (progress, writer) = (&mut follower.progress, &mut follower.writer);
        let mut write = |event: &Event<'_>| writer.event(event);
        if !gave_up {
            progress.finish(&mut write);
        }
        let found = progress.sessions.outcome();
        match notes.outcome(found) {
            _ if gave_up => progress.give_up(Outcome::Limit, &mut write),
            Outcome::Malformed if found != Outcome::Malformed => {
                progress.give_up(Outcome::Malformed, &mut write);
            }
            _ => {}
        }
        writer.end_line();
        writer.write(&writer.out, true, to);
        let sessions = &progress.sessions;
        let Events { common, .. } = self.watch.options;
        if self.watch.options.final_only {
            let terminal = self.watch.environment.stdout.terminal;
            let mut out = Vec::new();
            for answer in sessions.all().iter().filter_map(Session::response) {
                response(&answer, terminal, common.ci, &mut out);
            }
            // The output remembers write errors.
            let _ = to.output.write_all(&out);
            notes.left_out(sessions, to);
        }
        if !gave_up {
            notes.explain_all(sessions, to);
        }
        Box::new(notes.outcome(sessions.outcome()))
    }

    fn count(&mut self) -> u64 {
        self.follower().records
    }

    fn is_live(&self) -> bool {
        true
    }
}

impl Follower for SourceFollower<'_> {
    fn record(&mut self, stated: StatedRecord<'_>) {
        if self.done {
            return;
        }
        self.records += 1;
        let (progress, writer) = (&mut self.progress, &mut self.writer);
        progress.record(stated, &mut |event: &Event<'_>| writer.event(event));
        self.done = writer.options.until_result && progress.done;
    }

    fn sessions(&mut self) -> &mut Sessions {
        &mut self.progress.sessions
    }

    fn broken(&mut self, fault: &Fault) {
        if !self.done {
            self.writer.end_line();
            let before = std::mem::take(&mut self.writer.out);
            self.faults.push((before, fault.clone()));
        }
    }
}

impl EventWriter<'_> {
    fn event(&mut self, event: &Event<'_>) {
        let Events { only, with_raw, .. } = self.options;
        if !only.is_empty() && !only.contains(&event.phase) {
            return;
        }
        match &mut self.view {
            Some(view) => view.event(event, self.arrival, &mut self.out),
            None => ndjson::show(self.terminal, &mut self.out, |out| {
                ndjson::event(event, self.source.as_ref(), *with_raw, out);
            }),
        }
    }

    /// Ends a line that could be continued, because a message follows.
    fn end_line(&mut self) {
        if let Some(view) = &mut self.view {
            view.end_line(&mut self.out);
        }
    }

    /// Writes events, `before_message` or before more events.
    fn write(&self, events: &[u8], before_message: bool, to: &mut Channels<'_>) {
        if self.options.final_only {
            return to.diagnostics.write_progress(events);
        }
        // The output remembers write errors.
        let _ = to.output.write_all(events);
        if self.view.is_some() && before_message {
            // Events and messages may be read together on one terminal or in one log.
            let _ = to.output.flush();
        }
    }
}
