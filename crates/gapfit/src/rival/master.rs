//! The master problem of the cutting planes: which M and N satisfy all cuts so far at the least value.
//!
//! ```text
//! min t  s.t.  t >= q_j - <G_j, (M, N)>,   0 <= -q_l + <G_l, (M, N)>,   ‖M‖ <= 1,   ‖N‖ <= 1
//! ```
//!
//! solved in the space of the cuts, where it has one unknown each instead of d³ (docs/math.md 12.1):
//!
//! ```text
//! max  Σ λ q - ‖Σ λ G^M‖ - ‖Σ λ G^N‖     over  λ >= 0,  Σ λ_j = 1 over the cuts in t
//! ```

use super::conic::Program;
use super::kernel::Slices;
use crate::joint::blocks::Blocks;
use crate::linalg::{Eigen, Matrix, add_scaled, dot, norm_squared};

/// A valid inequality, from a vector α or β: all it needs is `Φᵀα`.
#[derive(Clone, Debug)]
struct Cut {
    /// Whether it bounds t; otherwise it says that the kernel is positive semidefinite.
    bounds_value: bool,
    /// `q`: `2αᵀy - ‖α‖² - ‖a‖²` or `-‖a‖²`.
    constant: f64,
    /// `Φᵀα`.
    adjoint: Vec<f64>,
}

/// The cuts and the products of their gradients.
#[derive(Debug)]
pub(crate) struct Master {
    blocks: Blocks,
    cuts: Vec<Cut>,
    /// `<G_i^M, G_j^M>` and `<G_i^N, G_j^N>`, row i up to the diagonal.
    products: [Vec<Vec<f64>>; 2],
}

/// The optimum of the master problem.
#[derive(Clone, Debug)]
pub(crate) struct Proposal {
    /// Its value: no feasible (M, N) is below.
    pub(crate) bound: f64,
    pub(crate) slices: Slices,
}

/// Accuracy asked of the conic solver; the bound is valid whatever it delivers.
const TOL: f64 = 1e-10;
/// An eigenvalue of a Gram matrix below this share of the largest one is rounding.
const NEGLIGIBLE: f64 = 1e-14;

impl Master {
    pub(crate) fn new(blocks: Blocks) -> Self {
        Self {
            blocks,
            cuts: Vec::new(),
            products: [Vec::new(), Vec::new()],
        }
    }

    /// The numbers of cuts that bound the value, and that ask for a kernel.
    pub(crate) fn n_cuts(&self) -> (usize, usize) {
        let bounding = self.cuts.iter().filter(|cut| cut.bounds_value).count();
        (bounding, self.cuts.len() - bounding)
    }

    /// Adds `t >= linear - αᵀKα`, where `adjoint = Φᵀα` and `linear = 2αᵀy - ‖α‖²`.
    pub(crate) fn bound_value(&mut self, linear: f64, adjoint: Vec<f64>) {
        let constant = linear - norm_squared(&adjoint[..self.blocks.n_weights]);
        self.push(Cut {
            bounds_value: true,
            constant,
            adjoint,
        });
    }

    /// Adds `βᵀKβ >= 0`, where `adjoint = Φᵀβ`, scaled to unit size.
    pub(crate) fn demand_kernel(&mut self, adjoint: &[f64]) {
        let norm = norm_squared(adjoint).sqrt();
        let adjoint: Vec<f64> = adjoint.iter().map(|x| x / norm).collect();
        let constant = -norm_squared(&adjoint[..self.blocks.n_weights]);
        self.push(Cut {
            bounds_value: false,
            constant,
            adjoint,
        });
    }

    fn push(&mut self, cut: Cut) {
        self.cuts.push(cut);
        let new = &self.cuts[self.cuts.len() - 1].adjoint;
        let (mut crossed, mut squared) = (Vec::new(), Vec::new());
        for Cut { adjoint, .. } in &self.cuts {
            let (mut cross, mut square) = (0.0, 0.0);
            for (b, &k) in self.blocks.partners.iter().enumerate() {
                let range = self.blocks.range(b);
                let product = dot(&adjoint[range.clone()], &new[range]);
                cross += 4.0 * adjoint[k] * new[k] * product;
                square += product * product;
            }
            crossed.push(cross);
            squared.push(square);
        }
        self.products[0].push(crossed);
        self.products[1].push(squared);
    }

    /// The optimum over the cuts so far; `None` when the conic solver breaks down.
    pub(crate) fn solve(&self) -> Option<Proposal> {
        let mut program = Program::default();
        for cut in &self.cuts {
            program.unknown(-cut.constant);
        }
        program.expect_zero();
        let row = program.row(1.0);
        for (i, cut) in self.cuts.iter().enumerate() {
            program.entry(row, i, f64::from(u8::from(cut.bounds_value)));
        }
        program.expect_nonnegative(self.cuts.len());
        for i in 0..self.cuts.len() {
            let row = program.row(0.0);
            program.entry(row, i, -1.0);
        }
        let [m, n] = &self.products;
        let norms = (Norm::add(&mut program, m)?, Norm::add(&mut program, n)?);
        let found = program.solve(TOL)?;
        let bound = self.bound(&found.x[..self.cuts.len()])?;
        let mut slices = Slices::diagonal(&self.blocks, 0.0);
        let weights = norms
            .0
            .weights(&found.z)
            .into_iter()
            .zip(norms.1.weights(&found.z));
        for (cut, weights) in self.cuts.iter().zip(weights) {
            slices.add_gradient(&self.blocks, &cut.adjoint, weights);
        }
        slices.shrink();
        Some(Proposal { bound, slices })
    }

    /// The bound that λ stands for, computed from the cuts themselves: any λ >= 0 gives a valid one, so
    /// the accuracy of the conic solver is no part of the proof.
    fn bound(&self, lambda: &[f64]) -> Option<f64> {
        let pairs = || self.cuts.iter().zip(lambda.iter().map(|l| l.max(0.0)));
        let bounding = pairs().filter(|(cut, _)| cut.bounds_value);
        let total: f64 = bounding.map(|(_, l)| l).sum();
        let mut sum = Slices::diagonal(&self.blocks, 0.0);
        let mut bound = 0.0;
        for (cut, l) in pairs().filter(|(_, l)| *l > 0.0) {
            bound += l / total * cut.constant;
            sum.add_gradient(&self.blocks, &cut.adjoint, (l / total, l / total));
        }
        let (m, n) = sum.norms();
        bound -= m + n;
        bound.is_finite().then_some(bound)
    }
}

/// The cost `√(λᵀ P λ) = ‖R λ‖` in a program whose first unknowns are λ.
#[derive(Debug)]
struct Norm {
    /// Where the rows of `R λ` start.
    start: usize,
    /// The eigenvectors of P over the roots of their eigenvalues, which are the rows of R alike.
    directions: Vec<Vec<f64>>,
    n_cuts: usize,
}

impl Norm {
    /// Adds it, P being the symmetric matrix of which `products` has the lower triangle.
    fn add(program: &mut Program, products: &[Vec<f64>]) -> Option<Self> {
        let n = products.len();
        let mut gram = Matrix::zeros(n, n);
        for (i, row) in products.iter().enumerate() {
            for (j, x) in row.iter().enumerate() {
                gram[(i, j)] = *x;
            }
        }
        let eigen = Eigen::of(&gram)?;
        let floor = NEGLIGIBLE * eigen.values.last().copied().unwrap_or(0.0);
        let kept: Vec<usize> = (0..n)
            .filter(|&k| eigen.values[k] > floor.max(f64::MIN_POSITIVE))
            .collect();
        let norm = program.unknown(1.0);
        program.expect_norm(kept.len() + 1);
        let row = program.row(0.0);
        program.entry(row, norm, -1.0);
        let mut directions = Vec::new();
        for k in kept {
            let (row, root) = (program.row(0.0), eigen.values[k].sqrt());
            let vector = eigen.vectors.col(k);
            for (i, x) in vector.iter().enumerate() {
                program.entry(row, i, -root * x);
            }
            directions.push(vector.iter().map(|x| x / root).collect());
        }
        Some(Self {
            start: row + 1,
            directions,
            n_cuts: n,
        })
    }

    /// The weights with which the gradients add up to M (or N): the multipliers z of the rows `R λ` are
    /// its coordinates, negated, in the orthonormal basis that R is written in.
    fn weights(&self, z: &[f64]) -> Vec<f64> {
        let mut weights = vec![0.0; self.n_cuts];
        for (direction, z) in self.directions.iter().zip(&z[self.start..]) {
            add_scaled(&mut weights, -z, direction);
        }
        weights
    }
}
