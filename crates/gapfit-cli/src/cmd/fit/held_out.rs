//! How a model does on rows that models like it have not seen.

use gapfit::data::Dataset;
use gapfit::tune::{self, HeldOut, Search};
use gapfit::{Fitted, Learner, conformal};
use gapfit_figures::{Predicted, Scores};

use crate::talk::Talk;

/// The same fit with scores of held-out rows and, of numbers, a calibration from them; neither, and a
/// warning, where rows are too few to be parted into folds. Models learn from the first table and are
/// judged on the second, which has the same rows.
pub(super) fn judged(
    fitted: Fitted,
    learner: &Learner,
    (training, data): (&Dataset, &Dataset),
    search: &Search,
    talk: &Talk,
) -> gapfit::Result<(Fitted, Option<Scores>)> {
    let parameters = fitted.model.parameters();
    let judged = match data.classes() {
        [] => conformal::calibrate(learner, parameters, training, search).map(|calibration| {
            let scores = Scores::of_numbers(calibration.scores());
            (Some(calibration), scores)
        }),
        _ => tune::hold_out(learner, parameters, training, search)
            .and_then(|parts| of_classes(&parts, data))
            .map(|scores| (None, scores)),
    };
    match judged {
        Ok((calibration, scores)) => {
            let model = match calibration {
                Some(calibration) => fitted.model.with_calibration(calibration),
                None => fitted.model,
            };
            Ok((Fitted { model, ..fitted }, Some(scores)))
        }
        Err(error @ gapfit::Error::Setting { name: "folds", .. }) => {
            let lacks = match data.classes() {
                [] => "the model has no calibration, so no intervals",
                _ => "nothing is held out, so there are no scores",
            };
            talk.warn(format_args!("{lacks}: --{error}"));
            Ok((fitted, None))
        }
        Err(error) => Err(error),
    }
}

/// The scores of all rows that some of these models has not seen.
fn of_classes(parts: &[HeldOut], data: &Dataset) -> gapfit::Result<Scores> {
    let said = parts
        .iter()
        .map(|part| Predicted::of(&part.model, &part.features));
    let said = said.collect::<gapfit::Result<Vec<_>>>()?;
    let rows: Vec<usize> = parts.iter().flat_map(|part| part.rows.clone()).collect();
    Ok(Predicted::joined(said).scores(data, &rows))
}
