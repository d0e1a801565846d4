//! Theorem 1 and Proposition 1: regret on streams where only the mask tells tasks apart.
//!
//! Every target is a fair coin, so what a class can tell apart it will regret. Regret is suffered loss less a
//! certified lower bound on that of the best matrix of the class, over √T.

use super::super::{Draw, Finding, Tuning};
use crate::Result;
use crate::experiment::Regret as Cell;
use gapfit::loss::Loss;
use gapfit::online::{
    Adversary, Feasible, Learn, MaskFeatures, MirrorDescent, Regret, RegretMeter, Step,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;

/// Features; half of them vary in being observed.
const FEATURES: usize = 16;

/// Relative gap of the best matrix in hindsight.
const GAP: f64 = 1e-3;

/// The classes by name; the last is that of all functions of the mask.
const CLASSES: [(&str, MaskFeatures); 4] = [
    ("constant", MaskFeatures::Constant),
    ("affine", MaskFeatures::Affine),
    ("identity", MaskFeatures::Identity),
    ("every mask", MaskFeatures::Pattern(256)),
];

/// The affine class at one length of stream, beside the bound.
pub(in crate::trial) fn by_rounds(cell: &Cell, draw: Draw) -> Result<Finding> {
    let root = (cell.rounds as f64).sqrt();
    let regret = measure(MaskFeatures::Affine, cell, draw.seed)?;
    let mut finding = Finding::default();
    let x = Some(cell.rounds as f64);
    for (name, value) in [("measured", regret.regret.upper), ("3RG", regret.bound)] {
        finding.push(x, name, Tuning::None, value / root);
    }
    Ok(finding)
}

/// Every class at one number of masks, beside what no learner can avoid.
pub(in crate::trial) fn by_masks(cell: &Cell, draw: Draw) -> Result<Finding> {
    let root = (cell.rounds as f64).sqrt();
    let mut finding = Finding::default();
    let x = Some(cell.tasks as f64);
    for (name, psi) in CLASSES {
        let regret = measure(psi, cell, draw.seed)?;
        finding.push(x, name, Tuning::None, regret.regret.upper / root);
    }
    let adversary = Adversary::new(FEATURES, cell.tasks, ChaCha8Rng::seed_from_u64(0))?;
    let forced = adversary.expected_regret(cell.rounds) / root;
    finding.push(x, "forced on every mask", Tuning::None, forced);
    Ok(finding)
}

/// The regret of a learner with the steps of Theorem 1, against its own class.
fn measure(psi: MaskFeatures, cell: &Cell, seed: u64) -> Result<Regret> {
    // All functions of K masks with weights of at most 1 each are matrices of at most √K.
    let radius = match psi {
        MaskFeatures::Pattern(_) => (cell.tasks as f64).sqrt(),
        _ => 1.0,
    };
    let settings = MirrorDescent {
        psi,
        loss: Loss::Hinge,
        set: Feasible::Ball(radius),
        step: Step::Anytime {
            radius,
            gradient: None,
        },
        ..MirrorDescent::default()
    };
    let mut learner = settings.start(FEATURES)?;
    let mut meter = RegretMeter::new(&settings, radius, FEATURES)?;
    let mut adversary = Adversary::new(FEATURES, cell.tasks, ChaCha8Rng::seed_from_u64(seed))?;
    for _ in 0..cell.rounds {
        let (row, y) = adversary.next().expect("the adversary never ends");
        let learnt = learner.learn(row.as_row(), y, 1.0)?;
        meter.add(row.as_row(), y, 1.0, learnt.loss)?;
    }
    Ok(meter.measure(GAP, |_| ControlFlow::Continue(()))?)
}
