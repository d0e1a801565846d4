//! What a profile says, as JSON and as tables.

use gapfit::profile::{Association, Estimate, Tally};
use gapfit_io::{Look, Survey, SurveyColumn};
use serde::Serialize;

use crate::text_table::{TextTable, short};

/// Missing columns of a mask that the text names, at most.
const NAMED: usize = 8;

/// What the JSON says.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    n_rows: usize,
    n_columns: usize,
    n_features: usize,
    observed_fraction: f64,
    complete_rows: usize,
    /// All of them, in the order of the table.
    columns: Vec<ColumnLine>,
    n_masks: usize,
    /// The commonest first.
    masks: Vec<MaskLine>,
    /// The most correlated first.
    together: Vec<PairLine>,
    /// The surest first; empty without a target.
    target: Vec<TargetLine>,
    fit: Fit,
    #[serde(skip)]
    top: usize,
}

#[derive(Debug, Serialize)]
struct ColumnLine {
    name: String,
    kind: &'static str,
    /// Different texts; categories only.
    #[serde(skip_serializing_if = "Option::is_none")]
    distinct: Option<usize>,
    n_features: usize,
    missing: usize,
    fraction: f64,
}

#[derive(Debug, Serialize)]
struct MaskLine {
    rows: usize,
    missing: Vec<String>,
}

#[derive(Debug, Serialize)]
struct PairLine {
    columns: [String; 2],
    both: usize,
    correlation: f64,
}

#[derive(Debug, Serialize)]
struct TargetLine {
    column: String,
    /// Whose share is compared; absent where the target is numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<String>,
    difference: f64,
    standard_error: f64,
    p: f64,
}

#[derive(Debug, Serialize)]
struct Fit {
    unknowns: f64,
    bytes: f64,
    /// On one thread.
    seconds: f64,
}

impl Report {
    pub(super) fn new(survey: &Survey, top: usize) -> Self {
        let profile = &survey.profile;
        let names = survey.columns.iter().map(|column| column.name.clone());
        let names: Vec<String> = names.collect();
        let widths = survey.columns.iter().map(|column| column.look.n_features());
        let widths: Vec<usize> = widths.collect();
        let (n, d) = (profile.n_rows, names.len());
        let name = |&j: &usize| names[j].clone();
        let holes: usize = profile.missing.iter().sum();
        let complete = profile.masks.iter().find(|mask| mask.missing.is_empty());
        let Estimate {
            unknowns,
            bytes,
            seconds,
        } = profile.estimate(&widths);
        Self {
            n_rows: n,
            n_columns: d,
            n_features: widths.iter().sum(),
            observed_fraction: 1.0 - holes as f64 / (n * d) as f64,
            complete_rows: complete.map_or(0, |mask| mask.rows),
            columns: profile
                .missing
                .iter()
                .zip(&survey.columns)
                .map(|(&missing, column)| ColumnLine::new(column, missing, n))
                .collect(),
            n_masks: profile.masks.len(),
            masks: profile
                .masks
                .iter()
                .take(top)
                .map(|mask| MaskLine {
                    rows: mask.rows,
                    missing: mask.missing.iter().map(name).collect(),
                })
                .collect(),
            together: profile
                .together(top)
                .iter()
                .map(|pair| PairLine::new(pair, &names))
                .collect(),
            target: survey
                .associations
                .iter()
                .map(|a| TargetLine::new(a, &names, &survey.classes))
                .collect(),
            fit: Fit {
                unknowns,
                bytes,
                seconds,
            },
            top,
        }
    }

    /// The tables, under lines that say what they are.
    pub(super) fn text(&self, target: Option<&str>) -> String {
        let mut text = format!(
            "{}, {}, {:.1} % of the cells observed, {} complete\n",
            counted(self.n_rows, "row"),
            counted(self.n_columns, "column"),
            100.0 * self.observed_fraction,
            counted(self.complete_rows, "row"),
        );
        text += &format!("\nColumns, those with most holes first\n{}", self.kinds());
        let least = if self.n_masks < Tally::MOST {
            ""
        } else {
            " or more"
        };
        let masks = counted(self.n_masks, "different mask") + least;
        text += &format!("\n{masks}\n{}", self.common());
        if !self.together.is_empty() {
            text += &format!("\nMissing together\n{}", self.pairs());
        }
        if let Some(target) = target {
            text += &format!("\n{target:?} where a column is missing\n{}", self.targets());
        }
        let Fit {
            unknowns,
            bytes,
            seconds,
        } = &self.fit;
        text + &format!(
            "\ngapfit fit: {}, about {} unknowns, {} of memory, {} s on one thread\n",
            counted(self.n_features, "feature"),
            short(*unknowns),
            size(*bytes),
            short(format!("{seconds:.0e}").parse().unwrap_or(*seconds))
        )
    }

    fn kinds(&self) -> TextTable {
        let mut table = TextTable::new(["column", "kind", "missing", "%"]);
        let mut columns: Vec<&ColumnLine> = self.columns.iter().collect();
        columns.sort_by_key(|column| std::cmp::Reverse(column.missing));
        for column in columns.into_iter().take(self.top) {
            table.push([
                column.name.clone(),
                column.kind(),
                column.missing.to_string(),
                format!("{:.1}", 100.0 * column.fraction),
            ]);
        }
        table
    }

    fn common(&self) -> TextTable {
        let mut table = TextTable::new(["missing", "rows", "%"]);
        for mask in &self.masks {
            let columns = match &mask.missing[..] {
                [] => "nothing".to_owned(),
                columns if columns.len() > NAMED + 1 => {
                    let others = columns.len() - NAMED;
                    format!("{} and {others} others", columns[..NAMED].join(", "))
                }
                columns => columns.join(", "),
            };
            let percent = format!("{:.1}", 100.0 * mask.rows as f64 / self.n_rows as f64);
            table.push([columns, mask.rows.to_string(), percent]);
        }
        table
    }

    fn pairs(&self) -> TextTable {
        let mut table = TextTable::new(["columns", "both", "correlation"]);
        for pair in &self.together {
            let correlation = format!("{:.2}", pair.correlation);
            table.push([pair.columns.join(", "), pair.both.to_string(), correlation]);
        }
        table
    }

    fn targets(&self) -> TextTable {
        let has_classes = self.target.iter().any(|line| line.class.is_some());
        let head = if has_classes { Some("share of") } else { None };
        let rest = ["difference", "±", "p", "informative"];
        let mut table = TextTable::new(std::iter::once("column").chain(head).chain(rest));
        for line in self.target.iter().take(self.top) {
            let verdict = if line.p < 0.05 { "yes" } else { "not seen" };
            let rest = [
                short(line.difference),
                short(line.standard_error),
                format!("{:.2}", line.p),
                verdict.to_owned(),
            ];
            let column = std::iter::once(line.column.clone());
            table.push(column.chain(line.class.clone()).chain(rest));
        }
        table
    }
}

impl ColumnLine {
    fn new(column: &SurveyColumn, missing: usize, n_rows: usize) -> Self {
        let distinct = match column.look {
            Look::Categories { distinct, .. } => Some(distinct),
            _ => None,
        };
        Self {
            name: column.name.clone(),
            kind: column.look.name(),
            distinct,
            n_features: column.look.n_features(),
            missing,
            fraction: missing as f64 / n_rows as f64,
        }
    }

    fn kind(&self) -> String {
        let kind = self.kind;
        self.distinct
            .map_or(kind.to_owned(), |distinct| format!("{kind} ({distinct})"))
    }
}

impl PairLine {
    fn new(pair: &gapfit::profile::Pair, names: &[String]) -> Self {
        let (first, second) = pair.columns;
        Self {
            columns: [names[first].clone(), names[second].clone()],
            both: pair.both,
            correlation: pair.correlation,
        }
    }
}

impl TargetLine {
    fn new(association: &Association, names: &[String], classes: &[String]) -> Self {
        Self {
            column: names[association.column].clone(),
            class: association.class.map(|class| classes[class].clone()),
            difference: association.difference,
            standard_error: association.standard_error,
            p: association.p,
        }
    }
}

/// `1 row`, `2 rows`.
fn counted(count: usize, what: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {what}{ending}")
}

/// Bytes in a unit that suits them.
fn size(bytes: f64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let step = (bytes.max(1.0).log10() / 3.0).floor().clamp(0.0, 4.0);
    format!("{:.0} {}", bytes / 1e3f64.powf(step), units[step as usize])
}
