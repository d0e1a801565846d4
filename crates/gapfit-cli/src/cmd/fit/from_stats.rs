//! A fit to statistics instead of rows.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use gapfit::Statistics;
use gapfit_io::Source;

use super::Args;
use super::report::{Report, Seconds};
use crate::args::Usage;
use crate::caution;
use crate::hint::Hinted;
use crate::input;
use crate::output::Output;
use crate::talk::Talk;

/// Runs the command: there are no rows to hold out, so neither scores nor intervals.
pub(super) fn run(args: &Args, talk: &Talk) -> Result<()> {
    let start = Instant::now();
    let (choice, settings) = args.choice()?;
    let search = args.search()?;
    let output = Output::new(&args.output)?;
    output.check_beside_json(args.json)?;
    let files: Vec<&Path> = args.from_stats.iter().map(AsRef::as_ref).collect();
    output.check_keeps(&files)?;
    let statistics = merged(&files, &args.target)?;
    let name = match &files[..] {
        [file] => file.display().to_string(),
        [first, others @ ..] => format!("{} and {} more", first.display(), others.len()),
        [] => return Err(Usage("--from-stats: expected statistics, got none".to_owned()).into()),
    };
    let settings = gapfit::Learner {
        support: args.support.choice(statistics.names())?,
        ..settings
    };
    let fault = |error| input::fault(&name, error);
    let read = start.elapsed().as_secs_f64();
    let plan = args.plan(choice, &settings, &statistics, &search, talk);
    let plan = plan.map_err(fault)?;
    let tuned = start.elapsed().as_secs_f64();
    let fitted = plan
        .learner
        .fit(&statistics, plan.parameters)
        .map_err(fault)?;
    let gap = caution::gap(&fitted.outcome, plan.learner.tol);
    for warning in fitted.warnings.iter().chain(&gap) {
        talk.warn(warning);
    }
    output.write(|out| Ok(out.write_all(&fitted.model.to_bytes())?))?;
    let total = start.elapsed().as_secs_f64();
    let seconds = Seconds {
        read,
        tune: tuned - read,
        fit: total - tuned,
        calibrate: 0.0,
        total,
    };
    let table = (statistics.n_rows(), statistics.observed_fraction());
    let report = Report::new(&plan.learner, table, &fitted, (None, plan.bases), seconds);
    if args.json {
        return Output::stdout().write_json(&report);
    }
    talk.note(report.sentence());
    Ok(())
}

/// The statistics in all these files, added up.
fn merged(files: &[&Path], target: &str) -> Result<Statistics> {
    let mut all: Option<Statistics> = None;
    for file in files {
        let source = Source::from(*file);
        let part = Statistics::from_bytes(&source.read_all()?);
        let part = part.with_context(|| Hinted {
            message: source.name(),
            hint: "gapfit stats makes statistics of tables",
        })?;
        if part.target_name() != target {
            let message = format!(
                "{}: expected statistics for the target {target:?}, got those for {:?}",
                source.name(),
                part.target_name()
            );
            return Err(Hinted::error(
                message,
                "give that target, or make statistics anew",
            ));
        }
        match &mut all {
            None => all = Some(part),
            Some(all) => all.merge(part).with_context(|| source.name())?,
        }
    }
    all.context("--from-stats: expected at least one file")
}
