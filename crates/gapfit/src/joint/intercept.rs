//! The intercept, taken out of the problem and put back (docs/math.md 7).

use super::blocks::Blocks;
use crate::features::Layout;
use crate::linalg::dot;
use crate::prepare::Intercept;

/// Means of the penalised lifted features and of the target, in units of the constant entry; zero
/// where the intercept is absent, not there at all where it is penalised.
#[derive(Clone, Debug)]
pub(crate) struct Centre {
    pub(crate) features: Vec<f64>,
    pub(crate) target: f64,
}

impl Centre {
    /// Where the intercept stays in the problem.
    pub(crate) fn none() -> Self {
        Self {
            features: Vec::new(),
            target: 0.0,
        }
    }

    /// From the sums of the lifted features (that of the constant first) and of the target.
    pub(crate) fn new(sums: &[f64], target: f64, intercept: Intercept) -> Self {
        let share = match intercept {
            Intercept::Free if sums[0] > 0.0 => 1.0 / sums[0],
            _ => 0.0,
        };
        Self {
            features: sums[1..].iter().map(|x| x * share).collect(),
            target: target * share,
        }
    }

    /// The unknowns of the full layout from the penalised ones.
    pub(crate) fn restore(&self, v: &[f64], intercept: Intercept) -> Vec<f64> {
        if intercept == Intercept::Penalised {
            return v.to_vec();
        }
        let constant = self.target - dot(&self.features, v);
        std::iter::once(constant).chain(v.iter().copied()).collect()
    }
}

/// The layout of the penalised unknowns.
pub(crate) fn blocks(layout: &Layout, intercept: Intercept) -> Blocks {
    let dropped = usize::from(intercept != Intercept::Penalised);
    Blocks {
        n_weights: layout.n_entries - dropped,
        partners: layout.holes.iter().map(|e| e - dropped).collect(),
        starts: (0..=layout.holes.len())
            .map(|b| layout.start(b) - dropped)
            .collect(),
    }
}
