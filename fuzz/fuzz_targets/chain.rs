//! Whatever is read: documents are JSON, they lie in the source, and cuts do not matter.
#![cfg_attr(fuzzing, no_main)]

use jsift_fuzz::{cuts, is_json, read};

fn property(input: &[u8]) {
    let (cuts, source) = cuts(input);
    let given = read(source, &[]);
    for (text, origin) in &given.documents {
        assert!(is_json(text), "{}", text.escape_ascii());
        assert!(origin.position.offset + origin.length <= source.len() as u64);
    }
    assert_eq!(read(source, &cuts), given);
}

jsift_fuzz::target!(property);
