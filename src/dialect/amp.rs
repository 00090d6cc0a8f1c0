//! The dialect of amp. Not read yet.

use super::{Dialect, Entry, Strength};
use crate::fact::{Fact, Statement};
use crate::json::view::Object;

/// The line in the registry.
pub const ENTRY: Entry = Entry {
    name: "amp",
    recognise: |_| Strength::No,
    dialect: || Box::new(Amp),
};

/// Reads amp's records.
struct Amp;

impl Dialect for Amp {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.push(Fact::unknown(record.text("type")));
    }
}
