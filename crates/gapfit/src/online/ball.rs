//! Projection onto a Frobenius ball in the geometry of a quadratic regulariser (docs/math.md 13.2).
//!
//! In row i the matrix `I + γ v vᵀ` of the regulariser has the eigenvalue `1 + γ n` along v, of squared
//! length n, and 1 across it. The point of the ball nearest to A in that geometry is
//! `(I + γ v vᵀ + λI)^{-1} (I + γ v vᵀ) A`: the parts of A along v shrink by `(1+γn)/(1+γn+λ)`, all others
//! by `1/(1+λ)`, with the λ that brings the norm down to the radius.

/// How to shrink a matrix onto a Frobenius ball.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shrink {
    gamma: f64,
    lambda: f64,
    /// What everything is multiplied by first.
    pub(crate) others: f64,
}

impl Shrink {
    /// The projection into the ball of a matrix with this squared norm, of which row i has the sum
    /// `rows[i].0` over the `rows[i].1` entries of v; `None` when it is inside.
    pub(crate) fn into(
        radius: f64,
        frobenius: f64,
        gamma: f64,
        rows: &[(f64, f64)],
    ) -> Option<Self> {
        if frobenius <= radius * radius {
            return None;
        }
        let along = |&(sum, n): &(f64, f64)| if n > 0.0 { sum * sum / n } else { 0.0 };
        let across = (frobenius - rows.iter().map(along).sum::<f64>()).max(0.0);
        // Squared norm after shrinking, and half its derivative in λ.
        let norm = |lambda: f64| {
            let (mut square, mut slope) = (0.0, 0.0);
            let mut add = |part: f64, own: f64| {
                let shrunk = part * (own / (own + lambda)).powi(2);
                square += shrunk;
                slope -= shrunk / (own + lambda);
            };
            add(across, 1.0);
            rows.iter()
                .for_each(|row| add(along(row), 1.0 + gamma * row.1));
            (square, slope)
        };
        let lambda = root(radius, norm);
        Some(Self {
            gamma,
            lambda,
            others: 1.0 / (1.0 + lambda),
        })
    }

    /// What to add to each entry of v in a row with this sum over the n entries, after
    /// everything was multiplied by `others`.
    pub(crate) fn shift(self, sum: f64, n: f64) -> f64 {
        if n > 0.0 {
            sum * (self.complete(n) / self.others - 1.0) / n
        } else {
            0.0
        }
    }

    /// What the sum over the n entries of v is multiplied by, all in all.
    pub(crate) fn complete(self, n: f64) -> f64 {
        let own = 1.0 + self.gamma * n;
        own / (own + self.lambda)
    }
}

/// The λ at which the norm is the radius, by Newton's method on `1/norm`, which is concave and nearly
/// straight: from 0 the iterates rise and do not pass the root.
fn root(radius: f64, norm: impl Fn(f64) -> (f64, f64)) -> f64 {
    let mut lambda = 0.0;
    for _ in 0..100 {
        let (square, slope) = norm(lambda);
        let length = square.sqrt();
        if length <= radius * (1.0 + 1e-15) {
            break;
        }
        // d(1/length) = -slope / length³ dλ
        let next = lambda + (1.0 / radius - 1.0 / length) * length.powi(3) / -slope;
        if next <= lambda {
            break;
        }
        lambda = next;
    }
    lambda
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shrunk_matrix_lies_on_the_ball() {
        for (gamma, radius) in [
            (0.0, 1.0),
            (0.5, 1e-3),
            (1e3, 1.9),
            (1e-6, 1e-9),
            (1e8, 2.0),
        ] {
            let rows = [(1.0, 3.0), (-4.0, 2.0), (0.0, 0.0), (0.5, 1.0)];
            let along: f64 = rows
                .iter()
                .filter(|r| r.1 > 0.0)
                .map(|(s, n)| s * s / n)
                .sum();
            let frobenius = along + 2.5;
            let shrink = Shrink::into(radius, frobenius, gamma, &rows).unwrap();
            let part = |&(s, n): &(f64, f64)| {
                if n > 0.0 {
                    s * s / n * shrink.complete(n).powi(2)
                } else {
                    0.0
                }
            };
            let after = rows.iter().map(part).sum::<f64>() + 2.5 * shrink.others.powi(2);
            assert!(
                (after.sqrt() / radius - 1.0).abs() < 1e-12,
                "{gamma} {radius}: {after}"
            );
        }
        assert!(Shrink::into(2.0, 4.0, 1.0, &[(1.0, 1.0)]).is_none());
    }
}
