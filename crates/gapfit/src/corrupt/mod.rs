//! Corruption processes: seeded ways to punch holes into a table.
//!
//! Given a table and a generator, [`Mechanism::apply`] returns a copy with more holes; what was a hole
//! stays one, and no observed value changes. But for `columns` every cell has its own coin:
//!
//! | name | chance that cell `x` of column `k` goes missing |
//! |---|---|
//! | `independent` | `p_k ~ U[0, beta]`, whatever the values |
//! | `dependent` | `beta` where `s_k (x - t_k) > 0`, else 0; `t_k ~ U[0, 1]`, `s_k` a fair sign, `x` scaled to `[0, 1]` |
//! | `columns` | per row one group of columns, uniformly, goes missing as a whole |
//! | `mcar` | `rate` |
//! | `mar` | logistic in a random combination of columns that stay observed |
//! | `selfmask-logistic` | logistic in `x`, as steep as in `mar` |
//! | `selfmask-gaussian` | `exp(-(x - m)² / 2s²)`, `m` two standard deviations above the mean, `s` solved for |
//! | `selfmask-probit` | `Φ(x / 2 - c)`, `x` in standard deviations from the mean, `c` solved for |
//! | `quantile` | `(1 + rate) / 2` for the largest `2 rate / (1 + rate)` of the column, else 0 |
//!
//! The first three are the paper's (its appendix; docs/math.md, section 6), the others are beyond it:
//! the mechanisms of the linear-Gaussian benchmark of Le Morvan et al. (2020), and a cut at a quantile.
//!
//! `rate` is the expected fraction of the *observed* cells that go missing, in every column by
//! itself (in `mar`: in every column but those that stay observed). It is solved for on the column's
//! own observed values, so it holds for any distribution, also with ties. Cost: about 20 passes over
//! a column that needs solving, one pass otherwise.

mod chance;
mod column;
mod mar;
mod name;
mod paper;
mod quantile;
mod selfmask;

use crate::data::MaskedMatrix;
use crate::error::{Error, Result};
use column::Column;
use rand_chacha::ChaCha8Rng;

/// A way to punch holes into a table; the [module](self) says what each does.
///
/// ```
/// use gapfit::{corrupt::Mechanism, data::MaskedMatrix};
/// use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
///
/// let complete = MaskedMatrix::from_nan(1000, 1, &[1.0; 1000]).unwrap();
/// let mut rng = ChaCha8Rng::seed_from_u64(0);
/// let holey = Mechanism::Mcar { rate: 0.3 }.apply(&complete, &mut rng).unwrap();
/// assert!((holey.observed_fraction() - 0.7).abs() < 0.05);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Mechanism {
    /// The paper's data-independent process: each column has a chance of its own.
    Independent {
        /// Largest chance of a column, in `[0, 1)`; the mean fraction of holes is half of it.
        beta: f64,
    },
    /// The paper's data-dependent process: each column loses cells on one side of a threshold.
    /// A constant column is scaled to 0.
    Dependent {
        /// Chance on the losing side, in `[0, 1)`.
        beta: f64,
    },
    /// The paper's deletion of pixel columns: each row loses one of the groups, uniformly.
    Columns {
        /// Groups of column numbers, counted from 0. An empty group spares the row.
        groups: Vec<Vec<usize>>,
    },
    /// Missing completely at random.
    Mcar {
        /// Expected fraction of the observed cells of each column to lose, in `[0, 1)`.
        rate: f64,
    },
    /// Missing at random: a tenth of the columns, at least one, stays observed and decides.
    ///
    /// Those with the fewest holes are taken, at random among equals. For each other column their
    /// standardised values are combined with standard normal weights, the sum is scaled to the
    /// standard deviation `1/s`, `s ~ U[0.1, 0.5]`, and the intercept of the logistic curve is
    /// solved for. A hole in a deciding column counts as that column's mean.
    Mar {
        /// Expected fraction of the observed cells of each *other* column to lose, in `[0, 1)`.
        rate: f64,
    },
    /// Large values hide: a logistic curve of the value, in standard deviations times `1/s`,
    /// `s ~ U[0.1, 0.5]`.
    SelfMaskLogistic {
        /// Expected fraction of the observed cells of each column to lose, in `[0, 1)`.
        rate: f64,
    },
    /// Values near two standard deviations above the mean hide: a bump, as wide as the rate asks.
    ///
    /// Where more cells than asked for sit right at the peak, they are thinned out evenly.
    SelfMaskGaussian {
        /// Expected fraction of the observed cells of each column to lose, in `[0, 1)`.
        rate: f64,
    },
    /// Large values hide, gently: a normal distribution function of the value.
    SelfMaskProbit {
        /// Expected fraction of the observed cells of each column to lose, in `[0, 1)`.
        rate: f64,
    },
    /// The upper tail of each column hides: the largest `2 rate / (1 + rate)` of its observed cells,
    /// each with the chance `(1 + rate) / 2`.
    ///
    /// Cells tied at the tail's edge share what is left of it evenly.
    Quantile {
        /// Expected fraction of the observed cells of each column to lose, in `[0, 1)`.
        rate: f64,
    },
}

impl Mechanism {
    /// A copy of `table` with more holes: a function of the settings, the table and the generator.
    ///
    /// # Errors
    /// [`Error::Setting`] when a setting is out of range, a group names a column that `table` does not
    /// have, or `mar` has fewer than two columns to work with.
    pub fn apply(&self, table: &MaskedMatrix, rng: &mut ChaCha8Rng) -> Result<MaskedMatrix> {
        self.validate()?;
        self.validate_for(table)?;
        let mut holey = table.clone();
        let out = &mut holey;
        match *self {
            Self::Independent { beta } => {
                hide_by(out, rng, |x, rng| paper::independent(x, beta, rng))
            }
            Self::Dependent { beta } => hide_by(out, rng, |x, rng| paper::dependent(x, beta, rng)),
            Self::Columns { ref groups } => paper::hide_groups(out, groups, rng),
            Self::Mcar { rate } => hide_by(out, rng, |x, _| vec![rate; x.len()]),
            Self::Mar { rate } => mar::hide(out, rate, rng),
            Self::SelfMaskLogistic { rate } => {
                hide_by(out, rng, |x, rng| selfmask::logistic(x, rate, rng));
            }
            Self::SelfMaskGaussian { rate } => {
                hide_by(out, rng, |x, _| selfmask::gaussian(x, rate))
            }
            Self::SelfMaskProbit { rate } => hide_by(out, rng, |x, _| selfmask::probit(x, rate)),
            Self::Quantile { rate } => hide_by(out, rng, |x, _| quantile::chances(x, rate)),
        }
        Ok(holey)
    }

    /// Checks the settings that can be judged without a table.
    ///
    /// # Errors
    /// [`Error::Setting`] when `beta` or `rate` is outside `[0, 1)`, or there is no group.
    pub fn validate(&self) -> Result<()> {
        let (name, value) = match *self {
            Self::Independent { beta } | Self::Dependent { beta } => ("beta", beta),
            Self::Mcar { rate }
            | Self::Mar { rate }
            | Self::SelfMaskLogistic { rate }
            | Self::SelfMaskGaussian { rate }
            | Self::SelfMaskProbit { rate }
            | Self::Quantile { rate } => ("rate", rate),
            Self::Columns { ref groups } if groups.is_empty() => {
                return Err(Error::Setting {
                    name: "groups",
                    expected: "at least one group of columns",
                    got: "none".to_owned(),
                });
            }
            Self::Columns { .. } => return Ok(()),
        };
        if (0.0..1.0).contains(&value) {
            return Ok(());
        }
        Err(Error::Setting {
            name,
            expected: "a number from 0 up to, but not including, 1",
            got: value.to_string(),
        })
    }

    fn validate_for(&self, table: &MaskedMatrix) -> Result<()> {
        let n_cols = table.n_cols();
        match self {
            Self::Columns { groups } => match groups.iter().flatten().find(|&&j| j >= n_cols) {
                None => Ok(()),
                Some(j) => Err(Error::Setting {
                    name: "groups",
                    expected: "columns of the table, counted from 0",
                    got: format!("column {j} of {n_cols}"),
                }),
            },
            Self::Mar { .. } if n_cols < 2 => Err(Error::Setting {
                name: "mechanism",
                expected: "at least 2 columns for mar",
                got: n_cols.to_string(),
            }),
            _ => Ok(()),
        }
    }
}

/// Hides cells column by column; `chances` says how likely each observed value of one column goes.
fn hide_by(
    table: &mut MaskedMatrix,
    rng: &mut ChaCha8Rng,
    chances: impl Fn(&[f64], &mut ChaCha8Rng) -> Vec<f64>,
) {
    for j in 0..table.n_cols() {
        let column = Column::of(table, j);
        let chances = chances(column.values(), rng);
        column.hide(table, &chances, rng);
    }
}
