//! What is written about each row, as a JSON object.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use gapfit::Model;
use gapfit::data::MaskedMatrix;
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
    lower: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<f64>,
    /// By column.
    #[serde(skip_serializing_if = "Option::is_none")]
    contributions: Option<BTreeMap<&'a str, f64>>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Prediction<'a> {
    Number(f64),
    Class(&'a str),
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
                let classes = model.batch().map_or(&[][..], Model::classes);
                said.map(|said| plain(said, classes)).collect()
            }
            Self::Detailed(detailed) => detailed.objects(rows)?,
        };
        for (object, id) in objects.into_iter().zip(ids.named()) {
            writeln!(out, "{}", serde_json::to_string(&Object { id, ..object })?)?;
        }
        Ok(())
    }
}

fn plain<'a>(said: Said<'a>, classes: &[String]) -> Object<'a> {
    let mut object = Object::default();
    object.prediction = match said {
        Said::Number(number) => Prediction::Number(number),
        Said::Decided(class) => Prediction::Class(class),
        Said::Class(class, score) => {
            object.score = Some(score);
            Prediction::Class(class)
        }
        Said::Shares(class, shares) => {
            let columns = classes.iter().map(|class| share_column(class));
            object.shares = columns.zip(shares).collect();
            Prediction::Class(class)
        }
    };
    object
}

impl Detailed<'_> {
    fn objects(&self, rows: &MaskedMatrix) -> Result<Vec<Object<'_>>> {
        let classes = self.model.classes();
        let mut objects: Vec<Object<'_>> = self
            .said(rows)?
            .into_iter()
            .map(|(said, interval)| Object {
                lower: interval.map(|(lower, _)| lower),
                upper: interval.map(|(_, upper)| upper),
                ..plain(said, classes)
            })
            .collect();
        if self.explain.is_some() {
            for (object, explained) in objects.iter_mut().zip(self.model.explain(rows)?) {
                object.base = Some(explained.base);
                let columns = self.columns.iter();
                let parts = columns.map(|(name, of)| (name.as_str(), contribution(&explained, of)));
                object.contributions = Some(parts.collect());
            }
        }
        Ok(objects)
    }
}
