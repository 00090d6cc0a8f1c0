//! The dialect of kimi. Not read yet.

use super::{Dialect, Entry, Strength};
use crate::fact::{Fact, Statement};
use crate::json::view::Object;

/// The line in the registry.
pub const ENTRY: Entry = Entry {
    name: "kimi",
    recognise: |_| Strength::No,
    dialect: || Box::new(Kimi),
};

/// Reads kimi's records.
struct Kimi;

impl Dialect for Kimi {
    fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        out.push(Fact::unknown(record.text("type")));
    }
}
