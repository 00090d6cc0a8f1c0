//! JSON itself: the strict, resumable scanner, values read in place, text with lone surrogates, and the writer that
//! changes only white space. Nothing here knows where text comes from.

pub mod pointer;
pub mod scan;
pub mod text;
pub mod view;
pub mod write;
