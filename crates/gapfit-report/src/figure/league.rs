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
/// use gapfit_report::{League, Standing};
/// let standing = |name: &str, rmse: f64| Standing {
///     name: name.to_owned(), rmse: (rmse, 0.1), mae: (rmse, 0.1), r2: (0.5, 0.1), seconds: 0.2,
///     difference: (rmse - 1.0, 0.1), is_reference: false,
/// };
/// let league = League { folds: 5, best: "irr".to_owned(), methods: vec![standing("irr", 1.0), standing("mean", 2.0)] };
/// assert!(league.figure().caption().starts_with("irr has the smallest error"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct League {
    /// The number of folds.
    pub folds: usize,
    /// The best of those that are no reference.
    pub best: String,
    /// All, best first.
    pub methods: Vec<Standing>,
}

/// The scores of one method: means over the folds, each with its standard deviation.
///
/// See [`League`] for an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Its name.
    pub name: String,
    /// Root mean squared error.
    pub rmse: (f64, f64),
    /// Mean absolute error.
    pub mae: (f64, f64),
    /// Explained share of the variance.
    pub r2: (f64, f64),
    /// Seconds of tuning and fit, per fold.
    pub seconds: f64,
    /// RMSE minus that of the best in the same fold, with its standard error.
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
            id: "league",
            title: "Which method predicts best".to_owned(),
            caption: self.caption(),
            picture: intervals("RMSE minus that of the best, in the same fold", &spans),
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

    /// An error in the digits of the table.
    fn error(&self, error: f64) -> String {
        fixed(error, decimals(self.best().rmse.0))
    }

    /// How far a method is from the best, in words.
    fn difference(&self, line: &Standing) -> String {
        if line.name == self.best {
            return format!("RMSE {}, the smallest", self.error(line.rmse.0));
        }
        let (difference, error) = line.difference;
        let side = if difference < 0.0 { "less" } else { "more" };
        format!(
            "RMSE {}, {} ± {} {side} than {}",
            self.error(line.rmse.0),
            self.error(difference.abs()),
            self.error(error),
            self.best
        )
    }

    fn caption(&self) -> String {
        let best = self.best();
        let rivals = || {
            let others = self.methods.iter();
            others.filter(|line| !line.is_reference && line.name != self.best)
        };
        let is_clear = |line: &&Standing| line.difference.0 > CLEAR * line.difference.1;
        let is_close = |line: &&Standing| line.difference.0 <= CLEAR * line.difference.1;
        let clear: Vec<&Standing> = rivals().filter(is_clear).collect();
        let close: Vec<&Standing> = rivals().filter(is_close).collect();
        let mut words = format!(
            "{} has the smallest error: an RMSE of {} on held-out rows, averaged over {} folds.",
            best.name,
            self.error(best.rmse.0),
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
        let head = ["method", "RMSE", "RMSE − best", "MAE", "R²", "seconds"];
        let mut table = Table::new(head);
        let best = self.best();
        let (rmse, mae) = (decimals(best.rmse.0), decimals(best.mae.0));
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
            table.push([
                Cell::text(name),
                cell(line.rmse, rmse),
                cell(line.difference, rmse),
                cell(line.mae, mae),
                cell(line.r2, 4),
                Cell::shown_as(line.seconds, fixed(line.seconds, 2)),
            ]);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(name: &str, rmse: f64, difference: (f64, f64)) -> Standing {
        Standing {
            name: name.to_owned(),
            rmse: (rmse, 0.5),
            mae: (rmse / 2.0, 0.5),
            r2: (0.5, 0.1),
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
            caption.starts_with("irr has the smallest error: an RMSE of 10.00 "),
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
}
