//! What is kept of training rows and of held-out ones, and which form costs less.

use crate::data::Dataset;
use crate::features::{Layout, LiftedRows, Shifted};
use crate::joint::curved::{self, Link};
use crate::joint::dense::Dense;
use crate::joint::matrix_free::{MatrixFree, couples};
use crate::learn::{Learner, Multiclass};
use crate::loss::Loss;
use crate::moments::{Source, Totals};

/// What the rows say: the quadratic of the squared loss, in the form that is cheaper, or the rows
/// themselves for another loss.
#[derive(Debug)]
pub(super) enum Form {
    Dense(Dense),
    MatrixFree(MatrixFree),
    Rows(curved::Sample),
}

/// Which form to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefer {
    /// The one that costs less for so many solves.
    Cheaper { solves: usize },
    /// `H` formed, to compare with the other.
    Dense,
    /// Products with `H` alone.
    MatrixFree,
    /// The rows themselves, with Hessians that are formed or not, also for the squared loss.
    #[cfg(test)]
    Rows { is_dense: bool },
}

/// Held-out rows in the units of a problem, ready to score predictors on.
#[derive(Debug)]
pub(crate) enum HeldOut {
    Summed(Dense),
    Rows(LiftedRows),
    Curved(curved::Sample),
}

impl HeldOut {
    /// What it takes of memory, roughly.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Summed(normal) => size_of_val(normal.parts().0.as_slice()),
            Self::Rows(rows) => rows.bytes(),
            Self::Curved(sample) => sample.bytes(),
        }
    }

    /// `Σ s_i loss(y_i, f_i)` for the predictor v, in solver units.
    pub(crate) fn error(&self, v: &[f64]) -> f64 {
        match self {
            Self::Summed(normal) => normal.squared_error(v),
            Self::Rows(rows) => rows.squared_error(v),
            Self::Curved(sample) => sample.total(v),
        }
    }

    /// The terms of [`HeldOut::error`], row by row where rows are kept for a loss other than the squared one; else their sum.
    pub(crate) fn terms(&self, v: &[f64]) -> Vec<f64> {
        match self {
            Self::Curved(sample) => sample.terms(v),
            _ => vec![self.error(v)],
        }
    }

    /// The weights of the rows, in the order of [`HeldOut::terms`], where there is one for each of them.
    pub(crate) fn row_weights(&self) -> Option<&[f64]> {
        match self {
            Self::Curved(sample) => Some(sample.row_weights()),
            _ => None,
        }
    }
}

impl Prefer {
    /// Whether the rows are kept even for the squared loss.
    pub(super) fn rows(self) -> bool {
        #[cfg(test)]
        return matches!(self, Self::Rows { .. });
        #[cfg(not(test))]
        false
    }

    /// Whether `H` is to be formed: compares rough counts of multiply-adds.
    pub(super) fn dense(
        self,
        layout: &Layout,
        totals: &Totals,
        source: &Source<'_>,
        is_curved: bool,
    ) -> bool {
        let solves = match self {
            Self::Cheaper { solves } => solves as f64,
            Self::Dense => return true,
            Self::MatrixFree => return false,
            #[cfg(test)]
            Self::Rows { is_dense } => return is_dense,
        };
        let dim = layout.dim();
        if !is_curved && dim <= SMALL {
            return true;
        }
        let (rows, entries) = (totals.n_rows as f64, layout.n_entries as f64);
        let blocks = layout.holes.len() as f64;
        let missing = |observed: usize| layout.n_entries.saturating_sub(observed) as f64;
        let counts = source.observed_counts(totals.columns.len());
        let over_masks = |of: &dyn Fn(usize) -> f64| {
            let terms = counts.iter().enumerate().filter(|(_, n)| **n > 0);
            terms
                .map(|(observed, n)| *n as f64 * of(observed))
                .sum::<f64>()
        };
        let holes = over_masks(&missing);
        let listed = (dim - layout.n_entries) as f64 / blocks;
        let is_listed = matches!(layout.shifted, Shifted::Listed(_));
        let of_mask = |observed: usize| match is_listed {
            true => missing(observed) * listed * (entries + 0.5 * missing(observed) * listed),
            false => 0.5 * (missing(observed) * entries).powi(2),
        };
        let of_masks = over_masks(&of_mask);
        let forming = match is_curved {
            // Formed at every step anew.
            true => STEPS * (of_masks + 0.5 * rows * entries * entries),
            false => FORMING * of_masks / solves,
        };
        let product = match (is_listed, is_curved) {
            (true, _) => rows * (entries + holes / source.n_masks() as f64 * listed),
            // In products rows of one mask share their weights.
            (_, true) => (rows + holes) * entries,
            _ => rows * entries * (1.0 + blocks),
        };
        let products = products(!is_curved && couples(layout, totals.n_rows));
        let factoring = STEPS * (dim as f64).powi(3) / 6.0;
        dim <= LARGE && forming + factoring <= STEPS * products * 2.0 * product
    }
}

/// Up to this many unknowns the `H` of the squared loss is always formed.
pub(crate) const SMALL: usize = 1500;
/// From this many on it never is: it would take 3 GB.
const LARGE: usize = 20_000;
/// Newton steps of a typical solve.
pub(crate) const STEPS: f64 = 6.0;
/// Products with `H` per Newton step of a typical solve by conjugate gradients, where the preconditioner knows how holes go together
/// and where it does not.
pub(crate) fn products(is_coupled: bool) -> f64 {
    if is_coupled { 30.0 } else { 60.0 }
}
/// What a multiplication costs in forming `H`, over what it costs in factoring it or in a product with it.
const FORMING: f64 = 2.0;

/// How predictions of this learner on this target become a loss, and how many predictors it takes.
pub(super) fn link(learner: &Learner, data: &Dataset) -> (Link, usize) {
    let Learner {
        loss, multiclass, ..
    } = *learner;
    match data.classes().len() {
        n if n > 2 && loss == Loss::Logistic && multiclass == Multiclass::Joint => {
            (Link::Softmax, n)
        }
        n if n > 2 => (Link::OneVsRest(loss), n),
        _ => (Link::One(loss), 1),
    }
}
