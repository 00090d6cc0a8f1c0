//! What the library gives is what the command prints: the same documents, events, sessions and outcomes.
//!
//! The texts are those of `tests/cases` and `tests/recordings`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::picked::{is_picked, picked};
use crate::properties::{files, run};
use jsift::{Document, Documents, Error, EventFeed, Kind, Options, Outcome, Pick};

/// What the command prints, and its exit code.
fn command(args: &str, file: &Path) -> (String, u8) {
    let given = run::on(args.split(' '), file).unwrap_or_else(|| panic!("no such options"));
    (given.results, given.code)
}

/// What the command would print of this, and its exit code.
fn as_printed(result: Result<Vec<Document>, Error>) -> (String, u8) {
    let (found, code) = match result {
        Ok(found) => (found, 0),
        Err(error) => (error.found().to_vec(), error.outcome().code()),
    };
    let lines = found.iter().map(|document| document.compact() + "\n");
    (lines.collect(), code)
}

fn one(result: Result<Document, Error>) -> Result<Vec<Document>, Error> {
    result.map(|document| vec![document])
}

/// The files that are read: what the cases are given, and recorded streams.
fn texts() -> Vec<PathBuf> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut texts = files(tests.join("cases"));
    texts.extend(files(tests.join("recordings")));
    texts.retain(|path| path.ends_with("stdin") || path.ends_with("stream"));
    texts.retain(|path| is_picked(&fs::read(path).unwrap()));
    texts.sort();
    assert!(texts.len() > 100);
    texts
}

#[test]
fn functions_give_what_extract_prints() {
    type Function = fn(&[u8]) -> Result<Vec<Document>, Error>;
    let modes: [(&str, Function); 8] = [
        ("extract", |text| one(jsift::extract(text))),
        ("extract --payload", |text| one(jsift::payload(text))),
        ("extract --all", |text| jsift::documents(text)),
        ("extract --repair", |text| {
            one(Options::new().repair(true).extract(text))
        }),
        ("extract --repair --payload", |text| {
            one(Options::new().repair(true).payload(text))
        }),
        ("extract --repair --all", |text| {
            Options::new().repair(true).documents(text)
        }),
        ("extract --pick last --loose", |text| {
            one(Options::new().pick(Pick::Last).loose(true).extract(text))
        }),
        (
            "extract --all --type number,object --require type",
            |text| {
                let kinds = Options::new().kind(Kind::Number).kind(Kind::Object);
                kinds.require("type").documents(text)
            },
        ),
    ];
    for file in texts() {
        let text = fs::read(&file).unwrap();
        for (args, function) in picked(&modes, &text) {
            let printed = command(args, &file);
            assert_eq!(
                as_printed(function(&text)),
                printed,
                "{args} {}",
                file.display()
            );
        }
    }
}

#[test]
fn what_is_read_piece_by_piece_is_what_is_read_at_once() {
    for file in texts() {
        let text = fs::read(&file).unwrap();
        let mut documents = Documents::new(fs::File::open(&file).unwrap());
        let found: Vec<Document> = documents.by_ref().map(Result::unwrap).collect();
        let result = match documents.error() {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        };
        let all = jsift::documents(&text);
        let met = all.as_deref().unwrap_or_else(|error| error.found());
        assert_eq!(found, met, "{}", file.display());
        assert_eq!(
            result.map_err(|error| error.to_string()),
            all.clone().map(drop).map_err(|error| error.to_string())
        );

        let mut feed = Options::new().document_feed();
        let mut pushed = Vec::new();
        for piece in text.chunks(7) {
            // What one loop leaves the next one takes.
            pushed.extend(feed.push(piece).take(1));
        }
        pushed.extend(feed.finish().0);
        assert_eq!(pushed, met, "{}", file.display());
    }
}

#[test]
fn feeds_give_the_events_and_the_session_that_the_command_prints() {
    for file in texts() {
        let text = fs::read(&file).unwrap();
        let (events, _) = command("events --format ndjson", &file);
        let (sessions, _) = command("summary --format json", &file);
        let mut feed = EventFeed::new();
        let mut reported = String::new();
        for piece in text.split_inclusive(|byte| *byte == b'\n') {
            reported.extend(feed.push(piece).map(|event| event.json().to_owned() + "\n"));
        }
        let (last, session) = feed.finish();
        reported.extend(last.iter().map(|event| event.json().to_owned() + "\n"));
        assert_eq!(reported, events, "{}", file.display());
        if let Ok(session) = session {
            let last = sessions.lines().last();
            assert_eq!(last, Some(&*session.json()), "{}", file.display());
        }
    }
}

#[test]
fn wrong_options_are_reported_when_they_are_used() {
    let wrong = || Options::new().require("/~2");
    let is_usage = |error: Error| assert_eq!(error.outcome(), Outcome::Usage);
    is_usage(wrong().extract("{}").unwrap_err());
    is_usage(wrong().documents("{}").unwrap_err());
    is_usage(wrong().session("{}").unwrap_err());
    is_usage(wrong().document_feed().finish().1.unwrap_err());
}

#[test]
fn what_cannot_be_read_is_reported_once() {
    struct Fails(u8);
    impl io::Read for Fails {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            let text: &[u8] = b"{\"n\": 1}\n{\"n\":";
            match self.0 {
                1 => (&mut buffer[..]).write(text),
                _ => Err(io::ErrorKind::ConnectionReset.into()),
            }
        }
    }
    let mut documents = Documents::new(Fails(0));
    assert!(documents.next().unwrap().is_ok());
    assert!(documents.next().unwrap().is_err());
    assert!(documents.next().is_none());
}
