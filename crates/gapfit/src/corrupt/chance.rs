//! Chances of going missing that average to an asked rate.
//!
//! A link turns a score and a shift into a chance; it grows with the shift, and tends to 1. Given
//! scores and a rate, solve `mean link(score_i, shift) = rate` for the shift on these very scores, so
//! that the rate holds whatever their distribution.

use std::f64::consts::FRAC_1_SQRT_2;

/// Excess over the rate, relative to it, at which the search ends: far below any sampling error.
const TOLERANCE: f64 = 1e-6;
/// Bisections at most; a link that is steep in floating point stops here.
const MAX_STEPS: usize = 100;
/// How far below zero a shift is looked for: beyond it every link is as small as it gets.
const REACH: f64 = (1u64 << 30) as f64;

/// The logistic curve of `score + shift`.
pub(super) fn logistic(score: f64, shift: f64) -> f64 {
    1.0 / (1.0 + (-(score + shift)).exp())
}

/// The standard normal distribution function of `score + shift`.
pub(super) fn probit(score: f64, shift: f64) -> f64 {
    0.5 * libm::erfc(-(score + shift) * FRAC_1_SQRT_2)
}

/// A bump at score 0 whose width grows with the shift: `exp(-score² e^(-shift))`.
pub(super) fn bump(score: f64, shift: f64) -> f64 {
    let square = score * score;
    if square == 0.0 {
        return 1.0; // also where e^(-shift) overflows
    }
    (-square * (-shift).exp()).exp()
}

/// The chance of each score under the shift that makes their mean equal to `rate`.
///
/// Where the link cannot get as low (a bump with too many scores at its peak), and for the last
/// digits, all chances are scaled down by a common factor: the mean is exact.
pub(super) fn calibrate(scores: &[f64], rate: f64, link: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    if scores.is_empty() || rate <= 0.0 {
        return vec![0.0; scores.len()];
    }
    let mean = |shift| {
        let sum: f64 = scores.iter().map(|&score| link(score, shift)).sum();
        sum / scores.len() as f64
    };
    let shift = solve(mean, rate);
    let factor = rate / mean(shift);
    let chance = |&score| link(score, shift) * factor;
    scores.iter().map(chance).collect()
}

/// A shift at which the growing function `mean`, which tends to 1, is at least `rate`, and just so
/// unless it jumps there.
fn solve(mean: impl Fn(f64) -> f64, rate: f64) -> f64 {
    let (mut low, mut high) = (-1.0, 1.0);
    while mean(high) < rate {
        low = high;
        high *= 2.0;
    }
    while mean(low) >= rate && low > -REACH {
        high = low;
        low *= 2.0;
    }
    for _ in 0..MAX_STEPS {
        let middle = 0.5 * (low + high);
        let excess = mean(middle) - rate;
        if excess < 0.0 {
            low = middle;
        } else {
            high = middle;
            if excess <= TOLERANCE * rate {
                break;
            }
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(got: f64, expected: f64) {
        assert!((got - expected).abs() < 1e-5, "{got} {expected}");
    }

    #[test]
    fn one_score_gets_the_rate_itself_under_every_link() {
        for rate in [1e-9, 0.01, 0.5, 0.99, 1.0 - 1e-9] {
            for link in [logistic, probit, bump] {
                for score in [-1e4, -3.0, 0.0, 3.0, 1e4] {
                    let chance = calibrate(&[score], rate, link)[0];
                    assert!(
                        (chance / rate - 1.0).abs() < 1e-12,
                        "{rate} {score} {chance}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_shift_agrees_with_the_closed_form_for_normal_scores() {
        // E Φ(λt + b) = Φ(b / √(1 + λ²)) for standard normal t, here on its quantiles.
        let n = 20_000;
        let quantile = |i: usize| {
            let p = (i as f64 + 0.5) / n as f64;
            solve(|shift| probit(0.0, shift), p)
        };
        let scores: Vec<f64> = (0..n).map(|i| 0.5 * quantile(i)).collect();
        let mean = |shift| scores.iter().map(|&s| probit(s, shift)).sum::<f64>() / n as f64;
        let shift = solve(mean, 0.3);
        assert_close(shift, -0.524_400_5 * 1.25f64.sqrt());
    }

    #[test]
    fn links_take_their_known_values_and_never_leave_the_unit_interval() {
        assert_close(probit(1.0, 0.96), 0.975_002_1);
        assert_close(logistic(2.0, 1.0), 0.952_574_1);
        assert_close(bump(1.0, 2f64.ln()), 0.606_530_7);
        for link in [logistic, probit, bump] {
            for score in [-1e8, -1.0, 0.0, 1e-300, 1.0, 1e8] {
                for shift in [-REACH, -1e3, 0.0, 1e3, REACH] {
                    assert!((0.0..=1.0).contains(&link(score, shift)));
                }
            }
        }
    }

    #[test]
    fn a_crowded_peak_is_thinned_out_evenly() {
        let chances = calibrate(&[0.0, 0.0, -5.0, -5.0], 0.2, bump);
        assert_eq!(chances, [0.4, 0.4, 0.0, 0.0]);
    }
}
