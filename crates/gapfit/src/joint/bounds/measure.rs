//! The facts behind the bounds, measured on the rows that a model was fitted to.

use super::ball::Ball;
use super::moment::Moments;
use super::{Facts, Reached};
use crate::data::Dataset;
use crate::error::Result;
use crate::features::{LiftedRows, Units};
use crate::model::Model;
use crate::moments::{Frame, Ranges, Rows};
use crate::prepare::Intercept;
use std::sync::Arc;

/// A model and the rows it was fitted to, measured for the bounds.
///
/// ```
/// use gapfit::data::{Dataset, MaskedMatrix};
/// use gapfit::joint::bounds::{Claim, Measurement};
/// use gapfit::{Learner, Parameters};
///
/// let hole = f64::NAN;
/// let cells = [1.0, 2.0, 2.0, hole, hole, 1.0, 4.0, 3.0];
/// let data = Dataset::new(MaskedMatrix::from_nan(4, 2, &cells)?, vec![-1.0, 0.5, -0.5, 1.0])?;
/// let fitted = Learner::default().fit(&data, Parameters { alpha: 0.5, gamma: 1.0 })?;
///
/// let measured = Measurement::new(&fitted.model, &data)?;
/// let (facts, reached) = (measured.facts(), measured.reached());
/// assert!(reached.dual_norm <= facts.dual_norm());
/// assert!(reached.penalty <= facts.radius().powi(2));
/// // Four rows prove nothing: the bound is vacuous.
/// let bound = facts.error_bound(&reached, 0.05, Claim::Fixed);
/// assert!(facts.vacuous(bound).is_some());
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Debug)]
pub struct Measurement {
    facts: Facts,
    reached: Reached,
    pub(super) rows: LiftedRows,
    /// `√p_i / W`: what a sign is multiplied with, as the rows come times the root of their weight.
    pub(super) per_sign: Vec<f64>,
    pub(super) ball: Ball,
}

impl Measurement {
    /// Measures `model` on `data`, the rows it was fitted to.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) when the columns differ in number,
    /// [`Error::Empty`](crate::Error::Empty) without a row of positive weight,
    /// [`Error::Setting`](crate::Error::Setting) for a loss other than the squared one.
    pub fn new(model: &Model, data: &Dataset) -> Result<Self> {
        model.check_squared()?;
        let predictions = model.predict(data.features())?;
        let rows = Rows::new(data, None);
        let frame = Frame::new(&Ranges::fit(&rows, 0.0)?, false);
        let ball = Ball::of(model);
        let units = Units {
            prepared: Arc::clone(&model.prepared),
            frame,
            layout: ball.layout.clone(),
            shrink: 1.0,
            offsets: vec![0.0],
        };
        let lifted = LiftedRows::new(&rows, &units);
        let weights: Vec<f64> = (0..rows.len()).map(|i| rows.weight(i)).collect();
        let total: f64 = weights.iter().sum();
        let facts = facts(model, &rows, &ball, &Moments::of(&lifted, &weights, &ball));
        Ok(Self {
            reached: reached(&rows, &predictions, &facts, ball.penalty(model)),
            facts,
            per_sign: weights.iter().map(|p| p.sqrt() / total).collect(),
            rows: lifted,
            ball,
        })
    }

    /// What the bounds are made of.
    pub fn facts(&self) -> Facts {
        self.facts
    }

    /// What the model reached on the rows.
    pub fn reached(&self) -> Reached {
        self.reached
    }
}

fn facts(model: &Model, rows: &Rows<'_>, ball: &Ball, moments: &Moments) -> Facts {
    let (mut total, mut squares, mut heaviest) = (0.0, 0.0, 0.0f64);
    let (mut mean, mut least, mut most) = (0.0, f64::INFINITY, f64::NEG_INFINITY);
    for i in 0..rows.len() {
        let (p, y) = (rows.weight(i), rows.target(i));
        total += p;
        squares += p * p;
        heaviest = heaviest.max(p);
        mean += (y - mean) * (p / total);
        (least, most) = (least.min(y), most.max(y));
    }
    let free_intercept = model.preparation.intercept == Intercept::Free;
    let target_centre = if free_intercept {
        0.5 * least + 0.5 * most
    } else {
        0.0
    };
    let deviation = |i| rows.weight(i) * (rows.target(i) - mean).powi(2);
    let raw_weight = |i| rows.data().weight(rows.number(i));
    Facts {
        n_rows: rows.len(),
        effective_rows: total * total / squares,
        largest_share: heaviest / total,
        total_weight: (0..rows.len()).map(raw_weight).sum(),
        n_entries: ball.n_entries(),
        alpha: model.parameters.alpha,
        gamma: ball.gamma,
        target: (most - target_centre).max(target_centre - least),
        target_centre,
        target_variance: (0..rows.len()).map(deviation).sum::<f64>() / total,
        row_norm: moments.row_norm,
        reach: moments.reach,
        missing: moments.missing,
        second: moments.second(),
        free_intercept,
    }
}

fn reached(rows: &Rows<'_>, predictions: &[f64], facts: &Facts, penalty: f64) -> Reached {
    let mean_square = |cut: f64| {
        let (mut sum, mut total) = (0.0, 0.0);
        for i in 0..rows.len() {
            let (p, f) = (rows.weight(i), predictions[rows.number(i)]);
            sum += p
                * (rows.target(i) - f.clamp(facts.target_centre - cut, facts.target_centre + cut))
                    .powi(2);
            total += p;
        }
        sum / total
    };
    let squared_error = mean_square(f64::INFINITY);
    Reached {
        squared_error,
        cut_squared_error: mean_square(facts.target),
        penalty,
        // δ_i = p_i (y_i - f_i) / (alpha W), docs/math.md 9
        dual_norm: squared_error.sqrt() / (facts.alpha * facts.total_weight.sqrt()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corrupt::Mechanism;
    use crate::data::MaskedMatrix;
    use crate::prepare::Preparation;
    use crate::{Base, Learner, Method, Parameters};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn data() -> Dataset {
        let rng = &mut ChaCha8Rng::seed_from_u64(3);
        let cells: Vec<f64> = (0..120 * 5).map(|_| rng.random_range(-1.0..2.0)).collect();
        let table = MaskedMatrix::from_nan(120, 5, &cells).unwrap();
        let table = Mechanism::Mcar { rate: 0.4 }.apply(&table, rng).unwrap();
        let target = (0..120).map(|_| rng.random_range(-1.0..1.0)).collect();
        let weights = (0..120).map(|i| 0.5 + (i % 3) as f64).collect();
        let data = Dataset::new(table, target).unwrap();
        data.with_weights(weights).unwrap()
    }

    #[test]
    fn no_row_reaches_further_than_measured() {
        let data = data();
        for method in Method::ALL {
            for intercept in [Intercept::Free, Intercept::Penalised, Intercept::None] {
                for gamma in [0.0, 0.5, 3.0] {
                    let preparation = Preparation {
                        intercept,
                        ..Preparation::default()
                    };
                    let learner = Learner {
                        preparation,
                        ..Learner::new(method)
                    };
                    let parameters = Parameters { alpha: 0.1, gamma };
                    let model = learner.fit(&data, parameters).unwrap().model;
                    let measured = Measurement::new(&model, &data).unwrap();
                    let reach_of = |i: usize| {
                        let mut alone = vec![0.0; 120];
                        alone[i] = 1.0 / Rows::new(&data, None).weight(i).sqrt();
                        measured
                            .ball
                            .polar(&measured.rows.adjoint_times(&alone))
                            .sqrt()
                    };
                    let exact = (0..120).map(reach_of).fold(0.0, f64::max);
                    let ratio = measured.facts.reach / exact;
                    let label = format!("{method} {intercept} {gamma}: {ratio}");
                    assert!(ratio > 1.0 - 1e-12 && ratio < 1.1, "{label}");
                    if method.base() == Base::Zero {
                        assert!(ratio < 1.0 + 1e-12, "{label}");
                    }
                }
            }
        }
    }
}
