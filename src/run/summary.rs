//! `jsift summary`: the sessions of each source, folded and reported at its end.
//!
//! Finder → stream → [`Sessions`] → sink. Nothing is written before a source has ended.

use std::io::Write as _;
use std::ops::ControlFlow;

use crate::cli::Summary;
use crate::cli::value::{FailOn, SummaryFormat};
use crate::diagnostic::Message;
use crate::dialect::Agent;
use crate::document::Fault;
use crate::fact::Statement;
use crate::json::view::Value;
use crate::outcome::Outcome;
use crate::output::Output;
use crate::run::environment::Environment;
use crate::run::followed::Followed;
use crate::run::source::{Channels, Consumer, Count, Sources};
use crate::session::{Session, Sessions, Tools};
use crate::sink::ndjson::Extent;
use crate::sink::report::{Totals, noun};
use crate::sink::response::response;
use crate::sink::sanitize::sanitize;
use crate::sink::{github, markdown, ndjson, summary_text};
use crate::stream::{Follower, Line};

/// Runs `summary` over its sources.
pub fn run(options: &Summary, environment: &Environment, to: &mut Channels<'_>) -> Outcome {
    if let Some(key) = github::unknown_key(&options.github_output) {
        let (keys, usage) = (github::KEYS.join(", "), github::USAGE_KEYS.join(", "));
        let message = Message::error(format!("--github-output: a summary has no key '{key}'"))
            .hint(format!("its keys are {keys}, and of its usage {usage}"));
        to.diagnostics.report(message);
        return Outcome::Usage;
    }
    let mut sources = Sources::new(&options.common.files, environment).metered();
    let mut summing = Summing {
        options,
        writer: writer(options, environment),
        totals: Totals::default(),
        summed: None,
    };
    let outcome = sources.read(&mut summing, to);
    let mut out = Vec::new();
    summing.writer.finish(&summing.totals, &mut out);
    // What cannot be written is remembered by the output.
    let _ = to.output.write_all(&out);
    outcome
}

/// Sums one source after the other up.
struct Summing<'a> {
    options: &'a Summary,
    writer: Writer<'a>,
    totals: Totals,
    /// The source that is being read.
    summed: Option<Followed<Fold>>,
}

/// Folds the records of one source.
struct Fold {
    sessions: Sessions,
    keep_records: bool,
    records: u64,
    faults: Vec<Fault>,
}

/// The form that is written.
enum Writer<'a> {
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
        extent: Extent,
        terminal: bool,
    },
    Annotations {
        structural: bool,
    },
    Text(Box<summary_text::Writer>),
    Markdown(markdown::Writer),
}

fn writer<'a>(options: &'a Summary, environment: &Environment) -> Writer<'a> {
    let (structural, stdout) = (options.structural, environment.stdout);
    let ci = environment.ci || options.common.ci;
    if options.response {
        return Writer::Response {
            terminal: stdout.terminal,
            ci: options.common.ci,
        };
    }
    if !options.github_output.is_empty() {
        return Writer::Outputs {
            keys: &options.github_output,
            structural,
            random: environment.random,
            terminal: stdout.terminal,
        };
    }
    match options.format {
        SummaryFormat::Json => Writer::Json {
            extent: Extent {
                structural,
                records: options.events,
            },
            terminal: stdout.terminal,
        },
        SummaryFormat::Github => Writer::Annotations { structural },
        SummaryFormat::Markdown => Writer::Markdown(markdown::Writer::new(markdown::Manner {
            structural,
            ci,
            max_bytes: options.max_bytes,
        })),
        SummaryFormat::Text => {
            let width = stdout.terminal.then(|| (environment.columns)()).flatten();
            Writer::Text(Box::new(summary_text::Writer::new(summary_text::Manner {
                width,
                color: stdout.color,
                ascii: !environment.utf8,
                ci,
                structural,
            })))
        }
    }
}

impl Consumer for Summing<'_> {
    fn begin(&mut self, name: &str, _: &mut Channels<'_>) {
        let options = self.options;
        let fold = Fold {
            sessions: if self.writer.writes_all_text() {
                Sessions::new(true)
            } else {
                Sessions::keeping_responses()
            },
            keep_records: options.events,
            records: 0,
            faults: Vec::new(),
        };
        let mut summed = Followed::new(name, &options.common, &options.stream, fold);
        summed.notes.structural = options.structural;
        self.summed = Some(summed);
    }

    fn block(&mut self, bytes: &[u8], to: &mut Channels<'_>) -> ControlFlow<()> {
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
        let mut notes = summed.notes;
        notes.explain(&fold.sessions, to);
        notes.left_out(&fold.sessions, to);
        for session in fold.sessions.all_mut() {
            let judge = |limit| judge(session, limit, &notes.source, to);
            let limits = self.options.fail_on.iter().copied();
            let outcome = limits.map(judge).fold(Outcome::Success, Outcome::worse);
            session.limit(match session.noise.broken {
                1.. if self.options.stream.strict => outcome.worse(Outcome::Malformed),
                _ => outcome,
            });
            self.totals.add(session);
        }
        let several = self.options.common.files.len() > 1;
        let source = several.then_some(&*notes.source);
        self.writer.source(source, &fold, &mut to.output);
        notes.outcome(fold.sessions.outcome())
    }

    fn count(&mut self) -> Count {
        let fold = self.summed.as_mut().map(|summed| summed.stream.follower());
        Count {
            number: fold.map_or(0, |fold| fold.records),
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
    fn record(&mut self, agent: Agent, _: Line<'_>, record: Value<'_>, statement: &Statement<'_>) {
        self.sessions.record(agent, statement);
        if record.raw().is_empty() {
            return;
        }
        self.records += 1;
        if self.keep_records {
            self.sessions.keep_record(record);
        }
    }

    fn sessions(&mut self) -> &mut Sessions {
        &mut self.sessions
    }

    fn broken(&mut self, fault: &Fault) {
        self.faults.push(fault.clone());
    }
}

impl Fold {
    /// The JSON of the last session, or of what is known without any. Of outputs that repeat a key the last one wins.
    fn last(&self, structural: bool) -> Vec<u8> {
        let extent = Extent {
            structural,
            records: false,
        };
        let mut json = Vec::new();
        match self.sessions.all().last() {
            Some(session) => ndjson::session_as(session, extent, &mut json),
            None => ndjson::no_session(&self.sessions, extent, &mut json),
        }
        json
    }
}

impl Writer<'_> {
    /// Whether it writes what was said before the responses, too.
    const fn writes_all_text(&self) -> bool {
        matches!(self, Self::Json { .. } | Self::Outputs { .. })
    }

    /// Writes the sessions of a source, which is named where there are several, one after the other: all of them together
    /// may be as large as what was read.
    fn source(&mut self, source: Option<&str>, fold: &Fold, output: &mut Output<'_>) {
        let mut out = Vec::new();
        self.before_sessions(fold, &mut out);
        for session in fold.sessions.all() {
            self.session(session, source, &mut out);
            // What cannot be written is remembered by the output.
            let _ = output.write_all(&out);
            out.clear();
        }
        let _ = output.write_all(&out);
    }

    /// Writes what is no session's.
    fn before_sessions(&mut self, fold: &Fold, out: &mut Vec<u8>) {
        let known = fold.sessions.known_message();
        match (self, known) {
            (Self::Json { extent, terminal }, _) if fold.sessions.all().is_empty() => {
                ndjson::show(*terminal, out, |out| {
                    ndjson::no_session(&fold.sessions, *extent, out);
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
            _ => {}
        }
    }
}

/// What a limit makes of a session that succeeded; says so if that is a failure, or if the limit cannot be judged.
fn judge(session: &Session, limit: FailOn, source: &str, to: &mut Channels<'_>) -> Outcome {
    if session.outcome() != Outcome::Success {
        return Outcome::Success;
    }
    let (message, outcome) = match passed(session, limit) {
        Ok(None) => return Outcome::Success,
        Ok(Some(text)) => {
            let message = Message::error(text).group("passed limits");
            match limit {
                FailOn::Denied => (message, Outcome::Denied),
                _ => (message, Outcome::Mismatch),
            }
        }
        // No failure, but not silently.
        Err(unknown) => {
            let agent = session.agent().name();
            let text = format!(
                "--fail-on: {agent} states no {unknown} here, so that limit was not applied"
            );
            let message = Message::warning(text).group("limits that were not applied");
            (message, Outcome::Success)
        }
    };
    to.diagnostics.report(message.of(source));
    outcome
}

/// In which way a session is beyond a limit, if it is; an error is what would have to be known of it.
fn passed(session: &Session, limit: FailOn) -> Result<Option<String>, &'static str> {
    let tools = session.tools().map(Tools::sum);
    let usage = session.usage();
    let files = session.files().map(|tools| tools.files().len());
    Ok(match limit {
        FailOn::Denied => session.was_denied().then(|| {
            let denied = tools.map_or(0, |tools| tools.denied).max(1);
            format!("denied: {}", noun(denied, "tool call"))
        }),
        FailOn::ToolError => {
            let failed = tools.ok_or("tool errors")?.error;
            (failed > 0).then(|| format!("failed: {}", noun(failed, "tool call")))
        }
        FailOn::NoFiles => match files {
            Some(0) => Some("no file was written".to_owned()),
            Some(_) => None,
            None => Some("no file is known to be written: the input is an envelope".to_owned()),
        },
        FailOn::Empty => session
            .response()
            .is_none_or(|answer| answer.is_blank())
            .then(|| "the response is empty".to_owned()),
        FailOn::Cost(limit) => {
            let cost = usage.cost_usd.ok_or("cost")?;
            (cost > limit).then(|| costs_more(cost, limit))
        }
        FailOn::Tokens(limit) => {
            let total = usage.total.ok_or("token count")?;
            (total > limit).then(|| format!("the run used {total} tokens, more than {limit}"))
        }
    })
}

/// That a run cost more than it may, in as many digits as show it.
fn costs_more(cost: f64, limit: f64) -> String {
    match [cost, limit].map(|dollars| format!("{dollars:.4}")) {
        [cost, limit] if cost != limit => format!("the run cost ${cost}, more than ${limit}"),
        _ => format!("the run cost ${cost}, more than ${limit}"),
    }
}
