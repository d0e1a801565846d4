//! The error after learning from fewer rows.

use gapfit::Result;
use gapfit::tune::{Folding, Folds};
use gapfit_figures::{Contender, Trial, mean_and_error};
use gapfit_report::{LearningCurve, LearningPoint};

use crate::class_weight::ClassWeight;

/// Parts that the training rows of a fold are dealt into.
const PARTS: usize = 16;
/// Parts that are learnt from, before all.
const SHARES: [usize; 4] = [1, 2, 4, 8];
/// Training rows below which nothing is learnt.
const FEWEST: usize = 20;

/// Fits for the curves of so many contenders in so many folds.
pub(crate) fn fits(contenders: usize, folds: usize) -> usize {
    SHARES.len() * contenders * folds
}

/// Learning curves on these folds.
pub(crate) struct Curves<'a> {
    pub(crate) folds: &'a Folds,
    /// Decides which rows smaller samples have.
    pub(crate) seed: u64,
    /// What rows of a class count for when contenders learn.
    pub(crate) class_weight: &'a ClassWeight,
}

impl Curves<'_> {
    /// The curves of `contenders`, of whom `told` is spoken, with the parameters tuned on all training
    /// rows; `tick` is called after each fit.
    pub(crate) fn of(
        &self,
        contenders: &[Contender<'_>],
        told: usize,
        tick: &dyn Fn(),
    ) -> Result<LearningCurve> {
        let mut points = Vec::new();
        for share in SHARES {
            if let Some(point) = self.point(share, contenders, tick)? {
                points.push(point);
            }
        }
        let error = |contender: &Contender<'_>| {
            let trials = contender.trials.iter();
            let errors: Vec<f64> = trials.map(|trial| trial.error(contender.data)).collect();
            mean_and_error(&errors).0
        };
        points.push(LearningPoint {
            rows: self.mean_rows(|rows| rows),
            errors: contenders.iter().map(error).collect(),
        });
        Ok(LearningCurve {
            error: contenders[told].error().name().to_owned(),
            methods: contenders.iter().map(|c| c.name.to_owned()).collect(),
            told,
            points,
        })
    }

    /// The mean over the folds of what `of` makes of the number of training rows.
    fn mean_rows(&self, of: impl Fn(usize) -> usize) -> usize {
        let rows = self.folds.iter().map(|fold| of(fold.train.len()));
        rows.sum::<usize>() / self.folds.count()
    }

    /// The errors after learning from a share of the rows; `None` where that is too few.
    fn point(
        &self,
        share: usize,
        contenders: &[Contender<'_>],
        tick: &dyn Fn(),
    ) -> Result<Option<LearningPoint>> {
        let mut errors = vec![Vec::new(); contenders.len()];
        let mut n_rows = 0;
        for (f, fold) in self.folds.iter().enumerate() {
            if fold.train.len() * share / PARTS < FEWEST {
                return Ok(None);
            }
            let rows = self.sample(&fold.train, share, contenders[0].data)?;
            n_rows += rows.len();
            for (contender, errors) in contenders.iter().zip(&mut errors) {
                let Trial {
                    learner,
                    parameters,
                    held_out,
                    ..
                } = &contender.trials[f];
                let train = self.class_weight.apply(contender.data.select(&rows))?;
                let model = learner.fit(&train, *parameters)?.model;
                let test = contender.data.held_out(&held_out.rows, &rows);
                errors.push(contender.error_of(&model, test.features(), &held_out.rows)?);
                tick();
            }
        }
        Ok(Some(LearningPoint {
            rows: n_rows / self.folds.count(),
            errors: errors
                .iter()
                .map(|errors| mean_and_error(errors).0)
                .collect(),
        }))
    }

    /// A share of these rows; larger shares contain smaller ones.
    fn sample(
        &self,
        rows: &[usize],
        share: usize,
        data: &gapfit::data::Dataset,
    ) -> Result<Vec<usize>> {
        let parts = Folding::Shuffled.split(&data.select(rows), PARTS, self.seed)?;
        let picked = parts.iter().take(share).flat_map(|part| part.held_out);
        Ok(picked.map(|k| rows[k]).collect())
    }
}
