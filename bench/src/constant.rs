//! The constant feature, which online learners do not add by themselves.

use anyhow::Result;
use gapfit::data::{Dataset, MaskedMatrix};

/// The same rows behind a feature that is 1 and always observed.
pub(crate) fn prepend(rows: &Dataset) -> Result<Dataset> {
    let n_features = rows.n_features();
    let mut wider = MaskedMatrix::new(n_features + 1);
    for row in rows.features().rows() {
        let features = (0..n_features).map(|j| row.get(j));
        wider.push_row([Some(1.0)].into_iter().chain(features))?;
    }
    Ok(Dataset::new(wider, rows.target().to_vec())?)
}
