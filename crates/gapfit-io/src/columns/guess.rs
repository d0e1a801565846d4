//! Features of columns whose kinds are guessed from the rows.

use gapfit::data::{
    Kind, LevelRule, Levels, MaskedColumn, MaskedMatrix, Schema, SchemaColumn, Value,
};
use serde::{Deserialize, Serialize};

use super::dictionary::Dictionary;
use super::kinds::{Declared, Kinds};
use super::target::push_with_target;
use super::{DATE, Unfit, days, is_infinite};
use crate::error::{Error, Result};
use crate::location::Location;
use crate::reader::{Cell, Reader, Row, truth};

/// Cells that memory is asked for before they are there, at most.
const CLAIMED: usize = 1 << 26;

/// Features, the columns behind them, and the texts of those that are categorical.
pub(crate) struct Guessed {
    pub(crate) features: MaskedMatrix,
    pub(crate) schema: Schema,
    /// The place of the column in the schema, and the number of each row's text.
    pub(crate) texts: Vec<(usize, Vec<u32>)>,
}

/// The rows so far, one column each: numbers, days, or the numbers of texts.
#[derive(Debug)]
pub(crate) struct Guesses {
    cells: MaskedMatrix,
    columns: Vec<Guess>,
    /// The current row.
    row: Vec<Option<f64>>,
}

/// What is known of a column.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Guess {
    pub(crate) name: String,
    /// Its place among the columns that are read.
    pub(crate) place: usize,
    pub(crate) declared: Declared,
    pub(crate) content: Content,
}

/// What the cells of a column were so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Content {
    /// Nothing but holes so far.
    Nothing,
    Numbers,
    Days,
    Texts(Dictionary),
}

impl Guesses {
    /// No rows yet; features are in these places among the columns of `reader`, which are read as the
    /// kinds demand.
    pub(crate) fn new(reader: &mut Reader, places: &[usize], kinds: &Kinds) -> Self {
        let mut columns = Vec::with_capacity(places.len());
        for &place in places {
            let name = reader.columns()[place].name.clone();
            let declared = kinds.declared(&name);
            reader.read_as(place, declared.reading());
            columns.push(Guess {
                name,
                place,
                declared,
                content: Content::Nothing,
            });
        }
        Self {
            cells: MaskedMatrix::new(columns.len()),
            columns,
            row: Vec::new(),
        }
    }

    /// Makes room for so many rows, or for fewer: what a file claims is not believed beyond some hundred
    /// megabytes.
    pub(crate) fn reserve(&mut self, n_rows: usize) {
        let n_rows = n_rows.min(CLAIMED / self.columns.len().max(1));
        self.cells.reserve(n_rows);
    }

    /// Goes on with another file, whose columns may have another order.
    ///
    /// # Errors
    /// [`Error::AbsentColumn`] where it lacks one.
    pub(crate) fn turn_to(&mut self, reader: &mut Reader) -> Result<()> {
        for guess in &mut self.columns {
            guess.place = reader.position(&guess.name, "feature")?;
            reader.read_as(guess.place, guess.declared.reading());
        }
        Ok(())
    }

    /// What is known of each column.
    pub(crate) fn into_columns(self) -> Vec<Guess> {
        self.columns
    }

    /// The names of the columns.
    pub(crate) fn names(&self) -> Vec<String> {
        self.columns
            .iter()
            .map(|guess| guess.name.clone())
            .collect()
    }

    /// Whether some column has texts, which become features only when all of them are known.
    pub(crate) fn has_texts(&self) -> bool {
        let is_text = |guess: &Guess| matches!(guess.content, Content::Texts(_));
        self.columns.iter().any(is_text)
    }

    /// Takes the rows so far away; what was learnt of the columns stays.
    pub(crate) fn take(&mut self) -> MaskedMatrix {
        let none = MaskedMatrix::new(self.columns.len());
        std::mem::replace(&mut self.cells, none)
    }

    /// Takes a row.
    pub(crate) fn push(&mut self, row: Row<'_>) -> std::result::Result<(), Unfit> {
        self.row.clear();
        for column in &mut self.columns {
            self.row.push(column.take(row.cell(column.place))?);
        }
        self.cells
            .push_row(self.row.iter().copied())
            .expect("finite cells, one per column");
        Ok(())
    }

    /// Takes rows that come as columns of numbers; those without a target are dropped, the targets of
    /// the others go behind `targets`.
    pub(crate) fn push_block<V: AsRef<[f64]>>(
        &mut self,
        columns: &[MaskedColumn<V>],
        target: usize,
        targets: &mut Vec<f64>,
    ) {
        let places: Vec<usize> = self.places().collect();
        push_with_target(columns, (&places, target), &mut self.cells, targets);
    }

    /// Notes which columns have numbers: another file may have texts in their place.
    pub(crate) fn note_numbers<V: AsRef<[f64]>>(&mut self, columns: &[MaskedColumn<V>]) {
        for guess in &mut self.columns {
            if matches!(guess.content, Content::Nothing) && columns[guess.place].n_observed() > 0 {
                guess.content = Content::Numbers;
            }
        }
    }

    /// The places of the columns among those that are read.
    pub(crate) fn places(&self) -> impl Iterator<Item = usize> {
        self.columns.iter().map(|guess| guess.place)
    }

    /// Takes rows that come as columns of numbers.
    pub(crate) fn push_all<V: AsRef<[f64]>>(&mut self, columns: &[MaskedColumn<V>]) {
        let features = self.columns.iter().map(|guess| &columns[guess.place]);
        self.cells
            .push_columns(&features.collect::<Vec<_>>())
            .expect("columns of equal length, one per feature");
    }

    /// What is known of the columns.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub(crate) fn schema(&self, reader: &Reader, kinds: &Kinds) -> Result<Schema> {
        let mut columns = Vec::with_capacity(self.columns.len());
        for guess in &self.columns {
            let at = || reader.location(None, Some(guess.place));
            columns.push(SchemaColumn {
                name: guess.name.clone(),
                kind: guess.kind(at, &kinds.level_rule)?,
            });
        }
        Schema::new(columns).map_err(|cause| Error::Clash {
            file: reader.file().to_owned(),
            cause: cause.to_string(),
        })
    }

    /// The features, and what is known of the columns behind them.
    ///
    /// # Errors
    /// [`Error::Ids`], and [`Error::Clash`] where features would share a name.
    pub(crate) fn finish(self, reader: &Reader, kinds: &Kinds) -> Result<Guessed> {
        let n_rows = self.cells.n_rows();
        let schema = self.schema(reader, kinds)?;
        if !self.has_texts() {
            return Ok(Guessed {
                features: self.cells,
                schema,
                texts: Vec::new(),
            });
        }
        let meanings: Vec<_> = self.meanings(&schema).collect();
        let (mut features, mut row) = (MaskedMatrix::new(schema.n_features()), Vec::new());
        features.reserve(n_rows);
        for cells in self.cells.rows() {
            row.clear();
            for (j, meaning) in meanings.iter().enumerate() {
                let value = match (cells.get(j), meaning) {
                    (None, _) => Value::Missing,
                    (Some(number), None) => Value::Number(number),
                    (Some(number), Some(values)) => values[number as usize],
                };
                schema.encode(j, value, &mut row);
            }
            features
                .push_row(row.iter().copied())
                .expect("finite cells, one per feature");
        }
        Ok(Guessed {
            features,
            texts: self.texts(&schema),
            schema,
        })
    }

    /// The texts of categorical columns.
    fn texts(&self, schema: &Schema) -> Vec<(usize, Vec<u32>)> {
        let columns = schema.columns().iter().enumerate();
        let columns = columns.filter(|(_, column)| matches!(column.kind, Kind::Categorical(_)));
        let numbers = |j: usize| {
            let cells = self.cells.rows().map(|row| row.values()[j] as u32);
            (j, cells.collect())
        };
        columns.map(|(j, _)| numbers(j)).collect()
    }

    /// What the number of each text stands for, in columns of texts.
    fn meanings<'a>(&'a self, schema: &'a Schema) -> impl Iterator<Item = Option<Vec<Value>>> + 'a {
        self.columns.iter().enumerate().map(|(j, guess)| {
            let Content::Texts(texts) = &guess.content else {
                return None;
            };
            let value = |(text, _): &(String, usize)| match schema.level(j, text) {
                Some(level) => Value::Level(level),
                None => truth(text.as_bytes()).map_or(Value::Missing, Value::Number),
            };
            Some(texts.counts().iter().map(value).collect())
        })
    }
}

impl Guess {
    /// What is stored of a cell, which must be of the kind of those before.
    fn take(&mut self, cell: Cell<'_>) -> std::result::Result<Option<f64>, Unfit> {
        let unfit = |expected| Err(Unfit::new(self.place, expected, cell));
        let number = match (&mut self.content, cell) {
            (_, Cell::Hole) => return Ok(None),
            (Content::Numbers, Cell::Number(number)) => number,
            (Content::Texts(texts), Cell::Text(text)) => texts.number(text) as f64,
            (Content::Numbers, Cell::Text(_)) => return unfit("a number, as in the rows before"),
            (Content::Texts(_), Cell::Number(_)) => return unfit("a text, as in the rows before"),
            (Content::Days, _) | (Content::Nothing, Cell::Text(_))
                if self.declared == Declared::Date =>
            {
                let text = if let Cell::Text(text) = cell {
                    text
                } else {
                    ""
                };
                match days(text) {
                    None => return unfit(DATE),
                    Some(days) => {
                        self.content = Content::Days;
                        days
                    }
                }
            }
            (_, Cell::Number(number)) => {
                self.content = Content::Numbers;
                number
            }
            (_, Cell::Text(text)) => {
                if self.declared == Declared::Nothing && is_infinite(text) {
                    return unfit("a finite number");
                }
                let mut texts = Dictionary::default();
                let number = texts.number(text);
                self.content = Content::Texts(texts);
                number as f64
            }
        };
        Ok(Some(number))
    }

    /// The kind of the column, which stands there.
    pub(crate) fn kind(&self, at: impl FnOnce() -> Location, rule: &LevelRule) -> Result<Kind> {
        let Content::Texts(texts) = &self.content else {
            return Ok(match self.declared {
                Declared::Date => Kind::Date,
                _ => Kind::Numeric,
            });
        };
        let is_guessed = self.declared == Declared::Nothing;
        let is_truth = |(text, _): &(String, usize)| truth(text.as_bytes()).is_some();
        if is_guessed && texts.counts().iter().all(is_truth) {
            return Ok(Kind::Boolean);
        }
        if texts.is_of_ids() {
            return Err(texts.ids(at()));
        }
        let counts = texts.counts().iter().cloned();
        Ok(Kind::Categorical(Levels::of_counts(counts, rule)))
    }
}
