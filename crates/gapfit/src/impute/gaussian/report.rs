//! How the fit of the distribution went, and what the user should know about it.

use super::em::{Ended, Maximum};
use super::likelihood::Likelihood;
use super::shrink::{Choice, LEAST};
use super::standard::Standard;
use crate::linalg::spd;

/// How the fit of the distribution went. Columns are those of the table.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    pub(crate) ended: Ended,
    pub(crate) iterations: usize,
    /// Mean log-density of the observed cells of a row, every column in units of its spread.
    pub(crate) log_likelihood: f64,
    /// The share of the prior: `Σ = (1 - shrinkage) C + shrinkage D` on complete rows.
    pub(crate) shrinkage: f64,
    /// Columns that do not vary.
    flat: Vec<usize>,
    /// Pairs that no row has together.
    apart: Vec<(usize, usize)>,
    /// Pairs that few rows have together.
    rare: Vec<(usize, usize)>,
    /// Columns that others determine.
    collinear: Vec<usize>,
    /// All columns, when rows are few for so many.
    crowded: Vec<usize>,
}

/// A column is called collinear when the others leave less than this share of its variance open. The
/// least shrinkage alone leaves some: more where few rows have all of the columns that determine it.
const OPEN: f64 = 100.0 * LEAST;

impl Report {
    pub(super) fn new(standard: &Standard) -> Self {
        Self {
            ended: Ended::Converged,
            iterations: 0,
            log_likelihood: 0.0,
            shrinkage: LEAST,
            flat: standard.flat.clone(),
            apart: Vec::new(),
            rare: Vec::new(),
            collinear: Vec::new(),
            crowded: Vec::new(),
        }
    }

    pub(super) fn choice(&mut self, choice: &Choice, standard: &Standard) {
        let columns = |pairs: &[(usize, usize)]| {
            let column = |a: usize| standard.columns[a];
            pairs.iter().map(|&(a, b)| (column(a), column(b))).collect()
        };
        self.shrinkage = choice.shrinkage;
        self.apart = columns(&choice.apart);
        self.rare = columns(&choice.rare);
        if choice.few_rows && standard.len() > 1 {
            self.crowded = standard.columns.clone();
        }
    }

    pub(super) fn maximum(&mut self, maximum: &Maximum, likelihood: &Likelihood<'_>) {
        let (at, standard) = (&maximum.at, likelihood.standard);
        let n = at.point.n;
        let diagonal = |matrix: &[f64], a: usize| matrix[a * (n + 1)];
        self.ended = maximum.ended;
        self.iterations = maximum.values.len() - 1;
        self.log_likelihood = log_likelihood(maximum, likelihood);
        let open = |a: &usize| {
            1.0 / (diagonal(&at.precision, *a) * diagonal(at.point.covariance(), *a)) < OPEN
        };
        if self.shrinkage <= LEAST {
            let collinear = (0..n).filter(open).map(|a| standard.columns[a]);
            self.collinear = collinear.collect();
        }
    }

    /// One sentence per peculiarity; `name` gives the name of a column.
    pub(crate) fn warnings(&self, name: impl Fn(usize) -> String) -> Vec<String> {
        let columns = |of: &[usize]| listed(of.iter().map(|&j| name(j)), of.len());
        let pairs = |of: &[(usize, usize)]| {
            let pair = |&(i, j): &(usize, usize)| format!("{} with {}", name(i), name(j));
            listed(of.iter().map(pair), of.len())
        };
        let shrinkage = self.shrinkage;
        let mut told = Vec::new();
        let mut tell = |applies: bool, sentence: String| {
            if applies {
                told.push(format!("gaussian base: {sentence}"));
            }
        };
        let which = columns(&self.flat);
        let sentence = format!("nothing varies in {which}: holes there get the one value");
        tell(!self.flat.is_empty(), sentence);
        let which = pairs(&self.apart);
        let sentence =
            format!("no row has {which}: how they relate is a guess, shrinkage {shrinkage}");
        tell(!self.apart.is_empty(), sentence);
        let sentence = format!("few rows have {}: shrinkage {shrinkage}", pairs(&self.rare));
        tell(!self.rare.is_empty(), sentence);
        let which = columns(&self.collinear);
        let sentence = format!("other columns determine {which}: shrinkage {shrinkage}");
        tell(!self.collinear.is_empty(), sentence);
        let which = columns(&self.crowded);
        let sentence =
            format!("rows are few for the covariances of {which}: shrinkage {shrinkage}");
        tell(!self.crowded.is_empty(), sentence);
        let steps = self.iterations;
        let sentence = format!("the likelihood was still rising after {steps} steps");
        tell(self.ended == Ended::Iterations, sentence);
        told
    }
}

/// Names in a row, the first few of them.
fn listed(names: impl Iterator<Item = String>, n: usize) -> String {
    const FEW: usize = 5;
    let mut names: Vec<String> = names.take(FEW).collect();
    if n > FEW {
        names.push(format!("{} more", n - FEW));
    }
    names.join(", ")
}

/// The log-likelihood without the prior, constants included.
fn log_likelihood(maximum: &Maximum, likelihood: &Likelihood<'_>) -> f64 {
    let (at, n) = (&maximum.at, maximum.at.point.n);
    let log_determinant = spd::invert(&mut at.point.covariance().to_vec(), n, 0.0);
    let scatter = |a: usize| likelihood.scatter(a) * at.precision[a * (n + 1)];
    let of_prior =
        likelihood.prior * log_determinant.unwrap_or(0.0) + (0..n).map(scatter).sum::<f64>();
    let mut cells = 0.0;
    likelihood.source.for_each(|moments| {
        let observed = likelihood
            .standard
            .observed(moments.observed.iter().copied());
        cells += observed.count() as f64 * moments.weight();
    });
    let constant = cells / likelihood.standard.weight * (2.0 * std::f64::consts::PI).ln();
    at.value + 0.5 * of_prior - 0.5 * constant
}
