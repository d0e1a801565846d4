//! Which method predicts best, and how sure that is.

use super::{Figure, listed};
use crate::chart::{Span, intervals};
use crate::number::{decimals, fixed};
use crate::table::{Cell, Table};

/// Standard errors beyond which a difference is not put down to chance.
const CLEAR: f64 = 2.0;

/// Methods, best first, with their differences to the best.
///
/// ```
/// use gapfit_report::{League, Measure, Standing};
/// let standing = |name: &str, rmse: f64| Standing {
///     name: name.to_owned(), scores: vec![(rmse, 0.1)], seconds: 0.2, difference: (rmse - 1.0, 0.1), is_reference: false,
/// };
/// let league = League {
///     folds: 5, best: "irr".to_owned(), measures: vec![Measure { name: "RMSE".to_owned(), is_gain: false }], ranked_by: 0,
///     methods: vec![standing("irr", 1.0), standing("mean", 2.0)],
/// };
/// assert!(league.figure().caption().starts_with("irr has the smallest RMSE"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct League {
    /// The number of folds.
    pub folds: usize,
    /// The best of those that are no reference.
    pub best: String,
    /// What the scores are.
    pub measures: Vec<Measure>,
    /// The one of them by which methods are ranked.
    pub ranked_by: usize,
    /// All, best first.
    pub methods: Vec<Standing>,
}

/// What a score is called, and whether more of it is better.
///
/// See [`League`] for an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Its name.
    pub name: String,
    /// Whether more of it is better.
    pub is_gain: bool,
}

/// The scores of one method: means over the folds, each with its standard deviation.
///
/// See [`League`] for an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Its name.
    pub name: String,
    /// One for each measure.
    pub scores: Vec<(f64, f64)>,
    /// Seconds of tuning and fit, per fold.
    pub seconds: f64,
    /// The score by which methods are ranked minus that of the best in the same fold, with its standard
    /// error.
    pub difference: (f64, f64),
    /// Whether it has seen what the others cannot.
    pub is_reference: bool,
}

impl League {
    /// The figure.
    pub fn figure(&self) -> Figure {
        let span = |(colour, line): (usize, &Standing)| Span {
            name: line.name.clone(),
            colour,
            value: line.difference.0,
            spread: CLEAR * line.difference.1,
            tip: format!("{}: {}", line.name, self.difference(line)),
        };
        let spans: Vec<Span> = self.methods.iter().enumerate().map(span).collect();
        Figure {
            id: "league".into(),
            title: "Which method predicts best".to_owned(),
            caption: self.caption(),
            picture: intervals(
                &format!(
                    "{} minus that of the best, in the same fold",
                    self.ranking().name
                ),
                &spans,
            ),
            keys: super::keys(&self.names()),
            ramp: None,
            table: self.table(),
            is_main: true,
        }
    }

    /// The names of the methods, in order; figures beside this one colour them alike.
    pub fn names(&self) -> Vec<String> {
        self.methods.iter().map(|line| line.name.clone()).collect()
    }

    fn best(&self) -> &Standing {
        let mut methods = self.methods.iter();
        let best = methods.find(|line| line.name == self.best);
        best.expect("the best is among the methods")
    }

    fn ranking(&self) -> &Measure {
        &self.measures[self.ranked_by]
    }

    /// The score by which methods are ranked.
    fn score(&self, line: &Standing) -> f64 {
        line.scores[self.ranked_by].0
    }

    /// Such a score in the digits of the table.
    fn told(&self, score: f64) -> String {
        fixed(score, decimals(self.score(self.best())))
    }

    /// How far a method is from the best, in words.
    fn difference(&self, line: &Standing) -> String {
        if line.name == self.best {
            let Measure { name, is_gain } = self.ranking();
            let end = if *is_gain { "largest" } else { "smallest" };
            return format!("{name} {}, the {end}", self.told(self.score(line)));
        }
        let (difference, error) = line.difference;
        let side = if difference < 0.0 { "less" } else { "more" };
        format!(
            "{} {}, {} ± {} {side} than {}",
            self.ranking().name,
            self.told(self.score(line)),
            self.told(difference.abs()),
            self.told(error),
            self.best
        )
    }

    fn caption(&self) -> String {
        let best = self.best();
        let rivals = || {
            let others = self.methods.iter();
            others.filter(|line| !line.is_reference && line.name != self.best)
        };
        let Measure { name, is_gain } = self.ranking();
        let sign = if *is_gain { -1.0 } else { 1.0 };
        let is_clear = |line: &&Standing| sign * line.difference.0 > CLEAR * line.difference.1;
        let is_close = |line: &&Standing| sign * line.difference.0 <= CLEAR * line.difference.1;
        let clear: Vec<&Standing> = rivals().filter(is_clear).collect();
        let close: Vec<&Standing> = rivals().filter(is_close).collect();
        let mut words = format!(
            "{} has the {} {name}: {} on held-out rows, averaged over {} folds.",
            best.name,
            if *is_gain { "largest" } else { "smallest" },
            self.told(self.score(best)),
            self.folds
        );
        if !close.is_empty() {
            let names: Vec<&str> = close.iter().map(|line| line.name.as_str()).collect();
            words += &format!(
                " {} cannot be told from it: the difference is within two standard errors.",
                listed(&names)
            );
        }
        if let Some(nearest) = clear.first() {
            words += &format!(
                " {} of the others {} behind by more than two standard errors, the nearest being {} ({}).",
                clear.len(),
                if clear.len() == 1 { "is" } else { "are" },
                nearest.name,
                self.difference(nearest)
            );
        }
        if let Some(reference) = self.methods.iter().find(|line| line.is_reference) {
            words += &format!(
                " {} is a reference that has seen what is in the holes.",
                reference.name
            );
        }
        words
            + " Dots are differences to the best, paired by fold; lines reach two standard errors to either side."
    }

    fn table(&self) -> Table {
        // the one that methods are ranked by first, and how far it is from that of the best
        let others = (0..self.measures.len()).filter(|&k| k != self.ranked_by);
        let others: Vec<usize> = others.collect();
        let ranking = &self.ranking().name;
        let head = [
            "method".to_owned(),
            ranking.clone(),
            format!("{ranking} − best"),
        ];
        let names = others.iter().map(|&k| self.measures[k].name.clone());
        let mut table = Table::new(head.into_iter().chain(names).chain(["seconds".to_owned()]));
        let best = self.best();
        let digits = |k: usize| decimals(best.scores[k].0);
        let cell = |(value, spread): (f64, f64), decimals: usize| {
            let shown = match value.is_nan() {
                true => "-".to_owned(),
                false => format!("{} ± {}", fixed(value, decimals), fixed(spread, decimals)),
            };
            Cell::spread(value, spread, shown)
        };
        for line in &self.methods {
            let name = match line.is_reference {
                true => format!("{} (no holes)", line.name),
                false => line.name.clone(),
            };
            let ranked_by = self.ranked_by;
            let first = [
                Cell::text(name),
                cell(line.scores[ranked_by], digits(ranked_by)),
                cell(line.difference, digits(ranked_by)),
            ];
            let others = others.iter().map(|&k| cell(line.scores[k], digits(k)));
            let seconds = Cell::shown_as(line.seconds, fixed(line.seconds, 2));
            table.push(first.into_iter().chain(others).chain([seconds]));
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(name: &str, is_gain: bool) -> Measure {
        let name = name.to_owned();
        Measure { name, is_gain }
    }

    fn standing(name: &str, score: f64, difference: (f64, f64)) -> Standing {
        Standing {
            name: name.to_owned(),
            scores: vec![(score, 0.5), (score / 2.0, 0.5)],
            seconds: 1.0,
            difference,
            is_reference: name == "complete",
        }
    }

    #[test]
    fn the_caption_tells_clear_differences_from_chance() {
        let league = League {
            folds: 5,
            best: "irr".to_owned(),
            measures: vec![measure("RMSE", false), measure("MAE", false)],
            ranked_by: 0,
            methods: vec![
                standing("complete", 9.0, (-1.0, 0.2)),
                standing("irr", 10.0, (0.0, 0.0)),
                standing("lifted", 10.3, (0.3, 0.2)),
                standing("mean", 12.0, (2.0, 0.5)),
                standing("zero", 15.0, (5.0, 0.5)),
            ],
        };
        let caption = league.figure().caption;
        assert!(
            caption.starts_with("irr has the smallest RMSE: 10.00 on held-out rows"),
            "{caption}"
        );
        assert!(
            caption.contains(" lifted cannot be told from it"),
            "{caption}"
        );
        assert!(
            caption.contains("2 of the others are behind by more than two standard errors, the nearest being mean (RMSE 12.00, 2.00 ± 0.50 more than irr)"),
            "{caption}"
        );
        assert!(caption.contains("complete is a reference"), "{caption}");
    }

    #[test]
    fn of_a_gain_the_largest_is_best_and_less_is_behind() {
        let league = League {
            folds: 5,
            best: "irr".to_owned(),
            measures: vec![measure("log-loss", false), measure("accuracy", true)],
            ranked_by: 1,
            methods: vec![
                standing("irr", 1.8, (0.0, 0.0)),
                standing("mask", 1.79, (-0.005, 0.01)),
                standing("mean", 1.2, (-0.3, 0.1)),
            ],
        };
        let caption = league.figure().caption;
        for part in [
            "irr has the largest accuracy: 0.9000 on held-out rows",
            "mask cannot be told from it",
            "1 of the others is behind by more than two standard errors, the nearest being mean (accuracy 0.6000, 0.3000 ± 0.1000 less than irr)",
        ] {
            assert!(caption.contains(part), "{caption}");
        }
    }
}
