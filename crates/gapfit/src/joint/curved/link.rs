//! What the predictions of one row cost, together: one loss, one loss per class, or the softmax.

use crate::loss::Loss;

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

    /// The loss of output `j` and its target, where outputs do not depend on each other.
    pub(super) fn part(self, j: usize, target: f64) -> Option<(Loss, f64)> {
        match self {
            Self::One(loss) => Some((loss, target)),
            Self::OneVsRest(loss) => Some((loss, if is_class(j, target) { 1.0 } else { -1.0 })),
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

    /// The loss of a row with these predictions.
    pub(crate) fn value(self, predictions: &[f64], target: f64) -> f64 {
        let parts = predictions.iter().enumerate().map(|(j, &f)| {
            let part = self.part(j, target);
            part.map_or(0.0, |(loss, y)| loss.value(f, y))
        });
        match self {
            Self::Softmax => Softmax::new(predictions, target).value,
            _ => parts.sum(),
        }
    }

    /// The loss, with its first and second derivative in each prediction.
    pub(super) fn derivatives(
        self,
        predictions: &[f64],
        target: f64,
        slopes: &mut [f64],
        bends: &mut [f64],
    ) -> f64 {
        if self.is_coupled() {
            let softmax = Softmax::new(predictions, target);
            for (j, &f) in predictions.iter().enumerate() {
                let share = softmax.share(f);
                let is_target = is_class(j, target);
                slopes[j] = if is_target { -softmax.rest } else { share };
                bends[j] = share * if is_target { softmax.rest } else { 1.0 - share };
            }
            return softmax.value;
        }
        let mut total = 0.0;
        for (j, &f) in predictions.iter().enumerate() {
            if let Some((loss, y)) = self.part(j, target) {
                let (value, slope) = loss.value_and_derivative(f, y);
                total += value;
                slopes[j] = slope;
                bends[j] = loss.bend(f, y);
            }
        }
        total
    }
}

/// Whether class `j` is the target.
pub(super) fn is_class(j: usize, target: f64) -> bool {
    j == target as usize
}

/// Shares of the classes, without overflow, and without losing small losses to the 1.
struct Softmax {
    value: f64,
    /// The share of all classes but the target.
    rest: f64,
    largest: f64,
    sum: f64,
}

impl Softmax {
    fn new(predictions: &[f64], target: f64) -> Self {
        let largest = predictions.iter().fold(f64::NEG_INFINITY, |m, &f| m.max(f));
        let (mut own, mut others) = (0.0, 0.0);
        for (j, f) in predictions.iter().enumerate() {
            let exp = libm::exp(f - largest);
            if is_class(j, target) {
                own = exp;
            } else {
                others += exp;
            }
        }
        let sum = own + others;
        let below = largest - predictions[target as usize];
        let value = if below > 0.0 {
            below + libm::log(sum)
        } else {
            libm::log1p(others)
        };
        Self {
            value: value.min(f64::MAX),
            rest: others / sum,
            largest,
            sum,
        }
    }

    fn share(&self, prediction: f64) -> f64 {
        libm::exp(prediction - self.largest) / self.sum
    }
}

/// The shares of classes with these predictions; they add up to 1.
pub(crate) fn shares(predictions: &[f64]) -> Vec<f64> {
    let softmax = Softmax::new(predictions, 0.0);
    predictions.iter().map(|&f| softmax.share(f)).collect()
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

    #[test]
    fn derivatives_are_finite_differences() {
        let points = [[0.3, -1.2, 0.4], [2.0, 0.1, -3.0], [-0.6, -0.5, 5.0]];
        for link in LINKS {
            let n = if matches!(link, Link::One(_)) { 1 } else { 3 };
            for point in points {
                let target = if n == 1 { 1.0 } else { 2.0 };
                let f = &point[..n];
                let (mut slopes, mut bends) = (vec![0.0; n], vec![0.0; n]);
                let value = link.derivatives(f, target, &mut slopes, &mut bends);
                assert!((value - link.value(f, target)).abs() < 1e-14);
                for j in 0..n {
                    let at = |step: f64| {
                        let mut near = f.to_vec();
                        near[j] += step;
                        let (mut slopes, mut bends) = (vec![0.0; n], vec![0.0; n]);
                        let value = link.derivatives(&near, target, &mut slopes, &mut bends);
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
        let value = Link::Softmax.value(&[800.0, 0.0, 760.0], 0.0);
        assert!((value / (-40f64).exp() - 1.0).abs() < 1e-12, "{value:e}");
        assert!((Link::Softmax.value(&[800.0, 0.0, 0.0], 1.0) - 800.0).abs() < 1e-9);
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
            assert!(Link::Softmax.value(&extreme, 1.0).is_finite());
        }
    }
}
