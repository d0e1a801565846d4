//! Which column of the stream is which feature of the learner; new ones are added as they appear.

use std::collections::HashMap;

use anyhow::Result;
use gapfit::data::{MaskedRow, RowBuffer};
use gapfit::online::StreamLearner;

/// The place of each column of the stream among the features of the learner.
#[derive(Debug)]
pub(super) struct Columns {
    /// `None` where there was no room for a new feature.
    places: Vec<Option<usize>>,
    /// Features that there may be when new ones appear.
    most: usize,
    /// Whether every column is the feature at its own place.
    is_same: bool,
    row: RowBuffer,
}

/// What became of new columns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Extended {
    pub(super) added: usize,
    pub(super) ignored: usize,
}

impl Columns {
    /// No columns yet; at most this many features.
    pub(super) fn new(most: usize) -> Self {
        Self {
            places: Vec::new(),
            most,
            is_same: true,
            row: RowBuffer::default(),
        }
    }

    /// Looks up the columns that are new, and adds them to the learner where it does not know them and
    /// there is room.
    pub(super) fn extend(
        &mut self,
        names: &[String],
        learner: &mut StreamLearner,
    ) -> Result<Extended> {
        let mut extended = Extended::default();
        if names.len() == self.places.len() {
            return Ok(extended);
        }
        let known = learner.feature_names().iter().cloned().zip(0..);
        let known: HashMap<String, usize> = known.collect();
        for name in &names[self.places.len()..] {
            let n_features = learner.feature_names().len();
            let place = match known.get(name) {
                Some(&place) => Some(place),
                None if n_features >= self.most => None,
                None => {
                    learner.add_column(name)?;
                    extended.added += 1;
                    Some(n_features)
                }
            };
            extended.ignored += usize::from(place.is_none());
            self.places.push(place);
        }
        let own = |(j, place): (usize, &Option<usize>)| *place == Some(j);
        self.is_same = self.places.iter().enumerate().all(own);
        Ok(extended)
    }

    /// The row as the learner wants it: `n_features` wide.
    pub(super) fn place<'a>(&'a mut self, row: MaskedRow<'a>, n_features: usize) -> MaskedRow<'a> {
        if self.is_same && row.values().len() == n_features {
            return row;
        }
        self.row.clear(n_features);
        for j in row.observed().iter() {
            if let Some(place) = self.places[j] {
                self.row
                    .set(place, row.values()[j])
                    .expect("the reader gives finite cells");
            }
        }
        self.row.as_row()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gapfit::online::Streaming;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn columns_are_found_by_name_added_while_there_is_room_then_ignored() {
        let mut learner = Streaming::default().start(names(&["a", "b"])).unwrap();
        let mut columns = Columns::new(3);
        let stream = names(&["b", "c", "a", "d"]);
        let first = columns.extend(&stream[..1], &mut learner).unwrap();
        assert_eq!(first, Extended::default());
        let rest = columns.extend(&stream, &mut learner).unwrap();
        assert_eq!((rest.added, rest.ignored), (1, 1));
        assert_eq!(learner.feature_names(), ["a", "b", "c"]);
        let mut row = RowBuffer::new(4);
        for j in [0, 1, 3] {
            row.set(j, 1.0 + j as f64).unwrap();
        }
        let placed = columns.place(row.as_row(), 3);
        let cells: Vec<_> = (0..3).map(|j| placed.get(j)).collect();
        assert_eq!(cells, [None, Some(1.0), Some(2.0)]);
    }
}
