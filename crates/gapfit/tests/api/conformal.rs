//! Intervals hold the target as often as they say: overall, and whatever the number of holes.

use crate::container::Parts;
use crate::sample::{PARAMETERS, holey, normal, rng, weighted};
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::model::Calibration;
use gapfit::tune::{self, Folding, Search};
use gapfit::{Error, Interval, Learner, Method, Model, conformal};
use rand::RngExt;
use serde_json::json;

/// A table of so many rows from a seed.
type Maker = fn(usize, u64) -> Dataset;

fn calibrated(data: &Dataset, search: &Search) -> Model {
    let learner = Learner::default();
    let calibration = conformal::calibrate(&learner, PARAMETERS, data, search).unwrap();
    let model = learner.fit(data, PARAMETERS).unwrap().model;
    model.with_calibration(calibration)
}

/// Columns with holes, a linear target, and noise that doubles with each hole.
fn noisier_with_holes(n_rows: usize, seed: u64) -> Dataset {
    let rng = &mut rng(seed);
    let (mut table, mut target) = (MaskedMatrix::new(4), Vec::new());
    for _ in 0..n_rows {
        let values: [f64; 4] = std::array::from_fn(|_| normal(rng));
        let row = values.map(|x| (rng.random::<f64>() > 0.3).then_some(x));
        let holes = row.iter().filter(|cell| cell.is_none()).count();
        let noise = 0.25 * 2f64.powi(holes as i32) * normal(rng);
        table.push_row(row).unwrap();
        target.push(row.iter().flatten().sum::<f64>() + noise);
    }
    Dataset::new(table, target).unwrap()
}

/// The share of the rows that `wanted` picks by their number of holes whose target is covered.
fn coverage(data: &Dataset, intervals: &[Interval], wanted: impl Fn(usize) -> bool) -> f64 {
    let rows = data.features().rows().zip(intervals).zip(data.target());
    let holes = |row: gapfit::data::MaskedRow<'_>| row.observed().missing().count();
    let picked = rows.filter(|((row, _), _)| wanted(holes(*row)));
    let hits: Vec<bool> = picked
        .map(|((_, i), y)| (i.lower..=i.upper).contains(y))
        .collect();
    hits.iter().filter(|hit| **hit).count() as f64 / hits.len() as f64
}

/// The least number of holes of each group and of the next.
fn bounds(calibration: &Calibration) -> Vec<(usize, usize)> {
    let starts: Vec<usize> = calibration.groups().iter().map(|g| g.missing).collect();
    let ends = starts[1..].iter().copied().chain([usize::MAX]);
    starts.iter().copied().zip(ends).collect()
}

#[test]
fn coverage_is_as_asked_overall_and_by_number_of_holes() {
    let make: [(&str, Maker); 2] = [
        ("informative holes", |n, seed| holey(n, 5, 0.35, seed)),
        ("noisier with holes", noisier_with_holes),
    ];
    for (name, make) in make {
        for seed in 0..4 {
            let (train, test) = (make(4000, seed), make(20_000, 1000 + seed));
            let model = calibrated(&train, &Search::default());
            let groups = bounds(model.calibration().unwrap());
            assert!(groups.len() >= 3, "{name}: {groups:?}");
            for level in [0.8, 0.9, 0.95, 0.99] {
                let intervals = model.predict_intervals(test.features(), level).unwrap();
                let overall = coverage(&test, &intervals, |_| true);
                println!("{name}, seed {seed}, level {level}: {overall:.4} of all");
                assert!(
                    (overall - level).abs() < 0.02,
                    "{name} {seed} {level}: {overall}"
                );
                for &(from, to) in &groups {
                    let share = coverage(&test, &intervals, |h| (from..to).contains(&h));
                    println!("    from {from} holes: {share:.4}");
                    let off = (share - level).abs();
                    assert!(
                        off < 0.05,
                        "{name} {seed} {level}, from {from} holes: {share}"
                    );
                }
            }
        }
    }
}

#[test]
fn one_width_for_all_would_miss_where_holes_are_many() {
    let (train, test) = (noisier_with_holes(4000, 8), noisier_with_holes(20_000, 9));
    let model = calibrated(&train, &Search::default());
    let calibration = model.calibration().unwrap();
    let intervals = model.predict_intervals(test.features(), 0.9).unwrap();
    // the width that covers 90 % of all rows
    let mut off: Vec<f64> = intervals
        .iter()
        .zip(test.target())
        .map(|(i, y)| (i.prediction - y).abs())
        .collect();
    off.sort_by(f64::total_cmp);
    let half = off[18_000];
    let same = |i: &Interval| Interval {
        lower: i.prediction - half,
        upper: i.prediction + half,
        ..*i
    };
    let same: Vec<_> = intervals.iter().map(same).collect();
    let last = calibration.groups().last().unwrap().missing;
    assert!(coverage(&test, &same, |h| h >= last) < 0.75);
    assert!((coverage(&test, &intervals, |h| h >= last) - 0.9).abs() < 0.05);
}

#[test]
fn held_out_predictions_are_those_of_models_that_have_not_seen_the_row() {
    let data = holey(60, 3, 0.3, 4);
    for method in Method::ALL {
        let learner = Learner {
            tol: 1e-5,
            ..Learner::new(method)
        };
        let search = Search {
            folds: 4,
            ..Search::default()
        };
        let predicted = tune::out_of_fold(&learner, PARAMETERS, &data, &search).unwrap();
        assert_eq!(predicted.len(), 60);
        let folds = Folding::Shuffled.split(&data, 4, 0).unwrap();
        for fold in folds.iter() {
            let model = learner
                .fit(&data.select(&fold.train), PARAMETERS)
                .unwrap()
                .model;
            let expected = model
                .predict(data.select(&fold.held_out).features())
                .unwrap();
            for (row, expected) in fold.held_out.iter().zip(expected) {
                let (_, found) = predicted.iter().find(|(i, _)| i == row).unwrap();
                assert!(
                    (found - expected).abs() < 1e-6,
                    "{method} {row}: {found} {expected}"
                );
            }
        }
    }
}

#[test]
fn rows_that_are_never_held_out_have_no_part() {
    let data = holey(90, 3, 0.3, 5);
    let search = Search {
        folding: Folding::Timed((0..90).map(f64::from).collect()),
        folds: 2,
        ..Search::default()
    };
    let model = calibrated(&data, &search);
    let rows: f64 = model
        .calibration()
        .unwrap()
        .groups()
        .iter()
        .map(|g| g.rows)
        .sum();
    assert!((rows - 60.0).abs() < 1e-9, "{rows}");
}

#[test]
fn heavy_rows_count_more() {
    let data = noisier_with_holes(2000, 6);
    let holes = |i: usize| data.features().row(i).observed().missing().count();
    let weights = (0..2000)
        .map(|i| if holes(i) > 1 { 20.0 } else { 1.0 })
        .collect();
    let level = 0.9;
    let width = |data: &Dataset| {
        let calibration = calibrated(data, &Search::default())
            .calibration()
            .unwrap()
            .clone();
        assert!(calibration.scores().rmse > 0.0);
        calibration
    };
    let plain = width(&data);
    let heavy = width(&data.clone().with_weights(weights).unwrap());
    assert!(heavy.scores().rmse > 1.3 * plain.scores().rmse);
    let uneven = width(&weighted(data, 3));
    let (a, b) = (
        plain.half_width(0, level).unwrap(),
        uneven.half_width(0, level).unwrap(),
    );
    assert!((a / b - 1.0).abs() < 0.15, "{a} {b}");
    assert!(uneven.groups()[0].rows < plain.groups()[0].rows);
}

#[test]
fn levels_out_of_reach_and_models_without_calibration_are_refused() {
    let data = holey(50, 3, 0.3, 7);
    let model = calibrated(&data, &Search::default());
    let refused = |model: &Model, level: f64| match model.predict_intervals(data.features(), level)
    {
        Err(error @ Error::Setting { .. }) => error.to_string(),
        other => panic!("expected an error, got {other:?}"),
    };
    assert_eq!(
        refused(&model, 0.99),
        "level: expected a share from 0.5 to what the held-out rows are enough for, got 0.99 (at most 0.98 from 50 rows)"
    );
    for level in [0.0, 0.3, 1.0, f64::NAN] {
        assert!(refused(&model, level).starts_with("level: "), "{level}");
    }
    let plain = Learner::default().fit(&data, PARAMETERS).unwrap().model;
    assert_eq!(
        refused(&plain, 0.9),
        "intervals: expected a model with a calibration, got one without"
    );
}

#[test]
fn a_calibration_survives_its_file_and_a_damaged_one_is_refused() {
    let model = calibrated(&noisier_with_holes(1500, 8), &Search::default());
    let bytes = model.to_bytes();
    assert_eq!(Model::from_bytes(&bytes).unwrap(), model);
    let sound = Parts::of(&bytes);
    for (field, value) in [
        ("folds", json!(1)),
        ("rmse", json!(-1.0)),
        ("mae", json!(null)),
        ("r2", json!("good")),
        ("levels", json!(0)),
        ("levels", json!(1_000_000_000_000u64)),
        ("groups", json!([])),
        ("groups", json!([{"missing": 1, "rows": 9.0}])),
        ("groups", json!([{"missing": 0, "rows": 0.0}])),
        (
            "groups",
            json!([{"missing": 0, "rows": 9.0}, {"missing": 0, "rows": 9.0}, {"missing": 2, "rows": 9.0}]),
        ),
        (
            "groups",
            json!([{"missing": 0, "rows": 9.0}, {"missing": 2, "rows": 9.0}, {"missing": 99, "rows": 9.0}]),
        ),
    ] {
        let mut parts = sound.clone();
        parts.header["calibration"][field] = value.clone();
        let refused = Model::from_bytes(&parts.join());
        assert!(
            matches!(refused, Err(Error::Model { .. })),
            "{field} {value}: {refused:?}"
        );
    }
    for (name, number) in [
        ("levels", 0.1f64),
        ("levels", 2.0),
        ("half_widths", -1.0),
        ("half_widths", 1e9),
    ] {
        let mut parts = sound.clone();
        let tensor = parts.tensors.iter_mut().find(|t| t.0 == name).unwrap();
        tensor.2[..8].copy_from_slice(&number.to_le_bytes());
        assert!(Model::from_bytes(&parts.join()).is_err(), "{name} {number}");
    }
    let mut parts = sound.clone();
    parts.header["calibration"] = json!(null);
    assert!(
        Model::from_bytes(&parts.join()).is_err(),
        "tensors without a header"
    );
}
