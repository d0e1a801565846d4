//! The gapfit command: parses its arguments, runs one command, says how it ended.
//!
//! Exit code 0: done; 1: failed; 2: used wrongly. stdout carries data or JSON, stderr the talk.

mod any_model;
mod args;
mod caution;
mod choice;
mod class_weight;
mod cmd;
mod config;
mod csv_cell;
mod folding;
mod glob;
mod growing;
mod hint;
mod input;
mod interrupt;
mod matching;
mod memory;
mod output;
mod reporting;
mod style;
mod support;
mod tables;
mod talk;
mod targets;
mod task;
mod text_table;
mod tuning;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};
use args::{Args, Usage};
use config::FromFile;
use hint::Hinted;
use talk::Talk;

/// The sums of thousands of masks are small pieces of memory that threads hand to each other.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    gapfit_io::keep_memory();
    match config::parse(std::env::args_os()).and_then(|args| run(&args)) {
        Ok(()) => ExitCode::SUCCESS,
        // whoever read our output has seen enough
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => ExitCode::from(report(&error)),
    }
}

fn run(args: &Args) -> Result<()> {
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .context(Hinted {
                message: "threads could not be started".to_owned(),
                hint: "ask for fewer by --threads",
            })?;
    }
    args.command.run(&Talk::new(args.quiet))
}

/// Says what went wrong and what can be done about it; returns the exit code.
fn report(error: &anyhow::Error) -> u8 {
    let mut stderr = anstream::stderr();
    // nothing is left to be done when stderr is closed as well
    let mut say = |word: String, text: &str| {
        let _ = writeln!(stderr, "{word} {text}");
    };
    if let Some(clap) = error.downcast_ref::<clap::Error>() {
        let _ = clap.print();
        if let Some(note) = error.downcast_ref::<FromFile>() {
            say(style::hint(), &note.to_string());
        }
        return u8::try_from(clap.exit_code()).unwrap_or(2);
    }
    say(style::error(), &format!("{error:#}"));
    if let Some(hint) = hint::hint(error) {
        say(style::hint(), hint);
    }
    if error.is::<Usage>() { 2 } else { 1 }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>();
        io.is_some_and(|io| io.kind() == ErrorKind::BrokenPipe)
    })
}
