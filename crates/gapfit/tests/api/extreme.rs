//! Legal tables that are easily got wrong, each as small as it gets.

use crate::sample::{PARAMETERS, holey, learner, raw, with_column};
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::joint::Status;
use gapfit::prepare::{Intercept, Scale};
use gapfit::{Base, Learner, Method, Parameters};

const HOLE: f64 = f64::NAN;

/// A table row by row, and its target.
fn data(rows: &[&[f64]], target: &[f64]) -> Dataset {
    let table = MaskedMatrix::from_nan(rows.len(), rows[0].len(), &rows.concat());
    Dataset::new(table.expect("finite cells"), target.to_vec()).expect("finite targets")
}

fn named(method: &str, scale: Scale, intercept: Intercept) -> Learner {
    learner(method.parse().expect("a method"), scale, intercept, 0.0)
}

#[track_caller]
fn assert_sound(learner: &Learner, data: &Dataset, alpha: f64, gamma: f64) {
    let fitted = learner.fit(data, Parameters { alpha, gamma }).unwrap();
    let outcome = fitted.outcome;
    let size = crate::objective::squares(data.target());
    assert!(
        outcome.objective <= size && outcome.lower_bound <= outcome.objective,
        "{outcome:?}"
    );
    assert!(outcome.lower_bound.is_finite() && outcome.gap.is_finite());
    let predictions = fitted.model.predict(data.features()).unwrap();
    assert!(predictions.iter().all(|f| f.is_finite()), "{predictions:?}");
}

#[test]
fn a_large_constant_column_is_fitted_with_the_zero_base() {
    for intercept in crate::sample::INTERCEPTS {
        for method in ["zero", "irr:zero"] {
            let learner = named(method, Scale::Standard, intercept);
            let complete = data(
                &[&[1e95, 1.0], &[1e95, 2.0], &[1e95, 4.0]],
                &[1.0, 2.0, 3.0],
            );
            assert_sound(&learner, &complete, 1.0, 1.0);
            let holey = data(&[&[HOLE], &[4.874229890213891e119]], &[1.0, 1.0]);
            assert_sound(&learner, &holey, 1.0, 1.0);
            assert_sound(&learner, &data(&[&[-9e101]], &[-9e146]), 1.0, 1.0);
        }
    }
}

#[test]
fn a_large_column_is_fitted_unscaled() {
    for intercept in crate::sample::INTERCEPTS {
        for method in Method::ALL {
            let learner = raw(method, intercept);
            assert_sound(&learner, &data(&[&[6e45]], &[1.0]), 1.0, 1.0);
            assert_sound(&learner, &data(&[&[1e97], &[HOLE]], &[1.0, 1.0]), 1.0, 1.0);
            let mixed = data(
                &[&[1.0, 1e11], &[1e86, HOLE]],
                &[-192.55421013503738, -300.0],
            );
            assert_sound(&learner, &mixed, 1.0, 1.0);
            let near = data(
                &[&[HOLE, 1e129], &[1.0, 9.977733231248553e128]],
                &[1.0, -0.1],
            );
            assert_sound(&learner, &near, 1.0, 1.0);
        }
    }
}

#[test]
fn a_tiny_or_huge_column_is_fitted_unscaled_and_its_model_saved() {
    for unit in [1e-280, 1e-200, 1e200, 1e280] {
        let table = data(
            &[
                &[unit, 2.0 * unit],
                &[HOLE, -unit],
                &[3.0 * unit, HOLE],
                &[-unit, unit],
            ],
            &[1.0, 2.0, 3.0, -1.0],
        );
        for (method, intercept) in crate::sample::INTERCEPTS
            .iter()
            .flat_map(|&i| Method::ALL.map(|m| (m, i)))
        {
            let learner = raw(method, intercept);
            assert_sound(&learner, &table, 1e-3, 1.0);
            let fitted = learner.fit(&table, PARAMETERS).unwrap();
            assert!(gapfit::Model::from_bytes(&fitted.model.to_bytes()).is_ok());
        }
    }
}

#[test]
fn the_objective_does_not_overflow_before_it_must() {
    for method in Method::ALL {
        let learner = raw(method, Intercept::None);
        assert_sound(
            &learner,
            &data(&[&[1e-133], &[2e-133]], &[1e133, 3e133]),
            0.1,
            1.0,
        );
        assert_sound(&learner, &data(&[&[-1e105]], &[1e96]), 1.0, 1.0);
        let learner = named(&method.to_string(), Scale::Standard, Intercept::Free);
        assert_sound(&learner, &data(&[&[1.0], &[2.0]], &[1.0, -2e150]), 7e7, 1.0);
    }
}

#[test]
fn columns_at_their_minimum_do_not_upset_the_independent_imputer() {
    let rows: [&[f64]; 3] = [
        &[1.0, 25.724603452538524, 1.0],
        &[HOLE, 253.3071263874081, HOLE],
        &[2.476583410834703, HOLE, HOLE],
    ];
    for method in ["independent", "irr:independent"] {
        let learner = named(method, Scale::MinMax, Intercept::None);
        assert_sound(&learner, &data(&rows, &[1.0; 3]), 1.0, 1.0);
    }
}

#[test]
fn a_huge_gamma_is_at_worst_inaccurate() {
    let learner = named("irr:zero", Scale::MinMax, Intercept::Free);
    let rows = data(&[&[1.0, 1.0], &[-0.1, HOLE]], &[1.0, 1.0]);
    let light = rows.with_weights(vec![0.001, 0.001]).unwrap();
    assert_sound(&learner, &light, 7e-5, 2e7);
    let learner = named("irr:independent", Scale::MinMax, Intercept::Free);
    let rows = data(&[&[1000.0, 1.0], &[999.0745673008244, HOLE]], &[1.0, 1.0]);
    let uneven = rows.with_weights(vec![10.0, 20.0]).unwrap();
    assert_sound(&learner, &uneven, 1e-6, 2e7);
}

#[test]
fn a_column_too_far_from_zero_is_named_and_never_called_converged() {
    let data = holey(60, 3, 0.3, 1);
    let table = with_column(data.features(), 0, |x| x + 1e6);
    let far = data.with_features(table).unwrap();
    for method in Method::ALL {
        for scale in crate::sample::SCALES {
            let fitted = learner(method, scale, Intercept::Free, 0.0)
                .fit(&far, PARAMETERS)
                .unwrap();
            let loses =
                scale == Scale::None || (scale == Scale::Standard && method.base() == Base::Zero);
            assert_eq!(
                fitted.outcome.status == Status::Inaccurate,
                loses,
                "{method} {scale}"
            );
            assert_eq!(fitted.warnings.iter().any(|w| w.contains("'x0'")), loses);
        }
    }
}

#[test]
fn the_bound_of_a_large_gamma_is_below_what_a_smaller_one_reaches() {
    let data = holey(15, 3, 0.4, 17_815_833_431_049_307_452);
    let at = |gamma| {
        let alpha = 0.0007830692019452705;
        let learner = raw(Method::default(), Intercept::Penalised);
        let fitted = learner.fit(&data, Parameters { alpha, gamma });
        fitted.unwrap().outcome
    };
    let (less, more) = (at(4830.728514615642), at(126_475.07));
    assert!(
        more.lower_bound <= less.objective * (1.0 + 1e-9),
        "{more:?} {less:?}"
    );
}

#[test]
fn heavy_and_light_rows_are_fitted() {
    let rows = data(
        &[&[1.0, 2.0], &[2.0, HOLE], &[4.0, 1.0]],
        &[1e143, 1e143, 1e143],
    );
    for weight in [1e-150, 1e108, 1e150] {
        let weighted = rows.clone().with_weights(vec![weight; 3]).unwrap();
        for method in Method::ALL {
            for intercept in crate::sample::INTERCEPTS {
                let learner = learner(method, Scale::Standard, intercept, 0.0);
                assert_sound(&learner, &weighted, PARAMETERS.alpha, PARAMETERS.gamma);
            }
        }
    }
}
