//! Ways to put a text after a prefix.

/// What puts a text after a prefix.
pub(crate) type Wrap = fn(&str) -> String;

/// All of them, by name.
pub(crate) const WRAPS: [(&str, Wrap); 24] = [
    ("literal", |text| after(text, |_| "app | ".into())),
    ("colour", |text| {
        after(text, |_| "\u{1b}[36mapp-1  | \u{1b}[0m".into())
    }),
    ("stamp", |text| {
        after(text, |line| {
            format!("2026-01-01T00:00:{:02}.000Z ", line % 60)
        })
    }),
    ("seconds", |text| {
        after(text, |line| {
            format!("[{:12.6}] kernel: ", line as f64 * 1.7 + 8.5)
        })
    }),
    ("seconds in colour", |text| {
        after(text, |line| {
            let seconds = line as f64 * 1.7 + 8.5;
            format!("\u{1b}[32m[{seconds:12.6}] \u{1b}[0m\u{1b}[33mkernel: \u{1b}[0m")
        })
    }),
    ("syslog", |text| {
        after(text, |line| {
            format!("Jan  2 03:04:{:02} host app[4711]: ", line % 60)
        })
    }),
    ("container", |text| {
        after(text, |line| {
            format!(
                "2026-01-01T00:00:{:02}.{:09}Z stdout F ",
                line % 60,
                line * 1_234_567
            )
        })
    }),
    ("elapsed", |text| {
        after(text, |line| {
            format!("{} [main] INFO com.acme.App - ", 998 + 3 * line)
        })
    }),
    ("words", |text| {
        after(text, |_| {
            "\u{1b}[36mpod-7f\u{1b}[0m \u{1b}[32mapp\u{1b}[0m ".into()
        })
    }),
    ("digits", |text| {
        after(text, |line| format!("<{}>app: ", 13 + line))
    }),
    ("counter", |text| {
        after(text, |line| format!("worker: {line}: "))
    }),
    ("pod", |text| after(text, |_| "[pod/web-7f/app] ".into())),
    ("tabs", |text| {
        after(text, |line| {
            format!("job\tstep\t\u{feff}2026-01-01T00:00:00.{line:03}Z ")
        })
    }),
    ("grep in colour", |text| {
        after(text, |line| {
            let line = 98 + line;
            format!(
                "\u{1b}[35ma.log\u{1b}[m\u{1b}[36m:\u{1b}[m\u{1b}[32m{line}\u{1b}[m\u{1b}[36m:\u{1b}[m"
            )
        })
    }),
    ("source line", |text| {
        after(text, |line| {
            format!(
                "I0101 00:00:{:02}.{:06}    1234 main.go:12] ",
                line % 60,
                line * 7_919
            )
        })
    }),
    ("fields", |text| {
        after(text, |line| {
            format!("2026-01-01T00:00:{:02}.000Z\tc6af9ac6\tINFO\t", line % 60)
        })
    }),
    ("comment", |text| after(text, |_| " * ".into())),
    ("quote", |text| after(text, |_| "> ".into())),
    ("box", |text| boxed(text, "│", usize::MAX)),
    ("box in colour", |text| {
        boxed(text, "\u{1b}[90m│\u{1b}[0m", usize::MAX)
    }),
    ("narrow box", |text| boxed(text, "│", 24)),
    ("next to one", |text| alongside(text, 1, 1)),
    ("next to several", |text| alongside(text, 5, 3)),
    ("next to many", |text| alongside(text, 40, 40)),
];

/// Those for a text that a program prints in one go.
pub(crate) const CELLS: [(&str, Wrap); 2] = [
    ("box around a cell", |text| {
        boxed(&in_column(text, "│"), "│", usize::MAX)
    }),
    ("cell", |text| in_column(text, "|")),
];

fn after(text: &str, prefix: impl Fn(usize) -> String) -> String {
    let put = |(number, line)| format!("{}{line}\n", prefix(number));
    text.lines().enumerate().map(put).collect()
}

/// What terminal programs draw around a text, up to this width. A longer line has no right side, but for the first,
/// from which the side is learned.
fn boxed(text: &str, side: &str, most: usize) -> String {
    let length = |line: &str| line.chars().count();
    let width = text.lines().map(length).max().unwrap_or_default().min(most);
    let line = "─".repeat(width + 2);
    let put = |(number, line)| match number > 0 && length(line) > width {
        true => format!("{side} {line}\n"),
        false => format!("{side} {line:width$} {side}\n"),
    };
    let inside: String = text.lines().enumerate().map(put).collect();
    format!("╭{line}╮\n{inside}╰{line}╯\n")
}

/// In the second column of a table. Only the first line of a row has text in the first column.
fn in_column(text: &str, side: &str) -> String {
    after(text, |line| match line {
        0 => format!("Zoë 1 {side} "),
        _ => format!("      {side} "),
    })
}

/// After a prefix, with up to so many lines of other sources before each line, as many as there are.
fn alongside(text: &str, most: usize, sources: usize) -> String {
    let mut wrapped = String::new();
    for (number, line) in text.lines().enumerate() {
        for other in 0..number * 7 % (most + 1) {
            let source = (number + other) % sources;
            let said = ["ready", "GET /a 200 in 12 ms", "it's 5\" wide"][(number + other) % 3];
            wrapped.push_str(&format!("db-{source} | {said}\n"));
        }
        wrapped.push_str(&format!("app  | {line}\n"));
    }
    wrapped
}

/// The lines of two texts in one log, each after the prefix of its source. The second text begins later.
pub(crate) fn interleaved([first, second]: [&str; 2], [text, other]: [&str; 2]) -> String {
    let mut others = other.lines();
    let mut log = String::new();
    for (number, line) in text.lines().enumerate() {
        log.push_str(&format!("{first}{line}\n"));
        let said = others.by_ref().take(number.min(2));
        log.extend(said.map(|line| format!("{second}{line}\n")));
    }
    log.extend(others.map(|line| format!("{second}{line}\n")));
    log
}
