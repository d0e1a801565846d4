//! Supports: which weights may shift when a feature is missing.

use crate::container::Parts;
use crate::objective::{Predictor, loss};
use crate::sample::{
    INTERCEPTS, PARAMETERS, assert_close, bits, classed, holey, learner, normal, raw, rng, weighted,
};
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::loss::Loss;
use gapfit::prepare::{Intercept, Scale};
use gapfit::support::{Support, SupportChoice, SupportKind, SupportRule};
use gapfit::tune::{self, Search};
use gapfit::{Base, Error, Learner, Method, Model};
use rand::RngExt;
use serde_json::json;
use std::ops::ControlFlow;

fn with(rule: SupportRule, learner: &Learner) -> Learner {
    Learner {
        support: SupportChoice::Rule(rule),
        ..learner.clone()
    }
}

fn shifts(model: &Model) -> Vec<Vec<usize>> {
    let n_features = model.feature_names().len();
    (0..n_features)
        .filter_map(|k| model.shifted_by(k))
        .collect()
}

#[test]
fn a_support_of_everything_is_the_full_fit() {
    let data = weighted(holey(80, 5, 0.3, 301), 302);
    for method in [
        Method::Irr(Base::Mean),
        Method::Irr(Base::Gaussian),
        Method::Lifted,
    ] {
        for intercept in INTERCEPTS {
            let full = learner(method, Scale::MinMax, intercept, 0.0);
            let all = with(SupportRule::Correlation(0.0), &full);
            let [full, all] = [&full, &all].map(|l| l.fit(&data, PARAMETERS).unwrap().model);
            assert_eq!(full.support(), SupportKind::Rule(SupportRule::Full));
            assert_eq!(
                all.support(),
                SupportKind::Rule(SupportRule::Correlation(0.0))
            );
            assert_eq!(bits(&full.weights().1), bits(&all.weights().1), "{method}");
            for k in 0..5 {
                let [one, two] = [&full, &all].map(|model| model.shift(k));
                assert_eq!(one, two, "{method} {intercept}");
            }
        }
    }
}

#[test]
fn what_is_outside_the_support_does_not_shift() {
    let data = holey(200, 6, 0.3, 303);
    for m in [0, 2] {
        for (base, itself) in [(Base::Mean, 1), (Base::Zero, 0)] {
            let learner = with(SupportRule::Top(m), &Learner::new(Method::Irr(base)));
            let fitted = learner.fit(&data, PARAMETERS).unwrap();
            assert!(fitted.outcome.gap <= 1e-8);
            assert!(fitted.warnings.is_empty(), "{:?}", fitted.warnings);
            for k in 1..6 {
                let may = fitted.model.shifted_by(k).unwrap();
                assert_eq!(may.len(), m + itself);
                let (_, shift) = fitted.model.shift(k).unwrap();
                for (j, x) in shift.iter().enumerate() {
                    assert!(*x == 0.0 || may.contains(&j), "{k} shifts {j} by {x}");
                }
            }
        }
    }
}

/// Feature k is made of feature k - 1: the chain of correlations falls off with distance.
fn chain(n_rows: usize, n_cols: usize, rate: f64, seed: u64) -> Dataset {
    let rng = &mut rng(seed);
    let mut table = MaskedMatrix::new(n_cols);
    let mut target = Vec::new();
    for _ in 0..n_rows {
        let mut x = normal(rng);
        let mut y = 0.2 * normal(rng);
        let row: Vec<_> = (0..n_cols)
            .map(|j| {
                x = 0.8 * x + 0.6 * normal(rng);
                y += x / (1.0 + j as f64);
                (rng.random::<f64>() >= rate).then_some(x)
            })
            .collect();
        table.push_row(row).unwrap();
        target.push(y);
    }
    Dataset::new(table, target).unwrap()
}

#[test]
fn the_features_that_say_most_are_found() {
    let data = chain(4000, 8, 0.2, 304);
    let learner = with(SupportRule::Top(2), &Learner::new(Method::Irr(Base::Zero)));
    let model = learner.fit(&data, PARAMETERS).unwrap().model;
    for k in 1..7 {
        assert_eq!(model.shifted_by(k).unwrap(), [k - 1, k + 1]);
    }
    let learner = with(SupportRule::Correlation(0.72), &learner);
    let model = learner.fit(&data, PARAMETERS).unwrap().model;
    assert_eq!(
        shifts(&model),
        [
            vec![1],
            vec![0, 2],
            vec![1, 3],
            vec![2, 4],
            vec![3, 5],
            vec![4, 6],
            vec![5, 7],
            vec![6]
        ]
    );
}

#[test]
fn edges_and_grids_are_taken_as_given() {
    let data = holey(120, 6, 0.3, 305);
    let graph = Support::edges("1 4\n2,5\n", data.names()).unwrap();
    let learner = Learner {
        support: SupportChoice::Edges(graph),
        ..Learner::new(Method::Irr(Base::Zero))
    };
    let model = learner.fit(&data, PARAMETERS).unwrap().model;
    assert_eq!(model.support(), SupportKind::Edges);
    assert_eq!(shifts(&model), [vec![4], vec![5], vec![], vec![1], vec![2]]);
    let learner = with(SupportRule::Grid(2, 3), &learner);
    let model = learner.fit(&data, PARAMETERS).unwrap().model;
    assert_eq!(model.shifted_by(2).unwrap(), [1, 4, 5]);
}

#[test]
fn a_support_for_other_columns_is_refused() {
    let data = holey(30, 4, 0.3, 306);
    let wrong = [
        (
            SupportChoice::Rule(SupportRule::Grid(2, 3)),
            "pixels of the grid: expected 4, got 6",
        ),
        (
            SupportChoice::Edges(Support::grid(1, 3)),
            "features of the support: expected 4, got 3",
        ),
        (
            SupportChoice::Rule(SupportRule::Correlation(1.5)),
            "support: expected corr=R with a number R from 0 to 1, got 1.5",
        ),
    ];
    for (support, text) in wrong {
        let learner = Learner {
            support,
            ..Learner::default()
        };
        let error = learner.fit(&data, PARAMETERS).unwrap_err();
        assert_eq!(error.to_string(), text);
        let go_on = |_, _| ControlFlow::Continue(());
        let error = tune::cross_validate(&learner, &data, &Search::default(), &go_on).unwrap_err();
        assert_eq!(error.to_string(), text);
    }
    let rival = with(
        SupportRule::Top(1),
        &Learner {
            solver: "silp".parse().unwrap(),
            ..Learner::default()
        },
    );
    let error = rival.fit(&data, PARAMETERS).unwrap_err();
    assert_eq!(
        error.to_string(),
        "solver: expected exact unless the support is full, got silp with support top=1"
    );
}

#[test]
fn the_certificate_is_one_of_the_narrowed_problem() {
    let data = holey(90, 5, 0.4, 307);
    let of = |rule, method| {
        let learner = with(rule, &raw(method, Intercept::Penalised));
        learner.fit(&data, PARAMETERS).unwrap()
    };
    // Ridge regression on lifted features: the penalty is a sum of squares.
    let narrow = of(SupportRule::Top(2), Method::Lifted);
    let squares = |model: &Model| {
        let predictor = Predictor::of(model);
        let norms = predictor.shift_norms();
        predictor.weight_squares(Intercept::Penalised) + norms.iter().map(|s| s * s).sum::<f64>()
    };
    let predictions = narrow.model.predict(data.features()).unwrap();
    let value = loss(&data, &predictions) + PARAMETERS.alpha * squares(&narrow.model);
    assert!((value / narrow.outcome.objective - 1.0).abs() < 1e-9);
    // More freedom can only lower the minimum; certified bounds order it.
    for method in [Method::Lifted, Method::Irr(Base::Zero)] {
        let fits = [0, 1, 3, 4].map(|m| of(SupportRule::Top(m), method).outcome);
        let full = of(SupportRule::Full, method).outcome;
        assert!(fits.iter().all(|fit| fit.gap <= 1e-12), "{fits:?}");
        for pair in fits.windows(2) {
            assert!(pair[1].lower_bound <= pair[0].objective);
        }
        assert!(fits[0].lower_bound > 1.001 * full.objective, "{method}");
        assert!(
            (fits[3].objective / full.objective - 1.0).abs() < 1e-10,
            "{method}"
        );
    }
}

#[test]
fn every_loss_learns_with_a_support() {
    let two = classed(200, 6, 0.3, 2, 308);
    let three = classed(200, 6, 0.3, 3, 309);
    for (loss, data) in [
        (Loss::Logistic, &two),
        (Loss::SquaredHinge, &two),
        (Loss::Logistic, &three),
        (Loss::Huber(0.5), &holey(200, 6, 0.3, 310)),
    ] {
        let learner = Learner {
            loss,
            ..Learner::default()
        };
        let fit = |rule| with(rule, &learner).fit(data, PARAMETERS).unwrap();
        let (narrow, all, full) = (
            fit(SupportRule::Top(2)),
            fit(SupportRule::Top(5)),
            fit(SupportRule::Full),
        );
        assert!(narrow.outcome.gap <= 1e-8, "{loss}: {:?}", narrow.outcome);
        assert!(
            narrow.outcome.lower_bound > full.outcome.objective,
            "{loss}"
        );
        assert!(
            (all.outcome.objective / full.outcome.objective - 1.0).abs() < 1e-7,
            "{loss}"
        );
        let bytes = narrow.model.to_bytes();
        assert_eq!(Model::from_bytes(&bytes).unwrap(), narrow.model);
    }
}

#[test]
fn the_order_of_columns_does_not_matter() {
    let data = weighted(chain(300, 7, 0.25, 311), 312);
    let order = [3, 0, 6, 2, 5, 1, 4];
    let table = data.features().select_columns(&order.map(Some));
    let other = data.clone().with_features(table.clone()).unwrap();
    for rule in [SupportRule::Top(2), SupportRule::Correlation(0.5)] {
        let learner = with(
            rule,
            &learner(Method::default(), Scale::Standard, Intercept::Free, 0.0),
        );
        let one = learner.fit(&data, PARAMETERS).unwrap().model;
        let two = learner.fit(&other, PARAMETERS).unwrap().model;
        for (new, &old) in order.iter().enumerate() {
            let mut renamed: Vec<usize> = two
                .shifted_by(new)
                .unwrap()
                .into_iter()
                .map(|j| order[j])
                .collect();
            renamed.sort_unstable();
            assert_eq!(renamed, one.shifted_by(old).unwrap());
        }
        let want = one.predict(data.features()).unwrap();
        assert_close(&two.predict(&table).unwrap(), &want, 1e-6, &learner);
    }
}

#[test]
fn the_support_of_a_fold_comes_from_its_training_rows() {
    // The rows of the second half are a world of their own: columns pair up otherwise.
    let rng = &mut rng(313);
    let mut table = MaskedMatrix::new(4);
    for i in 0..400 {
        let [a, b] = [normal(rng), normal(rng)];
        let row = if i < 200 { [a, a, b, b] } else { [a, b, b, a] };
        let cell = |x: f64, r: f64| (r >= 0.2).then_some(x);
        table.push_row(row.map(|x| cell(x, rng.random()))).unwrap();
    }
    let target = (0..400).map(|i| f64::from(i % 7)).collect();
    let data = Dataset::new(table, target).unwrap();
    let learner = with(SupportRule::Top(1), &Learner::new(Method::Irr(Base::Zero)));
    let times = (0..400).map(f64::from).collect();
    let folding = tune::Folding::Timed(times);
    let search = Search {
        folding,
        folds: 2,
        ..Search::default()
    };
    let held_out = tune::hold_out(&learner, PARAMETERS, &data, &search).unwrap();
    for part in held_out {
        let first = *part.rows.iter().min().unwrap();
        let train: Vec<usize> = (0..first).collect();
        let alone = learner.fit(&data.select(&train), PARAMETERS).unwrap().model;
        assert_eq!(shifts(&part.model), shifts(&alone));
    }
    let early: Vec<usize> = (0..200).collect();
    let early = learner.fit(&data.select(&early), PARAMETERS).unwrap().model;
    assert_eq!(shifts(&early), [vec![1], vec![0], vec![3], vec![2]]);
}

#[test]
fn a_wide_table_is_narrowed_unless_all_is_asked_for() {
    let data = chain(24, 210, 0.1, 314);
    let fit = |support| {
        let learner = Learner {
            support,
            tol: 0.1,
            ..Learner::default()
        };
        learner.fit(&data, PARAMETERS).unwrap()
    };
    let fitted = fit(SupportChoice::Auto);
    assert_eq!(
        fitted.model.support(),
        SupportKind::Rule(SupportRule::Top(20))
    );
    assert_eq!(fitted.model.shifted_by(100).unwrap().len(), 21);
    assert!(
        fitted.warnings[0].contains("support top=20"),
        "{:?}",
        fitted.warnings
    );
    assert!(fit("top=20".parse().unwrap()).warnings.is_empty());
    assert_eq!(
        fit("full".parse().unwrap()).model.support(),
        SupportKind::default()
    );
}

#[test]
fn bases_that_a_table_is_too_wide_for_are_refused_or_left_out() {
    // 1000 columns in 2000 patterns are twice what is allowed.
    let rng = &mut rng(315);
    let mut table = MaskedMatrix::new(1000);
    for _ in 0..2000 {
        let is_observed: Vec<bool> = (0..1000).map(|_| rng.random::<f64>() > 0.02).collect();
        table
            .push_row(is_observed.iter().map(|&o| o.then_some(1.0)))
            .unwrap();
    }
    let data = Dataset::new(table, (0..2000).map(f64::from).collect()).unwrap();
    let learner = Learner::new(Method::Irr(Base::Gaussian));
    match learner.fit(&data, PARAMETERS) {
        Err(Error::Setting {
            name: "base", got, ..
        }) => {
            assert_eq!(got, "gaussian with 1000 columns and 2000 patterns");
        }
        other => panic!("{:?}", other.map(|fitted| fitted.outcome)),
    }
}

#[test]
fn a_file_with_an_unsound_support_is_refused() {
    let data = holey(60, 4, 0.3, 316);
    let learner = with(SupportRule::Top(2), &Learner::default());
    let bytes = learner.fit(&data, PARAMETERS).unwrap().model.to_bytes();
    let sound = Parts::of(&bytes);
    assert!(Model::from_bytes(&sound.join()).is_ok());
    let entries = sound.header["support"]["entries"].clone();
    let mut altered = vec![
        json!({"kind": "full", "entries": entries}),
        json!({"kind": "most", "entries": entries}),
        json!({"kind": "top=2", "entries": [[0, 1], [0, 2]]}),
        json!({"kind": "top=2"}),
        json!(null),
    ];
    for list in [json!([2, 1]), json!([0, 0]), json!([0, 9]), json!([-1])] {
        let mut unsound = json!({"kind": "top=2", "entries": entries});
        unsound["entries"][0] = list;
        altered.push(unsound);
    }
    for support in altered {
        let mut parts = Parts::of(&bytes);
        parts.header["support"] = support.clone();
        let read = Model::from_bytes(&parts.join());
        assert!(matches!(read, Err(Error::Model { .. })), "{support}");
    }
}
