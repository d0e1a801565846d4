//! The paper's semidefinite program and its cutting planes beside the exact solver: one optimum.

use super::super::{Draw, Finding, Tuning};
use super::small::{fit, table};
use crate::Result;
use crate::experiment::Small;
use gapfit::rival::Solver;

pub(in crate::trial) fn run(cell: &Small, draw: Draw) -> Result<Finding> {
    let data = table(cell, draw.seed)?;
    let exact = fit(cell, &data, Solver::Exact)?.outcome;
    let planes = fit(cell, &data, Solver::Silp)?.outcome;
    let off = |objective: f64| objective / exact.objective - 1.0;
    let mut finding = Finding::default();
    for (name, value) in [
        ("exact", exact.objective),
        ("cutting planes, upper bound - 1", off(planes.objective)),
        ("cutting planes, lower bound - 1", off(planes.lower_bound)),
        #[cfg(feature = "sdp")]
        (
            "semidefinite program - 1",
            off(fit(cell, &data, Solver::Sdp)?.outcome.objective),
        ),
    ] {
        finding.push(None, name, Tuning::None, value);
    }
    Ok(finding)
}
