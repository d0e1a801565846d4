//! The text of a file to flags and values, checked against the command line there is.

use std::ffi::OsString;
use std::ops::Range;

use clap::{Arg, ArgAction, Command};
use gapfit_io::closest;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::args::Usage;

/// A key of the file, as arguments.
#[derive(Debug)]
pub(super) struct Entry {
    /// The table it stands in; none for flags of every command.
    pub(super) command: Option<String>,
    pub(super) id: String,
    /// The flag as clap shows it.
    pub(super) flag: String,
    /// Where it stands: file, line and key.
    pub(super) at: String,
    pub(super) arguments: Vec<OsString>,
}

/// What stands in `text`, which messages call `file`.
pub(super) fn read(text: &str, file: &str, command: &Command) -> Result<Vec<Entry>, Usage> {
    let page = Page {
        text,
        file,
        command,
    };
    let table = DeTable::parse(text).map_err(|error| page.not_toml(&error))?;
    let mut entries = Vec::new();
    for (key, value) in table.get_ref() {
        let DeValue::Table(flags) = value.get_ref() else {
            entries.push(page.entry(None, command, key, value)?);
            continue;
        };
        let of_command = page.subcommand(key)?;
        for (key, value) in flags {
            entries.push(page.entry(Some(of_command.get_name()), of_command, key, value)?);
        }
    }
    Ok(entries)
}

struct Page<'a> {
    text: &'a str,
    file: &'a str,
    command: &'a Command,
}

impl Page<'_> {
    fn at(&self, span: Range<usize>) -> String {
        let lines = self.text[..span.start].matches('\n').count() + 1;
        format!("{}, line {lines}", self.file)
    }

    fn not_toml(&self, error: &toml::de::Error) -> Usage {
        let at = self.at(error.span().unwrap_or(0..0));
        Usage(format!("{at}: expected TOML ({})", error.message()))
    }

    fn subcommand(&self, key: &Spanned<DeString<'_>>) -> Result<&Command, Usage> {
        let name = key.get_ref().as_ref();
        let commands = || {
            self.command
                .get_subcommands()
                .filter(|c| c.get_name() != "help")
        };
        commands().find(|c| c.get_name() == name).ok_or_else(|| {
            let near = meant(name, commands().map(Command::get_name));
            let at = self.at(key.span());
            Usage(format!(
                "{at}: expected a table for a command of gapfit, got [{name}]{near}"
            ))
        })
    }

    fn entry(
        &self,
        table: Option<&str>,
        command: &Command,
        key: &Spanned<DeString<'_>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Entry, Usage> {
        let name = key.get_ref().as_ref();
        let at = format!("{}, {name}", self.at(key.span()));
        let Some(flag) = settable(command).find(|flag| flag.get_long() == Some(name)) else {
            let got = self.unknown(table, command, name);
            return Err(Usage(format!("{}: {got}", self.at(key.span()))));
        };
        let arguments = arguments(flag, name, value.get_ref()).map_err(|expected| {
            let got = &self.text[value.span()];
            Usage(format!("{at}: expected {expected}, got {got}"))
        })?;
        Ok(Entry {
            command: table.map(str::to_owned),
            id: flag.get_id().to_string(),
            flag: flag.to_string(),
            at,
            arguments,
        })
    }

    /// What is said of a key that is no flag where it stands.
    fn unknown(&self, table: Option<&str>, command: &Command, name: &str) -> String {
        let whose = match table {
            Some(table) => format!("gapfit {table}"),
            None => "every command".to_owned(),
        };
        let expected = format!("expected a flag of {whose}, got {name:?}");
        if command.get_positionals().any(|arg| arg.get_id() == name) {
            return format!("{expected}, an argument that is given on the command line");
        }
        let has = |c: &&Command| settable(c).any(|flag| flag.get_long() == Some(name));
        let others = self.command.get_subcommands().filter(has);
        let others: Vec<String> = others.map(|c| format!("[{}]", c.get_name())).collect();
        match &others[..] {
            [] => expected + &meant(name, settable(command).filter_map(Arg::get_long)),
            _ => format!("{expected}, which belongs under {}", others.join(" or ")),
        }
    }
}

/// The flags that a file may set: all but those that are about the run itself.
pub(super) fn settable(command: &Command) -> impl Iterator<Item = &Arg> {
    let is_about_run = |flag: &Arg| ["help", "version", "config"].contains(&flag.get_id().as_str());
    let flags = command
        .get_arguments()
        .filter(|flag| flag.get_long().is_some());
    flags.filter(move |flag| !is_about_run(flag))
}

/// A question after the name that was probably meant.
fn meant<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> String {
    closest(name, names).map_or(String::new(), |near| format!("; did you mean {near:?}?"))
}

/// The arguments that stand for `value`, or what was expected instead.
fn arguments(flag: &Arg, name: &str, value: &DeValue<'_>) -> Result<Vec<OsString>, &'static str> {
    let is_switch = !flag.get_action().takes_values();
    let may_stand_alone = flag
        .get_num_args()
        .is_some_and(|range| range.min_values() == 0);
    let takes_many = matches!(flag.get_action(), ArgAction::Append);
    let with = |text: String| OsString::from(format!("--{name}={text}"));
    match value {
        DeValue::Boolean(false) if may_stand_alone => Ok(Vec::new()),
        DeValue::Boolean(true) if may_stand_alone => Ok(vec![format!("--{name}").into()]),
        _ if is_switch => Err("true or false"),
        DeValue::Array(items) if takes_many => {
            let delimiter = flag.get_value_delimiter();
            let items = items.iter().map(|item| element(item.get_ref(), delimiter));
            let items = items
                .collect::<Option<Vec<_>>>()
                .filter(|items| !items.is_empty());
            let expected = "a list of texts or numbers, none of them with a comma in it";
            Ok(items.ok_or(expected)?.into_iter().map(with).collect())
        }
        _ => match scalar(value) {
            Some(text) => Ok(vec![with(text)]),
            None if takes_many => Err("a text, a number, or a list of them"),
            None => Err("a text or a number"),
        },
    }
}

/// An element of a list, unless clap would take it for several.
fn element(value: &DeValue<'_>, delimiter: Option<char>) -> Option<String> {
    let text = scalar(value)?;
    (!delimiter.is_some_and(|delimiter| text.contains(delimiter))).then_some(text)
}

fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.clone().into_owned()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Float(number) => Some(number.to_string()),
        _ => None,
    }
}
