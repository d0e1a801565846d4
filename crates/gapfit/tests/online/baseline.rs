//! Limits and baselines: what the learner must be when there is nothing special to it.

use crate::stream::{entries, feed, stream};
use gapfit::data::MaskedMatrix;
use gapfit::loss::Loss;
use gapfit::online::{Fill, Learn, MaskFeatures, Mirror, MirrorDescent, Step, Support};

/// Plain online gradient descent, written out; returns its predictions.
fn gradient_descent(rows: &[Vec<f64>], targets: &[f64], loss: Loss, eta: f64) -> Vec<f64> {
    let mut w = vec![0.0; rows[0].len()];
    let mut predictions = Vec::new();
    for (x, &y) in rows.iter().zip(targets) {
        let prediction: f64 = w.iter().zip(x).map(|(w, x)| w * x).sum();
        let slope = loss.derivative(prediction, y);
        w.iter_mut().zip(x).for_each(|(w, x)| *w -= eta * slope * x);
        predictions.push(prediction);
    }
    predictions
}

fn predictions(settings: &MirrorDescent, table: &MaskedMatrix, targets: &[f64]) -> Vec<f64> {
    let mut learner = settings.start(table.n_cols()).unwrap();
    let rows = table.rows().zip(targets);
    rows.map(|(row, &y)| learner.learn(row, y, 1.0).unwrap().prediction)
        .collect()
}

#[track_caller]
fn assert_close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }
}

#[test]
fn constant_psi_is_gradient_descent_on_zero_imputed_rows() {
    for loss in Loss::ALL {
        let stream = stream(2000, 7, 0.3, loss, 31);
        let rows: Vec<_> = stream.table.rows().map(|r| r.values().to_vec()).collect();
        let plain = gradient_descent(&rows, &stream.targets, loss, 0.1);
        let settings = MirrorDescent::imputed(Fill::Zero, loss, 0.1);
        assert_close(
            &predictions(&settings, &stream.table, &stream.targets),
            &plain,
        );
    }
}

#[test]
fn mean_imputation_uses_the_means_of_the_rows_before() {
    let loss = Loss::Logistic;
    let stream = stream(2000, 5, 0.3, loss, 32);
    let mut sums = [(0.0, 0.0); 5];
    let mut rows = Vec::new();
    for row in stream.table.rows() {
        let mean = |j: usize| {
            if sums[j].1 > 0.0 {
                sums[j].0 / sums[j].1
            } else {
                0.0
            }
        };
        let filled: Vec<_> = (0..5)
            .map(|j| row.get(j).unwrap_or_else(|| mean(j)))
            .collect();
        rows.push(filled);
        for j in row.observed().iter() {
            sums[j].0 += row.values()[j];
            sums[j].1 += 1.0;
        }
    }
    let plain = gradient_descent(&rows, &stream.targets, loss, 0.1);
    let settings = MirrorDescent::imputed(Fill::Mean, loss, 0.1);
    assert_close(
        &predictions(&settings, &stream.table, &stream.targets),
        &plain,
    );
}

#[test]
fn on_complete_rows_every_fill_and_the_affine_psi_are_plain_gradient_descent() {
    let stream = stream(1000, 4, 0.0, Loss::Squared, 33);
    let complete: Vec<_> = (0..1000)
        .filter(|&i| stream.table.row(i).observed().count() == 4)
        .collect();
    let table = stream.table.select_rows(&complete);
    let targets: Vec<_> = complete.iter().map(|&i| stream.targets[i]).collect();
    let rows: Vec<_> = table.rows().map(|r| r.values().to_vec()).collect();
    let plain = gradient_descent(&rows, &targets, Loss::Squared, 0.05);
    let zero = MirrorDescent::imputed(Fill::Zero, Loss::Squared, 0.05);
    let mean = MirrorDescent::imputed(Fill::Mean, Loss::Squared, 0.05);
    let affine = MirrorDescent {
        step: Step::Constant { eta: 0.05 },
        ..MirrorDescent::default()
    };
    // ψ = z adds up d columns that all move alike: the same with a d-th of the step.
    let identity = MirrorDescent {
        psi: MaskFeatures::Identity,
        step: Step::Constant { eta: 0.05 / 4.0 },
        ..MirrorDescent::default()
    };
    for settings in [zero, mean, affine, identity] {
        assert_close(&predictions(&settings, &table, &targets), &plain);
    }
}

#[test]
fn a_weight_multiplies_the_loss() {
    let stream = stream(300, 4, 0.3, Loss::Logistic, 34);
    let settings = |eta| MirrorDescent {
        loss: Loss::Logistic,
        step: Step::Constant { eta },
        ..MirrorDescent::default()
    };
    let mut weighted = settings(0.01).start(4).unwrap();
    let mut longer = settings(0.03).start(4).unwrap();
    for (row, &y) in stream.table.rows().zip(&stream.targets) {
        weighted.learn(row, y, 3.0).unwrap();
        longer.learn(row, y, 1.0).unwrap();
    }
    assert_close(&entries(&weighted), &entries(&longer));
}

#[test]
fn a_row_of_weight_zero_is_no_row() {
    let stream = stream(100, 4, 0.3, Loss::Squared, 35);
    let settings = MirrorDescent {
        fill: Fill::Mean,
        psi: MaskFeatures::Pattern(5),
        step: Step::Anytime {
            radius: 1.0,
            gradient: None,
        },
        ..MirrorDescent::default()
    };
    let mut learner = settings.start(4).unwrap();
    feed(&mut learner, &stream, 0..3);
    let before = learner.to_bytes();
    for (row, &y) in stream.table.rows().zip(&stream.targets) {
        let learnt = learner.learn(row, y, 0.0).unwrap();
        assert_eq!(
            learnt.prediction.to_bits(),
            learner.predict(row).unwrap().to_bits()
        );
    }
    assert_eq!(learner.to_bytes(), before);
}

/// Paper 2.1: one feature tells the class, another tells it four times out of five; the first is
/// missing in half of the rows.
pub(crate) fn two_features() -> (MaskedMatrix, Vec<f64>) {
    let mut table = MaskedMatrix::new(2);
    let mut targets = Vec::new();
    for i in 0..20 {
        let y = if i % 2 == 0 { 1.0 } else { -1.0 };
        let is_right = i / 4 < 4;
        let second = if is_right { y } else { -y };
        let first = (i / 2 % 2 == 0).then_some(y);
        table.push_row([first, Some(second)]).unwrap();
        targets.push(y);
    }
    (table, targets)
}

#[test]
fn weights_that_know_the_mask_win_where_no_fixed_weights_can() {
    let (table, targets) = two_features();
    let right = table
        .rows()
        .zip(&targets)
        .filter(|(row, y)| row.values()[1] * **y > 0.0);
    assert_eq!(right.count(), 16);
    // The best fixed w by its normal equations: loss ½(1 - .36/1.64), .39 of 1.
    let mut best_fixed = f64::INFINITY;
    for a in 0..=200 {
        for b in 0..=200 {
            let w = [f64::from(a) / 100.0 - 0.5, f64::from(b) / 100.0 - 0.5];
            let loss = |(row, y): (gapfit::data::MaskedRow<'_>, &f64)| {
                let x = row.values();
                Loss::Squared.value(w[0] * x[0] + w[1] * x[1], *y)
            };
            let sum: f64 = table.rows().zip(&targets).map(loss).sum();
            best_fixed = best_fixed.min(sum / 20.0);
        }
    }
    assert!((best_fixed - 0.390).abs() < 0.001, "{best_fixed}");
    for psi in [
        MaskFeatures::Identity,
        MaskFeatures::Affine,
        MaskFeatures::Subsets(2),
        MaskFeatures::Pattern(4),
    ] {
        let settings = MirrorDescent {
            psi,
            ..MirrorDescent::default()
        };
        let mut learner = settings.start(2).unwrap();
        let mut last = 0.0;
        for _ in 0..300 {
            last = 0.0;
            for (row, &y) in table.rows().zip(&targets) {
                last += learner.learn(row, y, 1.0).unwrap().loss / 20.0;
            }
        }
        // With the mask: nothing lost on half of the rows, 1 - .6² on the others.
        assert!(last < 0.34, "{psi}: {last}");
    }
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let sparse = |row_penalty, support| Mirror::Sparse {
        row_penalty,
        support,
    };
    let base = MirrorDescent::default;
    for (settings, text) in [
        (
            MirrorDescent {
                mirror: sparse(-1.0, Support::full()),
                ..base()
            },
            "row_penalty: expected a number from 0 to 1e100, got -1",
        ),
        (
            MirrorDescent {
                mirror: sparse(1.0, Support::grid(2, 2)),
                ..base()
            },
            "features of the support: expected 3, got 4",
        ),
        (
            MirrorDescent {
                mirror: sparse(1.0, Support::grid(1, 3)),
                psi: MaskFeatures::Constant,
                ..base()
            },
            "support: expected full where psi is constant or pattern, got pairs of features",
        ),
        (
            MirrorDescent {
                set: gapfit::online::Feasible::Ball(0.0),
                ..base()
            },
            "radius: expected a positive number up to 1e100, got 0",
        ),
        (
            MirrorDescent {
                loss: Loss::EpsInsensitive(-0.5),
                ..base()
            },
            "loss: expected eps-insensitive=E with a finite number E that is not negative, got -0.5",
        ),
    ] {
        assert_eq!(settings.start(3).unwrap_err().to_string(), text);
    }
}
