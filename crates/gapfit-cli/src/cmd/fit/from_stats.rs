//! A fit to statistics instead of rows.

use std::path::Path;

use anyhow::{Context, Result};
use gapfit::Statistics;
use gapfit_io::Source;

use super::{Args, Clock};
use crate::args::Usage;
use crate::hint::Hinted;
use crate::output::Output;
use crate::talk::Talk;

/// Runs the command: there are no rows to hold out, so neither scores nor intervals.
pub(super) fn run(args: &Args, talk: &Talk) -> Result<()> {
    let mut clock = Clock::start();
    args.choice()?;
    let search = args.search()?;
    let output = Output::new(&args.output)?;
    output.check_beside_json(args.json)?;
    let files: Vec<&Path> = args.from_stats.iter().map(AsRef::as_ref).collect();
    output.check_keeps(&files)?;
    let Some((first, others)) = files.split_first() else {
        return Err(Usage("--from-stats: expected statistics, got none".to_owned()).into());
    };
    let mut statistics = load(first, &args.target)?;
    for file in others {
        let part = load(file, &args.target)?;
        let merged = statistics.merge(part);
        merged.with_context(|| Source::from(*file).name())?;
    }
    let name = match others.len() {
        0 => first.display().to_string(),
        more => format!("{} and {more} more", first.display()),
    };
    let learnt = args.learn((&statistics).into(), &name, &search, &mut clock, talk)?;
    learnt.tell(args, &output, talk)
}

/// The statistics in a file, which must be for this target.
fn load(file: &Path, target: &str) -> Result<Statistics> {
    let source = Source::from(file);
    let statistics = Statistics::from_bytes(&source.read_all()?);
    let statistics = statistics.with_context(|| Hinted {
        message: source.name(),
        hint: "gapfit stats makes statistics of tables",
    })?;
    if statistics.target_name() == target {
        return Ok(statistics);
    }
    let message = format!(
        "{}: expected statistics for the target {target:?}, got those for {:?}",
        source.name(),
        statistics.target_name()
    );
    let hint = "give that target, or make statistics anew";
    Err(Hinted::error(message, hint))
}
