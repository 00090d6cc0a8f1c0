//! The notice on a terminal that nothing is printed yet: one document is printed at the end of the input, which stays
//! open.

use std::time::Duration;

use crate::command::run::environment::Environment;
use crate::command::run::source::Channels;
use jsift_agents::figures::noun;

/// How long the input stays open after a document was found until the notice appears.
const DELAY: Duration = Duration::from_secs(3);

/// The state for one source of which one document is printed.
pub(super) struct WaitingNotice<'f> {
    environment: &'f Environment,
    picks: bool,
    /// When a read waited for the first time after a document was found, since the start of the run.
    since: Option<Duration>,
    shown: bool,
}

impl<'f> WaitingNotice<'f> {
    /// `picks` says that the document is picked explicitly.
    pub(super) const fn new(environment: &'f Environment, picks: bool) -> Self {
        Self {
            environment,
            picks,
            since: None,
            shown: false,
        }
    }

    /// Shows the line if it is time to, while a read waits. Returns the time after which to call this again.
    pub(super) fn waits(&mut self, documents: u64, to: &mut Channels<'_>) -> Option<Duration> {
        if documents == 0 || self.shown {
            return None;
        }
        let columns = self.environment.status_columns.as_ref()?;
        let now = (self.environment.clock)();
        let since = *self.since.get_or_insert(now);
        if let Some(left) = DELAY
            .checked_sub(now - since)
            .filter(|left| !left.is_zero())
        {
            return Some(left);
        }
        // Another job may be in the foreground, and this one may be again later.
        let Some(columns) = columns() else {
            return Some(DELAY);
        };
        if let Some(line) = line(documents, self.picks, columns) {
            to.diagnostics.show_status(&line);
        }
        self.shown = true;
        None
    }
}

/// Returns the longest form of the line that fits into this many columns.
fn line(documents: u64, picks: bool, columns: usize) -> Option<String> {
    let found = noun(documents, "document") + " found";
    let (sooner, see) = match picks {
        true => ("--all prints each at once", "see --all"),
        false => (
            "--all prints each at once, --pick first as soon as it is decided",
            "see --all, --pick first",
        ),
    };
    let forms = [
        format!("jsift: {found}; one is printed at the end of the input; {sooner}"),
        format!("jsift: {found}; waiting for the end of input ({see})"),
        format!("jsift: {found}; waiting for the end ({see})"),
        "jsift: waiting for the end (see --all)".to_owned(),
    ];
    forms.into_iter().find(|form| form.len() < columns)
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn the_line_fits_the_terminal() {
        for columns in [200, 80, 60, 40] {
            for picks in [true, false] {
                let line = line(1_000_000, picks, columns).unwrap();
                assert!(line.len() < columns, "{line}");
                assert_eq!(line.contains("--pick"), !picks && columns >= 80, "{line}");
            }
        }
        assert_eq!(line(1, false, 20), None);
    }
}
