//! The tables of an experiment: against the paper, cells against methods, sizes.

use super::Table;
use super::number::{figure, plus_minus};
use crate::experiment::Metric;
use crate::outcome::{Outcome, Row};
use crate::trial::Tuning;

/// Every row beside the paper's figure, both tunings on one line.
pub(super) fn long(outcome: &Outcome) -> Table {
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
pub(super) fn wide(outcome: &Outcome, tunings: &[Tuning]) -> Table {
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
pub(super) fn sizes(outcome: &Outcome) -> Table {
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
