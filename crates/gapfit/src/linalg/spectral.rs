//! Spectral decompositions, for the solvers that need them.

use super::Matrix;
use faer::Par;
use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};

/// `A = V diag(values) Vᵀ`, eigenvalues ascending.
#[derive(Debug)]
pub(crate) struct Eigen {
    pub(crate) values: Vec<f64>,
    pub(crate) vectors: Matrix,
}

impl Eigen {
    /// The decomposition of a symmetric matrix, of which the lower triangle is read; `None` when its
    /// numbers are not finite.
    pub(crate) fn of(a: &Matrix) -> Option<Self> {
        let n = a.n_rows;
        let mut eigen = Self {
            values: vec![0.0; n],
            vectors: Matrix::zeros(n, n),
        };
        let vectors = ComputeEigenvectors::Yes;
        let scratch = self_adjoint_evd_scratch::<f64>(n, vectors, Par::Seq, Default::default());
        let done = self_adjoint_evd(
            a.view(),
            DiagMut::from_slice_mut(&mut eigen.values),
            Some(eigen.vectors.view_mut()),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
            Default::default(),
        );
        let is_finite = eigen.values.iter().all(|x| x.is_finite());
        (done.is_ok() && is_finite).then_some(eigen)
    }
}

/// `A = U diag(sizes) Vᵀ` with as many columns as the smaller side of A, singular values descending.
#[derive(Debug)]
pub(crate) struct Singular {
    pub(crate) left: Matrix,
    pub(crate) sizes: Vec<f64>,
    pub(crate) right: Matrix,
}

impl Singular {
    /// The decomposition; `None` when the numbers are not finite.
    pub(crate) fn of(a: &Matrix) -> Option<Self> {
        let (m, n) = (a.n_rows, a.n_cols);
        let rank = m.min(n);
        let mut parts = Self {
            left: Matrix::zeros(m, rank),
            sizes: vec![0.0; rank],
            right: Matrix::zeros(n, rank),
        };
        let thin = ComputeSvdVectors::Thin;
        let scratch = svd_scratch::<f64>(m, n, thin, thin, Par::Seq, Default::default());
        let done = svd(
            a.view(),
            DiagMut::from_slice_mut(&mut parts.sizes),
            Some(parts.left.view_mut()),
            Some(parts.right.view_mut()),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
            Default::default(),
        );
        let is_finite = parts.sizes.iter().all(|x| x.is_finite());
        (done.is_ok() && is_finite).then_some(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{dot, product, transpose_product};
    use super::*;

    fn wave(m: usize, n: usize) -> Matrix {
        let cells = (0..m * n).map(|i| (1.0 + i as f64).sin());
        Matrix::from_columns(m, n, cells.collect())
    }

    #[test]
    fn eigenvectors_are_scaled_by_their_eigenvalues() {
        let root = wave(7, 4);
        let a = product(&root, &transpose_product(&root, &identity(7)));
        let eigen = Eigen::of(&a).unwrap();
        assert!(eigen.values.is_sorted());
        for (j, value) in eigen.values.iter().enumerate() {
            let vector = eigen.vectors.col(j);
            assert!((dot(vector, vector) - 1.0).abs() < 1e-13);
            for (got, x) in a.times(vector).iter().zip(vector) {
                assert!((got - value * x).abs() < 1e-13, "{got} {value} {x}");
            }
        }
    }

    #[test]
    fn a_wide_and_a_tall_matrix_are_put_together_again() {
        for (m, n) in [(5, 3), (3, 5)] {
            let a = wave(m, n);
            let parts = Singular::of(&a).unwrap();
            assert!(parts.sizes.is_sorted_by(|a, b| a >= b));
            for j in 0..n {
                for i in 0..m {
                    let sum: f64 = (0..m.min(n))
                        .map(|k| parts.left[(i, k)] * parts.sizes[k] * parts.right[(j, k)])
                        .sum();
                    assert!((sum - a[(i, j)]).abs() < 1e-13);
                }
            }
        }
    }

    #[test]
    fn numbers_that_are_not_finite_have_no_decomposition() {
        let mut a = identity(3);
        a[(1, 0)] = f64::NAN;
        assert!(Eigen::of(&a).is_none() && Singular::of(&a).is_none());
    }

    fn identity(n: usize) -> Matrix {
        let mut identity = Matrix::zeros(n, n);
        (0..n).for_each(|j| identity[(j, j)] = 1.0);
        identity
    }
}
