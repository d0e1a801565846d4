//! The support of a fit: chosen, given by a rule, or given as a graph.

use super::correlation::Pairs;
use super::{Support, SupportRule};
use crate::data::MaskedMatrix;
use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// Which weights of a fit may shift when a feature is missing; the others do not move.
///
/// The constant may always shift, and so may, unless it is [to do so alone](SupportRule::Constant), the weight of what a
/// base fills in for the feature itself.
///
/// ```
/// use gapfit::support::{SupportChoice, SupportRule};
/// assert_eq!("auto".parse::<SupportChoice>()?, SupportChoice::default());
/// let top = SupportChoice::Rule(SupportRule::Top(20));
/// assert_eq!(top.to_string(), "top=20");
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub enum SupportChoice {
    /// All of them where a full lift has at most 40 000 unknowns, about 200 columns with holes;
    /// otherwise those of the 20 features that say most.
    #[default]
    Auto,
    /// By a rule, from the training rows alone.
    Rule(SupportRule),
    /// Those of the neighbours in a graph.
    Edges(Support),
}

/// Unknowns up to which a full lift is taken unless something else is asked for.
const FULL: usize = 40_000;
/// Features for each column with holes beyond that.
const TOP: usize = 20;

impl SupportChoice {
    /// What becomes of it for a table whose full lift has so many unknowns.
    pub(crate) fn decided(&self, n_unknowns: usize) -> Decided<'_> {
        match self {
            Self::Auto if n_unknowns <= FULL => Decided::Rule(SupportRule::Full),
            Self::Auto => Decided::Rule(SupportRule::Top(TOP)),
            Self::Rule(rule) => Decided::Rule(*rule),
            Self::Edges(graph) => Decided::Edges(graph),
        }
    }

    /// Whether it takes rows to find it.
    pub(crate) fn needs_rows(&self) -> bool {
        let is_of_sums = matches!(
            self,
            Self::Auto | Self::Rule(SupportRule::Full | SupportRule::Constant)
        );
        !is_of_sums
    }

    /// Refuses a threshold out of range.
    pub(crate) fn validate(&self) -> Result<()> {
        match self {
            Self::Rule(rule) => rule.validate(),
            Self::Auto | Self::Edges(_) => Ok(()),
        }
    }

    /// Refuses a graph over another number of features.
    pub(crate) fn check(&self, n_features: usize) -> Result<()> {
        match self {
            Self::Auto => Ok(()),
            Self::Rule(rule) => rule.check(n_features),
            Self::Edges(graph) => graph.check(n_features),
        }
    }
}

/// A support of which only the lists are still to be made.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Decided<'a> {
    Rule(SupportRule),
    Edges(&'a Support),
}

impl Decided<'_> {
    pub(crate) fn kind(self) -> SupportKind {
        match self {
            Self::Rule(rule) => SupportKind::Rule(rule),
            Self::Edges(_) => SupportKind::Edges,
        }
    }

    /// For each feature the others that may shift when it is missing, ascending; `None` is all of them.
    /// The rule is one for as many features as the sample has; `roots` are those of its weights.
    pub(crate) fn lists(self, sample: &MaskedMatrix, roots: &[f64]) -> Option<Vec<Vec<u32>>> {
        let graph;
        let support = match self {
            Self::Rule(SupportRule::Full) => return None,
            Self::Rule(SupportRule::Top(m)) => return Some(Pairs::of(sample, roots).top(m)),
            Self::Rule(SupportRule::Correlation(threshold)) => {
                graph = Support::of_correlated(&Pairs::of(sample, roots), threshold);
                &graph
            }
            Self::Rule(SupportRule::Grid(height, width)) => {
                graph = Support::grid(height, width);
                &graph
            }
            Self::Rule(SupportRule::Constant) => {
                graph = Support::none(sample.n_cols());
                &graph
            }
            Self::Edges(graph) => graph,
        };
        let others = |(k, list): (usize, &Vec<u32>)| {
            let others = list.iter().copied();
            others.filter(|&j| j as usize != k).collect()
        };
        Some(support.lists()?.iter().enumerate().map(others).collect())
    }

    /// Whether nothing but the constant shifts.
    pub(crate) fn is_constant(self) -> bool {
        matches!(self, Self::Rule(SupportRule::Constant))
    }

    /// Whether it looks at values.
    pub(crate) fn needs_sample(self) -> bool {
        match self {
            Self::Rule(rule) => rule.needs_sample(),
            Self::Edges(_) => false,
        }
    }
}

/// The kind of support that a model was fitted with.
///
/// ```
/// use gapfit::support::{SupportKind, SupportRule};
/// assert_eq!("top=20".parse::<SupportKind>()?, SupportKind::Rule(SupportRule::Top(20)));
/// assert_eq!(SupportKind::Edges.to_string(), "edges");
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SupportKind {
    /// By a rule, from the training rows.
    Rule(SupportRule),
    /// A graph that was given.
    Edges,
}

impl Default for SupportKind {
    fn default() -> Self {
        Self::Rule(SupportRule::Full)
    }
}

impl fmt::Display for SupportKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(rule) => rule.fmt(f),
            Self::Edges => f.pad("edges"),
        }
    }
}

impl FromStr for SupportKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "edges" => Ok(Self::Edges),
            _ => name.parse().map(Self::Rule),
        }
    }
}

impl fmt::Display for SupportChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.pad("auto"),
            Self::Rule(rule) => rule.fmt(f),
            Self::Edges(_) => f.pad("edges"),
        }
    }
}

impl FromStr for SupportChoice {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        if name == "auto" {
            return Ok(Self::Auto);
        }
        name.parse().map(Self::Rule).map_err(|error| match error {
            Error::Setting {
                expected: _, got, ..
            } if got == name => Error::Setting {
                name: "support",
                expected: "auto, full, constant, top=M, corr=R or grid=HxW",
                got,
            },
            error => error,
        })
    }
}
