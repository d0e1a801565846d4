//! The members of a JSON object, one after the other.

use std::borrow::Cow;
use std::fmt;

use serde::Deserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::bare;
use super::value::not_object;
use crate::error::{Error, Result};
use crate::location::Location;

/// Gives each member of the object in a line, its key and its value as it is written, to `take`, until
/// that refuses one. Where the line has numbers that JSON does not know, `take` is first given the members
/// before them, then told to `restart`, then given all.
///
/// # Errors
/// That of `take`; [`Error::NotObject`], whose place is that of the line.
pub(crate) fn for_each_member(
    line: &str,
    at: impl Fn() -> Location,
    take: &mut impl FnMut(Step<'_>) -> Result<()>,
) -> Result<()> {
    let result = once(line, &at, take);
    if let Err(Error::NotObject { .. }) = result
        && let Some(quoted) = bare::quoted(line)
    {
        take(Step::Restart)?;
        return once(&quoted, &at, take);
    }
    result
}

/// What happens on the way through an object.
pub(crate) enum Step<'a> {
    Member(&'a str, &'a str),
    Restart,
}

fn once(
    line: &str,
    at: &impl Fn() -> Location,
    take: &mut impl FnMut(Step<'_>) -> Result<()>,
) -> Result<()> {
    let mut fault = None;
    let mut parser = serde_json::Deserializer::from_str(line);
    let members = Members {
        take,
        fault: &mut fault,
    };
    let parsed = parser.deserialize_map(members).and_then(|()| parser.end());
    match (fault, parsed) {
        (Some(fault), _) => Err(fault),
        (None, Err(cause)) => Err(not_object(at(), line, &cause)),
        (None, Ok(())) => Ok(()),
    }
}

/// Visits the members of an object; what is wrong with one is put into `fault`.
struct Members<'a, F> {
    take: &'a mut F,
    fault: &'a mut Option<Error>,
}

impl<'de, F: FnMut(Step<'_>) -> Result<()>> Visitor<'de> for Members<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> std::result::Result<(), A::Error> {
        while let Some((key, value)) = members.next_entry::<Key<'de>, &RawValue>()? {
            if let Err(fault) = (self.take)(Step::Member(&key.0, value.get())) {
                *self.fault = Some(fault);
                return Err(A::Error::custom("a fault of this member"));
            }
        }
        Ok(())
    }
}

/// A key, copied only where it is escaped.
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);
