//! The matrix A of a hypothesis, in full.

use super::mask_map::MaskMap;
use super::psi::MaskFeatures;
use crate::data::{MaskedRow, Observed};
use crate::linalg::{Matrix, add_scaled, dot};
use std::ops::{Index, IndexMut};

/// The matrix A of `f = <A ψ(z), x'>`, features by columns of ψ.
///
/// ```
/// use gapfit::data::MaskedMatrix;
/// use gapfit::online::{MaskFeatures, MaskMap, Weights};
/// let psi = MaskMap::new(MaskFeatures::Affine, 2)?;
/// let mut a = Weights::zeros(2, psi.n_columns());
/// a[(0, 0)] = 3.0; // the weight of feature 0
/// a[(0, 2)] = -1.0; // and how it shifts when feature 1 is missing
/// let table = MaskedMatrix::from_nan(2, 2, &[1.0, 5.0, 1.0, f64::NAN])?;
/// assert_eq!(a.predict(&psi, table.row(0)), 3.0);
/// assert_eq!(a.predict(&psi, table.row(1)), 2.0);
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Weights(Matrix);

impl Weights {
    /// The matrix of zeros.
    pub fn zeros(n_features: usize, n_columns: usize) -> Self {
        Self(Matrix::zeros(n_features, n_columns))
    }

    /// The number of features.
    pub fn n_features(&self) -> usize {
        self.0.n_rows()
    }

    /// The number of columns.
    pub fn n_columns(&self) -> usize {
        self.0.n_cols()
    }

    /// Column `j`: one weight per feature.
    pub fn column(&self, j: usize) -> &[f64] {
        self.0.col(j)
    }

    pub(crate) fn column_mut(&mut self, j: usize) -> &mut [f64] {
        self.0.col_mut(j)
    }

    /// The weight vector `A ψ(z)` of a mask.
    ///
    /// # Panics
    /// When the sizes of matrix, ψ and mask differ.
    pub fn of_mask(&self, psi: &MaskMap, observed: Observed<'_>) -> Vec<f64> {
        let mut weights = vec![0.0; self.n_features()];
        for j in psi.active(observed) {
            add_scaled(&mut weights, 1.0, self.column(j));
        }
        weights
    }

    /// The prediction `<A ψ(z), x'>`, straight from its definition.
    ///
    /// # Panics
    /// When the sizes of matrix, ψ and row differ.
    pub fn predict(&self, psi: &MaskMap, row: MaskedRow<'_>) -> f64 {
        dot(&self.of_mask(psi, row.observed()), row.values())
    }
}

impl Weights {
    /// The same hypothesis as `(w | U)`, the matrix of the affine ψ: the weights of a complete row, and
    /// how they shift when each feature is missing. `None` when this ψ can tell more from a mask.
    ///
    /// ```
    /// use gapfit::online::{MaskFeatures, MaskMap, construct};
    /// let psi = MaskMap::new(MaskFeatures::Identity, 2)?;
    /// let a = construct::ranking(&[0.9, 0.5]).to_affine(&psi).expect("linear in the mask");
    /// assert_eq!(a.column(0), [1.0, 0.5]); // nothing missing
    /// assert_eq!(a.column(1)[1], 0.5); // the better feature missing: this one gains a half
    /// # Ok::<(), gapfit::Error>(())
    /// ```
    ///
    /// # Panics
    /// When the sizes of matrix and ψ differ.
    pub fn to_affine(&self, psi: &MaskMap) -> Option<Self> {
        assert_eq!(self.n_columns(), psi.n_columns(), "columns");
        let d = self.n_features();
        match psi.kind() {
            MaskFeatures::Affine => Some(self.clone()),
            MaskFeatures::Constant => {
                let mut affine = Self::zeros(d, d + 1);
                affine.column_mut(0).copy_from_slice(self.column(0));
                Some(affine)
            }
            MaskFeatures::Identity | MaskFeatures::Subsets(1) => {
                let mut affine = Self::zeros(d, d + 1);
                for j in 0..d {
                    add_scaled(affine.column_mut(0), 1.0, self.column(j));
                    add_scaled(affine.column_mut(1 + j), -1.0, self.column(j));
                }
                Some(affine)
            }
            MaskFeatures::Subsets(_) | MaskFeatures::Pattern(_) => None,
        }
    }
}

impl Index<(usize, usize)> for Weights {
    type Output = f64;
    fn index(&self, cell: (usize, usize)) -> &f64 {
        &self.0[cell]
    }
}

impl IndexMut<(usize, usize)> for Weights {
    fn index_mut(&mut self, cell: (usize, usize)) -> &mut f64 {
        &mut self.0[cell]
    }
}
