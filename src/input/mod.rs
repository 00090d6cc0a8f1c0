//! Where bytes come from: the first room in the way of the data. Nothing here knows JSON.

pub mod terminal;
