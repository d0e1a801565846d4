//! The page about a model and rows that it has not seen.

use gapfit::data::Dataset;
use gapfit::tune::{Candidate, Folding, HeldOut};
use gapfit::{Learner, Parameters, Result};
use gapfit_figures::{Contender, Predicted, Trial, fact, share};
use gapfit_report::{Cell, Fact, Figure, Page, Section};
use pyo3::prelude::*;

use crate::error::raised;
use crate::fit::{Target, dataset};
use crate::job;
use crate::model::Model;
use crate::table::Table;

/// Parts of the rows, over which errors spread.
const PARTS: usize = 5;

/// What the page is about beside the model: a dictionary of this form.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct About {
    title: String,
    /// What the search of the fit looked at: alpha, gamma and the mean loss of each candidate.
    candidates: Vec<(f64, f64, f64)>,
}

/// The page about a model, as HTML.
#[pyfunction]
pub(crate) fn report(
    py: Python<'_>,
    model: &Model,
    table: &mut Table,
    target: Target<'_>,
    about: About,
    n_jobs: usize,
) -> PyResult<String> {
    let data = dataset(py, table, &target)?.with_schema(model.schema());
    let data = data.map_err(|e| raised(&e))?;
    let model = model.shared();
    job::run(py, n_jobs, None, move |_| {
        let page = Judged::new(&model, &data)?.page(&about)?;
        Ok(page.html())
    })
}

/// A model, and what it says of rows.
struct Judged<'a> {
    model: &'a gapfit::Model,
    data: &'a Dataset,
    trials: Vec<Trial>,
}

impl<'a> Judged<'a> {
    fn new(model: &'a gapfit::Model, data: &'a Dataset) -> Result<Self> {
        let parts = Folding::Shuffled.split(data, PARTS.min(data.n_rows()), 0)?;
        let trial = |rows: Vec<usize>| -> Result<Trial> {
            let features = data.features().select_rows(&rows);
            Ok(Trial {
                learner: Learner {
                    loss: model.loss(),
                    ..Learner::new(model.method())
                },
                parameters: model.parameters(),
                tuned: None,
                predicted: Predicted::of(model, &features)?,
                held_out: HeldOut {
                    rows,
                    features,
                    model: model.clone(),
                },
            })
        };
        let trials = parts.iter().map(|part| trial(part.held_out.to_vec()));
        Ok(Self {
            model,
            data,
            trials: trials.collect::<Result<_>>()?,
        })
    }

    fn page(&self, about: &About) -> Result<Page> {
        let section = |title: &str, figures: Vec<Figure>| Section {
            title: title.to_owned(),
            figures,
        };
        let table = vec![
            gapfit_figures::hole_map(self.data).figure(),
            gapfit_figures::patterns(self.data).figure(),
        ];
        let mut sections = vec![
            section("The model", self.about_model(&about.candidates)),
            section("Rows that it had not seen", self.about_rows()?),
            section("The table", table),
        ];
        sections.retain(|section| !section.figures.is_empty());
        Ok(Page {
            title: about.title.clone(),
            lead: format!(
                "A model for {}, learnt from {} rows. What is said about held-out rows is about the {} that it \
                 was judged on here.",
                self.model.target_name(),
                self.model.training().rows,
                self.data.n_rows()
            ),
            facts: self.facts()?,
            warnings: Vec::new(),
            sections,
        })
    }

    fn facts(&self) -> Result<Vec<Fact>> {
        let (model, method) = (self.model, self.model.method());
        let mut facts = vec![
            fact("method", Cell::text(method.to_string())),
            fact("alpha", Cell::number(model.parameters().alpha)),
        ];
        if method.has_gamma() {
            facts.push(fact("gamma", Cell::number(model.parameters().gamma)));
        }
        facts.extend([
            fact("rows", Cell::count(self.data.n_rows())),
            fact("features", Cell::count(self.data.n_features())),
            share("observed", self.data.features().observed_fraction()),
        ]);
        let rows: Vec<usize> = (0..self.data.n_rows()).collect();
        let scores = Predicted::of(model, self.data.features())?.scores(self.data, &rows);
        facts.extend(scores.iter().map(|(metric, value)| {
            fact(&format!("held-out {}", metric.name()), Cell::number(value))
        }));
        Ok(facts)
    }

    fn about_model(&self, candidates: &[(f64, f64, f64)]) -> Vec<Figure> {
        let (model, name) = (self.model, self.model.method().to_string());
        let schema = gapfit_figures::schema(self.data);
        let shifts = gapfit_figures::shifts(&name, &[model], &schema);
        let candidate = |&(alpha, gamma, loss): &(f64, f64, f64)| Candidate {
            parameters: Parameters { alpha, gamma },
            rmse: loss.sqrt(),
            fold_errors: Vec::new(),
            part_errors: Vec::new(),
        };
        let candidates: Vec<Candidate> = candidates.iter().map(candidate).collect();
        let searched = model.method().has_gamma() && !candidates.is_empty();
        let search = searched.then_some((&candidates[..], model.parameters()));
        let surface = gapfit_figures::surface(&name, model.loss(), search);
        let shifts = shifts.map(|shifts| shifts.figure());
        let surface = surface.map(|surface| surface.figure());
        shifts.into_iter().chain(surface).collect()
    }

    fn about_rows(&self) -> Result<Vec<Figure>> {
        let name = self.model.method().to_string();
        let contender = Contender {
            name: &name,
            data: self.data,
            trials: &self.trials,
        };
        let mut figures = gapfit_figures::quality(self.data, &contender);
        figures.push(gapfit_figures::prices(&contender)?.figure());
        let contenders = [contender];
        figures.push(gapfit_figures::by_missing(self.data, &contenders, 0).figure());
        Ok(figures)
    }
}
