//! Structured logs, requests, exports, schemas, manifests and trajectories are no agent's.

use std::fs;
use std::path::Path;

use jsift_agents::dialect::reader::RecordReader;
use jsift_outcome::Outcome;

use super::told;

#[test]
fn what_is_no_agents_opens_no_session() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/decoys");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let (agent, outcome, _) = told(&text, RecordReader::new());
        assert_eq!(
            (agent, outcome),
            (None, Outcome::None),
            "{}",
            path.display()
        );
        count += 1;
    }
    assert!(count > 20);
}
