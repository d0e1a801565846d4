//! The expected curvature of the log-likelihood: what the observed cells can tell about a point.
//!
//! ```text
//! mean:        Σ_s n_s P_s / W
//! covariance:  (ij, kl) ↦ Σ_s n_s (P_ik P_jl + P_il P_jk) / W      times ½ for i = j and for k = l
//! ```
//!
//! with `P_s` as in the likelihood and the prior as one more mask (docs/math.md 6.6). Its inverse turns
//! a gradient into a step of Fisher scoring. Order `d(d+1)/2`: only for moderate d.

use crate::linalg::{Loop, Simd, add_scaled, spd, vectorised};

/// Up to this many pairs of columns the matrix is formed.
const PAIRS: usize = 500;

/// The sums over some masks, and in the end their factors.
#[derive(Clone, Debug)]
pub(super) struct Information {
    n: usize,
    mean: Vec<f64>,
    /// Lower triangle over the pairs `i >= j`, column by column, of the formula without its halves.
    pairs: Vec<f64>,
    /// Where column j of the pairs starts, less j.
    offsets: Vec<usize>,
    embedded: Vec<f64>,
}

impl Information {
    /// Nothing known yet; `None` when there are too many columns.
    pub(super) fn new(n: usize) -> Option<Self> {
        let order = n * (n + 1) / 2;
        let offset = |j: usize| j * n - j * (j + 1) / 2;
        (order <= PAIRS).then(|| Self {
            n,
            mean: vec![0.0; n * n],
            pairs: vec![0.0; order * order],
            offsets: (0..n).map(offset).collect(),
            embedded: vec![0.0; n * n],
        })
    }

    /// Adds a mask with these observed places, weight and inverse `P_s`.
    pub(super) fn add(&mut self, places: &[usize], inverse: &[f64], weight: f64) {
        let n = self.n;
        // With its zeros, so that the loops run over neighbours.
        self.embedded.fill(0.0);
        for (column, &b) in inverse.chunks_exact(places.len().max(1)).zip(places) {
            for (x, &a) in column.iter().zip(places) {
                self.embedded[b * n + a] = *x;
            }
        }
        add_scaled(&mut self.mean, weight, &self.embedded);
        vectorised(AddMask {
            information: self,
            places,
            weight,
        });
    }

    pub(super) fn join(&mut self, other: &Self) {
        add_scaled(&mut self.mean, 1.0, &other.mean);
        add_scaled(&mut self.pairs, 1.0, &other.pairs);
    }

    /// Divides by the weight of the rows, adds the prior and factors; `None` when rounding leaves no
    /// positive definite matrix.
    pub(super) fn finish(mut self, weight: f64, precision: &[f64], prior: f64) -> Option<Self> {
        let everywhere: Vec<usize> = (0..self.n).collect();
        let mean = self.mean.clone();
        self.add(&everywhere, precision, prior * weight);
        self.mean = mean; // the prior knows nothing of the mean
        let per_weight = 1.0 / weight;
        self.mean.iter_mut().for_each(|x| *x *= per_weight);
        self.pairs.iter_mut().for_each(|x| *x *= per_weight);
        let order = self.n * (self.n + 1) / 2;
        let is_definite =
            spd::factor(&mut self.mean, self.n, 0.0) && spd::factor(&mut self.pairs, order, 0.0);
        is_definite.then_some(self)
    }

    /// The step for a gradient, both laid out as points are.
    pub(super) fn step(&self, gradient: &[f64]) -> Vec<f64> {
        let n = self.n;
        let mut step = gradient.to_vec();
        let (of_mean, of_covariance) = step.split_at_mut(n);
        solve(&self.mean, of_mean);
        // Half of twice the derivative, twice because a pair stands for two entries.
        let lower = (0..n).flat_map(|j| (j..n).map(move |i| j * n + i));
        let mut pairs: Vec<f64> = lower.clone().map(|at| 2.0 * of_covariance[at]).collect();
        solve(&self.pairs, &mut pairs);
        for (at, step) in lower.zip(pairs) {
            let (i, j) = (at % n, at / n);
            let step = if i == j { 2.0 * step } else { step };
            of_covariance[j * n + i] = step;
            of_covariance[i * n + j] = step;
        }
        step
    }
}

struct AddMask<'a> {
    information: &'a mut Information,
    places: &'a [usize],
    weight: f64,
}

impl Loop for AddMask<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Information {
            n,
            pairs,
            offsets,
            embedded,
            ..
        } = self.information;
        let (n, order) = (*n, *n * (*n + 1) / 2);
        for (position, &l) in self.places.iter().enumerate() {
            let of_l = &embedded[l * n..(l + 1) * n];
            for &k in &self.places[position..] {
                let of_k = &embedded[k * n..(k + 1) * n];
                let into = &mut pairs[(offsets[l] + k) * order..][..order];
                for &j in &self.places[position..] {
                    let (left, right) = (self.weight * of_l[j], self.weight * of_k[j]);
                    let from = if j == l { k } else { j };
                    let into = &mut into[offsets[j] + from..offsets[j] + n];
                    for ((x, y), z) in into.iter_mut().zip(&of_k[from..]).zip(&of_l[from..]) {
                        *x += left * y + right * z;
                    }
                }
            }
        }
    }
}

fn solve(factor: &[f64], x: &mut [f64]) {
    spd::solve_lower(factor, x);
    spd::solve_upper(factor, x);
}
