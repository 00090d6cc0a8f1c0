//! How many sessions are kept: those that are complete are handed over, or the half with the oldest records is dropped.

use super::{OTHERS, Sessions};
use crate::session::Session;
use jsift_outcome::Outcome;

impl Sessions {
    /// Hands over complete sessions before the end of the stream, so that there may be any number of them: see
    /// [`take_complete`](Self::take_complete).
    #[must_use]
    pub fn handing_over(mut self) -> Self {
        self.hands_over = true;
        self
    }

    /// Removes and returns the sessions that are complete: they have ended, and many others have begun since.
    ///
    /// Their outcomes have to be [counted](Self::count_outcome). A later record of such a session begins another one.
    pub fn take_complete(&mut self) -> Vec<Session> {
        std::mem::take(&mut self.complete)
    }

    /// Counts the outcome of a session that was taken.
    pub fn count_outcome(&mut self, outcome: Outcome) {
        let worst = self.worst_gone.unwrap_or(outcome);
        self.worst_gone = Some(worst.worse(outcome));
    }

    /// Drops the half of the sessions whose last records are oldest, or hands them over.
    pub(super) fn drop_half(&mut self) {
        let mut last: Vec<u64> = self.list.iter().map(|each| each.last.number).collect();
        let middle = last.len() / 2;
        let (_, &mut oldest_kept, _) = last.select_nth_unstable(middle);
        let gone = self.part_with(|session| session.last.number < oldest_kept);
        if self.hands_over {
            return self.hand_over(gone);
        }
        self.dropped += gone.len();
        gone.iter().for_each(|it| self.count_outcome(it.outcome()));
    }

    /// Hands over the sessions that have ended and since whose last record many others have begun.
    pub(super) fn hand_over_ended(&mut self) {
        let begun = self.begun;
        let is_complete = |it: &Session| it.has_ended() && begun - it.last.begun > OTHERS;
        let gone = self.part_with(is_complete);
        self.hand_over(gone);
    }

    fn hand_over(&mut self, mut gone: Vec<Session>) {
        gone.iter_mut().for_each(Session::settle);
        for id in gone.iter().filter_map(|session| session.id.as_ref()) {
            self.complete_ids.is_new(id);
        }
        self.complete.append(&mut gone);
    }

    /// Removes and returns the sessions for which `is_gone` is true.
    fn part_with(&mut self, is_gone: impl Fn(&Session) -> bool) -> Vec<Session> {
        // For each old place in `list`, the new one if the session is kept.
        let mut kept = 0;
        let mut places = Vec::with_capacity(self.list.len());
        for session in &self.list {
            let keeps = !is_gone(session);
            places.push(keeps.then_some(kept));
            kept += usize::from(keeps);
        }
        let place = |at: usize| places.get(at).copied().flatten();
        self.current = self.current.and_then(place);
        for writer in &mut self.writers {
            writer.by_id.retain(|_, at| {
                let moved = place(*at);
                *at = moved.unwrap_or_default();
                moved.is_some()
            });
            writer.current = writer.current.and_then(place);
            let followed = writer.followed.iter();
            writer.followed = followed.filter_map(|at| place(*at)).collect();
        }
        self.list.extract_if(.., |it| is_gone(it)).collect()
    }

    /// Removes and returns all sessions that were not dropped, at the end of the stream. Their outcomes have to be
    /// [counted](Self::count_outcome).
    pub fn take_all(&mut self) -> Vec<Session> {
        std::mem::take(&mut self.list)
    }

    /// Returns all sessions that were not dropped, by value.
    #[must_use]
    pub fn into_all(self) -> Vec<Session> {
        self.list
    }
}
