//! The dialect of goose. Not read yet.

use super::{Dialect, Entry, Strength};
use crate::fact::{Fact, Statement};
use crate::json::view::Object;

/// The line in the registry.
pub const ENTRY: Entry = Entry {
    name: "goose",
    recognise: |_| Strength::No,
    dialect: || Box::new(Goose),
};

/// Reads goose's records.
struct Goose;

impl Dialect for Goose {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.push(Fact::unknown(record.text("type")));
    }
}
