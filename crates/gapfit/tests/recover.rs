//! The paper's (α, M, N) recovered from a fitted model.

use gapfit::corrupt::Mechanism;
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::joint::{DualPredictor, Imputation};
use gapfit::prepare::{Intercept, Preparation};
use gapfit::{Base, Learner, Method, Parameters};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn data() -> Dataset {
    let rng = &mut ChaCha8Rng::seed_from_u64(3);
    let cells: Vec<f64> = (0..120 * 4).map(|_| rng.random_range(-1.0..2.0)).collect();
    let table = MaskedMatrix::from_nan(120, 4, &cells).expect("legal input");
    let line = |x: &[f64]| 1.0 + x[0] - 2.0 * x[1] + 0.5 * x[2] * x[3];
    let target = table.rows().map(|row| line(row.values())).collect();
    let table = Mechanism::Mcar { rate: 0.4 }
        .apply(&table, rng)
        .expect("legal input");
    let weights = (0..120).map(|i| f64::from(i % 4)).collect();
    Dataset::new(table, target)
        .expect("legal input")
        .with_weights(weights)
        .expect("legal input")
}

#[test]
fn the_dual_predictor_equals_the_model() {
    let data = data();
    for base in [Base::Zero, Base::Mean, Base::Independent, Base::Gaussian] {
        for intercept in [Intercept::Free, Intercept::Penalised, Intercept::None] {
            for gamma in [0.1, 1.0, 10.0] {
                let learner = Learner {
                    preparation: Preparation {
                        intercept,
                        ..Preparation::default()
                    },
                    tol: 1e-14,
                    ..Learner::new(Method::Irr(base))
                };
                let fitted = learner
                    .fit(&data, Parameters { alpha: 0.01, gamma })
                    .expect("legal input");
                let dual = DualPredictor::new(&fitted.model, &data).expect("legal input");
                let direct = fitted.model.predict(data.features()).expect("legal input");
                let kernel = dual.predict(data.features()).expect("legal input");
                for (a, b) in direct.iter().zip(kernel) {
                    let label = format!("{base} {intercept} {gamma}: {a} {b}");
                    assert!(
                        (a - b).abs() < 1e-5,
                        "{label}, gap {:e}",
                        fitted.outcome.gap
                    );
                }
                if intercept == Intercept::Free {
                    assert!(dual.dual().iter().sum::<f64>().abs() < 1e-8);
                }
            }
        }
    }
}

#[test]
fn the_recovered_m_and_n_keep_to_their_budgets() {
    let data = data();
    for gamma in [0.1, 1.0, 10.0] {
        let fitted = Learner::default()
            .fit(&data, Parameters { alpha: 0.01, gamma })
            .expect("legal input");
        let imputation = Imputation::of(&fitted.model).expect("legal input");
        let square = |m: Vec<f64>| m.iter().map(|x| x * x).sum::<f64>();
        let m: f64 = imputation.corrections().map(|(_, m)| square(m)).sum();
        let n: f64 = imputation.slices().map(|(nu, _)| nu * nu).sum();
        assert!(m <= gamma.powi(2) * (1.0 + 1e-9), "{m} {gamma}");
        assert!(n <= gamma.powi(4) * (1.0 + 1e-9), "{n} {gamma}");
        for ((_, m), (nu, _)) in imputation.corrections().zip(imputation.slices()) {
            assert!(nu >= square(m) * (1.0 - 1e-9), "N_k is at least m_k m_kᵀ");
        }
    }
}

#[test]
fn a_model_without_learnt_imputation_has_none() {
    let data = data();
    for (method, gamma) in [(Method::Mask, 1.0), (Method::Irr(Base::Mean), 0.0)] {
        let parameters = Parameters { alpha: 0.01, gamma };
        let model = Learner::new(method)
            .fit(&data, parameters)
            .expect("legal input")
            .model;
        assert!(Imputation::of(&model).is_none());
        assert!(DualPredictor::new(&model, &data).is_err());
    }
}
