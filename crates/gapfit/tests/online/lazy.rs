//! The fast learner is the dense algorithm, only faster.

use crate::stream::{entries, every_setting, feed, stream};
use gapfit::data::MaskedMatrix;
use gapfit::loss::Loss;
use gapfit::online::{DenseDescent, Learn, MaskFeatures, MaskMap, MirrorDescent, Quadratic, Step};

/// The same learner by its definition: dense, through the dual and back.
fn dense(settings: &MirrorDescent, table: &MaskedMatrix) -> DenseDescent<Quadratic> {
    let mut psi = MaskMap::new(settings.psi, table.n_cols()).unwrap();
    table.rows().for_each(|row| psi.note(row.observed()));
    let regulariser = Quadratic::new(&psi, &settings.mirror, settings.set).unwrap();
    DenseDescent::new(psi, settings.loss, regulariser, settings.step).unwrap()
}

#[test]
fn lazy_updates_equal_dense_ones_after_ten_thousand_random_steps() {
    for settings in every_setting(5) {
        let stream = stream(10_000, 5, 0.4, settings.loss, 7);
        let mut fast = settings.start(5).unwrap();
        let mut plain = dense(&settings, &stream.table);
        feed(&mut fast, &stream, 0..10_000);
        feed(&mut plain, &stream, 0..10_000);
        assert_eq!(fast.clipped(), 0, "{settings:?}");
        let (fast, plain) = (fast.weights(), plain.weights());
        assert_eq!(fast.n_columns(), plain.n_columns());
        let cells = (0..plain.n_columns()).flat_map(|j| (0..5).map(move |i| (i, j)));
        let largest = cells
            .clone()
            .fold(0.0f64, |m, cell| m.max(plain[cell].abs()));
        assert!(largest > 0.01, "something was learnt: {settings:?}");
        for cell in cells {
            let off = (fast[cell] - plain[cell]).abs();
            assert!(
                off <= 1e-12 * largest.max(1.0),
                "{settings:?} {cell:?}: {off:e}"
            );
        }
    }
}

#[test]
fn a_prediction_is_the_product_with_the_whole_matrix() {
    for settings in every_setting(11) {
        let stream = stream(300, 11, 0.3, settings.loss, 8);
        let mut learner = settings.start(11).unwrap();
        feed(&mut learner, &stream, 0..300);
        let a = learner.weights();
        for row in stream.table.rows() {
            let off = learner.predict(row).unwrap() - a.predict(learner.psi(), row);
            assert!(off.abs() < 1e-13, "{settings:?}: {off:e}");
        }
    }
}

#[test]
fn learning_returns_what_predicting_would_have() {
    for settings in every_setting(9) {
        let stream = stream(200, 9, 0.3, settings.loss, 9);
        let mut learner = settings.start(9).unwrap();
        for (row, &y) in stream.table.rows().zip(&stream.targets) {
            let before = learner.predict(row).unwrap();
            let learnt = learner.learn(row, y, 1.0).unwrap();
            assert_eq!(before.to_bits(), learnt.prediction.to_bits());
            let loss = settings.loss.value(before, y);
            assert_eq!(loss.to_bits(), learnt.loss.to_bits());
        }
    }
}

#[test]
fn sums_that_are_carried_along_do_not_drift() {
    for mut settings in every_setting(3) {
        settings.step = Step::Constant { eta: 0.02 };
        let stream = stream(70_000, 3, 0.4, settings.loss, 10);
        let mut learner = settings.start(3).unwrap();
        feed(&mut learner, &stream, 0..70_000);
        let a = learner.weights();
        for row in stream.table.rows().take(50) {
            let off = learner.predict(row).unwrap() - a.predict(learner.psi(), row);
            assert!(off.abs() < 1e-12, "{settings:?}: {off:e}");
        }
    }
}

#[test]
fn entries_off_the_support_stay_zero() {
    for settings in every_setting(6) {
        let support = match &settings.mirror {
            gapfit::online::Mirror::Sparse { support, .. } => support.clone(),
            gapfit::online::Mirror::Frob => continue,
        };
        let (Some(_), MaskFeatures::Identity) = (support.neighbours(0), settings.psi) else {
            continue;
        };
        let stream = stream(500, 6, 0.4, settings.loss, 11);
        let mut learner = settings.start(6).unwrap();
        feed(&mut learner, &stream, 0..500);
        let a = learner.weights();
        for i in 0..6usize {
            for j in 0..6usize {
                let is_neighbour = i.abs_diff(j) <= 1;
                assert_eq!(a[(i, j)] != 0.0, is_neighbour, "{settings:?} {i} {j}");
            }
        }
    }
}

#[test]
fn identity_and_affine_learn_in_the_same_class() {
    // w = A1 and u_k = -A_k give the same predictions (docs/math.md 2.2).
    let settings = MirrorDescent {
        psi: MaskFeatures::Identity,
        loss: Loss::Squared,
        ..MirrorDescent::default()
    };
    let stream = stream(1000, 4, 0.4, Loss::Squared, 12);
    let mut learner = settings.start(4).unwrap();
    feed(&mut learner, &stream, 0..1000);
    let affine = MaskMap::new(MaskFeatures::Affine, 4).unwrap();
    let shifts = learner.weights().to_affine(learner.psi()).unwrap();
    for row in stream.table.rows() {
        let off = shifts.predict(&affine, row) - learner.predict(row).unwrap();
        assert!(off.abs() < 1e-13);
    }
    assert!(entries(&learner).iter().any(|a| a.abs() > 0.1));
}
