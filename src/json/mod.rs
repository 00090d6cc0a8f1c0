//! JSON itself: the strict, resumable scanner, values read in place, text with lone surrogates, and the writer that
//! changes only white space. Nothing here knows where text comes from.

pub mod joined;
pub mod lines;
pub mod pointer;
mod quotes;
pub mod scan;
mod string;
pub(crate) mod tape;
pub mod text;
pub mod view;
pub mod write;
