//! The paper's bounds (section 4.2 and appendix), in our convention: its λ is `alpha`.

use super::Facts;

impl Facts {
    /// Theorem 2: a bound on the Rademacher complexity of the relaxed class,
    /// `(1 + γ + (γ + γ²)√d) B R² / (alpha √T)`.
    ///
    /// For equal weights and no free intercept. The class it is about is spanned by the training rows
    /// themselves.
    pub fn theorem_2(&self) -> f64 {
        let (gamma, root_d) = (self.gamma, (self.n_entries as f64).sqrt());
        (1.0 + gamma + (gamma + gamma * gamma) * root_d) * self.scale()
            / (self.n_rows as f64).sqrt()
    }

    /// The corollary of theorem 2 as the paper prints it: with probability `1 - delta` the mean squared
    /// error on new rows should be at most
    /// `e + q (q √(d/T) + √(8 ln(2/delta)/T))`, `q = (1 + γ)² B R² / alpha`,
    /// for the training error e.
    ///
    /// To be quoted, not relied on: with the target in other units its two sides scale differently,
    /// its constants are dropped, and its range of the predictions is too small (docs/math.md 11.4).
    pub fn corollary(&self, training_error: f64, delta: f64) -> f64 {
        let (n_rows, d) = (self.n_rows as f64, self.n_entries as f64);
        let q = (1.0 + self.gamma).powi(2) * self.scale();
        training_error + q * (q * (d / n_rows).sqrt() + (8.0 * (2.0 / delta).ln() / n_rows).sqrt())
    }

    /// A bound on the Rademacher complexity of the class before the relaxation, pairs (w, M) with
    /// `‖w‖ <= Λ` and `‖M‖ <= γ`: `(1 + γ√d) Λ R / √T`.
    ///
    /// The appendix prints √T times ΛR; its proof ends with a division by T that is carried out here.
    pub fn non_relaxed(&self) -> f64 {
        let root_d = (self.n_entries as f64).sqrt();
        (1.0 + self.gamma * root_d) * self.radius() * self.row_norm / (self.n_rows as f64).sqrt()
    }

    /// A bound on the norm of the dual vector, `B / (alpha √W)`; compare
    /// [`Reached::dual_norm`](super::Reached::dual_norm).
    pub fn dual_norm(&self) -> f64 {
        self.target / (self.alpha * self.total_weight.sqrt())
    }

    /// `B R² / alpha`.
    fn scale(&self) -> f64 {
        self.target * self.row_norm * self.row_norm / self.alpha
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agree_with_values_computed_by_hand() {
        // B = 3, R² = 5, alpha = 1/4: B R²/alpha = 60; T = 4, d = 2, γ = 2.
        let facts = Facts::tiny();
        let close = |value: f64, expected: f64| (value / expected - 1.0).abs() < 1e-14;
        assert!(close(facts.theorem_2(), (3.0 + 6.0 * 2f64.sqrt()) * 30.0));
        // q = 540; √(d/T) = √½; ln(2/δ) = ½ gives √(8 · ½ / 4) = 1.
        let delta = 2.0 * (-0.5f64).exp();
        let expected = 1.0 + 540.0 * (540.0 * 0.5f64.sqrt() + 1.0);
        assert!(close(facts.corollary(1.0, delta), expected));
        // Λ = 3, R = √5.
        let expected = (1.0 + 2.0 * 2f64.sqrt()) * 3.0 * 5f64.sqrt() / 2.0;
        assert!(close(facts.non_relaxed(), expected));
        assert!(close(facts.dual_norm(), 6.0));
    }

    #[test]
    fn the_corollary_depends_on_the_unit_of_the_target() {
        let facts = Facts::tiny();
        let doubled = Facts {
            target: 2.0 * facts.target,
            ..facts
        };
        let ratio = doubled.corollary(4.0, 0.1) / facts.corollary(1.0, 0.1);
        assert!(ratio < 4.0 - 1e-3, "{ratio}");
    }
}
