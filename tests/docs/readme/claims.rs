//! What README.md claims next to its examples.

use super::place::{Place, is_here};
use super::{page, root};
use jsift_agents::dialect::Agent;

/// Returns README.md with its line ends as blanks.
fn readme() -> String {
    page("README.md").replace('\n', " ")
}

#[test]
fn other_readers_stop_as_the_page_says() {
    let readme = readme();
    for (program, script, says) in [
        (
            "jq",
            "jq . $LOG",
            "`jq: parse error: Invalid numeric literal`",
        ),
        (
            "python3",
            "python3 -c 'import json, sys; json.load(sys.stdin)' <$LOG",
            "`Expecting value`",
        ),
        (
            "node",
            "node -e 'JSON.parse(require(\"fs\").readFileSync(0))' <$LOG",
            "`Unexpected token`",
        ),
    ] {
        assert!(readme.contains(says), "{says}");
        if !is_here(program) {
            eprintln!("passed over, since {program} is not here");
            continue;
        }
        let run = Place::new().sh(&format!("LOG=tests/samples/gemini.log\n{script}"));
        let error = says.trim_matches('`').trim_start_matches("jq: ");
        assert!(
            run.code != 0 && run.errors.contains(error),
            "{}",
            run.errors
        );
    }
}

#[test]
fn the_exit_code_says_what_went_wrong_with_the_answer() {
    let says = "here 0; 4 if the log had been cut, 12 if the agent had met its rate limit";
    assert!(readme().contains(says));
    let extract = "jsift extract --payload --quiet";
    for (script, code) in [
        ("tests/samples/gemini.log", 0),
        ("tests/samples/gemini-quota.log", 12),
    ] {
        assert_eq!(Place::new().sh(&format!("{extract} {script}")).code, code);
    }
    let log = std::fs::read_to_string(root().join("tests/samples/gemini.log")).unwrap();
    let lines = log.lines().count();
    for cut in 6..lines {
        let script = format!("head -n {cut} tests/samples/gemini.log | {extract}");
        assert_eq!(Place::new().sh(&script).code, 4, "{cut} of {lines} lines");
    }
}

#[test]
fn agents_are_counted_rightly() {
    let count = format!("The records of {} agents are read", Agent::ALL.len());
    assert!(readme().contains(&count), "{count}");
}

#[test]
fn the_speed_is_that_of_the_page_on_speed() {
    let speed = page("docs/speed.md");
    let row = speed
        .lines()
        .find(|line| line.starts_with("| W2 an agent's event stream |"));
    let cells: Vec<&str> = row.unwrap().split('|').map(str::trim).collect();
    let (own, jq) = (cells[3], cells[cells.len() - 2]);
    let says =
        format!("an agent's event stream takes about {own} the time of `wc -l`; jq takes {jq}.");
    assert!(readme().contains(&says), "{says}");
}
