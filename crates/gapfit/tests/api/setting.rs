//! Settings out of range are refused, each with its own words.

use crate::sample::{PARAMETERS, holey};
use gapfit::prepare::{Intercept, Preparation, Scale};
use gapfit::tune::{Search, cross_validate};
use gapfit::{Base, Error, Learner, Method, Parameters};
use std::ops::ControlFlow;

#[track_caller]
fn assert_says<T: std::fmt::Debug>(result: Result<T, Error>, text: &str) {
    let error = result.expect_err(text);
    assert!(matches!(error, Error::Setting { .. }), "{error:?}");
    assert_eq!(error.to_string(), text);
}

#[test]
fn alpha_is_positive_and_gamma_not_negative() {
    let data = holey(10, 2, 0.3, 61);
    let fit = |alpha, gamma| Learner::default().fit(&data, Parameters { alpha, gamma });
    for (alpha, got) in [
        (0.0, "0"),
        (-1.0, "-1"),
        (f64::NAN, "NaN"),
        (f64::INFINITY, "inf"),
    ] {
        assert_says(
            fit(alpha, 1.0),
            &format!("alpha: expected a number from 1e-100 to 1e100, got {got}"),
        );
    }
    for (gamma, got) in [(-0.5, "-0.5"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
        let text = format!("gamma: expected 0 or a number from 1e-100 to 1e100, got {got}");
        assert_says(fit(1.0, gamma), &text);
    }
}

#[test]
fn clip_is_a_tail_and_tol_positive() {
    let data = holey(10, 2, 0.3, 62);
    for (clip, got) in [(-0.1, "-0.1"), (0.5, "0.5"), (1.0, "1"), (f64::NAN, "NaN")] {
        let learner = Learner {
            preparation: Preparation {
                clip,
                ..Preparation::default()
            },
            ..Learner::default()
        };
        let text = format!("clip: expected a quantile from 0 (off) to below 0.5, got {got}");
        assert_says(learner.fit(&data, PARAMETERS), &text);
        assert_says(search(&learner, &Search::default()), &text);
    }
    for (tol, got) in [(0.0, "0"), (-1e-8, "-0.00000001"), (f64::NAN, "NaN")] {
        let learner = Learner {
            tol,
            ..Learner::default()
        };
        let text = format!("tol: expected a number above 0 and below 1, got {got}");
        assert_says(learner.fit(&data, PARAMETERS), &text);
        assert_says(search(&learner, &Search::default()), &text);
    }
}

#[test]
fn unknown_names_list_the_known_ones() {
    assert_says(
        "forest".parse::<Method>(),
        "method: expected zero, mean, independent, gaussian, mask, lifted or irr:BASE, got forest",
    );
    assert_says(
        "median".parse::<Base>(),
        "base: expected zero, mean, independent or gaussian, got median",
    );
    assert_says(
        "robust".parse::<Scale>(),
        "scale: expected standard, minmax or none, got robust",
    );
    assert_says(
        "yes".parse::<Intercept>(),
        "intercept: expected free, penalised or none, got yes",
    );
    for scale in crate::sample::SCALES {
        assert_eq!(scale.to_string().parse::<Scale>().unwrap(), scale);
    }
    for intercept in crate::sample::INTERCEPTS {
        assert_eq!(
            intercept.to_string().parse::<Intercept>().unwrap(),
            intercept
        );
    }
}

fn search(learner: &Learner, search: &Search) -> gapfit::Result<gapfit::tune::Tuned> {
    let data = holey(10, 2, 0.3, 63);
    cross_validate(learner, &data, search, &|_, _| ControlFlow::Continue(()))
}

#[test]
fn grids_ascend_and_stay_in_range() {
    let grid = |alphas: &[f64], gammas: &[f64]| Search {
        alphas: alphas.to_vec(),
        gammas: gammas.to_vec(),
        ..Search::default()
    };
    let ascending = "expected one or more ascending numbers, got";
    for bad in [&[][..], &[2.0, 1.0], &[1.0, 1.0], &[1.0, f64::NAN]] {
        let with_alphas = search(&Learner::default(), &grid(bad, &[1.0]));
        assert_says(with_alphas, &format!("alphas: {ascending} {bad:?}"));
        let with_gammas = search(&Learner::default(), &grid(&[1.0], bad));
        assert_says(with_gammas, &format!("gammas: {ascending} {bad:?}"));
    }
    let of_alpha = "alpha: expected a number from 1e-100 to 1e100, got";
    for (bad, got) in [
        (&[0.0, 1.0][..], "0"),
        (&[-1.0], "-1"),
        (&[f64::NAN], "NaN"),
        (&[1.0, f64::INFINITY], "inf"),
    ] {
        let result = search(&Learner::default(), &grid(bad, &[1.0]));
        assert_says(result, &format!("{of_alpha} {got}"));
    }
    let of_gamma = "gamma: expected 0 or a number from 1e-100 to 1e100, got";
    for (bad, got) in [(&[-1.0, 1.0][..], "-1"), (&[f64::NAN], "NaN")] {
        let result = search(&Learner::default(), &grid(&[1.0], bad));
        assert_says(result, &format!("{of_gamma} {got}"));
    }
}

#[test]
fn every_gamma_of_a_grid_is_checked_also_when_there_are_fewer_alphas() {
    let grid = Search {
        alphas: vec![1.0],
        gammas: vec![1.0, f64::INFINITY],
        ..Search::default()
    };
    let text = "gamma: expected 0 or a number from 1e-100 to 1e100, got inf";
    assert_says(search(&Learner::default(), &grid), text);
}

#[test]
fn folds_are_at_least_two_and_at_most_the_rows() {
    for k in [0, 1, 11] {
        let text = format!(
            "folds: expected at least 2 and at most the number of rows, got {k} (rows: 10)"
        );
        let with_folds = Search {
            folds: k,
            ..Search::default()
        };
        assert_says(search(&Learner::default(), &with_folds), &text);
    }
}
