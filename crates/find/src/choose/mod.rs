//! What happens to the documents found: which one is chosen, which ones pass, how they are changed before they are
//! written, and how a run with these findings ends.
//!
//! The finder does not depend on this module, and this module depends on no dialect.

pub mod choice;
pub mod expected;
pub mod filter;
pub mod pick;
pub mod refused;
pub mod repairing;
#[cfg(feature = "cli")]
pub mod rewrite;
pub mod scalars;
#[cfg(feature = "schema")]
pub mod schema;
#[cfg(not(feature = "schema"))]
#[path = "no_schema.rs"]
pub mod schema;
pub mod tally;
pub mod verdict;
