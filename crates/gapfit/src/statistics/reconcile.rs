//! The columns that parts of a table have in common, and how the features of each part become theirs.

use crate::data::{Dataset, Kind, Schema, SchemaColumn};
use crate::error::{Error, Result};
use std::ops::Range;

/// What a feature is made from.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Made {
    /// An old feature.
    Of(usize),
    /// 1 for these levels of a column, whose features these are, and 0 for its others; missing where it is.
    Any {
        column: Range<usize>,
        levels: Vec<usize>,
    },
    /// A column that is missing in every row.
    Nowhere,
}

/// The columns of two parts, and how each feature of theirs is made in either part.
pub(super) struct Common {
    pub(super) names: Vec<String>,
    pub(super) schema: Option<Schema>,
    pub(super) mine: Vec<Made>,
    pub(super) theirs: Vec<Made>,
}

/// A part: a table that has its columns, and whether a feature is ever observed in it.
pub(super) struct Part<'a> {
    pub(super) blank: &'a Dataset,
    pub(super) is_observed: Box<dyn Fn(usize) -> bool + 'a>,
}

impl Common {
    /// In the order of the first part.
    pub(super) fn of(mine: &Part<'_>, theirs: &Part<'_>) -> Result<Self> {
        let (Some(a), Some(b)) = (mine.blank.schema(), theirs.blank.schema()) else {
            return Self::by_name(mine.blank, theirs.blank);
        };
        let names = |schema: &Schema| -> Vec<String> {
            let columns = schema.columns().iter();
            columns.map(|column| column.name.clone()).collect()
        };
        let order = order(&names(a), &names(b))?;
        let columns = order.iter().enumerate().map(|(c, &d)| {
            let is_seen = [
                (mine.is_observed)(a.features(c).start),
                (theirs.is_observed)(b.features(d).start),
            ];
            joined(&a.columns()[c], &b.columns()[d], is_seen)
        });
        let schema = Schema::new(columns.collect::<Result<_>>()?)?;
        let all: Vec<usize> = (0..order.len()).collect();
        Ok(Self {
            names: schema.feature_names(),
            mine: recipe(&schema, a, &all),
            theirs: recipe(&schema, b, &order),
            schema: Some(schema),
        })
    }

    /// Where the columns behind the features are not known in both.
    fn by_name(mine: &Dataset, theirs: &Dataset) -> Result<Self> {
        let order = order(mine.names(), theirs.names())?;
        let schema = mine.schema();
        let schema = schema.or(theirs.schema().filter(|_| order.is_sorted()));
        Ok(Self {
            names: mine.names().to_vec(),
            schema: schema.map(|schema| Schema::clone(schema)),
            mine: (0..order.len()).map(Made::Of).collect(),
            theirs: order.into_iter().map(Made::Of).collect(),
        })
    }
}

/// Where each of the names `wanted` is among those that another part has.
fn order(wanted: &[String], have: &[String]) -> Result<Vec<usize>> {
    let place = |name: &String| have.iter().position(|other| other == name);
    let found: Option<Vec<usize>> = wanted.iter().map(place).collect();
    match found {
        Some(order) if wanted.len() == have.len() => Ok(order),
        _ => {
            let differing = |a: &[String], b: &[String]| a.iter().find(|x| !b.contains(x)).cloned();
            let only = differing(wanted, have).or_else(|| differing(have, wanted));
            Err(Error::Setting {
                name: "features",
                expected: "the same in every part",
                got: format!("'{}' in one part only", only.unwrap_or_default()),
            })
        }
    }
}

/// What a column is in both parts. One that a part never observes says nothing of its kind there.
fn joined(mine: &SchemaColumn, theirs: &SchemaColumn, is_seen: [bool; 2]) -> Result<SchemaColumn> {
    let kind = match (&mine.kind, &theirs.kind) {
        (Kind::Categorical(a), Kind::Categorical(b)) => Kind::Categorical(a.joined(b)),
        (a, b) if a == b || !is_seen[1] => a.clone(),
        (_, b) if !is_seen[0] => b.clone(),
        (a, b) => {
            return Err(Error::Setting {
                name: "columns",
                expected: "of one kind in every part",
                got: format!(
                    "'{}' {} in one part and {} in another",
                    mine.name,
                    a.name(),
                    b.name()
                ),
            });
        }
    };
    Ok(SchemaColumn {
        name: mine.name.clone(),
        kind,
    })
}

/// How the features of `new` are made from those of `old`, where its columns have these places.
fn recipe(new: &Schema, old: &Schema, places: &[usize]) -> Vec<Made> {
    let columns = new.columns().iter().zip(places);
    let column = |(column, &place): (&SchemaColumn, &usize)| {
        let features = old.features(place);
        match (&column.kind, &old.columns()[place].kind) {
            (Kind::Categorical(new), Kind::Categorical(old)) if new != old => {
                let number = |level: &String| old.number(level);
                let mut made: Vec<Made> = new
                    .kept()
                    .iter()
                    .map(|level| Made::of_levels(&features, number(level).into_iter()))
                    .collect();
                if !new.pooled().is_empty() {
                    made.push(Made::of_levels(
                        &features,
                        new.pooled().iter().filter_map(number),
                    ));
                }
                made
            }
            (new, old) if new == old => features.map(Made::Of).collect(),
            (new, _) => vec![Made::Nowhere; new.n_features()],
        }
    };
    columns.flat_map(column).collect()
}

impl Made {
    fn of_levels(column: &Range<usize>, levels: impl Iterator<Item = usize>) -> Self {
        let mut levels: Vec<usize> = levels.map(|level| column.start + level).collect();
        levels.sort_unstable();
        levels.dedup(); // those that share a feature
        match levels[..] {
            [level] => Self::Of(level),
            _ => Self::Any {
                column: column.clone(),
                levels,
            },
        }
    }
}
