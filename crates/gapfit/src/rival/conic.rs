//! A conic program and its solution: the only file that names the conic solver.

use clarabel::algebra::CscMatrix;
#[cfg(feature = "sdp")]
use clarabel::solver::SolverStatus;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SupportedConeT as Cone};

/// `min costᵀx` such that `right - A x` lies in a product of cones.
#[derive(Debug, Default)]
pub(crate) struct Program {
    cost: Vec<f64>,
    /// `(row, value)` of the entries of each column of A, rows ascending.
    columns: Vec<Vec<(usize, f64)>>,
    right: Vec<f64>,
    cones: Vec<Cone<f64>>,
}

/// What came out; numbers are finite.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) x: Vec<f64>,
    /// The multiplier of each row.
    pub(crate) z: Vec<f64>,
    #[cfg(feature = "sdp")]
    pub(crate) iterations: usize,
    /// The optimum as the solver's dual point has it.
    #[cfg(feature = "sdp")]
    pub(crate) dual_value: f64,
    /// The accuracy the solver vouches for.
    #[cfg(feature = "sdp")]
    pub(crate) accuracy: Option<f64>,
}

/// The accuracy of what the solver calls almost solved.
#[cfg(feature = "sdp")]
const REDUCED: f64 = 1e-4;

impl Program {
    /// Adds an unknown with this cost and returns its number.
    pub(crate) fn unknown(&mut self, cost: f64) -> usize {
        self.cost.push(cost);
        self.columns.push(Vec::new());
        self.cost.len() - 1
    }

    /// Adds a row whose other entries follow by [`Self::entry`]; each belongs to the cone opened last.
    pub(crate) fn row(&mut self, right: f64) -> usize {
        self.right.push(right);
        self.right.len() - 1
    }

    /// Sets an entry of A; rows must come in ascending order for each unknown.
    pub(crate) fn entry(&mut self, row: usize, unknown: usize, value: f64) {
        if value != 0.0 {
            self.columns[unknown].push((row, value));
        }
    }

    /// The next row is zero.
    pub(crate) fn expect_zero(&mut self) {
        self.cones.push(Cone::ZeroConeT(1));
    }

    /// The next `n` rows are at least zero.
    pub(crate) fn expect_nonnegative(&mut self, n: usize) {
        self.cones.push(Cone::NonnegativeConeT(n));
    }

    /// The first of the next `n` rows is at least the norm of the others.
    pub(crate) fn expect_norm(&mut self, n: usize) {
        self.cones.push(Cone::SecondOrderConeT(n));
    }

    /// The next `n (n + 1)/2` rows are the upper triangle of a positive semidefinite matrix, column by
    /// column, off-diagonal entries times √2.
    #[cfg(feature = "sdp")]
    pub(crate) fn expect_semidefinite(&mut self, n: usize) {
        self.cones.push(Cone::PSDTriangleConeT(n));
    }

    /// Solves to `tol`, as far as the solver gets; `None` when a number is not finite.
    pub(crate) fn solve(&self, tol: f64) -> Option<Found> {
        let n = self.cost.len();
        let mut starts = vec![0];
        let (mut rows, mut values) = (Vec::new(), Vec::new());
        for column in &self.columns {
            rows.extend(column.iter().map(|(row, _)| row));
            values.extend(column.iter().map(|(_, value)| value));
            starts.push(rows.len());
        }
        let a = CscMatrix::new(self.right.len(), n, starts, rows, values);
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: tol,
            tol_gap_rel: tol,
            tol_feas: tol,
            ..DefaultSettings::default()
        };
        let quadratic = CscMatrix::zeros((n, n));
        let (cost, right) = (&self.cost, &self.right);
        let mut solver =
            DefaultSolver::new(&quadratic, cost, &a, right, &self.cones, settings).ok()?;
        solver.solve();
        let found = solver.solution;
        let is_finite = found.x.iter().chain(&found.z).all(|x| x.is_finite());
        is_finite.then_some(Found {
            #[cfg(feature = "sdp")]
            iterations: found.iterations as usize,
            #[cfg(feature = "sdp")]
            dual_value: found.obj_val_dual,
            #[cfg(feature = "sdp")]
            accuracy: match found.status {
                SolverStatus::Solved => Some(tol),
                SolverStatus::AlmostSolved => Some(REDUCED),
                _ => None,
            },
            x: found.x,
            z: found.z,
        })
    }
}
