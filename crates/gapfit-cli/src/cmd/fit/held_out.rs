//! How a model does on rows that models like it have not seen.

use gapfit::data::Dataset;
use gapfit::model::Judgement;
use gapfit::tune::{self, Search};
use gapfit::{Calibration, Fitted, conformal};
use gapfit_figures::Scores;

use super::plan::Plan;
use crate::talk::Talk;

/// The same fit with scores of held-out rows for each target, which the model keeps, and of numbers a calibration from
/// them; neither, and a warning, where rows are too few to be parted into folds. Models learn from the first table and are
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
            let scores = each.iter().map(|c| Scores::of_numbers(c.scores()));
            (scores.collect(), Judged::Numbers(each))
        }),
        _ => tune::judge(learner, parameters[0], (training, data), search).map(|judgement| {
            let scores = Scores::of_judgement(judgement);
            (vec![scores], Judged::Classes(judgement))
        }),
    };
    match judged {
        Ok((scores, judged)) => {
            let model = match judged {
                Judged::Numbers(calibrations) => fitted.model.with_calibrations(calibrations)?,
                Judged::Classes(judgement) => fitted.model.with_judgement(judgement)?,
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

/// What a model keeps of it.
enum Judged {
    Numbers(Vec<Calibration>),
    Classes(Judgement),
}
