//! Models judged on blocks of statistics that they have not seen.

use super::{Folding, sums};
use crate::data::Dataset;
use crate::error::Result;
use crate::eval::SquaredErrors;
use crate::learn::{Fitted, Learner, Parameters};
use crate::moments::{Frame, Source};
use crate::pipeline::{Prefer, Problem};
use crate::statistics::{Evidence, Kind, Picked, block_of};

/// A fold of [`Statistics`](crate::Statistics) or [`Passes`](crate::Passes): blocks to learn from, and blocks to be judged
/// on. They are those of [`Folding::Hashed`], and so is what comes out.
///
/// ```
/// use gapfit::data::{Dataset, MaskedMatrix};
/// use gapfit::tune::BlockFold;
/// use gapfit::{Gathering, Learner, Parameters, Statistics};
///
/// let cells: Vec<f64> = (0..400).map(|i| f64::from(i % 20)).collect();
/// let target = cells.iter().enumerate().map(|(i, x)| x + (i % 7) as f64).collect();
/// let data = Dataset::new(MaskedMatrix::from_nan(400, 1, &cells)?, target)?;
/// let statistics = Statistics::of(&data, Gathering::default())?;
/// let parameters = Parameters { alpha: 0.01, gamma: 0.0 };
/// for fold in BlockFold::all(&statistics, 5)? {
///     let (fitted, errors) = fold.judge(&Learner::default(), parameters)?;
///     assert!(fitted.model.training().rows < 400);
///     assert!(errors.rmse() < 3.0 && errors.r2() > 0.5);
/// }
/// # Ok::<_, gapfit::Error>(())
/// ```
#[derive(Debug)]
pub struct BlockFold<'a> {
    train: Part<'a>,
    held_out: Part<'a>,
}

/// Some of the rows: themselves where statistics keep them, or sums.
#[derive(Debug)]
enum Part<'a> {
    Rows(Dataset),
    Sums(Picked<'a>),
}

impl<'a> BlockFold<'a> {
    /// The rows in `k` folds.
    ///
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting) for statistics without blocks, or unless `k` is from 2 to 10 and
    /// rows come into each fold.
    pub fn all(evidence: impl Into<Evidence<'a>>, k: usize) -> Result<Vec<Self>> {
        let picked = match evidence.into().0 {
            Kind::Sums(picked) => picked,
            Kind::Rows(rows) => {
                let folds = Folding::Hashed.split(rows, k, 0)?;
                let part = |numbers: &[usize]| Part::Rows(rows.select(numbers));
                let folds = folds.iter().map(|fold| Self {
                    train: part(&fold.train),
                    held_out: part(&fold.held_out),
                });
                return Ok(folds.collect());
            }
        };
        let folds = sums::parted(picked, k)?.into_iter();
        let fold = |(train, held_out)| Self {
            train: Part::Sums(train),
            held_out: Part::Sums(held_out),
        };
        Ok(folds.map(fold).collect())
    }

    /// What is learnt from.
    pub fn train(&self) -> Evidence<'_> {
        Evidence(match &self.train {
            Part::Rows(rows) => Kind::Rows(rows),
            Part::Sums(picked) => Kind::Sums(*picked),
        })
    }

    /// The largest number of folds that what is learnt from can be parted into.
    pub fn most_folds(&self) -> usize {
        match &self.train {
            Part::Rows(rows) => {
                let counted = (0..rows.n_rows()).filter(|&i| rows.weight(i) > 0.0);
                let blocks = block_of(rows, counted);
                blocks.iter().filter(|block| !block.is_empty()).count()
            }
            Part::Sums(picked) => picked.filled().len(),
        }
    }

    /// The model of the rows to learn from, and its errors on the others.
    ///
    /// # Errors
    /// As [`Learner::fit`].
    pub fn judge(
        &self,
        learner: &Learner,
        parameters: Parameters,
    ) -> Result<(Fitted, SquaredErrors)> {
        let evidence = self.train();
        let (train, held_out) = match (&self.train, &self.held_out) {
            (Part::Sums(train), Part::Sums(held_out)) => (train, held_out),
            (_, Part::Rows(held_out)) => {
                let fitted = learner.fit(evidence, parameters)?;
                let predicted = fitted.model.predict(held_out.features())?;
                let errors = SquaredErrors::of(held_out.target(), &predicted, held_out.weights());
                return Ok((fitted, errors));
            }
            (Part::Rows(_), Part::Sums(_)) => unreachable!("both are of one kind"),
        };
        let outline = learner.checked(&evidence, &[parameters])?;
        let reading = train.reading(learner.preparation.clip)?;
        let problems = Problem::each(learner, &reading, Prefer::Cheaper { solves: 1 });
        let (fitted, weights) = learner.fit_problems(&outline, (&problems, None), &[parameters])?;
        let held_out = held_out.source(&reading.frame);
        let judged = Problem::hold_out(&problems, None, &held_out);
        let squares = problems[0].error_unit() * judged[0].error(&weights[0].full);
        let errors = SquaredErrors {
            squares: squares.max(0.0),
            ..of_target(&held_out, &reading.frame)
        };
        evidence.vouch(Ok((fitted, errors)))
    }
}

/// What the rows say of the target alone.
fn of_target(rows: &Source<'_>, frame: &Frame) -> SquaredErrors {
    let (weight, sum, squares) = rows.target();
    let (mean, unit) = (sum / weight, frame.targets[0]);
    SquaredErrors {
        weight,
        squares: 0.0,
        mean: unit.release(mean),
        spread: (squares - mean * sum).max(0.0) * unit.scale * unit.scale,
    }
}
