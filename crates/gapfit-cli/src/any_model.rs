//! Models of every kind, from files.

use std::borrow::Cow;
use std::path::Path;

use anyhow::{Context, Result};
use gapfit::Model;
use gapfit::data::{MaskedMatrix, Schema};
use gapfit::online::{Learn, StreamLearner};
use gapfit_io::Source;

use crate::cmd::stream::{Progress, Said, parse_state};
use crate::hint::Hinted;
use crate::matching::Known;

/// A model of `gapfit fit`, or a learner of `gapfit stream`.
#[derive(Debug)]
pub(crate) enum AnyModel {
    Batch(Box<Model>),
    Stream(Box<StreamLearner>, Progress),
}

impl AnyModel {
    /// The model in a file.
    pub(crate) fn load(path: &Path) -> Result<Self> {
        let source = Source::from(path);
        let bytes = source.read_all()?;
        let parsed = if StreamLearner::recognises(&bytes) {
            parse_state(&bytes).map(|(learner, progress)| Self::Stream(Box::new(learner), progress))
        } else {
            let model = Model::from_bytes(&bytes).map_err(anyhow::Error::from);
            model.map(|model| Self::Batch(Box::new(model)))
        };
        parsed.with_context(|| source.name())
    }

    /// The columns it knows.
    pub(crate) fn known(&self) -> Known<'_> {
        match self {
            Self::Batch(model) => model.as_ref().into(),
            Self::Stream(learner, progress) => Known {
                schema: Cow::Owned(Schema::numeric(learner.feature_names())),
                target: &progress.target,
            },
        }
    }

    /// The model of `gapfit fit`, if it is one.
    pub(crate) fn batch(&self) -> Option<&Model> {
        match self {
            Self::Batch(model) => Some(model),
            Self::Stream(..) => None,
        }
    }

    /// The header of its predictions.
    pub(crate) fn header(&self) -> &'static str {
        match self {
            Self::Stream(learner, _) if learner.loss().is_classification() => "prediction,score",
            _ => "prediction",
        }
    }

    /// What it says of each row.
    pub(crate) fn predict(&self, rows: &MaskedMatrix) -> Result<Vec<Said<'_>>> {
        match self {
            Self::Batch(model) => {
                let predictions = model.predict(rows)?.into_iter();
                Ok(predictions.map(Said::Number).collect())
            }
            Self::Stream(learner, progress) => {
                let said = |row| {
                    let prediction = learner.predict(row)?;
                    Ok(Said::of(&progress.targets, learner.loss(), prediction))
                };
                rows.rows().map(said).collect()
            }
        }
    }
}

/// The model of `gapfit fit` in a file.
pub(crate) fn load_batch(path: &Path) -> Result<Model> {
    match AnyModel::load(path)? {
        AnyModel::Batch(model) => Ok(*model),
        AnyModel::Stream(..) => Err(Hinted::error(
            format!(
                "{}: expected a model of gapfit fit, got one of gapfit stream",
                path.display()
            ),
            "gapfit predict takes it, and gapfit stream --start-from MODEL --test-only scores it",
        )),
    }
}
