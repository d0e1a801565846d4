//! Statistics stand for rows: the same models, however the rows were parted.

use crate::sample::{PARAMETERS, bits, holey};
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::eval::Scores;
use gapfit::loss::Loss;
use gapfit::prepare::Preparation;
use gapfit::support::{SupportChoice, SupportRule};
use gapfit::tune::{BlockFold, Folding, Search, choose_base, cross_validate};
use gapfit::{Base, Error, Gathering, Learner, Method, Model, RowSample, Statistics};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use std::ops::ControlFlow;

/// Enough to be summed.
const N_ROWS: usize = 50_000;
const METHODS: [Method; 6] = [
    Method::Irr(Base::Mean),
    Method::Irr(Base::Zero),
    Method::Irr(Base::Independent),
    Method::Impute(Base::Gaussian),
    Method::Mask,
    Method::Lifted,
];

/// Columns with a heavy tail, a few values only, next to no value, and nothing.
fn table(weights: bool, seed: u64) -> Dataset {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let (mut features, mut target) = (MaskedMatrix::new(5), Vec::new());
    for i in 0..N_ROWS {
        let [a, b, noise]: [f64; 3] = [(); 3].map(|()| rng.sample(StandardNormal));
        let cells = [
            Some(1e5 + 10.0 * a.powi(3)),
            Some((a + b).round()),
            Some(if b > 1.0 { 1.0 } else { 0.0 }),
            (i % 701 == 5).then_some(a - b),
            None,
        ];
        let hidden = cells.map(|x| x.filter(|_| rng.random::<f64>() > 0.3));
        features.push_row(hidden).unwrap();
        target.push(30.0 + a - 2.0 * b + noise);
    }
    let data = Dataset::new(features, target).unwrap();
    if !weights {
        return data;
    }
    let weights = (0..N_ROWS).map(|i| (i % 4) as f64 * 8.0).collect();
    data.with_weights(weights).unwrap()
}

fn learner(method: Method, clip: f64) -> Learner {
    let preparation = Preparation {
        clip,
        ..Preparation::default()
    };
    Learner {
        preparation,
        tol: 1e-13,
        ..Learner::new(method)
    }
}

/// Parts of unequal size, in an odd order.
fn parts(data: &Dataset) -> Vec<Dataset> {
    let n = data.n_rows();
    let cuts = [0, 20_000, 20_001, 41_000, n];
    let rows = |p: usize| (cuts[p]..cuts[p + 1]).collect::<Vec<_>>();
    [2, 0, 3, 1].map(|p| data.select(&rows(p))).to_vec()
}

fn merged(data: &Dataset, gathering: Gathering) -> Statistics {
    let parts = parts(data).into_iter();
    let mut parts = parts.map(|part| Statistics::of(&part, gathering).unwrap());
    let mut all = parts.next().unwrap();
    parts.for_each(|part| all.merge(part).unwrap());
    all
}

fn assert_alike(a: &Model, b: &Model, data: &Dataset, what: &str) {
    // where a column is rarely observed the likelihood is flat: 1e-15 of it are 1e-7 of a conditional mean
    let tol = match a.method().base() {
        Base::Gaussian => 1e-7,
        _ => 1e-10,
    };
    let [a, b] = [a, b].map(|model| model.predict(data.features()).unwrap());
    for (a, b) in a.iter().zip(&b) {
        assert!((a - b).abs() <= tol * (1.0 + a.abs()), "{what}: {a} {b}");
    }
}

fn go_on(_: usize, _: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn models_of_sums_are_those_of_rows_for_every_method_and_clipping() {
    // the last has nothing but spread-out values
    for data in [table(false, 1), table(true, 1), holey(N_ROWS, 4, 0.3, 1)] {
        let statistics = Statistics::of(&data, Gathering::default()).unwrap();
        assert!(
            statistics.n_kept() * 20 < data.n_rows(),
            "{}",
            statistics.n_kept()
        );
        for method in METHODS {
            for clip in [0.0, 0.002] {
                let learner = learner(method, clip);
                let of_rows = learner.fit(&data, PARAMETERS).unwrap().model;
                let of_sums = learner.fit(&statistics, PARAMETERS).unwrap().model;
                let what = format!("{method}, clip {clip}, {} features", data.n_features());
                assert_alike(&of_rows, &of_sums, &data, &what);
                assert_eq!(of_rows.training().rows, of_sums.training().rows);
            }
        }
    }
}

#[test]
fn parts_add_up_whatever_their_order_and_that_of_their_columns() {
    let data = table(true, 2);
    let turned = |data: &Dataset| {
        let columns = [4, 0, 2, 1, 3];
        let features = data.features().select_columns(&columns.map(Some));
        let names = columns.map(|j| data.names()[j].clone()).to_vec();
        let other = Dataset::new(features, data.target().to_vec()).unwrap();
        let other = other.with_names(names).unwrap();
        other
            .with_weights(data.weights().unwrap().to_vec())
            .unwrap()
    };
    let gathering = Gathering::default();
    let mut all = merged(&data, gathering);
    let second = table(true, 3);
    all.merge(merged(&turned(&second), gathering)).unwrap();
    all.merge(Statistics::of(&turned(&second.select(&[7])), gathering).unwrap())
        .unwrap();
    let mut both = Statistics::of(&second.select(&[7]), gathering).unwrap();
    both.merge(merged(&data, gathering)).unwrap();
    both.merge(Statistics::of(&second, gathering).unwrap())
        .unwrap();
    for method in METHODS {
        let learner = learner(method, 0.002);
        let [a, b] = [&all, &both].map(|s| learner.fit(s, PARAMETERS).unwrap().model);
        assert_alike(&a, &b, &data, &method.to_string());
    }
}

#[test]
fn tuning_on_blocks_is_that_on_rows_folded_by_their_cells() {
    let data = table(false, 4);
    let statistics = merged(&data, Gathering::default());
    let search = Search {
        folding: Folding::Hashed,
        folds: 5,
        ..Search::default()
    };
    for clip in [0.0, 0.002] {
        let learner = learner(Method::Irr(Base::Mean), clip);
        let of_rows = cross_validate(&learner, &data, &search, &go_on).unwrap();
        let of_sums = cross_validate(&learner, &statistics, &search, &go_on).unwrap();
        assert_eq!(of_rows.best.parameters, of_sums.best.parameters);
        assert_eq!(of_rows.candidates.len(), of_sums.candidates.len());
        for (a, b) in of_rows.candidates.iter().zip(&of_sums.candidates) {
            // a search solves to 1e-5
            assert!(
                (a.rmse - b.rmse).abs() <= 1e-7 * a.rmse,
                "{} {}",
                a.rmse,
                b.rmse
            );
        }
        let chosen = choose_base(&learner, &Base::ALL, &statistics, &search, &go_on).unwrap();
        let of_rows = choose_base(&learner, &Base::ALL, &data, &search, &go_on).unwrap();
        assert_eq!(
            (chosen.base, chosen.parameters),
            (of_rows.base, of_rows.parameters)
        );
    }
}

/// What a model learns from the training rows of a fold and how it does on the others, by rows.
fn by_rows(data: &Dataset, learner: &Learner, search: &Search) -> Vec<(f64, Scores)> {
    let folds = Folding::Hashed.split(data, 5, 0).unwrap();
    let judge = |fold: gapfit::tune::Fold| {
        let [train, test] = [&fold.train, &fold.held_out].map(|rows| data.select(rows));
        let tuned = cross_validate(learner, &train, search, &go_on).unwrap();
        let fitted = learner.fit(&train, tuned.best.parameters).unwrap();
        let predicted = fitted.model.predict(test.features()).unwrap();
        let scores = Scores::of(test.target(), &predicted, test.weights());
        (tuned.best.parameters.alpha, scores)
    };
    folds.iter().map(judge).collect()
}

#[test]
fn folds_of_blocks_tune_and_judge_as_rows_folded_by_their_cells_do() {
    let few = table(true, 12).select(&(0..900).collect::<Vec<_>>());
    for data in [few, table(false, 12), table(true, 12)] {
        let statistics = merged_or_few(&data);
        let search = Search {
            folding: Folding::Hashed,
            alphas: vec![1e-4, 1e-2, 1.0],
            gammas: vec![0.0, 0.5],
            ..Search::default()
        };
        for method in [Method::Irr(Base::Mean), Method::Lifted] {
            let learner = learner(method, 0.002);
            let folds = BlockFold::all(&statistics, 5).unwrap();
            for (fold, (alpha, scores)) in folds.iter().zip(by_rows(&data, &learner, &search)) {
                assert_eq!(fold.most_folds(), 8, "two blocks are held out");
                let tuned = cross_validate(&learner, fold.train(), &search, &go_on).unwrap();
                assert!((tuned.best.parameters.alpha - alpha).abs() < 1e-15);
                let (_, errors) = fold.judge(&learner, tuned.best.parameters).unwrap();
                let off = (errors.rmse() - scores.rmse).abs() / scores.rmse;
                assert!(off < 1e-10, "{method}: {off}");
                let off = (errors.r2() - scores.r2).abs();
                assert!(off < 1e-10, "{method}: {off}");
            }
        }
    }
}

fn merged_or_few(data: &Dataset) -> Statistics {
    match data.n_rows() < N_ROWS {
        true => Statistics::of(data, Gathering::default()).unwrap(),
        false => merged(data, Gathering::default()),
    }
}

#[test]
fn a_sample_of_all_rows_settles_what_sorted_ones_mislead_about() {
    let data = table(false, 13);
    let mut order: Vec<usize> = (0..N_ROWS).collect();
    let first = |i: usize| data.features().get(i, 0).unwrap_or(f64::MIN);
    order.sort_by(|&a, &b| first(a).total_cmp(&first(b)));
    let sorted = data.select(&order);
    let chunk = |c: usize| sorted.select(&(c * 5000..(c + 1) * 5000).collect::<Vec<_>>());
    let mut misled = Statistics::of(&chunk(0), Gathering::default()).unwrap();
    let mut sample = RowSample::new(&chunk(0));
    for c in 0..10 {
        let chunk = chunk(c);
        let picks = sample.picks(chunk.n_rows());
        sample.push(&chunk.select(&picks));
        if c > 0 {
            misled.push(&chunk).unwrap();
        }
    }
    assert!(misled.is_misled());
    assert!((1 << 13..=1 << 15).contains(&sample.rows().n_rows()));
    let mut statistics = Statistics::settled_by(sample.rows(), Gathering::default()).unwrap();
    let chunks = (0..10).map(|c| Ok::<_, Error>(chunk(c)));
    statistics.gather(chunks).unwrap();
    assert!(!statistics.is_misled());
    assert_eq!(statistics.n_rows(), N_ROWS);
    assert!(statistics.n_kept() * 20 < N_ROWS, "{}", statistics.n_kept());
    for method in METHODS {
        let learner = learner(method, 0.002);
        let of_rows = learner.fit(&data, PARAMETERS).unwrap().model;
        let of_sums = learner.fit(&statistics, PARAMETERS).unwrap().model;
        assert_alike(&of_rows, &of_sums, &data, &method.to_string());
    }
}

#[test]
fn chunks_give_the_same_bits_on_any_number_of_threads() {
    let data = table(false, 5);
    let chunks = || {
        let rows = |c: usize| (c * 5000..(c + 1) * 5000).collect::<Vec<_>>();
        let data = &data;
        (1..10).map(move |c| Ok::<_, Error>(data.select(&rows(c))))
    };
    let first = data.select(&(0..5000).collect::<Vec<_>>());
    let predictions = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let learn = |inside: bool| {
            let mut statistics = Statistics::of(&first, Gathering::default()).unwrap();
            match inside {
                true => pool.install(|| statistics.gather(chunks())).unwrap(),
                false => statistics.gather(chunks()).unwrap(),
            }
            let model = Learner::default()
                .fit(&statistics, PARAMETERS)
                .unwrap()
                .model;
            bits(&model.predict(data.features()).unwrap())
        };
        assert_eq!(learn(true), learn(false));
        learn(true)
    };
    assert_eq!(predictions(1), predictions(2));
}

#[test]
fn few_rows_are_kept_and_nothing_is_lost() {
    let data = table(true, 6).select(&(0..300).collect::<Vec<_>>());
    let mut statistics = Statistics::of(
        &data.select(&(0..100).collect::<Vec<_>>()),
        Gathering::default(),
    )
    .unwrap();
    statistics
        .push(&data.select(&(100..300).collect::<Vec<_>>()))
        .unwrap();
    assert_eq!((statistics.n_rows(), statistics.n_kept()), (225, 300)); // a quarter weighs nothing
    let learner = Learner {
        loss: Loss::Huber(1.0),
        support: SupportChoice::Rule(SupportRule::Top(1)),
        ..Learner::default()
    };
    let of_rows = learner.fit(&data, PARAMETERS).unwrap().model;
    let of_sums = learner.fit(&statistics, PARAMETERS).unwrap().model;
    assert_eq!(of_rows.to_bytes(), of_sums.to_bytes());
}

#[test]
fn what_sums_cannot_do_is_refused() {
    let data = table(false, 7);
    let statistics = Statistics::of(&data, Gathering::default()).unwrap();
    let unclipped = Gathering {
        clip: 0.0,
        is_blocked: false,
    };
    let plain = Statistics::of(&data, unclipped).unwrap();
    assert_eq!(plain.n_kept(), 0);
    let fit = |learner: Learner, statistics: &Statistics| {
        learner.fit(statistics, PARAMETERS).unwrap_err().to_string()
    };
    let huber = Learner {
        loss: Loss::Huber(1.0),
        ..Learner::default()
    };
    assert!(fit(huber, &statistics).contains("loss: expected squared"));
    let narrow = SupportChoice::Rule(SupportRule::Top(1));
    let narrow = Learner {
        support: narrow,
        ..Learner::default()
    };
    assert!(fit(narrow, &statistics).contains("support: expected full or constant"));
    assert!(fit(learner(Method::default(), 0.01), &statistics).contains("clip"));
    assert!(fit(learner(Method::default(), 0.002), &plain).contains("clip"));
    let search = |folding, folds| Search {
        folding,
        folds,
        ..Search::default()
    };
    let tune = |search: &Search, statistics: &Statistics| {
        cross_validate(&learner(Method::default(), 0.0), statistics, search, &go_on)
            .unwrap_err()
            .to_string()
    };
    assert!(tune(&search(Folding::Stratified, 5), &statistics).contains("folding"));
    assert!(tune(&search(Folding::Hashed, 11), &statistics).contains("folds"));
    assert!(tune(&search(Folding::Hashed, 5), &plain).contains("blocks"));
    let mut statistics = statistics;
    let other = data
        .clone()
        .with_names(["a", "b", "c", "d", "x4"].map(str::to_owned).to_vec());
    let other = Statistics::of(&other.unwrap(), Gathering::default()).unwrap();
    let error = statistics.merge(other).unwrap_err().to_string();
    assert!(error.contains("'x0' in one part only"), "{error}");
    let error = statistics.push(&table(true, 1)).unwrap_err().to_string();
    assert!(error.contains("weights"), "{error}");
}

#[test]
fn rows_unlike_the_first_ones_are_told_apart_from_tails() {
    let data = table(false, 8);
    let mut order: Vec<usize> = (0..N_ROWS).collect();
    order.sort_by(|&a, &b| {
        data.features()
            .get(a, 0)
            .partial_cmp(&data.features().get(b, 0))
            .unwrap()
    });
    let (first, rest) = order.split_at(33_000);
    let mut statistics = Statistics::of(&data.select(first), Gathering::default()).unwrap();
    let rest = rest.repeat(10);
    statistics.push(&data.select(&rest)).unwrap();
    let data = data.select(&[first, &rest].concat());
    let sorted = learner(Method::default(), 0.002).fit(&statistics, PARAMETERS);
    assert!(sorted.unwrap_err().to_string().contains("tails"));
    let learner = learner(Method::default(), 0.0);
    let of_rows = learner.fit(&data, PARAMETERS).unwrap().model;
    let of_sums = learner.fit(&statistics, PARAMETERS).unwrap().model;
    assert_alike(&of_rows, &of_sums, &data, "sorted");
}

#[test]
fn statistics_come_back_from_their_file() {
    let weighted = table(true, 9);
    let few = weighted.select(&(0..50).collect::<Vec<_>>());
    let plain = Gathering {
        clip: 0.0,
        is_blocked: false,
    };
    for (data, gathering) in [
        (&weighted, Gathering::default()),
        (&holey(N_ROWS, 70, 0.001, 2), plain),
        (&few, Gathering::default()),
    ] {
        let statistics = Statistics::of(data, gathering).unwrap();
        let bytes = statistics.to_bytes();
        let mut read = Statistics::from_bytes(&bytes).unwrap();
        assert_eq!(read.to_bytes(), bytes);
        assert_eq!(read.gathering(), gathering);
        let fit = |statistics: &Statistics| {
            let learner = learner(Method::Impute(Base::Mean), gathering.clip);
            learner
                .fit(statistics, PARAMETERS)
                .unwrap()
                .model
                .to_bytes()
        };
        assert_eq!(fit(&read), fit(&statistics));
        read.push(data).unwrap();
        assert_eq!(read.n_rows(), 2 * statistics.n_rows());
    }
}

#[test]
fn what_only_one_part_can_do_is_lost_unless_the_other_has_its_rows() {
    let plain = Gathering {
        clip: 0.0,
        is_blocked: false,
    };
    let many = table(false, 11);
    let few = many.select(&(0..50).collect::<Vec<_>>());
    for (a, b, expected) in [
        (&many, &few, Gathering::default()),
        (&few, &many, plain),
        (&many, &many, plain),
        (&few, &few, plain),
    ] {
        let mut all = Statistics::of(a, Gathering::default()).unwrap();
        all.merge(Statistics::of(b, plain).unwrap()).unwrap();
        assert_eq!(all.gathering(), expected);
        assert_eq!(all.n_rows(), a.n_rows() + b.n_rows());
        let read = Statistics::from_bytes(&all.to_bytes()).unwrap();
        let learner = learner(Method::Irr(Base::Mean), 0.0);
        let [one, two] = [&all, &read].map(|s| learner.fit(s, PARAMETERS).unwrap().model);
        assert_eq!(one.to_bytes(), two.to_bytes());
    }
}

#[test]
fn a_damaged_file_is_refused() {
    let data = table(true, 10).select(&(0..40_000).collect::<Vec<_>>());
    let bytes = Statistics::of(&data, Gathering::default())
        .unwrap()
        .to_bytes();
    for at in (0..bytes.len()).step_by(bytes.len() / 97) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        assert!(Statistics::from_bytes(&damaged).is_err(), "byte {at}");
        assert!(Statistics::from_bytes(&bytes[..at]).is_err(), "{at} bytes");
    }
    let model = Learner::default().fit(&data, PARAMETERS).unwrap().model;
    let error = Statistics::from_bytes(&model.to_bytes()).unwrap_err();
    assert!(error.to_string().contains("statistics"), "{error}");
    assert!(Model::from_bytes(&bytes).is_err());
}
