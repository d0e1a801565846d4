//! Labels that come later than their rows.
//!
//! A row is predicted when it arrives and kept until its label comes; then it is learnt, and what counts
//! is the prediction that was made at its arrival. Labels may come in any order, or never: the number of
//! rows that wait is bounded, and the oldest one makes room for the next.

use super::{Learn, Learnt};
use crate::data::{MaskedRow, RowBuffer};
use crate::error::{Error, Result};
use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

/// A learner whose labels come later, matched to their rows by an id.
///
/// Memory is that of the learner and of at most `capacity` rows. An id that arrives again while its row
/// waits gets the new row in place of the old one, which counts as dropped.
///
/// ```
/// use gapfit::data::RowBuffer;
/// use gapfit::online::{Auto, Delayed};
///
/// let mut clicks = Delayed::new(Auto::default().start(1)?, 10_000)?;
/// let mut row = RowBuffer::new(1);
/// row.set(0, 3.5)?;
/// let prediction = clicks.predict("order 17".to_owned(), row.as_row())?;
/// // ... hours later:
/// let learnt = clicks.label("order 17", 10.0, 1.0)?.expect("it is waiting");
/// assert_eq!(learnt.prediction, prediction);
/// assert!(clicks.label("order 17", 10.0, 1.0)?.is_none()); // it was learnt already
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Delayed<Id, L> {
    learner: L,
    capacity: usize,
    waiting: HashMap<Id, Waiting>,
    /// The ids that wait by the number of their arrival, the oldest first.
    order: BTreeMap<u64, Id>,
    arrivals: u64,
    dropped: u64,
}

/// A row without its label.
#[derive(Clone, Debug)]
struct Waiting {
    row: RowBuffer,
    prediction: f64,
    arrival: u64,
}

impl<Id: Hash + Eq + Clone, L: Learn> Delayed<Id, L> {
    /// A learner with room for this many rows that wait.
    ///
    /// # Errors
    /// [`Error::Setting`] when there is no room.
    pub fn new(learner: L, capacity: usize) -> Result<Self> {
        if capacity == 0 {
            return Err(Error::Setting {
                name: "capacity",
                expected: "room for at least 1 row",
                got: capacity.to_string(),
            });
        }
        Ok(Self {
            learner,
            capacity,
            waiting: HashMap::new(),
            order: BTreeMap::new(),
            arrivals: 0,
            dropped: 0,
        })
    }

    /// The prediction for a row that arrives, which then waits for its label; the oldest one is dropped
    /// where there is no room.
    ///
    /// # Errors
    /// Those of [`Learn::predict`]; then nothing has changed.
    pub fn predict(&mut self, id: Id, row: MaskedRow<'_>) -> Result<f64> {
        let prediction = self.learner.predict(row)?;
        let mut kept = RowBuffer::default();
        kept.copy_from(row);
        let arrival = self.arrivals;
        self.arrivals += 1;
        let waiting = Waiting {
            row: kept,
            prediction,
            arrival,
        };
        if let Some(old) = self.waiting.insert(id.clone(), waiting) {
            self.order.remove(&old.arrival);
            self.dropped += 1;
        }
        self.order.insert(arrival, id);
        if self.waiting.len() > self.capacity
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.waiting.remove(&oldest);
            self.dropped += 1;
        }
        Ok(prediction)
    }

    /// Learns the target of the row that waits under this id. Returns the prediction made at its arrival
    /// and the loss of that; `None` when no such row waits: it never came, was labelled before, or was
    /// dropped. Features that the learner gained since are missing from the row.
    ///
    /// # Errors
    /// Those of [`Learn::learn`]; then nothing has changed, and the row still waits.
    pub fn label<Q>(&mut self, id: &Q, target: f64, weight: f64) -> Result<Option<Learnt>>
    where
        Id: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let Some(waiting) = self.waiting.get_mut(id) else {
            return Ok(None);
        };
        while waiting.row.n_features() < self.learner.n_features() {
            waiting.row.push_hole();
        }
        let learnt = self.learner.learn(waiting.row.as_row(), target, weight)?;
        let (prediction, arrival) = (waiting.prediction, waiting.arrival);
        self.order.remove(&arrival);
        self.waiting.remove(id);
        Ok(Some(Learnt {
            prediction,
            loss: self.learner.loss().value(prediction, target),
            ..learnt
        }))
    }

    /// The number of rows that wait.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The number of rows that made room for others and will not be learnt.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The learner.
    pub fn learner(&self) -> &L {
        &self.learner
    }

    /// The learner, to be changed: columns may be added while rows wait.
    pub fn learner_mut(&mut self) -> &mut L {
        &mut self.learner
    }

    /// The learner alone; the rows that wait are given up.
    pub fn into_learner(self) -> L {
        self.learner
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::MaskedMatrix;
    use crate::online::{MirrorDescent, OnlineLearner};

    fn table() -> MaskedMatrix {
        let cells: Vec<f64> = (0..40).map(|i| f64::from(i * 7 % 11) / 11.0).collect();
        MaskedMatrix::from_nan(20, 2, &cells).unwrap()
    }

    fn delayed(capacity: usize) -> Delayed<u64, OnlineLearner> {
        Delayed::new(MirrorDescent::default().start(2).unwrap(), capacity).unwrap()
    }

    #[test]
    fn without_delay_it_is_the_learner_itself() {
        let mut plain = MirrorDescent::default().start(2).unwrap();
        let mut delayed = delayed(1);
        for (i, row) in table().rows().enumerate() {
            let target = row.values()[0] - 0.3;
            let expected = plain.learn(row, target, 2.0).unwrap();
            delayed.predict(i as u64, row).unwrap();
            let learnt = delayed.label(&(i as u64), target, 2.0).unwrap();
            assert_eq!(learnt, Some(expected));
        }
        assert_eq!(delayed.dropped(), 0);
        assert_eq!(delayed.into_learner().to_bytes(), plain.to_bytes());
    }

    #[test]
    fn the_prediction_of_the_arrival_is_what_is_scored() {
        let (table, mut delayed) = (table(), delayed(2));
        let first = delayed.predict(1, table.row(3)).unwrap();
        delayed.predict(2, table.row(3)).unwrap();
        delayed.label(&2, 5.0, 1.0).unwrap();
        let now = delayed.learner().predict(table.row(3)).unwrap();
        let learnt = delayed.label(&1, 5.0, 1.0).unwrap().unwrap();
        assert!((now - first).abs() > 1e-3, "the other label moved it");
        assert_eq!(learnt.prediction.to_bits(), first.to_bits());
        assert!((learnt.loss - (first - 5.0).powi(2)).abs() < 1e-12);
        assert_eq!(delayed.learner().rows(), 2);
    }

    #[test]
    fn the_oldest_rows_make_room_and_are_counted() {
        let (table, mut delayed) = (table(), delayed(3));
        for id in 0..10 {
            delayed.predict(id, table.row(id as usize)).unwrap();
            assert!(delayed.waiting() <= 3 && delayed.order.len() == delayed.waiting());
        }
        assert_eq!((delayed.waiting(), delayed.dropped()), (3, 7));
        for id in 0..10 {
            let learnt = delayed.label(&id, 1.0, 1.0).unwrap();
            assert_eq!(learnt.is_some(), id >= 7, "{id}");
        }
        assert_eq!(delayed.label(&99, 1.0, 1.0).unwrap(), None);
        assert_eq!((delayed.waiting(), delayed.order.len()), (0, 0));
        assert_eq!(delayed.learner().rows(), 3);
    }

    #[test]
    fn an_old_row_that_waits_does_not_let_the_order_of_others_pile_up() {
        let (table, mut delayed) = (table(), delayed(5));
        delayed.predict(0, table.row(0)).unwrap();
        for id in 1..1000 {
            delayed.predict(id, table.row(1)).unwrap();
            delayed.label(&id, 1.0, 1.0).unwrap();
        }
        assert_eq!((delayed.waiting(), delayed.order.len()), (1, 1));
        assert!(delayed.label(&0, 1.0, 1.0).unwrap().is_some());
    }

    #[test]
    fn an_id_that_comes_again_stands_for_its_last_row() {
        let (table, mut delayed) = (table(), delayed(2));
        delayed.predict(1, table.row(0)).unwrap();
        delayed.predict(2, table.row(1)).unwrap();
        delayed.predict(1, table.row(2)).unwrap();
        assert_eq!((delayed.waiting(), delayed.dropped()), (2, 1));
        // The second id is the oldest now.
        delayed.predict(3, table.row(3)).unwrap();
        assert_eq!(delayed.label(&2, 1.0, 1.0).unwrap(), None);
        delayed.label(&1, 1.0, 1.0).unwrap();
        let mut plain = MirrorDescent::default().start(2).unwrap();
        plain.learn(table.row(2), 1.0, 1.0).unwrap();
        assert_eq!(delayed.learner().to_bytes(), plain.to_bytes());
    }

    #[test]
    fn a_refused_label_leaves_the_row_waiting() {
        let (table, mut delayed) = (table(), delayed(2));
        delayed.predict(1, table.row(0)).unwrap();
        let before = delayed.learner().to_bytes();
        assert!(delayed.label(&1, f64::NAN, 1.0).is_err());
        assert_eq!(delayed.learner().to_bytes(), before);
        assert!(delayed.label(&1, 1.0, 1.0).unwrap().is_some());
        let wide = MaskedMatrix::from_nan(1, 3, &[1.0; 3]).unwrap();
        assert!(delayed.predict(2, wide.row(0)).is_err());
        assert_eq!((delayed.waiting(), delayed.dropped()), (0, 0));
    }

    #[test]
    fn a_column_that_comes_while_a_row_waits_is_missing_from_it() {
        let (table, mut delayed) = (table(), delayed(2));
        delayed.predict(1, table.row(4)).unwrap();
        delayed.learner_mut().add_column("new").unwrap();
        delayed.label(&1, 1.0, 1.0).unwrap().unwrap();
        let mut plain = MirrorDescent::default().start(2).unwrap();
        plain.add_column("new").unwrap();
        let mut wide = MaskedMatrix::new(3);
        let cells = [table.row(4).get(0), table.row(4).get(1), None];
        wide.push_row(cells).unwrap();
        plain.learn(wide.row(0), 1.0, 1.0).unwrap();
        assert_eq!(delayed.learner().to_bytes(), plain.to_bytes());
    }

    #[test]
    fn no_room_at_all_is_refused() {
        let learner = MirrorDescent::default().start(2).unwrap();
        let error = Delayed::<u64, _>::new(learner, 0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "capacity: expected room for at least 1 row, got 0"
        );
    }
}
