//! Stage `repair`.

use jsift_find::finder::FindOptions;
use jsift_find::finder::repair::Repairs;

use super::{is_json, shown};

/// What is repaired is JSON, stands in the source, says what was changed, and needs no other repair.
pub fn property(data: &[u8]) {
    let options = FindOptions::default();
    for repaired in Repairs::of_text(data, &options).documents() {
        let text = shown(&repaired.text);
        assert!(is_json(&repaired.text), "{text}");
        assert!(!repaired.changes().is_empty(), "{text}");
        let end = repaired.position.offset + repaired.length;
        assert!(end <= data.len() as u64, "{text}");
        let again = Repairs::of_text(&repaired.text, &options);
        assert!(again.documents().is_empty(), "{text}");
    }
}
