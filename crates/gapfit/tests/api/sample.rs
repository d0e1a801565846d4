//! Made-up tables with holes, and every way to learn from them.

use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::prepare::{Intercept, Preparation, Scale};
use gapfit::{Learner, Method, Parameters};
use rand::RngExt;
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
use rand_distr::StandardNormal;

pub(crate) const SCALES: [Scale; 3] = [Scale::None, Scale::MinMax, Scale::Standard];
pub(crate) const INTERCEPTS: [Intercept; 3] =
    [Intercept::Free, Intercept::Penalised, Intercept::None];

/// Parameters under which every part of the penalty matters.
pub(crate) const PARAMETERS: Parameters = Parameters {
    alpha: 0.05,
    gamma: 0.7,
};

pub(crate) fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

pub(crate) fn normal(rng: &mut ChaCha8Rng) -> f64 {
    rng.sample(StandardNormal)
}

/// Correlated columns of different means and spreads with this share of holes (none in column 0 of
/// two or more), and a target that depends on the values, on the holes, and on chance.
pub(crate) fn holey(n_rows: usize, n_cols: usize, rate: f64, seed: u64) -> Dataset {
    let rng = &mut rng(seed);
    let mut table = MaskedMatrix::new(n_cols);
    let mut target = Vec::with_capacity(n_rows);
    for _ in 0..n_rows {
        let common = normal(rng);
        let mut y = 5.0 + 0.3 * normal(rng);
        let row: Vec<_> = (0..n_cols)
            .map(|j| {
                let x = 0.6 * common + normal(rng);
                let slope = 1.0 / (1.0 + j as f64);
                let complete = j == 0 && n_cols > 1;
                let is_observed = complete || rng.random::<f64>() >= rate;
                y += slope * x + if is_observed { 0.0 } else { 0.4 * slope };
                is_observed.then_some(2.0 - 0.5 * j as f64 + x * (1.0 + 0.25 * j as f64))
            })
            .collect();
        table.push_row(row).expect("finite cells");
        target.push(y);
    }
    Dataset::new(table, target).expect("one finite target per row")
}

/// The same table with classes `c0`, `c1`, ... of equal size by the target, blurred by chance.
pub(crate) fn classed(
    n_rows: usize,
    n_cols: usize,
    rate: f64,
    n_classes: usize,
    seed: u64,
) -> Dataset {
    let data = holey(n_rows, n_cols, rate, seed);
    let rng = &mut rng(seed + 1000);
    let blurred: Vec<f64> = data
        .target()
        .iter()
        .map(|y| y + 0.5 * normal(rng))
        .collect();
    let mut order: Vec<usize> = (0..n_rows).collect();
    order.sort_by(|&a, &b| blurred[a].total_cmp(&blurred[b]));
    let mut target = vec![0.0; n_rows];
    for (rank, &row) in order.iter().enumerate() {
        target[row] = (rank * n_classes / n_rows) as f64;
    }
    let classes = (0..n_classes).map(|j| format!("c{j}")).collect();
    let data = Dataset::new(data.features().clone(), target).expect("finite targets");
    data.with_classes(classes).expect("numbers of classes")
}

/// The same rows with uneven weights.
pub(crate) fn weighted(data: Dataset, seed: u64) -> Dataset {
    let rng = &mut rng(seed);
    let weights = (0..data.n_rows()).map(|_| 0.25 + 2.0 * rng.random::<f64>());
    let weights = weights.collect();
    data.with_weights(weights).expect("positive weights")
}

pub(crate) fn with_target(data: &Dataset, change: impl Fn(f64) -> f64) -> Dataset {
    let target = data.target().iter().map(|&y| change(y)).collect();
    let changed = Dataset::new(data.features().clone(), target).expect("finite targets");
    match data.weights() {
        Some(weights) => changed.with_weights(weights.to_vec()).expect("as before"),
        None => changed,
    }
}

/// The same table with column `j` changed cell by cell.
pub(crate) fn with_column(
    table: &MaskedMatrix,
    j: usize,
    change: impl Fn(f64) -> f64,
) -> MaskedMatrix {
    let mut changed = MaskedMatrix::new(table.n_cols());
    for row in table.rows() {
        let cell = |k: usize| row.get(k).map(|x| if k == j { change(x) } else { x });
        changed
            .push_row((0..table.n_cols()).map(cell))
            .expect("finite cells");
    }
    changed
}

/// Every method with every scale, intercept and with and without clipping, solved closely.
pub(crate) fn learners() -> Vec<Learner> {
    let mut learners = Vec::new();
    for method in Method::ALL {
        for scale in SCALES {
            for intercept in INTERCEPTS {
                for clip in [0.0, 0.05] {
                    learners.push(learner(method, scale, intercept, clip));
                }
            }
        }
    }
    learners
}

pub(crate) fn learner(method: Method, scale: Scale, intercept: Intercept, clip: f64) -> Learner {
    Learner {
        preparation: Preparation {
            scale,
            clip,
            intercept,
        },
        tol: 1e-12,
        ..Learner::new(method)
    }
}

/// Columns as they are, no clipping.
pub(crate) fn raw(method: Method, intercept: Intercept) -> Learner {
    learner(method, Scale::None, intercept, 0.0)
}

pub(crate) fn predictions(learner: &Learner, data: &Dataset, table: &MaskedMatrix) -> Vec<f64> {
    let fitted = learner.fit(data, PARAMETERS).expect("legal input");
    fitted.model.predict(table).expect("same columns")
}

/// Fails unless the numbers agree, relative to the largest of them.
#[track_caller]
pub(crate) fn assert_close(got: &[f64], want: &[f64], tol: f64, about: &Learner) {
    assert_eq!(got.len(), want.len());
    let size = want.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        let off = (g - w).abs();
        assert!(off <= tol * size, "{i}: {g} is not {w} with {about:?}");
    }
}

/// Bit patterns, to compare numbers exactly.
pub(crate) fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}
