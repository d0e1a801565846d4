//! The same work done by several, and how much of something each takes.

use super::{Figure, listed};
use crate::chart::{Spot, dots};
use crate::number::{time, told};
use crate::table::{Cell, Table};

/// How long, or how much, each of several takes for the same work.
///
/// ```
/// use gapfit_report::{Race, Racer};
/// let racer = |name: &str, value| Racer { name: name.to_owned(), value, further: vec!["0.5".to_owned()] };
/// let race = Race {
///     id: "fit".to_owned(),
///     title: "A fit".to_owned(),
///     unit: "seconds".to_owned(),
///     columns: vec!["RMSE".to_owned()],
///     racers: vec![racer("ours", 0.5), racer("theirs", 5.0)],
/// };
/// assert!(race.figure().caption().contains("theirs 10"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Race {
    /// Its name in links and file names.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// What is measured; `seconds` are shown as times.
    pub unit: String,
    /// What else the table says of each.
    pub columns: Vec<String>,
    /// The contestants; others are compared with the first.
    pub racers: Vec<Racer>,
}

/// A contestant.
///
/// See [`Race`] for an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Racer {
    /// Its name.
    pub name: String,
    /// What it takes.
    pub value: f64,
    /// A cell for each further column.
    pub further: Vec<String>,
}

impl Race {
    /// The figure.
    pub fn figure(&self) -> Figure {
        let spot = |(colour, racer): (usize, &Racer)| Spot {
            name: racer.name.clone(),
            colour: colour.min(1),
            value: racer.value,
            tip: format!("{}: {}", racer.name, self.shown(racer.value)),
        };
        let spots: Vec<Spot> = self.racers.iter().enumerate().map(spot).collect();
        let mark = self.racers.first().map(|racer| racer.value);
        Figure {
            id: self.id.clone().into(),
            title: self.title.clone(),
            caption: self.caption(),
            picture: dots(&self.unit, &spots, mark),
            keys: Vec::new(),
            ramp: None,
            table: self.table(),
            is_main: false,
        }
    }

    fn shown(&self, value: f64) -> String {
        match self.unit == "seconds" {
            true => time(value),
            false => told(value),
        }
    }

    fn caption(&self) -> String {
        let Some((first, others)) = self.racers.split_first() else {
            return "Nothing was measured.".to_owned();
        };
        let words = match self.unit == "seconds" {
            true => format!("{} takes {}", first.name, self.shown(first.value)),
            false => format!("{}: {} {}", first.name, self.shown(first.value), self.unit),
        };
        let times = |racer: &Racer| {
            let ratio = racer.value / first.value;
            let ratio: f64 = format!("{ratio:.1e}").parse().unwrap_or(ratio);
            format!("{} {}", racer.name, told(ratio))
        };
        let times: Vec<String> = others.iter().map(times).collect();
        match times.is_empty() {
            true => words + ".",
            false => format!("{words}. Times that: {}.", listed(&times)),
        }
    }

    fn table(&self) -> Table {
        let head = ["work", &self.unit].map(str::to_owned).into_iter();
        let mut table = Table::new(head.chain(self.columns.iter().cloned()));
        for racer in &self.racers {
            let value = Cell::shown_as(racer.value, self.shown(racer.value));
            let further = racer.further.iter().map(Cell::text);
            table.push([Cell::text(&racer.name), value].into_iter().chain(further));
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_compared_with_the_first() {
        let racer = |name: &str, value| Racer {
            name: name.to_owned(),
            value,
            further: Vec::new(),
        };
        let race = |unit: &str| Race {
            id: "fit".to_owned(),
            title: "A fit".to_owned(),
            unit: unit.to_owned(),
            columns: Vec::new(),
            racers: vec![racer("ours", 0.02), racer("a", 2.0), racer("b", 0.005)],
        };
        assert_eq!(
            race("seconds").figure().caption,
            "ours takes 20.0 ms. Times that: a 100 and b 0.25."
        );
        assert_eq!(
            race("MB").figure().caption,
            "ours: 0.02 MB. Times that: a 100 and b 0.25."
        );
    }
}
