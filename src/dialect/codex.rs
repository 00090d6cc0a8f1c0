//! The dialect of codex. Not read yet.

use super::{Dialect, Entry, Strength};
use crate::fact::{Fact, Statement};
use crate::json::view::Object;

/// The line in the registry.
pub const ENTRY: Entry = Entry {
    name: "codex",
    recognise: |_| Strength::No,
    dialect: || Box::new(Codex),
};

/// Reads codex's records.
struct Codex;

impl Dialect for Codex {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.push(Fact::unknown(record.text("type")));
    }
}
