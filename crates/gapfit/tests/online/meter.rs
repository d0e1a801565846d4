//! The meter: what it stores, what it refuses, columns that come later.

use crate::stream::{mirrors, stream};
use gapfit::data::{MaskedMatrix, RowBuffer};
use gapfit::loss::Loss;
use gapfit::online::regret::Hindsight;
use gapfit::online::{Fill, Learn, MaskFeatures, MirrorDescent, RegretMeter};
use std::ops::ControlFlow;

const GO: fn(&Hindsight) -> ControlFlow<()> = |_| ControlFlow::Continue(());

#[test]
fn a_column_that_comes_later_was_missing_before() {
    for psi in crate::stream::PSIS {
        // On other supports than the full one, which come later, a new column has no neighbours.
        for mirror in mirrors(psi, 4).into_iter().take(2) {
            let settings = MirrorDescent {
                psi,
                mirror,
                ..MirrorDescent::default()
            };
            let stream = stream(80, 4, 0.3, Loss::Squared, 71);
            let mut grown = RegretMeter::new(&settings, 1.0, 3).unwrap();
            let mut whole = RegretMeter::new(&settings, 1.0, 4).unwrap();
            let mut row = RowBuffer::new(4);
            for (t, full) in stream.table.rows().enumerate() {
                let y = stream.targets[t];
                row.copy_from(full);
                if t == 40 {
                    grown.measure(1e-3, GO).unwrap();
                    grown.add_column().unwrap();
                }
                if t < 40 {
                    row.clear(3);
                    for j in full.observed().iter().filter(|&j| j < 3) {
                        row.set(j, full.values()[j]).unwrap();
                    }
                }
                grown.add(row.as_row(), y, 1.0, 1.0).unwrap();
                if t < 40 {
                    row.push_hole();
                }
                whole.add(row.as_row(), y, 1.0, 1.0).unwrap();
            }
            let (grown, whole) = (
                grown.measure(1e-7, GO).unwrap(),
                whole.measure(1e-7, GO).unwrap(),
            );
            let off = grown.comparator.objective - whole.comparator.objective;
            assert!(
                off.abs() < 1e-6 * whole.comparator.objective,
                "{psi}: {grown:?} {whole:?}"
            );
            assert!((grown.gradient - whole.gradient).abs() < 1e-12, "{psi}");
            assert!((grown.suffered - 80.0).abs() < 1e-12);
        }
    }
}

#[test]
fn a_full_meter_says_so_and_keeps_measuring_what_it_has() {
    let stream = stream(30, 3, 0.3, Loss::Squared, 72);
    let settings = MirrorDescent::default();
    let mut meter = RegretMeter::new(&settings, 1.0, 3)
        .unwrap()
        .with_capacity(3 * 20 + 2);
    for (t, row) in stream.table.rows().enumerate() {
        let stored = meter.add(row, stream.targets[t], 1.0, 0.5).unwrap();
        assert_eq!(stored, t < 20);
    }
    assert!(meter.is_full());
    assert_eq!((meter.rows(), meter.skipped()), (20, 10));
    let regret = meter.measure(1e-3, GO).unwrap();
    assert_eq!(regret.rows, 20);
    assert!((regret.suffered - 10.0).abs() < 1e-12);
}

#[test]
fn illegal_rows_are_refused_and_wild_ones_left_out() {
    let settings = MirrorDescent {
        loss: Loss::Hinge,
        ..MirrorDescent::default()
    };
    let mut meter = RegretMeter::new(&settings, 1.0, 1).unwrap();
    let table = MaskedMatrix::from_nan(2, 1, &[1.0, 1e60]).unwrap();
    let (row, wild) = (table.row(0), table.row(1));
    assert!(meter.add(row, 0.5, 1.0, 0.0).is_err());
    assert!(meter.add(row, 1.0, -1.0, 0.0).is_err());
    assert!(meter.add(row, 1.0, 1.0, f64::NAN).is_err());
    let two = MaskedMatrix::from_nan(1, 2, &[1.0, 1.0]).unwrap();
    assert!(meter.add(two.row(0), 1.0, 1.0, 0.0).is_err());
    assert!(!meter.add(row, 1.0, 0.0, 0.0).unwrap());
    assert!(!meter.add(wild, 1.0, 1.0, 0.0).unwrap());
    assert_eq!((meter.rows(), meter.skipped()), (0, 1));
    let empty = meter.measure(1e-3, GO).unwrap();
    assert_eq!(
        (empty.rows, empty.regret.lower, empty.regret.upper),
        (0, 0.0, 0.0)
    );
    for radius in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let text = RegretMeter::new(&settings, radius, 1)
            .unwrap_err()
            .to_string();
        assert!(
            text.starts_with("radius: expected a positive number"),
            "{text}"
        );
    }
}

#[test]
fn numbers_at_the_edge_leave_bounds_that_are_numbers() {
    let sizes = [1e50, 1.0, 1e-300, 1e49, 1e-50];
    for loss in Loss::ALL {
        for radius in [1e-100, 1.0, 1e100] {
            let settings = MirrorDescent {
                loss,
                ..MirrorDescent::default()
            };
            let mut meter = RegretMeter::new(&settings, radius, 2)
                .unwrap()
                .with_max_epochs(20);
            for (t, &size) in sizes.iter().cycle().take(20).enumerate() {
                let table = MaskedMatrix::from_nan(1, 2, &[size, f64::NAN]).unwrap();
                let y = if t % 3 == 0 { 1.0 } else { -1.0 };
                let y = if loss.is_classification() {
                    y
                } else {
                    y * sizes[t % 4]
                };
                assert!(meter.add(table.row(0), y, sizes[t / 4], 0.0).unwrap());
            }
            let regret = meter.measure(1e-3, GO).unwrap();
            let best = regret.comparator;
            assert!(
                best.objective.is_finite() && best.lower_bound.is_finite(),
                "{loss} {best:?}"
            );
            assert!(
                best.lower_bound <= best.objective,
                "{loss} {radius}: {best:?}"
            );
            assert!(
                !regret.bound.is_nan() && !best.gap.is_nan(),
                "{loss} {regret:?}"
            );
        }
    }
}

#[test]
fn means_fill_the_rows_of_the_comparator_as_they_fill_those_of_the_learner() {
    // A comparator of the size of the learner's own matrix cannot be worse than that matrix.
    let settings = MirrorDescent {
        psi: MaskFeatures::Constant,
        ..MirrorDescent::imputed(Fill::Mean, Loss::Squared, 1e-300)
    };
    let stream = stream(100, 3, 0.4, Loss::Squared, 73);
    let mut learner = settings.start(3).unwrap();
    let mut meter = RegretMeter::new(&settings, 1.0, 3).unwrap();
    let mut filled = Vec::new();
    for (row, &y) in stream.table.rows().zip(&stream.targets) {
        let means = learner.means().unwrap().to_vec();
        filled.push(
            (0..3)
                .map(|j| row.get(j).unwrap_or(means[j]))
                .collect::<Vec<_>>(),
        );
        let learnt = learner.learn(row, y, 1.0).unwrap();
        meter.add(row, y, 1.0, learnt.loss).unwrap();
    }
    let best = meter.measure(1e-8, GO).unwrap().comparator;
    let (a, _) = meter.weights();
    let predict = |x: &[f64]| (0..3).map(|i| a[(i, 0)] * x[i]).sum::<f64>();
    let rows = filled.iter().zip(&stream.targets);
    let sum: f64 = rows.map(|(x, y)| (predict(x) - y).powi(2)).sum();
    assert!((sum - best.objective).abs() < 1e-9, "{sum} {best:?}");
}

#[test]
fn the_standard_regret_is_that_against_one_weight_vector() {
    let stream = stream(100, 3, 0.4, Loss::Absolute, 74);
    let of = |psi| {
        let settings = MirrorDescent {
            psi,
            loss: Loss::Absolute,
            ..MirrorDescent::default()
        };
        let mut meter = RegretMeter::new(&settings, 0.7, 3).unwrap();
        for (row, &y) in stream.table.rows().zip(&stream.targets) {
            meter.add(row, y, 1.0, 1.0).unwrap();
        }
        meter.measure(1e-4, GO).unwrap()
    };
    let (affine, constant) = (of(MaskFeatures::Affine), of(MaskFeatures::Constant));
    assert_eq!(affine.standard, constant.regret);
    assert_eq!(affine.fixed, constant.comparator);
    // Column 0 of the affine class alone is the weight vector.
    assert!(affine.regret.upper >= affine.standard.lower);
}
