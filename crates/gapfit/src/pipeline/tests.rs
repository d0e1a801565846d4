use super::*;
use crate::corrupt::Mechanism;
use crate::data::MaskedMatrix;
use crate::method::{Base, Method};
use crate::prepare::Preparation;
use crate::support::{SupportChoice, SupportRule};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn data(n_rows: usize, n_cols: usize) -> Dataset {
    let rng = &mut ChaCha8Rng::seed_from_u64(5);
    let cells: Vec<f64> = (0..n_rows * n_cols)
        .map(|_| rng.random_range(-1.0..2.0))
        .collect();
    let table = MaskedMatrix::from_nan(n_rows, n_cols, &cells).unwrap();
    let target = table
        .rows()
        .map(|row| {
            3.0 + row
                .values()
                .iter()
                .enumerate()
                .map(|(j, x)| x / (j + 1) as f64)
                .sum::<f64>()
        })
        .collect();
    let table = Mechanism::Dependent { beta: 0.7 }
        .apply(&table, rng)
        .unwrap();
    let weights = (0..n_rows).map(|i| (i % 3) as f64).collect();
    Dataset::new(table, target)
        .unwrap()
        .with_weights(weights)
        .unwrap()
}

fn fit(
    learner: &Learner,
    data: &Dataset,
    parameters: Parameters,
    prefer: Prefer,
) -> (Vec<f64>, Solution) {
    let (_, weights, solution) = solved(learner, data, parameters, prefer);
    (weights.full, solution)
}

fn solved<'a>(
    learner: &'a Learner,
    data: &Dataset,
    parameters: Parameters,
    prefer: Prefer,
) -> (Problem<'a>, Weights, Solution) {
    let rows = Rows::new(data, None);
    let reading = Reading::new(&rows, learner.preparation.clip).unwrap();
    let problem = Problem::new(learner, &reading, prefer);
    let (weights, solution) = problem.solve(parameters, learner.tol, None);
    (problem, weights, solution)
}

/// As [`fit`], with what is predicted for the training rows instead of the unknowns.
fn predict(
    learner: &Learner,
    data: &Dataset,
    parameters: Parameters,
    prefer: Prefer,
) -> (Vec<f64>, Solution) {
    let (problem, weights, solution) = solved(learner, data, parameters, prefer);
    let model = problem.model(data, parameters, &weights.full, &solution.outcome);
    (model.predict(data.features()).unwrap(), solution)
}

#[test]
fn dense_and_matrix_free_agree() {
    let data = data(150, 6);
    for method in [
        Method::Irr(Base::Zero),
        Method::Irr(Base::Independent),
        Method::Irr(Base::Gaussian),
        Method::Lifted,
    ] {
        for intercept in [Intercept::Free, Intercept::Penalised, Intercept::None] {
            for (alpha, gamma) in [(1e-3, 0.5), (0.1, 4.0), (1e-2, 0.0)] {
                let learner = Learner {
                    preparation: Preparation {
                        intercept,
                        ..Preparation::default()
                    },
                    tol: 1e-11,
                    ..Learner::new(method)
                };
                let parameters = Parameters { alpha, gamma };
                let (dense, one) = fit(&learner, &data, parameters, Prefer::Dense);
                let (free, two) = fit(&learner, &data, parameters, Prefer::MatrixFree);
                let label = format!("{method} {intercept} {alpha} {gamma}");
                assert!(
                    one.outcome.gap <= 1e-11 && two.outcome.gap <= 1e-11,
                    "{label}"
                );
                let off = one.outcome.objective / two.outcome.objective - 1.0;
                assert!(off.abs() < 1e-10, "{label}: {off:e}");
                for (a, b) in dense.iter().zip(&free) {
                    assert!((a - b).abs() < 1e-4, "{label}: {a} {b}");
                }
            }
        }
    }
}

#[test]
fn the_squared_loss_from_rows_is_that_from_sums() {
    let data = data(150, 4);
    for method in [
        Method::Impute(Base::Mean),
        Method::Mask,
        Method::Irr(Base::Gaussian),
    ] {
        for intercept in [Intercept::Free, Intercept::Penalised, Intercept::None] {
            for (alpha, gamma) in [(1e-3, 0.5), (0.1, 4.0), (1e-2, 0.0)] {
                let learner = Learner {
                    preparation: Preparation {
                        intercept,
                        ..Preparation::default()
                    },
                    tol: 1e-15, // as far as rounding allows
                    ..Learner::new(method)
                };
                let parameters = Parameters { alpha, gamma };
                let (sums, one) = predict(&learner, &data, parameters, Prefer::Dense);
                let rows = Prefer::Rows { is_dense: true };
                let (rows, two) = predict(&learner, &data, parameters, rows);
                let label = format!("{method} {intercept} {alpha} {gamma}");
                assert!(two.outcome.gap <= 1e-11, "{label}: {:?}", two.outcome);
                let off = one.outcome.objective / two.outcome.objective - 1.0;
                assert!(off.abs() < 1e-10, "{label}: {off:e}");
                // Of predictions, not of unknowns: on the Gaussian base some of those make next to no
                // difference. They have half of the digits of the gap.
                for (a, b) in sums.iter().zip(&rows) {
                    assert!((a - b).abs() < 1e-6, "{label}: {a} {b}");
                }
            }
        }
    }
}

#[test]
fn other_losses_agree_with_and_without_the_matrix() {
    let numbers = data(150, 4);
    let target = numbers.target();
    let middle = target.iter().sum::<f64>() / target.len() as f64;
    let classes = |cuts: &[f64]| {
        let class = |y: &f64| cuts.iter().filter(|cut| y > cut).count().to_string();
        let labels: Vec<String> = target.iter().map(class).collect();
        let data = Dataset::classified(numbers.features().clone(), &labels).unwrap();
        data.with_weights(numbers.weights().unwrap().to_vec())
            .unwrap()
    };
    let two = classes(&[middle]);
    let three = classes(&[middle - 0.5, middle + 0.5]);
    for (loss, data) in [
        (Loss::Huber(0.2), &numbers),
        (Loss::SquaredHinge, &two),
        (Loss::Logistic, &two),
        (Loss::Logistic, &three),
        (Loss::SquaredHinge, &three),
    ] {
        for method in [Method::Irr(Base::Independent), Method::Lifted] {
            for (alpha, gamma) in [(1e-2, 0.5), (0.1, 4.0), (1e-2, 0.0)] {
                let learner = Learner {
                    loss,
                    tol: 1e-10,
                    ..Learner::new(method)
                };
                let parameters = Parameters { alpha, gamma };
                let [one, two] = [true, false].map(|is_dense| {
                    let prefer = Prefer::Rows { is_dense };
                    fit(&learner, data, parameters, prefer).1.outcome
                });
                let label = format!("{loss} {method} {alpha} {gamma}: {one:?} {two:?}");
                assert!(one.gap <= 1e-10 && two.gap <= 1e-10, "{label}");
                assert!(
                    (one.objective / two.objective - 1.0).abs() < 2e-10,
                    "{label}"
                );
            }
        }
    }
}

fn narrow(method: Method, intercept: Intercept) -> Learner {
    Learner {
        preparation: Preparation {
            intercept,
            ..Preparation::default()
        },
        support: SupportChoice::Rule(SupportRule::Top(2)),
        tol: 1e-11,
        ..Learner::new(method)
    }
}

#[test]
fn all_forms_of_a_narrowed_problem_agree() {
    let data = data(150, 6);
    for method in [
        Method::Irr(Base::Mean),
        Method::Irr(Base::Zero),
        Method::Lifted,
    ] {
        for intercept in [Intercept::Free, Intercept::Penalised, Intercept::None] {
            for (alpha, gamma) in [(1e-3, 0.5), (0.1, 4.0), (1e-2, 0.0)] {
                let learner = narrow(method, intercept);
                let parameters = Parameters { alpha, gamma };
                let (dense, one) = fit(&learner, &data, parameters, Prefer::Dense);
                for prefer in [
                    Prefer::MatrixFree,
                    Prefer::Rows { is_dense: true },
                    Prefer::Rows { is_dense: false },
                ] {
                    let (other, two) = fit(&learner, &data, parameters, prefer);
                    let label = format!("{method} {intercept} {alpha} {gamma} {prefer:?}");
                    assert!(two.outcome.gap <= 1e-10, "{label}: {:?}", two.outcome);
                    let off = one.outcome.objective / two.outcome.objective - 1.0;
                    assert!(off.abs() < 1e-9, "{label}: {off:e}");
                    assert_eq!(dense.len(), other.len(), "{label}");
                    for (a, b) in dense.iter().zip(&other) {
                        assert!((a - b).abs() < 1e-4, "{label}: {a} {b}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_narrowed_problem_is_the_full_one_with_columns_taken_out() {
    let data = data(150, 6);
    let rows = Rows::new(&data, None);
    for intercept in [Intercept::Free, Intercept::Penalised, Intercept::None] {
        let learner = narrow(Method::Irr(Base::Mean), intercept);
        let full = Learner {
            support: SupportChoice::Rule(SupportRule::Full),
            ..learner.clone()
        };
        let reading = Reading::new(&rows, learner.preparation.clip).unwrap();
        let narrow = Problem::new(&learner, &reading, Prefer::Dense);
        let full = Problem::new(&full, &reading, Prefer::Dense);
        // The unknowns of the full problem that the support leaves.
        let mut kept: Vec<usize> = (0..narrow.blocks.n_weights).collect();
        let (all, some) = (&full.units.layout, &narrow.units.layout);
        for b in 0..some.holes.len() {
            let of_full = full.blocks.range(b).zip(all.shifted.entries(b));
            let listed: Vec<usize> = some.shifted.entries(b).collect();
            kept.extend(of_full.filter(|(_, e)| listed.contains(e)).map(|(i, _)| i));
        }
        let (h, r, yy) = full.normal_equations().unwrap();
        let mut part = Matrix::zeros(kept.len(), kept.len());
        for (j, &q) in kept.iter().enumerate() {
            for (i, &p) in kept.iter().enumerate() {
                part[(i, j)] = h[(p, q)];
            }
        }
        let linear = kept.iter().map(|&i| r[i]).collect();
        let part = Dense::from_parts(part, linear, yy);
        let parameters = Parameters {
            alpha: 1e-2,
            gamma: 0.8,
        };
        let risk = Quadratic::new(&part, full.c(parameters), learner.tol);
        let task = Task {
            outputs: Outputs::one(&narrow.blocks),
            gamma: parameters.gamma,
            tol: learner.tol,
            max_iter: 100,
        };
        let want = solver::solve(&task, &risk, None);
        let (got, outcome) = narrow.solve(parameters, learner.tol, None);
        let off = outcome.outcome.objective / want.outcome.objective - 1.0;
        assert!(off.abs() < 1e-11, "{intercept}: {off:e}");
        for (a, b) in got.penalised.iter().zip(&want.v) {
            assert!((a - b).abs() < 1e-6, "{intercept}: {a} {b}");
        }
    }
}
