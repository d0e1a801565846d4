//! Bounds bound: on measured fits, on drawn signs, on rows never seen.

use crate::sample::{PARAMETERS, holey, learners, normal, raw, rng, weighted, with_target};
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::joint::DualPredictor;
use gapfit::joint::bounds::{Claim, Facts, Measurement, Vacuous};
use gapfit::prepare::Intercept;
use gapfit::{Base, Error, Learner, Method, Parameters};
use rand::RngExt;

fn measured(learner: &Learner, data: &Dataset, parameters: Parameters) -> Measurement {
    let model = learner.fit(data, parameters).unwrap().model;
    Measurement::new(&model, data).unwrap()
}

/// What is proved of the complexity in one line: `(1 + γ√m) Λ R / √T`.
fn simple(facts: &Facts) -> f64 {
    let factor = 1.0 + facts.gamma * facts.missing.sqrt();
    factor * facts.radius() * facts.row_norm / (facts.n_rows as f64).sqrt()
}

#[test]
fn every_fit_is_in_the_class_that_the_bounds_are_about() {
    for data in [holey(40, 4, 0.3, 61), weighted(holey(40, 4, 0.3, 62), 63)] {
        for learner in learners() {
            for (alpha, gamma) in [
                (1e-4, 2.0),
                (0.05, 0.7),
                (0.3, 0.0),
                (10.0, 1.0),
                (1e4, 0.5),
            ] {
                let measured = measured(&learner, &data, Parameters { alpha, gamma });
                let (facts, reached) = (measured.facts(), measured.reached());
                let label = format!("{learner:?} {alpha} {gamma}\n{facts:?}\n{reached:?}");
                assert!(reached.penalty <= facts.radius().powi(2), "{label}");
                assert!(reached.dual_norm <= facts.dual_norm(), "{label}");
                assert!(
                    reached.cut_squared_error <= reached.squared_error,
                    "{label}"
                );
            }
        }
    }
}

#[test]
fn the_radius_is_nearly_reached_by_one_feature() {
    // One row x = 1, y = 1 at alpha = 1: w = 1/2 = B/(2√alpha). No smaller radius would do.
    let data = Dataset::new(MaskedMatrix::from_nan(1, 1, &[1.0]).unwrap(), vec![1.0]).unwrap();
    let learner = raw(Method::Impute(Base::Zero), Intercept::None);
    for alpha in [1.0, 4.0] {
        let measured = measured(&learner, &data, Parameters { alpha, gamma: 0.0 });
        let (facts, reached) = (measured.facts(), measured.reached());
        assert!((reached.penalty.sqrt() - 1.0 / (1.0 + alpha)).abs() < 1e-12);
        assert!(
            (reached.penalty.sqrt() / facts.radius() - 1.0).abs() < 1e-12,
            "{alpha}"
        );
    }
}

#[test]
fn the_dual_norm_is_that_of_the_dual_vector() {
    for data in [holey(50, 3, 0.3, 64), weighted(holey(50, 3, 0.3, 65), 66)] {
        for intercept in [Intercept::Free, Intercept::Penalised] {
            let learner = raw(Method::Irr(Base::Mean), intercept);
            let model = learner.fit(&data, PARAMETERS).unwrap().model;
            let dual = DualPredictor::new(&model, &data).unwrap();
            let squares = dual.dual().iter().enumerate();
            let norm = squares
                .map(|(i, d)| d * d / data.weight(i))
                .sum::<f64>()
                .sqrt();
            let measured = Measurement::new(&model, &data).unwrap().reached().dual_norm;
            assert!((measured / norm - 1.0).abs() < 1e-10, "{measured} {norm}");
        }
    }
}

#[test]
fn drawn_signs_stay_below_every_bound_on_the_complexity() {
    for (n_rows, n_cols, rate) in [(30, 2, 0.5), (80, 6, 0.3), (200, 12, 0.6)] {
        let data = holey(n_rows, n_cols, rate, 67);
        for method in Method::ALL {
            for intercept in [Intercept::Free, Intercept::Penalised, Intercept::None] {
                for gamma in [0.0, 0.3, 4.0] {
                    let learner = raw(method, intercept);
                    // Theorem 2 is about another class, smaller than ours where alpha is large.
                    let measured = measured(&learner, &data, Parameters { alpha: 0.05, gamma });
                    let facts = measured.facts();
                    let estimate = measured.complexity(400, &mut rng(68));
                    let value = estimate.value;
                    let label = format!("{method} {intercept} {gamma}: {estimate:?}\n{facts:?}");
                    assert!(value <= facts.complexity(), "{label}");
                    assert!(
                        facts.complexity() <= simple(&facts) * (1.0 + 1e-12),
                        "{label}"
                    );
                    assert!(value <= facts.theorem_2(), "{label}");
                    assert!(facts.complexity() <= 4.0 * value, "{label}");
                }
            }
        }
    }
}

#[test]
fn the_estimate_is_the_mean_over_all_signs() {
    // Rows (3, 4), (1, 0): of the four pairs of signs two give ‖(4, 4)‖, two ‖(2, 4)‖.
    let table = MaskedMatrix::from_nan(2, 2, &[3.0, 4.0, 1.0, 0.0]).unwrap();
    let data = Dataset::new(table, vec![1.0, -2.0]).unwrap();
    let learner = raw(Method::Irr(Base::Zero), Intercept::None);
    let measured = measured(&learner, &data, PARAMETERS);
    let exact = measured.facts().radius() * (32f64.sqrt() + 20f64.sqrt()) / 4.0;
    let estimate = measured.complexity(4000, &mut rng(69));
    assert!(
        (estimate.value - exact).abs() < 4.0 * estimate.error,
        "{estimate:?} {exact}"
    );
    assert!(estimate.error < 0.01 * exact);
    assert_eq!(estimate, measured.complexity(4000, &mut rng(69)));
}

#[test]
fn equal_weights_change_nothing_and_rows_of_weight_zero_are_no_rows() {
    let data = holey(60, 4, 0.4, 70);
    let kept: Vec<usize> = (0..60).filter(|i| i % 5 != 0).collect();
    let weights = (0..60)
        .map(|i| if i % 5 == 0 { 0.0 } else { 8.0 })
        .collect();
    let heavy = data.clone().with_weights(weights).unwrap();
    for method in [Method::default(), Method::Mask, Method::Lifted] {
        let learner = raw(method, Intercept::Penalised);
        let one = measured(&learner, &data.select(&kept), PARAMETERS).facts();
        let two = measured(&learner, &heavy, PARAMETERS).facts();
        assert_eq!((one.n_rows, two.n_rows), (48, 48));
        assert!((two.total_weight / one.total_weight - 8.0).abs() < 1e-12);
        assert!((two.effective_rows - 48.0).abs() < 1e-9);
        let pairs = [
            (one.complexity(), two.complexity()),
            (one.theorem_2(), two.theorem_2()),
            (one.target_variance, two.target_variance),
            (one.reach, two.reach),
            (one.missing, two.missing),
        ];
        assert!(
            pairs.iter().all(|(a, b)| (a / b - 1.0).abs() < 1e-12),
            "{method}\n{one:?}\n{two:?}"
        );
    }
}

#[test]
fn another_unit_of_the_target_scales_our_bounds_of_a_fit_by_its_square() {
    let data = holey(80, 4, 0.3, 71);
    let scaled = with_target(&data, |y| 4.0 * y);
    for intercept in [Intercept::Free, Intercept::Penalised] {
        let learner = raw(Method::default(), intercept);
        let [one, two] = [&data, &scaled].map(|data| measured(&learner, data, PARAMETERS));
        for claim in [Claim::Fixed, Claim::Reached, Claim::Cut] {
            let bound = |m: &Measurement| m.facts().error_bound(&m.reached(), 0.05, claim);
            assert!((bound(&two) / bound(&one) - 16.0).abs() < 1e-8, "{claim:?}");
        }
    }
}

#[test]
fn a_shift_of_the_target_changes_nothing_under_a_free_intercept() {
    let data = holey(80, 4, 0.3, 75);
    let shifted = with_target(&data, |y| y - 1000.0);
    let learner = raw(Method::default(), Intercept::Free);
    let [one, two] = [&data, &shifted].map(|data| measured(&learner, data, PARAMETERS));
    for claim in [Claim::Fixed, Claim::Reached, Claim::Cut] {
        let bound = |m: &Measurement| m.facts().error_bound(&m.reached(), 0.05, claim);
        assert!((bound(&two) / bound(&one) - 1.0).abs() < 1e-8, "{claim:?}");
    }
}

/// Rows in [-1, 1]^3 with holes that depend on the values, and a bounded target.
fn bounded(n_rows: usize, seed: u64) -> Dataset {
    let rng = &mut rng(seed);
    let mut table = MaskedMatrix::new(3);
    let mut target = Vec::new();
    for _ in 0..n_rows {
        let x: [f64; 3] = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
        let noise = normal(rng).clamp(-2.0, 2.0);
        target.push(0.6 * x[0] + 0.3 * x[1] - 0.1 * x[2] + 0.05 * noise);
        let hides = |x: f64, chance: f64| chance < if x > 0.0 { 0.3 } else { 0.1 };
        let cells = x.map(|x| (!hides(x, rng.random())).then_some(x));
        table.push_row(cells).unwrap();
    }
    Dataset::new(table, target).unwrap()
}

#[test]
fn the_error_on_new_rows_is_below_the_bound_and_the_bound_can_say_something() {
    let (train, test) = (bounded(40_000, 72), bounded(20_000, 73));
    // A free intercept enlarges the class: then only the middle of the range is beaten for sure.
    for (intercept, expected) in [
        (Intercept::Penalised, None),
        (Intercept::Free, Some(Vacuous::Mean)),
    ] {
        let learner = raw(Method::Irr(Base::Zero), intercept);
        let parameters = Parameters {
            alpha: 0.5,
            gamma: 0.5,
        };
        let model = learner.fit(&train, parameters).unwrap().model;
        let measured = Measurement::new(&model, &train).unwrap();
        let (facts, reached) = (measured.facts(), measured.reached());
        let held_out = Measurement::new(&model, &test).unwrap().reached();
        let [fixed, reach, cut] = [Claim::Fixed, Claim::Reached, Claim::Cut]
            .map(|claim| facts.error_bound(&reached, 0.05, claim));
        assert!(
            held_out.squared_error <= fixed.min(reach),
            "{fixed} {reach}"
        );
        assert!(held_out.cut_squared_error <= cut, "{cut}");
        assert!(cut <= reach && reach < fixed, "{cut} {reach} {fixed}");
        assert_eq!(facts.vacuous(cut), expected, "{cut} {facts:?}");
        // The same on forty rows says nothing, and is said to.
        let few = train.select(&(0..40).collect::<Vec<_>>());
        let measured =
            Measurement::new(&learner.fit(&few, parameters).unwrap().model, &few).unwrap();
        let facts = measured.facts();
        for claim in [Claim::Fixed, Claim::Reached, Claim::Cut] {
            let bound = facts.error_bound(&measured.reached(), 0.05, claim);
            assert_eq!(facts.vacuous(bound), Some(Vacuous::Centre));
        }
    }
}

#[test]
fn tables_that_cannot_be_the_training_rows_are_refused() {
    let data = holey(20, 3, 0.3, 74);
    let model = Learner::default().fit(&data, PARAMETERS).unwrap().model;
    let error = Measurement::new(&model, &holey(20, 4, 0.3, 74)).unwrap_err();
    assert_eq!(error.to_string(), "columns of the table: expected 3, got 4");
    let weightless = data.with_weights(vec![0.0; 20]).unwrap();
    let error = Measurement::new(&model, &weightless).unwrap_err();
    assert!(matches!(error, Error::Empty { .. }), "{error}");
}
