//! How a model does on rows that models like it have not seen.

use gapfit::data::Dataset;
use gapfit::tune::{self, HeldOut, Search};
use gapfit::{Fitted, conformal};
use gapfit_figures::{Predicted, Scores};

use super::plan::Plan;
use crate::talk::Talk;

/// The same fit with scores of held-out rows for each target and, of numbers, a calibration from them; neither, and
/// a warning, where rows are too few to be parted into folds. Models learn from the first table and are
/// judged on the second, which has the same rows.
pub(super) fn judged(
    fitted: Fitted,
    plan: &Plan,
    (training, data): (&Dataset, &Dataset),
    search: &Search,
    talk: &Talk,
) -> gapfit::Result<(Fitted, Vec<Scores>)> {
    let (learner, parameters) = (&plan.learner, plan.parameters());
    let judged = match data.classes() {
        [] => conformal::calibrate_each(learner, &parameters, training, search).map(|each| {
            let scores = each
                .iter()
                .map(|c| Scores::of_numbers(c.scores()))
                .collect();
            (Some(each), scores)
        }),
        _ => tune::hold_out(learner, parameters[0], training, search)
            .and_then(|parts| of_classes(&parts, data))
            .map(|scores| (None, vec![scores])),
    };
    match judged {
        Ok((calibrations, scores)) => {
            let model = match calibrations {
                Some(calibrations) => fitted.model.with_calibrations(calibrations)?,
                None => fitted.model,
            };
            Ok((Fitted { model, ..fitted }, scores))
        }
        Err(error @ gapfit::Error::Setting { name: "folds", .. }) => {
            let lacks = match data.classes() {
                [] => "the model has no calibration, so no intervals",
                _ => "nothing is held out, so there are no scores",
            };
            talk.warn(format_args!("{lacks}: --{error}"));
            Ok((fitted, Vec::new()))
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
