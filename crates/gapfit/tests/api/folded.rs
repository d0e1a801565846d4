//! Statistics of so many patterns of holes that these are not told apart: the same models on bases that fill with constants.

use crate::sample::PARAMETERS;
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::tune::{BlockFold, Search, choose_base};
use gapfit::{Base, Error, Gathering, Learner, Method, Statistics};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use std::ops::ControlFlow;
use std::sync::LazyLock;

const N_ROWS: usize = 34_000;
const WIDTH: usize = 40;

/// Nearly every row lacks other columns; far-out cells in one of them.
static TABLE: LazyLock<Dataset> = LazyLock::new(|| {
    let rng = &mut ChaCha8Rng::seed_from_u64(700);
    let (mut features, mut target) = (MaskedMatrix::new(WIDTH), Vec::new());
    for _ in 0..N_ROWS {
        let common: f64 = rng.sample(StandardNormal);
        let mut sum = 3.0;
        let row: Vec<Option<f64>> = (0..WIDTH)
            .map(|j| {
                let own: f64 = rng.sample(StandardNormal);
                let x = if j == 0 { own.powi(3) } else { common + own };
                let is_seen = rng.random::<f64>() > 0.1;
                sum += if is_seen { x / (1.0 + j as f64) } else { 0.2 };
                is_seen.then_some(10.0 + x)
            })
            .collect();
        features.push_row(row).unwrap();
        target.push(sum + rng.sample::<f64, _>(StandardNormal));
    }
    Dataset::new(features, target).unwrap()
});

const WHOLE: Gathering = Gathering {
    clip: 0.0,
    is_blocked: false,
};

fn learner(method: Method, clip: f64) -> Learner {
    let mut learner = Learner {
        tol: 1e-12,
        ..Learner::new(method)
    };
    learner.preparation.clip = clip;
    learner
}

/// How far models of these statistics are from those of the table, on some of its rows.
fn assert_same(statistics: &Statistics, clip: f64, tolerance: f64) {
    let rows = TABLE.select(&(0..500).collect::<Vec<_>>());
    for method in [
        Method::Impute(Base::Mean),
        Method::Impute(Base::Zero),
        Method::Mask,
        Method::Lifted,
    ] {
        let learner = learner(method, clip);
        let of_sums = learner.fit(statistics, PARAMETERS).unwrap().model;
        let of_rows = learner.fit(&*TABLE, PARAMETERS).unwrap().model;
        assert_eq!(of_sums.training().rows, N_ROWS);
        let [got, want] = [of_sums, of_rows].map(|model| model.predict(rows.features()).unwrap());
        for (got, want) in got.iter().zip(&want) {
            assert!((got - want).abs() < tolerance, "{method}: {got} {want}");
        }
    }
}

#[test]
fn models_are_those_of_the_rows() {
    let statistics = Statistics::of(&TABLE, WHOLE).unwrap();
    assert!(statistics.is_folded() && statistics.outgrows_rows());
    assert_same(&statistics, 0.0, 1e-10);
    for base in [Base::Mean, Base::Zero] {
        let learner = learner(Method::Irr(base), 0.0);
        let of_sums = learner.fit(&statistics, PARAMETERS).unwrap().outcome;
        let of_rows = learner.fit(&*TABLE, PARAMETERS).unwrap().outcome;
        let ratio = of_sums.objective / of_rows.objective;
        assert!((ratio - 1.0).abs() < 1e-9, "{base}: {ratio}");
    }
}

#[test]
fn rows_in_tails_are_kept_and_clipped() {
    let clip = 1e-4;
    let statistics = Statistics::of(&TABLE, Gathering { clip, ..WHOLE }).unwrap();
    assert!(statistics.is_folded() && statistics.n_kept() > 500);
    assert_same(&statistics, clip, 1e-9);
}

#[test]
fn they_add_up_in_any_units_and_go_through_a_file() {
    let pick = |keep: &dyn Fn(f64) -> bool| {
        let rows = (0..N_ROWS).filter(|&i| keep(TABLE.target()[i]));
        let rows = TABLE.select(&rows.collect::<Vec<_>>());
        Statistics::of(&rows, WHOLE).unwrap()
    };
    // the first is large enough, the second is still kept mask by mask
    let mut all = pick(&|y| y < 50.0);
    let few = pick(&|y| y >= 50.0);
    assert!(all.is_folded() && !few.is_folded());
    all = Statistics::from_bytes(&all.to_bytes()).unwrap();
    all.merge(few).unwrap();
    assert_eq!(all.n_rows(), N_ROWS);
    let again = Statistics::from_bytes(&all.to_bytes()).unwrap();
    assert!(again.is_folded());
    assert_eq!(again.to_bytes(), all.to_bytes());
    assert_same(&again, 0.0, 1e-9);
}

#[test]
fn bases_that_look_at_other_columns_are_refused_and_not_looked_at() {
    let blocked = Gathering {
        is_blocked: true,
        ..WHOLE
    };
    let statistics = Statistics::of(&TABLE, blocked).unwrap();
    assert!(statistics.is_folded());
    for base in [Base::Gaussian, Base::Independent] {
        let refused = learner(Method::Irr(base), 0.0).fit(&statistics, PARAMETERS);
        let error = refused.unwrap_err();
        assert!(matches!(error, Error::Setting { name: "base", .. }));
        assert!(error.to_string().contains("not told apart"), "{error}");
    }
    let search = Search {
        alphas: vec![1e-3, 1.0],
        gammas: vec![0.0, 1.0],
        coarse_to_fine: false,
        folds: 2,
        ..Search::default()
    };
    let go_on = |_, _| ControlFlow::Continue(());
    let irr = learner(Method::default(), 0.0);
    let chosen = choose_base(&irr, &Base::ALL, &statistics, &search, &go_on).unwrap();
    let bases: Vec<Base> = chosen.tuned.iter().map(|(base, _)| *base).collect();
    assert_eq!(bases, [Base::Zero, Base::Mean]);
    assert_eq!(chosen.too_wide, [Base::Independent, Base::Gaussian]);
    // errors on held-out blocks, from their sums
    let fold = &BlockFold::all(&statistics, 2).unwrap()[0];
    let mask = learner(Method::Mask, 0.0);
    let (fitted, errors) = fold.judge(&mask, PARAMETERS).unwrap();
    assert!(fitted.model.training().rows < N_ROWS);
    let rmse = (errors.squares / errors.weight).sqrt();
    assert!(
        (rmse / fitted.model.training().rmse - 1.0).abs() < 0.05,
        "{rmse}"
    );
}
