//! Special cases whose answer is known.

use crate::objective::{Predictor, loss, squares};
use crate::sample::{
    INTERCEPTS, SCALES, assert_close, bits, holey, learner, learners, raw, weighted,
};
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::joint::Status;
use gapfit::prepare::Intercept;
use gapfit::{Base, Method, Parameters};

const BASES: [Base; 4] = [Base::Zero, Base::Mean, Base::Independent, Base::Gaussian];

#[test]
fn without_gamma_irr_is_exactly_its_base_and_ridge() {
    let data = weighted(holey(60, 4, 0.3, 1), 2);
    let parameters = Parameters {
        alpha: 0.05,
        gamma: 0.0,
    };
    for base in BASES {
        for scale in SCALES {
            for intercept in INTERCEPTS {
                let fit = |method| {
                    let learner = learner(method, scale, intercept, 0.01);
                    let fitted = learner.fit(&data, parameters).unwrap();
                    bits(&fitted.model.predict(data.features()).unwrap())
                };
                let (irr, ridge) = (fit(Method::Irr(base)), fit(Method::Impute(base)));
                assert_eq!(irr, ridge, "{base} {scale} {intercept}");
            }
        }
    }
}

#[test]
fn a_small_gamma_is_close_to_base_and_ridge() {
    let data = holey(60, 4, 0.3, 3);
    let parameters = Parameters {
        alpha: 0.05,
        gamma: 1e-6,
    };
    for base in BASES {
        for scale in SCALES {
            for intercept in INTERCEPTS {
                let fit = |method| {
                    let learner = learner(method, scale, intercept, 0.0);
                    let fitted = learner.fit(&data, parameters).unwrap();
                    (learner, fitted.model.predict(data.features()).unwrap())
                };
                let (_, ridge) = fit(Method::Impute(base));
                let (learner, irr) = fit(Method::Irr(base));
                assert_close(&irr, &ridge, 1e-4, &learner);
            }
        }
    }
}

#[test]
fn an_overwhelming_penalty_leaves_only_the_mean_of_the_target_or_nothing() {
    let data = weighted(holey(50, 4, 0.3, 4), 5);
    let total: f64 = (0..50).map(|i| data.weight(i)).sum();
    let mean: f64 = (0..50)
        .map(|i| data.weight(i) * data.target()[i])
        .sum::<f64>()
        / total;
    let parameters = Parameters {
        alpha: 1e12,
        gamma: 1.0,
    };
    for learner in learners() {
        let fitted = learner.fit(&data, parameters).unwrap();
        let (_, weights) = fitted.model.weights();
        assert!(weights.iter().all(|w| w.abs() < 1e-9), "{weights:?}");
        let left = match learner.preparation.intercept {
            Intercept::Free => mean,
            Intercept::Penalised | Intercept::None => 0.0,
        };
        for prediction in fitted.model.predict(data.features()).unwrap() {
            assert!((prediction - left).abs() < 1e-8, "{prediction} {learner:?}");
        }
    }
}

/// `min ‖y - Σ v_j φ_j‖²/n + alpha Σ penalty_j v_j²` over at most three unknowns, by elimination.
fn ridge(features: &[Vec<f64>], y: &[f64], penalty: &[f64], alpha: f64) -> (Vec<f64>, f64) {
    let (d, n) = (features.len(), y.len() as f64);
    let inner = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / n;
    let mut system: Vec<Vec<f64>> = (0..d)
        .map(|i| {
            let mut row: Vec<_> = features.iter().map(|f| inner(&features[i], f)).collect();
            row[i] += alpha * penalty[i];
            row.push(inner(&features[i], y));
            row
        })
        .collect();
    for i in 0..d {
        let pivot = system[i].clone();
        for (j, row) in system.iter_mut().enumerate().filter(|(j, _)| *j != i) {
            let factor = row[i] / pivot[i];
            debug_assert!(factor.is_finite(), "pivot {i} for row {j}");
            row.iter_mut()
                .zip(&pivot)
                .for_each(|(x, p)| *x -= factor * p);
        }
    }
    let v: Vec<_> = (0..d).map(|i| system[i][d] / system[i][i]).collect();
    let fitted = |r: usize| v.iter().zip(features).map(|(v, f)| v * f[r]).sum::<f64>();
    let residual: Vec<_> = (0..y.len()).map(|r| y[r] - fitted(r)).collect();
    let cost: f64 = v.iter().zip(penalty).map(|(v, p)| p * v * v).sum();
    (v, squares(&residual) / n + alpha * cost)
}

/// Where the minimum of [`one_holey_column`] lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Side {
    Weight,
    Shift,
    Kink,
}

/// The least of `‖y - f‖²/n + alpha (w0² + max(w1², u0²/γ²))`, where `f = w0 a + w1 b + u0 c`: either
/// one of the two is the larger, or both are equal.
fn one_holey_column(features: &[Vec<f64>; 3], y: &[f64], alpha: f64, gamma: f64) -> (f64, Side) {
    let per_gamma = 1.0 / (gamma * gamma);
    let (v, value) = ridge(features, y, &[1.0, 1.0, 0.0], alpha);
    if v[2].abs() <= gamma * v[1].abs() {
        return (value, Side::Weight);
    }
    let (v, value) = ridge(features, y, &[1.0, 0.0, per_gamma], alpha);
    if v[1].abs() <= v[2].abs() / gamma {
        return (value, Side::Shift);
    }
    let tied = |sign: f64| {
        let both = features[1].iter().zip(&features[2]);
        let joined = both.map(|(b, c)| b + sign * gamma * c).collect();
        ridge(&[features[0].clone(), joined], y, &[1.0, 1.0], alpha).1
    };
    (tied(1.0).min(tied(-1.0)), Side::Kink)
}

/// Checks fits of a table whose last column alone has holes, over many alpha and gamma.
fn check_one_holey_column(first: &[f64], data: &Dataset, intercept: Intercept) {
    let last = data.n_features() - 1;
    let table = data.features();
    let is_hole = |i: usize| table.get(i, last).is_none();
    let second = (0..data.n_rows()).map(|i| table.get(i, last).unwrap_or(0.0));
    let third = (0..data.n_rows()).map(|i| if is_hole(i) { first[i] } else { 0.0 });
    let features = [first.to_vec(), second.collect(), third.collect()];
    let mut sides = std::collections::HashSet::new();
    for alpha in [1e-4, 1e-2, 1.0, 30.0] {
        for gamma in [1e-3, 0.03, 0.1, 0.3, 0.5, 1.0, 3.0, 100.0] {
            let (want, side) = one_holey_column(&features, data.target(), alpha, gamma);
            sides.insert(side);
            let learner = raw(Method::Irr(Base::Zero), intercept);
            let fitted = learner.fit(data, Parameters { alpha, gamma }).unwrap();
            let got = fitted.outcome.objective;
            let about = format!("alpha {alpha} gamma {gamma} {side:?} {:?}", fitted.outcome);
            assert!(
                (got / want - 1.0).abs() <= 1e-9,
                "{got} is not {want}: {about}"
            );
            assert!(
                fitted.outcome.lower_bound <= want * (1.0 + 1e-12),
                "{about}"
            );
            // The same by hand from the model's weights.
            let (constant, weights) = fitted.model.weights();
            let (shifted, shift) = fitted.model.shift(last).expect("it has holes");
            let (w, u) = match intercept {
                Intercept::None => ([weights[0], weights[1]], shift[0]),
                _ => ([constant, weights[0]], shifted),
            };
            let omega = w[0] * w[0] + (w[1] * w[1]).max(u * u / gamma / gamma);
            let fit = loss(data, &fitted.model.predict(table).unwrap());
            let by_hand = fit + alpha * omega;
            assert!(
                (got / by_hand - 1.0).abs() <= 1e-9,
                "{got} {by_hand}: {about}"
            );
        }
    }
    assert_eq!(
        sides.len(),
        3,
        "every case of the penalty occurs: {sides:?}"
    );
}

#[test]
fn holes_in_one_of_two_columns_cost_the_larger_of_weight_and_shift() {
    let data = holey(40, 2, 0.4, 6);
    let first: Vec<_> = (0..40)
        .map(|i| data.features().get(i, 0).unwrap())
        .collect();
    check_one_holey_column(&first, &data, Intercept::None);
}

#[test]
fn one_feature_with_a_penalised_constant_costs_the_larger_of_weight_and_shift() {
    let data = holey(40, 1, 0.4, 7);
    check_one_holey_column(&[1.0; 40], &data, Intercept::Penalised);
}

#[test]
fn the_objective_is_loss_and_penalty_of_the_model() {
    let data = weighted(holey(60, 4, 0.3, 8), 9);
    for method in Method::ALL {
        for intercept in INTERCEPTS {
            for (alpha, gamma) in [(1e-3, 0.1), (0.1, 1.0), (10.0, 5.0)] {
                let learner = raw(method, intercept);
                let fitted = learner.fit(&data, Parameters { alpha, gamma }).unwrap();
                let outcome = fitted.outcome;
                let predictor = Predictor::of(&fitted.model);
                let fit = loss(&data, &fitted.model.predict(data.features()).unwrap());
                let plain = predictor.weight_squares(intercept);
                let (least, most) = if let Method::Irr(_) = method {
                    let shifts = predictor.shifts_alone(gamma);
                    (plain.max(shifts), plain + shifts)
                } else {
                    let ridge = plain + squares(&predictor.shift_norms());
                    (ridge, ridge)
                };
                let rounding = 1e-9 * outcome.objective;
                let about = format!("{outcome:?} {learner:?}");
                assert!(
                    outcome.objective >= fit + alpha * least - rounding,
                    "{about}"
                );
                assert!(
                    outcome.objective <= fit + alpha * most + rounding,
                    "{about}"
                );
                assert_eq!(outcome.status, Status::Converged, "{about}");
            }
        }
    }
}

#[test]
fn a_table_without_columns_predicts_the_mean() {
    let mut table = MaskedMatrix::new(0);
    for _ in 0..3 {
        table.push_row([]).unwrap();
    }
    let data = Dataset::new(table, vec![1.0, 2.0, 6.0]).unwrap();
    for method in Method::ALL {
        let learner = raw(method, Intercept::Free);
        let fitted = learner.fit(&data, crate::sample::PARAMETERS).unwrap();
        let predictions = fitted.model.predict(data.features()).unwrap();
        assert_close(&predictions, &[3.0; 3], 1e-15, &learner);
    }
}
