//! Writers: documents, events and sessions in, bytes out. A sink is told what it writes to and never asks; it knows no
//! dialect.

pub mod ndjson;
pub mod sanitize;
