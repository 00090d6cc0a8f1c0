use crate::scan::{Scanner, Step};
use crate::text::Text;
use crate::view::{Object, ObjectMemory, Value};

fn written(text: Text<'_>) -> Vec<u8> {
    let mut json = Vec::new();
    text.write_json(&mut json);
    json
}

/// Returns the members of an object in the layout if that is known; they must equal the members in its text.
fn agrees(text: &str, scanner: &mut Scanner) -> bool {
    scanner.reset();
    let after = " ,{\"afterwards\":[{}]}";
    let (read, step) = scanner.scan(format!("{text}{after}").as_bytes(), 7, false);
    assert_eq!((read, step), (text.len(), Step::Complete), "{text}");
    let value = Value::new(text.as_bytes());
    let layout = scanner.layout(7, 7 + read as u64);
    let reported = |layout| {
        let object = Object::of_document(value, layout, ObjectMemory::default()).unwrap();
        object.members().collect::<Vec<_>>()
    };
    assert_eq!(
        reported(layout),
        value.members().collect::<Vec<_>>(),
        "{text}"
    );
    let object = Object::of_document(value, layout, ObjectMemory::default()).unwrap();
    for (name, value) in object.members() {
        let name = name.text().to_string_lossy().into_owned();
        let (reported, read) = (object.text(&name), object.get(&name).and_then(Value::text));
        assert_eq!(reported, read, "{text}");
        assert_eq!(reported.map(written), read.map(written), "{text}");
        let inner = object.object(&name);
        let reported = inner.map(|inner| inner.members().collect::<Vec<_>>());
        let last = value.members().collect::<Vec<_>>();
        assert_eq!(reported.unwrap_or_default(), last, "{text}");
    }
    layout.is_some()
}

#[test]
fn members_are_reported_wherever_they_stand_in_a_block() {
    let members = [
        r#""plain":"text","#,
        r#""escapes":"\n\"\\","others":"\/","after":"none","#,
        r#""brackets":"}],:{[\"","#,
        r#""object":{"a":[{"b":"\u0041,"},1],"c":{}},"array":[],"number":-1.5e3,"#,
        r#""empty":{},"empty, too":{ },"full":{"a":{},"b":1},"#,
        r#""name\n with \u0061":true,"na\\":[",",{":":":"}],"#,
        " \"spaced\" : { \"a\" : 1 }\r\n\t, \"more\"\n:\nnull  ,  ",
        r#""a name that is longer than most":1,"\\ a long one with an escape":2,"#,
    ];
    let long = |escape: &str| format!("\"long\":\"{}{escape}é\",", "x".repeat(90));
    let long = [r#"\n\\\"\t\\"#, r"\n\/", r"\u000a", r"\\/", ""].map(long);
    let members = members.into_iter().chain(long.iter().map(String::as_str));
    let members: Vec<&str> = members.collect();
    let mut scanner = Scanner::new(false).keeping_layout(true);
    for before in 0..70 {
        let first = format!(r#"{{"first":"{}","#, "x".repeat(before));
        let all = format!("{first}{}\"last\":\"\"}}", members.concat());
        assert!(agrees(&all, &mut scanner));
        for member in &members {
            assert!(agrees(
                &format!("{first}{member}\"last\":0 }}"),
                &mut scanner
            ));
        }
    }
    assert!(agrees(r#"{"a":"a","a":"b"}"#, &mut scanner));
    let long = "x".repeat(200 << 10);
    let _ = agrees(&format!("{{\"long\":\"{long}\"}}"), &mut scanner);
    let many = "{\"a\":[[]]},".repeat(20 << 10);
    assert!(!agrees(&format!("{{\"many\":[{many}0]}}"), &mut scanner));
    let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
    let _ = agrees(&format!("{{\"deep\":{deep},\"more\":1}}"), &mut scanner);
    assert!(agrees(r#"{"a":1}"#, &mut scanner));
}

#[test]
fn of_an_object_that_comes_in_pieces_nothing_is_kept() {
    let text = r#"{"type":"text","value":[1,2]}"#;
    let mut scanner = Scanner::new(false).keeping_layout(true);
    for cut in 1..text.len() {
        scanner.reset();
        let (head, tail) = text.as_bytes().split_at(cut);
        let (read, _) = scanner.scan(head, 0, false);
        let tail = &text.as_bytes()[read..read + head.len() - read + tail.len()];
        let (_, step) = scanner.scan(tail, read as u64, true);
        assert_eq!(step, Step::Complete);
        let layout = scanner.layout(0, text.len() as u64);
        assert!(layout.is_none(), "{cut}");
    }
}
