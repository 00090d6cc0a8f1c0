//! Writers. They are told what they need to know about a terminal, and know no dialect.

pub mod ndjson;
