//! The texts behind categorical features, by which rows that were learnt from know a category.
//!
//! A text that no training row has is missing for a model when it meets it in new rows. Rows that are
//! held out to judge a model must look the same to it, also where the rest of the table has the text.

use std::ops::Range;
use std::sync::Arc;

use super::schema::Kind;
use super::{Dataset, Schema};
use crate::error::{Error, Result};

/// The texts of one categorical column, as numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Texts {
    column: usize,
    /// One per row; of no meaning where the cell is missing.
    rows: Vec<u32>,
}

impl Texts {
    pub(super) fn select(&self, rows: &[usize]) -> Self {
        Self {
            column: self.column,
            rows: rows.iter().map(|&i| self.rows[i]).collect(),
        }
    }
}

impl Dataset {
    /// The same table with the number of each row's text in categorical columns of its schema, each with its place
    /// there: equal texts have equal numbers. They tell levels that share a feature apart in
    /// [`held_out`](Self::held_out); where a cell is missing its number means nothing.
    ///
    /// # Errors
    /// [`Error::Setting`] for a column that is not categorical, [`Error::Shape`] for too few or too many rows.
    pub fn with_texts(mut self, texts: Vec<(usize, Vec<u32>)>) -> Result<Self> {
        let columns: Vec<usize> = self
            .schema()
            .map_or_else(Vec::new, |s| categorical(s).collect());
        for (column, rows) in &texts {
            if !columns.contains(column) {
                return Err(Error::Setting {
                    name: "texts",
                    expected: "the numbers of categorical columns",
                    got: column.to_string(),
                });
            }
            if rows.len() != self.n_rows() {
                return Err(Error::Shape {
                    what: "texts of a column",
                    expected: self.n_rows(),
                    got: rows.len(),
                });
            }
        }
        let texts = texts.into_iter();
        self.texts = texts.map(|(column, rows)| Texts { column, rows }).collect();
        Ok(self)
    }

    /// The rows `held_out` as a model of the rows `train` sees them: a category that none of those has is missing.
    ///
    /// ```
    /// use gapfit::data::{Dataset, Kind, Levels, MaskedMatrix, Schema, SchemaColumn};
    /// let levels = Levels::new(vec!["red".to_owned(), "blue".to_owned()], vec![])?;
    /// let kind = Kind::Categorical(levels);
    /// let schema = Schema::new(vec![SchemaColumn { name: "colour".to_owned(), kind }])?;
    /// let cells = MaskedMatrix::from_nan(3, 2, &[1.0, 0.0, 0.0, 1.0, 1.0, 0.0])?;
    /// let data = Dataset::new(cells, vec![1.0, 2.0, 3.0])?.with_schema(schema)?;
    /// let blue = data.held_out(&[1], &[0, 2]);
    /// assert_eq!(blue.features().get(0, 1), None);
    /// # Ok::<_, gapfit::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no such row.
    pub fn held_out(&self, held_out: &[usize], train: &[usize]) -> Self {
        self.select(held_out).without(self.unseen(held_out, train))
    }

    /// The same table with these features of these rows missing.
    pub(crate) fn without(mut self, cells: Vec<(usize, Range<usize>)>) -> Self {
        for (i, features) in cells {
            let table = Arc::make_mut(&mut self.features);
            features.for_each(|j| table.hide(i, j));
        }
        self
    }

    /// Whether some column is categorical.
    pub(crate) fn has_categories(&self) -> bool {
        let schema = self.schema();
        schema.is_some_and(|schema| categorical(schema).next().is_some())
    }

    /// Categories in the rows `held_out` that no row of `train` has: the place among `held_out`, and the features of
    /// the column.
    pub(crate) fn unseen(&self, held_out: &[usize], train: &[usize]) -> Vec<(usize, Range<usize>)> {
        let mut unseen = Vec::new();
        let Some(schema) = self.schema() else {
            return unseen;
        };
        for column in categorical(schema) {
            let features = schema.features(column);
            let mut seen = Vec::new();
            for number in train
                .iter()
                .filter_map(|&i| self.text(column, &features, i))
            {
                if seen.len() <= number {
                    seen.resize(number + 1, false);
                }
                seen[number] = true;
            }
            let is_unseen = |i: usize| {
                let text = self.text(column, &features, i);
                text.is_some_and(|number| seen.get(number) != Some(&true))
            };
            let places = held_out.iter().enumerate().filter(|&(_, &i)| is_unseen(i));
            unseen.extend(places.map(|(place, _)| (place, features.clone())));
        }
        unseen
    }

    /// The number of a row's text: as given, else that of the feature which is 1; `None` for a hole.
    fn text(&self, column: usize, features: &Range<usize>, i: usize) -> Option<usize> {
        let row = self.features.row(i);
        row.get(features.start)?;
        match self.texts.iter().find(|texts| texts.column == column) {
            Some(texts) => Some(texts.rows[i] as usize),
            None => features.clone().position(|j| row.values()[j] > 0.0),
        }
    }
}

/// The categorical columns of a schema.
fn categorical(schema: &Schema) -> impl Iterator<Item = usize> + '_ {
    let columns = schema.columns().iter().enumerate();
    let columns = columns.filter(|(_, column)| matches!(column.kind, Kind::Categorical(_)));
    columns.map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Levels, MaskedMatrix, SchemaColumn};

    /// One column: a level of its own, two that share a feature, a hole.
    fn table() -> Dataset {
        let owned = |levels: &[&str]| levels.iter().map(|&level| level.to_owned()).collect();
        let levels = Levels::new(owned(&["a"]), owned(&["b", "c"])).unwrap();
        let column = SchemaColumn {
            name: "x".to_owned(),
            kind: Kind::Categorical(levels),
        };
        let hole = f64::NAN;
        let cells = [1.0, 0.0, 0.0, 1.0, 0.0, 1.0, hole, hole];
        let features = MaskedMatrix::from_nan(4, 2, &cells).unwrap();
        let schema = Schema::new(vec![column]).unwrap();
        let data = Dataset::new(features, vec![0.0; 4]).unwrap();
        data.with_schema(schema).unwrap()
    }

    #[test]
    fn levels_that_share_a_feature_are_told_apart_by_their_texts() {
        let first = |data: &Dataset| data.held_out(&[2, 3], &[0, 1]).features().get(0, 1);
        let data = table();
        assert_eq!(first(&data), Some(1.0), "nothing tells b and c apart");
        let data = data.with_texts(vec![(0, vec![0, 1, 2, 0])]).unwrap();
        assert_eq!(first(&data), None);
        let picked = data.select(&[2, 1, 0]);
        assert_eq!(picked.held_out(&[0], &[1, 2]).features().get(0, 0), None);
        assert_eq!(picked.held_out(&[0], &[0]).features().get(0, 0), Some(0.0));
    }

    #[test]
    fn texts_of_other_rows_or_columns_are_refused() {
        assert!(table().with_texts(vec![(0, vec![0; 3])]).is_err());
        assert!(table().with_texts(vec![(1, vec![0; 4])]).is_err());
    }
}
