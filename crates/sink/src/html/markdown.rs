//! Renders a model's markdown as HTML that contains no markup of the model's own.
//!
//! A model's text is hostile: HTML in it is shown as text; images are not loaded; links lead only to web or mail
//! addresses; headings are lower than those of the page; invisible characters are escaped, even if they come from an
//! entity.

use std::borrow::Cow;

use maud::{Markup, PreEscaped, Render as _};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::excerpt::Excerpt;
use super::plain::{Plain, left_out};
use crate::sanitize::{is_hidden, sanitize};

/// How deep elements may be nested; deeper ones are shown at this depth.
const DEPTH: usize = 24;

/// Renders a text below a heading of this level, 1 to 6.
pub(super) fn markdown(text: &str, level: u8) -> Markup {
    let mut tamed = Tamed {
        level,
        ..Tamed::default()
    };
    let events = parsed(text).filter_map(|event| tamed.event(event));
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, events);
    PreEscaped(html)
}

/// Parses a model's markdown, with the extensions that GitHub has, too.
pub(crate) fn parsed(text: &str) -> Parser<'_> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    Parser::new_ext(text, options)
}

/// Renders a text that may be cut.
pub(super) fn excerpt(text: &Excerpt, level: u8) -> Markup {
    let (head, cut, tail) = text.parts();
    if cut == 0 {
        return markdown(&text.beginning(), level);
    }
    maud::html! {
        (markdown(head, level))
        p { (left_out(cut)) }
        (markdown(tail, level))
    }
}

/// Makes the parser's output harmless.
#[derive(Debug, Default)]
struct Tamed {
    level: u8,
    depth: usize,
    /// How many elements are open that are not shown.
    dropped: usize,
    /// The ends of the open links and images; only the outermost one is a link.
    links: Vec<&'static str>,
}

impl Tamed {
    /// Returns the harmless form of an event; `None` if it is not shown.
    fn event<'a>(&mut self, event: Event<'a>) -> Option<Event<'a>> {
        Some(match event {
            Event::Start(tag) => return self.start(tag),
            Event::End(tag) => return self.end(tag),
            Event::Code(text) => Event::Code(shown(text)),
            // A model's line breaks are intended to be visible.
            Event::SoftBreak | Event::HardBreak => Event::HardBreak,
            Event::Rule => Event::Rule,
            Event::TaskListMarker(done) => Event::Text(if done { "☑ " } else { "☐ " }.into()),
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => Event::Text(shown(text)),
        })
    }

    fn start<'a>(&mut self, tag: Tag<'a>) -> Option<Event<'a>> {
        if self.dropped > 0 || self.depth >= DEPTH {
            self.dropped += 1;
            return None;
        }
        self.depth += 1;
        Some(match tag {
            Tag::Heading { level, .. } => Event::Start(Tag::Heading {
                level: self.heading(level),
                id: None,
                classes: Vec::new(),
                attrs: Vec::new(),
            }),
            Tag::CodeBlock(_) => Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)),
            Tag::HtmlBlock => html("<p class=\"raw\">".to_owned()),
            Tag::Link { dest_url, .. } => self.link(&dest_url, ""),
            Tag::Image { dest_url, .. } => self.link(&dest_url, "image: "),
            tag => Event::Start(tag),
        })
    }

    fn end<'a>(&mut self, tag: TagEnd) -> Option<Event<'a>> {
        if self.dropped > 0 {
            self.dropped -= 1;
            return None;
        }
        self.depth = self.depth.saturating_sub(1);
        Some(match tag {
            TagEnd::Heading(level) => Event::End(TagEnd::Heading(self.heading(level))),
            TagEnd::HtmlBlock => html("</p>".to_owned()),
            TagEnd::Link | TagEnd::Image => html(self.links.pop().unwrap_or_default().to_owned()),
            tag => Event::End(tag),
        })
    }

    fn heading(&self, level: HeadingLevel) -> HeadingLevel {
        let level = usize::from(self.level) + level as usize;
        HeadingLevel::try_from(level.min(6)).unwrap_or(HeadingLevel::H6)
    }

    /// Returns the start of a link or, if no link is allowed here, of its replacement.
    fn link<'a>(&mut self, address: &str, before: &str) -> Event<'a> {
        let allowed = self.links.iter().all(|end| end.is_empty()) && is_harmless(address);
        let mut start = String::new();
        if allowed {
            let link = maud::html! { a href=(address) title=(address) rel="noopener noreferrer nofollow" {} };
            let link = link.into_string();
            start.push_str(link.strip_suffix("</a>").unwrap_or_default());
        }
        self.links.push(if allowed { "</a>" } else { "" });
        start.push_str(before);
        html(start)
    }
}

/// Returns whether an address is a complete web or mail address.
pub(crate) fn is_harmless(address: &str) -> bool {
    let scheme = address.split_once(':').map_or("", |(scheme, _)| scheme);
    let known = ["http", "https", "mailto"];
    known.iter().any(|known| scheme.eq_ignore_ascii_case(known))
        && !address.chars().any(|c| is_hidden(c) || c.is_whitespace())
}

fn html<'a>(html: String) -> Event<'a> {
    Event::InlineHtml(html.into())
}

fn shown(text: CowStr<'_>) -> CowStr<'_> {
    match sanitize(&text, true, false) {
        Cow::Borrowed(_) => text,
        Cow::Owned(clean) => clean.into(),
    }
}

/// Renders a text without interpreting markdown.
pub(super) fn verbatim(text: &Excerpt) -> Markup {
    let (head, cut, tail) = text.parts();
    let mut html = String::new();
    Plain(head).render_to(&mut html);
    if cut > 0 {
        left_out(cut).render_to(&mut html);
    }
    Plain(tail).render_to(&mut html);
    PreEscaped(html)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        markdown(text, 3).into_string()
    }

    #[test]
    fn html_is_shown_and_not_obeyed() {
        for attack in [
            "<script>alert(1)</script>",
            "a <img src=x onerror=alert(1)> b",
            "<div\nonclick=alert(1)>\n\n</div>",
            "<!-- x --> <?php ?> <![CDATA[x]]>",
            "```html\n</code></pre><script>\n```",
            "`</code><script>`",
            "| <b> |\n|---|\n| <script> |",
            "[<script>](http://a.example)",
            "![<script>](http://a.example)",
            "&lt;script&gt;",
        ] {
            let html = shown(attack);
            for tag in [
                "<script",
                "<img",
                "<div",
                "<!--",
                "<?",
                "<![",
                "<b>",
                "onerror=alert(1)>",
            ] {
                assert!(!html.contains(tag), "{attack:?} gives {html}");
            }
        }
    }

    #[test]
    fn links_lead_to_the_web_or_a_mail() {
        assert_eq!(
            shown("[a](https://a.example/?b&c)"),
            "<p><a href=\"https://a.example/?b&amp;c\" title=\"https://a.example/?b&amp;c\" rel=\"noopener noreferrer nofollow\">a</a></p>\n"
        );
        assert!(shown("<mailto:a@b.example>").contains("href=\"mailto:a@b.example\""));
        for address in [
            "javascript:alert(1)",
            "JAVASCRIPT:alert(1)",
            "java&#115;cript:alert(1)",
            "&#1;javascript:alert(1)",
            "data:text/html,a",
            "vbscript:x",
            "file:///etc/passwd",
            "//a.example",
            "src/main.rs",
            "#s1",
            "https://a.example/\u{202e}b",
            "",
        ] {
            let html = shown(&format!("[a](<{address}>) ![a](<{address}>)"));
            assert_eq!(html, "<p>a image: a</p>\n", "{address:?}");
        }
    }

    #[test]
    fn images_are_links_and_links_are_not_nested() {
        let image = shown("![a *b*](http://a.example)");
        assert!(image.ends_with(">image: a <em>b</em></a></p>\n"), "{image}");
        let nested = shown("[![a](http://a.example)](http://b.example)");
        assert_eq!(nested.matches("<a ").count(), 1);
        assert_eq!(nested.matches("</a>").count(), 1);
    }

    #[test]
    fn what_is_not_seen_is_written_out() {
        for text in [
            "a\u{202e}b",
            "a&#x202e;b",
            "`a\u{202e}b`",
            "[a\u{202e}b](x)",
            "```\na\u{202e}b\n```",
        ] {
            let html = shown(text);
            assert!(html.contains("a\\u{202e}b"), "{html}");
        }
        assert!(shown("a&ZeroWidthSpace;b").contains("a\\u{200b}b"));
    }

    #[test]
    fn headings_stand_below_those_of_the_page() {
        assert_eq!(shown("# a"), "<h4>a</h4>\n");
        assert_eq!(shown("#### a {#s1 .ok}"), "<h6>a {#s1 .ok}</h6>\n");
    }

    #[test]
    fn deep_nesting_is_shown_flat() {
        for text in [
            "> ".repeat(5000) + "a",
            "- ".repeat(5000) + "a",
            "*".repeat(5001) + "a" + &"*".repeat(5001),
        ] {
            let html = shown(&text);
            assert!(html.matches("</").count() <= DEPTH, "{}", html.len());
            assert!(html.contains('a'));
        }
    }

    #[test]
    fn tables_and_tasks_are_shown() {
        let html =
            shown("| a | b |\n|--:|---|\n| 1 | 2 |\n\n- [x] done\n- [ ] open\n\n~~no~~\nline");
        assert!(
            html.contains("<td style=\"text-align: right\">1</td>"),
            "{html}"
        );
        assert!(html.contains("☑ done") && html.contains("☐ open"));
        assert!(html.contains("<del>no</del><br />\nline"), "{html}");
    }
}
