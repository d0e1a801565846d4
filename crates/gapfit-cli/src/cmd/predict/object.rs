//! What is written about each row, as a JSON object.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use gapfit::Model;
use gapfit::data::MaskedMatrix;
use gapfit::model::Explanation;
use serde::Serialize;

use super::answer::{Answer, Detailed, contribution};
use super::ids::Ids;
use crate::any_model::share_column;
use crate::cmd::stream::Said;

/// What the JSON says of a row.
#[derive(Debug, Default, Serialize)]
struct Object<'a> {
    /// By column of `--id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<BTreeMap<&'a str, Option<&'a str>>>,
    prediction: Prediction<'a>,
    /// How sure a class is.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// The probability of each class, by column.
    #[serde(flatten)]
    shares: BTreeMap<String, f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower: Option<Given<'a, f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper: Option<Given<'a, f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<Given<'a, f64>>,
    /// By column.
    #[serde(skip_serializing_if = "Option::is_none")]
    contributions: Option<Given<'a, BTreeMap<&'a str, f64>>>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Prediction<'a> {
    Number(f64),
    /// By target.
    Numbers(BTreeMap<&'a str, f64>),
    Class(&'a str),
}

/// What is given of one output, or of each by its name.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Given<'a, T> {
    One(T),
    Each(BTreeMap<&'a str, T>),
}

impl<'a, T> Given<'a, T> {
    /// What is given of the outputs of these names, of which there are none where there is one.
    fn new(names: &'a [String], given: impl IntoIterator<Item = T>) -> Option<Self> {
        let mut given = given.into_iter();
        match names {
            [] => given.next().map(Self::One),
            _ => {
                let each: BTreeMap<&str, T> = names.iter().map(String::as_str).zip(given).collect();
                (!each.is_empty()).then_some(Self::Each(each))
            }
        }
    }
}

impl Default for Prediction<'_> {
    fn default() -> Self {
        Self::Number(0.0)
    }
}

impl Answer<'_> {
    /// Writes the objects of some more rows, a line each.
    pub(super) fn write_json(
        &self,
        rows: &MaskedMatrix,
        ids: &Ids,
        out: &mut dyn Write,
    ) -> Result<()> {
        let objects: Vec<Object<'_>> = match self {
            Self::Plain(model) => {
                let said = model.predict(rows)?.into_iter();
                let names = model.batch().map_or(Vec::new(), names);
                said.map(|said| plain(said, &names)).collect()
            }
            Self::Detailed(detailed) => detailed.objects(rows)?,
        };
        for (object, id) in objects.into_iter().zip(ids.named()) {
            writeln!(out, "{}", serde_json::to_string(&Object { id, ..object })?)?;
        }
        Ok(())
    }
}

/// The names of the classes or, where the target is numbers, of the targets.
fn names(model: &Model) -> Vec<&str> {
    match model.classes() {
        [] => model.target_names().collect(),
        classes => classes.iter().map(String::as_str).collect(),
    }
}

fn plain<'a>(said: Said<'a>, names: &[&'a str]) -> Object<'a> {
    let mut object = Object::default();
    object.prediction = match said {
        Said::Number(number) => Prediction::Number(number),
        Said::Numbers(numbers) => Prediction::Numbers(names.iter().copied().zip(numbers).collect()),
        Said::Decided(class) => Prediction::Class(class),
        Said::Class(class, score) => {
            object.score = Some(score);
            Prediction::Class(class)
        }
        Said::Shares(class, shares) => {
            let columns = names.iter().map(|class| share_column(class));
            object.shares = columns.zip(shares).collect();
            Prediction::Class(class)
        }
    };
    object
}

impl Detailed<'_> {
    fn objects(&self, rows: &MaskedMatrix) -> Result<Vec<Object<'_>>> {
        let (names, said) = (names(self.model), self.said(rows)?.into_iter());
        let objects = said.map(|(said, ends)| Object {
            lower: Given::new(&self.outputs, ends.iter().map(|ends| ends.0)),
            upper: Given::new(&self.outputs, ends.iter().map(|ends| ends.1)),
            ..plain(said, &names)
        });
        let mut objects: Vec<Object<'_>> = objects.collect();
        if self.explain.is_some() {
            let explained = self.model.explain_each(rows)?;
            for (i, object) in objects.iter_mut().enumerate() {
                let of_row = explained.iter().map(|of_output| &of_output[i]);
                object.base = Given::new(&self.outputs, of_row.clone().map(|e| e.base));
                let parts = of_row.map(|explained| self.parts(explained));
                object.contributions = Given::new(&self.outputs, parts);
            }
        }
        Ok(objects)
    }

    /// Contributions by column.
    fn parts(&self, explained: &Explanation) -> BTreeMap<&str, f64> {
        let columns = self.columns.iter();
        let parts = columns.map(|(name, of)| (name.as_str(), contribution(explained, of)));
        parts.collect()
    }
}
