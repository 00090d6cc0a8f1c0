use super::{Kind, Object, ObjectMemory, Value};

fn value(text: &str) -> Value<'_> {
    Value::new(text.as_bytes())
}

fn raw(value: Option<Value<'_>>) -> Option<&str> {
    value.map(|v| std::str::from_utf8(v.raw()).unwrap())
}

#[test]
fn members_are_read_in_their_order_whatever_they_hold() {
    let text =
        r#" { "a" : 1 , "b":{"x":["}",{"]":"\\\""}]} ,"c":[ ],"d":"\"}" , "e":null,"f":-1.5e3 } "#;
    let read: Vec<String> = value(text)
        .members()
        .map(|(k, v)| format!("{}={}", k.text().to_string_lossy(), raw(Some(v)).unwrap()))
        .collect();
    assert_eq!(
        read,
        [
            "a=1",
            r#"b={"x":["}",{"]":"\\\""}]}"#,
            "c=[ ]",
            r#"d="\"}""#,
            "e=null",
            "f=-1.5e3"
        ]
    );
}

#[test]
fn a_repeated_name_gives_its_last_value() {
    let text = r#"{"id":"item_0","type":"web_search","id":"ws_1"}"#;
    assert!(value(text).get("id").unwrap().is("ws_1"));
    let object = Object::new(value(text)).unwrap();
    assert!(object.is("id", "ws_1") && object.is("type", "web_search") && !object.has("other"));
}

#[test]
fn members_are_found_however_many_there_are() {
    for count in [0, 1, 7, 8, 9, 20, 253, 254, 255, 256, 300] {
        let members = (0..count).map(|n| format!("\"name_{n}\":{n},"));
        let text = format!("{{{}\"a\":0,\"a\":{count}}}", members.collect::<String>());
        let object = Object::new(value(&text)).unwrap();
        assert_eq!(object.members().count() as u64, count + 2);
        for n in 0..count + 300 {
            let wanted = (n < count).then_some(n);
            assert_eq!(object.u64(&format!("name_{n}")), wanted, "{count}");
        }
        assert_eq!(object.u64("a"), Some(count));
    }
}

#[test]
fn an_object_in_the_memory_of_another_has_only_its_own_members() {
    let mut memory = ObjectMemory::default();
    for text in [r#"{"a":1,"b":2}"#, "{}", r#"{"c":3}"#] {
        let object = Object::of_document(value(text), None, memory).unwrap();
        let members: Vec<_> = object.members().collect();
        assert_eq!(members, value(text).members().collect::<Vec<_>>());
        assert_eq!(object.has("a"), text.contains('a'));
        assert_eq!(object.get_any("a"), object.get("a"));
        memory = object.into_memory();
    }
}

#[test]
fn names_and_strings_with_escapes_are_compared_decoded() {
    let text = r#"{"a\u0062c":"\u0078"}"#;
    assert!(value(text).get("abc").unwrap().is("x"));
}

#[test]
fn numbers_are_read_as_what_they_are() {
    assert_eq!(value("18446744073709551615").as_u64(), Some(u64::MAX));
    assert_eq!(value("3.0").as_u64(), Some(3));
    assert_eq!(value("1.5").as_u64(), None);
    assert_eq!(value("-3").as_u64(), None);
    assert_eq!(value("-3").as_i64(), Some(-3));
    assert_eq!(value("\"3\"").as_u64(), Some(3));
    assert_eq!(value("\"3 ms\"").as_u64(), None);
    assert_eq!(value("0.25").as_f64(), Some(0.25));
    assert_eq!(value("1e999").as_f64(), None);
}

#[test]
fn compact_takes_only_white_space_between_tokens() {
    let text = "{ \"a b\" : [ 1 ,\n \"c  \\\" d\" ] }";
    assert_eq!(value(text).compact().as_ref(), br#"{"a b":[1,"c  \" d"]}"#);
    assert!(matches!(
        value("{\"a\":1}").compact(),
        std::borrow::Cow::Borrowed(_)
    ));
}

#[test]
fn deep_nesting_needs_no_stack() {
    let text = format!(
        "{{\"deep\":{}{},\"last\":1}}",
        "[".repeat(1_000_000),
        "]".repeat(1_000_000)
    );
    assert_eq!(value(&text).get("last").unwrap().as_u64(), Some(1));
}

#[test]
fn text_that_is_no_json_does_no_harm() {
    for text in [
        "",
        "{",
        "[",
        "{\"",
        "{\"a",
        "{\"a\"",
        "{\"a\":",
        "[,]",
        "]",
        "\"",
        "\"\\",
        "{\"a\"::}",
        "[1 2 [ ",
    ] {
        let value = value(text);
        let _ = (value.kind(), value.text(), value.as_u64(), value.compact());
        let _ = (
            value.members().count(),
            value.elements().count(),
            value.pointer("/a/0"),
        );
    }
}

#[test]
fn kinds_are_distinguished_by_the_first_byte() {
    let kinds =
        ["{}", "[]", "\"\"", "0", "-1", "true", "false", "null"].map(|text| value(text).kind());
    use Kind::{Array, Boolean, Null, Number, Object, String};
    assert_eq!(
        kinds,
        [
            Object, Array, String, Number, Number, Boolean, Boolean, Null
        ]
    );
}
