//! A fit with given parameters, from one pass over a table.

use anyhow::Result;

use super::out_of_core::Learnt;
use super::{Args, Clock};
use crate::input::{self, Opened};
use crate::support::FitSupport;
use crate::tables::Tables;
use crate::talk::Talk;

/// What came out of the fit; `None` where it needs the rows in memory, or more than one pass.
pub(super) fn run(
    args: &Args,
    tables: &Tables,
    clock: &mut Clock,
    talk: &Talk,
) -> Result<Option<Learnt>> {
    let is_plain = args.no_calibration
        && args.weight.is_none()
        && args.support == FitSupport::Auto
        && args.needs_rows().is_none();
    // standard input cannot be read again where one pass is not enough
    if !is_plain || tables.len() > 1 || tables.is_stdin() {
        return Ok(None);
    }
    let (choice, settings) = args.choice()?;
    let Some(plan) = args.given(choice, &settings, 1) else {
        return Ok(None);
    };
    let opened = Opened::new(tables, &args.columns)?;
    let roles = args.roles(&opened)?;
    if !roles.further_targets.is_empty() {
        return Ok(None);
    }
    let Some(sweep) = opened.swept(&roles, &plan.learner, talk)? else {
        return Ok(None);
    };
    let name = tables.name();
    let read = clock.lap();
    let fitted = plan.learner.fit_sweep(&sweep, plan.parameters()[0]);
    let fitted = fitted.map_err(|error| input::fault(&name, error))?;
    let about = (roles.target, (sweep.n_rows(), sweep.observed_fraction()));
    Ok(Some(Learnt::new(
        about,
        plan,
        fitted,
        (read, 0.0),
        clock,
        talk,
    )))
}
