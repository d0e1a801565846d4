//! The calibration in the model file (docs/model-file.md).

use super::calibration::{Calibration, CalibrationGroup};
use crate::container::{Container, Tensor, broken, vector};
use crate::error::Result;
use crate::eval::Scores;
use crate::linalg::Matrix;
use serde::{Deserialize, Serialize};

/// What the header says of it; the numbers are in tensors.
#[derive(Serialize, Deserialize)]
pub(super) struct CalibrationHeader {
    folds: usize,
    rmse: f64,
    mae: f64,
    /// Null for a constant target.
    #[serde(deserialize_with = "Option::deserialize")]
    r2: Option<f64>,
    groups: Vec<GroupHeader>,
    /// The number of levels.
    levels: usize,
}

#[derive(Serialize, Deserialize)]
struct GroupHeader {
    missing: usize,
    rows: f64,
}

impl CalibrationHeader {
    pub(super) fn of(calibration: &Calibration) -> Self {
        let Scores { rmse, mae, r2 } = calibration.scores;
        let group = |g: &CalibrationGroup| GroupHeader {
            missing: g.missing,
            rows: g.rows,
        };
        Self {
            folds: calibration.folds,
            rmse,
            mae,
            r2: r2.is_finite().then_some(r2),
            groups: calibration.groups.iter().map(group).collect(),
            levels: calibration.levels.len(),
        }
    }

    /// The calibration of target `t` of a model with `n_live` features that take part.
    pub(super) fn read(self, file: &Container<'_>, n_live: usize, t: usize) -> Result<Calibration> {
        self.check(n_live)?;
        let (n_levels, n_groups) = (self.levels, self.groups.len());
        let [of_levels, of_widths] = names(t);
        let levels = file.tensor(&of_levels, &[n_levels])?;
        let half_widths = file.tensor(&of_widths, &[n_groups, n_levels])?;
        let is_share = |l: &f64| (0.5..1.0).contains(l);
        if !levels.iter().all(is_share) || !levels.windows(2).all(|w| w[0] < w[1]) {
            let expected = "ascending numbers from 0.5 to below 1";
            return Err(broken(&format!("tensor '{of_levels}'"), expected, "others"));
        }
        let sound = |w: &[f64]| w[0] >= 0.0 && w.windows(2).all(|w| w[0] <= w[1]);
        if !half_widths.chunks(n_levels).all(sound) {
            let expected = "numbers that are neither negative nor descend in a row";
            return Err(broken(&format!("tensor '{of_widths}'"), expected, "others"));
        }
        let group = |g: &GroupHeader| CalibrationGroup {
            missing: g.missing,
            rows: g.rows,
        };
        Ok(Calibration {
            folds: self.folds,
            scores: Scores {
                rmse: self.rmse,
                mae: self.mae,
                r2: self.r2.unwrap_or(f64::NAN),
            },
            groups: self.groups.iter().map(group).collect(),
            levels,
            half_widths: Matrix::from_columns(n_levels, n_groups, half_widths),
        })
    }

    fn check(&self, n_live: usize) -> Result<()> {
        let missing: Vec<usize> = self.groups.iter().map(|g| g.missing).collect();
        let sound = self.folds >= 2
            && self.rmse >= 0.0
            && self.mae >= 0.0
            && self.levels > 0
            && missing.first() == Some(&0)
            && missing.windows(2).all(|w| w[0] < w[1])
            && missing.last() <= Some(&n_live)
            && self.groups.iter().all(|g| g.rows > 0.0);
        if sound {
            return Ok(());
        }
        let got = format!(
            "{} folds, {} levels, errors {} and {}, groups {missing:?}",
            self.folds, self.levels, self.rmse, self.mae
        );
        let expected = "2 folds or more, a level or more, errors that are not negative, groups of rows from 0 missing features upwards";
        Err(broken("calibration", expected, &got))
    }
}

/// The names of the tensors of target `t`: a number is added from the second on.
fn names(t: usize) -> [String; 2] {
    ["levels", "half_widths"].map(|name| match t {
        0 => name.to_owned(),
        _ => format!("{name}_{t}"),
    })
}

/// The tensors of the calibration of target `t`.
pub(super) fn tensors(calibration: &Calibration, t: usize) -> [Tensor; 2] {
    let (half_widths, levels) = (&calibration.half_widths, &calibration.levels);
    let shape = vec![half_widths.n_cols(), levels.len()];
    let numbers = half_widths.as_slice().to_vec();
    let [of_levels, of_widths] = names(t);
    [vector(&of_levels, levels), (of_widths, shape, numbers)]
}
