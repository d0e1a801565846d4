//! Columns that come later.

use super::{Inner, StreamLearner};
use crate::error::Result;
use crate::online::check_new_names;

impl StreamLearner {
    /// Appends a feature that had been missing from all rows so far, with zero weights.
    ///
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting) when the name is taken, or there would be too many
    /// weights; then nothing has changed.
    pub fn add_column(&mut self, name: &str) -> Result<()> {
        self.add_columns(&[name.to_owned()])
    }

    /// Appends several features at once.
    ///
    /// # Errors
    /// As [`Self::add_column`].
    pub fn add_columns(&mut self, names: &[String]) -> Result<()> {
        check_new_names(self.feature_names(), names)?;
        let width = 1 + self.feature_names().len();
        match &mut self.inner {
            Inner::Auto(learner) => learner.add_columns(names)?,
            Inner::Descent(learner) => grow(learner, width, names.len(), |learner, name| {
                learner.add_column(name)
            })?,
            Inner::Adaptive(learner) => grow(learner, width, names.len(), |learner, name| {
                learner.add_column(name)
            })?,
        }
        if let Some(front) = &mut self.front {
            names.iter().for_each(|_| front.running.add_column());
            front.names.extend_from_slice(names);
        }
        Ok(())
    }
}

/// Lets a learner of `width` columns have `n` more, or none.
fn grow<L: Clone>(
    learner: &mut L,
    width: usize,
    n: usize,
    add: impl Fn(&mut L, &str) -> Result<()>,
) -> Result<()> {
    if n == 1 {
        return add(learner, &format!("x{width}"));
    }
    let mut grown = learner.clone();
    for j in 0..n {
        add(&mut grown, &format!("x{}", width + j))?;
    }
    *learner = grown;
    Ok(())
}
