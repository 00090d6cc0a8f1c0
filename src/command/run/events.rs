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
use crate::command::run::meter::FoundCount;
use crate::command::run::source::{
    Arrived, Channels, Consumer, SourceConsumer, SourceEnd, Sources, Timeouts,
};
use jsift_agents::event::{Event, Phase, Progress};
use jsift_agents::session::{Session, Sessions};
use jsift_agents::stream::{Follower, StatedRecord};
use jsift_find::document::Fault;
use jsift_json::text::Text;
use jsift_outcome::Outcome;
use jsift_sink::ndjson;
use jsift_sink::response::response;
use jsift_sink::text::{View, ViewOptions};

/// Runs `events` over its sources.
pub(crate) fn run(options: &Events, environment: &Environment, to: &mut Channels<'_>) -> Outcome {
    let mut sources = Sources::new(&options.common.files, environment);
    sources.timeouts = Timeouts {
        idle: options.idle_timeout,
        total: options.timeout,
    };
    if !options.final_only {
        sources = sources.metered();
    }
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
    followed: Followed<SourceFollower>,
}

/// Follows the records of one source.
struct SourceFollower {
    progress: Progress,
    writer: EventWriter,
    until_result: bool,
    records: u64,
    /// Whether no further events are needed.
    done: bool,
    /// Broken records, each with the number of bytes of events before it.
    faults: Vec<(usize, Fault)>,
}

/// Writes the selected events.
struct EventWriter {
    form: EventForm,
    /// The name of the source, if there are several.
    source: Option<Text<'static>>,
    /// Whether the events go to standard error, because the answer goes to standard output.
    alongside_answer: bool,
    /// The phases to write; all of them if empty.
    only: Vec<Phase>,
    /// When the current input arrived, since the start of the run.
    arrival: Duration,
    out: Vec<u8>,
    /// How many bytes of `out` were already passed on.
    passed_on: usize,
}

enum EventForm {
    Ndjson { with_raw: bool, terminal: bool },
    Text(Box<View>),
}

impl Watch<'_> {
    /// Returns where the events go.
    const fn channel(&self) -> OutputStream {
        match self.options.final_only {
            true => self.environment.stderr,
            false => self.environment.stdout,
        }
    }

    fn writer(&self, source: &str) -> EventWriter {
        let stream = self.channel();
        let text = match self.options.format {
            None => self.options.final_only || stream.terminal,
            Some(format) => format == EventsFormat::Text,
        };
        let form = if text {
            EventForm::Text(Box::new(View::new(ViewOptions {
                terminal: stream.terminal,
                color: stream.color,
                ascii: !self.environment.utf8,
                ci: self.environment.ci || self.options.common.ci,
                verbose: self.options.common.verbose,
            })))
        } else {
            EventForm::Ndjson {
                with_raw: self.options.with_raw,
                terminal: stream.terminal,
            }
        };
        let several = self.options.common.files.len() > 1;
        EventWriter {
            form,
            source: several.then(|| Text::from(source.to_owned())),
            alongside_answer: self.options.final_only,
            only: self.options.only.clone(),
            arrival: Duration::ZERO,
            out: Vec::new(),
            passed_on: 0,
        }
    }
}

impl WatchedSource<'_> {
    fn follower(&mut self) -> &mut SourceFollower {
        self.followed.stream.follower()
    }

    /// Writes the events of the last read, with messages about broken records at their place.
    fn write_pending(&mut self, to: &mut Channels<'_>) {
        let Followed { stream, notes, .. } = &mut self.followed;
        let SourceFollower { writer, faults, .. } = stream.follower();
        for (before, fault) in std::mem::take(faults) {
            writer.write_pending(Some(before), to);
            notes.fault(&fault, to);
        }
        writer.write_pending(None, to);
    }
}

impl Consumer for Watch<'_> {
    fn begin<'s>(&'s self, name: &str, _: bool) -> Box<dyn SourceConsumer<'s> + 's> {
        let options = self.options;
        let follower = SourceFollower {
            progress: match options.final_only {
                true => Progress::with(Sessions::keeping_responses()),
                false => Progress::new(),
            },
            writer: self.writer(name),
            until_result: options.until_result,
            records: 0,
            done: false,
            faults: Vec::new(),
        };
        Box::new(WatchedSource {
            watch: self,
            followed: Followed::new(
                name,
                &options.common,
                &options.stream,
                self.environment,
                follower,
            ),
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
        if let EventForm::Text(view) = &mut writer.form {
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
        self.follower().writer.settle();
        self.write_pending(to);
    }

    fn waits(&mut self, to: &mut Channels<'_>) -> Option<Duration> {
        let Environment {
            status_columns,
            clock,
            ..
        } = self.watch.environment;
        let terminal = self.watch.channel().terminal;
        let columns = status_columns.as_ref().filter(|_| terminal)?;
        let EventWriter { form, out, .. } = &mut self.followed.stream.follower().writer;
        let EventForm::Text(view) = form else {
            return None;
        };
        let next = view.waits(clock(), columns(), out);
        self.write_pending(to);
        next
    }

    fn end(mut self: Box<Self>, gave_up: bool, to: &mut Channels<'_>) -> SourceEnd<'s> {
        if !self.follower().done {
            self.followed.end(to);
            self.write_pending(to);
        }
        let Watch {
            options,
            environment,
        } = self.watch;
        let Followed {
            stream, mut notes, ..
        } = self.followed;
        let SourceFollower {
            mut progress,
            mut writer,
            ..
        } = stream.finish();
        match gave_up {
            true => progress.give_up(&mut |event: &Event<'_>| writer.event(event)),
            false => progress.finish(&mut |event: &Event<'_>| writer.event(event)),
        }
        let end = writer.end_line();
        writer.write_pending(Some(end), to);
        let sessions = progress.sessions();
        if options.final_only {
            let terminal = environment.stdout.terminal;
            write_answers(sessions, terminal, options.common.ci, to);
            notes.left_out(sessions, to);
        }
        if !gave_up {
            notes.explain_all(sessions, to);
        }
        SourceEnd::Outcome(notes.outcome(sessions.outcome()))
    }

    fn count(&mut self) -> FoundCount {
        FoundCount {
            number: self.follower().records,
            noun: "record",
        }
    }

    fn is_live(&self) -> bool {
        true
    }
}

impl Follower for SourceFollower {
    fn record(&mut self, stated: StatedRecord<'_>) {
        if self.done {
            return;
        }
        self.records += 1;
        let Self {
            progress, writer, ..
        } = self;
        progress.record(stated, &mut |event: &Event<'_>| {
            writer.event(event);
        });
        self.done = self.until_result && progress.is_done();
    }

    fn sessions(&mut self) -> &mut Sessions {
        self.progress.sessions()
    }

    fn broken(&mut self, fault: &Fault) {
        if self.done {
            return;
        }
        let before = self.writer.end_line();
        self.faults.push((before, fault.clone()));
    }
}

impl EventWriter {
    fn event(&mut self, event: &Event<'_>) {
        if !self.only.is_empty() && !self.only.contains(&event.phase) {
            return;
        }
        match &mut self.form {
            EventForm::Ndjson { with_raw, terminal } => {
                ndjson::show(*terminal, &mut self.out, |out| {
                    ndjson::event_of(event, self.source.as_ref(), *with_raw, out);
                });
            }
            EventForm::Text(view) => view.event(event, self.arrival, &mut self.out),
        }
    }

    fn settle(&mut self) {
        if let EventForm::Text(view) = &mut self.form {
            view.settle(&mut self.out);
        }
    }

    /// Ends a line that could be continued, because a message follows. Returns how many bytes to write before the
    /// message.
    fn end_line(&mut self) -> usize {
        if let EventForm::Text(view) = &mut self.form {
            view.end_line(&mut self.out);
        }
        self.out.len()
    }

    /// Writes the pending bytes; if a message follows, only the bytes before it.
    fn write_pending(&mut self, message: Option<usize>, to: &mut Channels<'_>) {
        let end = message.unwrap_or(self.out.len());
        let out = self.out.get(self.passed_on..end).unwrap_or_default();
        if self.alongside_answer {
            to.diagnostics.write_progress(out);
        } else {
            // The output remembers write errors.
            let _ = to.output.write_all(out);
            if matches!(self.form, EventForm::Text(_)) && message.is_some() {
                // Events and messages may be read together on one terminal or in one log.
                let _ = to.output.flush();
            }
        }
        self.passed_on = end;
        if message.is_none() {
            self.out.clear();
            self.passed_on = 0;
        }
    }
}

fn write_answers(sessions: &Sessions, terminal: bool, ci: bool, to: &mut Channels<'_>) {
    let mut out = Vec::new();
    for answer in sessions.all().iter().filter_map(Session::response) {
        response(&answer, terminal, ci, &mut out);
    }
    // The output remembers write errors.
    let _ = to.output.write_all(&out);
}
