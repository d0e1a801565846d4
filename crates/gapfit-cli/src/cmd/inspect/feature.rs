//! What a feature does when it is there, and what happens when it is not.

use anyhow::Result;
use gapfit::Model;
use gapfit::data::MaskedMatrix;
use serde::Serialize;

/// Weights of other features that change when one is missing: this many are told.
const TOLD: usize = 3;

/// One feature of a model.
#[derive(Debug, Serialize)]
pub(super) struct Feature {
    pub(super) name: String,
    /// Whether any training cell was observed; if not, it plays no part.
    pub(super) observed: bool,
    /// The share of the training rows in which it is missing.
    pub(super) missing: f64,
    /// The mean of its observed cells.
    pub(super) mean: f64,
    /// Its weight in a complete row, in the units of the table.
    pub(super) weight: f64,
    /// What a step of one scale unit does to the prediction.
    pub(super) strength: f64,
    /// What stands in for it in a row that is average otherwise; absent if it was never observed.
    pub(super) filled: Option<f64>,
    /// How the prediction for an average row changes when it is missing, with all of its column.
    pub(super) effect_of_missing: f64,
    /// The weights that change most when it is missing, by their scale units.
    pub(super) shifts: Vec<Shift>,
}

/// How the weight of a feature changes when another is missing.
#[derive(Debug, Serialize)]
pub(super) struct Shift {
    pub(super) feature: String,
    pub(super) weight: f64,
}

/// What a model, or its score of one class, is made of.
#[derive(Debug, Serialize)]
pub(super) struct Part {
    /// The prediction for a row that is average in every feature.
    pub(super) average_prediction: f64,
    /// The constant term in the units of the table.
    pub(super) constant: f64,
    /// The strongest first.
    pub(super) features: Vec<Feature>,
}

impl Part {
    /// The parts of a model: one, or one for each of more than two classes.
    pub(super) fn all(model: &Model) -> Result<Vec<Self>> {
        let n = model.feature_names().len();
        // the average row, complete and with each column missing in turn
        let mut rows = MaskedMatrix::new(n);
        for hidden in std::iter::once(None).chain((0..n).map(Some)) {
            let hidden = hidden.map_or(0..0, |j| model.group(j));
            let cell = |j: usize| (!hidden.contains(&j)).then(|| model.seen(j).mean);
            rows.push_row((0..n).map(cell))?;
        }
        let n_parts = match model.classes().len() {
            0..=2 => 1,
            n => n,
        };
        let (scores, filled) = (model.class_scores(&rows)?, model.impute(&rows)?);
        let part = |class: usize| {
            let scores = scores.iter().skip(class).step_by(n_parts).copied();
            Self::new(model, class, &scores.collect::<Vec<f64>>(), &filled)
        };
        Ok((0..n_parts).map(part).collect())
    }

    /// That of one class: `scores` are those of the average row, then with each column missing, and
    /// `filled` is what stands in for the columns.
    fn new(model: &Model, class: usize, scores: &[f64], filled: &MaskedMatrix) -> Self {
        let n = model.feature_names().len();
        let (constant, weights) = model.class_weights(class);
        let feature = |j: usize| Feature {
            name: model.feature_names()[j].clone(),
            observed: model.was_observed(j),
            missing: model.seen(j).missing,
            mean: model.seen(j).mean,
            weight: weights[j],
            strength: weights[j] * model.unit(j),
            filled: filled.get(j + 1, j),
            effect_of_missing: scores[j + 1] - scores[0],
            shifts: shifts(model, class, j),
        };
        let mut features: Vec<Feature> = (0..n).map(feature).collect();
        features.sort_by(|a, b| b.strength.abs().total_cmp(&a.strength.abs()));
        Self {
            average_prediction: scores[0],
            constant,
            features,
        }
    }
}

/// The largest changes of the weights of a class when feature `j` is missing.
fn shifts(model: &Model, class: usize, j: usize) -> Vec<Shift> {
    let Some((_, weights)) = model.class_shift(class, j) else {
        return Vec::new();
    };
    let size = |l: usize| (weights[l] * model.unit(l)).abs();
    let others = (0..weights.len()).filter(|&l| l != j && size(l) > 0.0);
    let mut others: Vec<usize> = others.collect();
    others.sort_by(|&a, &b| size(b).total_cmp(&size(a)));
    others.truncate(TOLD);
    let shift = |l: usize| Shift {
        feature: model.feature_names()[l].clone(),
        weight: weights[l],
    };
    others.into_iter().map(shift).collect()
}
