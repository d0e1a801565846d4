//! Intervals that hold the target as often as they say.
//!
//! Every row is predicted by a model that has not seen it, fitted at the chosen parameters to the
//! other folds. The errors it makes, taken among rows with about equally many missing features, say
//! how far new predictions will be off: with `n` errors, a share `level` of new rows is off by at most
//! the `⌈(n + 1) level⌉`-th smallest of them (docs/math.md 14.1).

mod pool;

use crate::data::{Dataset, MaskedRow};
use crate::error::{Error, Result};
use crate::eval::Scores;
use crate::learn::{Learner, Parameters};
use crate::model::{Calibration, CalibrationGroup};
use crate::tune::{self, Search};
use pool::HeldOut;

/// The calibration of models that this learner fits with these parameters to this data, which has one target;
/// `search` says how rows are parted into folds: its `folding`, `folds` and `seed`.
///
/// Rows count by their weight, as everywhere: a share of new rows is a share of their weight.
///
/// # Errors
/// [`Error::Shape`] for several targets; those of [`calibrate_each`].
pub fn calibrate(
    learner: &Learner,
    parameters: Parameters,
    data: &Dataset,
    search: &Search,
) -> Result<Calibration> {
    let mut each = calibrate_each(learner, &[parameters], data, search)?;
    Ok(each.swap_remove(0))
}

/// The calibrations of each target, for the parameters of each.
///
/// # Errors
/// [`Error::Setting`] for a loss for classes, which have no intervals; those of [`tune::hold_out_each`].
pub fn calibrate_each(
    learner: &Learner,
    parameters: &[Parameters],
    data: &Dataset,
    search: &Search,
) -> Result<Vec<Calibration>> {
    if learner.loss.is_classification() {
        return Err(Error::Setting {
            name: "loss",
            expected: "squared or huber=H, for intervals",
            got: learner.loss.to_string(),
        });
    }
    let live = live(data);
    let (mut predicted, mut missing) = (vec![Vec::new(); parameters.len()], Vec::new());
    for part in tune::hold_out_each(learner, parameters, data, search)? {
        let each = part.model.predict_each(&part.features)?;
        for (predicted, predictions) in predicted.iter_mut().zip(each) {
            predicted.extend(part.rows.iter().copied().zip(predictions));
        }
        missing.extend(part.features.rows().map(|row| n_missing(row, &live)));
    }
    let calibration = |(t, predicted): (usize, &Vec<(usize, f64)>)| {
        of_target(t, data, predicted, &missing, search.folds)
    };
    Ok(predicted.iter().enumerate().map(calibration).collect())
}

/// The calibration of target `t`, from the predictions of rows that miss so many features.
fn of_target(
    t: usize,
    data: &Dataset,
    predicted: &[(usize, f64)],
    missing: &[usize],
    folds: usize,
) -> Calibration {
    let target = data.values_of(t);
    let rows = errors(data, target, predicted, missing);
    let groups = pool::by_missing(&rows);
    let levels = pool::levels(pool::size(&rows));
    let about = |rows: &&[HeldOut]| CalibrationGroup {
        missing: rows[0].missing,
        rows: pool::size(*rows),
    };
    let mut described: Vec<_> = groups.iter().map(about).collect();
    // rows with fewer holes than any in training are like those with the fewest
    described[0].missing = 0;
    Calibration {
        folds,
        scores: scores(data, target, predicted),
        half_widths: pool::half_widths(&groups, &levels),
        groups: described,
        levels,
    }
}

/// The number of these features that are missing.
fn n_missing(row: MaskedRow<'_>, live: &[usize]) -> usize {
    let is_missing = |j: &&usize| !row.observed().contains(**j);
    live.iter().filter(is_missing).count()
}

/// How far each prediction is off, ascending in the number of missing features.
fn errors(
    data: &Dataset,
    target: &[f64],
    predicted: &[(usize, f64)],
    missing: &[usize],
) -> Vec<HeldOut> {
    let weights = predicted.iter().map(|&(i, _)| data.weight(i));
    let heaviest = weights.fold(0.0, f64::max);
    let error = |(&(i, prediction), &missing): (&(usize, f64), &usize)| HeldOut {
        missing,
        off: (target[i] - prediction).abs().min(f64::MAX),
        weight: data.weight(i) / heaviest,
    };
    let mut rows: Vec<HeldOut> = predicted.iter().zip(missing).map(error).collect();
    rows.sort_by_key(|row| row.missing);
    rows
}

/// The features that are observed in some row that counts, one for each column.
fn live(data: &Dataset) -> Vec<usize> {
    let is_live = |j: &usize| {
        let mut rows = (0..data.n_rows()).filter(|&i| data.weight(i) > 0.0);
        rows.any(|i| data.features().row(i).observed().contains(*j))
    };
    let features = (0..data.n_features()).filter(|&j| data.leads(j));
    features.filter(is_live).collect()
}

fn scores(data: &Dataset, target: &[f64], predicted: &[(usize, f64)]) -> Scores {
    let target: Vec<f64> = predicted.iter().map(|&(i, _)| target[i]).collect();
    let weights: Vec<f64> = predicted.iter().map(|&(i, _)| data.weight(i)).collect();
    let predictions: Vec<f64> = predicted.iter().map(|&(_, p)| p).collect();
    let Scores { rmse, mae, r2 } = Scores::of(&target, &predictions, Some(&weights));
    Scores {
        rmse: rmse.min(f64::MAX),
        mae: mae.min(f64::MAX),
        r2,
    }
}
