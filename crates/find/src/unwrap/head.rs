//! The heads of lines written by a transport: the only place that knows log formats by name.
//!
//! - containerd and other CRI runtimes (seen in containerd 1.x and 2.x, CRI-O 1.2x):
//!   `2016-10-20T18:39:20.57606443Z stdout P content`. `P` says that the next record of the same stream continues the
//!   content, `F` that the line is complete; `:tag`s may follow the letter.
//! - gitlab-runner with `FF_TIMESTAMPS` (seen in 17.x and 18.x): `2026-01-21T09:47:05.094270Z 00O+content`: the number
//!   of a stream in hexadecimal, `O` or `E`, and `+` if the content continues the previous line of that stream.

/// The longest head that is recognised, in bytes.
pub(super) const HEAD_LIMIT: usize = 128;

/// What a line starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineHead {
    /// More bytes are needed.
    Incomplete,
    /// The line has no head of a transport.
    None,
    /// The head of a record.
    Record(Record),
}

/// The head of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) transport: Transport,
    /// The stream, which distinguishes its records from those of others.
    pub(super) stream: [u8; 3],
    /// The length of the head, in bytes.
    pub(super) length: usize,
    /// The position in the head of the byte that says whether the record is a part of a line.
    pub(super) mark: usize,
    /// Whether the record is a part of a line.
    pub(super) part: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transport {
    /// A part is continued by the next record.
    Cri,
    /// A part continues the line before.
    Gitlab,
}

impl Transport {
    /// Returns the mark of a record that is a complete line.
    pub(super) const fn whole(self) -> &'static [u8] {
        match self {
            Self::Cri => b"F",
            Self::Gitlab => b" ",
        }
    }
}

/// Reads the head at the beginning of a line; `line` is as much of the line as has arrived.
pub(super) fn head(line: &[u8]) -> LineHead {
    let window = line.get(..HEAD_LIMIT).unwrap_or(line);
    match record(&mut HeadCursor {
        bytes: window,
        at: 0,
    }) {
        Ok(record) => LineHead::Record(record),
        Err(HeadStop::End) if line.len() < HEAD_LIMIT => LineHead::Incomplete,
        Err(_) => LineHead::None,
    }
}

enum HeadStop {
    End,
    Mismatch,
}

struct HeadCursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl HeadCursor<'_> {
    fn next(&mut self, fits: impl Fn(u8) -> bool) -> Result<u8, HeadStop> {
        let byte = *self.bytes.get(self.at).ok_or(HeadStop::End)?;
        if !fits(byte) {
            return Err(HeadStop::Mismatch);
        }
        self.at += 1;
        Ok(byte)
    }

    /// Reads a pattern: each `0` stands for any digit, every other byte for itself.
    fn pattern(&mut self, pattern: &[u8]) -> Result<(), HeadStop> {
        for &want in pattern {
            self.next(|byte| match want {
                b'0' => byte.is_ascii_digit(),
                _ => byte == want,
            })?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<usize, HeadStop> {
        let start = self.at;
        loop {
            match self.next(|byte| byte.is_ascii_digit()) {
                Ok(_) => {}
                Err(HeadStop::Mismatch) => return Ok(self.at - start),
                Err(HeadStop::End) => return Err(HeadStop::End),
            }
        }
    }
}

fn record(cursor: &mut HeadCursor<'_>) -> Result<Record, HeadStop> {
    cursor.pattern(b"0000-00-00T00:00:00")?;
    let mut fraction = 0;
    let mut zone = cursor.next(|byte| matches!(byte, b'.' | b'Z' | b'+' | b'-'))?;
    if zone == b'.' {
        fraction = cursor.digits()?;
        zone = cursor.next(|byte| matches!(byte, b'Z' | b'+' | b'-'))?;
    }
    if zone != b'Z' {
        cursor.pattern(b"00:00")?;
    }
    cursor.pattern(b" ")?;
    match cursor.next(|byte| byte == b's' || byte.is_ascii_hexdigit())? {
        b's' => cri(cursor),
        high if zone == b'Z' && fraction == 6 => gitlab(high, cursor),
        _ => Err(HeadStop::Mismatch),
    }
}

fn cri(cursor: &mut HeadCursor<'_>) -> Result<Record, HeadStop> {
    cursor.pattern(b"td")?;
    let stream = match cursor.next(|byte| matches!(byte, b'o' | b'e'))? {
        b'o' => {
            cursor.pattern(b"ut ")?;
            *b"out"
        }
        _ => {
            cursor.pattern(b"rr ")?;
            *b"err"
        }
    };
    let mark = cursor.at;
    let part = cursor.next(|byte| matches!(byte, b'P' | b'F'))? == b'P';
    let mut tags = cursor.next(|byte| matches!(byte, b':' | b' '))?;
    while tags != b' ' {
        tags = cursor.next(|byte| byte.is_ascii_graphic() || byte == b' ')?;
    }
    Ok(Record {
        transport: Transport::Cri,
        stream,
        length: cursor.at,
        mark,
        part,
    })
}

fn gitlab(high: u8, cursor: &mut HeadCursor<'_>) -> Result<Record, HeadStop> {
    let low = cursor.next(|byte| byte.is_ascii_hexdigit())?;
    let kind = cursor.next(|byte| matches!(byte, b'O' | b'E'))?;
    let mark = cursor.at;
    let part = cursor.next(|byte| matches!(byte, b' ' | b'+'))? == b'+';
    Ok(Record {
        transport: Transport::Gitlab,
        stream: [high, low, kind],
        length: cursor.at,
        mark,
        part,
    })
}

#[cfg(test)]
mod tests {
    use super::{HEAD_LIMIT, LineHead, Record, Transport, head};

    fn read(line: &str) -> Option<(Transport, [u8; 3], bool, &str)> {
        for cut in 0..line.len() {
            let early = head(&line.as_bytes()[..cut]);
            assert!(
                early == LineHead::Incomplete || early == head(line.as_bytes()),
                "{line} {cut}"
            );
        }
        match head(line.as_bytes()) {
            LineHead::Record(Record {
                transport,
                stream,
                length,
                part,
                ..
            }) => Some((transport, stream, part, &line[length..])),
            LineHead::None | LineHead::Incomplete => None,
        }
    }

    #[test]
    fn heads_of_both_transports_are_read_wherever_they_are_cut() {
        use Transport::{Cri, Gitlab};
        for (line, want) in [
            (
                "2016-10-20T18:39:20.57606443Z stdout P cri part",
                (Cri, *b"out", true, "cri part"),
            ),
            (
                "2016-10-06T00:17:09Z stderr F  x",
                (Cri, *b"err", false, " x"),
            ),
            (
                "2016-10-06T00:17:09.1+02:00 stderr F:a:b {}",
                (Cri, *b"err", false, "{}"),
            ),
            (
                "2026-01-21T09:47:05.094270Z 00O+\u{1b}[0K",
                (Gitlab, *b"00O", true, "\u{1b}[0K"),
            ),
            (
                "2026-01-21T09:47:05.094270Z aeE {",
                (Gitlab, *b"aeE", false, "{"),
            ),
        ] {
            assert_eq!(read(line), Some(want), "{line}");
        }
    }

    #[test]
    fn other_lines_have_none() {
        for line in [
            "{\"a\":1}\n",
            "2016-10-20T18:39:20.576Z stdout X x\n",
            "2016-10-20T18:39:20.576Z stdout\n",
            "2016-10-20T18:39:20.576Z stdin F x\n",
            "2021-03-08T09:25:40.8129545Z 00O x\n",
            "2026-01-21T09:47:05.094270+01:00 00O x\n",
            "2026-01-21 09:47:05.094270Z 00O x\n",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
        let endless = format!("2016-10-20T18:39:20.{}", "1".repeat(HEAD_LIMIT));
        assert_eq!(head(endless.as_bytes()), LineHead::None);
    }
}
