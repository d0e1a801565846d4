//! One trial: rows in random order, once with holes and once without, and the mistakes on them.

use super::task::Task;
use crate::constant;
use anyhow::Result;
use gapfit::data::Dataset;
use gapfit::online::{Learn, Support};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Rows in the order in which they are learnt.
#[derive(Debug)]
pub(super) struct Trial {
    /// With holes, behind a constant.
    pub(super) holey: Dataset,
    /// Without holes, behind a constant.
    pub(super) complete: Dataset,
    /// With holes, for learners that add the constant themselves.
    pub(super) bare: Dataset,
    /// Which pairs of features may influence each other, the constant left out.
    pub(super) support: Support,
}

impl Trial {
    /// Draws rows and holes; `seed` decides both.
    pub(super) fn draw(task: &Task, seed: u64) -> Result<Self> {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let mut rows: Vec<usize> = (0..task.data.n_rows()).collect();
        rows.shuffle(rng);
        rows.truncate(task.n_rows);
        let complete = task.data.select(&rows);
        let holes = task.mechanism.apply(complete.features(), rng)?;
        let support = task.support(&holes)?;
        let bare = complete.clone().with_features(holes)?;
        Ok(Self {
            holey: constant::prepend(&bare)?,
            complete: constant::prepend(&complete)?,
            bare,
            support,
        })
    }
}

/// Whether each row was classified wrongly before it was learnt; no side taken is wrong.
pub(super) fn mistakes(learner: &mut impl Learn, rows: &Dataset) -> Result<Vec<bool>> {
    let pairs = rows.features().rows().zip(rows.target());
    let wrong = pairs.map(|(row, &class)| {
        let learnt = learner.learn(row, class, 1.0)?;
        Ok(learnt.prediction * class <= 0.0)
    });
    wrong.collect()
}

/// The share of mistakes.
pub(super) fn share(mistakes: &[bool]) -> f64 {
    mistakes.iter().filter(|&&wrong| wrong).count() as f64 / mistakes.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use gapfit::data::MaskedMatrix;
    use gapfit::loss::Loss;
    use gapfit::online::{Fill, MirrorDescent};

    #[test]
    fn a_trial_hides_one_pixel_column_and_never_the_constant() {
        let task = &Task::all(None).unwrap()[0];
        let trial = Trial::draw(task, 3).unwrap();
        let holes = |row: usize| trial.holey.features().row(row).observed().missing().count();
        assert!((0..3000).all(|row| holes(row) == 8));
        let rows = trial.holey.features().rows();
        assert!(rows.into_iter().all(|row| row.get(0) == Some(1.0)));
        assert_eq!(trial.complete.target(), trial.holey.target());
        assert_eq!(trial.support.neighbours(0), Some(&[0, 1, 8, 9][..]));
    }

    #[test]
    fn the_first_row_is_always_a_mistake() {
        let table = MaskedMatrix::from_nan(3, 1, &[1.0, 1.0, 1.0]).unwrap();
        let rows = Dataset::new(table, vec![1.0, 1.0, -1.0]).unwrap();
        let settings = MirrorDescent::imputed(Fill::Zero, Loss::Hinge, 0.5);
        let wrong = mistakes(&mut settings.start(1).unwrap(), &rows).unwrap();
        assert_eq!(wrong, [true, false, true]);
        assert!((share(&wrong) - 2.0 / 3.0).abs() < 1e-15);
    }
}
