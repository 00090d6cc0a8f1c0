//! What becomes of documents that were found: which one is chosen, which ones pass, what is done to them before they are
//! written, and how a run ends that has found so much.
//!
//! The finder knows nothing of this room, and this room knows no dialect.

pub mod choice;
pub mod expected;
pub mod filter;
pub(crate) mod judgement;
pub(crate) mod repairing;
#[cfg(feature = "cli")]
pub mod rewrite;
pub(crate) mod scalars;
#[cfg(feature = "schema")]
pub mod schema;
#[cfg(not(feature = "schema"))]
#[path = "no_schema.rs"]
pub mod schema;
