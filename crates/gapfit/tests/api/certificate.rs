//! The certificate holds on whatever is thrown at a fit.

use crate::objective::{Predictor, loss};
use crate::sample::{INTERCEPTS, SCALES, holey, normal, raw, rng};
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::joint::{Outcome, Status};
use gapfit::prepare::{Intercept, Preparation, Scale};
use gapfit::{Base, Learner, Method, Parameters};
use proptest::prelude::*;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// A table, its size and kind drawn by proptest, its cells from a seed.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    n_rows: usize,
    /// Powers of ten.
    columns: Vec<i32>,
    target: i32,
    observed: f64,
    weights: Option<i32>,
    seed: u64,
}

pub(crate) fn tables() -> impl Strategy<Value = Table> {
    let decade = || prop_oneof![Just(0), -3..=3, -150..=150];
    (
        1usize..25,
        prop::collection::vec(decade(), 0..6),
        decade(),
        prop_oneof![Just(1.0), Just(0.0), 0.1..1.0f64],
        prop::option::of(decade()),
        any::<u64>(),
    )
        .prop_map(|(n_rows, columns, target, observed, weights, seed)| Table {
            n_rows,
            columns,
            target,
            observed,
            weights,
            seed,
        })
}

impl Table {
    pub(crate) fn make(&self) -> Dataset {
        let rng = &mut rng(self.seed);
        let kinds: Vec<_> = self.columns.iter().map(|&d| Column::draw(d, rng)).collect();
        let mut table = MaskedMatrix::new(kinds.len());
        let mut target = Vec::new();
        for _ in 0..self.n_rows {
            let common = normal(rng);
            let cells = kinds.iter().map(|kind| {
                let x = kind.cell(common, rng);
                (rng.random::<f64>() < self.observed).then_some(x)
            });
            table.push_row(cells.collect::<Vec<_>>()).unwrap();
            target.push(10f64.powi(self.target) * (common + 0.1 * normal(rng)));
        }
        let data = Dataset::new(table, target).unwrap();
        let Some(decade) = self.weights else {
            return data;
        };
        let mut weight = || 10f64.powi(decade) * rng.random_range(0..3u8) as f64;
        let mut weights: Vec<_> = (0..self.n_rows).map(|_| weight()).collect();
        weights[0] = 10f64.powi(decade);
        data.with_weights(weights).unwrap()
    }
}

/// What a column is made of, in units of a power of ten.
enum Column {
    Noisy(f64),
    Offset(f64),
    Constant(f64),
    Copy(f64),
}

impl Column {
    fn draw(decade: i32, rng: &mut ChaCha8Rng) -> Self {
        let unit = 10f64.powi(decade);
        match rng.random_range(0..6u8) {
            0 => Self::Constant(unit),
            1 => Self::Copy(unit),
            2 => Self::Offset(unit),
            _ => Self::Noisy(unit),
        }
    }

    fn cell(&self, common: f64, rng: &mut ChaCha8Rng) -> f64 {
        match self {
            Self::Noisy(unit) => unit * (0.5 * common + normal(rng)),
            Self::Offset(unit) => unit * (1e3 + common + normal(rng)),
            Self::Constant(unit) => *unit,
            Self::Copy(unit) => unit * common,
        }
    }
}

pub(crate) fn learners() -> impl Strategy<Value = Learner> {
    (
        prop::sample::select(Method::ALL.to_vec()),
        prop::sample::select(SCALES.to_vec()),
        prop::sample::select(INTERCEPTS.to_vec()),
        prop::sample::select(vec![0.0, 0.002, 0.2]),
    )
        .prop_map(|(method, scale, intercept, clip)| Learner {
            preparation: Preparation {
                scale,
                clip,
                intercept,
            },
            ..Learner::new(method)
        })
}

/// Whether standard scaling centres the columns.
fn centres(learner: &Learner) -> bool {
    learner.method.base() != Base::Zero
}

pub(crate) fn parameters(decades: f64) -> impl Strategy<Value = Parameters> {
    let gamma = prop_oneof![
        1 => Just(0.0),
        8 => (-decades..decades).prop_map(|e| 10f64.powf(e)),
    ];
    (-decades..decades, gamma).prop_map(|(alpha, gamma)| Parameters {
        alpha: 10f64.powf(alpha),
        gamma,
    })
}

fn check(outcome: &Outcome, tol: f64) -> std::result::Result<(), TestCaseError> {
    let Outcome {
        objective,
        lower_bound,
        gap,
        ..
    } = *outcome;
    prop_assert!(
        objective.is_finite() && lower_bound.is_finite(),
        "{outcome:?}"
    );
    prop_assert!(lower_bound <= objective && gap >= 0.0, "{outcome:?}");
    prop_assert!(outcome.status != Status::Converged || gap <= tol);
    Ok(())
}

/// Fits, and checks everything that comes out.
pub(crate) fn check_fit(
    learner: &Learner,
    data: &Dataset,
    parameters: Parameters,
) -> std::result::Result<(), TestCaseError> {
    let fitted = match learner.fit(data, parameters) {
        Ok(fitted) => fitted,
        Err(error) => return Err(TestCaseError::fail(error.to_string())),
    };
    check(&fitted.outcome, learner.tol)?;
    let predictions = fitted.model.predict(data.features()).unwrap();
    prop_assert!(predictions.iter().all(|f| f.is_finite()), "{predictions:?}");
    let (constant, weights) = fitted.model.weights();
    prop_assert!(constant.is_finite() && weights.iter().all(|w| w.is_finite()));
    let bytes = fitted.model.to_bytes();
    prop_assert_eq!(gapfit::Model::from_bytes(&bytes).unwrap(), fitted.model);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_legal_fit_is_finite_and_certified(
        table in tables(),
        learner in learners(),
        parameters in parameters(8.0),
    ) {
        check_fit(&learner, &table.make(), parameters)?;
    }

    #[test]
    fn standardised_columns_of_any_size_give_finite_certified_fits(
        mut table in tables(),
        mut learner in learners().prop_filter("centred", centres),
        parameters in parameters(4.0),
    ) {
        table.weights = table.weights.map(|decade| decade % 4);
        learner.preparation.scale = Scale::Standard;
        check_fit(&learner, &table.make(), parameters)?;
    }

    #[test]
    fn centred_data_of_ordinary_size_converge(
        mut table in tables(),
        mut learner in learners().prop_filter("centred", centres),
        parameters in parameters(3.0),
    ) {
        table.columns.iter_mut().for_each(|decade| *decade %= 4);
        learner.preparation.scale = Scale::Standard;
        let outcome = learner.fit(&table.make(), parameters).unwrap().outcome;
        prop_assert_eq!(outcome.status, Status::Converged, "{:?}", outcome);
    }

    #[test]
    fn no_other_predictor_is_below_the_bound(
        seed in any::<u64>(),
        intercept in prop::sample::select(INTERCEPTS.to_vec()),
        parameters in parameters(3.0).prop_filter("Ω without gamma", |p| p.gamma > 0.0),
    ) {
        let data = holey(12, 3, 0.4, seed);
        let learner = raw(Method::Irr(Base::Zero), intercept);
        let fitted = learner.fit(&data, parameters).unwrap();
        check(&fitted.outcome, learner.tol)?;
        let rng = &mut rng(seed);
        for size in [1e-6, 1e-4, 1e-2, 0.1, 1.0, 10.0] {
            for _ in 0..5 {
                let other = near(Predictor::of(&fitted.model), intercept, size, rng);
                let penalty = other.weight_squares(intercept) + other.shifts_alone(parameters.gamma);
                let value = loss(&data, &other.predict(&data)) + parameters.alpha * penalty;
                let bound = fitted.outcome.lower_bound;
                prop_assert!(value >= bound * (1.0 - 1e-12), "{value} below {bound}");
            }
        }
    }

    #[test]
    fn a_larger_gamma_never_costs_and_a_larger_alpha_never_pays(
        seed in any::<u64>(),
        base in prop::sample::select(vec![Base::Zero, Base::Mean, Base::Independent, Base::Gaussian]),
        intercept in prop::sample::select(INTERCEPTS.to_vec()),
        one in parameters(2.0),
        factor in 1.0..100.0f64,
    ) {
        // A fit at other parameters is just another predictor, so the bounds must respect it.
        let data = holey(15, 3, 0.4, seed);
        let at = |alpha, gamma| {
            let learner = raw(Method::Irr(base), intercept);
            learner.fit(&data, Parameters { alpha, gamma }).unwrap().outcome
        };
        let here = at(one.alpha, one.gamma);
        let slack = 1.0 + 1e-8;
        let freer = at(one.alpha, factor * one.gamma);
        prop_assert!(freer.lower_bound <= here.objective * slack, "{freer:?} {here:?}");
        let dearer = at(factor * one.alpha, one.gamma);
        prop_assert!(here.lower_bound <= dearer.objective * slack, "{here:?} {dearer:?}");
        // alpha Ω grows by the factor at most.
        prop_assert!(dearer.lower_bound <= factor * here.objective * slack);
    }
}

/// Another predictor, this far from one; with the same entries absent.
fn near(mut one: Predictor, intercept: Intercept, size: f64, rng: &mut ChaCha8Rng) -> Predictor {
    let from = usize::from(intercept == Intercept::None);
    let shifts = one.shifts.iter_mut().flatten();
    for entries in std::iter::once(&mut one.weights).chain(shifts) {
        for x in &mut entries[from..] {
            *x += size * normal(rng);
        }
    }
    one
}
