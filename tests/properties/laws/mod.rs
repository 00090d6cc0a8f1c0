//! The laws, one file for each kind.

mod agreement;
mod colours;
mod definition;
mod early;
mod equivalence;
mod invariants;
mod library;
mod limits;
mod models;
mod reached;
mod repair;
mod seeds;
