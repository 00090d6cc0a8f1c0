//! Documents as the elements of one array, which is written piece by piece.

use std::io;

use super::{Layout, Printer, Room, TokenKind, write};

/// Writes an element with what comes before it: the opening bracket or a comma. `first` says that it is the first one.
///
/// # Errors
///
/// Fails if `out` does.
pub fn write_element(
    out: &mut impl Room,
    text: &[u8],
    layout: Layout,
    color: bool,
    first: bool,
) -> io::Result<()> {
    let (kind, separator) = match first {
        true => (TokenKind::Open, b"["),
        false => (TokenKind::Comma, b","),
    };
    let mut printer = Printer::new(out, layout, color);
    printer.put(kind, separator)?;
    match layout {
        Layout::Pretty(indent @ 1..) => {
            printer.depth = 1;
            printer.new_line(indent)?;
            printer.print(text.trim_ascii())
        }
        _ => write(out, text, layout, color),
    }
}

/// Ends the array; `empty` says that no element was written.
///
/// # Errors
///
/// Fails if `out` does.
pub fn end_array(out: &mut impl Room, layout: Layout, color: bool, empty: bool) -> io::Result<()> {
    let mut printer = Printer::new(out, layout, color);
    match (layout, empty) {
        (_, true) => printer.put(TokenKind::Open, b"[")?,
        (Layout::Pretty(indent @ 1..), false) => printer.new_line(indent)?,
        _ => {}
    }
    printer.put(TokenKind::Close, b"]")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(elements: &[&str], layout: Layout, color: bool) -> String {
        let mut out = Vec::new();
        for (index, element) in elements.iter().enumerate() {
            write_element(&mut out, element.as_bytes(), layout, color, index == 0).unwrap();
        }
        end_array(&mut out, layout, color, elements.is_empty()).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn an_array_looks_like_a_document_that_is_one() {
        for elements in [&[][..], &["1"], &["{ \"a\": [1, {}] }", "[]", "\"x\""]] {
            let whole = format!("[{}]", elements.join(","));
            for layout in [Layout::Compact, Layout::Pretty(0), Layout::Pretty(2)] {
                for color in [false, true] {
                    let mut out = Vec::new();
                    write(&mut out, whole.as_bytes(), layout, color).unwrap();
                    let out = String::from_utf8(out).unwrap();
                    assert_eq!(array(elements, layout, color), out, "{layout:?} {color}");
                }
            }
        }
        assert_eq!(
            array(&["{ }", "[ 1 ]"], Layout::AsFound, false),
            "[{ },[ 1 ]]"
        );
    }
}
