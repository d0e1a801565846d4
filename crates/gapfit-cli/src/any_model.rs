//! Models of every kind, from files.

use std::borrow::Cow;
use std::path::Path;

use anyhow::{Context, Result};
use gapfit::Model;
use gapfit::data::{MaskedMatrix, Schema};
use gapfit::loss::Loss;
use gapfit::online::{Learn, StreamLearner};
use gapfit_figures::Predicted;
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
                targets: vec![&progress.target],
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

    /// The columns of its predictions.
    pub(crate) fn columns(&self) -> Vec<String> {
        match self {
            Self::Stream(learner, _) if learner.loss().is_classification() => scored(true),
            Self::Stream(..) => scored(false),
            Self::Batch(model) => columns(model),
        }
    }

    /// What it says of each row.
    pub(crate) fn predict(&self, rows: &MaskedMatrix) -> Result<Vec<Said<'_>>> {
        match self {
            Self::Batch(model) => Ok(said(model, rows)?),
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

/// The columns of the predictions of a model of `gapfit fit`.
pub(crate) fn columns(model: &Model) -> Vec<String> {
    let classes = model.classes();
    if model.n_targets() > 1 {
        let names = model.target_names();
        return names.map(|name| format!("prediction_{name}")).collect();
    }
    if model.loss() != Loss::Logistic {
        return scored(classes.len() == 2);
    }
    let shares = classes.iter().map(|class| share_column(class));
    scored(false).into_iter().chain(shares).collect()
}

/// The column of the probability of a class.
pub(crate) fn share_column(class: &str) -> String {
    format!("proba_{class}")
}

/// The column of predictions, and that of their scores where there are some.
fn scored(has_score: bool) -> Vec<String> {
    let score = has_score.then_some("score");
    let columns = std::iter::once("prediction").chain(score);
    columns.map(str::to_owned).collect()
}

/// What a model of `gapfit fit` says of each row.
pub(crate) fn said<'a>(model: &'a Model, rows: &MaskedMatrix) -> gapfit::Result<Vec<Said<'a>>> {
    let classes = model.classes();
    let class = |k: usize| classes[k].as_str();
    if model.n_targets() > 1 {
        let scores = model.scores(rows)?;
        let rows = scores.chunks_exact(model.n_targets());
        return Ok(rows.map(|row| Said::Numbers(row.to_vec())).collect());
    }
    Ok(match Predicted::of(model, rows)? {
        Predicted::Numbers(numbers) => numbers.into_iter().map(Said::Number).collect(),
        Predicted::Probabilities(all) => {
            let decided = model.decide(rows)?.into_iter();
            let said = |(k, row): (usize, &[f64])| Said::Shares(class(k), row.to_vec());
            decided.zip(all.rows()).map(said).collect()
        }
        Predicted::Decisions(decided, Some(scores)) => {
            let said = |(k, score): (usize, f64)| Said::Class(class(k), score);
            decided.into_iter().zip(scores).map(said).collect()
        }
        Predicted::Decisions(decided, None) => decided
            .into_iter()
            .map(|k| Said::Decided(class(k)))
            .collect(),
    })
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
