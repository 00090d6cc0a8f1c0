//! `jsift summary`: folds the sessions of each source and reports them at its end.
//!
//! Finder → stream → [`Sessions`] → sink. Nothing is written before a source has ended.

use std::borrow::Cow;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::time::Duration;

use crate::cli::Summary;
use crate::cli::value::{FailOn, SummaryFormat};
use crate::diagnostic::Diagnostic;
use crate::dialect::Agent;
use crate::document::Fault;
use crate::event::Progress;
use crate::fact::Statement;
use crate::json::text::Text;
use crate::json::view::Value;
use crate::outcome::Outcome;
use crate::output::Output;
use crate::run::environment::Environment;
use crate::run::followed::Followed;
use crate::run::source::{Channels, Consumer, FoundCount, Sources};
use crate::seen::Seen;
#[cfg(feature = "html")]
use crate::session::REPORTED;
use crate::session::{Session, Sessions, Tools};
#[cfg(feature = "html")]
use crate::sink::html;
use crate::sink::ndjson::SessionExtent;
use crate::sink::report::{ReportOptions, Totals, noun};
use crate::sink::response::response;
use crate::sink::sanitize::sanitize;
use crate::sink::{github, markdown, ndjson, summary_text};
use crate::stream::{Follower, LineOf};

/// Runs `summary` over its sources.
pub fn run(options: &Summary, environment: &Environment, to: &mut Channels<'_>) -> Outcome {
    let mut sources = Sources::new(&options.common.files, environment).metered();
    let mut summing = Summing {
        options,
        environment,
        waited: false,
        writer: writer(options, environment),
        totals: Totals::default(),
        requests: Seen::default(),
        summed: None,
    };
    let outcome = sources.read(&mut summing, to);
    let mut out = Vec::new();
    summing.writer.finish(&summing.totals, &mut out);
    // The output remembers write errors.
    let _ = to.output.write_all(&out);
    outcome
}

/// Summarises one source after the other.
struct Summing<'a> {
    options: &'a Summary,
    environment: &'a Environment,
    /// Whether the last read had to wait, so that its bytes were written just now.
    waited: bool,
    writer: ReportWriter<'a>,
    totals: Totals,
    /// Requests that were counted; sessions that are continued in another file repeat them.
    requests: Seen,
    /// The source that is being read.
    summed: Option<Followed<Fold>>,
}

/// Folds the records of one source.
struct Fold {
    progress: Progress,
    /// The course of each session, if it is reported.
    #[cfg(feature = "html")]
    courses: Option<html::Courses>,
    /// When the current input arrived, since the start of the run, as far as known.
    arrival: Duration,
    keep_records: bool,
    records: u64,
    faults: Vec<Fault>,
}

/// The report's form.
enum ReportWriter<'a> {
    Response {
        terminal: bool,
        ci: bool,
    },
    Outputs {
        keys: &'a [String],
        structural: bool,
        random: u128,
        terminal: bool,
    },
    Json {
        extent: SessionExtent,
        terminal: bool,
    },
    Annotations {
        structural: bool,
    },
    Text(Box<summary_text::SummaryWriter>),
    Markdown(markdown::MarkdownWriter),
    #[cfg(feature = "html")]
    Html(Box<html::PageWriter>),
}

fn writer<'a>(options: &'a Summary, environment: &Environment) -> ReportWriter<'a> {
    let (structural, stdout) = (options.structural, environment.stdout);
    let ci = environment.ci || options.common.ci;
    if options.response {
        return ReportWriter::Response {
            terminal: stdout.terminal,
            ci: options.common.ci,
        };
    }
    if !options.github_output.is_empty() {
        return ReportWriter::Outputs {
            keys: &options.github_output,
            structural,
            random: environment.random,
            terminal: stdout.terminal,
        };
    }
    let published = |ci| ReportOptions {
        structural,
        ci,
        max_bytes: options.max_bytes,
    };
    match options.format {
        SummaryFormat::Json => ReportWriter::Json {
            extent: SessionExtent {
                structural,
                records: options.events,
            },
            terminal: stdout.terminal,
        },
        SummaryFormat::Github => ReportWriter::Annotations { structural },
        SummaryFormat::Markdown => {
            ReportWriter::Markdown(markdown::MarkdownWriter::new(published(ci)))
        }
        #[cfg(feature = "html")]
        SummaryFormat::Html => ReportWriter::Html(Box::new(html::PageWriter::new(published(
            options.common.ci,
        )))),
        SummaryFormat::Text => {
            let width = stdout.terminal.then(|| (environment.columns)()).flatten();
            ReportWriter::Text(Box::new(summary_text::SummaryWriter::new(
                summary_text::SummaryOptions {
                    width,
                    color: stdout.color,
                    ascii: !environment.utf8,
                    ci,
                    structural,
                },
            )))
        }
    }
}

impl Consumer for Summing<'_> {
    fn begin(&mut self, name: &str, _: &mut Channels<'_>) {
        let options = self.options;
        let mut fold = Fold {
            progress: if self.writer.writes_all_text() {
                Progress::keeping_text()
            } else {
                Progress::keeping_responses()
            },
            #[cfg(feature = "html")]
            courses: match &self.writer {
                ReportWriter::Html(writer) => Some(writer.courses()),
                _ => None,
            },
            arrival: Duration::ZERO,
            keep_records: options.events,
            records: 0,
            faults: Vec::new(),
        };
        *fold.sessions().requests() = std::mem::take(&mut self.requests);
        let mut summed = Followed::new(name, &options.common, &options.stream, fold);
        summed.notes.structural = options.structural;
        self.summed = Some(summed);
    }

    fn before_blocking_read(&mut self, _: &mut Channels<'_>) {
        self.waited = true;
    }

    fn block(&mut self, bytes: &[u8], to: &mut Channels<'_>) -> ControlFlow<()> {
        self.arrived();
        if let Some(summed) = &mut self.summed {
            summed.block(bytes);
            summed.report_faults(to);
        }
        ControlFlow::Continue(())
    }

    fn space(&mut self, size: usize) -> Option<&mut [u8]> {
        self.summed.as_mut()?.space(size)
    }

    fn filled(&mut self, size: usize, to: &mut Channels<'_>) -> ControlFlow<()> {
        self.arrived();
        if let Some(summed) = &mut self.summed {
            summed.filled(size);
            summed.report_faults(to);
        }
        ControlFlow::Continue(())
    }

    fn end(&mut self, to: &mut Channels<'_>) -> Outcome {
        let Some(mut summed) = self.summed.take() else {
            return Outcome::None;
        };
        summed.end();
        summed.report_faults(to);
        let mut fold = summed.stream.finish();
        fold.finish();
        self.requests = std::mem::take(fold.sessions().requests());
        let mut notes = summed.notes;
        notes.explain(fold.sessions(), to);
        notes.left_out(fold.sessions(), to);
        for session in fold.sessions().all_mut() {
            let (mut outcome, why) = judge(session, &self.options.fail_on, &notes.source, to);
            if session.noise.broken > 0 && self.options.stream.strict {
                outcome = outcome.worse(Outcome::Malformed);
            }
            session.limit(outcome, why);
            self.totals.add(session);
        }
        let several = self.options.common.files.len() > 1;
        let source = several.then_some(&*notes.source);
        self.writer.source(source, &mut fold, &mut to.output);
        notes.outcome(fold.sessions().outcome())
    }

    fn count(&mut self) -> FoundCount {
        let fold = self.summed.as_mut().map(|summed| summed.stream.follower());
        FoundCount {
            number: fold.map_or(0, |fold| fold.records),
            noun: "record",
        }
    }

    fn is_live(&self) -> bool {
        false
    }
}

impl Summing<'_> {
    /// Notes the time of arrival if the read had to wait. Input that was already there arrived at an unknown time.
    fn arrived(&mut self) {
        if let (true, Some(summed)) = (std::mem::take(&mut self.waited), &mut self.summed) {
            summed.stream.follower().arrival = (self.environment.clock)();
        }
    }
}

impl Followed<Fold> {
    fn report_faults(&mut self, to: &mut Channels<'_>) {
        for fault in std::mem::take(&mut self.stream.follower().faults) {
            self.notes.fault(&fault, to);
        }
    }
}

impl Follower for Fold {
    fn record(
        &mut self,
        agent: Option<Agent>,
        line: LineOf<'_>,
        record: Value<'_>,
        statement: &Statement<'_>,
    ) {
        self.take(agent, line, record, statement);
        if record.raw().is_empty() {
            return;
        }
        self.records += 1;
        if self.keep_records {
            self.sessions().keep_record(record);
        }
    }

    fn sessions(&mut self) -> &mut Sessions {
        self.progress.sessions()
    }

    fn broken(&mut self, fault: &Fault) {
        self.faults.push(fault.clone());
    }
}

impl Fold {
    /// Returns the JSON of the last session, or of what is known without any. If outputs repeat a key, the last one
    /// wins.
    fn last(&mut self, structural: bool) -> Vec<u8> {
        let extent = SessionExtent {
            structural,
            records: false,
        };
        let mut json = Vec::new();
        let sessions = self.sessions();
        match sessions.all().last() {
            Some(session) => ndjson::session_as(session, extent, &mut json),
            None => ndjson::no_session(sessions, extent, &mut json),
        }
        json
    }

    #[cfg(feature = "html")]
    fn take(
        &mut self,
        agent: Option<Agent>,
        line: LineOf<'_>,
        record: Value<'_>,
        statement: &Statement<'_>,
    ) {
        let Some(courses) = &mut self.courses else {
            return self.progress.sessions().record(agent, statement);
        };
        let progress = &mut self.progress;
        courses.arrival = self.arrival;
        courses.record(progress, (agent, line()), record, statement);
        courses.retain(REPORTED, progress.sessions().all());
    }

    #[cfg(not(feature = "html"))]
    fn take(
        &mut self,
        agent: Option<Agent>,
        _: LineOf<'_>,
        _: Value<'_>,
        statement: &Statement<'_>,
    ) {
        self.progress.sessions().record(agent, statement);
    }

    /// Ends the courses at the end of the source.
    fn finish(&mut self) {
        #[cfg(feature = "html")]
        if let Some(courses) = &mut self.courses {
            courses.finish(&mut self.progress);
        }
    }
}

impl ReportWriter<'_> {
    /// Returns whether the report has more of the agent's text than the responses.
    const fn writes_all_text(&self) -> bool {
        matches!(self, Self::Json { .. } | Self::Outputs { .. })
    }

    /// Writes the sessions of a source, which is named if there are several sources. Each session is written
    /// separately, since all of them together may be as large as the input.
    fn source(&mut self, source: Option<&str>, fold: &mut Fold, output: &mut Output<'_>) {
        let mut out = Vec::new();
        self.before_sessions(fold, &mut out);
        #[cfg(feature = "html")]
        if let (Self::Html(writer), Some(courses)) = (&mut *self, &mut fold.courses) {
            let sessions = fold.progress.sessions();
            match (sessions.all(), sessions.known_message()) {
                ([], Some(known)) => writer.no_session(known, source),
                (all, _) => all.iter().for_each(|session| {
                    let name = name(session, source);
                    writer.session(session, courses.take(session), name.as_deref());
                }),
            }
        }
        for session in fold.sessions().all() {
            self.session(session, name(session, source).as_deref(), &mut out);
            // The output remembers write errors.
            let _ = output.write_all(&out);
            out.clear();
        }
        let _ = output.write_all(&out);
    }

    /// Writes what comes before the sessions of a source and belongs to none of them.
    fn before_sessions(&mut self, fold: &mut Fold, out: &mut Vec<u8>) {
        let known = fold.sessions().known_message();
        match (self, known) {
            (Self::Json { extent, terminal }, _) if fold.sessions().all().is_empty() => {
                ndjson::show(*terminal, out, |out| {
                    ndjson::no_session(fold.sessions(), *extent, out);
                });
            }
            (
                Self::Outputs {
                    keys,
                    structural,
                    random,
                    terminal,
                },
                _,
            ) => {
                let mut blocks = Vec::new();
                github::outputs(&fold.last(*structural), keys, *random, &mut blocks);
                let blocks = String::from_utf8_lossy(&blocks);
                out.extend_from_slice(sanitize(&blocks, *terminal, false).as_bytes());
            }
            (Self::Annotations { .. }, Some(known)) => {
                github::annotation("error", known.class.word(), known.phrase, out);
            }
            (Self::Markdown(writer), Some(known)) => writer.no_session(known, out),
            _ => {}
        }
    }

    fn session(&mut self, session: &Session, source: Option<&str>, out: &mut Vec<u8>) {
        match self {
            Self::Outputs { .. } => {}
            #[cfg(feature = "html")]
            Self::Html(_) => {}
            Self::Response { terminal, ci } => {
                let answer = session.response().unwrap_or_default();
                response(&answer, *terminal, *ci, out);
            }
            Self::Json { extent, terminal } => {
                ndjson::show(*terminal, out, |out| {
                    ndjson::session_as(session, *extent, out);
                });
            }
            Self::Annotations { structural } => github::annotations(session, *structural, out),
            Self::Text(writer) => writer.session(session, source, out),
            Self::Markdown(writer) => writer.session(session, source, out),
        }
    }

    fn finish(&mut self, totals: &Totals, out: &mut Vec<u8>) {
        match self {
            Self::Text(writer) => writer.finish(totals, out),
            Self::Markdown(writer) => writer.finish(totals, out),
            #[cfg(feature = "html")]
            Self::Html(writer) => writer.finish(totals, out),
            _ => {}
        }
    }
}

/// Returns the name of a session's source: its file if there are several, its prefix if sources are told apart by their
/// prefixes.
fn name<'n>(session: &Session, source: Option<&'n str>) -> Option<Cow<'n, str>> {
    let Some(prefix) = session.prefix().map(Text::to_string_lossy) else {
        return source.map(Cow::from);
    };
    Some(match source {
        Some(source) => format!("{source}: {prefix}").into(),
        None => prefix.into_owned().into(),
    })
}

/// Applies limits to a session that succeeded, and reports the exceeded ones.
fn judge(
    session: &Session,
    limits: &[FailOn],
    source: &str,
    to: &mut Channels<'_>,
) -> (Outcome, Vec<String>) {
    let (mut outcome, mut why) = (Outcome::Success, Vec::new());
    if session.outcome() != Outcome::Success {
        return (outcome, why);
    }
    for limit in limits {
        let Some(text) = passed(session, *limit) else {
            continue;
        };
        outcome = outcome.worse(match limit {
            FailOn::Denied => Outcome::Denied,
            _ => Outcome::Mismatch,
        });
        let message = Diagnostic::error(&text).group("passed limits");
        to.diagnostics.report(message.of(source));
        why.push(text);
    }
    (outcome, why)
}

/// Returns how a session exceeds a limit, if it does. A limit on an unknown number cannot be checked and counts as
/// exceeded.
fn passed(session: &Session, limit: FailOn) -> Option<String> {
    let tools = session.tools().map(Tools::sum);
    let usage = session.usage();
    let files = session.files().map(|tools| tools.files().len());
    let unstated = |what, limit| Some(format!("no {what} is stated, so --fail-on {limit} fails"));
    match limit {
        FailOn::Denied => session.was_denied().then(|| {
            let denied = tools.map_or(0, |tools| tools.denied).max(1);
            format!("denied: {}", noun(denied, "tool call"))
        }),
        FailOn::ToolError => match tools.map(|tools| tools.error) {
            Some(0) => None,
            Some(failed) => Some(format!("failed: {}", noun(failed, "tool call"))),
            None => unstated("number of tool calls", "tool-error"),
        },
        FailOn::NoFiles => match files {
            Some(0) => Some("no file was written".to_owned()),
            Some(_) => None,
            None => Some("no file is known to be written: the input is an envelope".to_owned()),
        },
        FailOn::Empty => session
            .response()
            .is_none_or(|answer| answer.is_blank())
            .then(|| "the response is empty".to_owned()),
        FailOn::Cost(limit) => match usage.cost_usd {
            Some(cost) => (cost > limit).then(|| costs_more(cost, limit)),
            None => unstated("cost", "cost"),
        },
        FailOn::Tokens(limit) => match usage.total {
            Some(total) => {
                (total > limit).then(|| format!("the run used {total} tokens, more than {limit}"))
            }
            None => unstated("token count", "tokens"),
        },
    }
}

/// Returns that a run cost more than allowed, with as many digits as are needed to show it.
fn costs_more(cost: f64, limit: f64) -> String {
    match [cost, limit].map(|dollars| format!("{dollars:.4}")) {
        [cost, limit] if cost != limit => format!("the run cost ${cost}, more than ${limit}"),
        _ => format!("the run cost ${cost}, more than ${limit}"),
    }
}
