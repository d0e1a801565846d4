//! How the unknowns `v = (w, u_1, ..., u_h)` are laid out, and the penalty as a function of v.
//!
//! `w` comes first; then, for each feature with holes, the shift `u_k` of all weights when that
//! feature is missing. Ω sees only `|w_k|` and `‖u_k‖`; a weight without a shift costs its square.

use super::omega::{self, Omega};
use crate::linalg::{Matrix, dot, norm_squared};
use std::ops::Range;

/// The layout of the unknowns.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Blocks {
    /// The number of weights.
    pub(crate) n_weights: usize,
    /// For each shift block, the weight of the feature that is missing; ascending.
    pub(crate) partners: Vec<usize>,
    /// Where each shift block starts, and where the last one ends.
    pub(crate) starts: Vec<usize>,
}

/// Ω at v, with the norms of the shifts.
#[derive(Clone, Debug)]
pub(crate) struct PenaltyAt {
    pub(crate) omega: Omega,
    /// Squares of the weights without a shift.
    plain: f64,
    norms: Vec<f64>,
}

impl PenaltyAt {
    pub(crate) fn value(&self) -> f64 {
        self.plain + self.omega.value
    }

    pub(crate) fn upper(&self) -> f64 {
        self.plain + self.omega.upper
    }
}

impl Blocks {
    /// A plain ridge problem: weights only.
    pub(crate) fn ridge(n_weights: usize) -> Self {
        Self {
            n_weights,
            partners: Vec::new(),
            starts: vec![n_weights],
        }
    }

    pub(crate) fn dim(&self) -> usize {
        self.starts[self.partners.len()]
    }

    pub(crate) fn range(&self, block: usize) -> Range<usize> {
        self.starts[block]..self.starts[block + 1]
    }

    /// The length of the longest shift block; of every one where all entries are shifted.
    pub(crate) fn longest(&self) -> usize {
        let lengths = self.starts.windows(2).map(|ends| ends[1] - ends[0]);
        lengths.max().unwrap_or(0)
    }

    /// `|x_k|` for each weight with a shift, and the norm of each shift.
    pub(crate) fn sizes(&self, x: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let weights = self.partners.iter().map(|&k| x[k].abs()).collect();
        let norms = (0..self.partners.len())
            .map(|b| norm(&x[self.range(b)]))
            .collect();
        (weights, norms)
    }

    /// The sum of squares of the weights without a shift.
    pub(crate) fn plain_squares(&self, x: &[f64]) -> f64 {
        // Partners ascend, so the weights without a shift are the stretches between them.
        let mut from = 0;
        let mut sum = 0.0;
        for &k in self.partners.iter().chain(std::iter::once(&self.n_weights)) {
            sum += norm_squared(&x[from..k]);
            from = k + 1;
        }
        sum
    }

    /// Ω at v, smoothed by `eps`.
    pub(crate) fn penalty(
        &self,
        v: &[f64],
        gamma: f64,
        eps: f64,
        warm: Option<&Omega>,
    ) -> PenaltyAt {
        let (weights, norms) = self.sizes(v);
        PenaltyAt {
            omega: omega::evaluate(&weights, &norms, gamma, eps, warm),
            plain: self.plain_squares(v),
            norms,
        }
    }

    /// The gradient of the penalty at v.
    pub(crate) fn gradient(&self, v: &[f64], at: &PenaltyAt) -> Vec<f64> {
        let mut gradient: Vec<f64> = v.iter().map(|x| 2.0 * x).collect();
        for (b, &k) in self.partners.iter().enumerate() {
            gradient[k] = at.omega.grad_w[b] * 1f64.copysign(v[k]);
            let slope = ratio(at.omega.grad_s[b], at.norms[b]);
            for i in self.range(b) {
                gradient[i] = slope * v[i];
            }
        }
        gradient
    }

    /// The Hessian of the smoothed penalty at v (docs/math.md 4.8).
    pub(crate) fn hessian(&self, v: &[f64], at: &PenaltyAt) -> Hessian<'_> {
        let curvature = at.omega.curvature();
        let mut hessian = Hessian {
            blocks: self,
            diagonal: vec![2.0; self.dim()],
            unit: vec![0.0; self.dim()],
            along: Vec::with_capacity(self.partners.len()),
            cross: Vec::with_capacity(self.partners.len()),
            low_rank: [vec![0.0; self.dim()], vec![0.0; self.dim()]],
        };
        for (b, &k) in self.partners.iter().enumerate() {
            let [ww, ws, ss] = curvature.blocks[b];
            let sign = 1f64.copysign(v[k]);
            hessian.diagonal[k] = ww;
            hessian.along.push(ss - curvature.across[b]);
            hessian.cross.push(ws * sign);
            let [by_w, by_s] = curvature.coupling[b];
            for (c, low_rank) in hessian.low_rank.iter_mut().enumerate() {
                low_rank[k] = by_w[c] * sign;
            }
            for i in self.range(b) {
                hessian.diagonal[i] = curvature.across[b];
                hessian.unit[i] = ratio(v[i], at.norms[b]);
                for (c, low_rank) in hessian.low_rank.iter_mut().enumerate() {
                    low_rank[i] = by_s[c] * hessian.unit[i];
                }
            }
        }
        hessian
    }

    /// A quadratic above Ω up to its cross terms, `‖w‖² + (√h/γ²) Σ‖u_k‖²`: where to start from.
    pub(crate) fn majorant(&self, gamma: f64) -> Hessian<'_> {
        let shift = 2.0 * (self.partners.len() as f64).sqrt() / (gamma * gamma);
        let mut diagonal = vec![2.0; self.dim()];
        diagonal[self.n_weights..].fill(shift);
        Hessian {
            blocks: self,
            diagonal,
            unit: vec![0.0; self.dim()],
            along: vec![0.0; self.partners.len()],
            cross: vec![0.0; self.partners.len()],
            low_rank: [vec![0.0; self.dim()], vec![0.0; self.dim()]],
        }
    }
}

/// A Euclidean norm that neither overflows nor underflows.
fn norm(x: &[f64]) -> f64 {
    let largest = x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if largest > 1e-100 && largest < 1e100 {
        return norm_squared(x).sqrt();
    }
    if largest == 0.0 {
        return 0.0;
    }
    let scaled: f64 = x.iter().map(|x| (x / largest) * (x / largest)).sum();
    largest * scaled.sqrt()
}

fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}

/// The Hessian of the penalty: diagonal, one rank-one term and one coupling per block, rank two.
#[derive(Debug)]
pub(crate) struct Hessian<'a> {
    blocks: &'a Blocks,
    pub(crate) diagonal: Vec<f64>,
    /// `û_k`, the direction of each shift, in the layout of v.
    unit: Vec<f64>,
    /// Weight of `û_k û_kᵀ`.
    along: Vec<f64>,
    /// Weight of the coupling of `w_k` with `û_k`.
    cross: Vec<f64>,
    low_rank: [Vec<f64>; 2],
}

impl Hessian<'_> {
    /// Adds the Hessian to the lower triangle of `matrix`.
    pub(crate) fn add_to(&self, matrix: &mut Matrix) {
        let [first, second] = &self.low_rank;
        for j in 0..self.diagonal.len() {
            let (f, s) = (first[j], second[j]);
            let column = &mut matrix.col_mut(j)[j..];
            for ((x, a), b) in column.iter_mut().zip(&first[j..]).zip(&second[j..]) {
                *x += f * a + s * b;
            }
            column[0] += self.diagonal[j];
        }
        for (b, &k) in self.blocks.partners.iter().enumerate() {
            let range = self.blocks.range(b);
            for j in range.clone() {
                matrix[(j, k)] += self.cross[b] * self.unit[j];
                for i in j..range.end {
                    matrix[(i, j)] += self.along[b] * self.unit[i] * self.unit[j];
                }
            }
        }
    }

    /// Adds the diagonal block of the Hessian at `range`, that of the weights (`None`) or of a shift,
    /// without the rank-two term, to the lower triangle of `matrix` behind `free` unknowns of its own.
    pub(crate) fn add_block_to(
        &self,
        block: Option<usize>,
        range: Range<usize>,
        free: usize,
        matrix: &mut Matrix,
    ) {
        for (j, d) in self.diagonal[range.clone()].iter().enumerate() {
            matrix[(free + j, free + j)] += d;
        }
        // A ridge has no shifts, only a diagonal.
        let Some(along) = block.and_then(|b| self.along.get(b)) else {
            return;
        };
        let unit = &self.unit[range];
        for j in 0..unit.len() {
            for i in j..unit.len() {
                matrix[(free + i, free + j)] += along * unit[i] * unit[j];
            }
        }
    }

    /// The Hessian times `p`.
    pub(crate) fn times(&self, p: &[f64]) -> Vec<f64> {
        let mut out: Vec<f64> = self.diagonal.iter().zip(p).map(|(d, p)| d * p).collect();
        for low_rank in &self.low_rank {
            crate::linalg::add_scaled(&mut out, dot(low_rank, p), low_rank);
        }
        for (b, &k) in self.blocks.partners.iter().enumerate() {
            let range = self.blocks.range(b);
            let unit = &self.unit[range.clone()];
            let component = dot(unit, &p[range.clone()]);
            let push = self.along[b] * component + self.cross[b] * p[k];
            out[k] += self.cross[b] * component;
            crate::linalg::add_scaled(&mut out[range], push, unit);
        }
        out
    }
}
