//! `gapfit completions`: scripts by which shells complete the command line.

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::args;
use crate::output::Output;

/// Prints a script by which a shell completes commands, flags and values.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Where shells look for such scripts differs; the examples are the usual places. For zsh the folder must be in \
fpath, for PowerShell and elvish put the script into the profile.

Examples:
  gapfit completions bash > ~/.local/share/bash-completion/completions/gapfit
  gapfit completions zsh > ~/.zfunc/_gapfit
  gapfit completions fish > ~/.config/fish/completions/gapfit.fish
")]
pub(crate) struct Args {
    /// The shell.
    shell: Shell,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<()> {
    let mut command = args::Args::command();
    // into memory first, since the generator does not forgive a reader that goes away
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "gapfit", &mut script);
    Output::stdout().write(|out| Ok(out.write_all(&script)?))
}
