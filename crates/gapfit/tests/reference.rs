//! The fits against independent implementations (tests/reference/ has the scripts).

use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::joint::Status;
use gapfit::loss::Loss;
use gapfit::prepare::{Intercept, Preparation, Scale};
use gapfit::{Base, Learner, Method, Parameters};
use serde::Deserialize;

#[derive(Deserialize)]
struct File<Case> {
    cases: Vec<Case>,
}

fn table(x: &[Vec<Option<f64>>]) -> MaskedMatrix {
    let mut table = MaskedMatrix::new(x[0].len());
    for row in x {
        table.push_row(row.iter().copied()).expect("legal input");
    }
    table
}

fn raw_units(intercept: Intercept) -> Preparation {
    Preparation {
        scale: Scale::None,
        clip: 0.0,
        intercept,
    }
}

#[derive(Deserialize)]
struct Sdp {
    x: Vec<Vec<Option<f64>>>,
    y: Vec<f64>,
    alpha: f64,
    gamma: f64,
    constraint: String,
    value: f64,
    accuracy: f64,
    predictions: Vec<f64>,
    prediction_accuracy: f64,
}

#[test]
fn equals_the_semidefinite_program_of_the_paper() {
    let file: File<Sdp> =
        serde_json::from_str(include_str!("reference/sdp.json")).expect("legal input");
    assert!(file.cases.len() >= 10);
    for (n, case) in file.cases.iter().enumerate() {
        let (rows, columns) = (case.x.len(), case.x[0].len());
        let features = table(&case.x);
        let data = Dataset::new(features.clone(), case.y.clone()).expect("legal input");
        let learner = Learner {
            method: Method::Irr(Base::Zero),
            preparation: raw_units(Intercept::None),
            tol: 1e-12,
            ..Learner::default()
        };
        let parameters = Parameters {
            alpha: case.alpha,
            gamma: case.gamma,
        };
        let fitted = learner.fit(&data, parameters).expect("legal input");
        let value = fitted.outcome.objective / case.alpha;
        if case.constraint == "rows" && rows < columns * columns {
            // The paper's constraint is then the weaker one.
            assert!(value >= case.value * (1.0 - case.accuracy), "case {n}");
            continue;
        }
        let off = (value / case.value - 1.0).abs();
        assert!(off <= 1e-8 + case.accuracy, "case {n}: off by {off:e}");
        let predictions = fitted.model.predict(&features).expect("legal input");
        for (got, want) in predictions.iter().zip(&case.predictions) {
            let off = (got - want).abs();
            assert!(
                off <= 1e-6 + case.prediction_accuracy,
                "case {n}: {got} {want}"
            );
        }
    }
}

#[derive(Deserialize)]
struct Ridge {
    x: Vec<Vec<Option<f64>>>,
    y: Vec<f64>,
    weights: Option<Vec<f64>>,
    alpha: f64,
    free_intercept: bool,
    coefficients: Vec<f64>,
    intercept: f64,
}

#[test]
fn equals_ridge_when_everything_is_observed() {
    let file: File<Ridge> =
        serde_json::from_str(include_str!("reference/ridge.json")).expect("legal input");
    assert!(file.cases.len() >= 10);
    for (n, case) in file.cases.iter().enumerate() {
        let mut data = Dataset::new(table(&case.x), case.y.clone()).expect("legal input");
        if let Some(weights) = &case.weights {
            data = data.with_weights(weights.clone()).expect("legal input");
        }
        let intercept = if case.free_intercept {
            Intercept::Free
        } else {
            Intercept::None
        };
        let size = case
            .coefficients
            .iter()
            .fold(case.intercept.abs(), |m, c| m.max(c.abs()));
        for method in Method::ALL {
            let learner = Learner {
                preparation: raw_units(intercept),
                ..Learner::new(method)
            };
            let parameters = Parameters {
                alpha: case.alpha,
                gamma: 1.0,
            };
            let fitted = learner.fit(&data, parameters).expect("legal input");
            assert_eq!(fitted.outcome.status, Status::Converged);
            let (constant, weights) = fitted.model.weights();
            assert!(
                (constant - case.intercept).abs() <= 1e-10 * size,
                "case {n}, {method}"
            );
            for (got, want) in weights.iter().zip(&case.coefficients) {
                assert!(
                    (got - want).abs() <= 1e-10 * size,
                    "case {n}, {method}: {got} {want}"
                );
            }
        }
    }
}

#[derive(Deserialize)]
struct Logistic {
    x: Vec<Vec<Option<f64>>>,
    y: Vec<f64>,
    weights: Option<Vec<f64>>,
    alpha: f64,
    free_intercept: bool,
    coefficients: Vec<Vec<f64>>,
    intercepts: Vec<f64>,
    accuracy: f64,
}

#[test]
fn equals_logistic_regression_when_everything_is_observed() {
    let file: File<Logistic> =
        serde_json::from_str(include_str!("reference/logistic.json")).expect("legal input");
    assert!(file.cases.len() >= 20);
    for (n, case) in file.cases.iter().enumerate() {
        let data = Dataset::new(table(&case.x), case.y.clone()).expect("legal input");
        let mut data = data.classify().expect("two classes or more");
        if let Some(weights) = &case.weights {
            data = data.with_weights(weights.clone()).expect("legal input");
        }
        let intercept = match case.free_intercept {
            true => Intercept::Free,
            false => Intercept::None,
        };
        let numbers = case.coefficients.iter().flatten().chain(&case.intercepts);
        let size = numbers.fold(0.0f64, |m, c| m.max(c.abs()));
        let close = |got: f64, want: f64| (got - want).abs() <= 1e-6 * size;
        assert!(case.accuracy <= 1e-6);
        for method in Method::ALL {
            let learner = Learner {
                preparation: raw_units(intercept),
                loss: Loss::Logistic,
                tol: 1e-14,
                ..Learner::new(method)
            };
            let parameters = Parameters {
                alpha: case.alpha,
                gamma: 1.0,
            };
            let fitted = learner.fit(&data, parameters).expect("legal input");
            assert!(
                fitted.outcome.gap <= 1e-12,
                "case {n}, {method}: {:?}",
                fitted.outcome
            );
            // of two classes the reference has the weights of the second alone
            let first = 2usize.saturating_sub(case.coefficients.len());
            let mut constants = Vec::new();
            for (j, want) in case.coefficients.iter().enumerate() {
                let (constant, weights) = fitted.model.class_weights(first + j);
                constants.push(constant);
                for (got, want) in weights.iter().zip(want) {
                    assert!(close(*got, *want), "case {n}, {method}: {got} {want}");
                }
            }
            // of more than two, a common number is open
            let common = match constants.len() {
                1 => 0.0,
                n => constants.iter().sum::<f64>() / n as f64,
            };
            for (got, want) in constants.iter().zip(&case.intercepts) {
                assert!(
                    close(got - common, *want),
                    "case {n}, {method}: {got} {want}"
                );
            }
        }
    }
}
