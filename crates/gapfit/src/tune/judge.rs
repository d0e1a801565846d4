//! How models of classes do on rows that they have not seen.

use super::{HeldOut, Search, hold_out};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::eval::{ClassScores, Probabilities};
use crate::learn::{Learner, Parameters};
use crate::loss::Loss;
use crate::model::Judgement;

/// The scores of models that the learner fits to the folds of `training`, each on the rows that it has not
/// seen. They count by their weights in `data`, which has the same rows: those to learn from may be
/// weighted by their classes. `search` says how rows are parted: its `folding`, `folds` and `seed`.
///
/// ```
/// use gapfit::data::{Dataset, MaskedMatrix};
/// use gapfit::loss::Loss;
/// use gapfit::tune::{self, Search};
/// use gapfit::{Learner, Parameters};
///
/// let table = MaskedMatrix::from_nan(6, 1, &[1.0, 2.0, f64::NAN, 4.0, 5.0, 6.0])?;
/// let data = Dataset::classified(table, &["no", "no", "no", "yes", "yes", "yes"])?;
/// let learner = Learner { loss: Loss::Logistic, ..Learner::default() };
/// let parameters = Parameters { alpha: 0.01, gamma: 1.0 };
/// let search = Search { folds: 3, ..Search::default() };
/// let judgement = tune::judge(&learner, parameters, (&data, &data), &search)?;
/// assert!(judgement.log_loss.is_some_and(|loss| loss < 1.0));
/// # Ok::<_, gapfit::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`] where the target is numbers or no row that is held out has weight; those of [`hold_out`].
pub fn judge(
    learner: &Learner,
    parameters: Parameters,
    (training, data): (&Dataset, &Dataset),
    search: &Search,
) -> Result<Judgement> {
    if data.classes().is_empty() {
        return Err(Error::Setting {
            name: "target",
            expected: "classes, to be judged",
            got: "numbers".to_owned(),
        });
    }
    let parts = hold_out(learner, parameters, training, search)?;
    let mut rows = parts.iter().flat_map(|part| &part.rows);
    if !rows.any(|&i| data.weight(i) > 0.0) {
        return Err(Error::Setting {
            name: "folds",
            expected: "held-out rows that have weight",
            got: "none".to_owned(),
        });
    }
    Ok(Judgement::of(
        parts.len(),
        &scores(&parts, learner.loss, data)?,
    ))
}

/// The scores of all rows that some of the models has not seen.
fn scores(parts: &[HeldOut], loss: Loss, data: &Dataset) -> Result<ClassScores> {
    let rows = || parts.iter().flat_map(|part| part.rows.iter().copied());
    let target: Vec<f64> = rows().map(|i| data.target()[i]).collect();
    let weights: Vec<f64> = rows().map(|i| data.weight(i)).collect();
    if loss == Loss::Logistic {
        let mut values = Vec::new();
        for part in parts {
            let found = part.model.predict_proba(&part.features)?;
            values.extend(found.rows().flatten());
        }
        let found = Probabilities::new(data.classes().len(), values)?;
        return Ok(ClassScores::of(&target, &found, Some(&weights)));
    }
    let (mut decided, mut scores) = (Vec::new(), Vec::new());
    for part in parts {
        decided.extend(part.model.decide(&part.features)?);
        scores.extend(part.model.class_scores(&part.features)?);
    }
    let scores = (data.classes().len() == 2).then_some(&scores[..]);
    Ok(ClassScores::of_decisions(
        &target,
        &decided,
        scores,
        Some(&weights),
    ))
}
