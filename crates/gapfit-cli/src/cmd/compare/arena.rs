//! The table that methods are compared on.

use std::fmt;

use anyhow::Result;
use gapfit::Evidence;
use gapfit::corrupt::Mechanism;
use gapfit::data::Dataset;
use gapfit::tune::{Folding, Folds};
use gapfit_io::Supervised;
use gapfit_paper::Embedded;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::Serialize;

use super::Args;
use crate::hint::Hinted;
use crate::input::Opened;
use crate::tables::Tables;
use crate::talk::Talk;
use crate::{caution, input};

/// Strength of the holes in the embedded data: the paper's.
const BETA: f64 = 0.75;

/// A table with holes and, where we made the holes, the table before.
pub(super) struct Arena {
    pub(super) about: About,
    pub(super) holey: Dataset,
    pub(super) complete: Option<Dataset>,
    pub(super) folding: Folding,
}

/// What is said about the data.
#[derive(Debug, Serialize)]
pub(super) struct About {
    pub(super) name: String,
    pub(super) target: String,
    pub(super) task: &'static str,
    /// Absent where the target is numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) classes: Vec<String>,
    pub(super) n_rows: usize,
    pub(super) n_features: usize,
    pub(super) observed_fraction: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) holes: Option<Holes>,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Holes {
    mechanism: &'static str,
    beta: f64,
    seed: u64,
}

impl Arena {
    /// The table in one file or more.
    pub(super) fn read(tables: &Tables, target: &str, args: &Args, talk: &Talk) -> Result<Self> {
        let opened = Opened::new(tables, &args.columns)?;
        let roles = args.roles(&opened, target)?;
        let Supervised { data, folding, .. } = opened.rows(&roles, talk)?;
        let name = tables.name();
        args.tasking.settle(&data, &name, talk)?;
        if let Some(sentence) = caution::rare_classes(&data, args.folds) {
            talk.warn(sentence);
        }
        Ok(Self {
            about: About::new(name, &data, None),
            holey: data,
            complete: None,
            folding: args.fold_rule.folding(folding),
        })
    }

    /// The embedded housing data, with holes that depend on the values they hide.
    pub(super) fn embedded(args: &Args) -> Result<Self> {
        let seed = args.seed;
        let complete = Embedded::Housing.load();
        let mechanism = Mechanism::Dependent { beta: BETA };
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let features = mechanism.apply(complete.features(), &mut rng)?;
        let holey = complete.clone().with_features(features)?;
        let holes = Holes {
            mechanism: mechanism.name(),
            beta: BETA,
            seed,
        };
        let name = Embedded::Housing.name().to_owned();
        Ok(Self {
            about: About::new(name, &holey, Some(holes)),
            holey,
            complete: Some(complete),
            folding: args.fold_rule.folding(Folding::Shuffled),
        })
    }
}

impl Arena {
    /// The same for one of its targets alone.
    pub(super) fn of_target(&self, target: usize) -> Self {
        let holey = self.holey.of_target(target);
        let complete = self.complete.as_ref();
        Self {
            about: About::new(self.about.name.clone(), &holey, self.about.holes),
            complete: complete.map(|complete| complete.of_target(target)),
            folding: self.folding.clone(),
            holey,
        }
    }

    /// The folds, where each leaves enough to tune on.
    pub(super) fn folds(&self, k: usize, seed: u64) -> Result<Folds> {
        let file = &self.about.name;
        let folds = self.folding.split(&self.holey, k, seed);
        let folds = folds.map_err(|error| input::fault(file, error))?;
        let what = match self.folding {
            Folding::Shuffled | Folding::Stratified | Folding::Hashed | Folding::Given(_) => {
                "training rows"
            }
            Folding::Grouped(_) => "training groups",
            Folding::Timed(_) => "training times after the first",
        };
        for (number, fold) in (1..).zip(folds.iter()) {
            let left = self.folding.most(&fold.train);
            if left < 2 {
                return Err(Hinted::error(
                    format!("{file}, fold {number} of {k}: expected at least 2 {what}, got {left}"),
                    "take more folds by --folds, or more rows",
                ));
            }
        }
        Ok(folds)
    }
}

impl About {
    /// What is said of rows that are known by their sums.
    pub(super) fn of_sums(name: String, evidence: Evidence<'_>) -> Self {
        Self {
            name,
            target: evidence.target_name().to_owned(),
            task: "regression",
            classes: Vec::new(),
            n_rows: evidence.n_rows(),
            n_features: evidence.names().len(),
            observed_fraction: evidence.observed_fraction(),
            holes: None,
        }
    }

    fn new(name: String, data: &Dataset, holes: Option<Holes>) -> Self {
        Self {
            name,
            target: data.target_names().collect::<Vec<_>>().join(", "),
            task: match data.classes() {
                [] => "regression",
                _ => "classification",
            },
            classes: data.classes().to_vec(),
            n_rows: data.n_rows(),
            n_features: data.n_features(),
            observed_fraction: data.features().observed_fraction(),
            holes,
        }
    }
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} from {} features, {} rows, {:.1} % of the cells observed",
            self.name,
            self.target,
            self.n_features,
            self.n_rows,
            100.0 * self.observed_fraction
        )?;
        match &self.holes {
            None => Ok(()),
            Some(holes) => write!(f, " (holes: {holes})"),
        }
    }
}

impl fmt::Display for Holes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            mechanism,
            beta,
            seed,
        } = self;
        write!(f, "{mechanism}, beta {beta}, seed {seed}")
    }
}
