//! The online learner: measure a row, choose the step, take it.

use super::clip::{Clip, Goal, Row};
use super::fill::{Fill, Means};
use super::kernel::dot;
use super::lazy::Lazy;
use super::mask_map::MaskMap;
use super::mirror::{Feasible, Mirror};
use super::settings::MirrorDescent;
use super::step::Pace;
use super::weights::Weights;
use super::{LARGEST, Learn, Learnt, check_names, check_row, check_target, same_name};
use crate::data::{MaskedRow, Observed};
use crate::error::Result;
use crate::loss::Loss;

/// Rows with a larger `‖x‖²` are scaled down before anything is computed with them.
const HUGE: f64 = 1e200;

/// Sums that are carried along are computed afresh after this many rows.
const REFRESH: u64 = 1 << 16;

/// A learner of mask-dependent weights from a stream of rows.
///
/// A row costs O(observed x missing) for the ψ `identity` and `affine`, O(d) when it is complete.
///
/// ```
/// use gapfit::data::MaskedMatrix;
/// use gapfit::online::{Learn, MirrorDescent, OnlineLearner};
/// let mut learner = MirrorDescent::default().start(2)?;
/// let table = MaskedMatrix::from_nan(1, 2, &[1.0, f64::NAN])?;
/// let learnt = learner.learn(table.row(0), 2.0, 1.0)?;
/// assert_eq!((learnt.prediction, learnt.loss), (0.0, 4.0));
///
/// let resumed = OnlineLearner::from_bytes(&learner.to_bytes())?;
/// assert_eq!(resumed.predict(table.row(0))?, learner.predict(table.row(0))?);
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct OnlineLearner {
    pub(super) settings: MirrorDescent,
    pub(super) names: Vec<String>,
    pub(super) lazy: Lazy,
    pub(super) means: Option<Means>,
    pub(super) pace: Pace,
    pub(super) clipped: u64,
    /// Scratch: the row with its holes filled.
    filled: Vec<f64>,
}

impl OnlineLearner {
    /// A learner over features of these names, with all weights zero.
    ///
    /// # Errors
    /// As [`MirrorDescent::start`]; [`Error::Setting`](crate::Error::Setting) when two features have the same name.
    pub fn new(settings: MirrorDescent, names: Vec<String>) -> Result<Self> {
        settings.validate(names.len())?;
        check_names(&names)?;
        let map = MaskMap::new(settings.psi, names.len())?;
        Ok(Self {
            lazy: Lazy::new(map, &settings.mirror, settings.set),
            means: (settings.fill == Fill::Mean).then(|| Means::new(names.len())),
            pace: Pace::default(),
            clipped: 0,
            filled: Vec::new(),
            settings,
            names,
        })
    }

    /// What it learns, and how.
    pub fn settings(&self) -> &MirrorDescent {
        &self.settings
    }

    /// The names of the features, in the order in which rows must come.
    pub fn feature_names(&self) -> &[String] {
        &self.names
    }

    /// The number of rows learnt from, those of weight 0 not counted.
    pub fn rows(&self) -> u64 {
        self.pace.rounds
    }

    /// The number of steps that had to be clipped (docs/math.md 13.5).
    pub fn clipped(&self) -> u64 {
        self.clipped
    }

    /// ψ, with the masks it has noted.
    pub fn psi(&self) -> &MaskMap {
        &self.lazy.map
    }

    /// The matrix A; with [`Fill::Mean`] it multiplies the filled row.
    pub fn weights(&self) -> Weights {
        self.lazy.weights()
    }

    /// The means that fill holes, where they do.
    pub fn means(&self) -> Option<&[f64]> {
        self.means.as_ref().map(|means| &means.mean[..])
    }

    /// ‖A‖ in the norm of the regulariser.
    pub fn norm(&self) -> f64 {
        self.lazy.fresh_sums().1.sqrt()
    }

    /// The size of the gradient on this row for a loss with slope 1, `‖x ψ(z)ᵀ‖` in the dual norm of
    /// the regulariser: times a Lipschitz constant of the loss it is the G of the regret bounds.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) when the row has another number of features.
    pub fn gradient_norm(&self, row: MaskedRow<'_>) -> Result<f64> {
        check_row(row, self.names.len())?;
        let filled = self.fill(row);
        let (x, unit) = scaled_down(filled.as_deref().unwrap_or(row.values()));
        let x_squared = dot(&x, &x);
        let mut counts = vec![0.0; x.len()];
        let observed = row.observed();
        let (squared, _) = self.lazy.dual_squared(&x, observed, x_squared, &mut counts);
        Ok((squared.sqrt() * unit).min(f64::MAX))
    }

    /// Appends a feature that had been missing from all rows so far; its weights, and its influence on
    /// the weights of others, are zero. Predictions for rows that lack it stay as they are, unless ψ is
    /// `pattern` and has no column left for the rows that used to be complete. On a support other than
    /// the full one it has no neighbours.
    ///
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting) when the name is taken, or there would be more than 2²⁷ weights; then nothing
    /// has changed.
    pub fn add_column(&mut self, name: &str) -> Result<()> {
        if self.names.iter().any(|n| n == name) {
            return Err(same_name(name));
        }
        self.lazy.add_feature()?;
        if let Mirror::Sparse { support, .. } = &mut self.settings.mirror {
            support.add_feature();
        }
        if let Some(means) = &mut self.means {
            means.add_feature();
        }
        self.names.push(name.to_owned());
        Ok(())
    }

    /// The row with its holes filled, where they are filled with means.
    fn fill(&self, row: MaskedRow<'_>) -> Option<Vec<f64>> {
        let means = self.means.as_ref()?;
        let mut filled = Vec::new();
        means.fill(row, &mut filled);
        Some(filled)
    }

    /// The prediction for a filled row, saturated.
    fn value(&self, x: &[f64], observed: Observed<'_>) -> f64 {
        let product = self.lazy.product(x, observed);
        if product.abs() <= LARGEST {
            return product;
        }
        let (small, unit) = scaled_down(x);
        saturated(self.lazy.product(&small, observed), unit)
    }

    /// Measures a filled row, chooses the length of the step, takes it.
    fn update(&mut self, x: &[f64], observed: Observed<'_>, target: f64, weight: f64) -> Learnt {
        let measure = self.lazy.measure(x, observed);
        if measure.x_squared > HUGE || measure.x_squared.is_nan() {
            return self.update_huge(x, observed, target, weight);
        }
        let prediction = saturated(measure.product, 1.0);
        let row = Row {
            x,
            observed,
            unit: 1.0,
            measure,
            prediction,
        };
        self.step(&row, target, weight)
    }

    #[cold]
    fn update_huge(
        &mut self,
        x: &[f64],
        observed: Observed<'_>,
        target: f64,
        weight: f64,
    ) -> Learnt {
        let prediction = self.value(x, observed);
        let (small, unit) = scaled_down(x);
        let measure = self.lazy.measure(&small, observed);
        let row = Row {
            x: &small,
            observed,
            unit,
            measure,
            prediction,
        };
        self.step(&row, target, weight)
    }

    fn step(&mut self, row: &Row<'_>, target: f64, weight: f64) -> Learnt {
        let loss = self.settings.loss;
        let (value, derivative) = loss.value_and_derivative(row.prediction, target);
        let slope = weight * derivative;
        let before = self.pace;
        let eta = self.pace.next(self.settings.step, row.size(loss, slope));
        let is_free = self.settings.set == Feasible::Everything;
        let (rate, clip) = row.clip(
            eta,
            slope,
            Goal {
                loss,
                target,
                is_free,
            },
        );
        if rate != 0.0 {
            self.lazy.step(row.x, row.observed, rate, row.measure);
        }
        if clip == Clip::Extreme {
            // Otherwise one wild row would make all later steps vanish.
            self.pace.largest = before.largest;
            self.pace.mean_square = before.mean_square;
        }
        self.clipped += u64::from(clip != Clip::None);
        if self.pace.rounds.is_multiple_of(REFRESH) {
            self.lazy.refresh();
        }
        Learnt {
            prediction: row.prediction,
            loss: value,
            clipped: clip != Clip::None,
        }
    }
}

impl Learn for OnlineLearner {
    fn n_features(&self) -> usize {
        self.names.len()
    }

    fn loss(&self) -> Loss {
        self.settings.loss
    }

    fn predict(&self, row: MaskedRow<'_>) -> Result<f64> {
        check_row(row, self.names.len())?;
        Ok(match self.fill(row) {
            None => self.value(row.values(), row.observed()),
            Some(filled) => self.value(&filled, row.observed()),
        })
    }

    fn learn(&mut self, row: MaskedRow<'_>, target: f64, weight: f64) -> Result<Learnt> {
        check_row(row, self.names.len())?;
        check_target(self.settings.loss, target, weight, self.pace.rounds)?;
        if weight == 0.0 {
            let prediction = self.predict(row)?;
            let loss = self.settings.loss.value(prediction, target);
            return Ok(Learnt {
                prediction,
                loss,
                clipped: false,
            });
        }
        self.lazy.note(row.observed());
        if self.means.is_none() {
            return Ok(self.update(row.values(), row.observed(), target, weight));
        }
        let mut filled = std::mem::take(&mut self.filled);
        if let Some(means) = &self.means {
            means.fill(row, &mut filled);
        }
        let learnt = self.update(&filled, row.observed(), target, weight);
        self.filled = filled;
        if let Some(means) = &mut self.means {
            means.add(row, weight);
        }
        Ok(learnt)
    }
}

/// The row divided by a power of two that brings its largest value near 1, and that power.
fn scaled_down(x: &[f64]) -> (Vec<f64>, f64) {
    let largest = x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if largest == 0.0 {
        return (x.to_vec(), 1.0);
    }
    let unit = crate::moments::power_of_two(largest);
    (x.iter().map(|x| x / unit).collect(), unit)
}

fn saturated(product: f64, unit: f64) -> f64 {
    (product * unit).clamp(-LARGEST, LARGEST)
}
