//! A page as a browser's parser reads it.

use html5ever::tendril::TendrilSink as _;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

/// An element.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    pub name: String,
    pub attributes: Vec<(String, String)>,
    /// All text in it.
    pub text: String,
    /// The text that stands in no element inside.
    pub own_text: String,
    /// The text of its title, if it is a part of a picture.
    pub own_title: String,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// A page, its elements in their order.
#[derive(Debug)]
pub(crate) struct Page {
    pub html: String,
    pub elements: Vec<Element>,
    pub errors: Vec<String>,
}

impl Page {
    pub(crate) fn parse(html: &str) -> Self {
        let dom = parse_document(RcDom::default(), ParseOpts::default()).one(html);
        let mut elements = Vec::new();
        collect(&dom.document, &mut elements);
        let errors = dom
            .errors
            .borrow()
            .iter()
            .map(ToString::to_string)
            .collect();
        Self {
            html: html.to_owned(),
            elements,
            errors,
        }
    }

    pub(crate) fn of<'p>(&'p self, name: &'p str) -> impl Iterator<Item = &'p Element> {
        self.elements
            .iter()
            .filter(move |element| element.name == name)
    }

    pub(crate) fn attributes<'p>(&'p self, name: &'p str) -> impl Iterator<Item = &'p str> {
        self.elements
            .iter()
            .filter_map(move |element| element.attribute(name))
    }

    /// What stands in the body.
    pub(crate) fn text(&self) -> &str {
        self.of("body").next().map_or("", |body| &body.text)
    }

    /// The title of the page; pictures have titles, too.
    pub(crate) fn title(&self) -> &str {
        self.of("title").next().map_or("", |title| &title.text)
    }
}

fn collect(node: &Handle, elements: &mut Vec<Element>) {
    let place = elements.len();
    if let NodeData::Element { name, attrs, .. } = &node.data {
        let attributes = attrs.borrow();
        let attributes = attributes.iter().map(|attribute| {
            (
                attribute.name.local.to_string(),
                attribute.value.to_string(),
            )
        });
        elements.push(Element {
            name: name.local.to_string(),
            attributes: attributes.collect(),
            text: String::new(),
            own_text: String::new(),
            own_title: String::new(),
        });
    }
    for child in node.children.borrow().iter() {
        collect(child, elements);
    }
    let Some(element) = elements.get_mut(place) else {
        return;
    };
    if matches!(node.data, NodeData::Element { .. }) {
        element.text = text_of(node);
        element.own_title = node.children.borrow().iter().map(titled).collect();
        let children = node.children.borrow();
        let own = children.iter().filter_map(|child| match &child.data {
            NodeData::Text { contents } => Some(contents.borrow().to_string()),
            NodeData::Comment { .. } | NodeData::ProcessingInstruction { .. } => {
                panic!("a comment")
            }
            _ => None,
        });
        element.own_text = own.collect();
    }
}

fn titled(node: &Handle) -> String {
    match &node.data {
        NodeData::Element { name, .. } if &*name.local == "title" => text_of(node),
        _ => String::new(),
    }
}

/// All text in a node, but for that of styles.
fn text_of(node: &Handle) -> String {
    match &node.data {
        NodeData::Text { contents } => contents.borrow().to_string(),
        NodeData::Element { name, .. } if &*name.local == "style" => String::new(),
        _ => node.children.borrow().iter().map(text_of).collect(),
    }
}
