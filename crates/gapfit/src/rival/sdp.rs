//! The paper's relaxation as it is printed: a semidefinite program over M and N.
//!
//! ```text
//! min t  over ‖M‖ <= γ, ‖N‖ <= γ²   s.t.  [ K_MN + cI  y ] ⪰ 0,    K_MN ⪰ 0
//!                                         [ yᵀ         t ]
//! ```
//!
//! given to a general conic solver (docs/math.md 12.3; paper, proposition 2). Blocks of T+1 rows and of as
//! many as there are independent ones, and d³ unknowns, of which the symmetry of `N_k` leaves about half:
//! for checking, on small tables.

use super::conic::Program;
use super::kernel::{KernelFit, Slices};
use super::report::{Report, Sdp};
use super::sample::Sample;
use super::{Rival, relative_gap};
use crate::joint::{Outcome, Status};
use crate::linalg::dot;

/// The finest accuracy that can be asked of the conic solver.
const FINEST: f64 = 1e-9;

/// Solves to the relative gap `tol`, as far as the conic solver gets; `None` when it breaks down.
pub(crate) fn solve(sample: &Sample, tol: f64) -> Option<Rival> {
    let unknowns = Unknowns::new(sample);
    let (span, _) = sample.on_its_span()?;
    let asked = (0.01 * tol).max(FINEST);
    let found = program(sample, &span, &unknowns).solve(asked)?;
    let accuracy = found.accuracy?;
    let slices = unknowns.slices(sample, &found.x);
    let kernel = slices.form(&sample.blocks, &sample.lifted);
    let fit = KernelFit::new(sample, &kernel)?;
    // The dual point is feasible within the accuracy alone, so the bound is that much lower.
    let lower_bound = (found.dual_value - accuracy).clamp(0.0, fit.value);
    let gap = relative_gap(fit.value, lower_bound);
    Some(Rival {
        v: sample.restore(&fit.predictor(sample, &slices)),
        outcome: Outcome {
            status: if gap <= tol {
                Status::Converged
            } else {
                Status::Inaccurate
            },
            iterations: found.iterations,
            objective: sample.value(fit.value),
            lower_bound: sample.value(lower_bound),
            gap,
            factorisations: found.iterations,
            evaluations: 1,
        },
        report: Report::Sdp(Sdp {
            unknowns: found.x.len(),
            rows: sample.y.len(),
            accuracy,
            is_weaker: span.is_dependent(),
        }),
    })
}

/// One unknown of M, or one of N and its mirror image.
#[derive(Clone, Copy, Debug)]
enum Unknown {
    /// `M[a, k]`: block k, position a.
    M(usize, usize),
    /// `N_k[a, b]`, a <= b.
    N(usize, usize, usize),
}

/// The unknowns beside t: those of M, then those of N, without what only meets zeros.
#[derive(Debug)]
struct Unknowns {
    list: Vec<Unknown>,
    n_of_m: usize,
}

impl Unknowns {
    fn new(sample: &Sample) -> Self {
        let (blocks, live) = (&sample.blocks, sample.live());
        let n_blocks = blocks.partners.len();
        let positions = |k: usize| {
            let is_live = live[blocks.range(k)].iter().enumerate();
            let positions = is_live.filter(|(_, live)| **live).map(|(a, _)| a);
            positions.collect::<Vec<_>>()
        };
        let mut list = Vec::new();
        for k in 0..n_blocks {
            list.extend(positions(k).into_iter().map(|a| Unknown::M(k, a)));
        }
        let n_of_m = list.len();
        for k in 0..n_blocks {
            let positions = positions(k);
            for (i, &b) in positions.iter().enumerate() {
                list.extend(positions[..=i].iter().map(|&a| Unknown::N(k, a, b)));
            }
        }
        Self { list, n_of_m }
    }

    /// M and N from the solution, t first; inside both balls.
    fn slices(&self, sample: &Sample, x: &[f64]) -> Slices {
        let mut slices = Slices::diagonal(&sample.blocks, 0.0);
        for (unknown, &x) in self.list.iter().zip(&x[1..]) {
            match *unknown {
                Unknown::M(k, a) => slices.m[(a, k)] = x,
                Unknown::N(k, a, b) => {
                    slices.n[k][(a, b)] = x;
                    slices.n[k][(b, a)] = x;
                }
            }
        }
        slices.shrink();
        slices
    }
}

impl Unknown {
    /// The derivative of `K[i, j]`.
    fn slope(self, sample: &Sample, i: usize, j: usize) -> f64 {
        let (x, y) = (sample.lifted.col(i), sample.lifted.col(j));
        let blocks = &sample.blocks;
        match self {
            Self::M(k, a) => {
                let (partner, shift) = (blocks.partners[k], blocks.range(k).start + a);
                x[partner] * y[shift] + x[shift] * y[partner]
            }
            Self::N(k, a, b) => {
                let (a, b) = (blocks.range(k).start + a, blocks.range(k).start + b);
                let product = x[a] * y[b];
                if a == b {
                    product
                } else {
                    product + x[b] * y[a]
                }
            }
        }
    }

    /// The length that a unit of it adds to M or N: mirror images count twice.
    fn length(self) -> f64 {
        match self {
            Self::N(_, a, b) if a != b => 2f64.sqrt(),
            _ => 1.0,
        }
    }
}

/// The program over t, M and N, with `K ⪰ 0` on the span of the lifted rows: over all rows it would have no
/// interior as soon as there are more of them than features, and interior-point methods stall.
fn program(sample: &Sample, span: &Sample, unknowns: &Unknowns) -> Program {
    let mut program = Program::default();
    let t = program.unknown(1.0);
    for _ in &unknowns.list {
        program.unknown(0.0);
    }
    program.expect_semidefinite(sample.y.len() + 1);
    add_kernel(&mut program, sample, unknowns, 1.0);
    for y in &sample.y {
        program.row(2f64.sqrt() * y);
    }
    let corner = program.row(0.0);
    program.entry(corner, t, -1.0);
    program.expect_semidefinite(span.y.len());
    add_kernel(&mut program, span, unknowns, 0.0);
    let (m, n) = unknowns.list.split_at(unknowns.n_of_m);
    for (first, part) in [(t + 1, m), (t + 1 + m.len(), n)] {
        program.expect_norm(part.len() + 1);
        program.row(1.0);
        for (offset, unknown) in part.iter().enumerate() {
            let row = program.row(0.0);
            program.entry(row, first + offset, -unknown.length());
        }
    }
    program
}

/// Adds the upper triangle of `K + diagonal I`, column by column.
fn add_kernel(program: &mut Program, sample: &Sample, unknowns: &Unknowns, diagonal: f64) {
    let plain = |i: usize| &sample.lifted.col(i)[..sample.blocks.n_weights];
    for j in 0..sample.y.len() {
        for i in 0..=j {
            let (scale, shift) = if i == j {
                (1.0, diagonal)
            } else {
                (2f64.sqrt(), 0.0)
            };
            let row = program.row(scale * (dot(plain(i), plain(j)) + shift));
            for (u, unknown) in unknowns.list.iter().enumerate() {
                program.entry(row, 1 + u, -scale * unknown.slope(sample, i, j));
            }
        }
    }
}
