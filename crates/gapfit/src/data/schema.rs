//! What the columns of a table were before they became features: names, kinds, levels.

use std::collections::HashSet;
use std::ops::Range;

use super::levels::Levels;
use super::{MaskedMatrix, MaskedRow};
use crate::error::{Error, Result};

/// The columns behind the features of a table, in order.
///
/// A numeric column, a boolean one (1 and 0) and one of dates (days) are a feature each, by the name
/// of the column. A categorical one is a feature `column=level` for each of its [`Levels`], 1 where the
/// cell has that level and 0 where it has another; where the cell is missing, so are all of them.
///
/// ```
/// use gapfit::data::{Kind, Levels, Schema, SchemaColumn, Value};
/// let levels = Levels::new(vec!["red".to_owned(), "blue".to_owned()], vec![])?;
/// let schema = Schema::new(vec![
///     SchemaColumn { name: "size".to_owned(), kind: Kind::Numeric },
///     SchemaColumn { name: "colour".to_owned(), kind: Kind::Categorical(levels) },
/// ])?;
/// assert_eq!(schema.feature_names(), ["size", "colour=red", "colour=blue"]);
/// let mut row = Vec::new();
/// schema.encode(0, Value::Number(40.0), &mut row);
/// schema.encode(1, Value::Level(schema.level(1, "blue").unwrap()), &mut row);
/// assert_eq!(row, [Some(40.0), Some(0.0), Some(1.0)]);
/// # Ok::<_, gapfit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    columns: Vec<SchemaColumn>,
    /// Where the features of each column start, and behind the last.
    starts: Vec<usize>,
}

/// One column of a [`Schema`].
#[derive(Clone, Debug, PartialEq)]
pub struct SchemaColumn {
    /// Its name.
    pub name: String,
    /// What its cells are.
    pub kind: Kind,
}

/// What the cells of a column are.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Numbers.
    Numeric,
    /// True (1) and false (0).
    Boolean,
    /// Dates or times, in days after the start of 1970.
    Date,
    /// Texts, each a level.
    Categorical(Levels),
}

impl Kind {
    /// The name of the kind.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Numeric => "numeric",
            Self::Boolean => "boolean",
            Self::Date => "date",
            Self::Categorical(_) => "categorical",
        }
    }

    pub(crate) fn n_features(&self) -> usize {
        match self {
            Self::Categorical(levels) => levels.n_features(),
            _ => 1,
        }
    }
}

/// A cell of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Nothing is known.
    Missing,
    /// A finite number.
    Number(f64),
    /// The level with this number, as [`Schema::level`] gives it.
    Level(usize),
}

impl Schema {
    /// These columns.
    ///
    /// # Errors
    /// [`Error::Setting`] when two columns or two features share a name.
    pub fn new(columns: Vec<SchemaColumn>) -> Result<Self> {
        let bad = |expected, got: String| {
            Err(Error::Setting {
                name: "schema",
                expected,
                got,
            })
        };
        let mut seen = HashSet::new();
        if let Some(column) = columns.iter().find(|c| !seen.insert(c.name.as_str())) {
            return bad("distinct column names", format!("'{}' twice", column.name));
        }
        let schema = Self::unchecked(columns);
        let names = schema.feature_names();
        let mut seen = HashSet::new();
        match names.iter().find(|name| !seen.insert(name.as_str())) {
            Some(name) => bad("distinct feature names", format!("'{name}' twice")),
            None => Ok(schema),
        }
    }

    /// Numeric columns of these names.
    pub fn numeric(names: &[String]) -> Self {
        let column = |name: &String| SchemaColumn {
            name: name.clone(),
            kind: Kind::Numeric,
        };
        Self::unchecked(names.iter().map(column).collect())
    }

    fn unchecked(columns: Vec<SchemaColumn>) -> Self {
        let mut starts = vec![0];
        for column in &columns {
            starts.push(starts[starts.len() - 1] + column.kind.n_features());
        }
        Self { columns, starts }
    }

    /// The columns, in order.
    pub fn columns(&self) -> &[SchemaColumn] {
        &self.columns
    }

    /// The number of features.
    pub fn n_features(&self) -> usize {
        self.starts[self.columns.len()]
    }

    /// The numbers of the features of a column.
    ///
    /// # Panics
    /// When there is no such column.
    pub fn features(&self, column: usize) -> Range<usize> {
        self.starts[column]..self.starts[column + 1]
    }

    /// The column that a feature belongs to.
    ///
    /// # Panics
    /// When there is no such feature.
    pub fn column_of(&self, feature: usize) -> usize {
        assert!(feature < self.n_features(), "no feature {feature}");
        self.starts.partition_point(|&start| start <= feature) - 1
    }

    /// The numbers of the features that go missing together with one: those of its column.
    ///
    /// # Panics
    /// When there is no such feature.
    pub fn group(&self, feature: usize) -> Range<usize> {
        self.features(self.column_of(feature))
    }

    /// The names of the features, in order.
    pub fn feature_names(&self) -> Vec<String> {
        let mut names = Vec::with_capacity(self.n_features());
        for column in &self.columns {
            match &column.kind {
                Kind::Categorical(levels) => {
                    names.extend(
                        levels
                            .names()
                            .map(|level| format!("{}={level}", column.name)),
                    );
                }
                _ => names.push(column.name.clone()),
            }
        }
        names
    }

    /// The number of the level that a text is, of a column; `None` for one that training did not have,
    /// and where the column is not categorical.
    ///
    /// # Panics
    /// When there is no such column.
    pub fn level(&self, column: usize, text: &str) -> Option<usize> {
        match &self.columns[column].kind {
            Kind::Categorical(levels) => levels.number(text),
            _ => None,
        }
    }

    /// Puts the features of one cell behind `features`.
    ///
    /// # Panics
    /// When there is no such column.
    pub fn encode(&self, column: usize, value: Value, features: &mut Vec<Option<f64>>) {
        let n_features = self.features(column).len();
        match (&self.columns[column].kind, value) {
            (Kind::Categorical(_), Value::Level(level)) => {
                let cell = |k| Some(if k == level { 1.0 } else { 0.0 });
                features.extend((0..n_features).map(cell));
            }
            (Kind::Numeric | Kind::Boolean | Kind::Date, Value::Number(number)) => {
                features.push(Some(number));
            }
            _ => features.extend(std::iter::repeat_n(None, n_features)),
        }
    }

    /// The number of columns that are missing in a row of features.
    pub fn n_missing(&self, row: MaskedRow<'_>) -> usize {
        let starts = &self.starts[..self.columns.len()];
        let is_missing = |start: &&usize| !row.observed().contains(**start);
        starts.iter().filter(is_missing).count()
    }

    /// The features after `hide` has made holes in a table of one feature per column, the first: the
    /// other features of a column go missing with it.
    ///
    /// # Errors
    /// That of `hide`.
    pub fn hide_columns(
        &self,
        features: &MaskedMatrix,
        hide: impl FnOnce(&MaskedMatrix) -> Result<MaskedMatrix>,
    ) -> Result<MaskedMatrix> {
        let firsts: Vec<_> = (0..self.columns.len())
            .map(|c| Some(self.starts[c]))
            .collect();
        let holey = hide(&features.select_columns(&firsts))?;
        let mut hidden = features.clone();
        for i in 0..hidden.n_rows() {
            for column in (0..self.columns.len()).filter(|&c| holey.get(i, c).is_none()) {
                self.features(column).for_each(|j| hidden.hide(i, j));
            }
        }
        Ok(hidden)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, kind: Kind) -> SchemaColumn {
        SchemaColumn {
            name: name.to_owned(),
            kind,
        }
    }

    fn levels(kept: &[&str], pooled: &[&str]) -> Kind {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        Kind::Categorical(Levels::new(owned(kept), owned(pooled)).unwrap())
    }

    #[test]
    fn a_missing_category_is_a_missing_group() {
        let schema = Schema::new(vec![
            column("a", levels(&["x", "y"], &["z"])),
            column("b", Kind::Boolean),
        ]);
        let schema = schema.unwrap();
        assert_eq!(schema.feature_names(), ["a=x", "a=y", "a=other", "b"]);
        let mut row = Vec::new();
        schema.encode(0, Value::Missing, &mut row);
        schema.encode(1, Value::Number(1.0), &mut row);
        assert_eq!(row, [None, None, None, Some(1.0)]);
        let mut table = MaskedMatrix::new(4);
        table.push_row(row).unwrap();
        assert_eq!(schema.n_missing(table.row(0)), 1);
        assert_eq!([0, 2, 3].map(|j| schema.group(j)), [0..3, 0..3, 3..4]);
        assert_eq!(schema.level(0, "z"), Some(2));
        assert_eq!(schema.level(0, "unseen"), None);
        assert_eq!(schema.level(1, "x"), None);
    }

    #[test]
    fn holes_are_made_in_whole_groups() {
        let schema = Schema::new(vec![
            column("a", levels(&["x", "y"], &[])),
            column("b", Kind::Numeric),
        ]);
        let table = MaskedMatrix::from_nan(1, 3, &[0.0, 1.0, 2.0]).unwrap();
        let hide_first = |table: &MaskedMatrix| {
            let mut table = table.clone();
            table.hide(0, 0);
            Ok(table)
        };
        let holey = schema.unwrap().hide_columns(&table, hide_first).unwrap();
        let row: Vec<_> = (0..3).map(|j| holey.get(0, j)).collect();
        assert_eq!(row, [None, None, Some(2.0)]);
    }

    #[test]
    fn clashes_of_names_are_refused() {
        for columns in [
            vec![column("a", Kind::Numeric), column("a", Kind::Date)],
            vec![
                column("a=x", Kind::Numeric),
                column("a", levels(&["x"], &[])),
            ],
        ] {
            assert!(Schema::new(columns).is_err());
        }
    }
}
