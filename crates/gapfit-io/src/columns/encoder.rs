//! Features of columns whose kinds are known from a schema.

use gapfit::data::{Kind, MaskedMatrix, Schema, Value};

use super::{DATE, Unfit, days};
use crate::error::Result;
use crate::reader::{Cell, Place, Reader, Reading, Row};

/// Turns rows into the features of a schema; columns that the table lacks are missing in every row.
///
/// ```
/// use gapfit::data::{Kind, Levels, MaskedMatrix, Schema, SchemaColumn};
/// use gapfit_io::{Encoder, Reader, csv};
/// let levels = Levels::new(vec!["red".to_owned()], vec![])?;
/// let (name, kind) = ("colour".to_owned(), Kind::Categorical(levels));
/// let schema = Schema::new(vec![SchemaColumn { name, kind }])?;
/// let text = "colour,size\nred,1\npink,2\n";
/// let mut reader = Reader::new(text.as_bytes(), "huts.csv", &csv::Options::default())?;
/// let mut encoder = Encoder::new(&mut reader, &schema);
/// let mut features = MaskedMatrix::new(1);
/// while encoder.next_row(&mut reader, &mut features)? {}
/// assert_eq!((features.get(0, 0), features.get(1, 0)), (Some(1.0), None));
/// assert_eq!(encoder.unseen().collect::<Vec<_>>(), [("colour", 1)]);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Encoder<'a> {
    schema: &'a Schema,
    /// The place of each column among those that are read.
    places: Vec<Option<usize>>,
    /// Cells of each column with a level that training did not have.
    unseen: Vec<usize>,
    /// Whether the cell of each column is a hole in the last row.
    holes: Vec<bool>,
    row: Vec<Option<f64>>,
}

impl<'a> Encoder<'a> {
    /// An encoder of the rows of `reader`, whose columns are read as the schema demands.
    pub fn new(reader: &mut Reader, schema: &'a Schema) -> Self {
        let find = |name: &str| reader.columns().iter().position(|c| c.name == name);
        let columns = schema.columns();
        let places: Vec<_> = columns.iter().map(|c| find(&c.name)).collect();
        for (place, column) in places.iter().zip(columns) {
            let Some(place) = *place else { continue };
            reader.read_as(
                place,
                match column.kind {
                    Kind::Numeric | Kind::Boolean => Reading::Number,
                    Kind::Date | Kind::Categorical(_) => Reading::Text,
                },
            );
        }
        Self {
            schema,
            places,
            unseen: vec![0; columns.len()],
            holes: vec![false; columns.len()],
            row: Vec::new(),
        }
    }

    /// Puts the features of the next row of `reader` behind `features`; `false` after the last.
    ///
    /// # Errors
    /// Those of [`Reader::next_row`], and [`Error::Unlike`](crate::Error::Unlike) for a cell that is
    /// not of the kind of its column.
    pub fn next_row(&mut self, reader: &mut Reader, features: &mut MaskedMatrix) -> Result<bool> {
        self.next_row_shown(reader, features, |_| {})
    }

    /// As [`next_row`](Self::next_row), and `show` is given the row.
    ///
    /// # Errors
    /// As [`next_row`](Self::next_row).
    pub fn next_row_shown(
        &mut self,
        reader: &mut Reader,
        features: &mut MaskedMatrix,
        show: impl FnOnce(Row<'_>),
    ) -> Result<bool> {
        let Some(row) = reader.next_row()? else {
            return Ok(false);
        };
        let place = row.place;
        show(row);
        match self.push(row, features) {
            Ok(()) => Ok(true),
            Err(unfit) => Err(at(unfit, reader, place)),
        }
    }

    /// Puts the features of a row behind `features`.
    pub(crate) fn push(
        &mut self,
        row: Row<'_>,
        features: &mut MaskedMatrix,
    ) -> std::result::Result<(), Unfit> {
        self.row.clear();
        for (column, place) in self.places.iter().enumerate() {
            let mut value = Value::Missing;
            if let Some(place) = *place {
                let cell = row.cell(place);
                value = self.value(column, cell, place)?;
                self.holes[column] = cell == Cell::Hole;
                let is_unseen = value == Value::Missing && cell != Cell::Hole;
                self.unseen[column] += usize::from(is_unseen);
            }
            self.schema.encode(column, value, &mut self.row);
        }
        features
            .push_row(self.row.iter().copied())
            .expect("finite cells, one per feature");
        Ok(())
    }

    fn value(
        &self,
        column: usize,
        cell: Cell<'_>,
        place: usize,
    ) -> std::result::Result<Value, Unfit> {
        let unfit = |expected| Err(Unfit::new(place, expected, cell));
        match (&self.schema.columns()[column].kind, cell) {
            (_, Cell::Hole) => Ok(Value::Missing),
            (Kind::Categorical(levels), Cell::Text(text)) => {
                Ok(levels.number(text).map_or(Value::Missing, Value::Level))
            }
            (Kind::Date, Cell::Text(text)) => match days(text) {
                Some(days) => Ok(Value::Number(days)),
                None => unfit(DATE),
            },
            (Kind::Boolean, Cell::Number(number)) if number != 0.0 && (number - 1.0) != 0.0 => {
                unfit("true or false")
            }
            (Kind::Numeric | Kind::Boolean, Cell::Number(number)) => Ok(Value::Number(number)),
            _ => unfit("a cell of the kind that training had"),
        }
    }

    /// The schema whose features it gives.
    pub fn schema(&self) -> &'a Schema {
        self.schema
    }

    /// Whether the cell of each column of the schema was a hole in the last row; not where it had a level
    /// that training did not have, nor in a column that the table lacks.
    pub fn holes(&self) -> &[bool] {
        &self.holes
    }

    /// The place of a column of the schema among those that are read.
    pub fn place(&self, column: usize) -> Option<usize> {
        self.places[column]
    }

    /// The columns that had levels unknown to training, each with the number of such cells.
    pub fn unseen(&self) -> impl Iterator<Item = (&str, usize)> {
        let columns = self.schema.columns().iter().map(|c| c.name.as_str());
        let counts = columns.zip(self.unseen.iter().copied());
        counts.filter(|(_, count)| *count > 0)
    }
}

/// The error about a cell of a row that stands there.
pub(crate) fn at(unfit: Unfit, reader: &Reader, place: Place) -> crate::Error {
    let at = reader.location(Some(place), Some(unfit.column));
    unfit.error(at)
}
