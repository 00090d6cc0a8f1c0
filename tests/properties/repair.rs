//! Stage `repair`.

use jsift_find::finder::repair::repair;

use super::{is_json, shown};

/// What is repaired is JSON, stands in the source, and needs no other repair.
pub fn property(data: &[u8]) {
    let Some(repaired) = repair(data) else {
        return;
    };
    assert!(is_json(&repaired.text), "{}", shown(&repaired.text));
    assert!(repaired.start <= repaired.end && repaired.end <= data.len());
    let again = repair(&repaired.text);
    let again = again.map(|again| (shown(&again.text), again.changes));
    assert_eq!(again, Some((shown(&repaired.text), Vec::new())));
}
