//! The page of `summary --format html`: what stands in it, and what can never get out of its element there.

#[cfg(feature = "slow")]
mod browser;
mod page;
mod run;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use crate::picked::is_picked;
use crate::recordings;
use jsift_sink::sanitize::{is_hidden, sanitize};
use page::{Element, Page};
use run::{Run, shown, summary};

/// What a page may be made of: elements with their attributes. Nothing of it loads anything or runs.
fn check(page: &Page) {
    const ANYWHERE: [&str; 8] = [
        "id",
        "class",
        "dir",
        "role",
        "aria-label",
        "aria-labelledby",
        "tabindex",
        "scope",
    ];
    let allowed = BTreeMap::from([
        ("html", &["lang"][..]),
        ("meta", &["charset", "http-equiv", "content", "name"]),
        ("a", &["href", "title", "rel"]),
        ("details", &["open"]),
        ("svg", &["width", "height"]),
        ("rect", &["x", "y", "width", "height", "rx"]),
        ("line", &["x1", "x2", "y1", "y2"]),
        ("text", &["x", "y", "text-anchor"]),
        ("tspan", &["dx"]),
        ("th", &["style"]),
        ("td", &["style", "data-title"]),
        ("ol", &["start"]),
    ]);
    const PLAIN: &str = "head title style body header main article section nav footer h1 h2 h3 h4 h5 h6 p div span b i \
        code pre ul li dl dt dd details summary figure figcaption table thead tbody tr br hr em strong del blockquote";
    let plain: BTreeSet<&str> = PLAIN.split_whitespace().collect();
    assert_eq!(page.errors, [""; 0], "errors of the parser");
    for element in &page.elements {
        let name = element.name.as_str();
        let own = allowed.get(name);
        assert!(own.is_some() || plain.contains(name), "<{name}>");
        for (attribute, value) in &element.attributes {
            let known = ANYWHERE.contains(&attribute.as_str())
                || own.is_some_and(|own| own.contains(&attribute.as_str()));
            assert!(known, "{attribute} of <{name}>");
            match attribute.as_str() {
                "href" => check_address(page, value),
                "style" => assert!(value.starts_with("text-align: "), "{value}"),
                // The titles of columns do not come from the input.
                "data-title" => assert!(
                    value.bytes().all(|byte| byte.is_ascii_lowercase()),
                    "{value}"
                ),
                _ => {}
            }
            assert_all_seen(value);
        }
        assert_all_seen(&element.own_text);
    }
    let ids: Vec<&str> = page.attributes("id").collect();
    assert_eq!(
        ids.iter().collect::<BTreeSet<_>>().len(),
        ids.len(),
        "ids are unique"
    );
    assert_headings(page);
    assert_eq!(page.of("main").count(), 1);
    assert_eq!(page.of("script").count(), 0);
    let policy = page
        .of("meta")
        .find(|meta| meta.attribute("http-equiv").is_some());
    assert_eq!(
        policy.and_then(|meta| meta.attribute("content")),
        Some("default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'")
    );
}

fn check_address(page: &Page, address: &str) {
    match address.strip_prefix('#') {
        Some(id) => assert!(
            page.attributes("id").any(|other| other == id),
            "#{id} leads nowhere"
        ),
        None => {
            let schemes = ["http:", "https:", "mailto:"];
            let lower = address.to_ascii_lowercase();
            assert!(
                schemes.iter().any(|scheme| lower.starts_with(scheme)),
                "{address}"
            );
        }
    }
}

/// Whether a reader sees every character of a text.
fn assert_all_seen(text: &str) {
    let hidden = text
        .chars()
        .find(|c| is_hidden(*c) && !matches!(c, '\n' | '\t'));
    assert_eq!(hidden, None, "{text:?}");
}

/// A reader of headings finds one of the first level, and no level is passed over.
fn assert_headings(page: &Page) {
    let level = |element: &Element| element.name.strip_prefix('h')?.parse::<u8>().ok();
    let levels: Vec<u8> = page.elements.iter().filter_map(level).collect();
    assert_eq!(levels.iter().filter(|level| **level == 1).count(), 1);
    assert_eq!(levels.first(), Some(&1));
    let in_markdown = |level: u8| level > 3;
    for pair in levels.windows(2) {
        assert!(pair[1] <= pair[0] + 1 || in_markdown(pair[1]), "{levels:?}");
    }
}

#[test]
fn the_page_of_every_recording_is_sound() {
    for recording in recordings() {
        if !is_picked(&std::fs::read(&recording).unwrap()) {
            continue;
        }
        let html = summary(&["--format", "html", recording.to_str().unwrap()], "");
        let page = Page::parse(&html);
        check(&page);
        let again = summary(&["--format", "html", recording.to_str().unwrap()], "");
        assert_eq!(
            html,
            again,
            "{} gives the same page twice",
            recording.display()
        );
    }
}

#[test]
fn many_runs_are_a_list_with_links() {
    let files: Vec<String> = recordings()
        .iter()
        .map(|path| path.to_str().unwrap().to_owned())
        .collect();
    let arguments: Vec<&str> = ["--format", "html"]
        .into_iter()
        .chain(files.iter().map(String::as_str))
        .collect();
    let page = Page::parse(&summary(&arguments, ""));
    check(&page);
    let links = page.of("a").filter_map(|link| link.attribute("href"));
    let runs = links.filter(|address| {
        address
            .strip_prefix("#r")
            .is_some_and(|id| id.parse::<usize>().is_ok())
    });
    assert_eq!(runs.count(), page.of("article").count());
    let head = page.of("header").next().unwrap();
    assert!(head.text.contains("By model") && head.text.contains("gemini-2.5-flash"));
    assert!(page.of("article").count() >= files.len() - 3);
}

/// Texts that try to get out of where they stand, or to be something else there than what is seen.
const ATTACKS: [&str; 22] = [
    "<script>document.title='broken out'</script>",
    "</title><script>document.title='broken out'</script>",
    "</style><script>document.title='broken out'</script>",
    "<img src=x onerror=\"document.title='broken out'\">",
    "\"><svg onload=document.title='broken out'>",
    "' onclick='document.title=1' x='",
    "</pre></code></details></li></ol><h1>broken out</h1>",
    "<a href=\"javascript:document.title='broken out'\">click</a>",
    "[click](javascript:document.title='broken%20out')",
    "![image](http://127.0.0.1:PORT/image.png)",
    "<iframe src=\"http://127.0.0.1:PORT/frame\"></iframe>",
    "<link rel=stylesheet href=\"http://127.0.0.1:PORT/style.css\">",
    "<meta http-equiv=refresh content=\"0;url=http://127.0.0.1:PORT/refresh\">",
    "<base href=\"http://127.0.0.1:PORT/\">",
    "<!-- --!> <?php ?> <![CDATA[ ]]> &lt;b&gt; &#x202e; &ZeroWidthSpace;",
    "```html\n</code></pre><script>document.title='broken out'</script>\n```",
    "| a | <script> |\n|---|---|\n| `</td>` | </table><script>document.title=1</script> |",
    "\u{202e}txt.exe\u{202c} a\u{200b}b \u{2066}c\u{2069} \u{feff}",
    "\u{1b}[31mred\u{1b}[0m \u{1b}]8;;http://127.0.0.1:PORT\u{7}link\u{1b}]8;;\u{7} \u{9b}2J",
    "a\u{0}b\rc\u{c}d\u{85}e\u{2028}f",
    "javascript:alert(1)//</SCRIPT x><ScRiPt>document.title='broken out'</sCrIpT>",
    "*a **b ~~c [d](e `f\n# g\n- h\n> i\n1. j\n\n    k\n<div>\n***",
];

#[test]
fn no_text_gets_out_of_its_element() {
    for attack in ATTACKS {
        let run = Run::of(attack);
        let page = Page::parse(&shown(&run, &[]));
        check(&page);
        let text = page.text();
        let calls = page
            .elements
            .iter()
            .filter(|element| element.attribute("class") == Some("call"));
        assert_eq!(calls.count(), 7, "every call is shown");
        let lines = attack
            .lines()
            .map(|line| sanitize(line, true, false).into_owned());
        // Where text stands as it is, every character of it is there; tabs and ends of lines apart.
        for line in lines.filter(|line| !line.contains("\\x1b[")) {
            assert!(
                text.contains(line.trim()),
                "{attack:?} is not all shown: {line:?}"
            );
        }
        assert!(!page.title().contains("broken"));
    }
}

#[test]
fn attacks_are_seen_by_this_test() {
    // A page in which the text is markup does not pass.
    for attack in [
        "<script>1</script>",
        "<img src=x>",
        "<p onclick=a>",
        "<a href=javascript:1>",
        "\u{202e}",
        "</p>",
    ] {
        let html = shown(&Run::of("x"), &[]).replace("<footer>", &format!("<footer>{attack}"));
        let failed = std::panic::catch_unwind(|| check(&Page::parse(&html)));
        assert!(failed.is_err(), "{attack}");
    }
}

#[test]
fn a_structural_page_says_nothing_that_was_said() {
    const SECRET: &str = "s3cret-word";
    let page = Page::parse(&shown(
        &Run::of(SECRET).with_names("name"),
        &["--structural"],
    ));
    check(&page);
    assert!(!page.html.contains(SECRET), "{}", page.html);
    // The names of tools, how they ended and how long they took stay.
    let text = page.text();
    for word in ["Bash", "Edit", "exit 1", "Prompt", "Thinking", "Subagent"] {
        assert!(text.contains(word), "{word}");
    }
}

#[test]
fn a_page_is_no_larger_than_it_may_be() {
    let long = "0123456789 <b>\"&\u{202e}\n".repeat(150);
    let mut run = Run::of(&long);
    for _ in 0..60 {
        run = run.with_call("Bash", &long);
    }
    let input = run.to_string();
    let sizes = match cfg!(feature = "slow") {
        true => &[100, 1 << 10, 14 << 10, 50 << 10, 200 << 10, 20 << 20][..],
        false => &[14 << 10],
    };
    for &size in sizes {
        let html = summary(
            &["--format", "html", "--max-bytes", &size.to_string()],
            &input,
        );
        assert!(html.len() <= size, "{} of {size}", html.len());
        let page = Page::parse(&html);
        if html.len() > 1000 {
            check(&page);
            let cut = page.text().contains("Long texts are cut");
            assert_eq!(cut, size < 10 << 20, "{size}");
        }
        if size >= 200 << 10 {
            assert!(
                html.len() > size / 8 || size > 10 << 20,
                "{} of {size}",
                html.len()
            );
        }
    }
}

#[cfg(feature = "slow")]
#[test]
fn a_page_is_under_5_mb_if_nothing_is_said() {
    let long = "0123456789 <b>\"&\n".repeat(4000);
    let run = (0..40).fold(Run::of("x"), |run, _| run.with_call("Bash", &long));
    let html = summary(&["--format", "html"], &run.to_string());
    assert!(
        (1_000_000..5_000_000).contains(&html.len()),
        "{}",
        html.len()
    );
}

#[test]
fn calls_that_overlap_stand_below_each_other() {
    let page = Page::parse(&summary(
        &["--format", "html", "tests/samples/run.jsonl"],
        "",
    ));
    let bar = |start: &str| {
        let is_bar = |rect: &&Element| rect.own_title.starts_with(start);
        let rect = page.of("rect").find(is_bar).expect(start);
        let number = |name: &str| {
            rect.attribute(name)
                .unwrap()
                .trim_end_matches('%')
                .parse::<f64>()
                .unwrap()
        };
        (number("x"), number("x") + number("width"), number("y"))
    };
    let (tests, log) = (
        bar("Bash · python -m pytest -q tests"),
        bar("Bash · git log"),
    );
    assert!(tests.0 < log.0 && log.1 < tests.1, "{tests:?} {log:?}");
    assert!(tests.2 < log.2, "the later one is below");
    let all = bar("Bash · python -m pytest -q ·");
    assert!(all.0 > tests.1);
    assert_eq!(all.2, tests.2, "what does not overlap shares a lane");
}

#[test]
fn the_steps_of_a_subagent_stand_in_their_call() {
    let page = Page::parse(&summary(
        &["--format", "html", "tests/samples/run.jsonl"],
        "",
    ));
    let agent = page.elements.iter().find(|element| {
        element.name == "details"
            && element.text.contains("Find callers")
            && element.text.contains("Subagent")
    });
    let agent = agent.unwrap();
    assert!(agent.text.contains("Looking for callers.") && agent.text.contains("monthly.py:88"));
    assert!(!agent.text.contains("py.test_cart"));
    let steps = page
        .elements
        .iter()
        .filter(|element| element.attribute("class") == Some("steps"));
    assert_eq!(steps.count(), 2);
}

#[test]
fn what_was_changed_is_a_diff() {
    let page = Page::parse(&summary(
        &["--format", "html", "tests/samples/run.jsonl"],
        "",
    ));
    let lines = |class: &str| -> Vec<String> {
        let of = page
            .elements
            .iter()
            .filter(|element| element.attribute("class") == Some(class));
        let lines = of.map(|element| element.text.trim_end().to_owned());
        lines.filter(|line| line.len() > 3).collect()
    };
    assert_eq!(
        lines("del")
            .iter()
            .filter(|line| line.starts_with("−  "))
            .count(),
        2
    );
    assert!(
        lines("add").contains(&"+         return sum(lines)".to_owned()),
        "{:?}",
        lines("add")
    );
}
