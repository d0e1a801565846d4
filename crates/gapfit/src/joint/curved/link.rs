//! What the predictions of one row cost, together: one loss, one loss per class, or the softmax.

use crate::linalg::add_scaled;
use crate::loss::{Derivatives, Loss, exponentials};

/// How the predictions of a row, one per output, become a loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Link {
    /// One prediction and a target, -1 or 1 for two classes.
    One(Loss),
    /// A prediction per class, each against the others; the target is the number of the class.
    OneVsRest(Loss),
    /// A prediction per class, `-ln q_y` with `q = exp(f) / Σ exp(f)` (docs/math.md 15.4).
    Softmax,
}

impl Link {
    /// The same with the target in units of `scale`.
    pub(crate) fn in_units(self, scale: f64) -> Self {
        match self {
            Self::One(Loss::Huber(h)) => Self::One(Loss::Huber(h / scale)),
            _ => self,
        }
    }

    /// The loss of each output where outputs do not depend on each other, and whether each is a class
    /// against the others.
    pub(super) fn part(self) -> Option<(Loss, bool)> {
        match self {
            Self::One(loss) => Some((loss, false)),
            Self::OneVsRest(loss) => Some((loss, true)),
            Self::Softmax => None,
        }
    }

    pub(super) fn is_coupled(self) -> bool {
        self == Self::Softmax
    }

    /// A bound of the second derivatives; of the whole matrix of them for the softmax.
    pub(super) fn largest_bend(self) -> f64 {
        match self {
            Self::One(loss) | Self::OneVsRest(loss) => loss.curvature(),
            Self::Softmax => 0.5,
        }
    }

    /// Writes the loss of each row; `predictions` are those of the rows for each output, one output after
    /// the other.
    pub(super) fn values(self, predictions: &[f64], targets: &[f64], values: &mut [f64]) {
        match self {
            Self::One(loss) => loss.values(predictions, targets, values),
            Self::OneVsRest(loss) => {
                values.fill(0.0);
                let mut own = vec![0.0; targets.len()];
                for (j, f) in predictions.chunks_exact(targets.len()).enumerate() {
                    loss.values(f, &signs(j, targets), &mut own);
                    add_scaled(values, 1.0, &own);
                }
            }
            Self::Softmax => {
                softmax(predictions, targets, values);
            }
        }
    }

    /// Writes the loss of each row, with its first and second derivatives in each prediction, laid out
    /// like the predictions.
    pub(super) fn derivatives(self, predictions: &[f64], targets: &[f64], into: Derivatives<'_>) {
        let n = targets.len();
        match self {
            Self::One(loss) => loss.derivatives(predictions, targets, into),
            Self::OneVsRest(loss) => {
                into.values.fill(0.0);
                let mut own = vec![0.0; n];
                let places = into.slopes.chunks_exact_mut(n);
                let places = places.zip(into.bends.chunks_exact_mut(n));
                for (j, (f, (slopes, bends))) in predictions.chunks_exact(n).zip(places).enumerate()
                {
                    let of_output = Derivatives {
                        values: &mut own,
                        slopes,
                        bends,
                    };
                    loss.derivatives(f, &signs(j, targets), of_output);
                    add_scaled(into.values, 1.0, &own);
                }
            }
            Self::Softmax => {
                let Softmax { shares, rest } = softmax(predictions, targets, into.values);
                let places = into.slopes.iter_mut().zip(into.bends);
                for (at, ((slope, bend), share)) in places.zip(shares).enumerate() {
                    let (j, i) = (at / n, at % n);
                    let is_target = is_class(j, targets[i]);
                    *slope = if is_target { -rest[i] } else { share };
                    *bend = share * if is_target { rest[i] } else { 1.0 - share };
                }
            }
        }
    }
}

/// Whether class `j` is the target.
pub(super) fn is_class(j: usize, target: f64) -> bool {
    j == target as usize
}

/// 1 for rows of class `j`, -1 for the others.
pub(super) fn signs(j: usize, targets: &[f64]) -> Vec<f64> {
    let sign = |&target: &f64| if is_class(j, target) { 1.0 } else { -1.0 };
    targets.iter().map(sign).collect()
}

/// What the softmax makes of some rows.
struct Softmax {
    /// Of each class, laid out like the predictions.
    shares: Vec<f64>,
    /// The share of all classes but the target, of each row.
    rest: Vec<f64>,
}

/// Shares of the classes, without overflow; writes the losses, without losing small ones to the 1.
fn softmax(predictions: &[f64], targets: &[f64], values: &mut [f64]) -> Softmax {
    let n = targets.len();
    let mut largest = vec![f64::NEG_INFINITY; n];
    for f in predictions.chunks_exact(n) {
        largest.iter_mut().zip(f).for_each(|(m, &f)| *m = m.max(f));
    }
    let mut shares = predictions.to_vec();
    for f in shares.chunks_exact_mut(n) {
        f.iter_mut().zip(&largest).for_each(|(f, m)| *f -= m);
    }
    exponentials(&mut shares);
    let (mut own, mut rest) = (vec![0.0; n], vec![0.0; n]);
    for (j, exps) in shares.chunks_exact(n).enumerate() {
        for (i, &exp) in exps.iter().enumerate() {
            if is_class(j, targets[i]) {
                own[i] = exp;
            } else {
                rest[i] += exp;
            }
        }
    }
    for i in 0..n {
        let below = largest[i] - predictions[targets[i] as usize * n + i];
        let sum = own[i] + rest[i];
        let value = if below > 0.0 {
            below + libm::log(sum)
        } else {
            libm::log1p(rest[i])
        };
        values[i] = value.min(f64::MAX);
        rest[i] /= sum;
        own[i] = sum;
    }
    for exps in shares.chunks_exact_mut(n) {
        exps.iter_mut().zip(&own).for_each(|(exp, sum)| *exp /= sum);
    }
    Softmax { shares, rest }
}

/// The shares of classes with these predictions; they add up to 1.
pub(crate) fn shares(predictions: &[f64]) -> Vec<f64> {
    softmax(predictions, &[0.0], &mut [0.0]).shares
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINKS: [Link; 7] = [
        Link::One(Loss::Squared),
        Link::One(Loss::Huber(0.6)),
        Link::One(Loss::SquaredHinge),
        Link::One(Loss::Logistic),
        Link::OneVsRest(Loss::Logistic),
        Link::OneVsRest(Loss::SquaredHinge),
        Link::Softmax,
    ];

    fn value(link: Link, f: &[f64], target: f64) -> f64 {
        let mut value = [f64::NAN];
        link.values(f, &[target], &mut value);
        value[0]
    }

    fn derivatives(
        link: Link,
        f: &[f64],
        target: f64,
        slopes: &mut [f64],
        bends: &mut [f64],
    ) -> f64 {
        let mut value = [f64::NAN];
        let into = Derivatives {
            values: &mut value,
            slopes,
            bends,
        };
        link.derivatives(f, &[target], into);
        value[0]
    }

    #[test]
    fn derivatives_are_finite_differences() {
        let points = [[0.3, -1.2, 0.4], [2.0, 0.1, -3.0], [-0.6, -0.5, 5.0]];
        for link in LINKS {
            let n = if matches!(link, Link::One(_)) { 1 } else { 3 };
            for point in points {
                let target = if n == 1 { 1.0 } else { 2.0 };
                let f = &point[..n];
                let (mut slopes, mut bends) = (vec![0.0; n], vec![0.0; n]);
                let value = derivatives(link, f, target, &mut slopes, &mut bends);
                assert!((value - self::value(link, f, target)).abs() < 1e-14);
                for j in 0..n {
                    let at = |step: f64| {
                        let mut near = f.to_vec();
                        near[j] += step;
                        let (mut slopes, mut bends) = (vec![0.0; n], vec![0.0; n]);
                        let value = derivatives(link, &near, target, &mut slopes, &mut bends);
                        (value, slopes[j])
                    };
                    let step = 1e-5;
                    let (up, down) = (at(step), at(-step));
                    let slope = (up.0 - down.0) / (2.0 * step);
                    assert!((slope - slopes[j]).abs() < 1e-8, "{link:?} {f:?}");
                    let bend = (up.1 - down.1) / (2.0 * step);
                    // the straight part of the Huber loss keeps a little on purpose
                    assert!((bend - bends[j]).abs() < 2e-3, "{link:?} {f:?}");
                }
            }
        }
    }

    #[test]
    fn the_softmax_neither_overflows_nor_loses_small_losses() {
        let small = value(Link::Softmax, &[800.0, 0.0, 760.0], 0.0);
        assert!((small / (-40f64).exp() - 1.0).abs() < 1e-12, "{small:e}");
        assert!((value(Link::Softmax, &[800.0, 0.0, 0.0], 1.0) - 800.0).abs() < 1e-9);
        for extreme in [
            [1e308, -1e308, 0.0],
            [f64::MIN; 3],
            [f64::MAX, f64::MAX, 0.0],
        ] {
            let shares = shares(&extreme);
            assert!(
                (shares.iter().sum::<f64>() - 1.0).abs() < 1e-14,
                "{shares:?}"
            );
            assert!(value(Link::Softmax, &extreme, 1.0).is_finite());
        }
    }
}
