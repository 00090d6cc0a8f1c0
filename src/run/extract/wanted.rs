//! Which documents are wanted, and what is done to them before they are written: the options, resolved once.

use std::path::Path;

use crate::cli::Extract;
use crate::cli::value::Type;
use crate::diagnostic::{Message, reason, source_name};
use crate::find::filter::Filter;
use crate::find::rewrite::{Decoding, Rewrite, RewriteError, Rewritten};
use crate::find::schema::Schema;
use crate::json::pointer::Pointer;
use crate::json::view::Kind;

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) filter: Filter,
    rewrites: Vec<Rewrite>,
}

impl Wanted {
    /// Resolves the options; an error is one of usage.
    pub(super) fn resolve(options: &Extract) -> Result<Self, Box<Message>> {
        let filter = Filter {
            kinds: options.types.iter().map(|&wanted| kind(wanted)).collect(),
            required: pointers(&options.require)?,
            schema: options.schema.as_deref().map(schema).transpose()?,
        };
        let rewrites = |texts, decoding| -> Result<Vec<Rewrite>, Box<Message>> {
            let pointers = pointers(texts)?.into_iter();
            Ok(pointers
                .map(|pointer| Rewrite { pointer, decoding })
                .collect())
        };
        let mut all = rewrites(&options.decode_base64, Decoding::Base64)?;
        all.extend(rewrites(&options.unescape, Decoding::Json)?);
        Ok(Self {
            filter,
            rewrites: all,
        })
    }

    /// Whether every document is wanted, as it is.
    pub(super) fn is_everything(&self) -> bool {
        self.filter.is_empty() && self.rewrites.is_empty()
    }

    /// The document with its members decoded; `None` if there is nothing to decode.
    pub(super) fn rewrite(&self, document: &[u8]) -> Result<Option<Rewritten>, RewriteError> {
        let mut done: Option<Rewritten> = None;
        for rewrite in &self.rewrites {
            let text = done.as_ref().map_or(document, |done| &done.text);
            let mut next = rewrite.apply(text)?;
            next.lossy |= done.is_some_and(|done| done.lossy);
            done = Some(next);
        }
        Ok(done)
    }
}

const fn kind(wanted: Type) -> Kind {
    match wanted {
        Type::Object => Kind::Object,
        Type::Array => Kind::Array,
        Type::String => Kind::String,
        Type::Number => Kind::Number,
        Type::Boolean => Kind::Boolean,
        Type::Null => Kind::Null,
    }
}

fn pointers(texts: &[String]) -> Result<Vec<Pointer>, Box<Message>> {
    texts
        .iter()
        .map(|text| {
            Pointer::parse(text).map_err(|error| {
                let message = Message::error(error.to_string());
                Box::new(message.hint("/a/0 is the first element of member a"))
            })
        })
        .collect()
}

/// Reads a schema and, where it refers to them, the files beside it.
fn schema(path: &Path) -> Result<Schema, Box<Message>> {
    let failed = |text: String| Box::new(Message::error(text).of(source_name(Some(path))));
    let text = std::fs::read(path)
        .map_err(|error| failed(format!("cannot read the schema: {}", reason(&error))))?;
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let beside = move |name: &str| {
        std::fs::read(folder.join(name)).map_err(|error| format!("{name}: {}", reason(&error)))
    };
    Schema::new(&text, beside).map_err(|error| failed(format!("not a JSON Schema: {error}")))
}
