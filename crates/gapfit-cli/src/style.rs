//! The words that lines on stderr begin with, in colour.
//!
//! Whether colour shows is decided where they are written, by `anstream`, as for the help: on a
//! terminal, unless `NO_COLOR` is set; elsewhere when `CLICOLOR_FORCE` is.

use clap::builder::styling::{AnsiColor, Style};

pub(crate) fn error() -> String {
    painted("error:", AnsiColor::Red.on_default())
}

pub(crate) fn warning() -> String {
    painted("warning:", AnsiColor::Yellow.on_default())
}

pub(crate) fn hint() -> String {
    painted("hint:", AnsiColor::Cyan.on_default())
}

fn painted(word: &str, style: Style) -> String {
    let style = style.bold();
    format!("{style}{word}{style:#}")
}
