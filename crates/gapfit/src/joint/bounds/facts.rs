//! The numbers that the bounds are made of.

/// What the bounds need to know of some training rows, in the units of the completed rows.
///
/// `T`, `d`, `B` and so on are the letters of docs/math.md 11; `p` are row weights, `W` their sum. A
/// ridge penalty on lifted features (methods `mask` and `lifted`) counts as the class of γ = 0 whose
/// rows are the lifted ones.
///
/// ```
/// use gapfit::joint::bounds::{Facts, Second};
///
/// // 100 complete rows of length 2 at most, targets of size 1 at most.
/// let facts = Facts {
///     n_rows: 100,
///     effective_rows: 100.0,
///     largest_share: 0.01,
///     total_weight: 100.0,
///     n_entries: 3,
///     alpha: 0.25,
///     gamma: 0.0,
///     target: 1.0,
///     target_centre: 0.0,
///     target_variance: 0.5,
///     row_norm: 2.0,
///     reach: 2.0,
///     missing: 0.0,
///     second: Second { weights: 0.04, ..Second::default() },
///     free_intercept: false,
/// };
/// assert_eq!(facts.radius(), 1.0); // B / (2 √alpha)
/// assert_eq!(facts.theorem_2(), 1.6); // B R² / (alpha √T)
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// T, the rows of positive weight.
    pub n_rows: usize,
    /// `W²/Σp²`, which is T when all weights are equal.
    pub effective_rows: f64,
    /// The heaviest row's share of W.
    pub largest_share: f64,
    /// W, which is T without weights.
    pub total_weight: f64,
    /// d, the entries of a row; the constant is one of them unless it meets no penalised weight.
    pub n_entries: usize,
    /// Weight of the penalty: the λ in the paper's kernel problem.
    pub alpha: f64,
    /// γ; 0 for methods without it.
    pub gamma: f64,
    /// B, the largest distance of a target from the centre.
    pub target: f64,
    /// 0, or the middle of the range of the target where the intercept is free: such a model follows
    /// every shift of the target, and so do its bounds.
    pub target_centre: f64,
    /// The variance of the target, weighted.
    pub target_variance: f64,
    /// R, the largest ‖x̃‖.
    pub row_norm: f64,
    /// N, at least the largest √Ω° of a lifted row: a model of penalty Λ² predicts at most ΛN.
    pub reach: f64,
    /// m, the mean number of missing entries that have a shift, weighted.
    pub missing: f64,
    /// Second moments of a sum of randomly signed rows.
    pub second: Second,
    /// Whether the model has a constant term that is not penalised.
    pub free_intercept: bool,
}

/// Second moments of `Σ_i σ_i (p_i/W) Φ_i` over random signs σ, with `a` its weights and `b_k` its
/// shifts: what the complexity is bounded with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Second {
    /// `E‖a‖²`.
    pub weights: f64,
    /// `Σ_k E‖b_k‖²`.
    pub shifts: f64,
    /// `√(Σ_k E a_k² E‖b_k‖²)`.
    pub paired: f64,
    /// `√(Σ_k (E‖b_k‖²)²)`.
    pub spread: f64,
}

/// What a fitted model reached on the rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reached {
    /// Mean squared error, weighted.
    pub squared_error: f64,
    /// The same with predictions cut to at most B from the centre of the target.
    pub cut_squared_error: f64,
    /// Ω of its unknowns.
    pub penalty: f64,
    /// `√(Σδ²/p)` of its dual vector δ: the norm ‖δ‖ without weights.
    pub dual_norm: f64,
}

/// What does as well as a bound on the error says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vacuous {
    /// Predicting the centre of the target, mostly 0, whose squared error is at most B².
    Centre,
    /// Predicting the mean of the target, whose squared error is the variance.
    Mean,
}

impl Facts {
    /// What makes the bound `squared_error` on the error say nothing, if anything does.
    pub fn vacuous(&self, squared_error: f64) -> Option<Vacuous> {
        // NaN is what is left of a bound that overflowed
        if squared_error.is_nan() || squared_error >= self.target * self.target {
            Some(Vacuous::Centre)
        } else if squared_error >= self.target_variance {
            Some(Vacuous::Mean)
        } else {
            None
        }
    }
}

#[cfg(test)]
impl Facts {
    /// Four rows (1, 2) without the second entry in two of them; zero base, penalised throughout.
    pub(super) fn tiny() -> Self {
        Self {
            n_rows: 4,
            effective_rows: 4.0,
            largest_share: 0.25,
            total_weight: 4.0,
            n_entries: 2,
            alpha: 0.25,
            gamma: 2.0,
            target: 3.0,
            target_centre: 0.0,
            target_variance: 2.0,
            row_norm: 5f64.sqrt(),
            reach: 5f64.sqrt(),
            missing: 0.5,
            // Two rows (1, 2), two rows (1, hole): a_2 has 2 · 4/16, b_2 has 2 · 1/16.
            second: Second {
                weights: 12.0 / 16.0,
                shifts: 2.0 / 16.0,
                paired: (0.5f64 * 0.125).sqrt(),
                spread: 0.125,
            },
            free_intercept: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_nothing_is_called_vacuous() {
        let facts = Facts::tiny();
        assert_eq!(facts.vacuous(9.0), Some(Vacuous::Centre));
        assert_eq!(facts.vacuous(f64::INFINITY), Some(Vacuous::Centre));
        assert_eq!(facts.vacuous(f64::NAN), Some(Vacuous::Centre));
        assert_eq!(facts.vacuous(8.9), Some(Vacuous::Mean));
        assert_eq!(facts.vacuous(2.0), Some(Vacuous::Mean));
        assert_eq!(facts.vacuous(1.9), None);
    }
}
