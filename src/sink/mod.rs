//! Writers. They are told what they need to know about a terminal, and know no dialect.

pub mod ndjson;
//! Writers: documents, events and sessions in, bytes out. A sink is told what it writes to and never asks; it knows no
//! dialect.

pub mod sanitize;
