//! The rules without a rate keep their bounds (docs/math.md 13.9), on streams of chance and of malice.

use crate::container::Parts;
use gapfit::data::{MaskedMatrix, MaskedRow};
use gapfit::loss::Loss;
use gapfit::online::{
    Adaptive, AdaptiveLearner, AdaptiveRule, Learn, MaskFeatures, MirrorDescent, Step,
};
use rand::RngExt;
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

const D: usize = 3;
const ROUNDS: usize = 400;

/// What the entries of `coin` own together at the start.
const PURSE: f64 = 32.0;

/// Values of which none is ten times another of its column, and more and more holes.
fn rows(seed: u64) -> MaskedMatrix {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut table = MaskedMatrix::new(D);
    for t in 0..ROUNDS {
        let rate = 0.6 * t as f64 / ROUNDS as f64;
        let mut cell = |j: usize| {
            let sign = if rng.random::<bool>() { 1.0 } else { -1.0 };
            let size = 0.2 + 0.8 * rng.random::<f64>();
            let unit = [1.0, 100.0, 1e-4][j];
            (rng.random::<f64>() >= rate).then_some(sign * size * unit)
        };
        let row: Vec<_> = (0..D).map(&mut cell).collect();
        table.push_row(row).unwrap();
    }
    table
}

/// What one entry of A met in a round.
struct Met {
    round: usize,
    /// The slope times the value.
    slope: f64,
    /// The largest value of the feature so far.
    largest: f64,
}

/// What happened in a play.
struct Play {
    rule: AdaptiveRule,
    suffered: f64,
    targets: Vec<f64>,
    /// The stake of every round, and what was kept of gains before it.
    stakes: Vec<(f64, f64)>,
    /// By column and row of A.
    met: [[Vec<Met>; D]; 1 + D],
    /// A in the end.
    weights: Matrix,
}

type Matrix = [[f64; D]; 1 + D];

fn active(row: MaskedRow<'_>) -> impl Iterator<Item = usize> {
    std::iter::once(0).chain(row.observed().missing().map(|k| 1 + k))
}

/// Plays for the slope 1 against targets that may depend on the prediction.
fn play(settings: &Adaptive, table: &MaskedMatrix, target: impl Fn(usize, f64) -> f64) -> Play {
    let mut learner = settings.start(D).unwrap();
    let mut play = Play {
        rule: settings.rule,
        suffered: 0.0,
        targets: Vec::new(),
        stakes: Vec::new(),
        met: Default::default(),
        weights: Matrix::default(),
    };
    let (mut largest, mut before) = ([0.0f64; D], 0.0);
    for (round, row) in table.rows().enumerate() {
        let y = target(round, learner.predict(row).unwrap());
        let learnt = learner.learn(row, y, 1.0).unwrap();
        assert!(!learnt.clipped);
        play.suffered += learnt.loss;
        play.targets.push(y);
        let room = room(&learner);
        let kept = if before > 0.0 {
            f64::min(1.0, before / room)
        } else {
            1.0
        };
        before = room;
        play.stakes.push((stake(settings.rule, room), kept));
        let slope = settings.loss.derivative(learnt.prediction, y);
        for i in row.observed().iter() {
            let x = row.values()[i];
            largest[i] = largest[i].max(x.abs());
            for j in active(row) {
                let largest = largest[i];
                play.met[j][i].push(Met {
                    round,
                    slope: slope * x,
                    largest,
                });
            }
        }
    }
    let weights = learner.weights();
    play.weights = std::array::from_fn(|j| std::array::from_fn(|i| weights[(i, j)]));
    play
}

fn room(learner: &AdaptiveLearner) -> f64 {
    let parts = Parts::of(&learner.to_bytes());
    assert_eq!(parts.header["steepest"], 1.0, "no slope is larger");
    parts.header["room"].as_f64().unwrap()
}

fn stake(rule: AdaptiveRule, room: f64) -> f64 {
    match rule {
        AdaptiveRule::Coin => PURSE / room,
        AdaptiveRule::AdaGrad => 1.0 / room.sqrt(),
    }
}

impl Play {
    /// The bound of the regret of one entry against the weight `u`.
    fn bound(&self, met: &[Met], u: f64) -> f64 {
        match (met.first(), self.rule) {
            (None, _) => 0.0,
            (Some(first), AdaptiveRule::Coin) => self.bound_of_coin(met, first, u.abs()),
            (Some(_), AdaptiveRule::AdaGrad) => self.bound_of_adagrad(met, u),
        }
    }

    /// docs/math.md (59d)
    fn bound_of_coin(&self, met: &[Met], first: &Met, u: f64) -> f64 {
        let (mut least, _) = self.stakes[first.round];
        let mut forgiven = 0.0;
        for t in first.round + 1..self.stakes.len() {
            let kept = self.stakes[t].1;
            least *= kept;
            forgiven += (1.0 - kept) * self.stakes[t - 1].0;
        }
        let last = self.stakes[self.stakes.len() - 1].0;
        let (squares, s) = sizes(met).last().unwrap();
        let rounds = 1.0 + squares / first.largest.powi(2);
        let log = (2.0 * 0.25f64.exp() * u * s * rounds / least).ln() - 1.0;
        last + forgiven + 2.0 * u * s * log.max(0.0)
    }

    /// docs/math.md (59e)
    fn bound_of_adagrad(&self, met: &[Met], u: f64) -> f64 {
        let strengths = met.iter().zip(sizes(met));
        let strengths: Vec<f64> = strengths
            .map(|(met, (_, s))| s * met.largest / self.stakes[met.round].0)
            .collect();
        let (mut bound, mut sum) = (0.5 * strengths[met.len() - 1] * u * u, 0.0);
        for (t, met) in met.iter().enumerate() {
            bound += met.slope.powi(2) / (2.0 * strengths[t]);
            sum += met.slope;
            if let Some(&next) = strengths.get(t + 1) {
                let weight: f64 = sum / next;
                bound += 0.5 * (strengths[t] - next).max(0.0) * weight.powi(2);
            }
        }
        bound
    }

    /// The regret against a matrix, and its bound.
    fn against(&self, u: &Matrix, loss: Loss, table: &MaskedMatrix) -> (f64, f64) {
        let compared = table.rows().zip(&self.targets).map(|(row, &y)| {
            let products =
                active(row).map(|j| (0..D).map(|i| u[j][i] * row.values()[i]).sum::<f64>());
            loss.value(products.sum(), y)
        });
        let regret = self.suffered - compared.sum::<f64>();
        let entries = self.met.iter().flatten().zip(u.iter().flatten());
        (regret, entries.map(|(met, &u)| self.bound(met, u)).sum())
    }
}

/// V after each round, and s in it.
fn sizes(met: &[Met]) -> impl Iterator<Item = (f64, f64)> {
    met.iter().scan(0.0, |squares, met| {
        let s = (*squares + met.largest.powi(2)).sqrt();
        *squares += met.slope.powi(2);
        Some((*squares, s))
    })
}

/// Matrices to compare with: zero, the play's own, its tenfold, and what gradient descent finds.
fn comparators(play: &Play, loss: Loss, table: &MaskedMatrix) -> Vec<Matrix> {
    let times = |by: f64| play.weights.map(|column| column.map(|w| by * w));
    let mut all = vec![times(0.0), times(1.0), times(10.0)];
    let mut scaled = MaskedMatrix::new(D);
    let units = [1.0, 100.0, 1e-4];
    for row in table.rows() {
        let cells = (0..D).map(|i| row.get(i).map(|x| x / units[i]));
        scaled.push_row(cells).unwrap();
    }
    for eta in [0.1, 0.01] {
        let settings = MirrorDescent {
            loss,
            step: Step::Constant { eta },
            ..MirrorDescent::default()
        };
        let mut learner = settings.start(D).unwrap();
        for _ in 0..20 {
            for (row, &y) in scaled.rows().zip(&play.targets) {
                learner.learn(row, y, 1.0).unwrap();
            }
        }
        let weights = learner.weights();
        all.push(std::array::from_fn(|j| {
            std::array::from_fn(|i| weights[(i, j)] / units[i])
        }));
    }
    all
}

fn every_setting() -> impl Iterator<Item = Adaptive> {
    let rules = [AdaptiveRule::Coin, AdaptiveRule::AdaGrad];
    let settings = |rule, loss| Adaptive {
        rule,
        loss,
        psi: MaskFeatures::Affine,
        ..Adaptive::default()
    };
    rules
        .into_iter()
        .flat_map(move |rule| [Loss::Hinge, Loss::Logistic].map(|loss| settings(rule, loss)))
}

/// Holds regret to its bound; returns the largest regret.
fn hold(settings: &Adaptive, seed: u64, target: impl Fn(usize, f64) -> f64) -> f64 {
    let table = rows(seed);
    let play = play(settings, &table, target);
    let compared = comparators(&play, settings.loss, &table);
    let regrets = compared.iter().map(|u| {
        let (regret, bound) = play.against(u, settings.loss, &table);
        assert!(regret <= bound, "{settings:?}: {regret} {bound}");
        regret
    });
    regrets.fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn regret_is_below_its_bound_on_streams_of_chance_that_turn_around() {
    for settings in every_setting() {
        for seed in 80..84 {
            let table = rows(seed);
            let target = |t: usize, _| {
                let x = table.row(t);
                let sum = x.values()[0] + x.values()[1] / 100.0
                    - if x.get(2).is_none() { 0.5 } else { 0.0 };
                let turned = if t < ROUNDS / 2 { sum } else { -sum };
                if turned < 0.0 { -1.0 } else { 1.0 }
            };
            hold(&settings, seed, target);
        }
    }
}

#[test]
fn an_adversary_does_not_push_regret_above_its_bound() {
    for settings in every_setting() {
        for seed in 84..88 {
            let target = |_, prediction: f64| if prediction > 0.0 { -1.0 } else { 1.0 };
            assert!(hold(&settings, seed, target) > 0.0, "it did its work");
        }
    }
}

#[test]
fn no_entry_of_coin_owes_more_than_its_stake() {
    // An adversary takes most of the stake of the one entry that counts; then others are missing, which
    // makes fifteen more count, so that stakes shrink.
    let settings = Adaptive {
        loss: Loss::Hinge,
        ..Adaptive::default()
    };
    let mut learner = settings.start(16).unwrap();
    for t in 0..2000 {
        let mut table = MaskedMatrix::new(16);
        let others = (t < 1000).then_some(0.0);
        let row = std::iter::once(Some(1.0)).chain([others; 15]);
        table.push_row(row).unwrap();
        let is_up = t < 1000 && learner.predict(table.row(0)).unwrap() > 0.0;
        let class = if is_up { -1.0 } else { 1.0 };
        learner.learn(table.row(0), class, 1.0).unwrap();
        let weights = learner.weights();
        let parts = Parts::of(&learner.to_bytes());
        let tensor = parts.tensors.iter().find(|(name, ..)| name == "sum");
        let sum = f64::from_le_bytes(tensor.unwrap().2[..8].try_into().unwrap());
        assert!(
            weights[(0, 0)] * sum <= 0.0,
            "{t}: {} {sum}",
            weights[(0, 0)]
        );
    }
}
