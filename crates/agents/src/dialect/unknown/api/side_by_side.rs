//! Responses that are streamed side by side: each part belongs to the one that has its id.

use super::{Api, Part};
use crate::dialect::prelude::*;
use crate::session::recent::push_latest;

/// How many responses may be streamed side by side.
pub(super) const OPEN_RESPONSES: usize = 16;

impl Api {
    /// Goes on with the response that a part belongs to, if that is one of the others.
    pub(super) fn select_response(&mut self, part: &Part<'_>) {
        let is_of = |one: &Self| one.has_id_of(part) && (one.open || one.is_count(part));
        if part.id.is_none() || is_of(self) {
            return;
        }
        if let Some(at) = self.others.iter().position(is_of) {
            let other = self.others.remove(at);
            self.go_on_with(other);
        }
    }

    /// Goes on with another response.
    pub(super) fn go_on_with(&mut self, other: Self) {
        let (others, begun) = (std::mem::take(&mut self.others), self.begun);
        let before = std::mem::replace(
            self,
            Self {
                others,
                begun,
                ..other
            },
        );
        if before.id().is_some() {
            push_latest(&mut self.others, before, OPEN_RESPONSES);
        }
    }

    /// Returns the id of the response, if its parts state one.
    pub(super) fn id(&self) -> Option<&Text<'static>> {
        self.last.as_ref()?.1.as_ref()
    }

    /// Returns the id of the response, if others have come between its parts.
    pub(super) fn apart(&self) -> Option<Text<'static>> {
        let id = self.id().filter(|_| !self.others.is_empty());
        id.cloned()
    }
}
