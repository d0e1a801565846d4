//! The paper's semidefinite program through a general tool.

use super::Bench;
use super::result::{Contest, Entrant, Part};
use super::shape::{RATE, hand_over, table};
use super::stage::GIVEN;
use super::turn::{Entry, Taken};
use crate::peer::Timed;
use anyhow::{Context, Result, ensure};
use gapfit::prepare::{Intercept, Preparation, Scale};
use gapfit::{Base, Learner, Method};
use std::time::Instant;

/// Optima that are further apart than this, relatively, are not those of one problem.
const APART: f64 = 1e-4;

/// Solves the paper's problem in two ways.
pub(super) fn measure(bench: &mut Bench) -> Result<Part> {
    let (rows, width) = bench.size((40, 4), (25, 3));
    let data = table(rows, width, RATE)?;
    hand_over(&bench.peers, "program", &data, &data.select(&[]))?;
    let learner = Learner {
        preparation: Preparation {
            scale: Scale::None,
            clip: 0.0,
            intercept: Intercept::Penalised,
        },
        ..Learner::new(Method::Irr(Base::Zero))
    };
    let ours = || {
        let start = Instant::now();
        let fitted = learner.fit(&data, GIVEN)?;
        Ok(Timed {
            seconds: start.elapsed().as_secs_f64(),
            objective: Some(fitted.outcome.objective),
            ..Timed::default()
        })
    };
    let entries = vec![
        Entry::ours("gapfit, exact", ours),
        Entry::peer("cvxpy and Clarabel, the program", "program", "program"),
    ];
    let taken = bench.rounds.take(&mut bench.peers, entries)?;
    let optimum = |k: usize| taken[k].last().objective.context("an optimum");
    let apart = (optimum(1)? / optimum(0)? - 1.0).abs();
    ensure!(apart <= APART, "the optima are {apart} apart");
    let text = format!(
        "The paper's relaxation as it is printed, {rows} x {width}, 30 % of the cells missing, alpha 0.001, gamma 1, zero base, given to a general solver by a general tool, and the exact solver; making the \
         program is part of the work on one side, preparing the rows on the other. Both find the same optimum, to {apart:.0e}."
    );
    let mut part = Part::new("The paper's program", &text);
    let entrant = |taken: &Taken| Entrant {
        name: taken.name.clone(),
        value: taken.seconds(),
        further: vec![format!("{:.8}", taken.last().objective.unwrap_or(f64::NAN))],
    };
    part.races.push(Contest {
        title: format!("The paper's problem, {rows} x {width}"),
        unit: "seconds",
        columns: vec!["optimum".to_owned()],
        entrants: taken.iter().map(entrant).collect(),
    });
    Ok(part)
}
