//! What a summary writes for browsers: pages and markdown, read back.

use std::fmt::Write as _;

use html5ever::tendril::TendrilSink as _;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::json;

use super::Choices;
use super::run::given;

/// All elements that a page is made of.
const ELEMENTS: &str = "html head meta title style body header main article section nav footer h1 h2 h3 h4 h5 h6 p div span \
    a b i code pre ul ol li dl dt dd details summary figure figcaption table thead tbody tr th td br hr em strong del \
    blockquote svg rect line text tspan";
/// All their attributes.
const ATTRIBUTES: &str = "id class dir role aria-label aria-labelledby tabindex scope lang charset http-equiv name content \
    href title rel open width height x y x1 x2 y1 y2 rx dx text-anchor style start \
    data-title";
/// All HTML in markdown.
const MARKDOWN: [&str; 9] = [
    "<details>",
    "</details>",
    "<summary>",
    "</summary>",
    "<code>",
    "</code>",
    "<span>",
    "</span>",
    "<br>",
];

/// A run in which these texts stand wherever text can.
fn run(name: &str, text: &str) -> String {
    let said = |content| json!({"type":"assistant","session_id":name,"message":{"id":name,"model":name,"role":"assistant","content":[content]}});
    let mut called = 0;
    let mut call = |tool: &str, input| {
        called += 1;
        let result = json!({"type":"tool_result","tool_use_id":format!("{called}"),"content":text,"is_error":called == 1});
        let call =
            said(json!({"type":"tool_use","id":format!("{called}"),"name":tool,"input":input}));
        [
            call,
            json!({"type":"user","session_id":name,"message":{"role":"user","content":[result]}}),
        ]
    };
    let mut records = vec![
        json!({"type":"system","subtype":"init","session_id":name,"model":name,"cwd":text,"tools":[]}),
        json!({"type":"user","session_id":name,"message":{"role":"user","content":text}}),
        said(json!({"type":"thinking","thinking":text})),
    ];
    records.extend(call("Bash", json!({"command":text})));
    records.extend(call("Write", json!({"file_path":text,"content":text})));
    records.extend(call(
        "Edit",
        json!({"file_path":text,"old_string":"a","new_string":text}),
    ));
    records.extend(call(name, json!({ name: text })));
    records.push(said(json!({"type":"text","text":text})));
    records.push(json!({"type":"result","subtype":"success","is_error":false,"session_id":name,"result":text,"num_turns":1}));
    records.iter().fold(String::new(), |mut lines, record| {
        let _ = writeln!(lines, "{record}");
        lines
    })
}

/// Asserts that a page holds what our pages are made of, and no address but of the web, of mail and of the page.
fn assert_ours(node: &Handle) {
    match &node.data {
        NodeData::Element { name, attrs, .. } => {
            let known = |list: &str, name: &str| list.split(' ').any(|known| known == name);
            assert!(known(ELEMENTS, &name.local), "<{}>", name.local);
            for attribute in attrs.borrow().iter() {
                let (name, value) = (&*attribute.name.local, attribute.value.to_lowercase());
                assert!(known(ATTRIBUTES, name), "{name}={value}");
                let leads = ["#", "http:", "https:", "mailto:"]
                    .iter()
                    .any(|to| value.starts_with(to));
                assert!(name != "href" || leads, "{value}");
                let is_title = value.bytes().all(|byte| byte.is_ascii_lowercase());
                assert!(name != "data-title" || is_title, "{value}");
                assert!(
                    name != "style" || value.starts_with("text-align: "),
                    "{value}"
                );
            }
        }
        NodeData::Comment { .. } | NodeData::ProcessingInstruction { .. } => panic!("a comment"),
        _ => {}
    }
    node.children.borrow().iter().for_each(assert_ours);
}

/// Whatever texts a run contains, its page and its markdown consist of jsift's own elements only.
pub fn property(data: &[u8]) {
    let mut choices = Choices(data);
    let name = choices.below(32).min(choices.0.len());
    let (name, text) = choices.0.split_at(name);
    // It stands in a run many times.
    let text = text.get(..1024).unwrap_or(text);
    let run = run(
        &String::from_utf8_lossy(name),
        &String::from_utf8_lossy(text),
    );
    if let Some((page, ..)) = given(&["summary", "--format", "html"], run.as_bytes()) {
        let dom = parse_document(RcDom::default(), ParseOpts::default()).one(page);
        let errors = dom.errors.borrow();
        assert!(errors.is_empty(), "{errors:?} of {run}");
        assert_ours(&dom.document);
    }
    if let Some((markdown, ..)) = given(&["summary", "--format", "markdown"], run.as_bytes()) {
        for event in Parser::new_ext(&markdown, Options::ENABLE_TABLES | Options::ENABLE_GFM) {
            match event {
                Event::Html(html) | Event::InlineHtml(html) => {
                    let mut rest = html.trim();
                    while let Some(tag) = MARKDOWN.iter().find_map(|tag| rest.strip_prefix(tag)) {
                        rest = tag.trim_start();
                        rest = rest
                            .get(rest.find('<').unwrap_or(rest.len())..)
                            .unwrap_or_default();
                    }
                    assert_eq!(rest, "", "{html} in {markdown}");
                }
                Event::Start(Tag::Link { dest_url, .. }) => {
                    let address = dest_url.to_lowercase();
                    let leads = ["http:", "https:", "mailto:"];
                    let leads = leads.iter().any(|to| address.starts_with(to));
                    assert!(leads, "{address} in {markdown}");
                }
                Event::Start(Tag::Image { .. }) => panic!("an image in {markdown}"),
                _ => {}
            }
        }
    }
}
