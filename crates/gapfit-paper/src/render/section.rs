//! The part of the document about one experiment.

use super::table::{long, sizes, wide};
use super::{Block, Chart, Series};
use crate::experiment::{Axes, Metric};
use crate::outcome::{Outcome, Row};
use crate::trial::Tuning;

/// Heading, notes, charts and tables.
pub(super) fn blocks(outcome: &Outcome) -> Vec<Block> {
    let experiment = &outcome.experiment;
    let mut blocks = vec![
        Block::Heading(format!("{}: {}", experiment.name, experiment.title)),
        Block::Text(format!("{}. {}", experiment.place, experiment.note.trim())),
    ];
    match (&experiment.chart, experiment.metric) {
        (Some(axes), _) => blocks.extend(charts(outcome, axes)),
        (None, Metric::Fraction) => blocks.push(Block::Table(sizes(outcome))),
        (None, Metric::Theory | Metric::Explained) => {
            blocks.push(Block::Table(wide(outcome, &[Tuning::None, Tuning::Honest])));
        }
        (None, Metric::Rmse | Metric::Mistakes) => blocks.push(Block::Table(long(outcome))),
    }
    let remarks = (0..experiment.n_cells()).filter_map(|cell| {
        let of = experiment.drawn(cell)?;
        let was_run = outcome
            .rows
            .iter()
            .any(|row| row.cell == of.name && row.mean.is_some());
        (was_run && !of.remark.is_empty()).then(|| format!("{}: {}", of.name, of.remark))
    });
    let remarks: Vec<String> = remarks.collect();
    if !remarks.is_empty() {
        blocks.push(Block::List(remarks));
    }
    blocks
}

/// A chart per cell and tuning, each above its numbers.
fn charts(outcome: &Outcome, axes: &Axes) -> Vec<Block> {
    let mut blocks = Vec::new();
    let tunings = [
        (Tuning::Paper, "tuned as in the paper"),
        (Tuning::Honest, "honest"),
        (Tuning::None, ""),
    ];
    for (tuning, title) in tunings {
        let is_meant = |row: &&Row| row.tuning == Some(tuning) && row.x.is_some();
        let is_drawn = |row: &&Row| is_meant(row) && row.method.as_deref() != Some("F");
        let drawn: Vec<&Row> = outcome.rows.iter().filter(is_drawn).collect();
        let mut cells: Vec<&str> = Vec::new();
        for row in &drawn {
            if !cells.contains(&row.cell.as_str()) {
                cells.push(&row.cell);
            }
        }
        for (c, cell) in cells.iter().enumerate() {
            let of_cell: Vec<&Row> = drawn
                .iter()
                .copied()
                .filter(|row| row.cell == *cell)
                .collect();
            let word = if tuning == Tuning::Honest {
                "-honest"
            } else {
                ""
            };
            let number = if c > 0 {
                format!("-{}", c + 1)
            } else {
                String::new()
            };
            let name = format!("{}{number}{word}.svg", outcome.experiment.name);
            let chart = chart(outcome, &of_cell, axes, &format!("{cell}, {title}"));
            blocks.push(Block::Figure(name, chart));
        }
        if !drawn.is_empty() {
            blocks.push(Block::Text(sentence(title)));
            blocks.push(Block::Table(wide(outcome, &[tuning])));
        }
    }
    if blocks.is_empty() {
        blocks.push(Block::Table(wide(outcome, &[])));
    }
    blocks
}

fn sentence(title: &str) -> String {
    match title {
        "" => "The figures:".to_owned(),
        _ => format!("The figures, {title}:"),
    }
}

fn chart(outcome: &Outcome, rows: &[&Row], axes: &Axes, title: &str) -> Chart {
    let place = |row: &Row| match &axes.measured_by {
        None => row.x,
        Some(method) => {
            let is_it = |of: &&Row| {
                of.method.as_deref() == Some(method) && of.cell == row.cell && of.x == row.x
            };
            outcome.rows.iter().find(is_it).and_then(|row| row.mean)
        }
    };
    let mut series: Vec<Series> = Vec::new();
    for row in rows {
        let (Some(x), Some(y), Some(method)) = (place(row), row.mean, &row.method) else {
            continue;
        };
        match series.iter_mut().find(|of| of.name == *method) {
            Some(of) => of.points.push((x, y)),
            None => series.push(Series {
                name: method.clone(),
                points: vec![(x, y)],
            }),
        }
    }
    for of in &mut series {
        of.points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    Chart {
        title: title.trim_end_matches(", ").to_owned(),
        x: axes.x.clone(),
        y: axes.y.clone(),
        is_log: axes.is_log,
        series,
    }
}
