//! Losses of many rows at once, for vector instructions.
//!
//! Only sums, products, quotients and shifts: the same bits whatever the width of the vectors.

use super::Loss;
use crate::linalg::{Loop, Simd, vectorised};
use std::f64::consts::{LN_2, LOG2_E, SQRT_2};

/// What the predictions of some rows lead to, one number per row each.
#[derive(Debug)]
pub(crate) struct Derivatives<'a> {
    pub(crate) values: &'a mut [f64],
    pub(crate) slopes: &'a mut [f64],
    /// Second derivatives, as [`Loss::bend`] has them.
    pub(crate) bends: &'a mut [f64],
}

impl Loss {
    /// Writes the loss of each row.
    pub(crate) fn values(self, predictions: &[f64], targets: &[f64], values: &mut [f64]) {
        if self == Self::Logistic {
            return vectorised(Values(predictions, targets, values));
        }
        for ((value, &p), &y) in values.iter_mut().zip(predictions).zip(targets) {
            *value = self.value(p, y);
        }
    }

    /// Writes the loss of each row and its derivatives.
    pub(crate) fn derivatives(self, predictions: &[f64], targets: &[f64], into: Derivatives<'_>) {
        if self == Self::Logistic {
            return vectorised(Slopes(predictions, targets, into));
        }
        let places = into.values.iter_mut().zip(into.slopes).zip(into.bends);
        for (((value, slope), bend), (&p, &y)) in places.zip(predictions.iter().zip(targets)) {
            (*value, *slope) = self.value_and_derivative(p, y);
            *bend = self.bend(p, y);
        }
    }
}

struct Values<'a>(&'a [f64], &'a [f64], &'a mut [f64]);

impl Loop for Values<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self(predictions, targets, values) = self;
        for ((value, p), y) in values.iter_mut().zip(predictions).zip(targets) {
            let margin = p * y;
            *value = ((-margin).max(0.0) + log1p(exp(-margin.abs()))).min(f64::MAX);
        }
    }
}

struct Slopes<'a>(&'a [f64], &'a [f64], Derivatives<'a>);

impl Loop for Slopes<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self(predictions, targets, into) = self;
        let n = predictions.len();
        let (targets, values) = (&targets[..n], &mut into.values[..n]);
        let (slopes, bends) = (&mut into.slopes[..n], &mut into.bends[..n]);
        for i in 0..n {
            let (p, y) = (predictions[i], targets[i]);
            let margin = p * y;
            let small = exp(-margin.abs());
            let per_sum = 1.0 / (1.0 + small);
            let share = if margin > 0.0 { small } else { 1.0 } * per_sum;
            values[i] = ((-margin).max(0.0) + log1p(small)).min(f64::MAX);
            slopes[i] = -y * share;
            bends[i] = small * per_sum * per_sum;
        }
    }
}

/// Replaces numbers that are not above zero by their exponentials.
pub(crate) fn exponentials(numbers: &mut [f64]) {
    vectorised(Exponentials(numbers));
}

struct Exponentials<'a>(&'a mut [f64]);

impl Loop for Exponentials<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        self.0.iter_mut().for_each(|x| *x = exp(*x));
    }
}

/// 1.5 · 2⁵²: a number of moderate size added to it is rounded to an integer, which its last bits hold.
const ROUNDS: f64 = 6_755_399_441_055_744.0;

/// ln 2 in two parts, the first of so few bits that multiples of it are exact.
const LN_2_HEAD: f64 = 0.693_147_180_369_123_8;
const LN_2_TAIL: f64 = 1.908_214_929_270_587_7e-10;

/// `1/k!` for k = 13 down to 0.
const EXP: [f64; 14] = reciprocal_factorials();

const fn reciprocal_factorials() -> [f64; 14] {
    let mut all = [1.0; 14];
    let (mut k, mut factorial) = (1, 1.0);
    while k < 14 {
        factorial *= k as f64;
        all[13 - k] = 1.0 / factorial;
        k += 1;
    }
    all
}

/// `exp(x)` for x not above zero, to an ulp or two; about 1e-308 where that would be less.
#[inline(always)]
fn exp(x: f64) -> f64 {
    // x = n ln 2 + r with |r| at most half of ln 2
    let x = x.max(-708.0);
    let rounded = x * LOG2_E + ROUNDS;
    let n = rounded - ROUNDS;
    let r = (x - n * LN_2_HEAD) - n * LN_2_TAIL;
    let power = EXP.iter().fold(0.0, |sum, c| sum * r + c);
    let two_to_n = f64::from_bits((rounded.to_bits() << 52).wrapping_add(1023 << 52));
    power * two_to_n
}

/// `1/(2k+1)` for k = 10 down to 0.
const ATANH: [f64; 11] = odd_reciprocals();

const fn odd_reciprocals() -> [f64; 11] {
    let mut all = [1.0; 11];
    let mut k = 0;
    while k < 11 {
        all[10 - k] = 1.0 / (2 * k + 1) as f64;
        k += 1;
    }
    all
}

/// `ln(1 + x)` for x from 0 to 1, to an ulp or two also where x is small.
#[inline(always)]
fn log1p(x: f64) -> f64 {
    // ln(1 + x) = 2 artanh(x / (2 + x)) = ln 2 + 2 artanh((x - 1) / (x + 3)), whichever is nearer 0
    let is_near_two = x > SQRT_2 - 1.0;
    let (above, below, more) = if is_near_two {
        (x - 1.0, x + 3.0, LN_2)
    } else {
        (x, x + 2.0, 0.0)
    };
    let s = above / below;
    let z = s * s;
    let series = ATANH.iter().fold(0.0, |sum, c| sum * z + c);
    more + 2.0 * s * series
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arguments from 1e-300 to 700, of both signs.
    fn arguments() -> Vec<f64> {
        let sizes = (0..4000).map(|i| 10f64.powf(f64::from(i) * 0.0757 - 300.0));
        let around: Vec<f64> = (0..4000).map(|i| f64::from(i) * 0.17).collect();
        sizes.chain(around).filter(|x| *x <= 700.0).collect()
    }

    #[test]
    fn exponential_and_logarithm_are_those_of_libm() {
        for x in arguments() {
            let off = exp(-x) / libm::exp(-x) - 1.0;
            assert!(off.abs() < 1e-15, "exp(-{x}): {off:e}");
            let share = libm::exp(-x);
            let off = log1p(share) / libm::log1p(share) - 1.0;
            assert!(off.abs() < 1e-15, "log1p({share}): {off:e}");
        }
        assert!(exp(-1e300) < 1e-307 && exp(f64::NEG_INFINITY) < 1e-307);
        assert!((exp(0.0) - 1.0).abs() < 1e-16 && log1p(0.0).abs() < 1e-300);
    }

    #[test]
    fn many_rows_are_one_row_after_the_other() {
        for loss in Loss::ALL.into_iter().filter(|loss| loss.is_smooth()) {
            let mut predictions = arguments();
            predictions.extend(arguments().iter().map(|x| -x));
            predictions.extend([f64::MAX, f64::MIN]);
            for y in [-1.0, 1.0] {
                let targets = vec![y; predictions.len()];
                let [mut values, mut only, mut slopes, mut bends] =
                    [(); 4].map(|()| vec![f64::NAN; predictions.len()]);
                loss.values(&predictions, &targets, &mut only);
                let into = Derivatives {
                    values: &mut values,
                    slopes: &mut slopes,
                    bends: &mut bends,
                };
                loss.derivatives(&predictions, &targets, into);
                assert_eq!(values, only, "{loss}");
                for (i, &p) in predictions.iter().enumerate() {
                    let want = [loss.value(p, y), loss.derivative(p, y), loss.bend(p, y)];
                    for (got, want) in [values[i], slopes[i], bends[i]].into_iter().zip(want) {
                        // a share below 1e-307 is as good as none
                        let off = (got - want).abs();
                        assert!(
                            off <= 1e-14 * want.abs() + 1e-306,
                            "{loss} {p}: {got} {want}"
                        );
                    }
                }
            }
        }
    }
}
