//! The probabilities of classes.

use crate::error::{Error, Result};

/// The probabilities of the classes, row by row.
///
/// ```
/// use gapfit::eval::Probabilities;
/// let of = Probabilities::new(2, vec![0.25, 0.75, 0.5, 0.5]).expect("two classes");
/// assert_eq!(of.row(0), [0.25, 0.75]);
/// assert_eq!(of.class(1), [0.75, 0.5]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Probabilities {
    n_classes: usize,
    values: Vec<f64>,
}

impl Probabilities {
    /// From the numbers, row after row.
    ///
    /// # Errors
    /// [`Error::Shape`] when the last row is not whole.
    pub fn new(n_classes: usize, values: Vec<f64>) -> Result<Self> {
        let left = values.len() % n_classes.max(1);
        if n_classes > 0 && left == 0 {
            return Ok(Self { n_classes, values });
        }
        Err(Error::Shape {
            what: "probabilities of the last row",
            expected: n_classes,
            got: left,
        })
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.values.len() / self.n_classes
    }

    /// The number of classes.
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// The probabilities of a row, one per class.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.n_classes..(i + 1) * self.n_classes]
    }

    /// All rows.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.values.chunks_exact(self.n_classes)
    }

    /// The probability of one class in every row.
    ///
    /// # Panics
    /// If there is no such class.
    pub fn class(&self, class: usize) -> Vec<f64> {
        self.rows().map(|row| row[class]).collect()
    }
}
