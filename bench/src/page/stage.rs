//! Where the time of a fit goes.
//!
//! The library says when a stage ends and does not look at the clock; it is looked at here.

use super::turn::Rounds;
use crate::files::{read, timed, write_parquet};
use crate::sample::median;
use anyhow::Result;
use gapfit::data::Dataset;
use gapfit::{Base, Fitted, Learner, Method, NormalForm, Parameters, Stage};
use std::cell::RefCell;
use std::time::Instant;

/// What everything is fitted with; the peers have the same alpha.
pub(super) const GIVEN: Parameters = Parameters {
    alpha: 1e-3,
    gamma: 1.0,
};

/// Parts of the way from a file to a model.
pub(super) const PARTS: [&str; 6] = [
    "parse",
    "group by mask",
    "sums (Gram)",
    "base (EM)",
    "normal equations",
    "solve",
];

/// Imputed ridge regression with default settings.
pub(super) fn learner(base: Base) -> Learner {
    Learner::new(Method::Irr(base))
}

/// The fit, and the seconds of its stages: grouping on its own, reading with grouping, base, normal equations,
/// solving.
pub(super) fn fit(
    learner: &Learner,
    data: &Dataset,
    form: NormalForm,
) -> Result<(Fitted, [f64; 5])> {
    let ends = RefCell::new(vec![Instant::now()]);
    let ended = |_: Stage| ends.borrow_mut().push(Instant::now());
    let fitted = learner.fit_in_stages(data, GIVEN, form, &ended)?;
    let ends = ends.into_inner();
    let mut seconds = [0.0; 5];
    for (seconds, pair) in seconds.iter_mut().zip(ends.windows(2)) {
        *seconds = (pair[1] - pair[0]).as_secs_f64();
    }
    Ok((fitted, seconds))
}

/// The seconds of a fit alone: grouping on its own is only there to be timed.
pub(super) fn total(stages: [f64; 5]) -> f64 {
    stages[1..].iter().sum()
}

/// Median seconds of [`PARTS`] on one thread; the table is read from a Parquet file.
pub(super) fn split(rounds: Rounds, base: Base, data: &Dataset) -> Result<[f64; 6]> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let folder = tempfile::Builder::new().prefix("gapfit-bench-").tempdir()?;
    let file = folder.path().join("t.parquet");
    write_parquet(&file, std::iter::once(Ok(data.clone())))?;
    let learner = learner(base);
    let mut parts: [Vec<f64>; 6] = Default::default();
    for _ in 0..rounds.count() {
        let parse = pool.install(|| timed(|| read(&file)))?;
        let (_, [group, read, base, equations, solve]) =
            pool.install(|| fit(&learner, data, NormalForm::Cheaper))?;
        let all = [
            parse,
            group,
            (read - group).max(0.0),
            base,
            equations,
            solve,
        ];
        let both = parts.iter_mut().zip(all);
        both.for_each(|(part, seconds)| part.push(seconds));
    }
    Ok(parts.map(|mut part| {
        part.sort_by(f64::total_cmp);
        median(&part)
    }))
}
