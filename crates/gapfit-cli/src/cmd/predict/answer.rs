//! What is written about each row: the prediction, its interval, its explanation.

use std::io::Write;
use std::ops::Range;

use anyhow::Result;
use gapfit::data::{MaskedMatrix, SchemaColumn};
use gapfit::model::Explanation;
use gapfit::{Interval, Model};

use crate::any_model::{self, AnyModel};
use crate::args::Usage;
use crate::cmd::stream::Said;
use crate::csv_cell::quoted;
use crate::hint::Hinted;

/// How contributions are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Layout {
    /// A line for each row, a column for each feature.
    Wide,
    /// A line for each contribution: row, part (base, observed or missing), feature, contribution.
    Long,
}

/// The columns that are asked for.
#[derive(Debug)]
pub(super) enum Answer<'a> {
    Plain(&'a AnyModel),
    Detailed(Detailed<'a>),
}

/// The lower and the upper end of an interval.
pub(super) type Ends = (f64, f64);

#[derive(Debug)]
pub(super) struct Detailed<'a> {
    pub(super) model: &'a Model,
    /// The share of rows that intervals are to cover.
    level: Option<f64>,
    pub(super) explain: Option<Layout>,
    /// The targets of several, or more than two classes, each with predictions of its own; otherwise none.
    pub(super) outputs: Vec<String>,
    /// The columns behind the features, each with its features.
    pub(super) columns: Vec<(String, Range<usize>)>,
    /// Rows written so far.
    n_rows: usize,
}

impl<'a> Answer<'a> {
    /// What a model can give of what is asked; `percent` is that of the intervals.
    pub(super) fn new(
        model: &'a AnyModel,
        percent: Option<f64>,
        explain: Option<Layout>,
        file: &str,
    ) -> Result<Self> {
        let flag = match (percent, explain) {
            (None, None) => return Ok(Self::Plain(model)),
            (Some(_), Some(Layout::Long)) => {
                let message = "--intervals: expected --explain wide with it, got long";
                return Err(Usage(message.to_owned()).into());
            }
            (Some(_), _) => "--intervals",
            _ => "--explain",
        };
        let Some(model) = model.batch() else {
            return Err(Hinted::error(
                format!("{file}: {flag}: expected a model of gapfit fit, got one of gapfit stream"),
                "leave the flag out, or fit a model to a table of the rows",
            ));
        };
        let level = percent.map(|percent| percent / 100.0);
        if let (Some(percent), Some(level)) = (percent, level) {
            check_numbers(model, file)?;
            for model in model.each_target() {
                check_level(&model, percent, level, file)?;
            }
        }
        Ok(Self::Detailed(Detailed {
            model,
            level,
            explain,
            outputs: outputs(model),
            columns: columns(model),
            n_rows: 0,
        }))
    }

    /// The names of the columns.
    pub(super) fn columns(&self) -> Vec<String> {
        match self {
            Self::Plain(model) => model.columns(),
            Self::Detailed(detailed) => detailed.names(),
        }
    }

    /// The header line.
    pub(super) fn header(&self) -> String {
        let names: Vec<String> = self.columns().iter().map(|name| quoted(name)).collect();
        names.join(",")
    }

    /// Writes the lines of some more rows, each behind what is given for its row.
    pub(super) fn write(
        &mut self,
        rows: &MaskedMatrix,
        prefixes: &[String],
        out: &mut dyn Write,
    ) -> Result<()> {
        match self {
            Self::Plain(model) => {
                for (said, prefix) in model.predict(rows)?.iter().zip(prefixes) {
                    writeln!(out, "{prefix}{said}")?;
                }
                Ok(())
            }
            Self::Detailed(detailed) => detailed.write(rows, prefixes, out),
        }
    }
}

/// Refuses classes, which have no intervals.
fn check_numbers(model: &Model, file: &str) -> Result<()> {
    match model.classes() {
        [] => Ok(()),
        _ => Err(Hinted::error(
            format!("{file}: --intervals: expected a model of numbers, got one of classes"),
            "how sure a class is, its probability says: leave the flag out",
        )),
    }
}

/// Refuses a level that the model has no intervals for.
fn check_level(model: &Model, percent: f64, level: f64, file: &str) -> Result<()> {
    let Some(calibration) = model.calibration() else {
        return Err(Hinted::error(
            format!(
                "{file}: --intervals: expected a calibrated model, got one without calibration"
            ),
            "fit again without --no-calibration",
        ));
    };
    if calibration.half_width(0, level).is_err() {
        let largest = 100.0 * calibration.levels().last().copied().unwrap_or(0.0);
        let rows: f64 = calibration.groups().iter().map(|group| group.rows).sum();
        return Err(Hinted::error(
            format!(
                "{file}: --intervals: expected at most {largest:.1}, which is what {rows:.0} held-out rows are enough for, got {percent}"
            ),
            "ask for less, or fit to more rows",
        ));
    }
    Ok(())
}

impl Detailed<'_> {
    fn names(&self) -> Vec<String> {
        if self.explain == Some(Layout::Long) {
            let of = match (self.outputs.is_empty(), self.model.classes()) {
                (true, _) => None,
                (_, []) => Some("target"),
                _ => Some("class"),
            };
            let rest = ["part", "feature", "contribution"];
            let names = std::iter::once("row").chain(of).chain(rest);
            return names.map(str::to_owned).collect();
        }
        let mut columns = any_model::columns(self.model);
        if self.level.is_some() {
            let ends = |of: String| ["lower", "upper"].map(|end| format!("{end}{of}"));
            columns.extend(self.suffixes(|name| format!("_{name}")).flat_map(ends));
        }
        if self.explain.is_some() {
            for of in self.suffixes(|name| format!("[{name}]")) {
                columns.push(format!("base{of}"));
                let names = self.columns.iter();
                columns.extend(names.map(|(name, _)| format!("contribution_{name}{of}")));
            }
        }
        columns
    }

    /// What is added to the name of a column for each output; nothing where there is one.
    fn suffixes(&self, of: impl Fn(&String) -> String) -> impl Iterator<Item = String> {
        let one = self.outputs.is_empty().then(String::new);
        let several: Vec<String> = self.outputs.iter().map(of).collect();
        one.into_iter().chain(several)
    }

    fn write(
        &mut self,
        rows: &MaskedMatrix,
        prefixes: &[String],
        out: &mut dyn Write,
    ) -> Result<()> {
        let explained = match self.explain {
            Some(_) => self.model.explain_each(rows)?,
            None => Vec::new(),
        };
        if self.explain == Some(Layout::Long) {
            return self.write_long(rows, &explained, prefixes, out);
        }
        for (i, (said, ends)) in self.said(rows)?.into_iter().enumerate() {
            write!(out, "{}{said}", prefixes[i])?;
            for (lower, upper) in ends {
                write!(out, ",{lower:?},{upper:?}")?;
            }
            for explained in &explained {
                write!(out, ",{:?}", explained[i].base)?;
                for (_, features) in &self.columns {
                    let contribution = contribution(&explained[i], features);
                    write!(out, ",{contribution:?}")?;
                }
            }
            writeln!(out)?;
        }
        Ok(())
    }

    /// What is said of each row, with the ends of its intervals, one for each target, where those are asked for.
    pub(super) fn said(&self, rows: &MaskedMatrix) -> Result<Vec<(Said<'_>, Vec<Ends>)>> {
        let said = any_model::said(self.model, rows)?.into_iter();
        let Some(level) = self.level else {
            return Ok(said.map(|said| (said, Vec::new())).collect());
        };
        let targets = self.model.each_target();
        let intervals = targets.map(|model| model.predict_intervals(rows, level));
        let intervals = intervals.collect::<gapfit::Result<Vec<Vec<Interval>>>>()?;
        let ends = |i: usize| {
            let of_row = intervals.iter().map(|of_target| of_target[i]);
            of_row
                .map(|interval| (interval.lower, interval.upper))
                .collect()
        };
        Ok(said.enumerate().map(|(i, said)| (said, ends(i))).collect())
    }

    fn write_long(
        &mut self,
        rows: &MaskedMatrix,
        explained: &[Vec<Explanation>],
        prefixes: &[String],
        out: &mut dyn Write,
    ) -> Result<()> {
        for (i, (row, prefix)) in rows.rows().zip(prefixes).enumerate() {
            self.n_rows += 1;
            let outputs = self.suffixes(|name| format!("{},", quoted(name)));
            for (of, explained) in outputs.zip(explained) {
                let start = format!("{prefix}{},{of}", self.n_rows);
                writeln!(out, "{start}base,,{:?}", explained[i].base)?;
                for (name, features) in &self.columns {
                    let contribution = contribution(&explained[i], features);
                    let part = match row.get(features.start) {
                        Some(_) => "observed",
                        None => "missing",
                    };
                    writeln!(out, "{start}{part},{},{contribution:?}", quoted(name))?;
                }
            }
        }
        Ok(())
    }
}

/// The targets of several, or more than two classes; otherwise none.
fn outputs(model: &Model) -> Vec<String> {
    match (model.n_targets(), model.classes()) {
        (1, [] | [_, _]) => Vec::new(),
        (1, classes) => classes.to_vec(),
        _ => model.target_names().map(str::to_owned).collect(),
    }
}

/// The columns behind the features of a model, each with its features.
fn columns(model: &Model) -> Vec<(String, Range<usize>)> {
    match model.schema() {
        Some(schema) => {
            let columns = schema.columns().iter().enumerate();
            let named =
                |(j, column): (usize, &SchemaColumn)| (column.name.clone(), schema.features(j));
            columns.map(named).collect()
        }
        None => {
            let names = model.feature_names().iter().enumerate();
            names.map(|(j, name)| (name.clone(), j..j + 1)).collect()
        }
    }
}

/// What a column adds to a prediction: the sum over its features.
pub(super) fn contribution(explanation: &Explanation, features: &Range<usize>) -> f64 {
    let parts = &explanation.contributions[features.clone()];
    parts.iter().sum()
}
