use super::*;
use proptest::prelude::*;

/// What the combination loses, and each expert, on a stream of predictions and targets.
fn play(loss: Loss, rounds: &[(Vec<f64>, f64, f64)]) -> (f64, Vec<f64>, Mixture) {
    let n = rounds[0].0.len();
    let mut mixture = Mixture::new(loss, n);
    let (mut combined, mut experts) = (0.0, vec![0.0; n]);
    for (predictions, target, weight) in rounds {
        let prediction = mixture.combine(predictions);
        combined += weight * loss.value(prediction, *target);
        for (sum, &p) in experts.iter_mut().zip(predictions) {
            *sum += weight * loss.value(p, *target);
        }
        mixture.update(predictions, *target, *weight);
    }
    (combined, experts, mixture)
}

fn best(experts: &[f64]) -> f64 {
    experts.iter().copied().fold(f64::INFINITY, f64::min)
}

fn target(loss: Loss, y: f64) -> f64 {
    if loss.is_classification() {
        y.signum()
    } else {
        y
    }
}

proptest! {
    #[test]
    fn the_combination_stays_within_its_bound_of_the_best_expert(
        which in 0..Loss::ALL.len(),
        n in 1..5usize,
        numbers in prop::collection::vec((-3.0..3.0f64, -3.0..3.0f64, 0.1..2.5f64), 1..160),
    ) {
        let loss = Loss::ALL[which];
        let round = |(i, &(p, y, w)): (usize, &(f64, f64, f64))| {
            let experts = (0..n).map(|k| p * (k as f64 - 1.0) + (i * (k + 1) % 7) as f64 / 7.0);
            (experts.collect(), target(loss, y), w)
        };
        let rounds: Vec<_> = numbers.iter().enumerate().map(round).collect();
        let (combined, experts, mixture) = play(loss, &rounds);
        let regret = combined - best(&experts);
        prop_assert!(regret <= mixture.bound() + 1e-9 * (1.0 + combined.abs()),
            "{loss}: {regret} {}", mixture.bound());
        let shares = mixture.shares();
        prop_assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn an_adversary_cannot_push_the_combination_above_its_bound() {
    // Two experts that contradict each other; the target is whatever hurts the combination most.
    let n_rounds = 500;
    for loss in Loss::ALL {
        let mut mixture = Mixture::new(loss, 3);
        let (mut combined, mut experts) = (0.0, [0.0; 3]);
        for _ in 0..n_rounds {
            let predictions = [1.0, -1.0, 0.0];
            let prediction = mixture.combine(&predictions);
            let worst = [-1.0, 1.0]
                .into_iter()
                .max_by(|a, b| {
                    loss.value(prediction, *a)
                        .total_cmp(&loss.value(prediction, *b))
                })
                .unwrap();
            combined += loss.value(prediction, worst);
            for (sum, p) in experts.iter_mut().zip(predictions) {
                *sum += loss.value(p, worst);
            }
            mixture.update(&predictions, worst, 1.0);
        }
        let regret = combined - best(&experts);
        assert!(
            regret <= mixture.bound() + 1e-9,
            "{loss}: {regret} {}",
            mixture.bound()
        );
        assert!(
            mixture.bound() < 4.0 * f64::from(n_rounds).sqrt(),
            "{loss}: not empty"
        );
    }
}

#[test]
fn heavy_rows_stay_within_the_bound() {
    // Log-odds of which one is sure and wrong, on a row as heavy as the heaviest before.
    for weight in [1.0, 10.0, 100.0] {
        let rounds = [
            (vec![0.0, 0.0], 1.0, weight),
            (vec![7.0, 0.0], -1.0, weight),
        ];
        let (combined, experts, mixture) = play(Loss::Logistic, &rounds);
        let regret = combined - best(&experts);
        assert!(regret <= mixture.bound() + 1e-9, "{weight}: {regret}");
        assert!((mixture.bound() - weight * 2f64.ln()).abs() < 1e-9);
        let rounds = [
            (vec![1.0, 1.0], 1.0, weight),
            (vec![-1.0, -1.0], -1.0, weight),
            (vec![1.0, 0.0], -1.0, weight),
        ];
        let (combined, experts, mixture) = play(Loss::Squared, &rounds);
        let regret = combined - best(&experts);
        assert!(regret <= mixture.bound() + 1e-9, "{weight}: {regret}");
    }
}

#[test]
fn one_who_joins_is_one_who_lost_what_was_mixed_before() {
    for loss in Loss::ALL {
        let mut mixture = Mixture::new(loss, 2);
        let (mut all, mut newcomer) = (0.0, 0.0);
        let (mut first, mut second) = (0.0, 0.0);
        for i in 0..400 {
            let y = if (i * i + i / 3) % 5 < 3 { 1.0 } else { -1.0 };
            if i == 100 {
                newcomer += mixture.tally.mixed;
                mixture.push();
            }
            // The newcomer is right three times out of four.
            let right = if i % 4 == 0 { -y } else { y };
            let predictions = [1.0, -1.0, right];
            let predictions = &predictions[..mixture.n_experts()];
            let suffered = loss.value(mixture.combine(predictions), y);
            mixture.update(predictions, y, 1.0);
            all += suffered;
            first += loss.value(1.0, y);
            second += loss.value(-1.0, y);
            if i >= 100 {
                newcomer += loss.value(right, y);
            }
        }
        let bound = mixture.bound() + 1e-9;
        assert!(all <= first.min(second) + bound, "{loss}");
        assert!(all <= newcomer + bound, "{loss}: {all} {newcomer}");
        assert!(bound < 60.0, "{loss}: {bound}");
    }
}

#[test]
fn bounds_are_the_ones_of_the_table() {
    let rounds: Vec<_> = (0..50)
        .map(|i| (vec![0.5, -0.25], if i % 3 == 0 { -1.0 } else { 1.0 }, 1.0))
        .collect();
    let (_, _, logistic) = play(Loss::Logistic, &rounds);
    assert!((logistic.bound() - 2f64.ln()).abs() < 1e-12);
    let (_, _, hinge) = play(Loss::SquaredHinge, &rounds);
    assert!((hinge.bound() - 2.0 * 2f64.ln()).abs() < 1e-12);
    let (_, _, squared) = play(Loss::Squared, &rounds);
    // Before there was a range, the better expert lost (1 - 0.25)²; then a target came 2 further right.
    let first = (0.125f64 + 1.0).powi(2) - 0.75f64.powi(2);
    assert!((squared.bound() - (2.0 * 2f64.ln() + first + 4.0)).abs() < 1e-12);
}

#[test]
fn an_expert_that_joins_late_is_heard_at_once() {
    let mut mixture = Mixture::new(Loss::Logistic, 2);
    for i in 0..100 {
        let class = if i % 2 == 0 { 1.0 } else { -1.0 };
        mixture.update(&[2.0, -2.0], class, 1.0);
    }
    mixture.push();
    let share = mixture.shares()[2];
    assert!(share > 0.2 && share < 0.8, "{share}");
}

#[test]
fn huge_predictions_and_a_single_expert_give_finite_numbers() {
    for loss in Loss::ALL {
        for n in [1, 2] {
            let mut mixture = Mixture::new(loss, n);
            for y in [1.0, -1.0, 1.0] {
                let predictions = &[1e150, -1e150][..n];
                assert!(mixture.combine(predictions).is_finite(), "{loss}");
                mixture.update(predictions, y, 1.0);
                assert!(mixture.shares().iter().all(|s| s.is_finite()), "{loss}");
            }
        }
    }
}
