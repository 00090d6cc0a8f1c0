//! The dialect of opencode. Not read yet.

use super::{Dialect, Entry, Strength};
use crate::fact::{Fact, Statement};
use crate::json::view::Object;

/// The line in the registry.
pub const ENTRY: Entry = Entry {
    name: "opencode",
    recognise: |_| Strength::No,
    dialect: || Box::new(Opencode),
};

/// Reads opencode's records.
struct Opencode;

impl Dialect for Opencode {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.push(Fact::unknown(record.text("type")));
    }
}
