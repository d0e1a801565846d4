//! Table 2 and the upper half of the figure: mistakes on a stream, each row predicted before it is learnt.
//!
//! Gradient descent on filled rows and mirror descent over matrices have a rate, and sparse-reg a row penalty,
//! to choose. The paper's way takes the point of the grid with the fewest mistakes on the very streams that
//! are judged. The honest one takes, at every row, the prediction of the point with the fewest mistakes on
//! the rows before.

use super::stream::{Method, Stream, mistakes};
use super::{Draw, Finding, Grid, Tuning};
use crate::Result;
use crate::experiment::Drawn;
use gapfit::data::Dataset;
use gapfit::loss::Loss;
use gapfit::online::Auto;
use rayon::prelude::*;

pub(super) fn run(cell: &Drawn, points: &[usize], table: &Dataset, draw: Draw) -> Result<Finding> {
    let stream = Stream::draw(cell, table, draw)?;
    let n_rows = stream.bare.n_rows();
    let ends: Vec<usize> = match points.is_empty() {
        true => vec![n_rows],
        false => points
            .iter()
            .copied()
            .filter(|&end| end <= n_rows)
            .collect(),
    };
    let x = |end: usize| (!points.is_empty()).then_some(end as f64);
    let shares =
        |wrong: &[bool]| -> Vec<f64> { ends.iter().map(|&end| share(&wrong[..end])).collect() };
    let mut finding = Finding::default();
    let honest = |finding: &mut Finding, name: &str, wrong: &[bool]| {
        for (&end, share) in ends.iter().zip(shares(wrong)) {
            finding.push(x(end), name, Tuning::Honest, share);
        }
    };
    for method in Method::ALL {
        let settings = method.settings(draw.quick);
        let wrong = settings.par_iter().map(|&at| method.mistakes(at, &stream));
        let wrong = wrong.collect::<Result<Vec<_>>>()?;
        honest(&mut finding, method.name(), &follow_the_leader(&wrong));
        finding.grids.push(Grid {
            method: method.name().to_owned(),
            settings: settings.iter().map(ToString::to_string).collect(),
            xs: ends.iter().map(|&end| x(end)).collect(),
            values: wrong.iter().map(|wrong| shares(wrong)).collect(),
        });
    }
    let auto = Auto {
        loss: Loss::Logistic,
        support: None,
    };
    let mut learner = auto.start(stream.bare.n_features())?;
    honest(&mut finding, "auto", &mistakes(&mut learner, &stream.bare)?);
    Ok(finding)
}

/// The mistakes of whoever follows, at each row, the one with the fewest mistakes before; the first of equals.
fn follow_the_leader(wrong: &[Vec<bool>]) -> Vec<bool> {
    let mut counts = vec![0_usize; wrong.len()];
    let n_rows = wrong.first().map_or(0, Vec::len);
    let mut followed = Vec::with_capacity(n_rows);
    for t in 0..n_rows {
        let leader = (0..counts.len()).min_by_key(|&at| counts[at]);
        followed.push(wrong[leader.expect("there are settings")][t]);
        for (count, wrong) in counts.iter_mut().zip(wrong) {
            *count += usize::from(wrong[t]);
        }
    }
    followed
}

/// The share of mistakes.
fn share(mistakes: &[bool]) -> f64 {
    mistakes.iter().filter(|&&wrong| wrong).count() as f64 / mistakes.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_leader_is_chosen_by_the_rows_before_only() {
        let wrong = [
            vec![true, true, false, false],
            vec![false, true, true, false],
            vec![true, false, true, true],
        ];
        // first the first; then the second, which made no mistake; then the second still, first of equals
        assert_eq!(follow_the_leader(&wrong), [true, true, true, false]);
        assert!((share(&wrong[0]) - 0.5).abs() < 1e-15);
    }
}
