//! Regret stays below the bounds of docs/math.md 13.3.

use crate::stream::{PSIS, mirrors, stream};
use gapfit::data::MaskedMatrix;
use gapfit::loss::Loss;
use gapfit::online::{Feasible, Learn, MirrorDescent, OnlineLearner, Step};

const RADIUS: f64 = 0.8;

/// The largest gradient a learner in the ball can meet on these rows.
fn gradient_bound(learner: &OnlineLearner, table: &MaskedMatrix, loss: Loss) -> f64 {
    let norms = table.rows().map(|row| learner.gradient_norm(row).unwrap());
    let size = norms.fold(0.0, f64::max);
    loss.lipschitz(RADIUS * size, 1.0) * size
}

/// Comparators in the ball: what a learner ends with after many passes, at several rates.
fn comparators(settings: &MirrorDescent, table: &MaskedMatrix, targets: &[f64]) -> Vec<f64> {
    let mut sums = Vec::new();
    for eta in [0.1, 0.01, 0.001] {
        let mut learner = MirrorDescent {
            step: Step::Constant { eta },
            ..settings.clone()
        }
        .start(table.n_cols())
        .unwrap();
        for _ in 0..20 {
            for (row, &y) in table.rows().zip(targets) {
                learner.learn(row, y, 1.0).unwrap();
            }
        }
        let loss = |(row, &y)| settings.loss.value(learner.predict(row).unwrap(), y);
        sums.push(table.rows().zip(targets).map(loss).sum());
    }
    // The zero matrix is in the ball as well.
    sums.push(targets.iter().map(|&y| settings.loss.value(0.0, y)).sum());
    sums
}

#[test]
fn regret_stays_below_its_bound_for_every_psi_loss_and_regulariser() {
    let (rounds, d) = (400, 4);
    let mut closest = f64::NEG_INFINITY;
    for psi in PSIS {
        for mirror in mirrors(psi, d) {
            for loss in Loss::ALL {
                let mut stream = stream(rounds, d, 0.3, loss, 51);
                // The second half contradicts the first: the worst a stationary learner can meet.
                stream.targets[rounds / 2..]
                    .iter_mut()
                    .for_each(|y| *y = -*y);
                let settings = MirrorDescent {
                    psi,
                    loss,
                    mirror: mirror.clone(),
                    set: Feasible::Ball(RADIUS),
                    ..MirrorDescent::default()
                };
                let start = settings.start(d).unwrap();
                let gradient = gradient_bound(&start, &stream.table, loss);
                let scale = RADIUS * gradient * (rounds as f64).sqrt();
                let horizon = Step::Horizon {
                    radius: RADIUS,
                    gradient,
                    rounds: rounds as u64,
                };
                let anytime = Step::Anytime {
                    radius: RADIUS,
                    gradient: None,
                };
                for (step, bound) in [(horizon, scale), (anytime, 3.0 * scale)] {
                    let mut learner = MirrorDescent {
                        step,
                        ..settings.clone()
                    }
                    .start(d)
                    .unwrap();
                    let mut suffered = 0.0;
                    for (row, &y) in stream.table.rows().zip(&stream.targets) {
                        suffered += learner.learn(row, y, 1.0).unwrap().loss;
                    }
                    assert_eq!(learner.clipped(), 0);
                    for compared in comparators(&settings, &stream.table, &stream.targets) {
                        let regret = suffered - compared;
                        assert!(regret <= bound, "{settings:?} {step}: {regret} {bound}");
                        closest = closest.max(regret / bound);
                    }
                }
            }
        }
    }
    assert!(closest > 0.05, "the bounds are not empty: {closest}");
}

#[test]
fn an_adversary_cannot_push_regret_above_the_bound() {
    // Targets are chosen against the prediction at hand, for the linear loss: y = -sign(prediction).
    let (rounds, d) = (900u32, 3);
    for psi in PSIS {
        for mirror in mirrors(psi, d) {
            let settings = MirrorDescent {
                psi,
                loss: Loss::Linear,
                mirror,
                set: Feasible::Ball(RADIUS),
                step: Step::Anytime {
                    radius: RADIUS,
                    gradient: None,
                },
                ..MirrorDescent::default()
            };
            let stream = stream(rounds as usize, d, 0.3, Loss::Linear, 52);
            let mut learner = settings.start(d).unwrap();
            let gradient = gradient_bound(&learner, &stream.table, Loss::Linear);
            let mut suffered = 0.0;
            let mut targets = Vec::new();
            for row in stream.table.rows() {
                let y = if learner.predict(row).unwrap() > 0.0 {
                    -1.0
                } else {
                    1.0
                };
                suffered += learner.learn(row, y, 1.0).unwrap().loss;
                targets.push(y);
            }
            let bound = 3.0 * RADIUS * gradient * f64::from(rounds).sqrt();
            for compared in comparators(&settings, &stream.table, &targets) {
                let regret = suffered - compared;
                assert!(regret <= bound, "{settings:?}: {regret} {bound}");
            }
            assert!(suffered > 0.0, "an adversary that does its work");
        }
    }
}

#[test]
fn the_learner_stays_in_its_ball() {
    for psi in PSIS {
        for mirror in mirrors(psi, 4) {
            let settings = MirrorDescent {
                psi,
                mirror,
                set: Feasible::Ball(0.25),
                ..MirrorDescent::default()
            };
            let stream = stream(2000, 4, 0.3, Loss::Squared, 53);
            let mut learner = settings.start(4).unwrap();
            for (row, &y) in stream.table.rows().zip(&stream.targets) {
                learner.learn(row, y, 1.0).unwrap();
            }
            assert!(learner.norm() <= 0.25 * (1.0 + 1e-12), "{}", learner.norm());
            assert!(
                learner.norm() > 0.2,
                "the ball was in the way: {}",
                learner.norm()
            );
        }
    }
}
