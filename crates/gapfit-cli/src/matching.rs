//! Which column of a table is which feature of a model.

use std::collections::HashMap;

use anyhow::{Result, bail};
use gapfit::Model;
use gapfit_io::Reader;

use crate::talk::Talk;

/// The columns that a model knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    pub(crate) features: &'a [String],
    pub(crate) target: &'a str,
}

impl<'a> From<&'a Model> for Known<'a> {
    fn from(model: &'a Model) -> Self {
        Self {
            features: model.feature_names(),
            target: model.target_name(),
        }
    }
}

/// Leaves out the columns of `reader` that are neither features nor in `others`, and says which
/// are unknown and which features the table does not have. The target of the model is known.
pub(crate) fn keep_features(
    reader: &mut Reader,
    known: Known<'_>,
    others: &[&str],
    talk: &Talk,
) -> Result<()> {
    let features = known.features;
    reader.reveal(
        features
            .iter()
            .map(String::as_str)
            .chain(others.iter().copied()),
    );
    let names: Vec<&str> = reader.columns().iter().map(|c| c.name.as_str()).collect();
    check_features(reader.file(), &names, known, others, talk)?;
    reader.retain(|name| features.iter().any(|f| f == name) || others.contains(&name));
    Ok(())
}

/// Says which of the columns of `file`, called `names`, are unknown and which features it does not have;
/// refuses a table with none of them.
pub(crate) fn check_features(
    file: &str,
    names: &[&str],
    known: Known<'_>,
    others: &[&str],
    talk: &Talk,
) -> Result<()> {
    let features = known.features;
    let is_feature = |name: &str| features.iter().any(|feature| feature == name);
    let is_known = |name: &str| is_feature(name) || name == known.target;
    let of_no_use = |name: &&str| !is_known(name) && !others.contains(name);
    let unknown: Vec<&str> = names.iter().copied().filter(of_no_use).collect();
    let absent: Vec<&str> = features
        .iter()
        .map(String::as_str)
        .filter(|feature| !names.contains(feature))
        .collect();
    if absent.len() == features.len() {
        bail!(
            "{file}: expected columns of the model ({}), got none of them",
            listed(&absent)
        );
    }
    if !absent.is_empty() {
        let columns = listed(&absent);
        talk.warn(format_args!(
            "{file}: the table lacks {columns}: missing in every row"
        ));
    }
    if !unknown.is_empty() {
        let columns = listed(&unknown);
        talk.warn(format_args!(
            "{file}: the model does not know {columns}: ignored"
        ));
    }
    Ok(())
}

/// The place of each feature among the columns called `names`; `None` where it is absent.
pub(crate) fn places<'a>(
    features: &[String],
    names: impl IntoIterator<Item = &'a str>,
) -> Vec<Option<usize>> {
    let places: HashMap<&str, usize> = names.into_iter().enumerate().map(|(j, n)| (n, j)).collect();
    features
        .iter()
        .map(|name| places.get(name.as_str()).copied())
        .collect()
}

fn listed(names: &[&str]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = names
        .iter()
        .take(SHOWN)
        .map(|name| format!("{name:?}"))
        .collect();
    let more = names.len().saturating_sub(SHOWN);
    match more {
        0 => shown.join(", "),
        _ => format!("{} and {more} more", shown.join(", ")),
    }
}
