//! What the dialects are written with: the shapes of records, the facts that they state, the usual names, and the JSON
//! that they read.

pub(super) use super::names::{NameList, has_word, names, words};
pub(super) use super::shape::{RecordShape, believed, certain, doubtful, fits, likely, never};
pub(super) use super::usual::{Writer, Writers};
pub(super) use super::{Dialect, Entry, blocks, class, entry, lines, patch, usual};
pub(super) use crate::fact::{
    Call, Channel, Code, Counts, Denial, End, EndScope, Fact, Form, LineCounts, Message, Operation,
    Problem, Scope, Start, Statement, Tokens, ToolResult, ToolStatus, User, Write,
};
pub(super) use jsift_json::text::Text;
pub(super) use jsift_json::view::{Kind, Object, Value};
pub(super) use jsift_outcome::Outcome;
