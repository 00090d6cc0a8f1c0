//! Structured logs, requests, exports, schemas, manifests and trajectories are no agent's.

use std::fs;
use std::path::Path;

use jsift_outcome::Outcome;

use super::reported;

#[test]
fn what_is_no_agents_opens_no_session() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/decoys");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let (agent, outcome, _) = reported(&text);
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

/// Package manifests, answers of APIs, configuration, test reports, and what models answer about runs: an object that
/// is all there is, is an envelope only if it states an answer or a failure of a run.
#[test]
fn a_single_object_that_is_no_envelope_opens_no_session() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/single-objects.jsonl");
    let objects = fs::read_to_string(path).unwrap();
    let mut count = 0;
    for object in objects.lines() {
        let spread = object.replacen('{', "{\n  ", 1);
        let twice = format!("{object}\n{object}\n");
        for text in [object, &spread, &format!("starting up\n{object}\n"), &twice] {
            let (agent, outcome, _) = reported(text);
            assert_eq!((agent, outcome), (None, Outcome::None), "{text}");
        }
        count += 1;
    }
    assert!(count > 200);
}
