//! How a page writes headings, numbers, paths and the tables of an answer.

use super::page::Page;
use super::run::{Run, summary};

/// A run whose answer has a table, with a path in its working directory and large counts.
pub(crate) const RUN: &str = include_str!("table.jsonl");

fn page() -> Page {
    Page::parse(&summary(&["--format", "html"], RUN))
}

fn texts(page: &Page, name: &str) -> Vec<String> {
    page.of(name)
        .map(|element| element.text.trim().to_owned())
        .collect()
}

#[test]
fn sections_have_usual_names() {
    let page = page();
    let headings = texts(&page, "h2");
    assert_eq!(headings, ["Answer", "Timeline", "Usage", "Files", "Steps"]);
    assert!(texts(&page, "summary").iter().any(|text| text == "Data"));
    for name in ["Time line", "What happened", "The figures"] {
        assert!(!page.html.contains(name), "{name}");
    }
}

#[test]
fn counts_are_written_in_one_way_and_paths_from_the_working_directory() {
    let page = page();
    let cells = texts(&page, "td");
    for count in ["517,000", "1,000", "517,920"] {
        assert!(cells.iter().any(|cell| cell == count), "{count} {cells:?}");
    }
    // The parameters of a call are as the agent has stated them.
    let (in_folder, whole) = ("src/hello.py", "/home/me/project/src/hello.py");
    let code = texts(&page, "code");
    let count = |path: &str| code.iter().filter(|text| *text == path).count();
    assert_eq!([count(in_folder), count(whole)], [2, 1], "{code:?}");
    assert!(
        texts(&page, "summary")
            .iter()
            .any(|text| text.contains(in_folder))
    );
}

#[test]
fn a_table_of_the_answer_is_aligned_as_the_answer_says() {
    let page = page();
    let style = |text: &str| {
        let cell = page.of("td").find(|cell| cell.text == text).expect(text);
        cell.attribute("style").map(str::to_owned)
    };
    assert_eq!(style("a").as_deref(), Some("text-align: left"));
    assert_eq!(style("516000"), None);
    assert_eq!(style("1000000").as_deref(), Some("text-align: right"));
}

#[test]
fn the_head_says_how_the_run_ended_and_why() {
    let doubtful = include_str!("../../cases/summary-github-no-call-succeeded/stdin");
    let failed = Run::of("no disk").to_string();
    for (run, class, reason) in [
        (RUN, "badge ok", None),
        (doubtful, "badge warn", None),
        (failed.as_str(), "badge bad", Some("no disk")),
    ] {
        let page = Page::parse(&summary(&["--format", "html"], run));
        let paragraphs = || page.of("p");
        let has = |class| paragraphs().any(|p| p.attribute("class") == Some(class));
        assert!(has(class), "{class}");
        let is_said = |reason| paragraphs().any(|p| p.text == reason);
        assert!(reason.is_none_or(is_said), "{class}");
    }
}
