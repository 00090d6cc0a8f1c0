//! `jsift summary`: folds the sessions of each source and reports them at its end.
//!
//! Finder → stream → [`Sessions`] → sink. Nothing is written before a source has ended.

use std::borrow::Cow;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::time::Duration;

use crate::command::cli::Summary;
use crate::command::cli::value::{FailOn, SummaryFormat};
use crate::command::output::Output;
use crate::command::run::environment::Environment;
use crate::command::run::followed::Followed;
use crate::command::run::meter::FoundCount;
use crate::command::run::source::{Arrived, Channels, Consumer, SourceConsumer, Sources};
use jsift_agents::event::Progress;
use jsift_agents::seen::Seen;
#[cfg(feature = "html")]
use jsift_agents::session::REPORTED;
use jsift_agents::session::{Session, Sessions, Tools};
use jsift_agents::stream::{Follower, StatedRecord};
use jsift_find::document::Fault;
use jsift_json::text::Text;
use jsift_outcome::Outcome;
use jsift_sink::diagnostic::Diagnostic;
#[cfg(feature = "html")]
use jsift_sink::html::{Courses, PageWriter};
use jsift_sink::markdown::MarkdownWriter;
use jsift_sink::ndjson::SessionExtent;
use jsift_sink::report::{ReportOptions, Totals, noun};
use jsift_sink::response::response;
use jsift_sink::sanitize::sanitize;
use jsift_sink::summary_text::{SummaryOptions, SummaryWriter};
use jsift_sink::{github, ndjson};

/// Runs `summary` over its sources.
pub fn run(options: &Summary, environment: &Environment, to: &mut Channels<'_>) -> Outcome {
    let mut sources = Sources::new(&options.common.files, environment).metered();
    let mut summing = Summing {
        options,
        environment,
        form: form(options, environment),
        totals: Totals::default(),
        requests: Seen::default(),
    };
    let outcome = sources.read(&mut summing, to);
    let mut out = Vec::new();
    summing.finish(&mut out);
    // The output remembers write errors.
    let _ = to.output.write_all(&out);
    outcome
}

/// Summarises one source after the other.
struct Summing<'a> {
    options: &'a Summary,
    environment: &'a Environment,
    form: ReportForm,
    totals: Totals,
    /// Requests that were counted; sessions that are continued in another file repeat them.
    requests: Seen,
}

/// Summarises one source.
struct SummedSource<'s, 'a> {
    summing: &'s mut Summing<'a>,
    /// Whether the last read had to wait, so that its bytes were written just now.
    waited: bool,
    followed: Followed<Fold>,
}

/// Folds the records of one source.
struct Fold {
    progress: Progress,
    /// The course of each session, if it is reported.
    #[cfg(feature = "html")]
    courses: Option<Courses>,
    /// When the current input arrived, since the start of the run, as far as known.
    arrival: Duration,
    keep_records: bool,
    records: u64,
    faults: Vec<Fault>,
}

/// The report's form.
enum ReportForm {
    Response,
    Outputs,
    Json,
    Annotations,
    Text(Box<SummaryWriter>),
    Markdown(MarkdownWriter),
    #[cfg(feature = "html")]
    Html(Box<PageWriter>),
}

fn form(options: &Summary, environment: &Environment) -> ReportForm {
    let stdout = environment.stdout;
    let ci = environment.ci || options.common.ci;
    let published = |ci| ReportOptions {
        structural: options.structural,
        ci,
        max_bytes: options.max_bytes,
    };
    match options.format {
        _ if options.response => ReportForm::Response,
        _ if !options.github_output.is_empty() => ReportForm::Outputs,
        SummaryFormat::Json => ReportForm::Json,
        SummaryFormat::Github => ReportForm::Annotations,
        SummaryFormat::Markdown => ReportForm::Markdown(MarkdownWriter::new(published(ci))),
        #[cfg(feature = "html")]
        SummaryFormat::Html => {
            ReportForm::Html(Box::new(PageWriter::new(published(options.common.ci))))
        }
        SummaryFormat::Text => ReportForm::Text(Box::new(SummaryWriter::new(SummaryOptions {
            width: stdout.terminal.then(|| (environment.columns)()).flatten(),
            color: stdout.color,
            ascii: !environment.utf8,
            ci,
            structural: options.structural,
        }))),
    }
}

impl Consumer for Summing<'_> {
    fn begin<'s>(&'s mut self, name: &str) -> Box<dyn SourceConsumer + 's> {
        let options = self.options;
        let mut fold = Fold {
            progress: Progress::with(match self.form {
                // These have more of the agent's text than the responses.
                ReportForm::Json | ReportForm::Outputs => Sessions::new(true),
                _ => Sessions::keeping_responses(),
            }),
            #[cfg(feature = "html")]
            courses: match &self.form {
                ReportForm::Html(writer) => Some(writer.courses()),
                _ => None,
            },
            arrival: Duration::ZERO,
            keep_records: options.events,
            records: 0,
            faults: Vec::new(),
        };
        *fold.sessions().requests() = std::mem::take(&mut self.requests);
        let mut followed = Followed::new(
            name,
            &options.common,
            &options.stream,
            self.environment,
            fold,
        );
        followed.notes.structural = options.structural;
        Box::new(SummedSource {
            summing: self,
            waited: false,
            followed,
        })
    }
}

impl SourceConsumer for SummedSource<'_, '_> {
    fn before_blocking_read(&mut self, _: &mut Channels<'_>) {
        self.waited = true;
    }

    fn read(&mut self, bytes: Arrived<'_>, to: &mut Channels<'_>) -> ControlFlow<()> {
        // Input that was already there arrived at an unknown time.
        if std::mem::take(&mut self.waited) {
            self.followed.stream.follower().arrival = (self.summing.environment.clock)();
        }
        self.followed.read(bytes);
        self.followed.report_faults(to);
        ControlFlow::Continue(())
    }

    fn space(&mut self, size: usize) -> Option<&mut [u8]> {
        self.followed.space(size)
    }

    fn end(mut self: Box<Self>, _: bool, to: &mut Channels<'_>) -> Outcome {
        self.followed.end(to);
        self.followed.report_faults(to);
        let summing = self.summing;
        let options = summing.options;
        let Followed {
            stream, mut notes, ..
        } = self.followed;
        let mut fold = stream.finish();
        fold.finish();
        summing.requests = std::mem::take(fold.sessions().requests());
        notes.explain(fold.sessions(), to);
        notes.left_out(fold.sessions(), to);
        for session in fold.sessions().all_mut() {
            let (mut outcome, why) = judge(session, &options.fail_on, &notes.source, to);
            if session.noise.broken > 0 && options.stream.strict {
                outcome = outcome.worse(Outcome::Malformed);
            }
            session.limit(outcome, why);
            summing.totals.add(session);
        }
        let several = options.common.files.len() > 1;
        let source = several.then_some(&*notes.source);
        summing.source(source, &mut fold, &mut to.output);
        notes.outcome(fold.sessions().outcome())
    }

    fn count(&mut self) -> FoundCount {
        FoundCount {
            number: self.followed.stream.follower().records,
            noun: "record",
        }
    }

    fn is_live(&self) -> bool {
        false
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
    fn record(&mut self, stated: StatedRecord<'_>) {
        self.take(stated);
        let record = stated.document;
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
    fn last(&mut self, extent: SessionExtent) -> Vec<u8> {
        let mut json = Vec::new();
        let sessions = self.sessions();
        match sessions.all().last() {
            Some(session) => ndjson::session_as(session, extent, &mut json),
            None => ndjson::no_session(sessions, extent, &mut json),
        }
        json
    }

    fn take(&mut self, stated: StatedRecord<'_>) {
        let progress = &mut self.progress;
        #[cfg(feature = "html")]
        if let Some(courses) = &mut self.courses {
            courses.arrival = self.arrival;
            courses.record(progress, stated);
            return courses.retain(REPORTED, progress.sessions().all());
        }
        (progress.sessions()).record(stated.agent, stated.statement);
    }

    /// Ends the courses at the end of the source.
    fn finish(&mut self) {
        #[cfg(feature = "html")]
        if let Some(courses) = &mut self.courses {
            courses.finish(&mut self.progress);
        }
    }
}

impl Summing<'_> {
    /// Writes the sessions of a source, which is named if there are several sources. Each session is written
    /// separately, since all of them together may be as large as the input.
    fn source(&mut self, source: Option<&str>, fold: &mut Fold, output: &mut Output<'_>) {
        let mut out = Vec::new();
        self.before_sessions(fold, &mut out);
        #[cfg(feature = "html")]
        if let (ReportForm::Html(writer), Some(courses)) = (&mut self.form, &mut fold.courses) {
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
        let (known, extent) = (fold.sessions().known_message(), self.extent());
        let Environment { stdout, random, .. } = self.environment;
        match (&mut self.form, known) {
            (ReportForm::Json, _) if fold.sessions().all().is_empty() => {
                ndjson::show(stdout.terminal, out, |out| {
                    ndjson::no_session(fold.sessions(), extent, out);
                });
            }
            (ReportForm::Outputs, _) => {
                let (mut blocks, keys) = (Vec::new(), &self.options.github_output);
                github::outputs(&fold.last(extent), keys, *random, &mut blocks);
                let blocks = String::from_utf8_lossy(&blocks);
                out.extend_from_slice(sanitize(&blocks, stdout.terminal, false).as_bytes());
            }
            (ReportForm::Annotations, Some(known)) => {
                github::annotation("error", known.class.word(), known.phrase, out);
            }
            (ReportForm::Markdown(writer), Some(known)) => writer.no_session(known, out),
            _ => {}
        }
    }

    fn session(&mut self, session: &Session, source: Option<&str>, out: &mut Vec<u8>) {
        let (options, extent) = (self.options, self.extent());
        let terminal = self.environment.stdout.terminal;
        match &mut self.form {
            ReportForm::Outputs => {}
            #[cfg(feature = "html")]
            ReportForm::Html(_) => {}
            ReportForm::Response => {
                let answer = session.response().unwrap_or_default();
                response(&answer, terminal, options.common.ci, out);
            }
            ReportForm::Json => ndjson::show(terminal, out, |out| {
                ndjson::session_as(session, extent, out);
            }),
            ReportForm::Annotations => github::annotations(session, options.structural, out),
            ReportForm::Text(writer) => writer.session(session, source, out),
            ReportForm::Markdown(writer) => writer.session(session, source, out),
        }
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        match &mut self.form {
            ReportForm::Text(writer) => writer.finish(&self.totals, out),
            ReportForm::Markdown(writer) => writer.finish(&self.totals, out),
            #[cfg(feature = "html")]
            ReportForm::Html(writer) => writer.finish(&self.totals, out),
            _ => {}
        }
    }

    fn extent(&self) -> SessionExtent {
        SessionExtent {
            structural: self.options.structural,
            records: self.options.events,
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
        to.report(message.of(source));
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
