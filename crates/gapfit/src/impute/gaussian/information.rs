//! The expected curvature of the log-likelihood: what the observed cells can tell about a point.
//!
//! ```text
//! mean:        Σ_s n_s P_s / W
//! covariance:  (ij, kl) ↦ Σ_s n_s (P_ik P_jl + P_il P_jk) / W      times ½ for i = j and for k = l
//! ```
//!
//! with `P_s` as in the likelihood and the prior as one more mask (docs/math.md 6.6). Its inverse turns
//! a gradient into a step of Fisher scoring. Both products are cells of one Gram matrix, that of the
//! lower triangles of the `P_s`. Order `d(d+1)/2`: only for moderate d.
//!
//! It only has to be about right, so where masks are many some stand for all.

use crate::linalg::{add_gram_columns, add_scaled, spd};
use rayon::prelude::*;

/// Up to this many pairs of columns the matrix is always formed.
const FEW_PAIRS: usize = 500;
/// Up to so many it is where there are as many masks: next to their inverses it then costs little.
const PAIRS: usize = 2016;
/// Masks that stand for all others, at least; twice the pairs where that is more.
const SAMPLE: usize = 2048;
/// Columns of the Gram matrix that are worked on at a time.
const BLOCK: usize = 128;

/// Masks that stand for all of them.
#[derive(Debug)]
pub(super) struct Sample {
    n: usize,
    /// Masks of this weight and more are all taken; of the others one whenever so much has passed.
    step: f64,
    passed: f64,
    /// The weight for which those taken stand.
    weight: f64,
    mean: Vec<f64>,
    /// The lower triangles of the `√n_s P_s`, one after the other.
    triangles: Vec<f64>,
}

impl Sample {
    /// Nothing known yet of `n_masks` masks of this weight; `None` when there are too many columns.
    pub(super) fn new(n: usize, n_masks: usize, weight: f64) -> Option<Self> {
        let order = n * (n + 1) / 2;
        let pays = order <= FEW_PAIRS || (order <= PAIRS && order <= n_masks);
        let step = weight / SAMPLE.max(2 * order) as f64;
        pays.then(|| Self {
            n,
            step,
            passed: 0.5 * step,
            weight: 0.0,
            mean: vec![0.0; n * n],
            triangles: Vec::new(),
        })
    }

    /// Looks at a mask with these observed places, inverse `P_s` and weight.
    pub(super) fn add(&mut self, places: &[usize], inverse: &[f64], weight: f64) {
        if weight >= self.step {
            return self.take(places, inverse, weight);
        }
        self.passed += weight;
        if self.passed >= self.step {
            self.passed -= self.step;
            self.take(places, inverse, self.step);
        }
    }

    fn take(&mut self, places: &[usize], inverse: &[f64], weight: f64) {
        let (n, start, root) = (self.n, self.triangles.len(), weight.sqrt());
        self.weight += weight;
        self.triangles.resize(start + n * (n + 1) / 2, 0.0);
        let triangle = &mut self.triangles[start..];
        let columns = inverse.chunks_exact(places.len().max(1));
        for ((j, &b), column) in places.iter().enumerate().zip(columns) {
            let offset = offset(n, b);
            for (&a, x) in places[j..].iter().zip(&column[j..]) {
                triangle[offset + a] = root * x;
                self.mean[b * n + a] += weight * x;
            }
        }
    }
}

/// Where column j of a lower triangle of order `n` starts, less j.
fn offset(n: usize, j: usize) -> usize {
    j * n - j * (j + 1) / 2
}

/// The factors of the curvature.
#[derive(Clone, Debug)]
pub(super) struct Information {
    n: usize,
    mean: Vec<f64>,
    /// Over the pairs `i >= j`, column by column, of the formula without its halves.
    pairs: Vec<f64>,
}

impl Information {
    /// From what parts of the masks say, with a prior of this weight per weight of the rows; `None`
    /// when rounding leaves no positive definite matrix.
    pub(super) fn new(samples: Vec<Sample>, precision: &[f64], prior: f64) -> Option<Self> {
        let n = samples.first()?.n;
        let weight: f64 = samples.iter().map(|sample| sample.weight).sum();
        let mut mean = vec![0.0; n * n];
        for sample in &samples {
            add_scaled(&mut mean, 1.0 / weight, &sample.mean);
        }
        let mut parts: Vec<Vec<f64>> = samples.into_iter().map(|of| of.triangles).collect();
        let root = (prior * weight).sqrt();
        let lower = (0..n).flat_map(|j| precision[j * n + j..(j + 1) * n].iter());
        parts.push(lower.map(|x| root * x).collect());
        let order = n * (n + 1) / 2;
        let mut pairs = paired(&gram(&parts, order), n, 1.0 / weight);
        let is_definite = spd::factor(&mut mean, n, 0.0) && spd::factor(&mut pairs, order, 0.0);
        is_definite.then_some(Self { n, mean, pairs })
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

/// The lower triangle of the sum of all `t tᵀ`, column by column.
fn gram(parts: &[Vec<f64>], order: usize) -> Vec<f64> {
    let mut gram = vec![0.0; order * order];
    let blocks = gram.par_chunks_mut(BLOCK * order).enumerate();
    blocks.for_each(|(b, columns)| {
        for part in parts {
            add_gram_columns(columns, part, order, b * BLOCK);
        }
    });
    gram
}

/// The lower triangle over pairs of columns: `(ij, kl) ↦ g(ik, jl) + g(il, jk)`, times `scale`.
fn paired(gram: &[f64], n: usize, scale: f64) -> Vec<f64> {
    let order = n * (n + 1) / 2;
    let at = |i: usize, j: usize| offset(n, i.min(j)) + i.max(j);
    let cell = |p: usize, q: usize| gram[p.min(q) * order + p.max(q)];
    let places: Vec<(usize, usize)> = (0..n).flat_map(|l| (l..n).map(move |k| (k, l))).collect();
    let mut pairs = vec![0.0; order * order];
    let columns = pairs.par_chunks_exact_mut(order).enumerate();
    columns.for_each(|(column, into)| {
        let (k, l) = places[column];
        for (x, &(i, j)) in into.iter_mut().zip(&places).skip(column) {
            *x = scale * (cell(at(i, k), at(j, l)) + cell(at(i, l), at(j, k)));
        }
    });
    pairs
}

fn solve(factor: &[f64], x: &mut [f64]) {
    spd::solve_lower(factor, x);
    spd::solve_upper(factor, x);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_masks_stand_for_all() {
        let n_masks = 10 * SAMPLE;
        let weight = |m: usize| if m == 7 { 1e4 } else { 1.0 };
        let total: f64 = (0..n_masks).map(weight).sum();
        let mut sample = Sample::new(1, n_masks, total).unwrap();
        (0..n_masks).for_each(|m| sample.add(&[0], &[1.0], weight(m)));
        assert!((sample.weight / total - 1.0).abs() < 1e-3);
        assert!(sample.triangles.len() <= SAMPLE + 1);
        let heaviest = sample.triangles.iter().fold(0.0, |a: f64, b| a.max(*b));
        assert!(
            (heaviest - 100.0).abs() < 1e-12,
            "all of the one that weighs most"
        );
    }
}
