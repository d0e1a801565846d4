//! The Gaussian base: what it promises beyond what every method promises.

use crate::sample::{PARAMETERS, assert_close, bits, holey, learner, normal, rng, weighted};
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::joint::Status;
use gapfit::prepare::{Intercept, Scale};
use gapfit::{Base, Fitted, Learner, Method};
use rand::RngExt;
use rand::seq::SliceRandom;

const METHODS: [Method; 2] = [Method::Impute(Base::Gaussian), Method::Irr(Base::Gaussian)];

fn fit(method: Method, data: &Dataset) -> Fitted {
    let learner = learner(method, Scale::Standard, Intercept::Free, 0.0);
    learner.fit(data, PARAMETERS).unwrap()
}

/// Rows made cell by cell; the target is the row number.
fn table(
    n_rows: usize,
    n_cols: usize,
    mut cell: impl FnMut(usize, usize) -> Option<f64>,
) -> Dataset {
    let mut table = MaskedMatrix::new(n_cols);
    for i in 0..n_rows {
        let row: Vec<_> = (0..n_cols).map(|j| cell(i, j)).collect();
        table.push_row(row).unwrap();
    }
    Dataset::new(table, (0..n_rows).map(|i| i as f64).collect()).unwrap()
}

/// Fits and predicts every mask of up to four columns; returns what was said about it.
#[track_caller]
fn warnings(data: &Dataset) -> String {
    let mut all = Vec::new();
    for method in METHODS {
        for scale in crate::sample::SCALES {
            for intercept in crate::sample::INTERCEPTS {
                let learner = learner(method, scale, intercept, 0.0);
                let fitted = learner.fit(data, PARAMETERS).unwrap();
                let mut masked = data.features().select_rows(&[0; 16]);
                for mask in 0..16 {
                    let hidden = (0..data.n_features()).filter(|j| mask >> (j % 4) & 1 == 0);
                    hidden.for_each(|j| masked.hide(mask, j));
                }
                for rows in [data.features(), &masked] {
                    let predictions = fitted.model.predict(rows).unwrap();
                    assert!(predictions.iter().all(|f| f.is_finite()), "{predictions:?}");
                }
                let fit = fitted.gaussian.expect("the base is gaussian");
                assert!(fit.log_likelihood.is_finite() && fit.shrinkage > 0.0);
                all = fitted.warnings;
            }
        }
    }
    all.join("\n")
}

#[test]
fn a_constant_column_is_named() {
    let rng = &mut rng(1);
    let data = table(60, 3, |_, j| match j {
        1 => rng.random::<bool>().then_some(4.25),
        _ => Some(normal(rng)),
    });
    let said = warnings(&data);
    assert_eq!(
        said,
        "gaussian base: nothing varies in 'x1': holes there get the one value"
    );
}

#[test]
fn pairs_that_are_never_or_rarely_observed_together_are_named() {
    let rng = &mut rng(2);
    let apart = table(300, 3, |i, j| (j != i % 2).then(|| normal(rng)));
    let said = warnings(&apart);
    let sentence = "gaussian base: no row has 'x0' with 'x1': how they relate is a guess, \
        shrinkage 0.001";
    assert_eq!(said, sentence);
    let rare = table(300, 3, |i, j| (j != i % 2 || i < 3).then(|| normal(rng)));
    let said = warnings(&rare);
    assert!(said.contains("few rows have 'x0' with 'x1'"), "{said}");
}

#[test]
fn collinear_columns_are_named_and_filled_exactly() {
    let rng = &mut rng(3);
    let mut x = [0.0; 2];
    let data = table(200, 4, |_, j| {
        if j == 0 {
            x = [normal(rng), normal(rng)];
        }
        let cells = [x[0], x[1], 3.0 * x[0] - x[1] + 5.0, normal(rng)];
        (rng.random::<f64>() < 0.8).then_some(cells[j])
    });
    let said = warnings(&data);
    assert!(
        said.contains("other columns determine 'x0', 'x1', 'x2'"),
        "{said}"
    );
    // A hole in one of them makes no difference.
    let complete = MaskedMatrix::from_nan(1, 4, &[0.5, -1.0, 7.5, 0.0]).unwrap();
    let model = fit(METHODS[0], &data).model;
    let want = model.predict(&complete).unwrap()[0];
    for j in 0..3 {
        let mut holed = complete.clone();
        holed.hide(0, j);
        let got = model.predict(&holed).unwrap()[0];
        assert!((got - want).abs() < 1e-3, "{j}: {got} {want}");
    }
}

#[test]
fn few_rows_are_shrunk_and_their_columns_named() {
    let rng = &mut rng(4);
    let data = table(7, 8, |_, _| {
        (rng.random::<f64>() < 0.8).then(|| normal(rng))
    });
    let said = warnings(&data);
    let sentence = "rows are few for the covariances of 'x0', 'x1', 'x2', 'x3', 'x4', 3 more";
    assert!(said.contains(sentence), "{said}");
    assert!(fit(METHODS[0], &data).gaussian.unwrap().shrinkage >= 0.3);
}

#[test]
fn tables_with_next_to_nothing_in_them_are_fitted() {
    let hole = |_: usize, _: usize| None;
    assert!(warnings(&table(5, 3, hole)).contains("nothing is observed in 'x0', 'x1', 'x2'"));
    let one_row = table(1, 3, |_, j| (j != 1).then_some(j as f64));
    assert!(warnings(&one_row).contains("nothing varies in 'x0', 'x2'"));
    let one_cell = table(4, 2, |i, j| (i == 2 && j == 1).then_some(3.0));
    assert!(warnings(&one_cell).contains("nothing varies in 'x1'"));
    let two_rows = table(2, 3, |i, j| Some((i * (j + 1)) as f64));
    assert!(warnings(&two_rows).contains("few"));
    // Each row has one cell: no pair of columns is ever seen together.
    let rng = &mut rng(5);
    let diagonal = table(30, 3, |i, j| (i % 3 == j).then(|| normal(rng)));
    let said = warnings(&diagonal);
    assert!(
        said.contains("'x0' with 'x1', 'x0' with 'x2', 'x1' with 'x2'"),
        "{said}"
    );
}

#[test]
fn a_relation_reaches_where_one_side_was_never_seen_with_or_without_an_intercept() {
    // x1 = 2 x0, nearly, and is observed only below: its own mean there is far from its mean.
    let rng = &mut rng(6);
    let mut x = 0.0;
    let data = table(4000, 2, |i, j| {
        if j == 0 {
            x = normal(rng) + 1.0;
            return Some(x);
        }
        (x < 1.0).then(|| 2.0 * x + 0.1 * (i as f64).sin())
    });
    let target = data.features().rows().map(|row| row.values()[0]);
    let data = Dataset::new(data.features().clone(), target.collect()).unwrap();
    for intercept in crate::sample::INTERCEPTS {
        let learner = learner(METHODS[0], Scale::None, intercept, 0.0);
        let parameters = gapfit::Parameters {
            alpha: 0.1,
            gamma: 0.0,
        };
        let model = learner.fit(&data, parameters).unwrap().model;
        let hole = f64::NAN;
        let rows = [3.0, hole, 3.0, 6.0, hole, hole, 1.0, 2.0];
        let rows = MaskedMatrix::from_nan(4, 2, &rows).unwrap();
        let predictions = model.predict(&rows).unwrap();
        let [above, there, nothing, mean] = predictions[..] else {
            panic!("one prediction per row");
        };
        assert!((above - there).abs() < 0.05, "{above} {there} {intercept}");
        assert!(
            (nothing - mean).abs() < 0.05,
            "{nothing} {mean} {intercept}"
        );
    }
}

#[test]
fn neither_threads_nor_the_order_of_rows_touch_a_bit_of_a_prediction() {
    let data = weighted(holey(3000, 9, 0.4, 7), 8);
    let mut order: Vec<usize> = (0..3000).collect();
    order.shuffle(&mut rng(9));
    let shuffled = data.features().select_rows(&order);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let fitted = fit(METHODS[1], &data);
            let all = fitted.model.predict(data.features()).unwrap();
            let mixed = fitted.model.predict(&shuffled).unwrap();
            let back: Vec<f64> = order.iter().map(|&i| all[i]).collect();
            assert_eq!(bits(&mixed), bits(&back));
            (fitted.model.to_bytes(), bits(&all))
        })
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn ordinary_tables_are_fitted_to_the_maximum_without_a_word() {
    for (n_rows, n_cols) in [(100, 3), (400, 8), (3000, 12)] {
        let data = holey(n_rows, n_cols, 0.3, n_rows as u64);
        let fitted = fit(METHODS[0], &data);
        let fit = fitted.gaussian.unwrap();
        assert_eq!(fit.status, Status::Converged);
        assert!(fit.iterations < 40 && fit.shrinkage < 1e-5, "{fit:?}");
        assert!(fitted.warnings.is_empty(), "{:?}", fitted.warnings);
    }
    let other = Learner::new(Method::Mask).fit(&holey(30, 3, 0.3, 1), PARAMETERS);
    assert!(other.unwrap().gaussian.is_none());
}

#[test]
fn it_tells_more_of_a_hole_than_the_mean() {
    // A target that is the first column: the error is that of the imputation where it is missing.
    let rng = &mut rng(10);
    let mut common = 0.0;
    let complete = table(3000, 6, |_, j| {
        if j == 0 {
            common = normal(rng);
        }
        Some(common + 0.5 * normal(rng))
    });
    let target: Vec<f64> = complete
        .features()
        .rows()
        .map(|row| row.values()[0])
        .collect();
    let mut holed = complete.features().clone();
    for i in 0..3000 {
        (0..6)
            .filter(|_| rng.random::<f64>() < 0.4)
            .for_each(|j| holed.hide(i, j));
    }
    let data = Dataset::new(holed, target.clone()).unwrap();
    let error = |base| {
        let model = fit(Method::Impute(base), &data).model;
        let predictions = model.predict(data.features()).unwrap();
        let missing = (0..3000).filter(|&i| data.features().get(i, 0).is_none());
        missing
            .map(|i| (predictions[i] - target[i]).powi(2))
            .sum::<f64>()
    };
    let [gaussian, independent, mean] = [Base::Gaussian, Base::Independent, Base::Mean].map(error);
    assert!(
        gaussian < 0.95 * independent && gaussian < 0.75 * mean,
        "{gaussian} {independent} {mean}"
    );
}

#[test]
fn weights_are_shares_of_the_whole() {
    // Few rows, so that the choice of the shrinkage depends on what counts as a row.
    let data = holey(25, 5, 0.3, 11);
    let twice: Vec<usize> = (0..25).chain((0..25).step_by(3)).collect();
    let weights = (0..25).map(|i| if i % 3 == 0 { 2e-3 } else { 1e-3 });
    let doubled = data.clone().with_weights(weights.collect()).unwrap();
    let learner = learner(METHODS[0], Scale::Standard, Intercept::Free, 0.0);
    let got = crate::sample::predictions(&learner, &doubled, data.features());
    let want = crate::sample::predictions(&learner, &data.select(&twice), data.features());
    assert_close(&got, &want, 1e-6, &learner);
}
