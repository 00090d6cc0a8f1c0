//! The dialect of qwen. Not read yet.

use super::{Dialect, Entry, Strength};
use crate::fact::{Fact, Statement};
use crate::json::view::Object;

/// The line in the registry.
pub const ENTRY: Entry = Entry {
    name: "qwen",
    recognise: |_| Strength::No,
    dialect: || Box::new(Qwen),
};

/// Reads qwen's records.
struct Qwen;

impl Dialect for Qwen {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.push(Fact::unknown(record.text("type")));
    }
}
