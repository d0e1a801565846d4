//! What the adversary of Proposition 1 does to learners (docs/math.md 13.7).

use gapfit::loss::Loss;
use gapfit::online::{
    Adversary, Feasible, Learn, MaskFeatures, MirrorDescent, Regret, RegretMeter, Step,
};
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
use std::ops::ControlFlow;

const D: usize = 8;

/// The regret of a learner against its own class, both within the radius.
fn regret(psi: MaskFeatures, radius: f64, tasks: u64, rounds: u64, seed: u64) -> Regret {
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
    let mut learner = settings.start(D).unwrap();
    let mut meter = RegretMeter::new(&settings, radius, D).unwrap();
    let adversary = Adversary::new(D, tasks, ChaCha8Rng::seed_from_u64(seed)).unwrap();
    for (row, y) in adversary.take(rounds as usize) {
        let learnt = learner.learn(row.as_row(), y, 1.0).unwrap();
        meter.add(row.as_row(), y, 1.0, learnt.loss).unwrap();
    }
    meter.measure(1e-3, |_| ControlFlow::Continue(())).unwrap()
}

/// The mean over seeds of regret / √T, with its standard error.
fn mean(psi: MaskFeatures, radius: f64, tasks: u64) -> (f64, f64) {
    let (rounds, seeds) = (1600, 20);
    let root = (rounds as f64).sqrt();
    let sample: Vec<f64> = (0..seeds)
        .map(|seed| regret(psi, radius, tasks, rounds, 100 + seed).regret.upper / root)
        .collect();
    let n = seeds as f64;
    let mean = sample.iter().sum::<f64>() / n;
    let variance = sample.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

#[test]
fn against_all_functions_of_the_mask_regret_grows_with_the_root_of_their_number() {
    for tasks in [1u32, 4, 16] {
        let radius = f64::from(tasks).sqrt();
        let (mean, error) = mean(MaskFeatures::Pattern(64), radius, u64::from(tasks));
        let rng = ChaCha8Rng::seed_from_u64(0);
        let forced = Adversary::new(D, u64::from(tasks), rng)
            .unwrap()
            .expected_regret(1600)
            / 40.0;
        let root = (2.0 * f64::from(tasks) / std::f64::consts::PI).sqrt();
        assert!(
            (forced / root - 1.0).abs() < 0.01,
            "{tasks}: {forced} {root}"
        );
        assert!(
            mean > forced - 4.0 * error,
            "{tasks}: {mean} ± {error}, forced {forced}"
        );
        assert!(
            mean < 3.0 * radius,
            "{tasks}: {mean}, the bound of Theorem 1"
        );
    }
}

#[test]
fn for_weights_blind_to_the_mask_all_tasks_are_one() {
    let one = regret(MaskFeatures::Constant, 1.0, 1, 1600, 6);
    let many = regret(MaskFeatures::Constant, 1.0, 16, 1600, 6);
    assert!((one.regret.upper - many.regret.upper).abs() < 1e-9 * one.suffered);
}

#[test]
fn restricted_classes_grow_with_the_features_and_not_with_the_masks() {
    let growth = |psi, radius: [f64; 2]| {
        let ((one, error), (many, other)) = (mean(psi, radius[0], 1), mean(psi, radius[1], 16));
        (many / one, (error / one).hypot(other / many) * many / one)
    };
    let (all, noise) = growth(MaskFeatures::Pattern(64), [1.0, 4.0]);
    assert!((all - 4.0).abs() < 4.0 * noise, "√16: {all} ± {noise}");
    // One coefficient for each of the log₂ 16 features whose bits vary, and one more.
    for psi in [MaskFeatures::Affine, MaskFeatures::Identity] {
        let (some, noise) = growth(psi, [1.0, 1.0]);
        assert!(some < 5f64.sqrt() + 4.0 * noise, "{psi}: {some} ± {noise}");
        assert!(some < 0.7 * all, "{psi}: {some}, all maps {all}");
    }
}

#[test]
fn what_a_comparator_gains_is_on_average_below_its_radius_times_the_gradients() {
    // E ‖Σ y x ψᵀ‖_* <= √(Σ ‖x ψᵀ‖²_*), and ‖ψ(z)‖² <= 1 + d/2: free of the number of tasks.
    let rounds = 1600.0;
    for tasks in [1, 4, 16] {
        let gains = (0..20).map(|seed| {
            let regret = regret(MaskFeatures::Affine, 1.0, tasks, 1600, 300 + seed);
            rounds - regret.comparator.lower_bound
        });
        let mean = gains.sum::<f64>() / 20.0;
        let most = (rounds * (1.0 + D as f64 / 2.0)).sqrt();
        assert!(mean <= most, "{tasks}: {mean} {most}");
    }
}

#[test]
fn affine_regret_stays_below_the_theorem_at_every_length() {
    for rounds in [50, 200, 800, 3200] {
        let regret = regret(MaskFeatures::Affine, 1.0, 16, rounds, 7);
        assert!(regret.regret.upper <= regret.bound, "{regret:?}");
    }
}
