//! Benchmarks of gapfit: how exact (`gap`), how fast (`speed`, `online`, `stream`, `files`, `gaussian`, `hindsight`, `wide`, `targets`), and how the paper's own
//! solvers compare (`sdp`, behind the feature of that name). How good the methods are is what `gapfit reproduce` shows,
//! but for classes (`classify`). `page` puts what speed is about on one page.
//!
//! Each command prints Markdown tables, or JSON, to stdout; progress goes to stderr.

mod classify;
mod constant;
mod files;
mod gap;
mod gaussian;
mod hindsight;
mod online;
mod page;
mod peer;
mod report;
mod sample;
#[cfg(feature = "sdp")]
mod sdp;
mod speed;
mod stream;
mod synthetic;
mod targets;
mod wide;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// That of the command `gapfit`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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
    Gaussian(gaussian::Args),
    Speed(speed::Args),
    Classify(classify::Args),
    Online(online::Args),
    Page(page::Args),
    Stream(stream::Args),
    Files(files::Args),
    Hindsight(hindsight::Args),
    Wide(wide::Args),
    Targets(targets::Args),
    #[cfg(feature = "sdp")]
    Sdp(sdp::Args),
}

fn main() -> Result<()> {
    gapfit_io::keep_memory();
    let args = Args::parse();
    match args.command {
        Command::Gap(of) => report::print(&gap::run(&of)?, args.json),
        Command::Gaussian(of) => report::print(&gaussian::run(&of)?, args.json),
        Command::Speed(of) => report::print(&speed::run(&of)?, args.json),
        Command::Classify(of) => report::print(&classify::run(&of)?, args.json),
        Command::Online(of) => report::print(&online::run(&of)?, args.json),
        Command::Page(of) => report::print(&page::run(&of)?, args.json),
        Command::Stream(of) => report::print(&stream::run(&of)?, args.json),
        Command::Files(of) => report::print(&files::run(&of)?, args.json),
        Command::Hindsight(of) => report::print(&hindsight::run(&of)?, args.json),
        Command::Wide(of) => report::print(&wide::run(&of)?, args.json),
        Command::Targets(of) => report::print(&targets::run(&of)?, args.json),
        #[cfg(feature = "sdp")]
        Command::Sdp(of) => report::print(&sdp::run(&of)?, args.json),
    }
}
