//! The error of each method by the number of columns that are missing in a row.

use std::collections::BTreeMap;

use gapfit::data::Dataset;
use gapfit_report::{ByMissing, MissingGroup};

use crate::{Contender, schema};

/// The errors of `contenders`, of whom `told` is spoken; rows count as missing what they lack in
/// `holey`, also for a contender who has seen it.
pub fn by_missing(holey: &Dataset, contenders: &[Contender<'_>], told: usize) -> ByMissing {
    let mut groups: BTreeMap<usize, MissingGroup> = BTreeMap::new();
    for (c, contender) in contenders.iter().enumerate() {
        let (rows, predicted) = contender.held_out();
        for (missing, places) in places_by_missing(holey, &rows) {
            let part: Vec<usize> = places.iter().map(|&k| rows[k]).collect();
            let scores = predicted.select(&places).scores(holey, &part);
            let group = groups.entry(missing).or_insert_with(|| MissingGroup {
                missing,
                rows: part.len(),
                errors: vec![f64::NAN; contenders.len()],
            });
            group.errors[c] = contender.error().among(&scores);
        }
    }
    ByMissing {
        error: contenders[told].error().name().to_owned(),
        methods: contenders.iter().map(|c| c.name.to_owned()).collect(),
        told,
        groups: groups.into_values().collect(),
    }
}

/// Where those of `rows` stand that lack equally many columns.
pub(super) fn places_by_missing(holey: &Dataset, rows: &[usize]) -> BTreeMap<usize, Vec<usize>> {
    let schema = schema(holey);
    let mut places: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (k, &row) in rows.iter().enumerate() {
        let missing = schema.n_missing(holey.features().row(row));
        places.entry(missing).or_default().push(k);
    }
    places
}
