//! The error of each method by the number of columns that are missing in a row.

use std::collections::BTreeMap;

use gapfit::data::Dataset;
use gapfit_report::{ByMissing, MissingGroup};

use super::trial::rmse;
use super::{Contender, schema};

/// The errors of `contenders`, of whom `told` is spoken; rows count as missing what they lack in `holey`, also for a contender
/// who has seen it.
pub(crate) fn by_missing(holey: &Dataset, contenders: &[Contender<'_>], told: usize) -> ByMissing {
    let schema = schema(holey);
    let mut groups: BTreeMap<usize, Vec<(Vec<usize>, Vec<f64>)>> = BTreeMap::new();
    for (c, contender) in contenders.iter().enumerate() {
        for trial in contender.trials {
            let held_out = &trial.held_out;
            for (&row, &prediction) in held_out.rows.iter().zip(&held_out.predictions) {
                let missing = schema.n_missing(holey.features().row(row));
                let parts = groups.entry(missing).or_default();
                parts.resize(contenders.len(), (Vec::new(), Vec::new()));
                parts[c].0.push(row);
                parts[c].1.push(prediction);
            }
        }
    }
    let group = |(missing, parts): (usize, Vec<(Vec<usize>, Vec<f64>)>)| MissingGroup {
        missing,
        rows: parts[0].0.len(),
        rmse: parts
            .iter()
            .map(|(rows, predictions)| rmse(holey, rows, predictions))
            .collect(),
    };
    ByMissing {
        methods: contenders.iter().map(|c| c.name.to_owned()).collect(),
        told,
        groups: groups.into_iter().map(group).collect(),
    }
}
