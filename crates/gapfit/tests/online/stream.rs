//! Made-up streams, and every way to learn from them.

use gapfit::data::MaskedMatrix;
use gapfit::loss::Loss;
use gapfit::online::{
    Feasible, Fill, Learn, MaskFeatures, Mirror, MirrorDescent, OnlineLearner, Step, Support,
};
use rand::RngExt;
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

pub(crate) const PSIS: [MaskFeatures; 6] = [
    MaskFeatures::Constant,
    MaskFeatures::Identity,
    MaskFeatures::Affine,
    MaskFeatures::Subsets(1),
    MaskFeatures::Subsets(2),
    MaskFeatures::Pattern(9),
];

/// A stream: rows with holes, targets, row weights.
pub(crate) struct Stream {
    pub(crate) table: MaskedMatrix,
    pub(crate) targets: Vec<f64>,
    pub(crate) weights: Vec<f64>,
}

/// Values and targets within [-1, 1], this share of holes, now and then a complete row or an empty one.
/// Targets depend on values and holes; for a classification loss they are their signs.
pub(crate) fn stream(n: usize, d: usize, rate: f64, loss: Loss, seed: u64) -> Stream {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut stream = Stream {
        table: MaskedMatrix::new(d),
        targets: Vec::new(),
        weights: Vec::new(),
    };
    for _ in 0..n {
        let rate = match rng.random_range(0..10) {
            0 => 0.0,
            1 => 1.0,
            _ => rate,
        };
        let mut y = 0.1 * (2.0 * rng.random::<f64>() - 1.0);
        let row: Vec<_> = (0..d)
            .map(|j| {
                let x = 2.0 * rng.random::<f64>() - 1.0;
                let is_observed = rng.random::<f64>() >= rate;
                y += (x + f64::from(u8::from(is_observed)) - 0.5) / (j as f64 + 2.0);
                is_observed.then_some(x)
            })
            .collect();
        stream.table.push_row(row).unwrap();
        let y = y.clamp(-1.0, 1.0);
        let class = if y < 0.0 { -1.0 } else { 1.0 };
        let is_class = loss.is_classification();
        stream.targets.push(if is_class { class } else { y });
        stream.weights.push(0.5 + rng.random::<f64>());
    }
    stream
}

pub(crate) fn feed(learner: &mut impl Learn, stream: &Stream, rows: std::ops::Range<usize>) -> f64 {
    let mut sum = 0.0;
    for i in rows {
        let row = stream.table.row(i);
        let learnt = learner.learn(row, stream.targets[i], stream.weights[i]);
        sum += stream.weights[i] * learnt.unwrap().loss;
    }
    sum
}

/// A support over `d` features that leaves out many pairs.
pub(crate) fn path(d: usize) -> Support {
    Support::grid(1, d)
}

/// The regularisers that suit this ψ.
pub(crate) fn mirrors(psi: MaskFeatures, d: usize) -> Vec<Mirror> {
    let sparse = |row_penalty, support| Mirror::Sparse {
        row_penalty,
        support,
    };
    let mut mirrors = vec![Mirror::Frob, sparse(0.7, Support::full())];
    if !matches!(psi, MaskFeatures::Constant | MaskFeatures::Pattern(_)) {
        mirrors.push(sparse(0.7, path(d)));
        mirrors.push(sparse(0.0, path(d)));
    }
    mirrors
}

/// Every combination of ψ, regulariser and feasible set, with losses and fills in turn.
pub(crate) fn every_setting(d: usize) -> Vec<MirrorDescent> {
    let mut settings = Vec::new();
    for psi in PSIS {
        for mirror in mirrors(psi, d) {
            for set in [
                Feasible::Everything,
                Feasible::Ball(0.4),
                Feasible::FrobeniusBall(0.3),
            ] {
                settings.push(MirrorDescent {
                    psi,
                    loss: Loss::ALL[settings.len() % Loss::ALL.len()],
                    mirror: mirror.clone(),
                    set,
                    step: Step::Constant { eta: 0.01 },
                    fill: Fill::Zero,
                });
            }
        }
    }
    settings
}

/// Every entry of A.
pub(crate) fn entries(learner: &OnlineLearner) -> Vec<f64> {
    let a = learner.weights();
    (0..a.n_columns())
        .flat_map(|j| a.column(j).to_vec())
        .collect()
}
