//! The dialect of claude. Not read yet.

use super::{Dialect, Entry, Strength};
use crate::fact::{Fact, Statement};
use crate::json::view::Object;

/// The line in the registry.
pub const ENTRY: Entry = Entry {
    name: "claude",
    recognise: |_| Strength::No,
    dialect: || Box::new(Claude),
};

/// Reads claude's records.
struct Claude;

impl Dialect for Claude {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.push(Fact::unknown(record.text("type")));
    }
}
