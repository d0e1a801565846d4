//! Tuned fits of a real table.

use super::Bench;
use super::result::{Contest, Entrant, Part};
use super::shape::{hand_over, take_back};
use super::turn::{Entry, Taken};
use crate::peer::Timed;
use crate::synthetic::with_holes;
use anyhow::Result;
use gapfit::corrupt::Mechanism;
use gapfit::data::Dataset;
use gapfit::eval::Scores;
use gapfit::tune::{self, Search};
use gapfit::{Base, Learner, Method};
use gapfit_paper::Embedded;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;
use std::time::Instant;

const PEERS: [(&str, &str); 4] = [
    ("SimpleImputer + RidgeCV", "simple_tuned"),
    ("IterativeImputer + RidgeCV", "iterative_tuned"),
    ("KNNImputer + RidgeCV", "knn_tuned"),
    ("HistGradientBoosting", "boosting"),
];

/// Tunes, fits and judges.
pub(super) fn measure(bench: &mut Bench) -> Result<Part> {
    let rows = bench.size(4000, 400);
    let complete = Embedded::Housing.load();
    let holey = with_holes(&complete, &Mechanism::Dependent { beta: 0.75 }, 1)?;
    let mut order: Vec<usize> = (0..holey.n_rows()).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(2));
    let [train, test] = [&order[..rows], &order[rows..2 * rows]].map(|rows| holey.select(rows));
    hand_over(&bench.peers, "housing", &train, &test)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let bases: [(&str, &[Base]); 2] = [
        ("gapfit, irr on the base it chooses", &Base::ALL),
        ("gapfit, irr on the mean base", &[Base::Mean]),
    ];
    let ours = bases.map(|(name, bases)| {
        let (pool, train, test) = (&pool, &train, &test);
        Entry::ours(name, move || pool.install(|| tuned(bases, train, test)))
    });
    let peers = PEERS.map(|(name, method)| Entry::peer(name, method, "housing"));
    let entries = ours.into_iter().chain(peers).collect();
    let taken = bench.rounds.take(&mut bench.peers, entries)?;
    take_back(&bench.peers, "housing")?;
    let text = format!(
        "California housing, {rows} training and {rows} test rows of 8 columns, with the paper's holes that depend on the values (beta 0.75). gapfit chooses alpha and gamma, and the base \
         where that is said, by five folds; the ridges of the peers their weight, behind imputers as they come; trees have their usual settings. \
         One thread on both sides. House values bend with place and income, which trees can follow and linear models cannot."
    );
    let mut part = Part::new("Tuned fits", &text);
    let entrant = |taken: &Taken| Entrant {
        name: taken.name.clone(),
        value: taken.seconds(),
        further: vec![
            taken
                .last()
                .rmse
                .map_or(String::new(), |rmse| format!("{rmse:.0}")),
        ],
    };
    part.races.push(Contest {
        title: "A tuned fit of California housing".to_owned(),
        unit: "seconds",
        columns: vec!["RMSE on test rows".to_owned()],
        entrants: taken.iter().map(entrant).collect(),
    });
    Ok(part)
}

fn tuned(bases: &[Base], train: &Dataset, test: &Dataset) -> Result<Timed> {
    let go_on = |_, _| ControlFlow::Continue(());
    let start = Instant::now();
    let chosen = tune::choose_base(
        &Learner::default(),
        bases,
        train,
        &Search::default(),
        &go_on,
    )?;
    let learner = Learner::new(Method::Irr(chosen.base));
    let model = learner.fit(train, chosen.parameters)?.model;
    let seconds = start.elapsed().as_secs_f64();
    let predictions = model.predict(test.features())?;
    Ok(Timed {
        seconds,
        rmse: Some(Scores::of(test.target(), &predictions, None).rmse),
        ..Timed::default()
    })
}
