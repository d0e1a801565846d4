//! Table 1: sizes, and the share of the cells that is left after corruption.

use super::{Draw, Finding, Tuning, draw};
use crate::Result;
use crate::experiment::Drawn;
use gapfit::data::Dataset;

pub(super) fn run(cell: &Drawn, table: &Dataset, draw: Draw) -> Result<Finding> {
    let rows = draw::rows(cell, table, draw)?.holey;
    let mut finding = Finding::default();
    let n_rows = rows.train.n_rows() + rows.test.n_rows();
    let fraction = rows.train.features().observed_fraction();
    for (what, value) in [
        ("m", n_rows as f64),
        ("d", table.n_features() as f64),
        ("F", fraction),
    ] {
        finding.push(None, what, Tuning::None, value);
    }
    Ok(finding)
}
