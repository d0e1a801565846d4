//! One run over a stream: predict, score, learn; print, save.

use anyhow::{Context, Result};
use gapfit::data::{MaskedMatrix, RowBuffer};
use gapfit::loss::Loss;
use gapfit::online::{Learn, RegretMeter, StreamLearner};
use gapfit_io::closest;
use gapfit_io::stream::Row;
use std::ops::ControlFlow;

use super::checkpoint::Progress;
use super::columns::Columns;
use super::said::Said;
use super::score::{Line, RegretLine};
use super::timeline::Timeline;
use crate::csv_cell::quoted;
use crate::growing::Growing;
use crate::interrupt;
use crate::text_table::short;

/// Relative gap to which comparators are solved.
const GAP: f64 = 1e-3;

/// A row on its own, kept while the learner is not there yet.
#[derive(Debug)]
pub(super) struct Kept {
    names: Vec<String>,
    line: u64,
    features: RowBuffer,
    pub(super) target: Option<String>,
    weight: f64,
    id: Option<String>,
}

impl Kept {
    pub(super) fn of(row: &Row<'_>) -> Self {
        let mut features = RowBuffer::default();
        features.copy_from(row.features);
        Self {
            names: row.names.to_vec(),
            line: row.line,
            features,
            target: row.target.map(str::to_owned),
            weight: row.weight,
            id: row.id.map(str::to_owned),
        }
    }

    pub(super) fn row(&self) -> Row<'_> {
        Row {
            line: self.line,
            names: &self.names,
            features: self.features.as_row(),
            target: self.target.as_deref(),
            weight: self.weight,
            id: self.id.as_deref(),
        }
    }
}

/// The rows as one table, `width` wide.
pub(super) fn table(rows: &[Result<Kept>], width: usize) -> Result<MaskedMatrix> {
    let mut table = MaskedMatrix::new(width);
    for kept in rows.iter().flatten() {
        let row = kept.features.as_row();
        let cell = |j| (j < row.values().len()).then(|| row.get(j)).flatten();
        table.push_row((0..width).map(cell))?;
    }
    Ok(table)
}

/// What is learnt, scored and written on the way.
pub(super) struct Session {
    pub(super) learner: StreamLearner,
    pub(super) progress: Progress,
    pub(super) predictions: Option<Growing>,
    pub(super) meter: Option<RegretMeter>,
    /// What a report will show; kept only for one.
    pub(super) timeline: Option<Timeline>,
    /// The losses of the rows that were learnt before the run was resumed.
    pub(super) suffered_before: f64,
    pub(super) columns: Columns,
    /// Whether nothing is learnt.
    pub(super) is_test: bool,
    /// Whether each prediction is handed on at once.
    pub(super) is_live: bool,
    pub(super) has_ids: bool,
    pub(super) ignored_columns: usize,
    pub(super) view: RowBuffer,
}

impl Session {
    pub(super) fn loss(&self) -> Loss {
        self.learner.loss()
    }

    /// Predicts a row, scores it, learns from it. A row that is refused changes nothing.
    pub(super) fn take(&mut self, row: &Row<'_>) -> Result<()> {
        let mut targets = self.progress.targets.clone();
        let target = row.target.map(|text| targets.number(text)).transpose();
        let target = target.with_context(|| format!("target {:?}", self.progress.target))?;
        self.extend(row.names)?;
        self.progress.targets = targets;
        let (loss, weight) = (self.loss(), row.weight);
        let features = (self.columns).place(row.features, self.learner.feature_names().len());
        let prediction = match target {
            Some(y) if !self.is_test => {
                if self.meter.is_some() {
                    self.learner.view(features, &mut self.view)?;
                }
                self.learner.learn(features, y, weight)?.prediction
            }
            _ => self.learner.predict(features)?,
        };
        let holes = features.observed().n_features() - features.observed().count();
        let score = &mut self.progress.score;
        score.see(features.values().len(), holes);
        match target {
            Some(y) => score.add(loss, prediction, y, weight),
            None => score.unlabelled += 1,
        }
        if let Some(timeline) = &mut self.timeline {
            let suffered = target.map(|y| (weight, loss.value(prediction, y)));
            timeline.add(features, suffered, score);
        }
        if let (Some(meter), Some(y)) = (&mut self.meter, target) {
            meter.add(self.view.as_row(), y, weight, loss.value(prediction, y))?;
        }
        self.write(row.id, prediction)
    }

    /// Lets the learner, and the meter, have the columns of the stream.
    fn extend(&mut self, names: &[String]) -> Result<()> {
        let extended = self.columns.extend(names, &mut self.learner)?;
        self.ignored_columns += extended.ignored;
        if let Some(meter) = &mut self.meter {
            for _ in 0..extended.added {
                meter.add_column()?;
            }
        }
        Ok(())
    }

    /// Shows the meter a row that was learnt before the run was resumed; running units are those of now.
    pub(super) fn remember(&mut self, row: &Row<'_>) -> Result<()> {
        self.extend(row.names)?;
        let (Some(meter), Some(text)) = (&mut self.meter, row.target) else {
            return Ok(());
        };
        let features = (self.columns).place(row.features, self.learner.feature_names().len());
        let target = self.progress.targets.number(text)?;
        self.learner.view(features, &mut self.view)?;
        meter.add(self.view.as_row(), target, row.weight, 0.0)?;
        Ok(())
    }

    fn write(&mut self, id: Option<&str>, prediction: f64) -> Result<()> {
        let loss = self.loss();
        let Some(out) = &mut self.predictions else {
            return Ok(());
        };
        let mut line = String::new();
        if out.bytes() == 0 {
            line += if self.has_ids { "id," } else { "" };
            line += if loss.is_classification() {
                "prediction,score\n"
            } else {
                "prediction\n"
            };
        }
        if self.has_ids {
            line += &quoted(id.unwrap_or_default());
            line.push(',');
        }
        line += &Said::of(&self.progress.targets, loss, prediction).to_string();
        line.push('\n');
        out.write(line.as_bytes())?;
        if self.is_live {
            out.flush()?;
        }
        Ok(())
    }

    /// The line of this moment.
    pub(super) fn line(&mut self) -> Result<Line> {
        let regret = match &mut self.meter {
            None => None,
            Some(meter) => {
                let go_on = |_: &_| match interrupt::is_asked() {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                };
                Some(RegretLine::of(
                    &meter.measure(GAP, go_on)?,
                    self.suffered_before,
                ))
            }
        };
        if let (Some(timeline), Some(regret)) = (&mut self.timeline, regret) {
            timeline.add_regret(regret, self.progress.score.rows);
        }
        let loss = self.loss();
        Ok(self.progress.score.line(loss, regret))
    }

    /// What the user may want to know at the end.
    pub(super) fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        let mut remark = |count: u64, what: &str| {
            if count > 0 {
                remarks.push(format!("{count} rows {what}"));
            }
        };
        remark(self.progress.skipped, "were malformed and skipped");
        remark(
            self.progress.score.unlabelled,
            "had no target: predicted, not learnt",
        );
        remark(
            self.learner.clipped(),
            "asked for a step that was too long and was cut",
        );
        if let Some(meter) = &self.meter {
            remark(
                meter.skipped(),
                "are not in the regret: no room, or too large",
            );
        }
        let target = &self.progress.target;
        let names = self.learner.feature_names().iter().map(String::as_str);
        if self.progress.score.rows == 0
            && let Some(near) = closest(target, names)
        {
            remarks.push(format!("no row had {target:?}; did you mean {near:?}?"));
        }
        if self.ignored_columns > 0 {
            let count = self.ignored_columns;
            remarks.push(format!(
                "{count} columns came too late and were ignored (--max-columns)"
            ));
        }
        if let Some(auto) = self.learner.auto() {
            let best = auto.shares().into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
            if let Some((name, share)) = best {
                let share = short(100.0 * share);
                remarks.push(format!("most weight, {share} %, on: {name}"));
            }
        }
        remarks
    }
}
