use super::*;
use crate::data::{Dataset, MaskedMatrix};
use crate::features::Layout;
use crate::features::Units;
use crate::joint::intercept;
use crate::joint::solver::{self, Task};
use crate::learn::Learner;
use crate::loss::Loss;
use crate::moments::Reading;
use crate::moments::Rows;
use crate::moments::Unit;
use crate::prepare::Intercept;
use crate::prepare::{Means, Prepared, Sample as Learnt};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const LINKS: [Link; 8] = [
    Link::One(Loss::Squared),
    Link::One(Loss::Huber(0.3)),
    Link::One(Loss::SquaredHinge),
    Link::One(Loss::Logistic),
    Link::OneVsRest(Loss::SquaredHinge),
    Link::OneVsRest(Loss::Logistic),
    Link::Softmax,
    Link::One(Loss::Huber(3.0)),
];

const INTERCEPTS: [Intercept; 3] = [Intercept::Free, Intercept::Penalised, Intercept::None];

fn n_outputs(link: Link) -> usize {
    if matches!(link, Link::One(_)) { 1 } else { 3 }
}

/// Rows with holes and weights; targets are 0, 1 (and 2 for links of three classes).
fn sample(link: Link, intercept: Intercept, is_dense: bool) -> (Sample, Blocks) {
    let rng = &mut ChaCha8Rng::seed_from_u64(3);
    let n_classes = n_outputs(link).max(2);
    let mut table = MaskedMatrix::new(3);
    let mut target = Vec::new();
    for _ in 0..60 {
        let class = rng.random_range(0..n_classes);
        let row = (0..3).map(|j| {
            let x = rng.random_range(-1.0..1.0) + if j == class { 0.7 } else { 0.0 };
            (rng.random::<f64>() > 0.3).then_some(x)
        });
        table.push_row(row.collect::<Vec<_>>()).unwrap();
        target.push(class as f64);
    }
    let weights = (0..60).map(|i| f64::from(1 + i % 3)).collect();
    let data = Dataset::new(table, target).unwrap();
    let data = data.with_weights(weights).unwrap();
    let learner = Learner::default();
    let rows = Rows::new(&data, None);
    let reading = Reading::new(&rows, 0.0).unwrap();
    let means = Means::of(&reading.source, 3);
    let learnt = Learnt {
        reading: &reading,
        means: &means,
    };
    let (prepared, _) = Prepared::fit(&learner.preparation, learner.method.base(), &learnt);
    let layout = Layout::new(learner.method.lift(), intercept, &prepared, &reading.source);
    let blocks = intercept::blocks(&layout, intercept);
    let mut frame = reading.frame.clone();
    frame.targets = vec![Unit::IDENTITY];
    let units = Units {
        shrink: 1.0,
        prepared: prepared.into(),
        frame,
        layout,
        offsets: vec![0.0],
    };
    let kind = Kind {
        link,
        n_outputs: n_outputs(link),
        intercept,
        is_dense,
    };
    (Sample::new(&rows, &units, kind), blocks)
}

fn somewhere(n: usize) -> Vec<f64> {
    (0..n).map(|i| 0.8 * (1.7 * i as f64).sin()).collect()
}

#[test]
fn the_pull_is_half_the_negative_gradient() {
    for link in LINKS {
        for intercept in INTERCEPTS {
            let (sample, blocks) = sample(link, intercept, true);
            let risk = Curved::new(&sample, &blocks, 7.0);
            let v = somewhere(risk.outputs.dim());
            let at = risk.at(&v);
            for k in 0..v.len() {
                let value = |step: f64| {
                    let mut near = v.clone();
                    near[k] += step;
                    risk.at(&near).value
                };
                let step = 1e-6;
                let slope = (value(step) - value(-step)) / (2.0 * step);
                let off = (slope + 2.0 * at.pull[k]).abs();
                assert!(
                    off < 1e-6 * (1.0 + slope.abs()),
                    "{link:?} {intercept}: {off:e}"
                );
            }
            let direction = somewhere(v.len() + 1)[1..].to_vec();
            let line = risk.line(&at, &direction);
            let mut moved = v.clone();
            crate::linalg::add_scaled(&mut moved, 0.3, &direction);
            let change = risk.at(&moved).value - at.value;
            assert!((line(0.3) - change).abs() < 1e-13 * at.value, "{link:?}");
        }
    }
}

#[test]
fn systems_are_solved_with_and_without_the_matrix() {
    for link in LINKS {
        for intercept in INTERCEPTS {
            let steps = [true, false].map(|is_dense| {
                let (sample, blocks) = sample(link, intercept, is_dense);
                let risk = Curved::new(&sample, &blocks, 7.0);
                let at = risk.at(&somewhere(risk.outputs.dim()));
                let rhs: Vec<f64> = at.pull.iter().map(|g| 2.0 * g).collect();
                let penalty = risk.outputs.majorants(0.8);
                let step = risk.direction(&at, &penalty, &rhs).unwrap();
                // how much the intercepts move together is open
                let common = match sample.kind.intercept {
                    Intercept::Free if link.is_coupled() => {
                        let firsts = (0..3).map(|j| step[risk.outputs.range(j).start]);
                        firsts.sum::<f64>() / 3.0
                    }
                    _ => 0.0,
                };
                let stride = risk.outputs.stride();
                let at = |(i, x): (usize, &f64)| if i % stride == 0 { x - common } else { *x };
                step.iter().enumerate().map(at).collect::<Vec<_>>()
            });
            let size = steps[0].iter().fold(0.0f64, |m, x| m.max(x.abs()));
            for (a, b) in steps[0].iter().zip(&steps[1]) {
                assert!((a - b).abs() < 2e-3 * size, "{link:?} {intercept}: {a} {b}");
            }
        }
    }
}

#[test]
fn every_link_reaches_a_certified_gap() {
    for link in LINKS {
        for intercept in INTERCEPTS {
            for is_dense in [true, false] {
                let (sample, blocks) = sample(link, intercept, is_dense);
                for (c, gamma) in [(0.1, 1.0), (3.0, 0.3), (1e-3, 8.0), (1e3, 1.0)] {
                    let risk = Curved::new(&sample, &blocks, c);
                    let task = Task {
                        outputs: risk.outputs,
                        gamma,
                        tol: 1e-9,
                        max_iter: 200,
                    };
                    let outcome = solver::solve(&task, &risk, None).outcome;
                    let about = format!("{link:?} {intercept} {is_dense} {c} {gamma} {outcome:?}");
                    assert!(outcome.gap <= 1e-9, "{about}");
                    assert!(outcome.iterations <= 80, "{about}");
                }
            }
        }
    }
}
