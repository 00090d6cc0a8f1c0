//! Real log formats, shortened, through the whole unwrapper.

use proptest::prelude::{Strategy, prop, proptest};

use super::queue::{WAITING_LINES, WAITING_SIZE};
use super::{DETECT_LINES, RECORD_LIMIT, Unwrap, Unwrapper};
use crate::input::{Decoder, Piece, Traced};

fn unwrap<'a>(mode: Unwrap, blocks: impl IntoIterator<Item = &'a [u8]>) -> Traced {
    let mut traced = Traced::default();
    let mut decoder = Decoder::new();
    let mut unwrapper = Unwrapper::new(mode);
    let mut out = |piece: Piece<'_>| traced.take(piece);
    for block in blocks {
        decoder.push(block, &mut |piece| unwrapper.push(piece, &mut out));
    }
    decoder.finish(&mut |piece| unwrapper.push(piece, &mut out));
    unwrapper.finish(&mut out);
    traced
}

/// Returns the unwrapped text, which must not depend on where the source is cut.
fn text(mode: Unwrap, source: &str) -> String {
    let whole = unwrap(mode.clone(), [source.as_bytes()]);
    for size in [1, 2, 3, 50, 129] {
        assert_eq!(
            unwrap(mode.clone(), source.as_bytes().chunks(size)),
            whole,
            "cut at {size}"
        );
    }
    String::from_utf8(whole.text).unwrap()
}

const T: &str = "2026-01-01T02:40:14.024997711Z";
const G: &str = "2026-01-06T17:02:53.146902Z";

fn cri(lines: &[(&str, &str)]) -> String {
    let line = |(head, content): &(&str, &str)| format!("{T} {head} {content}\n");
    lines.iter().map(line).collect()
}

fn gitlab(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{G} {line}\n")).collect()
}

#[test]
fn containerd_parts_are_joined_stream_by_stream() {
    let source = cri(&[
        ("stdout F", "start"),
        ("stdout P", "{\"a\":"),
        ("stderr F", "warning"),
        ("stdout P", "\"b"),
        ("stderr P", "half "),
        ("stdout F:tag", "c\"}"),
        ("stdout F", "[1]"),
        ("stderr F", "done"),
        ("stdout F", ""),
    ]);
    let want = cri(&[
        ("stdout F", "start"),
        ("stdout F", "{\"a\":\"bc\"}"),
        ("stderr F", "warning"),
        ("stderr F", "half done"),
        ("stdout F", "[1]"),
        ("stdout F", ""),
    ]);
    assert_eq!(text(Unwrap::Detect, &source), want);
    assert_eq!(text(Unwrap::Cri, &source), want);
    assert_eq!(text(Unwrap::Auto, &source), want);
    assert_eq!(text(Unwrap::Docker, &source), source);
}

#[test]
fn joined_text_keeps_its_places() {
    let source = cri(&[
        ("stdout P", "{\"a\":"),
        ("stderr F", "warning"),
        ("stdout F", "\"b\"}"),
    ]);
    let traced = unwrap(Unwrap::Detect, [source.as_bytes()]);
    let head = T.len() + " stdout P ".len();
    let third = memchr::memrchr(b'2', source.as_bytes()).unwrap();
    assert!(third > 0);
    let offset = |what| source.find(what).unwrap() as u64;
    let column = head as u64 + 1;
    assert_eq!(traced.find("{"), (1, column, offset("{")));
    assert_eq!(traced.find("\"b"), (3, column, offset("\"b")));
    assert_eq!(traced.find("warning"), (2, column, offset("warning")));
    assert_eq!(traced.find("F"), (1, column - 2, offset("P ")));
}

#[test]
fn a_cut_may_fall_inside_a_character() {
    let mut source = format!("{T} stdout P {{\"a\":\"").into_bytes();
    source.push(0xc3);
    source.extend_from_slice(format!("\n{T} stdout F ").as_bytes());
    source.extend_from_slice(b"\xa9\"}\n");
    let want = cri(&[("stdout F", "{\"a\":\"é\"}")]);
    assert_eq!(unwrap(Unwrap::Detect, [&source[..]]).text, want.as_bytes());
}

#[test]
fn a_part_without_its_end_stays_cut_off() {
    let source = cri(&[("stdout P", "{\"a\":\"b"), ("stderr F", "x")]);
    let want = cri(&[("stdout F", "{\"a\":\"b"), ("stderr F", "x")]);
    assert_eq!(text(Unwrap::Detect, &source), want);
    let source = cri(&[("stdout P", "{\"a\":\"b")]);
    let want = cri(&[("stdout F", "{\"a\":\"b")]);
    assert_eq!(text(Unwrap::Detect, &source), want.trim_end());
}

#[test]
fn gitlab_records_are_appended_to_the_line_before_of_their_stream() {
    let source = gitlab(&[
        "00O section_start:1:a\r",
        "00O+\u{1b}[0KHeader",
        "01O {\"a\":",
        "01O+\"b\"}",
        "01E err",
        "00O section_end:1:a\r",
        "01O {}",
        "00O+late",
    ]);
    let want = gitlab(&[
        "00O section_start:1:a\r\u{1b}[0KHeader",
        "01O {\"a\":\"b\"}",
        "01E err",
        "00O section_end:1:a\r",
        "01O {}",
        "00O late",
    ]);
    assert_eq!(text(Unwrap::Detect, &source), want);
    assert_eq!(text(Unwrap::Auto, &source), want);
}

#[test]
fn a_full_buffer_of_gitlab_is_waited_for() {
    let long = "x".repeat(8192);
    let first = format!("01O \"{long}");
    let source = gitlab(&[&first, "01E err", "00O one", "01O+y\"", "00O+two", "01O z"]);
    let joined = format!("01O \"{long}y\"");
    let want = gitlab(&[&joined, "01E err", "00O onetwo", "01O z"]);
    assert_eq!(text(Unwrap::Detect, &source), want);
}

#[test]
fn docker_records_give_their_text() {
    let source = concat!(
        "{\"log\":\"a \\\"b\\\"\\n\",\"stream\":\"stdout\",\"time\":\"t\"}\n",
        "{\"log\":\"{\\\"k\\\":\",\"stream\":\"stdout\",\"time\":\"t\"}\n",
        "{\"log\":\"err\\n\",\"stream\":\"stderr\",\"time\":\"t\"}\n",
        "plain {\"type\":1}\n",
        "{\"type\":\"other\"}\n",
        "{\"log\":\"1}\\r\\n\",\"stream\":\"stdout\",\"time\":\"t\"}",
    );
    let want = "a \"b\"\n{\"k\":1}\r\nerr\nplain {\"type\":1}\n{\"type\":\"other\"}\n";
    assert_eq!(text(Unwrap::Docker, source), want);
    assert_eq!(text(Unwrap::Auto, source), want);
    assert_eq!(text(Unwrap::Detect, source), source);
    let traced = unwrap(Unwrap::Docker, [source.as_bytes()]);
    let (line, column, offset) = traced.find("{\"k");
    assert_eq!((line, column), (2, 9));
    assert_eq!(source.as_bytes()[offset as usize], b'{');
    assert_eq!(traced.find("1}").0, 6);
    assert_eq!(traced.find("err").0, 3);
}

#[test]
fn partial_messages_are_joined_by_their_id() {
    let record = |log: &str, id: &str, last: bool| {
        format!(
            "{{\"container_id\":\"c\",\"log\":\"{log}\",\"partial_message\":\"true\",\
             \"partial_id\":\"{id}\",\"partial_last\":\"{last}\"}}\n"
        )
    };
    let source = [
        record("a1", "a", false),
        record("b1", "b", false),
        record("a2", "a", true),
        "{\"container_id\":\"c\",\"log\":\"whole\"}\n".to_owned(),
        record("b2", "b", true),
    ]
    .concat();
    assert_eq!(text(Unwrap::Docker, &source), "a1a2\nb1b2\nwhole\n");
}

#[test]
fn a_prefix_before_a_record_is_before_each_line_of_its_text() {
    let record = |prefix: &str, log: &str| {
        format!("{prefix}{{\"log\":\"{log}\",\"stream\":\"stdout\",\"time\":\"t\"}}\n")
    };
    let source = [
        record("app-1  | ", "{\\n 1"),
        record("app-2  | ", "x\\n"),
        record("app-1  | ", "}\\ny\\n"),
        "app-1  | z {}\n".to_owned(),
    ]
    .concat();
    let want = "app-1  | {\napp-1  |  1}\napp-1  | y\napp-2  | x\napp-1  | z {}\n";
    assert_eq!(text(Unwrap::Docker, &source), want);
    assert_eq!(text(Unwrap::Auto, &source), want);
}

#[test]
fn journald_records_give_their_message() {
    let source = concat!(
        "{\"__CURSOR\":\"s=1\",\"MESSAGE\":\"{\\\"a\\\":\"}\n",
        "{\"__CURSOR\":\"s=2\",\"MESSAGE\":[91,49,93,125]}\n",
        "{\"__CURSOR\":\"s=3\",\"MESSAGE\":null}\n",
        "{\"__CURSOR\":\"s=4\"}\n",
        "-- No entries --\n",
    );
    let want = "{\"a\":\n[1]}\n\n{\"__CURSOR\":\"s=4\"}\n-- No entries --\n";
    assert_eq!(text(Unwrap::Journald, source), want);
    assert_eq!(text(Unwrap::Auto, source), want);
    let traced = unwrap(Unwrap::Journald, [source.as_bytes()]);
    assert_eq!(traced.find("[1]").0, 2);
    assert_eq!(
        traced.find("-- No"),
        (5, 1, source.find("--").unwrap() as u64)
    );
}

#[test]
fn utf16_logs_are_unwrapped_too() {
    let source = cri(&[("stdout P", "{\"é\":"), ("stdout F", "1}")]);
    let units = std::iter::once(0xfeff).chain(source.encode_utf16());
    let bytes: Vec<u8> = units.flat_map(u16::to_le_bytes).collect();
    let traced = unwrap(Unwrap::Detect, [&bytes[..]]);
    assert_eq!(traced.text, cri(&[("stdout F", "{\"é\":1}")]).as_bytes());
    let second = 2 * (source.encode_utf16().count() as u64 - 3) + 2;
    assert_eq!(traced.find("1}"), (2, 81, second));
}

#[test]
fn a_source_that_does_not_begin_like_a_transport_passes_uncopied() {
    let noise = "plain\n".repeat(DETECT_LINES as usize);
    let late = cri(&[("stdout P", "a"), ("stdout F", "b")]);
    let block = late.as_bytes();
    let mut unwrapper = Unwrapper::new(Unwrap::Detect);
    let mut seen = Vec::new();
    unwrapper.push(Piece::plain(noise.as_bytes(), 0), &mut |piece| {
        seen.extend_from_slice(piece.text);
    });
    assert_eq!(seen, noise.as_bytes());
    let piece = Piece::plain(block, noise.len() as u64);
    unwrapper.push(piece, &mut |given| {
        assert_eq!(given, piece);
        assert!(std::ptr::eq(given.text, block));
    });
    let in_time = &noise["plain\n".len()..];
    let source = format!("{in_time}{late}");
    let want = format!("{in_time}{}", cri(&[("stdout F", "ab")]));
    assert_eq!(text(Unwrap::Detect, &source), want);
}

#[test]
fn bytes_before_a_decision_are_not_held_back() {
    for start in ["x", "2026-01-01 ", "{", "2026-01-06T17:02:53.146902Z INFO"] {
        let mut given = 0;
        Unwrapper::new(Unwrap::Detect).push(Piece::plain(start.as_bytes(), 0), &mut |piece| {
            given += piece.text.len();
        });
        assert_eq!(given, start.len(), "{start}");
    }
}

/// Returns how many bytes are passed on, and the most that is held at any time.
fn most_held(mode: Unwrap, line: &str, times: usize) -> (usize, usize) {
    let mut unwrapper = Unwrapper::new(mode);
    let (mut given, mut most, mut read) = (0, 0, 0);
    for _ in 0..times {
        let piece = Piece::plain(line.as_bytes(), read as u64);
        unwrapper.push(piece, &mut |piece| given += piece.text.len());
        read += line.len();
        most = most.max(read.saturating_sub(given));
    }
    unwrapper.finish(&mut |piece| given += piece.text.len());
    (given, most)
}

#[test]
fn a_line_without_end_is_not_held() {
    let block = "x".repeat(64 * 1024);
    for mode in [Unwrap::Detect, Unwrap::Cri, Unwrap::Docker, Unwrap::Auto] {
        assert_eq!(
            most_held(mode.clone(), &block, 160),
            (10 << 20, 0),
            "{mode:?}"
        );
    }
    let open = "{".repeat(64 * 1024);
    let (given, most) = most_held(Unwrap::Auto, &open, 160);
    assert_eq!(given, 10 << 20);
    assert!(most < RECORD_LIMIT, "{most}");
}

#[test]
fn nothing_but_parts_is_given_as_it_comes() {
    let part = cri(&[("stdout P", &"y".repeat(1000))]);
    let (given, _) = most_held(Unwrap::Cri, &part, 5000);
    let head = T.len() + " stdout F ".len();
    assert_eq!(given, head + 5000 * 1000);
}

#[test]
fn too_many_lines_after_an_open_one_go_out() {
    let mut lines = vec![("stdout P", "{\"a\":")];
    lines.resize(WAITING_LINES + 2, ("stderr F", "x"));
    lines.push(("stdout F", "1}"));
    let source = cri(&lines);
    lines[0].0 = "stdout F";
    assert_eq!(text(Unwrap::Cri, &source), cri(&lines));
    // With one line less it can still be joined.
    lines.remove(1);
    lines[0] = ("stdout P", "{\"a\":");
    let joined = text(Unwrap::Cri, &cri(&lines));
    assert!(
        joined.starts_with(&cri(&[("stdout F", "{\"a\":1}")])),
        "{joined}"
    );
}

#[test]
fn too_much_after_an_open_line_goes_out() {
    let big = "z".repeat(WAITING_SIZE);
    let source = cri(&[
        ("stdout P", "a"),
        ("stderr P", "b"),
        ("stdout P", "c"),
        ("stderr F", &big),
        ("stdout F", "d"),
    ]);
    let want = format!(
        "{}{}{}",
        cri(&[("stdout F", "ac")]),
        cri(&[("stderr F", &format!("b{big}"))]),
        cri(&[("stdout F", "d")])
    );
    assert_eq!(
        unwrap(Unwrap::Cri, [source.as_bytes()]).text,
        want.as_bytes()
    );
    let part = cri(&[("stderr P", &"y".repeat(1000))]);
    let mut unwrapper = Unwrapper::new(Unwrap::Cri);
    let mut given = 0;
    let first = cri(&[("stdout P", "a")]);
    unwrapper.push(Piece::plain(first.as_bytes(), 0), &mut |_| {});
    for _ in 0..5000 {
        unwrapper.push(Piece::plain(part.as_bytes(), 0), &mut |piece| {
            given += piece.text.len();
        });
    }
    assert!(given + WAITING_SIZE > 5_000_000, "{given}");
}

fn log() -> impl Strategy<Value = Vec<u8>> {
    let line = prop::sample::select(vec![
        "2026-01-01T02:40:14.02Z stdout P {\"a\n",
        "2026-01-01T02:40:14.02Z stdout F b\":1}\n",
        "2026-01-01T02:40:15.02Z stderr P x\r\n",
        "2026-01-01T02:40:15.02Z stderr F:t y\n",
        "2026-01-06T17:02:53.146902Z 00O a\r\n",
        "2026-01-06T17:02:53.146902Z 00O+b\n",
        "2026-01-06T17:02:53.146902Z 01E c\n",
        "{\"log\":\"a\\u00e9\\n\",\"stream\":\"stdout\",\"time\":1}\n",
        "{\"log\":\"b\",\"stream\":\"stdout\",\"time\":1}\n",
        "{\"log\":\"c\",\"container_id\":1,\"partial_message\":true,\"partial_id\":1}\n",
        "{\"__CURSOR\":1,\"MESSAGE\":[10,65]}\n",
        "{\"__CURSOR\":1,\"MESSAGE\":\"m\"}\n",
        "[{\"message\":\"a\",\"time\":1,\"type\":1}]\n",
        "{\"a\":1}\n",
        "\u{feff}é漢\n",
        "\n",
        "t=1 log=\"a\\nb\" n=2\n",
        "log=a\r\n",
        "2026-01-01T02:40:14.02Z std",
        "{\"log",
        "\u{0}\u{1b}",
    ]);
    prop::collection::vec(line, 0..24).prop_map(|lines| lines.concat().into_bytes())
}

proptest! {
    #[test]
    fn cuts_do_not_show(
        source in log(),
        wide in prop::bool::ANY,
        size in 1usize..90,
        mode in prop::sample::select(vec![
            Unwrap::Detect, Unwrap::Cri, Unwrap::Docker, Unwrap::Journald, Unwrap::Auto,
            "/log".parse().unwrap(), "logfmt:log".parse().unwrap(),
        ]),
    ) {
        let source = if wide {
            let text = String::from_utf8(source).unwrap();
            std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect()
        } else {
            source
        };
        let cut = unwrap(mode.clone(), source.chunks(size));
        assert_eq!(cut, unwrap(mode, [&source[..]]));
    }

    #[test]
    fn lines_of_no_transport_pass_with_their_places(
        source in prop::collection::vec(prop::sample::select(b"2 [{\"\n\r:a\xff".to_vec()), 0..200),
        size in 1usize..20,
        mode in prop::sample::select(vec![Unwrap::Detect, Unwrap::Cri, Unwrap::Auto]),
    ) {
        let traced = unwrap(mode, source.chunks(size));
        let mut plain = Traced::default();
        plain.take(Piece::plain(&source, 0));
        assert_eq!(traced, plain);
    }
}
