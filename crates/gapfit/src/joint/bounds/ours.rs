//! Our bounds for the class `{Ω(v) <= Λ²}` (docs/math.md 11.1 to 11.3).

use super::{Facts, Reached};

/// Which predictor a bound on the error is about, and how far down the norm is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The fit, as a member of the class whose radius Λ follows from `alpha`.
    Fixed,
    /// The fit, as a member of the smallest of the classes of radius Λ, Λ/2, Λ/4, ... it is in.
    Reached,
    /// As [`Claim::Reached`], for its predictions cut to at most B from the centre of the target, which
    /// never raises an error.
    Cut,
}

/// The number of radii Λ/2^j that [`Claim::Reached`] looks at.
const STRATA: i32 = 60;

impl Facts {
    /// The radius Λ: every fit has `Ω(v) <= Λ²`. It is `B/(2√alpha)`, or less where alpha exceeds N².
    pub fn radius(&self) -> f64 {
        let t = self.reach.min(self.alpha.sqrt()); // docs/math.md 11.1 (34)
        self.target * t / (t * t + self.alpha)
    }

    /// A bound on the Rademacher complexity of the class on these rows, without a free intercept.
    ///
    /// At most `(1 + γ√m) Λ R / √T` for equal weights.
    pub fn complexity(&self) -> f64 {
        self.radius() * self.width()
    }

    /// A bound on the mean squared error on new rows that holds with probability `1 - delta`.
    ///
    /// Scales with the square of the target's unit. Infinite for a model outside the class, which is
    /// then not the minimiser on these rows.
    pub fn error_bound(&self, reached: &Reached, delta: f64, claim: Claim) -> f64 {
        let radius = self.radius();
        if reached.penalty > radius * radius {
            return f64::INFINITY;
        }
        match claim {
            Claim::Fixed => reached.squared_error + self.excess(radius, delta, f64::INFINITY),
            Claim::Reached => {
                reached.squared_error + self.least_excess(reached, delta, f64::INFINITY)
            }
            Claim::Cut => {
                reached.cut_squared_error + self.least_excess(reached, delta, self.target)
            }
        }
    }

    /// The least excess over the classes of radius Λ/2^j that the model is in; the j-th may fail with
    /// probability `delta / ((j + 1)(j + 2))`, which sums to delta.
    fn least_excess(&self, reached: &Reached, delta: f64, cut: f64) -> f64 {
        let radii = (0..STRATA).map(|j| (j, self.radius() * 0.5f64.powi(j)));
        radii
            .take_while(|(_, radius)| radius * radius >= reached.penalty)
            .map(|(j, radius)| {
                let share = f64::from((j + 1) * (j + 2));
                self.excess(radius, delta / share, cut)
            })
            .fold(f64::INFINITY, f64::min)
    }

    /// How far above the training error the error of any member of the class can be, but for
    /// probability `delta`, with predictions cut at `cut` from the centre (docs/math.md 11.3 (40)).
    fn excess(&self, radius: f64, delta: f64, cut: f64) -> f64 {
        let log = (2.0 / delta).ln();
        let constant = if self.free_intercept {
            self.target + radius * self.reach
        } else {
            0.0
        };
        let range = (constant + radius * self.reach).min(cut);
        let on_sample = radius * self.width() + constant / self.effective_rows.sqrt();
        let room = 0.5 * log * self.largest_share * range;
        let complexity = (room.sqrt() + (room + on_sample).sqrt()).powi(2);
        let loss = self.target + range;
        loss * (4.0 * complexity + loss * (log / (2.0 * self.effective_rows)).sqrt())
    }

    /// A bound on `E √Ω°` of the sum of randomly signed rows: the complexity of radius 1.
    fn width(&self) -> f64 {
        let (gamma, second) = (self.gamma, &self.second);
        let by_norms = second.weights.sqrt() + gamma * second.shifts.sqrt(); // math 11.2 (36)
        let by_fourth =
            second.weights + 3f64.sqrt() * gamma * (2.0 * second.paired + gamma * second.spread); // (37)
        by_norms.min(by_fourth.sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint::bounds::Second;

    const REACHED: Reached = Reached {
        squared_error: 0.5,
        cut_squared_error: 0.25,
        penalty: 0.01,
        dual_norm: 1.0,
    };

    #[test]
    fn agree_with_values_computed_by_hand() {
        let facts = Facts::tiny();
        let close = |value: f64, expected: f64| {
            let off = value / expected - 1.0;
            assert!(off.abs() < 1e-14, "{value} {expected}");
        };
        // N² = 5 > alpha = 1/4: Λ = 3/(2 · ½).
        close(facts.radius(), 3.0);
        // By norms √¾ + 2/√8 = 1.573..., by fourth moments √(¾ + 2√3(2 · ¼ + 2/8)) = 1.830...
        let width = 0.75f64.sqrt() + 0.5f64.sqrt();
        close(facts.complexity(), 3.0 * width);
        // ln(2/δ) = 2: room = ¼ S, deviation = √(2/8) = ½, S = 3√5.
        let delta = 2.0 * (-2f64).exp();
        let s = 3.0 * 5f64.sqrt();
        let complexity = ((s / 4.0).sqrt() + (s / 4.0 + 3.0 * width).sqrt()).powi(2);
        let expected = 0.5 + (3.0 + s) * (4.0 * complexity + (3.0 + s) / 2.0);
        close(facts.error_bound(&REACHED, delta, Claim::Fixed), expected);
    }

    #[test]
    fn a_strong_penalty_leaves_a_small_class() {
        // N² = 5 below alpha = 20: Λ = 3√5/25, and the reach of a prediction is BN²/(N² + alpha).
        let facts = Facts {
            alpha: 20.0,
            ..Facts::tiny()
        };
        assert!((facts.radius() - 3.0 * 5f64.sqrt() / 25.0).abs() < 1e-15);
        assert!((facts.radius() * facts.reach - 0.6).abs() < 1e-15);
        let radius = |alpha| Facts { alpha, ..facts }.radius();
        assert!((radius(5.0 + 1e-9) / radius(5.0 - 1e-9) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn many_columns_with_holes_cost_a_fourth_root() {
        // d columns, each missing in a d-th of the rows, every row of norm 1.
        let width = |d: f64, gamma: f64| {
            let second = Second {
                weights: 1.0,
                shifts: 1.0,
                paired: (1.0 / d).sqrt(),
                spread: 1.0 / d.sqrt(),
            };
            let facts = Facts {
                second,
                gamma,
                ..Facts::tiny()
            };
            facts.width()
        };
        assert!((width(1.0, 8.0) - 9.0).abs() < 1e-14);
        assert!(width(10_000.0, 8.0) < 3.0);
    }

    #[test]
    fn our_bound_scales_with_the_square_of_the_target_exactly() {
        for free_intercept in [false, true] {
            let facts = Facts {
                free_intercept,
                ..Facts::tiny()
            };
            for kappa in [0.125, 4.0] {
                let scaled = Facts {
                    target: kappa * facts.target,
                    ..facts
                };
                let square = kappa * kappa;
                let reached = Reached {
                    squared_error: square * REACHED.squared_error,
                    cut_squared_error: square * REACHED.cut_squared_error,
                    penalty: square * REACHED.penalty,
                    ..REACHED
                };
                for claim in [Claim::Fixed, Claim::Reached, Claim::Cut] {
                    let expected = square * facts.error_bound(&REACHED, 0.05, claim);
                    let bound = scaled.error_bound(&reached, 0.05, claim);
                    assert!((bound / expected - 1.0).abs() < 1e-14, "{claim:?}");
                }
            }
        }
    }

    #[test]
    fn more_freedom_never_lowers_a_bound() {
        let bounds = |gamma: f64, delta: f64, free_intercept: bool| {
            let reach = (1.0 + gamma * gamma).sqrt().max(5f64.sqrt());
            let facts = Facts {
                gamma,
                reach,
                free_intercept,
                ..Facts::tiny()
            };
            let error = |claim| facts.error_bound(&REACHED, delta, claim);
            [
                facts.complexity(),
                facts.theorem_2(),
                facts.non_relaxed(),
                facts.corollary(0.5, delta),
                error(Claim::Fixed),
                error(Claim::Reached),
                error(Claim::Cut),
            ]
        };
        let gammas = [0.0, 0.1, 0.5, 1.0, 2.0, 8.0];
        for pair in gammas.windows(2) {
            let (less, more) = (bounds(pair[0], 0.1, false), bounds(pair[1], 0.1, false));
            assert!(less.iter().zip(more).all(|(a, b)| *a <= b), "{pair:?}");
            assert!(more[0] > less[0] && more[6] > less[6], "{pair:?}");
        }
        let sure = bounds(1.0, 0.01, false);
        assert!(
            bounds(1.0, 0.1, false)[4..]
                .iter()
                .zip(&sure[4..])
                .all(|(a, b)| a < b)
        );
        let free = bounds(1.0, 0.1, true);
        assert!(
            bounds(1.0, 0.1, false)[4..]
                .iter()
                .zip(&free[4..])
                .all(|(a, b)| a < b)
        );
    }

    #[test]
    fn a_small_norm_and_cut_predictions_are_worth_something() {
        let facts = Facts::tiny();
        let error = |reached: &Reached, claim| facts.error_bound(reached, 0.05, claim);
        assert!(error(&REACHED, Claim::Reached) < 0.5 * error(&REACHED, Claim::Fixed));
        assert!(error(&REACHED, Claim::Cut) < error(&REACHED, Claim::Reached));
        let nothing = Reached {
            penalty: 0.0,
            ..REACHED
        };
        assert!(error(&nothing, Claim::Reached).is_finite());
        // At the full radius the price of having looked is there, and nothing is gained.
        let full = Reached {
            penalty: 9.0,
            ..REACHED
        };
        assert!(error(&full, Claim::Reached) > error(&full, Claim::Fixed));
        let outside = Reached {
            penalty: 9.1,
            ..REACHED
        };
        assert!(error(&outside, Claim::Fixed).is_infinite());
    }
}
