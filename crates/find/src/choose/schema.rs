//! JSON Schema, drafts 4 to 2020-12: the description that a document must conform to.
//!
//! A schema may refer to itself and to files next to it, which the caller's function reads by name; network access and
//! other files are not allowed.

use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Retrieve, Uri, ValidationError, Validator};
use serde_json::Value;

use super::filter::Violations;
use jsift_json::hex;

/// The directory in which schemas are assumed to be, so that a reference out of it is recognised.
const DIRECTORY: &str = "jsift://schema/folder/";

/// What stands before the path of a reference that begins with `/`.
const ROOT: &str = "jsift://schema";

/// How many violations the report about a document names.
const NAMED: usize = 3;

/// The longest report about one violation, in characters.
const LENGTH: usize = 160;

/// The longest report about an invalid schema, in characters.
const SCHEMA_LENGTH: usize = 320;

/// A compiled schema.
#[derive(Debug)]
pub struct Schema {
    validator: Validator,
}

impl Schema {
    /// Compiles a schema. Its `$schema` names the draft; the default is 2020-12.
    ///
    /// `alongside` returns the content of a file next to the schema by name, or why it cannot be read.
    ///
    /// # Errors
    ///
    /// Fails if the text is not JSON or not a valid schema, or if it refers to anything but itself and files next to
    /// it, and says which.
    pub fn new<F>(text: &[u8], alongside: F) -> Result<Self, String>
    where
        F: Fn(&str) -> Result<Vec<u8>, String> + Send + Sync + 'static,
    {
        let schema: Value = serde_json::from_slice(text)
            .map_err(|error| format!("the schema is not valid JSON: {error}"))?;
        let missed = Arc::<Mutex<Option<String>>>::default();
        let retriever = SchemaFolder {
            home: home(&schema),
            read: alongside,
            missed: Arc::clone(&missed),
        };
        let validator = jsonschema::options()
            .with_base_uri(format!("{DIRECTORY}schema.json"))
            .with_retriever(retriever)
            .build(&schema);
        match validator {
            Ok(validator) => Ok(Self { validator }),
            Err(error) => {
                let missed = missed.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some(missed) = missed {
                    return Err(missed);
                }
                let error = report(&error, "", SCHEMA_LENGTH);
                Err(format!("not a JSON Schema: {error}"))
            }
        }
    }

    /// Checks a document against the schema.
    pub(super) fn check(&self, document: &[u8]) -> Result<(), Violations> {
        let parsed = serde_json::from_slice::<Value>(document)
            .or_else(|_| serde_json::from_slice(&without_lone_surrogates(document)));
        let value = parsed.map_err(|error| {
            let reason = format!("it cannot be checked against the schema: {error}");
            Violations::Unchecked(reason)
        })?;
        if self.validator.is_valid(&value) {
            return Ok(());
        }
        let (mut named, mut count) = (Vec::new(), 0);
        for error in self.validator.iter_errors(&value) {
            count += 1;
            if named.len() < NAMED {
                named.push(report(&error, "the document: ", LENGTH));
            }
        }
        Err(Violations::Found { named, count })
    }
}

/// Returns the directory of the schema's own `$id`, if it has one: references into it mean the files next to the
/// schema.
fn home(schema: &Value) -> Option<String> {
    let id = schema.get("$id").or_else(|| schema.get("id"))?.as_str()?;
    let (directory, _) = id.rsplit_once('/')?;
    Some(format!("{directory}/"))
}

/// Reads files next to a schema and nothing else.
struct SchemaFolder<F> {
    home: Option<String>,
    read: F,
    /// Which reference could not be followed, and why.
    missed: Arc<Mutex<Option<String>>>,
}

impl<F> Retrieve for SchemaFolder<F>
where
    F: Fn(&str) -> Result<Vec<u8>, String> + Send + Sync,
{
    fn retrieve(
        &self,
        uri: &Uri<String>,
    ) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        self.read(uri.as_str()).map_err(|error| {
            let name = uri.as_str();
            let name = name
                .strip_prefix(DIRECTORY)
                .or_else(|| name.strip_prefix(ROOT));
            let name = name.unwrap_or(uri.as_str());
            let mut missed = self.missed.lock().unwrap_or_else(PoisonError::into_inner);
            *missed = Some(format!("the schema refers to {name}: {error}"));
            error.into()
        })
    }
}

impl<F> SchemaFolder<F>
where
    F: Fn(&str) -> Result<Vec<u8>, String>,
{
    /// Reads the file that a reference names.
    fn read(&self, uri: &str) -> Result<Value, String> {
        let homes = [Some(DIRECTORY), self.home.as_deref()];
        let name = homes
            .into_iter()
            .flatten()
            .find_map(|home| uri.strip_prefix(home));
        let is_file = |name: &&str| {
            !name.is_empty() && !name.contains(['/', '\\', '%', '\0']) && !name.starts_with('.')
        };
        let Some(name) = name.filter(is_file) else {
            return Err(
                "only references into the schema itself and to files in its folder are followed"
                    .into(),
            );
        };
        let text = (self.read)(name)?;
        serde_json::from_slice(&text).map_err(|error| error.to_string())
    }
}

/// Returns one violation: the place and the reason; `root` stands for the place without a pointer.
fn report(error: &ValidationError<'_>, root: &str, length: usize) -> String {
    if matches!(error.kind(), ValidationErrorKind::FalseSchema) {
        return match error.instance_path().as_str() {
            "" => "the schema allows no document".to_owned(),
            pointer => format!("{pointer}: the schema allows no value here"),
        };
    }
    let place = match error.instance_path().as_str() {
        "" => root.to_owned(),
        pointer => format!("{pointer}: "),
    };
    // A value is shown only if it is short.
    let instance = error.instance();
    let long = instance.as_str().is_some_and(|text| text.len() > 40);
    let message = if instance.is_object() || instance.is_array() || long {
        error.masked_with("the value").to_string()
    } else {
        error.to_string()
    };
    let mut text = place + &message;
    if let Some((at, _)) = text.char_indices().nth(length) {
        text.truncate(at);
        text.push('…');
    }
    text
}

/// Returns the text with U+FFFD for every escaped half of a surrogate pair, which JSON allows and a parsed value cannot
/// contain.
fn without_lone_surrogates(text: &[u8]) -> Vec<u8> {
    let unit = |at: usize| hex(text.get(at..at + 6)?.strip_prefix(b"\\u")?);
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let length = match (unit(at), unit(at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                out.extend_from_slice(b"\\ufffd");
                at += 6;
                continue;
            }
            _ if byte == b'\\' => 2,
            _ => 1,
        };
        out.extend_from_slice(text.get(at..at + length).unwrap_or_default());
        at += length;
    }
    out
}
