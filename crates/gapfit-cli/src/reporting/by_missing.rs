//! The error of each method by the number of columns that are missing in a row.

use std::collections::BTreeMap;

use gapfit::data::Dataset;
use gapfit_report::{ByMissing, MissingGroup};

use super::trial::rmse;
use super::{Contender, schema};

/// Rows, and what a contender predicts for them.
#[derive(Clone, Default)]
struct Predicted {
    rows: Vec<usize>,
    predictions: Vec<f64>,
}

/// The errors of `contenders`, of whom `told` is spoken; rows count as missing what they lack in
/// `holey`, also for a contender who has seen it.
pub(crate) fn by_missing(holey: &Dataset, contenders: &[Contender<'_>], told: usize) -> ByMissing {
    let schema = schema(holey);
    let mut groups: BTreeMap<usize, Vec<Predicted>> = BTreeMap::new();
    for (c, contender) in contenders.iter().enumerate() {
        for held_out in contender.trials.iter().map(|trial| &trial.held_out) {
            for (&row, &prediction) in held_out.rows.iter().zip(&held_out.predictions) {
                let missing = schema.n_missing(holey.features().row(row));
                let parts = groups.entry(missing).or_default();
                parts.resize(contenders.len(), Predicted::default());
                parts[c].rows.push(row);
                parts[c].predictions.push(prediction);
            }
        }
    }
    let error = |part: &Predicted| rmse(holey, &part.rows, &part.predictions);
    let group = |(&missing, parts): (&usize, &Vec<Predicted>)| MissingGroup {
        missing,
        rows: parts[0].rows.len(),
        rmse: parts.iter().map(error).collect(),
    };
    ByMissing {
        methods: contenders.iter().map(|c| c.name.to_owned()).collect(),
        told,
        groups: groups.iter().map(group).collect(),
    }
}
