//! One JSON object as a row: its members are written straight into it.

use std::borrow::Cow;
use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::keys::{Keys, Place};
use super::options::{Options, Roles, Rules};
use super::row::{Draft, Row};
use crate::cell::NotNumber;
use crate::error::{Error, Result};
use crate::json::{BadValue, not_object, quoted, written};
use crate::location::Location;

/// Reads one object after the other; the names of features grow as new keys appear.
#[derive(Debug)]
pub(super) struct Object {
    file: String,
    /// The key of the weights.
    weight: Option<String>,
    rules: Rules,
    keys: Keys,
    draft: Draft,
}

impl Object {
    pub(super) fn new(file: &str, roles: &Roles, options: &Options) -> Self {
        Self {
            file: file.to_owned(),
            weight: roles.weight.clone(),
            rules: Rules::of(options),
            keys: Keys::new(roles, options),
            draft: Draft::default(),
        }
    }

    /// The names of the features.
    pub(super) fn names(&self) -> &[String] {
        self.keys.names()
    }

    /// The row that was last read without an error.
    pub(super) fn row(&self) -> Row<'_> {
        self.draft.row(self.names())
    }

    /// Reads the row of a line. After an error there are no more names than before.
    pub(super) fn read(&mut self, line: u64, text: &str) -> Result<()> {
        let result = self.try_read(line, text);
        if let Err(Error::NotObject { .. }) = result
            && let Some(quoted) = quoted(text)
        {
            return self.try_read(line, &quoted);
        }
        result
    }

    fn try_read(&mut self, line: u64, text: &str) -> Result<()> {
        self.keys.begin_row();
        self.draft.clear(line, self.keys.names().len());
        let result = self.read_members(text).and_then(|()| self.check_weight());
        if result.is_err() {
            self.keys.refuse_row();
        }
        result
    }

    fn read_members(&mut self, text: &str) -> Result<()> {
        let mut fault = None;
        let mut parser = serde_json::Deserializer::from_str(text);
        let members = Members {
            object: self,
            fault: &mut fault,
        };
        let parsed = parser.deserialize_map(members).and_then(|()| parser.end());
        match (fault, parsed) {
            (Some(fault), _) => Err(fault),
            (None, Err(cause)) => Err(not_object(self.location(), text, &cause)),
            (None, Ok(())) => Ok(()),
        }
    }

    /// Writes the value under the current key, as it is written, into the row.
    fn take(&mut self, place: Place, value: &str) -> Result<()> {
        let text = self.text(value)?;
        let number = match value {
            "true" => b"1",
            "false" => b"0",
            _ => text.as_bytes(),
        };
        let not_number =
            |why: NotNumber| why.error(self.location().under(self.keys.current()), number);
        match place {
            Place::Feature(j) => {
                let cell = self.rules.number(number).map_err(not_number)?;
                self.draft.set(j, cell);
            }
            Place::Weight => {
                let weight = self.rules.missing.parse(number).map_err(not_number)?;
                self.draft.weight = weight;
            }
            Place::Target => self.draft.target.push_str(self.rules.text(&text)),
            Place::Id => self.draft.id.push_str(self.rules.text(&text)),
            Place::Ignored => {}
        }
        Ok(())
    }

    /// What a value says.
    fn text<'a>(&self, value: &'a str) -> Result<Cow<'a, str>> {
        written(value).map_err(|bad| match bad {
            BadValue::Nested(got) => Error::Nested {
                at: self.location().under(self.keys.current()),
                got,
            },
            BadValue::Broken(cause) => not_object(self.location(), value, &cause),
        })
    }

    fn check_weight(&self) -> Result<()> {
        match &self.weight {
            Some(key) => self.draft.check_weight(|| self.location().under(key)),
            None => Ok(()),
        }
    }

    fn location(&self) -> Location {
        Location::new(&self.file, Some(self.draft.line()))
    }
}

/// Visits the members of an object; what is wrong with one is put into `fault`.
struct Members<'a> {
    object: &'a mut Object,
    fault: &'a mut Option<Error>,
}

impl<'de> Visitor<'de> for Members<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> std::result::Result<(), A::Error> {
        while let Some(place) = members.next_key_seed(Key(&mut self.object.keys))? {
            let taken = match place {
                Some(Place::Ignored) => {
                    members.next_value::<IgnoredAny>()?;
                    Ok(())
                }
                Some(place) => {
                    let value: &RawValue = members.next_value()?;
                    self.object.take(place, value.get())
                }
                None => Err(Error::DuplicateKey {
                    at: self.object.location().under(self.object.keys.current()),
                }),
            };
            if let Err(fault) = taken {
                *self.fault = Some(fault);
                return Err(A::Error::custom("a fault of this member"));
            }
        }
        Ok(())
    }
}

/// Finds the place of a key without copying it.
struct Key<'a>(&'a mut Keys);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Option<Place>;

    fn deserialize<D: Deserializer<'de>>(
        self,
        key: D,
    ) -> std::result::Result<Self::Value, D::Error> {
        key.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Option<Place>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, name: &str) -> std::result::Result<Self::Value, E> {
        Ok(self.0.place(name))
    }
}
