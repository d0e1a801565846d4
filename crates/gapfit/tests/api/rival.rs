//! The paper's own solvers against the exact one.

use crate::sample::{INTERCEPTS, holey, learner, raw, weighted};
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::joint::{Imputation, Status};
use gapfit::prepare::{Intercept, Scale};
use gapfit::rival::{Report, Solver};
use gapfit::tune::{self, Search};
use gapfit::{Base, Error, Fitted, Learner, Method, Parameters};
use proptest::prelude::*;
use std::ops::ControlFlow;

fn fit(exact: &Learner, solver: Solver, data: &Dataset, parameters: Parameters) -> Fitted {
    let rival = Learner {
        solver,
        tol: solver.usual_tol(),
        ..exact.clone()
    };
    rival.fit(data, parameters).expect("legal input")
}

/// The largest difference of predictions at the training rows, relative to the spread of the target.
fn apart(one: &Fitted, two: &Fitted, data: &Dataset) -> f64 {
    let of = |fitted: &Fitted| fitted.model.predict(data.features()).expect("same columns");
    let (least, most) = data
        .target()
        .iter()
        .fold((f64::MAX, f64::MIN), |(a, b), &y| (a.min(y), b.max(y)));
    let off = of(one).into_iter().zip(of(two)).map(|(a, b)| (a - b).abs());
    off.fold(0.0, f64::max) / (most - least)
}

/// The weighted mean of the squared differences of predictions at the training rows.
fn mean_square(one: &Fitted, two: &Fitted, data: &Dataset) -> f64 {
    let of = |fitted: &Fitted| fitted.model.predict(data.features()).expect("same columns");
    let pairs = of(one).into_iter().zip(of(two)).enumerate();
    let total: f64 = (0..data.n_rows()).map(|i| data.weight(i)).sum();
    let sum: f64 = pairs
        .map(|(i, (a, b))| data.weight(i) * (a - b) * (a - b))
        .sum();
    sum / total
}

#[test]
fn cutting_planes_enclose_the_exact_optimum_and_come_to_it() {
    let data = holey(60, 3, 0.3, 7);
    for data in [data.clone(), weighted(data, 3)] {
        for base in [Base::Zero, Base::Mean] {
            for intercept in INTERCEPTS {
                for (alpha, gamma) in [(0.02, 0.5), (0.05, 1.0), (0.2, 2.0)] {
                    let exact = learner(Method::Irr(base), Scale::Standard, intercept, 0.0);
                    let parameters = Parameters { alpha, gamma };
                    let about = format!("{base} {intercept} {alpha} {gamma}");
                    let optimum = exact.fit(&data, parameters).expect("legal input");
                    let silp = fit(&exact, Solver::Silp, &data, parameters);
                    let value = optimum.outcome.objective;
                    assert_eq!(silp.outcome.status, Status::Converged, "{about}");
                    assert!(silp.outcome.lower_bound <= value * (1.0 + 1e-10), "{about}");
                    assert!(silp.outcome.objective >= value * (1.0 - 1e-10), "{about}");
                    assert!(silp.outcome.objective <= value * 1.001, "{about}");
                    // The mean squared error is strongly convex in the predictions.
                    let excess = silp.outcome.objective - optimum.outcome.lower_bound;
                    assert!(mean_square(&optimum, &silp, &data) <= excess, "{about}");
                    assert!(silp.warnings.is_empty(), "{about}");
                }
            }
        }
    }
}

#[test]
fn cutting_planes_agree_to_a_thousandth_at_200_rows_and_6_columns() {
    let data = holey(200, 6, 0.3, 7);
    let exact = Learner::default();
    for (alpha, gamma) in [(0.05, 1.0), (0.2, 2.0)] {
        let parameters = Parameters { alpha, gamma };
        let value = exact.fit(&data, parameters).unwrap().outcome.objective;
        let silp = fit(&exact, Solver::Silp, &data, parameters);
        let outcome = silp.outcome;
        assert!(outcome.lower_bound <= value && value <= outcome.objective);
        assert!(outcome.objective <= value * 1.001 && outcome.lower_bound >= value * 0.999);
        let Some(Report::Silp(report)) = silp.rival else {
            panic!("{:?}", silp.rival);
        };
        assert!(report.value_cuts > 1 && report.kernel_cuts > 0);
        assert_eq!(report.rounds, outcome.iterations);
        assert!((-0.1..=0.0).contains(&report.violation));
    }
}

#[test]
fn with_dependent_features_the_papers_constraint_is_weaker_and_the_fit_says_so() {
    let data = holey(8, 4, 0.4, 1);
    let exact = raw(Method::Irr(Base::Zero), Intercept::None);
    let parameters = Parameters {
        alpha: 0.05,
        gamma: 2.0,
    };
    let value = exact.fit(&data, parameters).unwrap().outcome.objective;
    let silp = fit(&exact, Solver::Silp, &data, parameters);
    assert!(silp.outcome.lower_bound <= value);
    assert!(
        silp.warnings[0].contains("dependent"),
        "{:?}",
        silp.warnings
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn taking_turns_never_gets_below_the_certified_bound(
        (n_rows, n_cols, seed) in (4..40usize, 1..5usize, 0..1000u64),
        (alpha, gamma) in (-4.0..1.0f64, -2.0..2.0f64),
        (base, intercept) in (prop::sample::select(vec![Base::Zero, Base::Mean]), prop::sample::select(INTERCEPTS.to_vec())),
    ) {
        let data = weighted(holey(n_rows, n_cols, 0.35, seed), seed);
        let parameters = Parameters { alpha: 10f64.powf(alpha), gamma: 10f64.powf(gamma) };
        let exact = learner(Method::Irr(base), Scale::Standard, intercept, 0.0);
        let optimum = exact.fit(&data, parameters).unwrap().outcome;
        let fitted = fit(&exact, Solver::Alternating, &data, parameters);
        let outcome = fitted.outcome;
        // both are differences of sums as large as the squares of the target
        let squares = data.target().iter().map(|y| y * y).sum::<f64>() / n_rows as f64;
        let rounding = 1e-12 * squares.max(f64::MIN_POSITIVE);
        prop_assert!(outcome.objective >= optimum.lower_bound - rounding, "{outcome:?} {optimum:?}");
        prop_assert!(fitted.model.predict(data.features()).unwrap().iter().all(|p| p.is_finite()));
        prop_assert!(outcome.status != Status::Converged || outcome.gap <= 1e-8);
    }
}

#[test]
fn taking_turns_reaches_the_bound_where_the_relaxation_is_tight() {
    let data = holey(80, 3, 0.3, 5);
    let exact = Learner {
        tol: 1e-10,
        ..Learner::default()
    };
    let parameters = Parameters {
        alpha: 0.05,
        gamma: 8.0,
    };
    let optimum = exact.fit(&data, parameters).unwrap();
    // Σ(s_k/w_k)² <= γ²: there N_k = m_k m_kᵀ.
    let imputation = Imputation::of(&optimum.model).expect("there are holes");
    let size = squared_norm(&imputation);
    assert!(size < 0.99 * 64.0, "{size}");
    let fitted = fit(&exact, Solver::Alternating, &data, parameters);
    assert_eq!(fitted.outcome.status, Status::Converged);
    assert!(fitted.outcome.objective <= optimum.outcome.objective * (1.0 + 1e-8));
    assert!(apart(&optimum, &fitted, &data) <= 1e-4);
}

#[test]
fn taking_turns_reports_the_value_of_its_model_and_what_the_relaxation_gave_away() {
    let data = holey(60, 3, 0.3, 7);
    let exact = raw(Method::Irr(Base::Zero), Intercept::None);
    let parameters = Parameters {
        alpha: 0.01,
        gamma: 0.5,
    };
    let fitted = fit(&exact, Solver::Alternating, &data, parameters);
    let outcome = fitted.outcome;
    assert_eq!(outcome.status, Status::Stationary);
    assert!(outcome.gap > 0.01 && outcome.lower_bound > 0.0);
    let Some(Report::Alternating(report)) = fitted.rival else {
        panic!("{:?}", fitted.rival);
    };
    assert!((report.relaxation_gap - outcome.gap).abs() <= 1e-15);
    assert!(report.starts > 2 && report.worst_start >= 1.0);
    // (1/T) Σ (y - f)² + alpha ‖w‖², and u_k = w_k m_k with ‖M‖ <= γ.
    let predictions = fitted.model.predict(data.features()).unwrap();
    let pairs = predictions.iter().zip(data.target());
    let loss: f64 = pairs.map(|(f, y)| (y - f) * (y - f)).sum();
    let (_, weights) = fitted.model.weights();
    let ridge: f64 = weights.iter().map(|w| w * w).sum();
    let value = loss / 60.0 + parameters.alpha * ridge;
    assert!((value / outcome.objective - 1.0).abs() <= 1e-10);
    let sizes = weights.iter().enumerate().filter_map(|(k, w)| {
        let (_, shift) = fitted.model.shift(k)?;
        Some(shift.iter().map(|u| (u / w) * (u / w)).sum::<f64>())
    });
    assert!(sizes.sum::<f64>() <= 0.25 * (1.0 + 1e-9));
}

/// ‖M‖².
fn squared_norm(imputation: &Imputation) -> f64 {
    let columns = imputation.corrections();
    columns
        .map(|(_, m)| m.iter().map(|m| m * m).sum::<f64>())
        .sum()
}

#[test]
fn every_solver_gives_the_same_model_twice_and_on_any_table() {
    let hole = None;
    let mut plain = MaskedMatrix::new(2);
    for i in 0..6 {
        plain
            .push_row([Some(f64::from(i)), Some(f64::from(i * i % 4))])
            .unwrap();
    }
    let complete = Dataset::new(plain, vec![1.0, 2.0, 2.5, 4.0, 5.0, 7.0]).unwrap();
    let mut empty = MaskedMatrix::new(2);
    for i in 0..6 {
        empty.push_row([Some(f64::from(i)), hole]).unwrap();
    }
    let all_missing = Dataset::new(empty, vec![1.0, 2.0, 2.5, 4.0, 5.0, 7.0]).unwrap();
    let constant = Dataset::new(holey(12, 2, 0.3, 1).features().clone(), vec![3.0; 12]).unwrap();
    let parameters = Parameters {
        alpha: 0.1,
        gamma: 1.0,
    };
    for data in [
        complete,
        all_missing,
        constant,
        holey(20, 2, 0.5, 2),
        holey(3, 2, 0.5, 4),
    ] {
        for &solver in Solver::ALL {
            let predict = || {
                let fitted = fit(&Learner::default(), solver, &data, parameters);
                assert!(fitted.outcome.objective >= fitted.outcome.lower_bound);
                fitted.model.predict(data.features()).unwrap()
            };
            let (one, two) = (predict(), predict());
            assert!(one.iter().all(|p| p.is_finite()), "{solver}");
            assert_eq!(one, two, "{solver}");
        }
    }
}

#[test]
fn the_ends_of_the_range_of_parameters_give_a_model_or_an_error() {
    let data = holey(14, 3, 0.3, 1);
    for alpha in [1e-100, 1e-9, 1e9, 1e100] {
        for gamma in [1e-100, 1e-9, 1e9, 1e100] {
            for &solver in Solver::ALL {
                let learner = Learner {
                    solver,
                    max_iter: 20,
                    ..Learner::default()
                };
                match learner.fit(&data, Parameters { alpha, gamma }) {
                    Ok(fitted) => {
                        let predictions = fitted.model.predict(data.features()).unwrap();
                        assert!(
                            predictions.iter().all(|p| p.is_finite()),
                            "{solver} {alpha} {gamma}"
                        );
                        assert!(fitted.outcome.gap >= 0.0, "{solver} {alpha} {gamma}");
                    }
                    Err(error) => assert!(
                        matches!(
                            error,
                            Error::Numerical { .. } | Error::NotPositiveDefinite { .. }
                        ),
                        "{error}"
                    ),
                }
            }
        }
    }
}

#[test]
fn tuning_takes_the_exact_solver_whoever_fits() {
    let data = holey(60, 2, 0.3, 1);
    let best = |solver| {
        let learner = Learner {
            solver,
            ..Learner::default()
        };
        let go = |_: usize, _: usize| ControlFlow::Continue(());
        let tuned = tune::cross_validate(&learner, &data, &Search::default(), &go).unwrap();
        (tuned.best.parameters, tuned.best.rmse.to_bits())
    };
    assert_eq!(best(Solver::Exact), best(Solver::Alternating));
}

#[test]
fn what_a_rival_cannot_do_is_refused_with_its_limit() {
    let data = holey(30, 3, 0.3, 1);
    let parameters = Parameters {
        alpha: 0.1,
        gamma: 1.0,
    };
    let refusal = |learner: Learner, data: &Dataset, parameters| {
        learner.fit(data, parameters).unwrap_err().to_string()
    };
    let silp = |method| Learner {
        solver: Solver::Silp,
        ..Learner::new(method)
    };
    assert_eq!(
        refusal(silp(Method::Mask), &data, parameters),
        "solver: expected exact unless the method is irr with gamma above 0, got silp with method mask"
    );
    let none = Parameters {
        gamma: 0.0,
        ..parameters
    };
    assert_eq!(
        refusal(silp(Method::default()), &data, none),
        "solver: expected exact unless the method is irr with gamma above 0, got silp with gamma 0"
    );
    let wide = holey(30, 20, 0.3, 1);
    assert_eq!(
        refusal(silp(Method::default()), &wide, parameters),
        "unknowns for solver silp: expected at most 100, got 419"
    );
    let error = silp(Method::default()).fit(&wide, parameters).unwrap_err();
    assert!(matches!(error, Error::TooLarge { limit: 100, .. }));
}

#[cfg(feature = "sdp")]
mod sdp {
    use super::*;

    #[test]
    fn the_semidefinite_program_has_the_exact_optimum() {
        for (n_rows, n_cols) in [(12, 2), (25, 3), (30, 4)] {
            let data = holey(n_rows, n_cols, 0.3, 7);
            for (base, intercept) in [
                (Base::Zero, Intercept::None),
                (Base::Mean, Intercept::Free),
                (Base::Zero, Intercept::Penalised),
            ] {
                for (alpha, gamma) in [(0.01, 0.5), (0.2, 2.0)] {
                    let exact = learner(Method::Irr(base), Scale::Standard, intercept, 0.0);
                    let parameters = Parameters { alpha, gamma };
                    let about = format!("{n_rows} x {n_cols} {base} {intercept} {alpha} {gamma}");
                    let optimum = exact.fit(&data, parameters).expect("legal input");
                    let sdp = fit(&exact, Solver::Sdp, &data, parameters);
                    let off = sdp.outcome.objective / optimum.outcome.objective - 1.0;
                    assert!(off.abs() <= 1e-6, "{about}: off by {off:e}");
                    let off = apart(&optimum, &sdp, &data);
                    assert!(off <= 1e-4, "{about}: predictions off by {off:e}");
                    assert!(
                        sdp.outcome.lower_bound <= optimum.outcome.objective,
                        "{about}"
                    );
                    assert!(sdp.warnings.is_empty(), "{about}");
                }
            }
        }
    }

    #[test]
    fn more_rows_than_it_can_hold_are_refused() {
        let learner = Learner {
            solver: Solver::Sdp,
            ..Learner::default()
        };
        let parameters = Parameters {
            alpha: 0.1,
            gamma: 1.0,
        };
        let error = learner.fit(&holey(61, 2, 0.3, 1), parameters).unwrap_err();
        assert_eq!(
            error.to_string(),
            "rows for solver sdp: expected at most 60, got 61"
        );
    }
}
