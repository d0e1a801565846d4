//! Regret against the certified comparator stays below the bounds of docs/math.md 13.3.

use crate::stream::{PSIS, Stream, mirrors, stream};
use gapfit::data::MaskedMatrix;
use gapfit::loss::Loss;
use gapfit::online::regret::Status;
use gapfit::online::{Feasible, Learn, MirrorDescent, Regret, RegretMeter, Step};
use std::ops::ControlFlow;

const RADIUS: f64 = 0.8;

/// Comparators to this gap.
const TOL: f64 = 1e-3;

fn meter(settings: &MirrorDescent, d: usize) -> RegretMeter {
    RegretMeter::new(settings, RADIUS, d).unwrap()
}

/// The largest gradient a learner in the ball can meet on these rows.
fn gradient_bound(settings: &MirrorDescent, table: &MaskedMatrix) -> f64 {
    let learner = settings.start(table.n_cols()).unwrap();
    let norms = table.rows().map(|row| learner.gradient_norm(row).unwrap());
    let size = norms.fold(0.0, f64::max);
    settings.loss.lipschitz(RADIUS * size, 1.0) * size
}

/// Learns the stream; returns the regret against the best matrix of the ball.
fn run(settings: &MirrorDescent, stream: &Stream, weighted: bool) -> Regret {
    let d = stream.table.n_cols();
    let (mut learner, mut meter) = (settings.start(d).unwrap(), meter(settings, d));
    for (t, row) in stream.table.rows().enumerate() {
        let (y, p) = (
            stream.targets[t],
            if weighted { stream.weights[t] } else { 1.0 },
        );
        let learnt = learner.learn(row, y, p).unwrap();
        assert!(meter.add(row, y, p, learnt.loss).unwrap());
    }
    assert_eq!(learner.clipped(), 0);
    let regret = meter.measure(TOL, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(regret.status, Status::Converged, "{settings:?} {regret:?}");
    regret
}

#[test]
fn regret_stays_below_its_bound_for_every_psi_loss_and_regulariser() {
    let (rounds, d) = (240, 4);
    let anytime = Step::Anytime {
        radius: RADIUS,
        gradient: None,
    };
    let mut closest = f64::NEG_INFINITY;
    for psi in PSIS {
        for mirror in mirrors(psi, d) {
            for loss in Loss::ALL {
                let mut stream = stream(rounds, d, 0.3, loss, 51);
                // The second half contradicts the first: the worst a stationary learner can meet.
                let second = stream.targets[rounds / 2..].iter_mut();
                second.for_each(|y| *y = -*y);
                let mut settings = MirrorDescent {
                    psi,
                    loss,
                    mirror: mirror.clone(),
                    set: Feasible::Ball(RADIUS),
                    step: anytime,
                    ..MirrorDescent::default()
                };
                for weighted in [false, true] {
                    let regret = run(&settings, &stream, weighted);
                    assert!(
                        regret.regret.upper <= regret.bound,
                        "{settings:?} {regret:?}"
                    );
                }
                let gradient = gradient_bound(&settings, &stream.table);
                settings.step = Step::Horizon {
                    radius: RADIUS,
                    gradient,
                    rounds: rounds as u64,
                };
                let regret = run(&settings, &stream, false);
                let bound = RADIUS * gradient * (rounds as f64).sqrt();
                assert!(
                    regret.regret.upper <= bound,
                    "{settings:?} {regret:?} {bound}"
                );
                assert!(regret.gradient <= gradient * (1.0 + 1e-12));
                closest = closest.max(regret.regret.lower / bound);
            }
        }
    }
    assert!(closest > 0.05, "the bounds are not empty: {closest}");
}

#[test]
fn an_adversary_cannot_push_regret_above_the_bound() {
    // Targets are chosen against the prediction at hand, for the linear loss: y = -sign(prediction).
    let (rounds, d) = (900, 3);
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
            let stream = stream(rounds, d, 0.3, Loss::Linear, 52);
            let (mut learner, mut meter) = (settings.start(d).unwrap(), meter(&settings, d));
            for row in stream.table.rows() {
                let is_positive = learner.predict(row).unwrap() > 0.0;
                let y = if is_positive { -1.0 } else { 1.0 };
                let learnt = learner.learn(row, y, 1.0).unwrap();
                meter.add(row, y, 1.0, learnt.loss).unwrap();
            }
            let regret = meter.measure(TOL, |_| ControlFlow::Continue(())).unwrap();
            assert!(
                regret.regret.upper <= regret.bound,
                "{settings:?}: {regret:?}"
            );
            assert!(regret.suffered > 0.0, "an adversary that does its work");
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
