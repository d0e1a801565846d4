//! `gapfit evaluate`: scores a model on a table with known targets.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use gapfit::Model;
use gapfit::data::{Dataset, Schema};
use gapfit_figures::{Predicted, Scores};
use gapfit_io::{Reader, Roles, Task};
use serde::Serialize;

use super::predict::check_inputs;
use crate::any_model::load_batch;
use crate::args::Dialect;
use crate::hint::Hinted;
use crate::matching::Known;
use crate::output::Output;
use crate::tables::Tables;
use crate::talk::Talk;
use crate::targets::{self, Each, write_tables};
use crate::text_table::{TextTable, decimals, fixed};
use crate::{input, matching};

/// Scores a model on new data, overall and by the number of missing features.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Columns are matched by name, as by gapfit predict; rows without a target are left out; several tables are scored as one. RMSE and MAE are in \
the unit of the target, R² is 1 for perfect predictions and 0 for those of a constant. Of classes, log-loss and Brier \
score judge the probabilities, AUC the order that they bring rows into, accuracy the decisions; the calibration error is the \
mean distance of the probability of the predicted class from the share of rows in which it came, over ten ranges of it. \
missing counts columns, whatever the number of features that a category has.

Examples:
  gapfit evaluate houses.gapfit new.csv
  gapfit evaluate houses.gapfit new.csv --target price_2024 --json
  gapfit evaluate houses.gapfit 'may-*.parquet' june.csv
")]
pub(crate) struct Args {
    /// The model, as written by gapfit fit.
    model: PathBuf,
    /// The table or tables, also patterns such as 'may-*.csv'; `-` for standard input.
    #[arg(required = true)]
    file: Vec<PathBuf>,
    /// Column with the true values, of several targets all in their order [default: those of
    /// the model].
    #[arg(long, value_name = "COL,...")]
    target: Option<String>,
    /// Column of row weights.
    #[arg(long, value_name = "COL")]
    weight: Option<String>,
    /// Writes JSON instead of a table.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    dialect: Dialect,
}

/// What the JSON says: overall scores and those of rows with equally many missing features.
#[derive(Debug, Serialize)]
struct Report {
    #[serde(flatten)]
    overall: Part,
    by_missing: Vec<Group>,
}

#[derive(Debug, Serialize)]
struct Group {
    missing: usize,
    #[serde(flatten)]
    part: Part,
}

#[derive(Debug, Serialize)]
struct Part {
    n_rows: usize,
    #[serde(flatten)]
    scores: Scores,
}

/// Runs the command.
pub(crate) fn run(args: &Args, talk: &Talk) -> Result<()> {
    let tables = Tables::new(&args.file, args.dialect.options(), talk)?;
    check_inputs(&args.model, tables.is_stdin())?;
    let model = load_batch(&args.model)?;
    let known = Known::from(&model);
    let data = args.rows(&tables, &model, &known, talk)?;
    drop(tables);
    let report = |(t, model): (usize, Model)| {
        let data = data.of_target(t);
        let predicted = Predicted::of(&model, data.features())?;
        Ok(Report::new(&data, &known.schema, &predicted))
    };
    let reports = model.each_target().enumerate().map(report);
    let reports = reports.collect::<Result<Vec<Report>>>()?;
    let output = Output::stdout();
    match args.json {
        true => output.write_json(&Each::new(model.target_names(), reports)),
        false => output.write(|out| {
            let tables = reports.iter().map(Report::table);
            write_tables(model.target_names(), tables, out)
        }),
    }
}

impl Args {
    /// The rows of all tables that have a target.
    fn rows(
        &self,
        tables: &Tables,
        model: &Model,
        known: &Known<'_>,
        talk: &Talk,
    ) -> Result<Dataset> {
        let mut all: Option<Dataset> = None;
        for i in 0..tables.len() {
            let mut reader = tables.open(i)?;
            let roles = self.roles(model, known, &reader)?;
            matching::keep_features(&mut reader, known, &matching::scored(&roles), talk)?;
            let more = input::encoded(&mut reader, &roles, &known.schema, talk)?.data;
            match &mut all {
                None => all = Some(more),
                Some(all) => all.append(&more),
            }
        }
        Ok(all.expect("one table at least"))
    }

    /// Which columns are no features; none of them may be one of the model.
    fn roles(&self, model: &Model, known: &Known<'_>, reader: &Reader) -> Result<Roles> {
        let (target, further_targets) = match &self.target {
            Some(given) => targets::named(given, reader),
            None => {
                let mut names = known.targets.iter().map(|&name| name.to_owned());
                (names.next().unwrap_or_default(), names.collect())
            }
        };
        let (expected, got) = (model.n_targets(), 1 + further_targets.len());
        if expected != got {
            return Err(Hinted::error(
                format!(
                    "--target: expected as many columns as the model has targets, {expected}, got {got}"
                ),
                "gapfit inspect has the names of the targets; the columns come in that order",
            ));
        }
        let targets = std::iter::once(&target).chain(&further_targets);
        let named = targets.map(|name| ("target", name));
        for (flag, name) in named.chain(self.weight.iter().map(|name| ("weight", name))) {
            if let Some(feature) = known.names().iter().find(|&&feature| feature == name) {
                return Err(Hinted::error(
                    format!(
                        "--{flag}: expected a column that is no feature of the model, got {feature}"
                    ),
                    "name another column, or fit again with the feature left out by --ignore",
                ));
            }
        }
        Ok(Roles {
            target,
            further_targets,
            weight: self.weight.clone(),
            folds_by: None,
            task: match model.classes() {
                [] => Task::Regression,
                classes => Task::Classes(classes.to_vec()),
            },
        })
    }
}

impl Report {
    /// The scores of predictions for the rows of `data`, by the number of columns missing in them.
    fn new(data: &Dataset, schema: &Schema, predicted: &Predicted) -> Self {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (i, row) in data.features().rows().enumerate() {
            groups.entry(schema.n_missing(row)).or_default().push(i);
        }
        let everything: Vec<usize> = (0..data.n_rows()).collect();
        let group = |(&missing, rows): (&usize, &Vec<usize>)| Group {
            missing,
            part: Part::new(data, predicted, rows),
        };
        Self {
            overall: Part::new(data, predicted, &everything),
            by_missing: groups.iter().map(group).collect(),
        }
    }

    fn table(&self) -> TextTable {
        let overall = &self.overall.scores;
        let names = overall.iter().map(|(metric, _)| metric.name());
        let mut table = TextTable::new(["missing", "rows"].into_iter().chain(names));
        let digits = overall
            .iter()
            .map(|(metric, value)| match metric.has_unit() {
                true => decimals(value),
                false => 4,
            });
        let digits: Vec<usize> = digits.collect();
        let groups = self
            .by_missing
            .iter()
            .map(|group| (group.missing.to_string(), &group.part));
        for (name, part) in groups.chain([("all".to_owned(), &self.overall)]) {
            let scores = part.scores.iter().zip(&digits);
            let scores = scores.map(|((_, value), &digits)| fixed(value, digits));
            table.push([name, part.n_rows.to_string()].into_iter().chain(scores));
        }
        table
    }
}

impl Part {
    fn new(data: &Dataset, predicted: &Predicted, rows: &[usize]) -> Self {
        Self {
            n_rows: rows.len(),
            scores: predicted.select(rows).scores(data, rows),
        }
    }
}
