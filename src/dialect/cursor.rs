//! The dialect of cursor. Not read yet.

use super::{Dialect, Entry, Strength};
use crate::fact::{Fact, Statement};
use crate::json::view::Object;

/// The line in the registry.
pub const ENTRY: Entry = Entry {
    name: "cursor",
    recognise: |_| Strength::No,
    dialect: || Box::new(Cursor),
};

/// Reads cursor's records.
struct Cursor;

impl Dialect for Cursor {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.push(Fact::unknown(record.text("type")));
    }
}
