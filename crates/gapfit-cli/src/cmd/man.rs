//! `gapfit man`: the help as manual pages.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::builder::Resettable;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use gapfit_io::closest;

use crate::args::{self, Usage};
use crate::hint::Hinted;
use crate::output::Output;
use crate::talk::Talk;

/// How the examples of a help text begin.
const EXAMPLES: &str = "Examples:\n";

/// Prints the manual page of a command, or writes all of them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gapfit man fit | man -l -
  gapfit man --output ~/.local/share/man/man1
")]
pub(crate) struct Args {
    /// The command [default: gapfit itself].
    #[arg(conflicts_with = "output")]
    command: Option<String>,
    /// Folder that all pages go to, a file each; it is made if there is none.
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(args: &Args, talk: &Talk) -> Result<()> {
    let mut root = args::Args::command().disable_help_subcommand(true);
    root.build();
    if let Some(folder) = &args.output {
        let count = write_all(&root, folder)?;
        talk.note(format_args!("{count} pages in {}", folder.display()));
        return Ok(());
    }
    let command = match &args.command {
        None => &root,
        Some(name) => find(&root, name)?,
    };
    let page = page(command)?;
    Output::stdout().write(|out| Ok(out.write_all(&page)?))
}

fn find<'a>(root: &'a Command, name: &str) -> Result<&'a Command, Usage> {
    root.find_subcommand(name).ok_or_else(|| {
        let names = root.get_subcommands().map(Command::get_name);
        let near = closest(name, names).map_or(String::new(), |n| format!("; did you mean {n:?}?"));
        Usage(format!(
            "COMMAND: expected a command of gapfit, got {name:?}{near}"
        ))
    })
}

fn write_all(root: &Command, folder: &Path) -> Result<usize> {
    fs::create_dir_all(folder).with_context(|| Hinted {
        message: format!("{}: cannot be made", folder.display()),
        hint: "give another folder by --output",
    })?;
    let mut count = 0;
    for command in std::iter::once(root).chain(root.get_subcommands()) {
        let page = page(command)?;
        let file = folder.join(Man::new(command.clone()).get_filename());
        Output::new(&file)?.write(|out| Ok(out.write_all(&page)?))?;
        count += 1;
    }
    Ok(count)
}

/// The page: what clap knows, then the notes and examples of the help, the latter line by line.
fn page(command: &Command) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command.clone().after_help(Resettable::Reset)).render(&mut page)?;
    let after = command.get_after_help().map(ToString::to_string);
    let after = after.unwrap_or_default();
    let parts = after.split("\n\n").map(str::trim_end);
    let (examples, notes): (Vec<_>, Vec<_>) = parts
        .filter(|part| !part.is_empty())
        .partition(|part| part.starts_with(EXAMPLES));
    let mut rest = Roff::new();
    if !notes.is_empty() {
        rest.control("SH", ["NOTES"]);
    }
    for note in notes {
        rest.text([roman(note)]).control("PP", []);
    }
    for lines in examples {
        rest.control("SH", ["EXAMPLES"]).control("nf", []);
        rest.text([roman(&lines[EXAMPLES.len()..])]);
        rest.control("fi", []);
    }
    rest.to_writer(&mut page)?;
    Ok(page)
}
