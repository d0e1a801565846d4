//! The streams of the online experiments, and the learners with settings that run on them.

use super::batch::power;
use super::{Draw, draw};
use crate::Result;
use crate::experiment::Drawn;
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::loss::Loss;
use gapfit::online::{Fill, Learn, MaskFeatures, Mirror, MirrorDescent, Step, Support};
use std::fmt;

/// Features with a smaller correlation on the corrupted rows are no neighbours.
const CORRELATION: f64 = 0.2;

/// The paper does not name its loss.
const LOSS: Loss = Loss::Hinge;

/// Rows in the order in which they are learnt.
#[derive(Debug)]
pub(super) struct Stream {
    /// With holes, behind a constant.
    holey: Dataset,
    /// Without holes, behind a constant.
    complete: Dataset,
    /// With holes, for learners that add the constant themselves.
    pub(super) bare: Dataset,
    /// Which pairs of features may influence each other, the constant left out.
    support: Support,
}

impl Stream {
    pub(super) fn draw(cell: &Drawn, table: &Dataset, draw: Draw) -> Result<Self> {
        let rows = draw::rows(cell, table, draw)?;
        let bare = rows.holey.train;
        let complete = rows
            .complete
            .map_or_else(|| bare.clone(), |rows| rows.train);
        let support = match cell.digit {
            Some(_) => Support::grid(8, 8),
            None => Support::correlated(bare.features(), CORRELATION)?,
        };
        Ok(Self {
            holey: behind_constant(&bare)?,
            complete: behind_constant(&complete)?,
            bare,
            support,
        })
    }
}

/// The same rows behind a feature that is 1 and always observed.
fn behind_constant(rows: &Dataset) -> Result<Dataset> {
    let n_features = rows.n_features();
    let mut wider = MaskedMatrix::new(n_features + 1);
    for row in rows.features().rows() {
        let features = (0..n_features).map(|j| row.get(j));
        wider.push_row([Some(1.0)].into_iter().chain(features))?;
    }
    Ok(Dataset::new(wider, rows.target().to_vec())?)
}

/// A learner with a rate, and in one case a row penalty, to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// Gradient descent on rows whose holes are zero.
    Zero,
    /// Gradient descent on rows whose holes are the means so far.
    Mean,
    /// A full matrix, with the paper's ψ = z.
    Frob,
    /// The same, neighbours alone, and the row penalty.
    Sparse,
    /// Gradient descent on the rows before they had holes.
    Complete,
}

/// One point of the grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Setting {
    eta: f64,
    /// Absent where the method has none.
    row_penalty: Option<f64>,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "eta {}", power(self.eta))?;
        match self.row_penalty {
            Some(penalty) => write!(f, ", row penalty {}", power(penalty)),
            None => Ok(()),
        }
    }
}

impl Method {
    pub(super) const ALL: [Self; 5] = [
        Self::Zero,
        Self::Mean,
        Self::Frob,
        Self::Sparse,
        Self::Complete,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Zero => "zero",
            Self::Mean => "mean",
            Self::Frob => "frob-reg",
            Self::Sparse => "sparse-reg",
            Self::Complete => "complete",
        }
    }

    /// Every point of the paper's grid, or every fourth in a quick run.
    pub(super) fn settings(self, quick: bool) -> Vec<Setting> {
        let step = if quick { 4 } else { 1 };
        let powers = move || (-12..=10).step_by(step).map(f64::from).map(f64::exp2);
        let setting = |eta, row_penalty| Setting { eta, row_penalty };
        match self {
            Self::Sparse => powers()
                .flat_map(|eta| powers().map(move |penalty| setting(eta, Some(penalty))))
                .collect(),
            _ => powers().map(|eta| setting(eta, None)).collect(),
        }
    }

    /// Whether each row was classified wrongly before it was learnt.
    pub(super) fn mistakes(self, at: Setting, stream: &Stream) -> Result<Vec<bool>> {
        let rows = match self {
            Self::Complete => &stream.complete,
            _ => &stream.holey,
        };
        mistakes(
            &mut self.descent(at, stream).start(rows.n_features())?,
            rows,
        )
    }

    fn descent(self, at: Setting, stream: &Stream) -> MirrorDescent {
        let mirror = match self {
            Self::Zero | Self::Complete => {
                return MirrorDescent::imputed(Fill::Zero, LOSS, at.eta);
            }
            Self::Mean => return MirrorDescent::imputed(Fill::Mean, LOSS, at.eta),
            Self::Frob => Mirror::Frob,
            Self::Sparse => Mirror::Sparse {
                row_penalty: at.row_penalty.unwrap_or(0.0),
                support: stream.support.clone().with_hub(),
            },
        };
        MirrorDescent {
            psi: MaskFeatures::Identity,
            loss: LOSS,
            mirror,
            step: Step::Constant { eta: at.eta },
            ..MirrorDescent::default()
        }
    }
}

/// Whether each row was classified wrongly before it was learnt; no side taken is wrong.
pub(super) fn mistakes(learner: &mut impl Learn, rows: &Dataset) -> Result<Vec<bool>> {
    let pairs = rows.features().rows().zip(rows.target());
    let wrong = pairs.map(|(row, &class)| {
        let learnt = learner.learn(row, class, 1.0)?;
        Ok(learnt.prediction * class <= 0.0)
    });
    wrong.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_row_is_always_a_mistake() {
        let table = MaskedMatrix::from_nan(3, 1, &[1.0, 1.0, 1.0]).unwrap();
        let rows = Dataset::new(table, vec![1.0, 1.0, -1.0]).unwrap();
        let settings = MirrorDescent::imputed(Fill::Zero, LOSS, 0.5);
        let wrong = mistakes(&mut settings.start(1).unwrap(), &rows).unwrap();
        assert_eq!(wrong, [true, false, true]);
    }
}
