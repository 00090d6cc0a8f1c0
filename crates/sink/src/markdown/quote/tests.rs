//! What a quote of markdown contains.

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

use super::*;

#[test]
fn what_a_model_lays_out_is_laid_out() {
    let text = "# Title\n\nSome *soft* and **hard** ~~gone~~ `co|de`.\nNext line.\n\n\
        1. one\n2. two\n   - a\n   - b\n\n   more of two\n\n> quoted\n> twice\n\n\
        | a | b |\n|--:|---|\n| 1 | x\\|y |\n\n---\n\n```rust\nfn `main`() {}\n\n// ok\n```\n\n\
        - [x] done\n- [ ] open [link](https://a.example) ![img](http://b.example/c.png)\n";
    let want = "> #### Title\n>\n> Some *soft* and **hard** ~~gone~~ <code>co&#124;de</code>.\\\n> Next line.\n>\n\
        > 1. one\n>\n> 2. two\n>\n>    - a\n>    - b\n>\n>    more of two\n>\n> > quoted\\\n> > twice\n>\n\
        > | a | b |\n> | ---: | --- |\n> | 1 | x\\|y |\n>\n> ---\n>\n> ```\n> fn `main`() {}\n>\n> // ok\n> ```\n>\n\
        > - ☑ done\n> - ☐ open [link](<https://a.example>) [image: img](<http://b.example/c.png>)\n";
    assert_eq!(quote(text), want);
}

#[test]
fn what_means_something_else_is_text() {
    for (text, want) in [
        (
            "<b>x</b> &amp; @me #12 a_b _c",
            "> \\<b\\>x\\</b\\> \\& <span>@</span>me <span>#</span>12 a_b \\_c\n",
        ),
        (
            "&#10;# x\n&#45; y\n1\\. z\n$a$",
            "> \\# x\\\n> \\- y\\\n> 1\\. z\\\n> \\$a\\$\n",
        ),
        (
            "[a](javascript:alert(1)) [b](#s) ![c](/d)",
            "> a b image: c\n",
        ),
        (
            "[![a](http://a.example)](http://b.example)",
            "> [image: a](<http://b.example>)\n",
        ),
        (
            "Look\\![a](http://a.example) \\![b](http://b.example)",
            "> Look\\![a](<http://a.example>) \\![b](<http://b.example>)\n",
        ),
        (
            "\\![a](http://a.example) \\\\\\![b](http://b.example)",
            "> \\![a](<http://a.example>) \\\\\\![b](<http://b.example>)\n",
        ),
        (
            "\\[!NOTE\\]\\\n&#91;x]: y",
            "> \\[!NOTE\\]\\\n> \\[x\\]: y\n",
        ),
        ("&#96;&#96;&#96;\nx", "> \\`\\`\\`\\\n> x\n"),
    ] {
        assert_eq!(quote(text), want, "{text}");
    }
}

/// Returns the text of some markdown, without its layout.
fn words(markdown: &str) -> String {
    let mut words = String::new();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match event {
            Event::Text(text) | Event::Code(text) => words.push_str(&text),
            Event::InlineHtml(_) => {}
            _ => words.push(' '),
        }
    }
    words.retain(|c| c.is_ascii_alphanumeric());
    words
}

fn pieces() -> impl Strategy<Value = String> {
    const PIECES: [&str; 42] = [
        "a",
        "B",
        " ",
        "\n",
        "\n\n",
        "    ",
        "\t",
        "# ",
        "- ",
        "1. ",
        "> ",
        "```",
        "~~~",
        "`",
        "*",
        "**",
        "_",
        "~~",
        "[",
        "](http://a.example)",
        "]",
        "![",
        "<b>",
        "</details>",
        "<!--",
        "-->",
        "&#10;",
        "&#96;",
        "&lt;",
        "\\",
        "| ",
        "|-|-|\n",
        "---\n",
        "===\n",
        "@me",
        "#1",
        "- [x] ",
        "[^1]",
        "$$",
        "::error::",
        "\u{a0}",
        "[a]: b\n",
    ];
    let piece = proptest::sample::select(PIECES.to_vec());
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// Whatever an answer is: all of it stands in one quote, which it neither ends nor begins anew; nothing in it
    /// is HTML but the tags that break up mentions and make code; and nothing of its text is lost.
    #[test]
    fn nothing_leaves_its_quote(text in pieces()) {
        let report = format!("before\n\n{}\n<details>after", quote(&text));
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
        let (mut depth, mut quotes, mut outside) = (0, 0, String::new());
        for event in Parser::new_ext(&report, options) {
            match event {
                Event::Start(Tag::BlockQuote(_)) => {
                    quotes += usize::from(depth == 0);
                    depth += 1;
                }
                Event::End(TagEnd::BlockQuote(_)) => depth -= 1,
                Event::Html(html) if depth > 0 => prop_assert!(false, "{html} in {report}"),
                Event::InlineHtml(html) if depth > 0 => {
                    let known = ["<span>", "</span>", "<code>", "</code>"];
                    prop_assert!(known.contains(&&*html), "{html} in {report}");
                }
                Event::Start(Tag::Link { dest_url, .. }) => {
                    prop_assert_eq!(&*dest_url, "http://a.example", "{}", report);
                }
                Event::Start(Tag::Image { .. }) => prop_assert!(false, "{}", report),
                Event::Text(text) | Event::Html(text) if depth == 0 => outside.push_str(&text),
                _ => {}
            }
        }
        prop_assert!(quotes <= 1, "{report}");
        prop_assert_eq!(outside.trim(), "before<details>after", "{}", report);
        let shown = words(&quote(&text));
        let missing = words(&text).replace("image", "") != shown.replace("image", "");
        prop_assert!(!missing || text.contains(['<', '~', '[', '$', '|', '&', '`', '\\']), "{report}");
    }
}
