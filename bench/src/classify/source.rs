//! Rows with classes and holes.

use crate::synthetic::logistic;
use anyhow::Result;
use gapfit::corrupt::Mechanism;
use gapfit::data::Dataset;
use gapfit_paper::Embedded;
use gapfit_paper::neumiss::{Hiding, Population};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::fmt;

/// Features of made-up data, and the share of their cells that is missing.
pub(super) const WIDTH: usize = 10;
pub(super) const RATE: f64 = 0.5;

/// Rows of the paper's sets to train on, and to test on at most.
const PAPER_ROWS: (usize, usize) = (1000, 1500);

/// The paper's parameter of its corruptions.
const BETA: f64 = 0.75;

/// Where rows and holes come from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// Linear-Gaussian scores behind the classes.
    Neumiss(Hiding),
    /// Natural holes; two thirds of the rows to train.
    Hypothyroid,
    /// The paper's holes, which may depend on the values.
    Splice { is_dependent: bool },
    /// A digit against all others; each image has lost a central column of its pixels.
    Digit(u8),
}

pub(super) const SOURCES: [Source; 9] = [
    Source::Neumiss(Hiding::Mcar),
    Source::Neumiss(Hiding::Mar),
    Source::Neumiss(Hiding::Gaussian),
    Source::Neumiss(Hiding::Probit),
    Source::Hypothyroid,
    Source::Splice {
        is_dependent: false,
    },
    Source::Splice { is_dependent: true },
    Source::Digit(3),
    Source::Digit(4),
];

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Neumiss(hiding) => f.write_str(hiding.name()),
            Self::Hypothyroid => f.write_str("hypothyroid"),
            Self::Splice { is_dependent: true } => f.write_str("splice, dependent"),
            Self::Splice { .. } => f.write_str("splice, independent"),
            Self::Digit(digit) => write!(f, "digit {digit}"),
        }
    }
}

impl Source {
    /// Whether a value decides whether it is seen.
    pub(super) fn is_self_masking(self) -> bool {
        matches!(self, Self::Neumiss(Hiding::Gaussian | Hiding::Probit))
    }

    /// Training and test rows; `n` of each where rows are made up.
    pub(super) fn draw(self, n: usize, seed: u64) -> Result<[Dataset; 2]> {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        match self {
            Self::Neumiss(hiding) => {
                let population = Population::draw(WIDTH, rng);
                let holes = population.hide(hiding, RATE, rng)?;
                let rows = population.sample(2 * n, &holes, rng)?;
                Ok(split(&logistic(&rows, rng)?, (n, n), rng))
            }
            Self::Hypothyroid => {
                let all = Embedded::Hypothyroid.load().classify()?;
                let n_train = all.n_rows() * 2 / 3;
                Ok(split(&all, (n_train, all.n_rows() - n_train), rng))
            }
            Self::Splice { is_dependent } => {
                let mechanism = match is_dependent {
                    true => Mechanism::Dependent { beta: BETA },
                    false => Mechanism::Independent { beta: BETA },
                };
                punched(&Embedded::Splice.load().classify()?, &mechanism, rng)
            }
            Self::Digit(digit) => {
                let images = Embedded::Optdigits.load();
                let is_digit = |y: &f64| (y - f64::from(digit)).abs() < 0.5;
                let label = |y| if is_digit(y) { "yes" } else { "no" };
                let labels: Vec<&str> = images.target().iter().map(label).collect();
                let images = Dataset::classified(images.features().clone(), &labels)?;
                punched(&images, &Mechanism::central_pixel_columns(), rng)
            }
        }
    }
}

/// Rows of one of the paper's sets with holes; one process for all of them.
fn punched(all: &Dataset, mechanism: &Mechanism, rng: &mut ChaCha8Rng) -> Result<[Dataset; 2]> {
    let holes = mechanism.apply(all.features(), rng)?;
    let all = all.clone().with_features(holes)?;
    Ok(split(&all, PAPER_ROWS, rng))
}

/// Rows to train on and rows to test on, as far as there are any.
fn split(all: &Dataset, (train, test): (usize, usize), rng: &mut ChaCha8Rng) -> [Dataset; 2] {
    let mut order: Vec<usize> = (0..all.n_rows()).collect();
    order.shuffle(rng);
    let test = order.len().min(train + test);
    [all.select(&order[..train]), all.select(&order[train..test])]
}
