//! `--support`: which weights the presence of a column may change.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result};
use gapfit::support::{Support, SupportChoice, SupportRule};

use crate::args::Usage;

/// How a support is found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SupportFlag {
    Rule(SupportRule),
    Edges(PathBuf),
}

impl FromStr for SupportFlag {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(file) = text.strip_prefix("edges=") {
            return Ok(Self::Edges(file.into()));
        }
        let rule = text.parse().map(Self::Rule);
        rule.map_err(|_| {
            "expected full, constant, top=M, corr=R, grid=HxW or edges=FILE".to_owned()
        })
    }
}

/// The graph in a file, over columns of these names.
pub(crate) fn edges(file: &Path, names: &[String]) -> Result<Support> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let graph = Support::edges(&text, names);
    graph.map_err(|error| Usage(format!("--support: {error}")).into())
}

/// How the support of a fit is found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum FitSupport {
    #[default]
    Auto,
    Given(SupportFlag),
}

impl FromStr for FitSupport {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            _ => match text.parse() {
                Ok(flag) => Ok(Self::Given(flag)),
                Err(expected) => Err(expected.replace("expected ", "expected auto, ")),
            },
        }
    }
}

impl FitSupport {
    /// The choice for a table of features of these names.
    pub(crate) fn choice(&self, names: &[String]) -> Result<SupportChoice> {
        Ok(match self {
            Self::Auto => SupportChoice::Auto,
            Self::Given(SupportFlag::Rule(rule)) => SupportChoice::Rule(*rule),
            Self::Given(SupportFlag::Edges(file)) => SupportChoice::Edges(edges(file, names)?),
        })
    }
}
