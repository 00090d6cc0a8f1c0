//! A layout changes nothing but white space between tokens.
#![cfg_attr(fuzzing, no_main)]

use jsift::json::write::{Layout, minify, write};
use jsift_fuzz::is_json;

fn property(input: &[u8]) {
    let Some((&indent, text)) = input.split_first() else {
        return;
    };
    if !is_json(text) {
        return;
    }
    let mut out = Vec::new();
    write(&mut out, text, Layout::Pretty(indent % 9), false).expect("memory takes it");
    assert!(is_json(&out), "{}", out.escape_ascii());
    assert_eq!(minify(&out), minify(text));
}

jsift_fuzz::target!(property);
