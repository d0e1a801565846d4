//! The card of a model of `gapfit stream`.

use anyhow::Result;
use gapfit::data::MaskedMatrix;
use gapfit::online::{Learn, StreamLearner};
use serde::Serialize;

use super::text::Page;
use crate::cmd::stream::{Line, Progress};
use crate::text_table::{TextTable, short};

/// What there is to know of a model of `gapfit stream`.
#[derive(Debug, Serialize)]
pub(super) struct StreamCard {
    kind: &'static str,
    /// How it learns: auto, coin, adagrad or descent.
    rule: &'static str,
    target: String,
    loss: String,
    /// Rows learnt from.
    n_rows: u64,
    /// Rows of which something had to be cut.
    clipped: u64,
    /// Scores of predictions that were made before the target was looked at.
    progressive: Line,
    /// The experts that auto combines, the heaviest first; empty for the others.
    experts: Vec<Expert>,
    /// The prediction for a typical row: average in every feature, or zero where no averages are kept.
    typical_prediction: f64,
    /// The strongest first.
    features: Vec<Feature>,
}

/// An expert and its share in the next prediction.
#[derive(Debug, Serialize)]
struct Expert {
    name: String,
    share: f64,
}

/// One feature of the learner.
#[derive(Debug, Serialize)]
struct Feature {
    name: String,
    /// Its mean and standard deviation; absent where the learner keeps none.
    mean: Option<f64>,
    unit: Option<f64>,
    /// How the prediction for a typical row changes with a step of one standard deviation, or of one.
    strength: f64,
    /// How it changes when the feature is missing.
    effect_of_missing: f64,
}

impl StreamCard {
    pub(super) fn new(learner: &StreamLearner, progress: &Progress) -> Result<Self> {
        let shares = learner.auto().map(|auto| auto.shares()).unwrap_or_default();
        let expert = |(name, share)| Expert { name, share };
        let mut experts: Vec<Expert> = shares.into_iter().map(expert).collect();
        experts.sort_by(|a, b| b.share.total_cmp(&a.share));
        let (typical_prediction, features) = features(learner)?;
        Ok(Self {
            kind: "stream",
            rule: learner.rule_name(),
            target: progress.target.clone(),
            loss: learner.loss().to_string(),
            n_rows: learner.rows(),
            clipped: learner.clipped(),
            progressive: progress.line(learner.loss()),
            experts,
            typical_prediction,
            features,
        })
    }

    /// The card for people, with tables of at most `top` lines.
    pub(super) fn page(&self, top: usize, markdown: bool) -> String {
        let title = format!("gapfit stream for {:?}", self.target);
        let mut page = Page::new(&title, markdown);
        page.heading("Training");
        let rows = format!(
            "{} learnt from, something cut in {} of them",
            self.n_rows, self.clipped
        );
        page.line("rows", &rows);
        page.line("rule", &format!("{}, loss {}", self.rule, self.loss));
        page.line("progressive", &self.progressive.sentence());
        if !self.experts.is_empty() {
            page.heading("Experts, by their share in the next prediction");
            let mut table = TextTable::new(["expert", "share"]);
            for Expert { name, share } in self.experts.iter().take(top) {
                table.push([name.clone(), format!("{share:.3}")]);
            }
            page.table(&table);
        }
        page.heading("Features");
        let mut table = TextTable::new(["feature", "mean", "per unit", "when missing"]);
        for feature in self.features.iter().take(top) {
            table.push([
                feature.name.clone(),
                feature.mean.map_or("-".to_owned(), short),
                short(feature.strength),
                short(feature.effect_of_missing),
            ]);
        }
        page.table(&table);
        page.text
    }
}

/// The prediction for a typical row, and what each feature does to it.
fn features(learner: &StreamLearner) -> Result<(f64, Vec<Feature>)> {
    let n = learner.feature_names().len();
    let units: Vec<Option<(f64, f64)>> = (0..n).map(|j| learner.running_unit(j)).collect();
    let typical = |j: usize| units[j].map_or(0.0, |(mean, _)| mean);
    // the typical row, then with each feature a step larger, then with each missing
    let mut rows = MaskedMatrix::new(n);
    rows.push_row((0..n).map(|j| Some(typical(j))))?;
    for (k, running) in units.iter().enumerate() {
        let step = running.map_or(1.0, |(_, unit)| unit);
        let cell = |j: usize| typical(j) + if j == k { step } else { 0.0 };
        rows.push_row((0..n).map(|j| Some(cell(j))))?;
    }
    for k in 0..n {
        rows.push_row((0..n).map(|j| (j != k).then(|| typical(j))))?;
    }
    let predictions = rows.rows().map(|row| learner.predict(row));
    let predictions = predictions.collect::<gapfit::Result<Vec<f64>>>()?;
    let feature = |j: usize| Feature {
        name: learner.feature_names()[j].clone(),
        mean: units[j].map(|(mean, _)| mean),
        unit: units[j].map(|(_, unit)| unit),
        strength: predictions[1 + j] - predictions[0],
        effect_of_missing: predictions[1 + n + j] - predictions[0],
    };
    let mut features: Vec<Feature> = (0..n).map(feature).collect();
    features.sort_by(|a, b| b.strength.abs().total_cmp(&a.strength.abs()));
    Ok((predictions[0], features))
}
