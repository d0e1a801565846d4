//! `gapfit demo`: a walk through the other commands, on embedded data.

mod step;
mod table;
mod walk;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::hint::Hinted;
use crate::talk::Talk;
use walk::Walk;

/// Walks through the commands on embedded data, from the first look to predictions.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each command is printed as it would be typed, then run. The tables, the page, the model and the predictions stay in \
the folder, so that every line can be typed again, and changed.

Examples:
  gapfit demo
  gapfit demo classes --out tour
")]
pub(crate) struct Args {
    /// What is predicted on the way: numbers (the rings of snails) or classes (whether they are old).
    #[arg(value_enum, default_value_t, hide_possible_values = true)]
    walk: Walk,
    /// Folder for the files: a new one, or an empty one.
    #[arg(long, value_name = "DIR", default_value = "gapfit-demo")]
    out: PathBuf,
}

/// Runs the command.
pub(crate) fn run(args: &Args, talk: &Talk) -> Result<()> {
    make(&args.out)?;
    let (first, later) = table::write(args.walk, &args.out)?;
    step::say(&format!(
        "{} The rings of an abalone's shell tell, but someone has to count them.\n\
         Two tables of sizes and weights (UCI, 1994, embedded), in which three of ten cells were hidden\n\
         on purpose, by a rule that looks at the values:\n  \
         {first} rows to learn from: {}\n  \
         {later} rows that come later: {}",
        args.walk.question(),
        args.out.join(table::FIRST).display(),
        args.out.join(table::LATER).display(),
    ))?;
    for step in args.walk.steps(&args.out) {
        step.run(talk)?;
    }
    step::say(&format!(
        "Everything is in {}. Now your own table: gapfit compare TABLE.csv --target COLUMN",
        args.out.display()
    ))
}

/// Makes the folder, unless there is an empty one.
fn make(folder: &Path) -> Result<()> {
    let hint = "give another folder by --out, or remove this one";
    if fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some()) {
        let message = "expected a new or an empty folder, got one with files in it";
        return Err(Hinted::error(
            format!("{}: {message}", folder.display()),
            hint,
        ));
    }
    fs::create_dir_all(folder).with_context(|| Hinted {
        message: format!("{}: cannot be made", folder.display()),
        hint,
    })
}
