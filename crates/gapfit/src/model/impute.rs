//! Tables with their holes filled.

use super::Model;
use crate::data::MaskedMatrix;
use crate::error::Result;
use crate::joint::Imputation;

impl Model {
    /// The table with its holes filled by the base, in original units, before anything learnt from the
    /// target; features that were never observed in training keep their holes.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) when the number of columns differs.
    pub fn fill(&self, table: &MaskedMatrix) -> Result<MaskedMatrix> {
        self.filled(table, None)
    }

    /// The table with its holes filled as the predictor was taught to see them: by the base and, for
    /// imputed ridge regression with `gamma > 0`, the paper's correction `x̃_k + <m_k, x̃>` on top of
    /// it (docs/math.md 14.3). Otherwise as [`Model::fill`], so also for several targets or more than two
    /// classes, each of which was taught to see holes in its own way.
    ///
    /// The correction serves the prediction; it does not make values likelier.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) when the number of columns differs.
    pub fn impute(&self, table: &MaskedMatrix) -> Result<MaskedMatrix> {
        self.filled(table, Imputation::of(self).as_ref())
    }

    fn filled(
        &self,
        table: &MaskedMatrix,
        imputation: Option<&Imputation>,
    ) -> Result<MaskedMatrix> {
        self.check_width(table)?;
        let (mut filler, mut completed) =
            (self.prepared.filler(), vec![0.0; self.prepared.n_entries()]);
        let mut filled = MaskedMatrix::new(table.n_cols());
        for row in table.rows() {
            self.prepared.complete(row, &mut filler, &mut completed);
            if let Some(imputation) = imputation {
                let live = &self.prepared.live;
                let is_missing = |entry: usize| !row.observed().contains(live[entry - 1]);
                imputation.correct(&mut completed, is_missing);
            }
            let cell = |j: usize| {
                let entry = self.prepared.entry_of[j];
                let value = || self.prepared.columns[j].unmap(completed[entry]);
                row.get(j).or_else(|| (entry > 0).then(value))
            };
            filled.push_row((0..table.n_cols()).map(cell))?;
        }
        Ok(filled)
    }
}
