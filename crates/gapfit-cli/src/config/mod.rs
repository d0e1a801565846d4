//! `--config FILE.toml`: flags from a file, as if they stood on the command line.
//!
//! No flag is known by name here. What there is to set, and how, is asked of clap's own description of
//! the command line, so that a new flag can be set from a file as soon as it exists.

mod entry;
mod fault;

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory, Parser};
use gapfit_io::Source;

use crate::args::{Args, Usage};
use entry::Entry;
pub(crate) use fault::FromFile;

/// The arguments of a run: what was typed and, before it, what a file says.
pub(crate) fn parse(typed: impl IntoIterator<Item = OsString>) -> Result<Args> {
    let typed: Vec<OsString> = typed.into_iter().collect();
    let mut command = Args::command();
    command.build();
    let Some(asked) = Asked::of(&command, &typed) else {
        return Ok(Args::try_parse_from(typed)?);
    };
    let entries = entry::read(&text(&asked.file)?, &asked.name(), &command)?;
    let entries = asked.relevant(entries, &command);
    let line = asked.line(&typed, &entries);
    Args::try_parse_from(line).map_err(|error| fault::place(error, &entries, &asked.name()))
}

/// What was typed, as far as a file matters to it.
struct Asked {
    file: PathBuf,
    command: String,
    /// Names of the arguments that were typed.
    given: HashSet<String>,
    /// Where the flags of the command begin among what was typed.
    flags_from: usize,
}

impl Asked {
    /// `None` where there is no file to read or no command to read it for.
    fn of(command: &Command, typed: &[OsString]) -> Option<Self> {
        // What is wrong with the line is said later, by the parse that counts.
        let lenient = command.clone().ignore_errors(true);
        let matches = lenient.try_get_matches_from(typed).ok()?;
        let (name, of_command) = matches.subcommand()?;
        Some(Self {
            file: matches.get_one::<PathBuf>("config")?.clone(),
            command: name.to_owned(),
            given: typed_ids(command.find_subcommand(name)?, of_command, typed),
            flags_from: 1 + typed.len() - from_command(command, typed)?,
        })
    }

    fn name(&self) -> String {
        self.file.display().to_string()
    }

    /// The entries that hold for the command; what was typed has the last word.
    fn relevant(&self, entries: Vec<Entry>, command: &Command) -> Vec<Entry> {
        let Some(command) = command.find_subcommand(&self.command) else {
            return Vec::new();
        };
        let beaten: HashSet<&str> = conflicting(command, &self.given).collect();
        let own = |entry: &&Entry| entry.command.as_deref() == Some(&self.command);
        let own: HashSet<String> = entries.iter().filter(own).map(|e| e.id.clone()).collect();
        let holds = |entry: &Entry| match &entry.command {
            Some(command) => *command == self.command,
            // the table of the command says more than that of all commands
            None => !own.contains(&entry.id),
        };
        let is_open = |id: &str| !self.given.contains(id) && !beaten.contains(id);
        let entries = entries.into_iter();
        entries.filter(|e| holds(e) && is_open(&e.id)).collect()
    }

    /// What was typed, with the entries right behind the name of the command.
    fn line(&self, typed: &[OsString], entries: &[Entry]) -> Vec<OsString> {
        let (front, back) = typed.split_at(self.flags_from);
        let entries = entries.iter().flat_map(|entry| &entry.arguments);
        front.iter().chain(entries).chain(back).cloned().collect()
    }
}

fn text(file: &Path) -> Result<String> {
    let bytes = Source::File(file.to_owned()).read_all()?;
    let not_utf8 = |_| Usage(format!("{}: expected text in UTF-8", file.display()));
    Ok(String::from_utf8(bytes).map_err(not_utf8)?)
}

/// What was typed of a command: what was understood, and flags whose value was not.
fn typed_ids(command: &Command, matches: &ArgMatches, typed: &[OsString]) -> HashSet<String> {
    let understood = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let is_word = |long: &str| {
        let flag = format!("--{long}");
        let begins = |word: &str| word == flag || word.starts_with(&format!("{flag}="));
        typed.iter().any(|word| word.to_str().is_some_and(begins))
    };
    let is_typed =
        |arg: &&Arg| understood(arg.get_id().as_str()) || arg.get_long().is_some_and(is_word);
    let args = command.get_arguments().filter(is_typed);
    args.map(|arg| arg.get_id().to_string()).collect()
}

/// The number of arguments from the name of the command on.
fn from_command(command: &Command, typed: &[OsString]) -> Option<usize> {
    let rest = Arg::new("rest")
        .num_args(0..)
        .trailing_var_arg(true)
        .allow_hyphen_values(true);
    let front = Command::new("front").disable_help_flag(true);
    let front = front.args(command.get_arguments().filter(|arg| arg.is_global_set()));
    let matches = front.arg(rest).ignore_errors(true);
    let matches = matches.try_get_matches_from(typed).ok()?;
    Some(matches.get_raw("rest")?.count())
}

/// The arguments that cannot stand beside those given; a conflict may be declared on either side.
fn conflicting<'a>(command: &'a Command, given: &HashSet<String>) -> impl Iterator<Item = &'a str> {
    let pairs = command.get_arguments().flat_map(|arg| {
        let others = command.get_arg_conflicts_with(arg).into_iter();
        others.map(|other| (arg.get_id().as_str(), other.get_id().as_str()))
    });
    pairs.filter_map(
        |(one, other)| match (given.contains(one), given.contains(other)) {
            (true, false) => Some(other),
            (false, true) => Some(one),
            _ => None,
        },
    )
}

#[cfg(test)]
mod tests;
