//! What was asked for, and whether it was reached.

use super::{Figure, Key};
use crate::chart::{Spot, dots};
use crate::number::{counted, told};
use crate::table::{Cell, Table};

/// What was asked for beside what was measured.
///
/// ```
/// use gapfit_report::{Verdict, Verdicts};
/// let verdict = Verdict { work: "fit".to_owned(), measured: "12 x".to_owned(), bar: "at least 10 x".to_owned(), margin: 1.2 };
/// let figure = Verdicts { verdicts: vec![verdict] }.figure();
/// assert_eq!(figure.caption(), "All of 1 bar are met.");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Verdicts {
    /// One for each bar.
    pub verdicts: Vec<Verdict>,
}

/// One bar.
///
/// See [`Verdicts`] for an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What it is about.
    pub work: String,
    /// What was measured.
    pub measured: String,
    /// What was asked for.
    pub bar: String,
    /// How many times better than asked for; below 1 the bar is not met.
    pub margin: f64,
}

impl Verdict {
    /// Whether what was asked for was reached.
    pub fn is_met(&self) -> bool {
        self.margin >= 1.0
    }

    /// The same in words.
    pub fn word(&self) -> &'static str {
        if self.is_met() { "met" } else { "NOT met" }
    }
}

impl Verdicts {
    /// The figure.
    pub fn figure(&self) -> Figure {
        let spot = |verdict: &Verdict| Spot {
            name: verdict.work.clone(),
            colour: usize::from(!verdict.is_met()),
            value: verdict.margin,
            tip: format!(
                "{}: {}, {} ({})",
                verdict.work,
                verdict.measured,
                verdict.bar,
                verdict.word()
            ),
        };
        let spots: Vec<Spot> = self.verdicts.iter().map(spot).collect();
        let key = |(colour, name): (usize, &str)| Key {
            name: name.to_owned(),
            colour,
        };
        Figure {
            id: "verdicts".into(),
            title: "What was asked for".to_owned(),
            caption: self.caption(),
            picture: dots("times better than asked for", &spots, Some(1.0)),
            keys: ["met", "NOT met"]
                .into_iter()
                .enumerate()
                .map(key)
                .collect(),
            ramp: None,
            table: self.table(),
            is_main: true,
        }
    }

    fn caption(&self) -> String {
        let bars = counted(self.verdicts.len(), "bar", "bars");
        let missed = self.verdicts.iter().filter(|verdict| !verdict.is_met());
        let count = missed.clone().count();
        let Some(furthest) = missed.min_by(|a, b| a.margin.total_cmp(&b.margin)) else {
            return format!("All of {bars} are met.");
        };
        let words = match count {
            1 => "one is not met".to_owned(),
            n => format!("{n} are not met, the furthest"),
        };
        format!(
            "Of {bars}, {words}: {} ({} of what was asked for).",
            furthest.work,
            told(furthest.margin)
        )
    }

    fn table(&self) -> Table {
        // the first cell of a row is cut when it is long, and works are
        let mut table = Table::new(["verdict", "measured", "bar", "work"]);
        for verdict in &self.verdicts {
            let texts = [&verdict.measured, &verdict.bar, &verdict.work];
            let word = Cell::text(verdict.word());
            table.push([word].into_iter().chain(texts.into_iter().map(Cell::text)));
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_that_are_missed_are_named_with_what_was_reached() {
        let verdict = |work: &str, margin| Verdict {
            work: work.to_owned(),
            measured: String::new(),
            bar: String::new(),
            margin,
        };
        let caption = |verdicts: &[Verdict]| {
            let verdicts = verdicts.to_vec();
            Verdicts { verdicts }.figure().caption
        };
        let (fit, stream, nan) = (
            verdict("fit", 1.0),
            verdict("stream", 0.25),
            verdict("x", f64::NAN),
        );
        assert_eq!(
            caption(&[fit.clone(), fit.clone()]),
            "All of 2 bars are met."
        );
        assert_eq!(
            caption(&[fit.clone(), stream.clone(), nan]),
            "Of 3 bars, 2 are not met, the furthest: stream (0.25 of what was asked for)."
        );
        assert_eq!(
            caption(&[fit, stream]),
            "Of 2 bars, one is not met: stream (0.25 of what was asked for)."
        );
    }
}
