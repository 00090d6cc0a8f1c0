//! What a repair gives is JSON, and it says where it came from.
#![cfg_attr(fuzzing, no_main)]

use jsift::find::repair::{Limits, repair};
use jsift_fuzz::is_json;

fn property(input: &[u8]) {
    if let Some(repaired) = repair(input, &Limits::default()) {
        assert!(is_json(&repaired.text), "{}", repaired.text.escape_ascii());
        assert!(repaired.start <= repaired.end && repaired.end <= input.len());
    }
}

jsift_fuzz::target!(property);
