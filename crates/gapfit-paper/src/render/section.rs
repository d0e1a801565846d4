//! The part of the document about one experiment.

use super::{Block, Chart, Series, Table};
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
        (!of.remark.is_empty()).then(|| format!("{}: {}", of.name, of.remark))
    });
    let remarks: Vec<String> = remarks.collect();
    if !remarks.is_empty() {
        blocks.push(Block::List(remarks));
    }
    blocks
}

/// Every row beside the paper's figure, both tunings on one line.
fn long(outcome: &Outcome) -> Table {
    let metric = outcome.experiment.metric;
    let header = [
        "cell",
        "method",
        "paper",
        "tuned as in the paper",
        "difference",
        "mark",
        "honest",
        "difference",
        "mark",
    ];
    let mut rows: Vec<Vec<String>> = Vec::new();
    for row in outcome
        .rows
        .iter()
        .filter(|row| row.method.as_deref() != Some("F"))
    {
        if let Some(reason) = &row.not_run {
            let mut line = vec![row.cell.clone(), reason.clone()];
            line.resize(header.len(), String::new());
            rows.push(line);
            continue;
        }
        let method = row.method.clone().unwrap_or_default();
        let last = rows
            .last_mut()
            .filter(|line| line[0] == row.cell && line[1] == method);
        let line = match last {
            Some(line) => line,
            None => {
                let mut line = vec![row.cell.clone(), method, String::new()];
                line.resize(header.len(), String::new());
                rows.push(line);
                rows.last_mut().expect("one was pushed")
            }
        };
        let from = if row.tuning == Some(Tuning::Paper) {
            3
        } else {
            6
        };
        line[from] = figure(metric, row);
        if let Some(paper) = row.paper {
            line[2] = plus_minus(metric, paper.mean, Some(paper.sd));
            line[from + 1] = format!("{:+.1}", paper.difference);
            line[from + 2] = paper.mark.name().to_owned();
        }
    }
    Table {
        header: header.map(str::to_owned).to_vec(),
        rows,
    }
}

/// Cells, and their places on an axis, against methods.
fn wide(outcome: &Outcome, tunings: &[Tuning]) -> Table {
    let is_meant = |row: &&Row| row.tuning.is_none_or(|tuning| tunings.contains(&tuning));
    let rows: Vec<&Row> = outcome.rows.iter().filter(is_meant).collect();
    let has_x = rows.iter().any(|row| row.x.is_some());
    let mut methods: Vec<&str> = Vec::new();
    for method in rows.iter().filter_map(|row| row.method.as_deref()) {
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    let x_name = outcome
        .experiment
        .chart
        .as_ref()
        .map_or("x", |axes| axes.x.as_str());
    let x_name = if has_x { vec![x_name] } else { vec![] };
    let header = ["cell"]
        .into_iter()
        .chain(x_name)
        .chain(methods.iter().copied());
    let header: Vec<String> = header.map(str::to_owned).collect();
    let mut lines: Vec<(String, Option<f64>, Vec<String>)> = Vec::new();
    for row in rows {
        let start = usize::from(has_x) + 1;
        let is_same =
            |line: &&mut (String, Option<f64>, Vec<String>)| line.0 == row.cell && line.1 == row.x;
        let line = match lines.iter_mut().find(is_same) {
            Some(line) => line,
            None => {
                let mut cells = vec![row.cell.clone()];
                cells.extend(has_x.then(|| row.x.map_or(String::new(), |x| x.to_string())));
                cells.resize(header.len(), String::new());
                lines.push((row.cell.clone(), row.x, cells));
                lines.last_mut().expect("one was pushed")
            }
        };
        match (&row.not_run, row.method.as_deref()) {
            (Some(reason), _) => line.2[start..][0].clone_from(reason),
            (None, Some(method)) => {
                let at = methods.iter().position(|of| *of == method).unwrap_or(0);
                line.2[start + at] = figure(outcome.experiment.metric, row);
            }
            (None, None) => {}
        }
    }
    Table {
        header,
        rows: lines.into_iter().map(|(_, _, cells)| cells).collect(),
    }
}

/// Sizes and shares of cells beside the paper's.
fn sizes(outcome: &Outcome) -> Table {
    let header = [
        "set",
        "m",
        "d",
        "F",
        "paper's m",
        "d",
        "F",
        "difference",
        "mark",
    ];
    let mut rows: Vec<Vec<String>> = Vec::new();
    for row in &outcome.rows {
        if rows.last().is_none_or(|line| line[0] != row.cell) {
            let mut line = vec![row.cell.clone()];
            line.resize(header.len(), String::new());
            rows.push(line);
        }
        let line = rows.last_mut().expect("one was pushed");
        let Some(method) = row.method.as_deref() else {
            line[1] = row.not_run.clone().unwrap_or_default();
            continue;
        };
        let at = ["m", "d", "F"]
            .iter()
            .position(|of| *of == method)
            .unwrap_or(0);
        let whole = |x: f64| format!("{x:.0}");
        let is_share = method == "F";
        line[1 + at] = match is_share {
            true => figure(Metric::Fraction, row),
            false => row.mean.map(whole).unwrap_or_default(),
        };
        if let Some(paper) = row.paper {
            line[4 + at] = match is_share {
                true => plus_minus(Metric::Fraction, paper.mean, Some(paper.sd)),
                false => whole(paper.mean),
            };
            if is_share {
                line[7] = format!("{:+.1}", paper.difference);
                line[8] = paper.mark.name().to_owned();
            }
        }
    }
    Table {
        header: header.map(str::to_owned).to_vec(),
        rows,
    }
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

fn figure(metric: Metric, row: &Row) -> String {
    row.mean
        .map_or(String::new(), |mean| plus_minus(metric, mean, row.sd))
}

/// A mean and its deviation, in as many digits as the paper has, or four.
fn plus_minus(metric: Metric, mean: f64, sd: Option<f64>) -> String {
    let number = |x: f64| match metric {
        Metric::Fraction => format!("{x:.2}"),
        Metric::Rmse | Metric::Mistakes => format!("{x:.3}"),
        Metric::Explained => format!("{x:.4}"),
        Metric::Theory => significant(x),
    };
    match sd {
        Some(sd) if sd > 0.0 || metric != Metric::Theory => {
            format!("{} ± {}", number(mean), number(sd))
        }
        _ => number(mean),
    }
}

/// Three significant digits.
fn significant(x: f64) -> String {
    match x.abs() {
        0.0 => "0".to_owned(),
        magnitude if (0.01..100.0).contains(&magnitude) => {
            let decimals = (2.0 - magnitude.log10().floor()).clamp(0.0, 6.0) as usize;
            format!("{x:.decimals$}")
        }
        magnitude if (100.0..1e6).contains(&magnitude) => format!("{x:.0}"),
        _ => format!("{x:.2e}"),
    }
}
