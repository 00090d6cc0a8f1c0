//! What agents print, from bytes to everything that is written of it.

use jsift_agents::dialect::Agent;
use jsift_agents::dialect::reader::RecordReader;
use jsift_agents::event::{Event, Progress};
use jsift_agents::session::{Kept, Sessions};
use jsift_agents::stream::{Follower, StatedRecord, Stream};
use jsift_find::document::Fault;
use jsift_find::finder::{FindOptions, Finder};
use jsift_sink::ndjson::{self, SessionExtent};

use super::{Choices, is_json, pieces, shown};

/// Writes all events.
struct Events {
    progress: Progress,
    out: Vec<u8>,
}

impl Follower for Events {
    fn record(&mut self, stated: StatedRecord<'_>) {
        let Self { progress, out } = self;
        progress.record(stated, &mut |event: &Event<'_>| {
            ndjson::event(event, None, true, out);
        });
    }

    fn sessions(&mut self) -> &mut Sessions {
        &mut self.progress.sessions
    }

    fn broken(&mut self, fault: &Fault) {
        assert!(fault.position.line > 0);
    }
}

fn reader(agent: Option<Agent>) -> RecordReader {
    agent.map_or_else(RecordReader::default, RecordReader::of)
}

/// Follows the records of a text that comes in pieces.
pub(crate) fn follow<F: Follower>(
    text: &[u8],
    cuts: &[usize],
    agent: Option<Agent>,
    follower: F,
) -> F {
    let mut stream = Stream::new(reader(agent), follower);
    let mut finder = Finder::new(FindOptions {
        // Nor does it matter whether members are found by marks.
        layout: cuts.is_empty(),
        ..FindOptions::default()
    });
    for piece in pieces(text, cuts) {
        finder.push(piece, &mut stream);
    }
    finder.finish(&mut stream);
    stream.finish()
}

fn events(text: &[u8], cuts: &[usize], agent: Option<Agent>) -> Vec<u8> {
    let follower = Events {
        progress: Progress::default(),
        out: Vec::new(),
    };
    let mut events = follow(text, cuts, agent, follower);
    let out = &mut events.out;
    events
        .progress
        .finish(&mut |event: &Event<'_>| ndjson::event(event, None, false, out));
    events.out
}

fn summary(text: &[u8], cuts: &[usize], agent: Option<Agent>) -> Vec<u8> {
    let sessions = follow(text, cuts, agent, Sessions::new(Kept::Text));
    let mut out = Vec::new();
    for session in sessions.all() {
        ndjson::session(session, SessionExtent::default(), &mut out);
    }
    if sessions.all().is_empty() {
        ndjson::no_session(&sessions, SessionExtent::default(), &mut out);
    }
    out
}

/// Whatever a stream holds, every line that is written is JSON, and cuts do not matter.
pub fn property(data: &[u8]) {
    let mut choices = Choices(data);
    let agent = Agent::ALL.get(choices.below(Agent::ALL.len() + 1)).copied();
    let (cuts, text) = choices.cuts();
    for write in [events, summary] {
        let uncut = write(text, &[], agent);
        for line in uncut.split(|&byte| byte == b'\n') {
            assert!(line.is_empty() || is_json(line), "{}", shown(line));
        }
        let cut = write(text, &cuts, agent);
        assert_eq!(shown(&cut), shown(&uncut), "cut at {cuts:?}");
    }
}
