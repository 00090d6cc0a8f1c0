//! Literal names: those of JSON, and what other languages write in their place.

/// The literal names of JSON.
pub(crate) const JSON: [&str; 3] = ["true", "false", "null"];

/// What Python and JavaScript write in place of a literal name of JSON, and the reason why that is none.
const OTHERS: [(&str, &str); 4] = [
    ("True", "True, which is no JSON"),
    ("False", "False, which is no JSON"),
    ("None", "None, which is no JSON"),
    ("NaN", "NaN, which is no JSON"),
];

/// The length of the longest literal name, in bytes.
pub(crate) const LONGEST: usize = 9;

/// Returns the literal name of JSON for one of JSON, Python, JavaScript, Go, Ruby or YAML, regardless of case.
pub(crate) fn json_for(word: &[u8]) -> Option<&'static str> {
    const NULLS: [&str; 6] = ["none", "nil", "undefined", "nan", "infinity", "inf"];
    let is = |name: &&str| name.as_bytes().eq_ignore_ascii_case(word);
    let null = || NULLS.iter().find(|name| is(name)).map(|_| "null");
    JSON.into_iter().find(is).or_else(null)
}

/// Returns why a text that begins like a value is no JSON, if it begins with a literal name of another language.
pub(crate) fn reason(text: &[u8]) -> Option<&'static str> {
    let length = text.iter().take(LONGEST + 1);
    let length = length.take_while(|byte| byte.is_ascii_alphabetic()).count();
    let word = text.get(..length)?;
    let known = json_for(word).filter(|name| name.as_bytes() != word);
    let is = |(name, _): &&(&str, &str)| name.as_bytes() == word;
    let reason = OTHERS.iter().find(is).map(|(_, reason)| *reason);
    known.map(|_| reason.unwrap_or("a literal of another language"))
}
