//! Which column of a table is which feature of a model.

use std::borrow::Cow;
use std::collections::HashSet;

use anyhow::Result;
use gapfit::Model;
use gapfit::data::Schema;
use gapfit_io::{Reader, Roles, closest};

use crate::hint::Hinted;
use crate::talk::Talk;

/// The columns that a model knows.
#[derive(Clone, Debug)]
pub(crate) struct Known<'a> {
    /// Those that its features are made from.
    pub(crate) schema: Cow<'a, Schema>,
    pub(crate) targets: Vec<&'a str>,
}

impl<'a> From<&'a Model> for Known<'a> {
    fn from(model: &'a Model) -> Self {
        let numeric = || Cow::Owned(Schema::numeric(model.feature_names()));
        Self {
            schema: model.schema().map_or_else(numeric, Cow::Borrowed),
            targets: model.target_names().collect(),
        }
    }
}

impl Known<'_> {
    /// The names of the columns that features are made from.
    pub(crate) fn names(&self) -> Vec<&str> {
        let columns = self.schema.columns().iter();
        columns.map(|column| column.name.as_str()).collect()
    }
}

/// Leaves out the columns of `reader` that are neither features nor in `others`, which come with what
/// they are for, and says which are unknown and which features the table does not have. The targets
/// of the model are known.
pub(crate) fn keep_features(
    reader: &mut Reader,
    known: &Known<'_>,
    others: &[(&'static str, &str)],
    talk: &Talk,
) -> Result<()> {
    let names_of_others: Vec<&str> = others.iter().map(|(_, name)| *name).collect();
    let kept: HashSet<&str> = known
        .names()
        .iter()
        .chain(&names_of_others)
        .copied()
        .collect();
    reader.reveal(kept.iter().copied());
    let names: Vec<&str> = reader.columns().iter().map(|c| c.name.as_str()).collect();
    check_features(reader.file(), &names, known, &names_of_others, talk)?;
    // while every column is there, so that the name that was meant can be found
    for &(role, name) in others {
        reader.position(name, role)?;
    }
    reader.retain(|name| kept.contains(name));
    Ok(())
}

/// Targets and weight, as columns beside the features.
pub(crate) fn scored(roles: &Roles) -> Vec<(&'static str, &str)> {
    let weight = roles.weight.iter().map(|name| ("weight", name.as_str()));
    let targets = roles.targets().map(|name| ("target", name));
    targets.chain(weight).collect()
}

/// Says which of the columns of `file`, called `names`, are unknown and which features it does not have;
/// refuses a table with none of them.
pub(crate) fn check_features(
    file: &str,
    names: &[&str],
    known: &Known<'_>,
    others: &[&str],
    talk: &Talk,
) -> Result<()> {
    let features = known.names();
    let feature_set: HashSet<&str> = features.iter().copied().collect();
    let is_feature = |name: &str| feature_set.contains(name);
    let is_known = |name: &str| is_feature(name) || known.targets.contains(&name);
    let of_no_use = |name: &&str| !is_known(name) && !others.contains(name);
    let unknown: Vec<&str> = names.iter().copied().filter(of_no_use).collect();
    let name_set: HashSet<&str> = names.iter().copied().collect();
    let is_absent = |feature: &&str| !name_set.contains(feature);
    let absent: Vec<&str> = features.iter().copied().filter(is_absent).collect();
    if absent.len() == features.len() {
        let columns = listed(&absent);
        return Err(Hinted {
            message: format!("{file}: expected columns of the model ({columns}), got none of them"),
            hint: "columns are found by their names; look at header and delimiter of the table",
        }
        .into());
    }
    if !absent.is_empty() {
        let columns = listed(&absent);
        talk.warn(format_args!(
            "{file}: the table lacks {columns}: missing in every row"
        ));
    }
    if !unknown.is_empty() {
        let columns = listed(&unknown);
        let near = unknown
            .iter()
            .find_map(|name| closest(name, absent.iter().copied()));
        let near = near.map_or(String::new(), |near| format!("; did you mean {near:?}?"));
        talk.warn(format_args!(
            "{file}: the model does not know {columns}: ignored{near}"
        ));
    }
    Ok(())
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
