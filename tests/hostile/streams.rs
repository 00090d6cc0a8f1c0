//! Event streams that ask for memory without bound, and what following them and reporting on them may hold.

use jsift_agents::dialect::reader::RecordReader;
use jsift_agents::event::{Event, Progress};
use jsift_agents::session::{Kept, Sessions};
use jsift_agents::stream::{Follower, StatedRecord, Stream};
use jsift_find::finder::{FindOptions, Finder};

use super::sources::Source;
use super::{measured, turn};

/// The records of a stream, and how many KiB may be held of it: to follow it, and to report on it.
struct Records {
    source: Source,
    followed: u64,
    /// `None`: its text is what a report is made of.
    reported: Option<u64>,
}

/// The table. Each number is a third above what was measured.
#[rustfmt::skip]
fn streams() -> [Records; 12] {
    let of = |name, count, unit, followed, reported| Records {
        source: Source::of(name, unit, 0.0, 0).repeated(count),
        followed,
        reported,
    };
    [
        of("sessions", 1 << 12, init, 840, Some(10_200)),
        of("sessions with calls", 1 << 14, |at| init(at / 6) + &call(at, "read", "f"), 2100, Some(9900)),
        // Where entries come and go it is chance whether a hash table grows or is cleaned: this is twice what was
        // measured.
        of("calls without a result", 1 << 13, |at| call(at, "read", "f"), 1600, Some(1600)),
        of("calls of one id", 1 << 12, |_| call(7, "read", "f"), 430, Some(430)),
        of("calls of large files", 1 << 8, |at| call(at, "read", &at.to_string().repeat(4000)), 800, Some(800)),
        of("tools", 1 << 14, |at| call(at, &format!("tool-{at}"), "f"), 4650, Some(4650)),
        of("files", 1 << 14, |at| call(at, "write_file", &format!("file-{at}")) + &result(at), 8500, Some(8500)),
        of("ids", 1 << 8, |at| init(at).replace("\"s0", &format!("\"{}", "s".repeat(20_000))), 570, Some(570)),
        of("errors", 1 << 9, |at| error(&at.to_string().repeat(4000)), 970, Some(970)),
        of("deltas", 1 << 13, |_| message(&"y".repeat(100)), 1080, None),
        of("noise", 1 << 13, |at| format!("{at} {{}} noise\n"), 210, Some(210)),
        of("broken records", 1 << 13, |at| format!("{{\"type\":\"init\", {at}\n"), 360, Some(360)),
    ]
}

fn init(at: usize) -> String {
    format!("{{\"type\":\"init\",\"timestamp\":\"t\",\"session_id\":\"s0{at}\",\"model\":\"m\"}}\n")
}

fn call(at: usize, name: &str, path: &str) -> String {
    format!(
        "{{\"type\":\"tool_use\",\"timestamp\":\"t\",\"tool_name\":\"{name}\",\"tool_id\":\"{at}\",\"parameters\":{{\"file_path\":\"{path}\",\"content\":\"x\\ny\"}}}}\n"
    )
}

fn result(at: usize) -> String {
    format!(
        "{{\"type\":\"tool_result\",\"timestamp\":\"t\",\"tool_id\":\"{at}\",\"status\":\"success\"}}\n"
    )
}

fn error(message: &str) -> String {
    format!(
        "{{\"type\":\"error\",\"timestamp\":\"t\",\"severity\":\"warning\",\"message\":\"{message}\"}}\n"
    )
}

fn message(text: &str) -> String {
    format!(
        "{{\"type\":\"message\",\"timestamp\":\"t\",\"role\":\"assistant\",\"content\":\"{text}\",\"delta\":true}}\n"
    )
}

/// Follows a stream as `events` does.
#[derive(Default)]
struct Follow {
    progress: Progress,
    events: usize,
}

impl Follower for Follow {
    fn record(&mut self, stated: StatedRecord<'_>) {
        let events = &mut self.events;
        self.progress
            .record(stated, &mut |_: &Event<'_>| *events += 1);
    }

    fn sessions(&mut self) -> &mut Sessions {
        &mut self.progress.sessions
    }
}

/// How much memory it takes to read a stream; what it was read to is dropped only then.
fn held<F: Follower>(source: &Source, follower: F) -> u64 {
    let reading = || {
        let mut finder = Finder::new(FindOptions {
            layout: true,
            ..FindOptions::default()
        });
        let mut stream = Stream::new(RecordReader::default(), follower);
        // A record that opens a session, whatever follows.
        finder.push(init(0).as_bytes(), &mut stream);
        source.blocks(|block| finder.push(block, &mut stream));
        finder.finish(&mut stream);
        stream.finish()
    };
    measured(reading).1
}

#[test]
fn streams_are_followed_and_reported_on_in_bounded_memory() {
    let _turn = turn();
    for records in streams() {
        let source = &records.source;
        let followed = held(source, Follow::default());
        println!("{}: {followed} bytes to follow it", source.name);
        assert!(
            followed <= records.followed << 10,
            "{}: {followed}",
            source.name
        );
        let Some(most) = records.reported else {
            continue;
        };
        let reported = held(source, Sessions::new(Kept::Text));
        println!("{}: {reported} bytes to report on it", source.name);
        assert!(reported <= most << 10, "{}: {reported}", source.name);
    }
}
