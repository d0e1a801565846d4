//! What a model says of itself.

use gapfit::Model;
use gapfit::joint::Status;
use pyo3::prelude::*;

/// How a model was fitted: a dictionary of this form.
#[derive(Debug, IntoPyObject)]
pub(crate) struct About {
    method: String,
    support: String,
    loss: String,
    alpha: f64,
    gamma: f64,
    scale: String,
    clip: f64,
    intercept: String,
    rows: usize,
    rmse: f64,
    target: String,
    /// Where it is known.
    columns: Option<Vec<String>>,
    is_converged: bool,
    status: String,
    iterations: usize,
    objective: f64,
    gap: f64,
}

impl About {
    pub(crate) fn new(model: &Model) -> Self {
        let (certificate, training) = (model.certificate(), model.training());
        let preparation = model.preparation();
        let names = |schema: &gapfit::data::Schema| {
            let columns = schema.columns().iter();
            columns.map(|column| column.name.clone()).collect()
        };
        Self {
            method: model.method().to_string(),
            support: model.support().to_string(),
            loss: model.loss().to_string(),
            alpha: model.parameters().alpha,
            gamma: model.parameters().gamma,
            scale: preparation.scale.to_string(),
            clip: preparation.clip,
            intercept: preparation.intercept.to_string(),
            rows: training.rows,
            rmse: training.rmse,
            target: model.target_name().to_owned(),
            columns: model.schema().map(names),
            is_converged: matches!(certificate.status, Status::Converged | Status::Stationary),
            status: certificate.status.to_string(),
            iterations: certificate.iterations,
            objective: certificate.objective,
            gap: certificate.gap,
        }
    }
}
