//! The comparator in hindsight is the best matrix of the ball, by means that are not its own.

use crate::stream::{PSIS, Stream, mirrors, stream};
use gapfit::loss::Loss;
use gapfit::online::regret::{Hindsight, Status};
use gapfit::online::{
    Feasible, Fill, MaskFeatures, MaskMap, MirrorDescent, Quadratic, RegretMeter, Regulariser,
    Weights,
};
use std::ops::ControlFlow;

const GO: fn(&Hindsight) -> ControlFlow<()> = |_| ControlFlow::Continue(());

fn meter(settings: &MirrorDescent, radius: f64, stream: &Stream) -> RegretMeter {
    let mut meter = RegretMeter::new(settings, radius, stream.table.n_cols()).unwrap();
    add(&mut meter, stream, 0..stream.targets.len());
    meter
}

fn add(meter: &mut RegretMeter, stream: &Stream, rows: std::ops::Range<usize>) {
    for t in rows {
        let row = stream.table.row(t);
        let stored = meter.add(row, stream.targets[t], stream.weights[t], 0.0);
        assert!(stored.unwrap());
    }
}

/// The problem, written out densely.
struct Dense<'a> {
    psi: MaskMap,
    /// The regulariser on the ball, and on all matrices of the support.
    ball: Quadratic,
    free: Quadratic,
    loss: Loss,
    stream: &'a Stream,
}

fn inner(a: &Weights, b: &Weights) -> f64 {
    let columns = 0..a.n_columns();
    columns
        .map(|j| {
            a.column(j)
                .iter()
                .zip(b.column(j))
                .map(|(a, b)| a * b)
                .sum::<f64>()
        })
        .sum()
}

impl<'a> Dense<'a> {
    fn new(settings: &MirrorDescent, radius: f64, stream: &'a Stream) -> Self {
        let mut psi = MaskMap::new(settings.psi, stream.table.n_cols()).unwrap();
        stream.table.rows().for_each(|row| psi.note(row.observed()));
        let quadratic = |set| Quadratic::new(&psi, &settings.mirror, set).unwrap();
        Self {
            ball: quadratic(Feasible::Ball(radius)),
            free: quadratic(Feasible::Everything),
            loss: settings.loss,
            psi,
            stream,
        }
    }

    fn zeros(&self) -> Weights {
        Weights::zeros(self.psi.n_features(), self.psi.n_columns())
    }

    /// The sum of the losses, and its gradient.
    fn evaluate(&self, a: &Weights) -> (f64, Weights) {
        let (mut sum, mut gradient) = (0.0, self.zeros());
        let targets = self.stream.targets.iter().zip(&self.stream.weights);
        for (row, (&y, &p)) in self.stream.table.rows().zip(targets) {
            let prediction = a.predict(&self.psi, row);
            sum += p * self.loss.value(prediction, y);
            let slope = p * self.loss.derivative(prediction, y);
            for j in self.psi.active(row.observed()) {
                for (i, x) in row.values().iter().enumerate() {
                    gradient[(i, j)] += slope * x;
                }
            }
        }
        (sum, gradient)
    }

    fn norm(&self, a: &Weights) -> f64 {
        inner(a, &self.free.gradient(a)).sqrt()
    }

    /// The smallest sum that subgradient steps of Polyak's length meet, told what to aim at.
    fn descend(&self, aim: f64, steps: usize) -> f64 {
        let (mut a, mut best) = (self.zeros(), f64::INFINITY);
        for _ in 0..steps {
            let (sum, gradient) = self.evaluate(&a);
            best = best.min(sum);
            let size = inner(&gradient, &self.free.inverse(gradient.clone()));
            if size == 0.0 || sum <= aim {
                break;
            }
            let length = (sum - aim) / size;
            let mut dual = self.free.gradient(&a);
            for j in 0..a.n_columns() {
                for i in 0..a.n_features() {
                    dual[(i, j)] -= length * gradient[(i, j)];
                }
            }
            a = self.ball.inverse(dual);
        }
        best
    }
}

#[test]
fn equals_an_independent_minimum_for_every_psi_loss_and_regulariser() {
    for psi in PSIS {
        for mirror in mirrors(psi, 3) {
            for (loss, radius) in Loss::ALL.into_iter().zip([0.4, 2.0].into_iter().cycle()) {
                let settings = MirrorDescent {
                    psi,
                    loss,
                    mirror: mirror.clone(),
                    ..MirrorDescent::default()
                };
                let stream = stream(40, 3, 0.4, loss, 61);
                let mut meter = meter(&settings, radius, &stream);
                let best = meter.measure(1e-5, GO).unwrap().comparator;
                let about = format!("{settings:?} {radius}: {best:?}");
                assert_eq!(best.status, Status::Converged, "{about}");
                assert!(
                    best.gap <= 1e-5 && best.lower_bound <= best.objective,
                    "{about}"
                );

                let dense = Dense::new(&settings, radius, &stream);
                let (a, _) = meter.weights();
                let (sum, _) = dense.evaluate(&a);
                assert!(
                    (sum - best.objective).abs() < 1e-9 * (1.0 + sum.abs()),
                    "{about}"
                );
                assert!(dense.norm(&a) <= radius * (1.0 + 1e-12), "{about}");
                let other = dense.descend(best.lower_bound, 1000);
                assert!(other >= best.lower_bound, "{about}: {other}");
                // Subgradient steps are slow where the loss has kinks: the reference is the rough one.
                let off = (other - best.objective) / best.objective.abs();
                assert!(off < 1e-2, "{about}: {other}");
            }
        }
    }
}

#[test]
fn for_the_linear_loss_it_is_minus_the_dual_norm_of_the_sum() {
    for psi in PSIS {
        for mirror in mirrors(psi, 4) {
            let settings = MirrorDescent {
                psi,
                loss: Loss::Linear,
                mirror,
                ..MirrorDescent::default()
            };
            let stream = stream(80, 4, 0.4, Loss::Linear, 62);
            let best = meter(&settings, 1.7, &stream)
                .measure(1e-9, GO)
                .unwrap()
                .comparator;
            let dense = Dense::new(&settings, 1.7, &stream);
            let (_, gradient) = dense.evaluate(&dense.zeros());
            let size = inner(&gradient, &dense.free.inverse(gradient.clone())).sqrt();
            assert!(
                (best.objective + 1.7 * size).abs() < 1e-10 * size,
                "{settings:?}"
            );
            assert_eq!((best.epochs, best.status), (0, Status::Converged));
        }
    }
}

#[test]
fn with_one_feature_the_squared_loss_has_a_clipped_ratio() {
    let settings = MirrorDescent {
        psi: MaskFeatures::Constant,
        ..MirrorDescent::default()
    };
    let stream = stream(50, 1, 0.3, Loss::Squared, 63);
    let rows = || {
        stream
            .table
            .rows()
            .zip(stream.targets.iter().zip(&stream.weights))
    };
    let sum = |f: &dyn Fn(f64, f64, f64) -> f64| -> f64 {
        rows().map(|(row, (&y, &p))| f(row.values()[0], y, p)).sum()
    };
    let ratio = sum(&|x, y, p| p * x * y) / sum(&|x, _, p| p * x * x);
    for radius in [0.1 * ratio.abs(), 10.0 * ratio.abs()] {
        let w = ratio.clamp(-radius, radius);
        let expected = sum(&|x, y, p| p * (w * x - y).powi(2));
        let regret = meter(&settings, radius, &stream).measure(1e-9, GO).unwrap();
        for best in [regret.comparator, regret.fixed] {
            assert!(
                best.lower_bound <= expected * (1.0 + 1e-12),
                "{best:?} {expected}"
            );
            assert!(
                expected <= best.objective * (1.0 + 1e-12),
                "{best:?} {expected}"
            );
        }
    }
}

#[test]
fn a_warm_start_ends_in_the_same_place() {
    for loss in Loss::ALL {
        for psi in PSIS {
            let settings = MirrorDescent {
                psi,
                loss,
                ..MirrorDescent::default()
            };
            let stream = stream(80, 3, 0.4, loss, 64);
            let cold = meter(&settings, 1.0, &stream)
                .measure(1e-4, GO)
                .unwrap()
                .comparator;
            let mut warm = RegretMeter::new(&settings, 1.0, 3).unwrap();
            for part in [0..40, 40..79, 79..80] {
                add(&mut warm, &stream, part);
                warm.measure(1e-4, GO).unwrap();
            }
            let again = warm.measure(1e-4, GO).unwrap().comparator;
            assert_eq!(again.status, Status::Converged, "{loss} {psi}");
            assert!(again.epochs <= cold.epochs / 4, "{loss} {psi}: {again:?}");
            let (low, high) = (
                cold.lower_bound.max(again.lower_bound),
                cold.objective.min(again.objective),
            );
            assert!(
                low <= high + 1e-12 * high.abs(),
                "{loss} {psi}: {cold:?} {again:?}"
            );
        }
    }
}

#[test]
fn not_converging_and_stopping_leave_bounds_that_hold() {
    let stream = stream(200, 4, 0.3, Loss::Absolute, 65);
    let settings = MirrorDescent {
        loss: Loss::Absolute,
        ..MirrorDescent::default()
    };
    let exact = meter(&settings, 20.0, &stream).measure(1e-6, GO).unwrap();
    assert_eq!(exact.status, Status::Converged);
    let mut short = meter(&settings, 20.0, &stream).with_max_epochs(4);
    let short = short.measure(1e-6, GO).unwrap();
    assert_eq!(short.comparator.status, Status::MaxIterations);
    let stop = |_: &Hindsight| ControlFlow::Break(());
    let stopped = meter(&settings, 20.0, &stream).measure(1e-6, stop).unwrap();
    assert_eq!(stopped.status, Status::Stopped);
    for rough in [short.comparator, stopped.comparator] {
        assert!(rough.lower_bound <= exact.comparator.objective);
        assert!(rough.objective >= exact.comparator.lower_bound);
    }
    assert!(meter(&settings, 20.0, &stream).measure(0.0, GO).is_err());
}

#[test]
fn rows_without_a_value_only_add_what_zero_costs() {
    for loss in Loss::ALL {
        let mut stream = stream(30, 2, 1.0, loss, 66);
        for t in 0..30 {
            (0..2).for_each(|j| stream.table.hide(t, j));
        }
        for fill in [Fill::Zero, Fill::Mean] {
            let settings = MirrorDescent {
                loss,
                fill,
                ..MirrorDescent::default()
            };
            let best = meter(&settings, 1.0, &stream)
                .measure(1e-9, GO)
                .unwrap()
                .comparator;
            let rows = stream.targets.iter().zip(&stream.weights);
            let zero: f64 = rows.map(|(&y, &p)| p * loss.value(0.0, y)).sum();
            assert!(
                (best.objective - zero).abs() <= 1e-12 * zero.abs(),
                "{loss}"
            );
            assert_eq!(best.status, Status::Converged, "{loss}");
        }
    }
}
