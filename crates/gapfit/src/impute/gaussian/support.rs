//! How much the table has to say about a covariance: pairs observed together, rows that differ.
//!
//! Everything here depends on shares of the weight and on which rows differ, so that a row of weight
//! two is the row twice and the unit of the weights is irrelevant.

use super::standard::{Deviations, Standard};
use crate::linalg::add_scaled;
use crate::moments::{Frame, Rows, Source};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::Hasher;

/// The pairs of columns: how often they are observed together, and how they then go together.
#[derive(Debug)]
pub(super) struct Pairs {
    n: usize,
    /// Weight of the rows in which both are observed, column by column; lower triangle.
    weight: Vec<f64>,
    /// The mean product of their deviations, whole.
    pub(super) covariance: Vec<f64>,
}

impl Pairs {
    pub(super) fn of(source: &Source<'_>, standard: &Standard) -> Self {
        let n = standard.len();
        let parts = source.fold(
            || (Deviations::default(), vec![0.0; n * n], vec![0.0; n * n]),
            |(deviations, weight, products), moments| {
                deviations.locate(moments, standard);
                deviations.sum(moments, standard, &vec![0.0; n]);
                deviations.squares(moments, standard, &vec![0.0; n]);
                let order = deviations.places.len();
                for (j, &b) in deviations.places.iter().enumerate() {
                    for (i, &a) in deviations.places.iter().enumerate().skip(j) {
                        weight[b * n + a] += deviations.weight;
                        products[b * n + a] += deviations.squares[j * order + i];
                    }
                }
            },
        );
        let (mut weight, mut covariance) = (vec![0.0; n * n], vec![0.0; n * n]);
        for (_, more, products) in &parts {
            add_scaled(&mut weight, 1.0, more);
            add_scaled(&mut covariance, 1.0, products);
        }
        for j in 0..n {
            for i in j..n {
                let of_pair = weight[j * n + i];
                let mean = covariance[j * n + i] / of_pair;
                let mean = if mean.is_finite() {
                    mean.clamp(-1.0, 1.0)
                } else {
                    0.0
                };
                covariance[j * n + i] = mean;
                covariance[i * n + j] = mean;
            }
        }
        Self {
            n,
            weight,
            covariance,
        }
    }

    /// The pairs that no row has together.
    pub(super) fn apart(&self) -> Vec<(usize, usize)> {
        self.filter(|weight| weight <= 0.0)
    }

    /// The pairs that some row has together, but at most this share of `weight`.
    pub(super) fn rare(&self, share: f64, weight: f64) -> Vec<(usize, usize)> {
        self.filter(|of_pair| of_pair > 0.0 && of_pair <= share * weight)
    }

    fn filter(&self, keep: impl Fn(f64) -> bool) -> Vec<(usize, usize)> {
        let pairs = (0..self.n).flat_map(|j| (j + 1..self.n).map(move |i| (j, i)));
        let kept = pairs.filter(|&(j, i)| keep(self.weight[j * self.n + i]));
        kept.collect()
    }

    /// The least positive share of `weight` that a pair has; 1 without pairs.
    pub(super) fn least_share(&self, weight: f64) -> f64 {
        let pairs = (0..self.n).flat_map(|j| (j + 1..self.n).map(move |i| j * self.n + i));
        let positive = pairs.map(|at| self.weight[at]).filter(|w| *w > 0.0);
        positive.fold(weight, f64::min) / weight
    }
}

/// Rows by what they say about the columns that take part; copies of a row are one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Differing<'a> {
    pub(super) rows: &'a Rows<'a>,
    pub(super) standard: &'a Standard,
    pub(super) frame: &'a Frame,
}

impl Differing<'_> {
    /// How many rows differ, as far as `limit`.
    pub(super) fn count(&self, limit: usize) -> usize {
        let mut seen: FxHashSet<u64> = FxHashSet::default();
        for i in 0..self.rows.len() {
            if seen.len() >= limit {
                break;
            }
            seen.extend(self.print(i));
        }
        seen.len()
    }

    /// The rows of the table in `k` parts or fewer, copies together. Neither the order of rows or
    /// columns nor their units make a difference.
    pub(super) fn parts(&self, k: usize) -> Vec<Vec<usize>> {
        let prints: Vec<Option<u64>> = (0..self.rows.len()).map(|i| self.print(i)).collect();
        let keyed = prints.iter().enumerate();
        let keyed = keyed.filter_map(|(i, print)| print.map(|print| (self.key(i), print)));
        let mut order: Vec<(u64, u64)> = keyed.collect();
        order.sort_unstable();
        order.dedup();
        let ranked = order
            .iter()
            .enumerate()
            .map(|(rank, &(_, print))| (print, rank));
        let rank: FxHashMap<u64, usize> = ranked.collect();
        let k = k.min(rank.len());
        let mut parts = vec![Vec::new(); k];
        for (i, print) in prints.iter().enumerate() {
            if let Some(print) = print {
                parts[rank[print] % k].push(self.rows.number(i));
            }
        }
        parts
    }

    /// A number that copies share; `None` for a row with nothing observed.
    fn print(&self, i: usize) -> Option<u64> {
        let mut hasher = FxHasher::default();
        let mut is_empty = true;
        for (a, x) in self.cells(i) {
            hasher.write_usize(a);
            hasher.write_u64(x.to_bits());
            is_empty = false;
        }
        (!is_empty).then(|| hasher.finish())
    }

    /// A number that hardly depends on the units of the columns and not on their order.
    fn key(&self, i: usize) -> u64 {
        let mut sum = 0u64;
        for (_, x) in self.cells(i) {
            let mut hasher = FxHasher::default();
            hasher.write_i64((x * 65536.0).round() as i64);
            sum = sum.wrapping_add(hasher.finish());
        }
        sum
    }

    /// The places and values of the observed cells.
    fn cells(&self, i: usize) -> impl Iterator<Item = (usize, f64)> {
        let Self {
            rows,
            standard,
            frame,
        } = *self;
        let values = rows.values(i);
        standard
            .observed(rows.row(i).observed().iter())
            .map(move |(_, a)| (a, standard.map(a, values[standard.columns[a]], frame)))
    }
}
