//! A fit that says when each of its stages ends, for benchmarks.
//!
//! The library does not read the clock. Who wants to know where the time of a fit goes looks at it when
//! told that a stage is over.

use super::{Fitted, Learner, Parameters};
use crate::data::Dataset;
use crate::error::Result;
use crate::moments::{Reading, Rows};
use crate::pipeline::{Prefer, Problem};
use crate::statistics::Evidence;

/// A stage of a fit, in order.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Which rows have which mask: found once more, on its own, since reading does it on the way.
    Group,
    /// Reading the rows: which have which mask, ranges, sums by mask.
    Read,
    /// Fitting the base; of the Gaussian one EM.
    Base,
    /// The normal equations, or what stands for them.
    Equations,
    /// Newton's steps, and the model.
    Solve,
}

/// Which form of the normal equations a fit takes.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NormalForm {
    /// The one that is expected to cost less, as in [`Learner::fit`].
    #[default]
    Cheaper,
    /// The matrix.
    Dense,
    /// Products with it.
    MatrixFree,
}

impl Learner {
    /// What [`Learner::fit`] gives for a table; `ended` is called at the end of each stage.
    ///
    /// # Errors
    /// As [`Learner::fit_each`].
    #[doc(hidden)]
    pub fn fit_in_stages(
        &self,
        data: &Dataset,
        parameters: Parameters,
        form: NormalForm,
        ended: &dyn Fn(Stage),
    ) -> Result<Fitted> {
        self.validate()?;
        self.check(&Evidence::from(data), data)?;
        let parameters = vec![parameters; data.n_targets()];
        super::check_parameters(&parameters, data.n_targets())?;
        let prefer = match form {
            NormalForm::Cheaper => Prefer::Cheaper { solves: 1 },
            NormalForm::Dense => Prefer::Dense,
            NormalForm::MatrixFree => Prefer::MatrixFree,
        };
        let rows = Rows::new(data, None);
        std::hint::black_box(rows.n_masks());
        ended(Stage::Group);
        let reading = Reading::new(&rows, self.preparation.clip)?;
        ended(Stage::Read);
        let problems = Problem::each_with(self, &reading, prefer, &|| ended(Stage::Base));
        ended(Stage::Equations);
        let (fitted, _) = self.fit_problems(data, (&problems, reading.rows), &parameters)?;
        ended(Stage::Solve);
        Ok(fitted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::MaskedMatrix;
    use std::cell::RefCell;

    #[test]
    fn a_fit_in_stages_is_the_fit_and_names_every_stage_once() {
        let hole = f64::NAN;
        let cells = [
            1.0, 2.0, 2.0, hole, hole, 1.0, 4.0, 3.0, 5.0, hole, 6.0, 2.0,
        ];
        let table = MaskedMatrix::from_nan(6, 2, &cells).unwrap();
        let data = Dataset::new(table, vec![3.0, 3.5, 2.5, 7.0, 7.5, 8.0]).unwrap();
        let parameters = Parameters {
            alpha: 0.01,
            gamma: 1.0,
        };
        let learner = Learner::default();
        let stages = RefCell::new(Vec::new());
        let ended = |stage| stages.borrow_mut().push(stage);
        let staged = learner
            .fit_in_stages(&data, parameters, NormalForm::Cheaper, &ended)
            .unwrap();
        assert_eq!(staged.model, learner.fit(&data, parameters).unwrap().model);
        let all = [
            Stage::Group,
            Stage::Read,
            Stage::Base,
            Stage::Equations,
            Stage::Solve,
        ];
        assert_eq!(stages.into_inner(), all);
        for form in [NormalForm::Dense, NormalForm::MatrixFree] {
            let other = learner.fit_in_stages(&data, parameters, form, &|_| ());
            let apart = other.unwrap().outcome.objective - staged.outcome.objective;
            assert!(apart.abs() < 1e-7 * staged.outcome.objective, "{form:?}");
        }
    }
}
