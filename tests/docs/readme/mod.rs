//! Runs what README.md, the pages in `docs` and the manual pages tell to run.
//!
//! A block of shell code in a page has to succeed without a word on standard error; if a block of text follows, it
//! has to print that. The examples of the manual pages have to succeed. Agents are played by recordings
//! (`agents.sh`); examples that need a program which is not on this machine are passed over, and named.
//! `JSIFT_REFRESH=1 cargo test --test docs` writes what was printed into the pages; then look at `git diff`.

mod blocks;
mod claims;
mod place;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use place::{AGENTS, Place, Run, is_here};

/// Programs that an example may need and a machine may lack.
const NEEDED: [&str; 2] = ["jq", "parallel"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The pages whose code is run.
const PAGES: [&str; 3] = ["README.md", "docs/commands.md", "docs/recipes.md"];

fn page(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// The lines of a script that can be run here: all but those that need a program that is not there.
fn runnable(script: &str) -> String {
    let missing = |line: &str| {
        let words = || line.split(|c: char| !c.is_ascii_alphanumeric());
        NEEDED
            .into_iter()
            .find(|name| words().any(|word| word == *name) && !is_here(name))
    };
    let mut kept = String::new();
    for line in script.lines() {
        match missing(line) {
            Some(name) => eprintln!("passed over, since {name} is not here: {line}"),
            None => writeln!(kept, "{line}").unwrap(),
        }
    }
    kept
}

/// The code blocks of this language in all pages.
fn of_language(language: &str) -> Vec<String> {
    let mut found = Vec::new();
    for page in PAGES.map(page) {
        let blocks = blocks::of(&page).filter(|block| block.language == language);
        found.extend(blocks.map(|block| block.text.to_owned()));
    }
    found
}

/// The code block of this language in the pages.
fn only(language: &str) -> String {
    let [block] = of_language(language).try_into().unwrap();
    block
}

#[test]
fn shell_code_in_the_pages_prints_what_they_say() {
    PAGES.into_iter().for_each(prints_what_it_says);
}

fn prints_what_it_says(name: &str) {
    let page = page(name);
    let (mut failures, mut refreshed, mut at) = (String::new(), String::new(), 0);
    for block in blocks::of(&page).filter(|block| block.language == "sh") {
        let place = Place::new();
        let script = runnable(block.text);
        let (run, sound) = match &block.expected {
            Some(expected) => {
                let run = place.terminal(&script);
                refreshed += &page[at..expected.start];
                refreshed += &run.printed;
                at = expected.end;
                let sound = page[expected.clone()] == run.printed;
                (run, sound)
            }
            None => {
                let run = place.sh(&script);
                let sound = run.errors.is_empty();
                (run, sound)
            }
        };
        if !sound || run.code != 0 {
            let Run {
                printed,
                errors,
                code,
            } = run;
            writeln!(failures, "{script}exit {code}, printed:\n{printed}{errors}").unwrap();
        }
    }
    refreshed += &page[at..];
    if std::env::var_os("JSIFT_REFRESH").is_some() {
        fs::write(root().join(name), refreshed).unwrap();
    }
    assert!(
        failures.is_empty(),
        "{name} says otherwise:\n{failures}if it should: JSIFT_REFRESH=1 cargo test --test docs, then git diff"
    );
}

/// An input that no recipe may take for a success: a program failed, and its JSON was cut.
const FAILED: &str = "error: connection refused\n{\"verdict\": \"ok\", \"a\": [{\"b\": 1}, {\"c\"";

#[test]
fn a_recipe_fails_if_its_input_does() {
    if !is_here("bash") {
        return eprintln!("passed over, since bash is not here");
    }
    let page = page("docs/recipes.md");
    let (mut tried, mut passed) = (0, String::new());
    for block in blocks::of(&page).filter(|block| block.language == "sh") {
        let script = runnable(block.text);
        let place = Place::new();
        place.replace_inputs(FAILED);
        place.write("script", &script);
        let strict = format!("{AGENTS}set -eo pipefail; . ./script");
        place.write("strict", &strict);
        let run = place.sh("exec bash ./strict");
        // Without `pipefail` the code is that of the last program, which has nothing to print.
        let loose = place.sh(&script);
        let expected = block
            .expected
            .clone()
            .map_or("", |expected| &page[expected]);
        let prints_the_same = !expected.is_empty() && loose.printed == expected;
        if run.code == 0 || prints_the_same {
            writeln!(
                passed,
                "{script}exit {}, printed:\n{}",
                run.code, loose.printed
            )
            .unwrap();
        }
        tried += 1;
    }
    assert!(tried > 20 && passed.is_empty(), "of {tried}:\n{passed}");
}

#[test]
fn examples_in_the_manual_pages_succeed() {
    let mut examples = 0;
    for name in ["jsift", "jsift-extract", "jsift-events", "jsift-summary"] {
        let path = root().join("man/sections").join(format!("{name}.roff"));
        let section = fs::read_to_string(path).unwrap();
        let (_, section) = section.split_once(".SH EXAMPLES\n").unwrap();
        let mut kind = section;
        for example in section.split(".EX\n") {
            let before = std::mem::replace(&mut kind, example);
            let Some((example, _)) = example.split_once(".EE\n") else {
                continue;
            };
            let script = example.replace("\\-", "-").replace("\\e", "\\");
            if let Some((_, language)) = before.rsplit_once(".\\\" PAGE: ") {
                // Run as part of a page.
                let blocks = of_language(language.trim());
                assert!(blocks.contains(&script), "{name}: {script}not in any page");
                continue;
            }
            let run = Place::new().sh(&runnable(&script));
            assert_eq!(run.code, 0, "{name}: {script}{}{}", run.printed, run.errors);
            examples += 1;
        }
    }
    assert!(examples > 10, "{examples}");
}

#[test]
fn the_makefile_rule_makes_its_target() {
    if !is_here("make") {
        return eprintln!("passed over, since make is not here");
    }
    let place = Place::new();
    // make starts a shell of its own, which knows no functions: gemini has to be a program.
    place.program("gemini", "exec cat tests/samples/gemini.log");
    place.write("Makefile", &only("make"));
    place.write("prompt.txt", "Review src/main.rs.\n");
    let run = place.sh("make --silent review.json && cat review.json");
    assert_eq!(run.code, 0, "{}", run.errors);
    assert!(
        run.printed.contains("\"verdict\":\"needs-work\""),
        "{}",
        run.printed
    );
    // An agent that failed makes no target.
    place.replace_inputs(FAILED);
    place.write("Makefile", &only("make"));
    let run = place.sh("rm review.json; make --silent review.json 2>&1; echo $?; ls");
    assert!(run.printed.contains("Error 4"), "{}", run.printed);
    assert!(!run.printed.contains("review.json\n"), "{}", run.printed);
}

/// The commands of a CI job: what stands after `run: |`, or in the lists after `script:` and `after_script:`.
fn commands(job: &str) -> String {
    let mut commands = String::new();
    let mut indent = None;
    for line in job.lines() {
        let depth = line.len() - line.trim_start().len();
        match indent {
            Some(least) if depth > least => {
                let line = line.trim_start();
                writeln!(commands, "{}", line.strip_prefix("- ").unwrap_or(line)).unwrap();
            }
            _ => {
                let trimmed = line.trim();
                let begins = trimmed.ends_with("run: |") || trimmed.ends_with("script:");
                indent = begins.then_some(depth);
            }
        }
    }
    commands
}

#[test]
fn ci_jobs_run() {
    let mut run = 0;
    for job in of_language("yaml") {
        let script = commands(&job);
        assert!(script.contains("jsift"), "{job}");
        let done = Place::new().sh(&format!("set -e\n{script}"));
        assert_eq!(done.code, 0, "{script}{}{}", done.printed, done.errors);
        run += 1;
    }
    assert_eq!(run, 3);
}

/// The only shell example with this in it.
fn example(part: &str) -> String {
    let mut found = of_language("sh");
    found.retain(|text| text.contains(part));
    let [example] = found.try_into().unwrap();
    example
}

/// Plays a gemini that reaches its quota, or whatever else this log says, so many times.
const FAILS: &str = "gemini() {
    echo call >> calls
    if [ $(wc -l < calls) -le $times ]; then cat tests/samples/$log; else cat tests/samples/gemini.log; fi
}
";

#[test]
fn what_is_tried_again_is_quota_and_no_broken_answer() {
    let retry = example("for wait in");
    for (times, log, code, calls) in [
        (0, "gemini-quota.log", 0, 1),
        (2, "gemini-quota.log", 0, 3),
        (9, "gemini-quota.log", 12, 4),
        (9, "completion-empty.md", 3, 1),
    ] {
        // Pasted, and in a script that ends at the first failure.
        for before in ["", "set -e; "] {
            let place = Place::new();
            let script = format!("times={times}; log={log}\n{FAILS}{before}{retry}");
            let run = place.sh(&format!(
                "({script}); code=$?; echo $code; wc -l < calls; cat out.json"
            ));
            let said: Vec<&str> = run.printed.split_whitespace().take(2).collect();
            assert_eq!(
                said,
                [code.to_string(), calls.to_string()],
                "{log} {before}"
            );
            assert_eq!(run.printed.contains("verdict"), code == 0, "{log}");
        }
        let place = Place::new();
        let script = format!("times={times}; log={log}\n{FAILS}{retry}\necho still here, $?");
        let run = place.sh(&script);
        assert!(
            run.printed.ends_with(&format!("still here, {code}\n")),
            "{}",
            run.printed
        );
    }
}

#[test]
fn a_commit_is_stopped_by_its_review_and_by_none() {
    let hook = example("git diff --cached");
    for (log, verdict, passes) in [
        ("gemini.log", "ok", true),
        ("gemini.log", "reject", false),
        ("gemini.log", "needs-work", false),
        ("gemini-quota.log", "ok", false),
        ("completion-empty.md", "ok", false),
    ] {
        let agent = format!("gemini() {{ sed s/needs-work/{verdict}/ tests/samples/{log}; }}");
        let run = Place::new().sh(&format!("{agent}\n{hook}"));
        assert_eq!(run.code == 0, passes, "{log} {verdict}: {}", run.errors);
    }
}

#[test]
fn a_ci_job_reports_an_agent_that_failed() {
    let [github, action, gitlab] = of_language("yaml").try_into().unwrap();
    assert!(action.contains("uses: jsift/jsift@v"), "{action}");
    let place = Place::new();
    let fails = "gemini() { cat tests/samples/gemini-quota.log; return 1; }\n";
    let (agent, report) = github.split_once("- id: review\n").unwrap();
    let run = place.sh(&format!("{fails}set -e\n{}", commands(agent)));
    assert_eq!(run.code, 12, "{}{}", run.printed, run.errors);
    let run = place.sh(&format!("set -e\n{}cat step-*", commands(report)));
    assert_eq!(run.code, 0, "{}", run.errors);
    assert!(run.printed.contains("gemini: quota\n"), "{}", run.printed);
    assert!(run.printed.contains("outcome<<"), "{}", run.printed);
    let run = place.sh(&format!("{fails}set -e\n{}", commands(&gitlab)));
    assert_eq!(run.code, 12, "{}", run.errors);
    assert!(gitlab.contains("exit_codes: [12, 17]"));
}

#[test]
fn emacs_replaces_a_region() {
    if !is_here("emacs") {
        return eprintln!("passed over, since emacs is not here");
    }
    let place = Place::new();
    place.write("jsift.el", &only("elisp"));
    place.write("input.txt", "noise {\"a\":1} noise\n");
    let run = place.sh(
        "emacs -Q --batch -l ./jsift.el input.txt \
         --eval '(progn (jsift-region (point-min) (point-max)) (save-buffer))' 2>/dev/null; cat input.txt",
    );
    assert_eq!(run.printed, "{\n  \"a\": 1\n}\n", "{}", run.errors);
}

#[test]
fn vim_filters_lines() {
    if !is_here("vim") {
        return eprintln!("passed over, since vim is not here");
    }
    let place = Place::new();
    place.write("jsift.vim", &only("vim"));
    place.write("input.txt", "noise {\"a\":1} noise\n");
    let run = place.sh("vim -es -u NONE -S jsift.vim -c Sift -c wq input.txt; cat input.txt");
    assert_eq!(run.printed, "{\n  \"a\": 1\n}\n", "{}", run.errors);
}

#[test]
fn spark_pipes_an_archive() {
    let place = Place::new();
    if !is_here("java") || place.sh("python3 -c 'import pyspark'").code != 0 {
        return eprintln!("passed over, since Spark is not here");
    }
    let session = "from pyspark.sql import SparkSession\n\
                   spark = SparkSession.builder.master('local[1]').getOrCreate()\n";
    let code = only("python");
    place.write(
        "job.py",
        &format!("{session}{code}print('records:', records.count())\n"),
    );
    let run = place.sh("gzip -k logs/*.log && python3 job.py 2>/dev/null");
    assert!(
        run.printed.contains("records: 3"),
        "{}{}",
        run.printed,
        run.errors
    );
}
