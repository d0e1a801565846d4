//! What stands in the columns of parts of a table, as far as it decides what they are.

use gapfit::data::{Dataset, LevelRule, MaskedMatrix, Schema, SchemaColumn};
use gapfit::{Gathering, Statistics};
use serde::{Deserialize, Serialize};

use super::rows::{Features, Rows};
use super::{Roles, checked_places};
use crate::columns::{Content, Guess, Guesses, Kinds};
use crate::error::{Error, Result};
use crate::location::{Column, Location};
use crate::reader::Reader;

/// Rows that are looked at together.
const CHUNK: usize = 1 << 16;

/// What stands in the columns of the rows that have a target: numbers, or which texts how often. It adds up over
/// parts of a table, and from that of all parts follow the columns that a reading of the whole table finds.
///
/// ```
/// use gapfit_io::{Contents, Kinds, Reader, Roles, Task, csv};
/// let roles = Roles { target: "price".to_owned(), further_targets: vec![], weight: None, folds_by: None, task: Task::Regression };
/// let part = |text: &str| {
///     let reader = Reader::new(text.as_bytes().to_vec(), "huts.csv", &csv::Options::default())?;
///     Contents::read(reader, &roles, &Kinds::default())
/// };
/// let mut all = part("colour,price\nred,3\n")?;
/// all.merge(part("colour,price\nblue,1\nblue,2\n")?)?;
/// assert_eq!(all.schema()?.feature_names(), ["colour=blue", "colour=red"]);
/// # Ok::<_, gapfit_io::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Contents {
    /// What messages call the table.
    file: String,
    target: String,
    is_weighted: bool,
    columns: Vec<Guess>,
}

impl Contents {
    /// Looks at all rows of `reader` that have a target.
    ///
    /// # Errors
    /// As [`Supervised::read_as`](super::Supervised::read_as), but that there need not be rows.
    pub fn read(mut reader: Reader, roles: &Roles, kinds: &Kinds) -> Result<Self> {
        let places = checked_places(&mut reader, roles, kinds)?;
        let guesses = Guesses::new(&mut reader, &places.features, kinds);
        let mut rows = Rows::new(Features::Guessed(guesses), roles);
        while rows.take(&mut reader, &places, CHUNK)? {
            rows.forget();
        }
        let guesses = rows.into_guesses().expect("guessed from the rows");
        let found = Self {
            file: reader.file().to_owned(),
            target: roles.target.clone(),
            is_weighted: roles.weight.is_some(),
            columns: guesses.into_columns(),
        };
        found.refuse_ids()?;
        Ok(found)
    }

    /// Adds what stands in another part.
    ///
    /// # Errors
    /// [`Error::Rows`] where parts differ in their columns, or in what those are, and [`Error::Ids`].
    pub fn merge(&mut self, other: Self) -> Result<()> {
        if let Some(name) = self.differing(&other).or_else(|| other.differing(self)) {
            let got = format!("'{name}' in one part only");
            return Err(unlike("the same in every part", got));
        }
        for column in other.columns {
            let mine = self.columns.iter_mut().find(|c| c.name == column.name);
            let mine = mine.expect("both have the same columns");
            let content = std::mem::replace(&mut mine.content, Content::Nothing);
            let both = match mine.declared == column.declared {
                true => content.joined(column.content),
                false => None,
            };
            mine.content = both.ok_or_else(|| {
                let got = format!("'{}' of numbers, texts or dates, not the same", column.name);
                unlike("numbers, texts or dates in every part alike", got)
            })?;
        }
        self.refuse_ids()
    }

    fn differing<'a>(&'a self, other: &Self) -> Option<&'a str> {
        let lacks = |guess: &&Guess| other.columns.iter().all(|c| c.name != guess.name);
        self.columns
            .iter()
            .find(lacks)
            .map(|guess| guess.name.as_str())
    }

    /// The columns, as a reading of all parts together finds them.
    ///
    /// # Errors
    /// [`Error::Ids`], and [`Error::Clash`] where features would share a name.
    pub fn schema(&self) -> Result<Schema> {
        let rule = LevelRule::default();
        let columns = self.columns.iter().map(|guess| {
            Ok(SchemaColumn {
                name: guess.name.clone(),
                kind: guess.kind(|| self.at(guess), &rule)?,
            })
        });
        let schema = Schema::new(columns.collect::<Result<_>>()?);
        schema.map_err(|cause| Error::Clash {
            file: self.file.clone(),
            cause: cause.to_string(),
        })
    }

    /// Statistics of no rows with these columns, for [`Gathered::read_like`](super::Gathered::read_like).
    ///
    /// # Errors
    /// Those of [`schema`](Self::schema), and [`Error::Rows`] for settings out of range.
    pub fn statistics(&self, gathering: Gathering) -> Result<Statistics> {
        let schema = self.schema()?;
        let blank = Dataset::new(MaskedMatrix::new(schema.n_features()), Vec::new());
        let blank = blank.and_then(|blank| blank.with_schema(schema))?;
        let mut blank = blank.with_target_name(&self.target);
        if self.is_weighted {
            blank = blank.with_weights(Vec::new())?;
        }
        Ok(Statistics::of(&blank, gathering)?)
    }

    /// The same as bytes, for another process.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("names, texts and numbers")
    }

    /// What [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    /// [`Error::Rows`] for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        serde_json::from_slice(bytes)
            .map_err(|error| unlike("the bytes of columns", error.to_string()))
    }

    /// Refuses columns of more texts than categories can have, before they grow any further.
    fn refuse_ids(&self) -> Result<()> {
        let full = self.columns.iter().find_map(|guess| match &guess.content {
            Content::Texts(texts) if texts.is_full() => Some(texts.ids(self.at(guess))),
            _ => None,
        });
        full.map_or(Ok(()), Err)
    }

    fn at(&self, guess: &Guess) -> Location {
        let (index, name) = (guess.place, guess.name.clone());
        Location::new(&self.file, None).in_column(Some(&Column { index, name }))
    }
}

fn unlike(expected: &'static str, got: String) -> Error {
    Error::Rows(gapfit::Error::Setting {
        name: "columns",
        expected,
        got,
    })
}

impl Content {
    /// What two parts of a column have together; `None` where they do not fit.
    fn joined(self, other: Self) -> Option<Self> {
        Some(match (self, other) {
            (Self::Nothing, content) | (content, Self::Nothing) => content,
            (Self::Numbers, Self::Numbers) => Self::Numbers,
            (Self::Days, Self::Days) => Self::Days,
            (Self::Texts(mut texts), Self::Texts(other)) => {
                texts.merge(&other);
                Self::Texts(texts)
            }
            _ => return None,
        })
    }
}
