//! Intervals on real rows: coverage on a half that nothing was learnt from.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use gapfit::corrupt::Mechanism;
use gapfit::data::Dataset;
use gapfit::tune::Search;
use gapfit::{Interval, Learner, Model, Parameters, conformal};
use gapfit_paper::Embedded;
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

/// The table with this share of its cells hidden, in two halves.
fn halves(embedded: Embedded, rate: f64) -> (Dataset, Dataset) {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let data = embedded.load();
    let n = data.n_rows();
    let holey = Mechanism::Mcar { rate }
        .apply(data.features(), rng)
        .unwrap();
    let data = data.with_features(holey).unwrap();
    let rows: Vec<usize> = (0..n).map(|i| i * 7919 % n).collect();
    (data.select(&rows[..n / 2]), data.select(&rows[n / 2..]))
}

fn calibrated(train: &Dataset) -> Model {
    let (learner, parameters) = (
        Learner::default(),
        Parameters {
            alpha: 0.001,
            gamma: 1.0,
        },
    );
    let calibration = conformal::calibrate(&learner, parameters, train, &Search::default());
    let model = learner.fit(train, parameters).unwrap().model;
    model.with_calibration(calibration.unwrap())
}

/// The share of the rows with such numbers of holes whose target is in its interval.
fn coverage(data: &Dataset, intervals: &[Interval], holes: std::ops::Range<usize>) -> f64 {
    let missing = |i: usize| data.features().row(i).observed().missing().count();
    let rows = (0..data.n_rows()).filter(|&i| holes.contains(&missing(i)));
    let hit = |i: usize| (intervals[i].lower..=intervals[i].upper).contains(&data.target()[i]);
    let hits: Vec<bool> = rows.map(hit).collect();
    hits.iter().filter(|hit| **hit).count() as f64 / hits.len() as f64
}

#[test]
fn intervals_cover_as_asked_on_the_embedded_tables() {
    for (embedded, rate) in [(Embedded::Housing, 0.3), (Embedded::Abalone, 0.2)] {
        let (train, test) = halves(embedded, rate);
        let model = calibrated(&train);
        let groups = model.calibration().unwrap().groups();
        for level in [0.8, 0.9, 0.95] {
            let intervals = model.predict_intervals(test.features(), level).unwrap();
            let overall = coverage(&test, &intervals, 0..usize::MAX);
            println!("{}, level {level}: {overall:.4} of all", embedded.name());
            assert!(
                (overall - level).abs() < 0.02,
                "{embedded:?} {level}: {overall}"
            );
            for (g, group) in groups.iter().enumerate() {
                let end = groups.get(g + 1).map_or(usize::MAX, |next| next.missing);
                let share = coverage(&test, &intervals, group.missing..end);
                println!("    from {} holes: {share:.4}", group.missing);
                assert!(
                    (share - level).abs() < 0.05,
                    "{embedded:?} {level} {group:?}: {share}"
                );
            }
        }
    }
}
