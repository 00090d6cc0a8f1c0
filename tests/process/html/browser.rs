//! The page in a real browser: Chromium or Chrome, if there is one. Without any, these tests pass over.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::ATTACKS;
use super::page::Page;
use super::run::{Run, shown, summary};

const NAMES: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// The browser, if it is there.
fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut places = NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let found = places.find(|place| place.is_file());
    if found.is_none() {
        eprintln!("passed over: there is no {}", NAMES.join(", no "));
    }
    found
}

/// What a page has become after it was loaded, and what it asked for.
struct Loaded {
    page: Page,
    requests: Vec<String>,
}

/// Loads a page of which `PORT` is that of a server that answers nothing and remembers what it was asked for.
fn load(browser: &Path, html: &str) -> Loaded {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    listener.set_nonblocking(true).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    std::fs::write(&file, html.replace("PORT", &port)).unwrap();
    let profile = folder.path().join("profile");
    let mut child = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ])
        .args(["--virtual-time-budget=2000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}", file.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut dom = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        dom.read_to_end(&mut text).unwrap();
        String::from_utf8_lossy(&text).into_owned()
    });
    let mut requests = Vec::new();
    loop {
        if let Ok((mut stream, _)) = listener.accept() {
            stream.set_nonblocking(false).unwrap();
            stream
                .set_read_timeout(Some(Duration::from_secs(1)))
                .unwrap();
            let mut head = [0; 256];
            let size = stream.read(&mut head).unwrap_or(0);
            requests.push(String::from_utf8_lossy(&head[..size]).into_owned());
            let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
        } else if child.try_wait().unwrap().is_some() {
            break;
        } else {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    child.wait().unwrap();
    Loaded {
        page: Page::parse(&reader.join().unwrap()),
        requests,
    }
}

#[test]
fn no_script_runs_and_no_request_leaves() {
    let Some(browser) = browser() else { return };
    let all = ATTACKS.join("\n\n");
    for attack in [&*all, &ATTACKS.join(" ")] {
        let html = shown(&Run::of(attack), &[]);
        let before = Page::parse(&html);
        let loaded = load(&browser, &html);
        assert_eq!(loaded.requests, [""; 0]);
        assert_eq!(loaded.page.title(), before.title());
        // The browser's document is the one that was written: nothing was added, moved or taken away.
        assert!(before.elements.len() > 150);
        let names = |page: &Page| -> Vec<String> {
            page.elements
                .iter()
                .map(|element| element.name.clone())
                .collect()
        };
        assert_eq!(names(&loaded.page), names(&before));
        super::check(&loaded.page);
    }
}

/// Writes the width of the frame, that of the page in it, and the cells that are cut, into the title.
const MEASURE: &str = "<script>
const cut = [...document.querySelectorAll('th, td, h1, h2, p')].filter(element =>
  element.getBoundingClientRect().right > innerWidth && !element.closest('details'));
parent.document.title = [innerWidth, document.documentElement.scrollWidth,
  cut.map(element => element.textContent)].join(' ');
</script>";

#[test]
fn a_narrow_frame_cuts_nothing_of_the_page() {
    let Some(browser) = browser() else { return };
    for width in [400, 1200] {
        let html = summary(&["--format", "html"], super::words::RUN);
        // The page itself lets no script run.
        let (before, policy) = html.split_once("<meta http-equiv").unwrap();
        let (_, after) = policy.split_once('>').unwrap();
        let html = [
            before,
            &after.replace("</body>", &format!("{MEASURE}</body>")),
        ]
        .concat();
        // A window has a least width, a frame has none.
        let page = html.replace('&', "&amp;").replace('"', "&quot;");
        let style = format!("border:0;height:4000px;width:{width}px");
        let frame = format!(
            "<!DOCTYPE html><title></title><iframe style='{style}' srcdoc=\"{page}\"></iframe>"
        );
        let title = load(&browser, &frame).page.title().to_owned();
        assert_eq!(title.trim_end(), format!("{width} {width}"));
    }
}

#[test]
fn a_page_that_is_not_safe_is_seen_to_be_none() {
    let Some(browser) = browser() else { return };
    let page = |attack: &str| format!("<!DOCTYPE html><title>before</title><body>{attack}");
    let script = load(
        &browser,
        &page("<script>document.title = 'broken out'</script>"),
    );
    assert_eq!(script.page.title(), "broken out");
    let image = load(
        &browser,
        &page("<img src=\"http://127.0.0.1:PORT/image.png\">"),
    );
    assert!(
        image
            .requests
            .iter()
            .any(|request| request.starts_with("GET /image.png")),
        "{:?}",
        image.requests
    );
}

#[test]
fn the_policy_stops_what_would_get_out() {
    let Some(browser) = browser() else { return };
    // Were a text to get out of its element, the browser would still neither run nor load it.
    let attack = "<script>document.title = 'broken out'</script><img src=\"http://127.0.0.1:PORT/a.png\" \
        onerror=\"document.title = 'broken out'\"><link rel=stylesheet href=\"http://127.0.0.1:PORT/a.css\">\
        <iframe src=\"http://127.0.0.1:PORT/frame\"></iframe><div style=\"background: url(http://127.0.0.1:PORT/b.png)\">x</div>";
    let html = shown(&Run::of("x"), &[]).replace("<footer>", &format!("<footer>{attack}"));
    let loaded = load(&browser, &html);
    // A connection without a request is a guess of the browser's, before it has read the policy.
    let requests = loaded.requests.iter().filter(|request| !request.is_empty());
    assert_eq!(requests.count(), 0, "{:?}", loaded.requests);
    assert!(!loaded.page.title().contains("broken"));
}
