//! How much the relaxation loses: the problem before it, by alternating turns, beside the relaxed optimum.

use super::super::{Draw, Finding, Tuning};
use super::small::{fit, table};
use crate::Result;
use crate::experiment::Small;
use gapfit::rival::Solver;

pub(in crate::trial) fn run(cell: &Small, draw: Draw) -> Result<Finding> {
    let data = table(cell, draw.seed)?;
    let exact = fit(cell, &data, Solver::Exact)?.outcome;
    let before = fit(cell, &data, Solver::Alternating)?.outcome;
    let mut finding = Finding::default();
    for (name, value) in [
        ("relaxed optimum", exact.objective),
        ("before the relaxation", before.objective),
        ("gap", 1.0 - exact.lower_bound / before.objective),
    ] {
        finding.push(None, name, Tuning::None, value);
    }
    Ok(finding)
}
