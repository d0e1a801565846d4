//! Benchmarks of gapfit: how exact (`gap`), how fast (`speed`, `online`, `stream`, `hindsight`), how good (`paper`, `auto`,
//! `bayes`, `classify`, `digits`), how hard a stream can be (`adversary`), and how the paper's own solvers compare (`sdp`, behind
//! the feature of that name).
//!
//! Each command prints Markdown tables, or JSON, to stdout; progress goes to stderr.

mod adversary;
mod auto;
mod bayes;
mod classify;
mod constant;
mod digits;
mod file;
mod gap;
mod hindsight;
mod online;
mod paper;
mod peer;
mod report;
mod sample;
mod score;
#[cfg(feature = "sdp")]
mod sdp;
mod speed;
mod stream;
mod synthetic;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Benchmarks of gapfit.
#[derive(Debug, Parser)]
#[command(name = "bench/run", arg_required_else_help = true)]
struct Args {
    /// Prints JSON instead of Markdown.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Gap(gap::Args),
    Speed(speed::Args),
    Paper(paper::Args),
    Auto(auto::Args),
    Bayes(bayes::Args),
    Classify(classify::Args),
    Digits(digits::Args),
    Online(online::Args),
    Stream(stream::Args),
    Adversary(adversary::Args),
    Hindsight(hindsight::Args),
    #[cfg(feature = "sdp")]
    Sdp(sdp::Args),
}

fn main() -> Result<()> {
    let args = Args::parse();
    match args.command {
        Command::Gap(of) => report::print(&gap::run(&of)?, args.json),
        Command::Speed(of) => report::print(&speed::run(&of)?, args.json),
        Command::Paper(of) => report::print(&paper::run(&of)?, args.json),
        Command::Auto(of) => report::print(&auto::run(&of)?, args.json),
        Command::Bayes(of) => report::print(&bayes::run(&of)?, args.json),
        Command::Classify(of) => report::print(&classify::run(&of)?, args.json),
        Command::Digits(of) => report::print(&digits::run(&of)?, args.json),
        Command::Online(of) => report::print(&online::run(&of)?, args.json),
        Command::Stream(of) => report::print(&stream::run(&of)?, args.json),
        Command::Adversary(of) => report::print(&adversary::run(&of)?, args.json),
        Command::Hindsight(of) => report::print(&hindsight::run(&of)?, args.json),
        #[cfg(feature = "sdp")]
        Command::Sdp(of) => report::print(&sdp::run(&of)?, args.json),
    }
}
