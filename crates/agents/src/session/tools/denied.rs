//! Counts of calls that were not permitted: a denial may come before or after the result of its call, without an id, or
//! without the call.

use super::{Settled, Tools};
use crate::fact::{Call, Denial, ToolStatus};
use crate::hashes::TextHash;
use crate::session::speech::in_turn;
use jsift_json::text::Text;

impl Tools {
    /// Notes that a call of that tool was denied, before or after its result. Returns what is known of the call if it
    /// counted as failed until now.
    pub fn deny(&mut self, denial: &Denial<'_>, turn: u64, next: u64) -> Option<Settled> {
        let Denial { id, tool } = denial;
        if id.is_empty() {
            self.deny_any(tool);
            return None;
        }
        let hash = TextHash::of(id.as_bytes());
        let in_turn = in_turn(hash, id, turn);
        if let Some(settled) = self.settled.get_mut(in_turn) {
            let failed = settled.status == ToolStatus::Error;
            return failed.then(|| self.resettle(in_turn, ToolStatus::Denied))?;
        }
        if !self.pending.contains(hash) {
            let call = Call::writing(id.clone(), tool.clone(), Text::EMPTY, Vec::new());
            let _ = self.call(&call, turn, next);
        }
        let pending = self.pending.get_mut(hash)?;
        if !std::mem::replace(&mut pending.denied, true) {
            let name = pending.name.clone();
            self.counts_of(&name).denied += 1;
        }
        None
    }

    /// Counts a denied call of that tool whose record does not say which one it was: one that is known to have been
    /// denied and is not counted yet, one that failed, one without a result, or one that was not seen.
    fn deny_any(&mut self, tool: &Text<'_>) {
        let reported = self.denied.entry(tool);
        *reported += 1;
        let reported = *reported;
        let counts = self.counts_of(tool);
        if counts.denied >= reported {
            return;
        }
        let settled = counts.success + counts.error + counts.denied;
        match counts.error.checked_sub(1) {
            Some(error) => counts.error = error,
            None if counts.calls <= settled => counts.calls += 1,
            None => {}
        }
        counts.denied += 1;
    }
}
