//! How many calls there were of each tool: those that were seen, or the numbers of an envelope.

use super::{Counts, Tools};
use crate::fact::ToolStatus;
use crate::session::named::Named;
use jsift_json::text::Text;

impl Counts {
    /// Returns the number of calls of that status.
    pub(super) const fn of(&mut self, status: ToolStatus) -> &mut u64 {
        match status {
            ToolStatus::Success => &mut self.success,
            ToolStatus::Error => &mut self.error,
            ToolStatus::Denied => &mut self.denied,
        }
    }

    /// Counts a result, with the duration of its call in milliseconds.
    pub(super) fn add(&mut self, status: ToolStatus, duration_ms: Option<u64>) {
        *self.of(status) += 1;
        if let Some(ms) = duration_ms {
            self.duration_ms = Some(self.duration_ms.unwrap_or(0).saturating_add(ms));
        }
    }

    /// Returns the number of calls that failed or were denied.
    #[must_use]
    pub const fn failed(&self) -> u64 {
        self.error + self.denied
    }

    /// Returns whether there were calls, and none of them succeeded.
    #[must_use]
    pub const fn have_all_failed(&self) -> bool {
        self.calls > 0 && self.failed() == self.calls
    }

    /// Returns the sum of both counts, without their durations.
    #[must_use]
    pub const fn plus(self, other: &Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            success: self.success.saturating_add(other.success),
            error: self.error.saturating_add(other.error),
            denied: self.denied.saturating_add(other.denied),
            duration_ms: None,
        }
    }
}

impl Tools {
    /// Adds the numbers that an envelope states for a tool.
    pub fn totals(&mut self, tool: &Text<'_>, totals: Counts) {
        *self.totals.entry(tool) = totals;
    }

    /// Returns whether an envelope counted the calls, even if it only said that there were none.
    #[must_use]
    pub const fn has_totals(&self) -> bool {
        !self.totals.is_empty()
    }

    /// Returns the counts of the calls of that tool, or of those whose tool is unknown.
    pub(super) fn counts_of(&mut self, tool: &Text<'_>) -> &mut Counts {
        match tool.is_empty() {
            true => &mut self.unnamed,
            false => self.by_name.entry(tool),
        }
    }

    /// Counts a call of that tool, and returns the tool's name, which all its calls share.
    pub(super) fn count_call(&mut self, tool: &Text<'_>) -> Text<'static> {
        if tool.is_empty() {
            self.unnamed.calls += 1;
            return Text::EMPTY;
        }
        let (name, counts) = self.by_name.named_entry(tool);
        counts.calls += 1;
        match *name == *tool {
            true => name.clone(),
            false => tool.to_shared(),
        }
    }

    /// Returns the counts of each tool: of the calls that were seen, or else the numbers of an envelope. Calls whose
    /// tool is unknown are left out.
    #[must_use]
    pub fn by_name(&self) -> Named<Counts> {
        let seen = self.by_name.iter().map(|(_, counts)| counts);
        let mut seen = seen.chain([&self.unnamed]);
        if self.has_totals() && seen.all(|counts| counts.calls == counts.denied) {
            return self.totals_with_denials();
        }
        let mut by_name = self.by_name.clone();
        for (name, totals) in self.totals.iter() {
            if let Some(counts) = by_name.get_mut(name) {
                counts.duration_ms = counts.duration_ms.or(totals.duration_ms);
            }
        }
        by_name
    }

    /// Returns the counts of all tools together, also of those that are unknown.
    #[must_use]
    pub fn sum(&self) -> Counts {
        let by_name = self.by_name();
        let named = by_name.iter().map(|(_, counts)| counts);
        let all = named.chain([&self.unnamed]);
        all.fold(Counts::default(), Counts::plus)
    }

    /// Returns the numbers of an envelope, with the denials that it lists next to them.
    fn totals_with_denials(&self) -> Named<Counts> {
        let mut totals = self.totals.clone();
        for (name, listed) in self.by_name.iter() {
            let counts = totals.entry(name);
            let more = listed.denied.saturating_sub(counts.denied);
            counts.denied += more;
            counts.error = counts.error.saturating_sub(more);
            counts.calls = counts.calls.max(counts.denied);
        }
        totals
    }
}
