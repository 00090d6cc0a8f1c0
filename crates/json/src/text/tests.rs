use super::Text;

fn json(text: &Text<'_>) -> String {
    let mut out = Vec::new();
    text.write_json(&mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn escapes_are_decoded_and_written_back() {
    let text = Text::decode(br#"a\"b\\c\/d\n\t\u00e9\u0001"#);
    assert_eq!(text, "a\"b\\c/d\n\té\u{1}");
    assert_eq!(json(&text), r#""a\"b\\c/d\n\té\u0001""#);
}

#[test]
fn text_without_escapes_is_borrowed() {
    let raw = "plain é 😀".as_bytes();
    let text = Text::decode(raw);
    assert_eq!(text.as_bytes().as_ptr(), raw.as_ptr());
}

#[test]
fn a_text_is_small() {
    assert!(size_of::<Option<Text<'_>>>() <= 4 * size_of::<usize>());
}

#[test]
fn a_split_surrogate_pair_is_joined() {
    let mut text = Text::decode(br"smile \ud83d").into_owned();
    assert_eq!(text.as_str(), None);
    assert_eq!(json(&text), r#""smile \ud83d""#);
    assert_eq!(text.to_string_lossy(), "smile \u{fffd}");
    text.push(&Text::decode(br"\ude00 done"));
    assert_eq!(text, "smile 😀 done");
}

#[test]
fn a_pair_of_escapes_is_one_character_and_lone_halves_stay() {
    assert_eq!(Text::decode(br"\ud83d\ude00"), "😀");
    let text = Text::decode(br"\ude00x\ud83dy\ud83d");
    assert_eq!(json(&text), r#""\ude00x\ud83dy\ud83d""#);
    assert_eq!(text.to_string_lossy(), "\u{fffd}x\u{fffd}y\u{fffd}");
}

#[test]
fn lone_surrogates_become_their_escapes() {
    let escapes = |raw: &str| Text::decode(raw.as_bytes()).with_escapes().into_owned();
    let bytes = |text: &str| text.as_bytes().to_vec();
    assert_eq!(
        escapes(r"a\ud83d\udfffb\udc00\ud800"),
        bytes("a\u{1f7ff}b\\udc00\\ud800")
    );
    assert_eq!(
        escapes(r"\ud7ff\ud83d\ue000"),
        bytes("\u{d7ff}\\ud83d\u{e000}")
    );
    assert_eq!(escapes(r"\ud7ff\ue000"), bytes("\u{d7ff}\u{e000}"));
}

#[test]
fn a_character_next_to_the_surrogates_is_no_surrogate() {
    assert_eq!(json(&Text::from("\u{d7ff}")), "\"\u{d7ff}\"");
}

#[test]
fn text_is_written_the_same_whether_it_was_looked_at_or_not() {
    for raw in [
        r#"all \ that \" has \n to \t be"#,
        r"\/",
        r"\u0041\u0000",
        r"\ud83d and \ud83d\ude00",
        "a long text without anything in it that would have to be escaped, and then \\n",
    ] {
        let looked_at = Text::decode(raw.as_bytes());
        let decoded = Text::from(looked_at.to_string_lossy().into_owned());
        if decoded == looked_at {
            assert_eq!(json(&Text::decode(raw.as_bytes())), json(&decoded));
        }
        assert_eq!(
            json(&Text::decode(raw.as_bytes())),
            json(&looked_at.into_owned())
        );
    }
}

#[test]
fn what_has_to_be_escaped_is_found_wherever_it_stands() {
    for before in 0..70 {
        let text = format!("{}\u{1}{}", "x".repeat(before), "y".repeat(40));
        let want = format!("\"{}\\u0001{}\"", "x".repeat(before), "y".repeat(40));
        assert_eq!(json(&Text::from(text.as_str())), want);
    }
}

#[test]
fn broken_escapes_do_no_harm() {
    for raw in [&br"\"[..], br"\u", br"\u12", br"\uzzzz", br"\x"] {
        let _ = json(&Text::decode(raw));
    }
}
