use super::Window;
use crate::span::Position;
use jsift_json::cost;

#[test]
fn positions_count_line_feeds_whatever_is_forgotten() {
    let text = b"ab\ncd\n\nefg";
    let last = text.len() as u64;
    for (forget, look) in (0..=last).flat_map(|at| (0..=last).map(move |look| (at, look))) {
        let mut window = Window::new();
        window.push(text);
        window.position(look);
        window.forget(forget);
        for offset in forget..=text.len() as u64 {
            let before = &text[..offset as usize];
            let feeds = before.iter().filter(|&&byte| byte == b'\n').count();
            let column = before.len()
                - before
                    .iter()
                    .rposition(|&b| b == b'\n')
                    .map_or(0, |at| at + 1);
            assert_eq!(
                window.position(offset),
                Position {
                    line: feeds as u64 + 1,
                    column: column as u64 + 1,
                    offset
                }
            );
        }
    }
}

#[test]
fn what_is_passed_is_not_counted() {
    let mut window = Window::new();
    let steps = cost::steps();
    window.push(b"\n{\"a\":1}\n{}");
    let before = window.position(1);
    window.pass(1, 8);
    let after = window.position(8);
    assert_eq!((before.line, before.column), (2, 1));
    assert_eq!((after.line, after.column, after.offset), (2, 8, 8));
    assert_eq!(cost::steps() - steps, 1);
    let next = window.position(9);
    assert_eq!((next.line, next.column, next.offset), (3, 1, 9));
    assert_eq!(cost::steps() - steps, 2);
    // Offset 10 was not looked up.
    window.pass(10, 11);
    assert_eq!(window.position(11).column, 3);
}

#[test]
fn lines_that_are_passed_one_after_the_other_are_not_counted() {
    let mut window = Window::new();
    let steps = cost::steps();
    window.push(b"[1]\n[2]\n[3]");
    window.pass(0, 3);
    window.pass_lines(4, 1, 8, 11);
    let after = window.position(11);
    assert_eq!((after.line, after.column, after.offset), (3, 4, 11));
    assert_eq!(cost::steps() - steps, 1);
}

#[test]
fn what_is_set_aside_is_blank_and_in_no_text() {
    let mut window = Window::new();
    window.push(b"[1,\nb x\n2]\n");
    window.set_aside(4, 8);
    assert_eq!(window.from(0), b"[1,\n   \n2]\n");
    assert_eq!(&*window.text(0, 11), b"[1,\n2]\n".as_slice());
    assert_eq!(window.aside_at(4), (Some(8), 8));
    window.show_until(4);
    assert_eq!((window.from(0), window.end()), (&b"[1,\n"[..], 4));
}

#[test]
fn pieces_lead_back_to_the_source() {
    let mut window = Window::new();
    window.push_at(
        b"ab",
        Position {
            line: 1,
            column: 3,
            offset: 2,
        },
        2,
    );
    window.push_at(
        "é".as_bytes(),
        Position {
            line: 1,
            column: 7,
            offset: 6,
        },
        1,
    );
    window.push_at(
        b"\nc",
        Position {
            line: 1,
            column: 9,
            offset: 8,
        },
        2,
    );
    assert_eq!(window.position(1).offset, 4);
    assert_eq!(
        window.position(4),
        Position {
            line: 1,
            column: 9,
            offset: 8
        }
    );
    assert_eq!(
        window.position(5),
        Position {
            line: 2,
            column: 1,
            offset: 10
        }
    );
}
