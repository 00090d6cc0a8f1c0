//! The members of a document, by the marks that the scanner has kept of it.

use super::{Key, Value};
use crate::json::tape::Marks;

/// Hands the members of an object on, in their order.
pub(super) fn members<'a>(
    text: &'a [u8],
    marks: &[Marks],
    mut take: impl FnMut(Key<'a>, Value<'a>),
) {
    let mut depth = 1_usize;
    let (mut start, mut colon) = (1, 1);
    let mut end_member = |start, colon, end| {
        if let Some((name, value)) = member(text, start, colon, end) {
            take(name, value);
        }
    };
    for block in marks {
        let all = block.brackets | block.separators;
        // Inside the values of members nothing but brackets matters.
        let mut left = if depth == 1 { all } else { block.brackets };
        while left != 0 {
            let place = left.trailing_zeros();
            let at = block.at + place as usize;
            left &= left - 1;
            match text.get(at) {
                Some(b':') => colon = at,
                Some(b',') => {
                    end_member(start, colon, at);
                    start = at + 1;
                }
                Some(b'{' | b'[') => {
                    depth += 1;
                    left &= block.brackets;
                }
                Some(b'}' | b']') if depth > 1 => {
                    depth -= 1;
                    if depth == 1 {
                        left = all & u64::MAX << place << 1;
                    }
                }
                _ => return end_member(start, colon, at),
            }
        }
    }
}

/// The member that stands between two places, with the colon between its name and its value.
#[inline(always)]
fn member(text: &[u8], start: usize, colon: usize, end: usize) -> Option<(Key<'_>, Value<'_>)> {
    let (start, name) = part(text, start, colon);
    let [b'"', name @ .., b'"'] = name else {
        return None;
    };
    let (_, raw) = part(text, colon + 1, end);
    Some((Key::at(text, start + 1, name), Value { raw }))
}

/// What stands between two places but for white space, and where that begins.
#[inline(always)]
fn part(text: &[u8], start: usize, end: usize) -> (usize, &[u8]) {
    let part = text.get(start..end).unwrap_or_default();
    match part {
        [b'!'..=0xff, .., b'!'..=0xff] => (start, part),
        // White space, or one byte only.
        _ => {
            let part = part.trim_ascii_end();
            let behind = part.trim_ascii_start();
            (start + part.len() - behind.len(), behind)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::json::scan::{Scanner, Step};
    use crate::json::view::{Object, Value};

    /// Whether the marks of an object are known, which must tell the same as its text.
    fn agrees(text: &str, scanner: &mut Scanner) -> bool {
        scanner.reset();
        let behind = " ,{\"behind\":[{}]}";
        let (read, step) = scanner.scan(format!("{text}{behind}").as_bytes(), 7, false);
        assert_eq!((read, step), (text.len(), Step::Complete), "{text}");
        let value = Value::new(text.as_bytes());
        let marks = scanner.marks(7, 7 + read as u64);
        let told = |marks| {
            let object = Object::marked(value, marks).unwrap();
            object.members().collect::<Vec<_>>()
        };
        assert_eq!(told(marks), value.members().collect::<Vec<_>>(), "{text}");
        marks.is_some()
    }

    #[test]
    fn members_are_told_wherever_they_stand_in_a_block() {
        let members = [
            r#""plain":"text","#,
            r#""escapes":"\n\"\\","others":"\/","after":"none","#,
            r#""brackets":"}],:{[\"","#,
            r#""object":{"a":[{"b":"\u0041,"},1],"c":{}},"array":[],"number":-1.5e3,"#,
            r#""name\n with \u0061":true,"na\\":[",",{":":":"}],"#,
            " \"spaced\" : { \"a\" : 1 }\r\n\t, \"more\"\n:\nnull  ,  ",
            r#""a name that is longer than most":1,"\\ a long one with an escape":2,"#,
        ];
        let mut scanner = Scanner::new(false).keeping_marks(true);
        for before in 0..70 {
            let first = format!(r#"{{"first":"{}","#, "x".repeat(before));
            let all = format!("{first}{}\"last\":\"\"}}", members.concat());
            assert!(agrees(&all, &mut scanner));
            for member in members {
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
        let mut scanner = Scanner::new(false).keeping_marks(true);
        for cut in 1..text.len() {
            scanner.reset();
            let (head, tail) = text.as_bytes().split_at(cut);
            let (read, _) = scanner.scan(head, 0, false);
            let tail = &text.as_bytes()[read..read + head.len() - read + tail.len()];
            let (_, step) = scanner.scan(tail, read as u64, true);
            assert_eq!(step, Step::Complete);
            let marks = scanner.marks(0, text.len() as u64);
            assert!(marks.is_none(), "{cut}");
        }
    }
}
