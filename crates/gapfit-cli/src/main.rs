//! The gapfit command: parses its arguments, runs one command, says how it ended.
//!
//! Exit code 0: done; 1: failed; 2: used wrongly. stdout carries data or JSON, stderr the talk.

mod any_model;
mod args;
mod caution;
mod choice;
mod cmd;
mod csv_cell;
mod folding;
mod growing;
mod hint;
mod input;
mod interrupt;
mod matching;
mod output;
mod talk;
mod text_table;
mod tuning;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use anyhow::Context;
use args::{Args, Command, Usage};
use clap::Parser;
use talk::Talk;

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        // whoever read our output has seen enough
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // nothing is left to be done when stderr is closed as well
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            if let Some(hint) = hint::hint(&error) {
                let _ = writeln!(std::io::stderr(), "hint: {hint}");
            }
            ExitCode::from(if error.is::<Usage>() { 2 } else { 1 })
        }
    }
}

fn run(args: Args) -> anyhow::Result<()> {
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .context("threads could not be started")?;
    }
    let talk = Talk::new(args.quiet);
    match args.command {
        Command::Compare(args) => cmd::compare::run(&args, &talk),
        Command::Fit(args) => cmd::fit::run(&args, &talk),
        Command::Predict(args) => cmd::predict::run(&args, &talk),
        Command::Evaluate(args) => cmd::evaluate::run(&args, &talk),
        Command::Impute(args) => cmd::impute::run(&args, &talk),
        Command::Inspect(args) => cmd::inspect::run(&args),
        Command::Profile(args) => cmd::profile::run(&args, &talk),
        Command::Bounds(args) => cmd::bounds::run(&args, &talk),
        Command::Corrupt(args) => cmd::corrupt::run(&args, &talk),
        Command::Stream(args) => cmd::stream::run(&args, &talk),
        Command::Datasets(args) => cmd::datasets::run(&args),
        Command::Reproduce(args) => cmd::reproduce::run(&args, &talk),
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>();
        io.is_some_and(|io| io.kind() == ErrorKind::BrokenPipe)
    })
}
