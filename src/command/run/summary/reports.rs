//! The reports of a run: the one on the output, and those in the files of `--report`. All of them are made from the
//! same sessions.

use std::borrow::Cow;
use std::io::Write as _;

use anyhow::Context as _;

use super::Fold;
use crate::command::cli::Summary;
use crate::command::cli::value::{FailOn, SummaryFormat};
use crate::command::output::Output;
use crate::command::run::environment::{Environment, OutputStream};
use jsift_agents::session::{Kept, Session, Sessions};
use jsift_json::text::Text;
use jsift_outcome::Outcome;
use jsift_sink::diagnostic::{Diagnostic, Diagnostics};
#[cfg(feature = "html")]
use jsift_sink::html::{Courses, PageWriter};
use jsift_sink::markdown::MarkdownWriter;
use jsift_sink::ndjson::SessionExtent;
use jsift_sink::report::{ReportOptions, Totals};
use jsift_sink::response::response;
use jsift_sink::sanitize::sanitize;
use jsift_sink::session_table::TableWriter;
use jsift_sink::summary_text::SummaryWriter;
use jsift_sink::{github, ndjson};

/// The reports of a run.
pub(super) struct Reports<'a> {
    options: &'a Summary,
    on_output: Report,
    files: Vec<(Report, Output<'static>)>,
    totals: Totals,
    /// An unpredictable number, if a report needs one.
    random: u128,
    /// The memory for the text of the next session.
    text: Vec<u8>,
}

/// A report that is being written.
struct Report {
    form: ReportForm,
    /// Whether a terminal shows the report.
    terminal: bool,
}

/// The report's form.
enum ReportForm {
    Response,
    Outputs(WorstSession),
    Json,
    Annotations,
    Text(Box<SummaryWriter>),
    Table(Box<TableWriter>),
    Markdown(Box<MarkdownWriter>),
    #[cfg(feature = "html")]
    Html(Box<PageWriter>),
}

/// The JSON of the session that decides the exit code, the last of equal ones: of an output that is stated twice,
/// GitHub keeps one, and a success must not hide a failure.
#[derive(Default)]
struct WorstSession {
    outcome: Option<Outcome>,
    json: Vec<u8>,
}

impl WorstSession {
    /// Takes a session of this outcome, whose JSON `write` writes, in place of one that ended better or alike.
    fn offer(&mut self, outcome: Outcome, write: impl FnOnce(&mut Vec<u8>)) {
        if self
            .outcome
            .is_none_or(|worst| worst.worse(outcome) == outcome)
        {
            self.outcome = Some(outcome);
            self.json.clear();
            write(&mut self.json);
        }
    }
}

impl<'a> Reports<'a> {
    /// Opens the reports that the options ask for.
    pub(super) fn open(options: &'a Summary, environment: &Environment) -> anyhow::Result<Self> {
        let files = options.report.iter().map(|report| {
            let output = crate::command::run::open_file(&report.path)?;
            let stream = OutputStream {
                terminal: output.is_device(),
                ..OutputStream::default()
            };
            let form = form(report.format, options, environment, stream);
            let terminal = stream.terminal;
            Ok((Report { form, terminal }, output))
        });
        let stdout = environment.stdout;
        let form = match options.format {
            _ if options.response => ReportForm::Response,
            _ if !options.github_output.is_empty() => ReportForm::Outputs(WorstSession::default()),
            format => form(format, options, environment, stdout),
        };
        let random = match form {
            ReportForm::Outputs(_) => (environment.random)()
                .with_context(|| Diagnostic::error("cannot make a random delimiter"))?,
            _ => 0,
        };
        Ok(Self {
            options,
            on_output: Report {
                form,
                terminal: stdout.terminal,
            },
            files: files.collect::<anyhow::Result<_>>()?,
            totals: Totals::default(),
            text: Vec::new(),
            random,
        })
    }

    fn forms(&self) -> impl Iterator<Item = &ReportForm> {
        let files = self.files.iter().map(|(report, _)| &report.form);
        std::iter::once(&self.on_output.form).chain(files)
    }

    /// Returns the state before the first session of a source, keeping what the reports need.
    pub(super) fn sessions(&self) -> Sessions {
        let structural = self.options.structural;
        let all = |form: &ReportForm| {
            !structural && matches!(form, ReportForm::Json | ReportForm::Outputs(_))
        };
        let empty = self.options.fail_on.contains(&FailOn::Empty);
        let responds =
            |form: &ReportForm| !matches!(form, ReportForm::Table(_) | ReportForm::Annotations);
        let sessions = match () {
            // These have more of the agent's text than the responses.
            () if self.forms().any(all) => Sessions::new(Kept::Text),
            () if empty || self.forms().any(responds) => Sessions::new(Kept::Responses),
            () => Sessions::new(Kept::Figures),
        };
        match self.holds_all() {
            true => sessions,
            false => sessions.handing_over(),
        }
    }

    /// Returns whether a report needs all sessions of a source at its end.
    fn holds_all(&self) -> bool {
        #[cfg(feature = "html")]
        return self.forms().any(|form| matches!(form, ReportForm::Html(_)));
        #[cfg(not(feature = "html"))]
        false
    }

    /// Returns the collector for the courses of the sessions of a source, if a report shows them.
    #[cfg(feature = "html")]
    pub(super) fn courses(&self) -> Option<Courses> {
        self.forms().find_map(|form| match form {
            ReportForm::Html(writer) => Some(writer.courses()),
            _ => None,
        })
    }

    /// Writes a session; `source` is the name of its source if there are several. Each is written separately, since all
    /// of them together may be as large as the input.
    pub(super) fn session(
        &mut self,
        session: &Session,
        source: Option<&str>,
        fold: &mut Fold,
        output: &mut Output<'_>,
    ) {
        if self.forms().any(ReportForm::ends_with_totals) {
            self.totals.add(session);
        }
        let options = self.options;
        self.write(output, |report, out| {
            report.session(options, session, source, fold, out);
        });
    }

    /// Writes what `add` adds to each report.
    fn write(&mut self, output: &mut Output<'_>, mut add: impl FnMut(&mut Report, &mut Vec<u8>)) {
        let Self { text, .. } = self;
        let mut write = |report: &mut Report, output: &mut Output<'_>| {
            text.clear();
            add(report, text);
            // The outputs remember write errors.
            let _ = output.write_all(text);
        };
        write(&mut self.on_output, output);
        for (report, file) in &mut self.files {
            write(report, file);
        }
    }

    /// Writes what belongs to a source and to none of its sessions, at its end.
    pub(super) fn source(
        &mut self,
        source: Option<&str>,
        sessions: &Sessions,
        output: &mut Output<'_>,
    ) {
        if let Some(end) = sessions.without_session() {
            self.totals.add_no_session(end);
        }
        let options = self.options;
        self.write(output, |report, out| {
            report.source(options, source, sessions, out);
        });
    }

    /// Ends the reports.
    pub(super) fn finish(&mut self, output: &mut Output<'_>) {
        let totals = std::mem::take(&mut self.totals);
        let (options, random) = (self.options, self.random);
        self.write(output, |report, out| {
            report.finish(options, &totals, random, out);
        });
    }

    /// Puts the files in their places, or says that they are left untouched.
    pub(super) fn commit(
        self,
        outcome: Outcome,
        environment: &Environment,
        diagnostics: &mut Diagnostics<'_>,
    ) -> anyhow::Result<()> {
        let complete = super::is_complete(outcome);
        for (_, output) in self.files {
            crate::command::run::commit(output, outcome, complete, environment, diagnostics)?;
        }
        Ok(())
    }
}

/// Returns the report of a format for an output with these properties, before its first session.
fn form(
    format: SummaryFormat,
    options: &Summary,
    environment: &Environment,
    stream: OutputStream,
) -> ReportForm {
    let options = ReportOptions {
        width: stream.terminal.then(|| (environment.columns)()).flatten(),
        color: stream.color,
        ascii: !environment.utf8,
        // No runner reads a page.
        ci: options.common.ci || environment.ci && !format.is_page(),
        structural: options.structural,
        max_bytes: options.max_bytes,
    };
    match format {
        SummaryFormat::Json => ReportForm::Json,
        SummaryFormat::Github => ReportForm::Annotations,
        SummaryFormat::Markdown => ReportForm::Markdown(Box::new(MarkdownWriter::new(options))),
        #[cfg(feature = "html")]
        SummaryFormat::Html => ReportForm::Html(Box::new(PageWriter::new(options))),
        SummaryFormat::Text => ReportForm::Text(Box::new(SummaryWriter::new(options))),
        SummaryFormat::Table => ReportForm::Table(Box::new(TableWriter::new(options))),
    }
}

impl ReportForm {
    /// Whether the totals of all sessions stand at the end: they are made for these forms only.
    const fn ends_with_totals(&self) -> bool {
        !matches!(
            self,
            Self::Response | Self::Outputs(_) | Self::Json | Self::Annotations
        )
    }
}

impl Report {
    #[cfg_attr(
        not(feature = "html"),
        expect(unused_variables, reason = "only a page has courses")
    )]
    fn session(
        &mut self,
        options: &Summary,
        session: &Session,
        source: Option<&str>,
        fold: &mut Fold,
        out: &mut Vec<u8>,
    ) {
        let terminal = self.terminal;
        let name = name(session, source);
        let name = name.as_deref();
        match &mut self.form {
            ReportForm::Outputs(worst) => worst.offer(session.outcome(), |out| {
                ndjson::session(session, outputs(options), out);
            }),
            ReportForm::Response => {
                let answer = session.response().unwrap_or_default();
                response(&answer, terminal, options.common.ci, out);
            }
            ReportForm::Json => ndjson::show(terminal, out, |out| {
                ndjson::session(session, extent(options, source), out);
            }),
            ReportForm::Annotations => {
                github::annotations(session, options.structural, name, out);
            }
            ReportForm::Text(writer) => writer.session(session, name, out),
            ReportForm::Table(writer) => writer.session(session, name, out),
            ReportForm::Markdown(writer) => writer.session(session, name, out),
            #[cfg(feature = "html")]
            ReportForm::Html(writer) => {
                let course = fold.courses.as_mut().map(|courses| courses.take(session));
                writer.session(session, course.unwrap_or_default(), name);
            }
        }
    }

    /// Writes what belongs to a source and to none of its sessions.
    fn source(
        &mut self,
        options: &Summary,
        source: Option<&str>,
        sessions: &Sessions,
        out: &mut Vec<u8>,
    ) {
        let terminal = self.terminal;
        match (&mut self.form, sessions.without_session()) {
            (ReportForm::Json, _) if !sessions.has_begun() => {
                ndjson::show(terminal, out, |out| {
                    ndjson::no_session(sessions, extent(options, source), out);
                });
            }
            (ReportForm::Outputs(worst), Some(end)) => worst.offer(end.outcome, |out| {
                ndjson::no_session(sessions, outputs(options), out);
            }),
            (ReportForm::Annotations, Some(end)) => github::no_session(end, source, out),
            (ReportForm::Table(writer), Some(end)) => writer.no_session(end, source, out),
            (ReportForm::Text(writer), Some(end)) => writer.no_session(end, source, out),
            (ReportForm::Markdown(writer), Some(end)) => writer.no_session(end, source, out),
            #[cfg(feature = "html")]
            (ReportForm::Html(writer), Some(end)) => writer.no_session(end, source),
            _ => {}
        }
    }

    fn finish(&mut self, options: &Summary, totals: &Totals, random: u128, out: &mut Vec<u8>) {
        match &mut self.form {
            ReportForm::Outputs(worst) => {
                let (mut blocks, keys) = (Vec::new(), &options.github_output);
                github::outputs(&worst.json, keys, random, &mut blocks);
                let blocks = String::from_utf8_lossy(&blocks);
                out.extend_from_slice(sanitize(&blocks, self.terminal, false).as_bytes());
            }
            ReportForm::Text(writer) => writer.finish(totals, out),
            ReportForm::Table(writer) => writer.finish(totals, out),
            ReportForm::Markdown(writer) => writer.finish(totals, out),
            #[cfg(feature = "html")]
            ReportForm::Html(writer) => writer.finish(totals, out),
            _ => {}
        }
    }
}

const fn extent<'s>(options: &Summary, source: Option<&'s str>) -> SessionExtent<'s> {
    SessionExtent {
        source,
        structural: options.structural,
        records: options.events,
    }
}

/// Returns what `--github-output` writes of a session: its keys are named one by one.
const fn outputs(options: &Summary) -> SessionExtent<'static> {
    SessionExtent {
        structural: false,
        ..extent(options, None)
    }
}

/// Returns the name of a session's source: its file if there are several, its prefix if sources are distinguished by
/// their prefixes.
fn name<'n>(session: &Session, source: Option<&'n str>) -> Option<Cow<'n, str>> {
    let Some(prefix) = session.prefix.as_ref().map(Text::to_string_lossy) else {
        return source.map(Cow::from);
    };
    Some(match source {
        Some(source) => format!("{source}: {prefix}").into(),
        None => prefix.into_owned().into(),
    })
}
