//! Agent files where they are not read: there are none.

use std::sync::Arc;

use crate::dialect::prelude::*;

/// An agent that a file describes.
#[derive(Debug)]
pub enum AgentFile {}

impl AgentFile {
    pub(in crate::dialect) fn dialect(self: &Arc<Self>) -> Box<dyn Dialect> {
        match **self {}
    }

    pub(in crate::dialect) const fn rule_of(&self, _: &Object<'_>) -> Option<usize> {
        match *self {}
    }
}
