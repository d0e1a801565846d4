//! The constant feature, which online learners do not add by themselves.

use anyhow::Result;
use gapfit::data::{Dataset, MaskedMatrix};

/// The same rows with a last feature that is 1 and always observed.
pub(crate) fn append(rows: &Dataset) -> Result<Dataset> {
    let n_features = rows.n_features();
    let mut wider = MaskedMatrix::new(n_features + 1);
    for row in rows.features().rows() {
        wider.push_row((0..n_features).map(|j| row.get(j)).chain([Some(1.0)]))?;
    }
    Ok(Dataset::new(wider, rows.target().to_vec())?)
}
