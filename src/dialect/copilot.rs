//! The dialect of copilot. Not read yet.

use super::{Dialect, Entry, Strength};
use crate::fact::{Fact, Statement};
use crate::json::view::Object;

/// The line in the registry.
pub const ENTRY: Entry = Entry {
    name: "copilot",
    recognise: |_| Strength::No,
    dialect: || Box::new(Copilot),
};

/// Reads copilot's records.
struct Copilot;

impl Dialect for Copilot {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.push(Fact::unknown(record.text("type")));
    }
}
