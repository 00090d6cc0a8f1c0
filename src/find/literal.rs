//! String literals.

/// The content of a string literal.
pub(crate) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    serde_json::from_slice::<String>(text)
        .ok()
        .map(String::into_bytes)
}
