//! Experiments as data: what is run and what the paper reports, one TOML file each in `experiments/`.

mod cell;
mod search;

pub use cell::{Drawn, Holes, Regret, Small, Synthetic};
pub use search::{Powers, Search};

use crate::{Error, Result};
use serde::Deserialize;

/// One experiment of the paper, or beyond it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Its name on the command line.
    pub name: String,
    /// Names of groups that it belongs to.
    #[serde(default)]
    pub groups: Vec<String>,
    /// What it shows, in a line.
    pub title: String,
    /// Where the paper has it.
    pub place: String,
    /// What a reader must know to judge the figures.
    #[serde(default)]
    pub note: String,
    /// Whether it tries other readings of the paper, of which nothing is promised.
    #[serde(default)]
    pub is_tried: bool,
    /// What the figures are.
    pub metric: Metric,
    /// Axes, where it is drawn.
    pub chart: Option<Axes>,
    /// What is run.
    pub work: Work,
}

/// What a figure measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Sizes and the share of cells that are left; neither large nor small is good.
    Fraction,
    /// Root mean squared error.
    Rmse,
    /// Share of mistakes.
    Mistakes,
    /// Share of the target's variance that is explained.
    Explained,
    /// Several quantities that theory relates.
    Theory,
}

/// The axes of a chart.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axes {
    /// The horizontal one.
    pub x: String,
    /// The vertical one.
    pub y: String,
    /// Whether the horizontal one is logarithmic.
    #[serde(default)]
    pub is_log: bool,
    /// The method whose figure is the place on the horizontal axis, if that is measured as well.
    pub measured_by: Option<String>,
}

/// What an experiment runs.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Work {
    /// Counts rows, features, and cells that are left.
    Fractions {
        /// Tables.
        cells: Vec<Drawn>,
    },
    /// Fits on training rows, judged on test rows.
    Batch {
        /// Tables and holes.
        cells: Vec<Drawn>,
        /// Where parameters are looked for.
        #[serde(default)]
        search: Search,
    },
    /// Learns row by row.
    Online {
        /// Tables and holes.
        cells: Vec<Drawn>,
        /// Numbers of rows at which the mistakes so far are counted; none for the end alone.
        #[serde(default)]
        points: Vec<usize>,
    },
    /// Regret beside the bound of Theorem 1.
    Regret {
        /// Lengths of streams.
        cells: Vec<Regret>,
    },
    /// Regret on the streams of Proposition 1.
    Masks {
        /// Numbers of masks.
        cells: Vec<Regret>,
    },
    /// Theorem 2 and its corollary beside what they bound.
    Bounds {
        /// Tables and holes.
        cells: Vec<Drawn>,
        /// `alpha` and `gamma`, given beforehand as the theorem asks.
        parameters: [f64; 2],
    },
    /// The problem before its relaxation beside the relaxed one.
    Relaxation {
        /// Tables and holes.
        cells: Vec<Small>,
    },
    /// The semidefinite program beside the exact solver.
    Program {
        /// Small tables.
        cells: Vec<Small>,
    },
    /// The linear-Gaussian benchmark.
    Neumiss {
        /// Populations and holes.
        cells: Vec<Synthetic>,
        /// Where parameters are looked for; the honest part of it.
        #[serde(default)]
        search: Search,
    },
}

const EMBEDDED: [&str; 17] = [
    include_str!("../../experiments/table1.toml"),
    include_str!("../../experiments/table2.toml"),
    include_str!("../../experiments/table3.toml"),
    include_str!("../../experiments/table4.toml"),
    include_str!("../../experiments/table5.toml"),
    include_str!("../../experiments/readings.toml"),
    include_str!("../../experiments/fig1a.toml"),
    include_str!("../../experiments/fig1b.toml"),
    include_str!("../../experiments/fig1c.toml"),
    include_str!("../../experiments/fig1d.toml"),
    include_str!("../../experiments/theorem1.toml"),
    include_str!("../../experiments/proposition1.toml"),
    include_str!("../../experiments/theorem2.toml"),
    include_str!("../../experiments/relaxation.toml"),
    include_str!("../../experiments/program.toml"),
    include_str!("../../experiments/neumiss-narrow.toml"),
    include_str!("../../experiments/neumiss-wide.toml"),
];

impl Experiment {
    /// Every embedded experiment, in the order of the paper.
    pub fn all() -> Vec<Self> {
        let parse = |text: &&str| Self::parse(text).expect("the embedded experiments are sound");
        EMBEDDED.iter().map(parse).collect()
    }

    /// The embedded experiments of this name or group.
    ///
    /// # Errors
    /// [`Error::Experiment`] for a name that none has.
    pub fn select(name: &str) -> Result<Vec<Self>> {
        let all = Self::all();
        let is_meant = |of: &Self| of.name == name || of.groups.iter().any(|group| group == name);
        let chosen: Vec<_> = all.iter().filter(|of| is_meant(of)).cloned().collect();
        if chosen.is_empty() {
            return Err(Error::Experiment {
                name: name.to_owned(),
                expected: format!("one of {}", names(&all).join(", ")),
                got: "none of that name".to_owned(),
            });
        }
        Ok(chosen)
    }

    /// The experiment that a TOML file describes.
    ///
    /// # Errors
    /// [`Error::Experiment`] for text that is none.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = |name: &str, expected: &str, got: String| Error::Experiment {
            name: name.to_owned(),
            expected: expected.to_owned(),
            got,
        };
        let parsed = toml::from_str::<Self>(text);
        let mut experiment =
            parsed.map_err(|error| wrong("file", "a description of one", error.to_string()))?;
        let has_chart = experiment.chart.is_some();
        if let Some(cells) = experiment.work.drawn_mut() {
            for cell in cells {
                cell.is_on_an_axis = has_chart;
                cell.validate()?;
            }
        }
        if experiment.n_cells() == 0 {
            return Err(wrong(&experiment.name, "at least one cell", "none".into()));
        }
        Ok(experiment)
    }

    /// The number of its cells.
    pub fn n_cells(&self) -> usize {
        match &self.work {
            Work::Fractions { cells }
            | Work::Batch { cells, .. }
            | Work::Online { cells, .. }
            | Work::Bounds { cells, .. } => cells.len(),
            Work::Regret { cells } | Work::Masks { cells } => cells.len(),
            Work::Relaxation { cells } | Work::Program { cells } => cells.len(),
            Work::Neumiss { cells, .. } => cells.len(),
        }
    }
}

/// Groups, then experiments.
fn names(all: &[Experiment]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    let groups = all
        .iter()
        .flat_map(|of| of.groups.iter().map(String::as_str));
    for name in groups.chain(all.iter().map(|of| of.name.as_str())) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_experiment_parses_and_has_a_name_of_its_own() {
        let all = Experiment::all();
        assert_eq!(names(&all).len(), all.len() + 4, "{:?}", names(&all));
        assert!(
            all.iter()
                .all(|of| !of.title.is_empty() && !of.place.is_empty())
        );
    }

    #[test]
    fn groups_select_what_belongs_to_them() {
        let of = |name: &str| Experiment::select(name).unwrap().len();
        assert_eq!(
            [of("all"), of("fig1"), of("theory"), of("table3")],
            [15, 4, 5, 1]
        );
        assert_eq!(
            [of("neumiss"), of("neumiss-wide"), of("readings")],
            [2, 1, 1]
        );
        let error = Experiment::select("table9").unwrap_err().to_string();
        assert!(error.contains("expected one of all, "), "{error}");
    }

    #[test]
    fn a_description_that_says_too_much_or_too_little_is_refused() {
        let sound =
            "name = 'x'\ntitle = 't'\nplace = 'p'\nmetric = 'rmse'\n[work]\nkind = 'batch'\n";
        let cell =
            "[[work.cells]]\nname = 'A'\ndata = 'abalone'\nholes = 'independent'\nbeta = 0.75\n";
        assert!(Experiment::parse(&format!("{sound}{cell}")).is_ok());
        let bad = [
            sound.to_owned(),
            format!("{sound}cells = []\n"),
            format!("colour = 'red'\n{sound}{cell}"),
            format!("{sound}{cell}colour = 'red'\n"),
            format!("{sound}{}", cell.replace("abalone", "atlantis")),
            format!("{sound}{}", cell.replace("0.75", "1.75")),
            format!("{sound}{}", cell.replace("beta = 0.75", "")),
            format!("{sound}{}", cell.replace("independent", "natural")),
        ];
        for text in bad {
            assert!(Experiment::parse(&text).is_err(), "{text}");
        }
    }
}
