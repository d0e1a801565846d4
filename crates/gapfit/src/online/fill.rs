//! What stands in for missing values before the weights see a row.

use crate::data::MaskedRow;
use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// Values beyond this size do not enter a running mean: one of them would outweigh everything else.
const LARGEST: f64 = 1e100;

/// What stands in for missing values.
///
/// ```
/// use gapfit::online::Fill;
/// assert_eq!("mean".parse::<Fill>()?, Fill::Mean);
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fill {
    /// Zero, as in the paper: the row is `x'`.
    #[default]
    Zero,
    /// The mean of the values observed so far. A row is predicted and learnt from with the means of
    /// the rows before it, then it enters the means; a column not seen yet is filled with zero.
    Mean,
}

impl fmt::Display for Fill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Zero => "zero",
            Self::Mean => "mean",
        })
    }
}

impl FromStr for Fill {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "zero" => Ok(Self::Zero),
            "mean" => Ok(Self::Mean),
            _ => Err(Error::Setting {
                name: "fill",
                expected: "zero or mean",
                got: name.to_owned(),
            }),
        }
    }
}

/// Weighted means of the values observed so far.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Means {
    pub(crate) mean: Vec<f64>,
    pub(crate) weight: Vec<f64>,
}

impl Means {
    pub(crate) fn new(n_features: usize) -> Self {
        Self {
            mean: vec![0.0; n_features],
            weight: vec![0.0; n_features],
        }
    }

    /// Writes the row with its holes filled.
    pub(crate) fn fill(&self, row: MaskedRow<'_>, filled: &mut Vec<f64>) {
        filled.clear();
        filled.extend_from_slice(row.values());
        for j in row.observed().missing() {
            filled[j] = self.mean[j];
        }
    }

    /// Lets the observed values of a row enter the means.
    pub(crate) fn add(&mut self, row: MaskedRow<'_>, weight: f64) {
        for j in row.observed().iter() {
            let value = row.values()[j];
            if value.abs() <= LARGEST {
                self.weight[j] += weight;
                self.mean[j] += (value - self.mean[j]) * (weight / self.weight[j]);
            }
        }
    }

    pub(crate) fn add_feature(&mut self) {
        self.mean.push(0.0);
        self.weight.push(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::MaskedMatrix;

    #[test]
    fn means_are_those_of_the_observed_values() {
        let hole = f64::NAN;
        let cells = [1.0, hole, hole, 4.0, 3.0, 1e308, 0.5, -2.0];
        let table = MaskedMatrix::from_nan(4, 2, &cells).unwrap();
        let mut means = Means::new(2);
        for (row, weight) in table.rows().zip([1.0, 2.0, 1.0, 4.0]) {
            means.add(row, weight);
        }
        assert!((means.mean[0] - (1.0 + 3.0 + 2.0) / 6.0).abs() < 1e-15);
        assert!(
            (means.mean[1] - (8.0 - 8.0) / 6.0).abs() < 1e-15,
            "1e308 stays out"
        );
        let mut filled = Vec::new();
        means.fill(table.row(1), &mut filled);
        assert_eq!(filled, [means.mean[0], 4.0]);
    }
}
