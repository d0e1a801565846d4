//! What a JSON value says, as text.

use std::borrow::Cow;

use crate::cell::excerpt;
use crate::error::Error;
use crate::location::Location;

/// Why a value is no cell.
pub(crate) enum BadValue {
    /// What it is instead.
    Nested(&'static str),
    Broken(serde_json::Error),
}

/// The content of a text, nothing for null, and numbers and truths as they are written.
pub(crate) fn written(value: &str) -> Result<Cow<'_, str>, BadValue> {
    match value.as_bytes() {
        b"null" => Ok(Cow::Borrowed("")),
        [b'[', ..] => Err(BadValue::Nested("an array")),
        [b'{', ..] => Err(BadValue::Nested("an object")),
        [b'"', inside @ .., b'"'] if !inside.contains(&b'\\') => {
            Ok(Cow::Borrowed(&value[1..=inside.len()]))
        }
        [b'"', ..] => serde_json::from_str(value)
            .map(Cow::Owned)
            .map_err(BadValue::Broken),
        _ => Ok(Cow::Borrowed(value)),
    }
}

/// The error about text that is not a JSON object.
pub(crate) fn not_object(at: Location, text: &str, cause: &serde_json::Error) -> Error {
    let why = cause.to_string();
    let place = format!(" at line {} column {}", cause.line(), cause.column());
    let what = why.strip_suffix(&place).unwrap_or(&why);
    Error::NotObject {
        at,
        got: excerpt(text.as_bytes()),
        why: match cause.column() {
            0 => what.to_owned(),
            byte => format!("{what} at byte {byte}"),
        },
    }
}
