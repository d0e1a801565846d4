//! What was measured, before it is laid out.

use crate::report::Machine;
use gapfit_report::{Growth, GrowthLine, Race, Racer, Told, Verdict};
use serde::Serialize;
use std::collections::BTreeMap;

/// Everything that the page shows.
#[derive(Debug, Serialize)]
pub(crate) struct Results {
    pub(super) machine: Machine,
    /// Versions by name.
    pub(super) peers: BTreeMap<String, String>,
    pub(super) rounds: u32,
    pub(super) quick: bool,
    pub(super) parts: Vec<Part>,
}

/// What was measured about one thing.
#[derive(Debug, Serialize)]
pub(super) struct Part {
    pub(super) title: String,
    /// What was done, in a paragraph.
    pub(super) text: String,
    pub(super) bars: Vec<Bar>,
    pub(super) races: Vec<Contest>,
    pub(super) curves: Vec<Curve>,
}

/// What was asked for beside what was measured.
#[derive(Debug, Serialize)]
pub(super) struct Bar {
    work: String,
    measured: f64,
    /// After the number.
    unit: &'static str,
    bar: f64,
    is_least: bool,
}

/// The same work by several.
#[derive(Debug, Serialize)]
pub(super) struct Contest {
    pub(super) title: String,
    pub(super) unit: &'static str,
    pub(super) columns: Vec<String>,
    pub(super) entrants: Vec<Entrant>,
}

#[derive(Debug, Serialize)]
pub(super) struct Entrant {
    pub(super) name: String,
    pub(super) value: f64,
    pub(super) further: Vec<String>,
}

/// Times over sizes.
#[derive(Debug, Serialize)]
pub(super) struct Curve {
    pub(super) title: String,
    /// What the sizes are.
    pub(super) x: String,
    pub(super) is_log: bool,
    pub(super) kind: Kind,
    pub(super) lines: Vec<(String, Vec<(f64, f64)>)>,
}

/// What the lines of a curve are to each other.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) enum Kind {
    /// They do the same work.
    Rivals,
    /// They are parts of one work.
    Parts,
    /// Each does something else.
    Each,
}

impl Part {
    pub(super) fn new(title: &str, text: &str) -> Self {
        Self {
            title: title.to_owned(),
            text: text.to_owned(),
            bars: Vec::new(),
            races: Vec::new(),
            curves: Vec::new(),
        }
    }

    /// Adds a contest in seconds, without further columns.
    pub(super) fn race(&mut self, title: &str, seconds: impl IntoIterator<Item = (String, f64)>) {
        let entrant = |(name, value)| Entrant {
            name,
            value,
            further: Vec::new(),
        };
        self.races.push(Contest {
            title: title.to_owned(),
            unit: "seconds",
            columns: Vec::new(),
            entrants: seconds.into_iter().map(entrant).collect(),
        });
    }
}

impl Bar {
    pub(super) fn at_least(work: &str, measured: f64, bar: f64) -> Self {
        Self {
            work: work.to_owned(),
            measured,
            unit: "",
            bar,
            is_least: true,
        }
    }

    pub(super) fn at_most(work: &str, measured: f64, bar: f64) -> Self {
        Self {
            is_least: false,
            ..Self::at_least(work, measured, bar)
        }
    }

    pub(super) fn in_unit(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }

    pub(super) fn verdict(&self) -> Verdict {
        let (which, margin) = match self.is_least {
            true => ("at least", self.measured / self.bar),
            false => ("at most", self.bar / self.measured),
        };
        // enough digits to see on which side of the bar a number lies
        let decimals = if (margin - 1.0).abs() < 0.02 { 4 } else { 2 };
        let decimals = if self.measured >= 100.0 { 0 } else { decimals };
        Verdict {
            work: self.work.clone(),
            measured: format!("{:.decimals$}{}", self.measured, self.unit),
            bar: format!("{which} {}{}", self.bar, self.unit),
            margin,
        }
    }
}

impl Contest {
    pub(super) fn race(&self) -> Race {
        let racer = |entrant: &Entrant| Racer {
            name: entrant.name.clone(),
            value: entrant.value,
            further: entrant.further.clone(),
        };
        Race {
            id: id(&self.title),
            title: self.title.clone(),
            unit: self.unit.to_owned(),
            columns: self.columns.clone(),
            racers: self.entrants.iter().map(racer).collect(),
        }
    }
}

impl Curve {
    pub(super) fn growth(&self) -> Growth {
        let line = |(name, points): &(String, Vec<(f64, f64)>)| GrowthLine {
            name: name.clone(),
            points: points.clone(),
        };
        Growth {
            id: id(&self.title),
            title: self.title.clone(),
            x: self.x.clone(),
            is_log: self.is_log,
            told: match self.kind {
                Kind::Rivals => Told::Rivals,
                Kind::Parts => Told::Parts,
                Kind::Each => Told::Each,
            },
            lines: self.lines.iter().map(line).collect(),
        }
    }

    /// Notes a time.
    pub(super) fn note(&mut self, name: &str, x: f64, seconds: f64) {
        match self.lines.iter_mut().find(|line| line.0 == name) {
            Some(line) => line.1.push((x, seconds)),
            None => self.lines.push((name.to_owned(), vec![(x, seconds)])),
        }
    }
}

/// A title as the name of a file and of a place on the page.
fn id(title: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            ' '
        }
    };
    let text: String = title.chars().map(plain).collect();
    text.split_whitespace().collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_met_on_its_own_side_and_near_it_digits_show_which() {
        let word = |bar: Bar| (bar.verdict().word(), bar.verdict().measured);
        assert_eq!(
            word(Bar::at_least("a", 12.0, 10.0)),
            ("met", "12.00".to_owned())
        );
        assert_eq!(
            word(Bar::at_least("a", 9.0, 10.0)),
            ("NOT met", "9.00".to_owned())
        );
        assert_eq!(
            word(Bar::at_most("a", 9.0, 10.0)),
            ("met", "9.00".to_owned())
        );
        assert_eq!(
            word(Bar::at_most("a", 1.001, 1.0)),
            ("NOT met", "1.0010".to_owned())
        );
        let megabytes = Bar::at_most("a", 612.3, 500.0).in_unit(" MB").verdict();
        assert_eq!(
            (megabytes.measured, megabytes.bar),
            ("612 MB".to_owned(), "at most 500 MB".to_owned())
        );
    }

    #[test]
    fn names_of_files_are_plain() {
        assert_eq!(id("CSV, 10^6 rows: a fit"), "csv-10-6-rows-a-fit");
    }
}
