//! One feature of Ω at given multipliers (docs/math.md 4.5, 4.6 and 4.8).
//!
//! ```text
//! min_{μ, ν >= μ²}  w² + (s - wμ)²/(ν - μ²) + θ1 μ² + θ2 ν²
//! ```

use super::multipliers::{Sums, Theta};

/// One feature at given multipliers, in normalised units; `w >= 0`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Term {
    pub(super) w: f64,
    pub(super) s: f64,
    pub(super) mu: f64,
    pub(super) nu: f64,
    /// Half the derivative of Ω in s.
    pub(super) e: f64,
    /// Whether `ν = μ²`, i.e. the shift is exactly an imputation and costs nothing more.
    on_boundary: bool,
}

/// Curvatures are capped here, in normalised units: at w = s = 0 the true one is infinite.
const STEEPEST: f64 = 1e12;

impl Term {
    pub(super) const UNKNOWN: Self = Self {
        w: 0.0,
        s: 0.0,
        mu: 0.0,
        nu: 0.0,
        e: 0.0,
        on_boundary: false,
    };

    /// Finds the optimal (μ, ν) at multipliers θ (docs/math.md 4.6), from the e it has.
    pub(super) fn solve(&mut self, theta: Theta) {
        let Self { w, s, .. } = *self;
        let (one, two) = (theta.one, theta.two);
        let rho = s / w; // ∞ or NaN at w = 0: then not on the boundary
        self.on_boundary = (one + 2.0 * two * rho * rho) <= (2.0 * two).sqrt() * w;
        if self.on_boundary {
            self.e = (one * rho + 2.0 * two * rho * rho * rho) / w;
            (self.mu, self.nu) = (rho, rho * rho);
        } else {
            self.e = interior_root(w, s, theta, self.e);
            let square = self.e * self.e;
            (self.mu, self.nu) = (w * self.e / (square + one), square / (2.0 * two));
        }
    }

    /// `F_e`, `F_w`, `F_θ1`, `F_θ2` of the interior equation `F(e, w, θ) = s`.
    fn slopes(&self, theta: Theta) -> [f64; 4] {
        let Self { w, e, .. } = *self;
        let (one, two) = (theta.one, theta.two);
        let q = e * e + one;
        let by_e = w * w * one * (one - 3.0 * e * e) / (q * q * q) + 1.5 * e * e / two;
        [
            by_e.max(1.0 / STEEPEST),
            2.0 * w * one * e / (q * q),
            w * w * e * (e * e - one) / (q * q * q),
            -e * e * e / (2.0 * two * two),
        ]
    }

    pub(super) fn add_to(&self, total: &mut Sums, theta: Theta) {
        total.mu += self.mu * self.mu;
        total.nu += self.nu * self.nu;
        if self.on_boundary || self.e == 0.0 {
            return; // μ = s/w does not move with θ
        }
        let Self { w, mu, nu, e, .. } = *self;
        let (one, two) = (theta.one, theta.two);
        let q = e * e + one;
        let [by_e, _, by_one, by_two] = self.slopes(theta);
        let (e_one, e_two) = (-by_one / by_e, -by_two / by_e);
        let mu_e = w * (one - e * e) / (q * q);
        total.mu_one += 2.0 * mu * (mu_e * e_one - w * e / (q * q));
        total.cross += 2.0 * mu * mu_e * e_two;
        total.nu_two += 2.0 * nu * (e / two * e_two - e * e / (2.0 * two * two));
    }

    /// `(ww, ws, ss)` at fixed θ.
    pub(super) fn block(&self, theta: Theta) -> [f64; 3] {
        let Self { w, s, .. } = *self;
        let (one, two) = (theta.one, theta.two);
        if self.on_boundary {
            let rho2 = (s / w) * (s / w);
            let w2 = w * w;
            return [
                2.0 + (6.0 * one + 20.0 * two * rho2) * rho2 / w2,
                -(4.0 * one + 16.0 * two * rho2) * (s / w) / w2,
                (2.0 * one + 12.0 * two * rho2) / w2,
            ];
        }
        let q = self.e * self.e + one;
        let [by_e, by_w, ..] = self.slopes(theta);
        [
            2.0 * one / q + 2.0 * by_w * by_w / by_e,
            -2.0 * by_w / by_e,
            2.0 / by_e,
        ]
    }

    /// Derivatives of (Σμ², Σν²) in w and in s.
    pub(super) fn coupling(&self, theta: Theta) -> [[f64; 2]; 2] {
        let Self {
            w, s, mu, nu, e, ..
        } = *self;
        if self.on_boundary {
            let rho = s / w;
            let (rho2, rho3) = (rho * rho, rho * rho * rho);
            return [
                [-2.0 * rho2 / w, -4.0 * rho2 * rho2 / w],
                [2.0 * rho / w, 4.0 * rho3 / w],
            ];
        }
        let (one, two) = (theta.one, theta.two);
        let q = e * e + one;
        let [by_e, by_w, ..] = self.slopes(theta);
        let (e_w, e_s) = (-by_w / by_e, 1.0 / by_e);
        let (mu_e, nu_e) = (w * (one - e * e) / (q * q), e / two);
        [
            [2.0 * mu * (mu_e * e_w + e / q), 2.0 * nu * nu_e * e_w],
            [2.0 * mu * mu_e * e_s, 2.0 * nu * nu_e * e_s],
        ]
    }

    pub(super) fn across(&self, theta: Theta) -> f64 {
        let curvature = if self.s > 0.0 {
            2.0 * self.e / self.s
        } else {
            2.0 * theta.one / (self.w * self.w)
        };
        curvature.min(STEEPEST)
    }
}

/// The root e of `w²θ1 e/(e²+θ1)² + e³/(2θ2) = s` on its rising branch, by Newton's method inside a
/// bracket, from `guess` where that lies in it.
fn interior_root(w: f64, s: f64, theta: Theta, guess: f64) -> f64 {
    let (one, two) = (theta.one, theta.two);
    let mut high = (2.0 * two * s).cbrt();
    if w == 0.0 || high == 0.0 {
        return high;
    }
    let mut low = ((2.0 * two).sqrt() * w - one).max(0.0).sqrt();
    let mut e = if guess > low && guess < high {
        guess
    } else {
        high
    };
    for _ in 0..100 {
        let q = e * e + one;
        let excess = w * w * one * e / (q * q) + e * e * e / (2.0 * two) - s;
        if excess > 0.0 {
            high = e;
        } else {
            low = e;
        }
        let slope = w * w * one * (one - 3.0 * e * e) / (q * q * q) + 1.5 * e * e / two;
        let newton = e - excess / slope;
        let next = if newton > low && newton < high {
            newton
        } else {
            0.5 * (low + high)
        };
        let moved = (next - e).abs();
        e = next;
        if moved <= 1e-14 * e {
            break;
        }
    }
    e
}
