//! A model is judged on rows as it will meet new ones: a category it has not learnt is missing.

use crate::sample::{PARAMETERS, holey, learner};
use gapfit::data::{Dataset, Kind, Levels, MaskedMatrix, Schema, SchemaColumn, Value};
use gapfit::eval::Scores;
use gapfit::prepare::{Intercept, Scale};
use gapfit::tune::{self, Folding, Search};
use gapfit::{Base, Learner, Method, conformal};
use std::ops::ControlFlow;

const CITIES: [&str; 5] = ["ulm", "bonn", "kiel", "jena", "gera"];

/// A numeric column and one of cities, of which the last two share a feature. The rows of each city are a
/// group of their own.
fn cities(rows_of_each: usize) -> (Dataset, Search) {
    let owned = |texts: &[&str]| texts.iter().map(|&t| t.to_owned()).collect();
    let levels = Levels::new(owned(&CITIES[..3]), owned(&CITIES[3..])).unwrap();
    let column = |name: &str, kind| SchemaColumn {
        name: name.to_owned(),
        kind,
    };
    let columns = vec![
        column("size", Kind::Numeric),
        column("city", Kind::Categorical(levels)),
    ];
    let schema = Schema::new(columns).unwrap();
    let sizes = holey(CITIES.len() * rows_of_each, 2, 0.2, 9);
    let (mut table, mut target, mut texts) = (MaskedMatrix::new(5), Vec::new(), Vec::new());
    for i in 0..sizes.n_rows() {
        let city = i / rows_of_each;
        let size = sizes.features().get(i, 1);
        let value = match i % 4 {
            0 => Value::Missing,
            _ => Value::Level(schema.level(1, CITIES[city]).unwrap()),
        };
        let mut row = Vec::new();
        schema.encode(0, size.map_or(Value::Missing, Value::Number), &mut row);
        schema.encode(1, value, &mut row);
        table.push_row(row).unwrap();
        target.push(sizes.target()[i] + 3.0 * city as f64);
        texts.push(city as u32);
    }
    let data = Dataset::new(table, target).unwrap();
    let data = data.with_schema(schema).unwrap();
    let search = Search {
        alphas: vec![PARAMETERS.alpha],
        gammas: vec![PARAMETERS.gamma],
        folds: CITIES.len(),
        folding: Folding::grouped(&texts),
        ..Search::default()
    };
    (data.with_texts(vec![(1, texts)]).unwrap(), search)
}

/// Rows without their city.
fn of_no_city(data: &Dataset, rows: &[usize]) -> Dataset {
    let data = data.select(rows);
    let mut features = data.features().clone();
    for i in 0..rows.len() {
        (1..5).for_each(|j| features.hide(i, j));
    }
    data.with_features(features).unwrap()
}

fn learners() -> impl Iterator<Item = Learner> {
    let methods = [
        Method::Irr(Base::Mean),
        Method::Mask,
        Method::Impute(Base::Independent),
    ];
    let of = |method| {
        [0.0, 0.02].map(|clip| Learner {
            tol: 1e-5, // as in a search
            ..learner(method, Scale::Standard, Intercept::Free, clip)
        })
    };
    methods.into_iter().flat_map(of)
}

#[test]
fn a_city_that_only_the_held_out_rows_have_is_missing_in_them() {
    let (data, search) = cities(12);
    let folds = search.folding.split(&data, search.folds, search.seed);
    let folds: Vec<_> = folds.unwrap().iter().collect();
    for learner in learners() {
        let tuned =
            tune::cross_validate(&learner, &data, &search, &|_, _| ControlFlow::Continue(()));
        let tuned = tuned.unwrap();
        let held_out = tune::hold_out(&learner, PARAMETERS, &data, &search).unwrap();
        for (f, fold) in folds.iter().enumerate() {
            let fitted = learner.fit(&data.select(&fold.train), PARAMETERS);
            let test = of_no_city(&data, &fold.held_out);
            assert_eq!(data.held_out(&fold.held_out, &fold.train), test);
            let want = fitted.unwrap().model.predict(test.features()).unwrap();
            assert_eq!(held_out[f].rows, fold.held_out);
            assert_eq!(held_out[f].features, *test.features());
            let predictions = held_out[f].model.predict(&held_out[f].features);
            for (got, want) in predictions.unwrap().iter().zip(&want) {
                let off = got / want - 1.0;
                assert!(off.abs() < 1e-6, "{learner:?}: {got} {want}");
            }
            let want = Scores::of(&want, test.target(), None).rmse.powi(2);
            let off = tuned.best.fold_errors[f] / want - 1.0;
            assert!(off.abs() < 1e-6, "{learner:?}: {off:e}");
        }
    }
}

#[test]
fn intervals_count_an_unknown_city_as_missing() {
    let (data, search) = cities(300);
    let calibration = conformal::calibrate(&Learner::default(), PARAMETERS, &data, &search);
    let calibration = calibration.unwrap();
    let missing: Vec<usize> = calibration.groups().iter().map(|g| g.missing).collect();
    // every row has one hole or two; the first group is also for rows with fewer
    assert_eq!(missing, [0, 2]);
}
