//! What is looked for, which documents are selected, and how they are changed before they are written: the options,
//! resolved once.

use std::path::Path;

#[cfg(feature = "schema")]
use anyhow::Context as _;

use crate::command::cli::Extract;
use crate::command::run::unwrap_of;
use crate::search::Search;
use jsift_agents::dialect::reader::AgentFiles;
use jsift_find::choose::expected::Expected;
use jsift_find::choose::filter::{Filter, Required};
use jsift_find::choose::rewrite::{Decoding, Rewrite};
use jsift_find::choose::schema::Schema;
use jsift_find::document::Stage;
use jsift_find::finder::{FindOptions, Parts};
use jsift_json::pointer::{Pointer, escape};
use jsift_sink::diagnostic::Diagnostic;
#[cfg(feature = "schema")]
use jsift_sink::diagnostic::{reason, source_name};

/// How many bytes of a document are held with their original white space; a longer document may lose it.
const AS_FOUND: u64 = 1 << 20;

/// The selection and the changes; see the module documentation.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) search: Search,
    pub(super) rewrites: Vec<Rewrite>,
    /// The hint to print if no document has a value at one of the places in the options.
    path_hint: Option<String>,
}

impl Wanted {
    /// Resolves the options; an invalid one is a usage error.
    pub(super) fn resolve(options: &Extract, agents: &AgentFiles) -> anyhow::Result<Self> {
        let filter = Filter {
            kinds: options.types.clone(),
            required: options
                .require
                .iter()
                .map(|text| required(text))
                .collect::<Result<_, _>>()?,
            schema: options.schema.as_deref().map(schema).transpose()?,
        };
        let base64 = options.decode_base64.iter();
        let base64 = base64.map(|text| (text, Decoding::Base64));
        let json = options.unescape.iter().map(|text| (text, Decoding::Json));
        let rewrites = base64.chain(json).map(|(text, decoding)| {
            let pointer = pointer(text)?;
            Ok(Rewrite { pointer, decoding })
        });
        let places = options.require.iter().chain(&options.decode_base64);
        let mut paths = places.chain(&options.unescape).filter_map(|text| {
            let pointer = pointer_of_path(text)?;
            Some(format!("paths are JSON Pointers; try {pointer}"))
        });
        Ok(Self {
            search: Search {
                find: find_options(options),
                unwrap: unwrap_of(&options.common),
                filter,
                agents: agents.clone(),
                pick: options.pick,
                chooses: options.prints_all() || options.pick.is_some(),
                repairs: options.repairs(),
            },
            rewrites: rewrites.collect::<anyhow::Result<_>>()?,
            path_hint: paths.next(),
        })
    }

    /// Returns whether every document is selected and none is changed.
    pub(super) fn is_everything(&self) -> bool {
        self.search.filter.is_empty() && self.rewrites.is_empty()
    }

    /// Adds the hint, if there is one, to a message about a missing value.
    pub(super) fn with_hint(&self, message: Diagnostic) -> Diagnostic {
        message.hint_if(self.path_hint.as_deref())
    }
}

/// Returns what the finder is to look for.
fn find_options(options: &Extract) -> FindOptions {
    let stage = |stage| options.stage.is_empty() || options.stage.contains(&stage);
    FindOptions {
        string: stage(Stage::String),
        whole: stage(Stage::Whole),
        fence: stage(Stage::Fence),
        embedded: stage(Stage::Embedded),
        prefixes: true,
        loose: options.loose,
        parts: Parts::if_any(options.loose || options.pick.is_some()),
        lossy: options.common.lossy,
        max_document: options.common.max_document,
        // A choice looks at the members of each document, and so do streams.
        layout: options.payload || !options.prints_all() && options.pick.is_none(),
        as_found: if options.layout.as_found {
            u64::MAX
        } else {
            AS_FOUND
        },
    }
}

fn pointer(text: &str) -> anyhow::Result<Pointer> {
    Pointer::parse(text).map_err(|error| {
        let message = Diagnostic::error(error);
        anyhow::Error::msg(message.hint("/a/0 is the first element of member a"))
    })
}

/// Parses `POINTER` or `POINTER=VALUE`.
fn required(text: &str) -> anyhow::Result<Required> {
    let (place, value) = match text.split_once('=') {
        Some((place, value)) => (place, Some(Expected::parse(value))),
        None => (text, None),
    };
    let pointer = pointer(place)?;
    Ok(Required { pointer, value })
}

/// Returns the pointer for a path of jq or a JSONPath: `.a.b[0]`, `$.a.b`, `a.b`, `$['a']`. `None` if the text is
/// neither.
fn pointer_of_path(text: &str) -> Option<String> {
    let text = text.split('=').next().unwrap_or_default();
    let path = text.strip_prefix('$').unwrap_or(text);
    if text.starts_with('/') || !path.contains(['.', '[']) {
        return None;
    }
    let mut pointer = String::new();
    for step in path.split(['.', '[']) {
        let name = step.trim_end_matches([']', '?']).trim_matches(['"', '\'']);
        if !name.is_empty() {
            pointer.push('/');
            pointer.push_str(&escape(name));
        }
    }
    (!pointer.is_empty()).then_some(pointer)
}

/// Fails, since this build does not include schemas.
#[cfg(not(feature = "schema"))]
fn schema(_: &Path) -> anyhow::Result<Schema> {
    let message = Diagnostic::error("--schema is not in this build of jsift");
    let hint = "build it with the feature schema, which is on by default";
    Err(anyhow::Error::msg(message.hint(hint)))
}

/// Reads a schema, and the files next to it that it refers to.
#[cfg(feature = "schema")]
fn schema(path: &Path) -> anyhow::Result<Schema> {
    let failed = |text| Diagnostic::error(text).of(source_name(Some(path)));
    let text = std::fs::read(path).with_context(|| failed("cannot read the schema".to_owned()))?;
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let alongside = move |name: &str| {
        std::fs::read(folder.join(name)).map_err(|error| format!("{name}: {}", reason(&error)))
    };
    Schema::new(&text, alongside).map_err(|error| anyhow::Error::msg(failed(error)))
}

#[cfg(test)]
mod tests {
    use super::pointer_of_path;

    #[test]
    fn paths_of_other_tools_are_reported_as_pointers() {
        for (path, pointer) in [
            (".level", Some("/level")),
            (".a.b[0]", Some("/a/b/0")),
            ("$.a.b", Some("/a/b")),
            ("$['a'][\"b/c\"]", Some("/a/b~1c")),
            (".a?", Some("/a")),
            ("error.code=429", Some("/error/code")),
            ("/a.b/c", None),
            ("level=1.5", None),
            ("$schema", None),
            ("level", None),
            (".", None),
            ("", None),
        ] {
            assert_eq!(pointer_of_path(path).as_deref(), pointer, "{path}");
        }
    }
}
