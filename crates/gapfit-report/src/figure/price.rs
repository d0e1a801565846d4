//! What it costs to lose a column.

use super::Figure;
use crate::chart::{Bar, bars};
use crate::number::{count, counted, told};
use crate::table::{Cell, Table};

/// Columns that get a bar.
const SHOWN: usize = 24;

/// By how much the error on held-out rows grows when a column is hidden in addition.
///
/// ```
/// use gapfit_report::{Price, Prices};
/// let price = |column: &str, difference| Price { column: column.to_owned(), difference, standard_error: 0.1 };
/// let prices = vec![price("a", 0.05), price("b", 3.0)];
/// let figure = Prices { method: "irr".to_owned(), error: "RMSE".to_owned(), before: 6.0, rows: 100, prices }.figure();
/// assert!(figure.caption().starts_with("Losing b costs most"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Prices {
    /// The method whose error it is.
    pub method: String,
    /// What the error is.
    pub error: String,
    /// The error with the holes that are there anyway.
    pub before: f64,
    /// The number of held-out rows that were looked at.
    pub rows: usize,
    /// The price of each column.
    pub prices: Vec<Price>,
}

/// The price of one column.
///
/// See [`Prices`] for an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    /// The column.
    pub column: String,
    /// The growth of the error, averaged over the folds.
    pub difference: f64,
    /// Its standard error over the folds.
    pub standard_error: f64,
}

impl Prices {
    /// The figure.
    pub fn figure(&self) -> Figure {
        let mut ranked: Vec<&Price> = self.prices.iter().collect();
        ranked.sort_by(|a, b| b.difference.total_cmp(&a.difference));
        let bar = |price: &&Price| Bar {
            name: price.column.clone(),
            value: price.difference,
            spread: price.standard_error,
            tip: format!(
                "without {}: {} {} ± {} larger",
                price.column,
                self.error,
                told(price.difference),
                told(price.standard_error)
            ),
        };
        let shown: Vec<Bar> = ranked.iter().take(SHOWN).map(bar).collect();
        Figure {
            id: "price".into(),
            title: "The price of losing a column".to_owned(),
            caption: self.caption(&ranked),
            picture: bars(
                &format!("growth of {} on held-out rows", self.error),
                &shown,
            ),
            keys: Vec::new(),
            ramp: None,
            table: self.table(&ranked),
            is_main: false,
        }
    }

    fn caption(&self, ranked: &[&Price]) -> String {
        let Some(dearest) = ranked.first() else {
            return "There is no column to lose.".to_owned();
        };
        let mut words = match dearest.difference > 0.0 {
            true => format!(
                "Losing {} costs most: hidden in held-out rows, it takes the {} of {} from {} to {}.",
                dearest.column,
                self.error,
                self.method,
                told(self.before),
                told(self.before + dearest.difference)
            ),
            false => format!("No column is missed by {} when it is hidden.", self.method),
        };
        let is_free = |price: &&&Price| price.difference <= 2.0 * price.standard_error;
        let free = ranked.iter().filter(is_free).count();
        if free > 0 && dearest.difference > 0.0 {
            words += &format!(
                " {} of {} could be lost without a price beyond two standard errors.",
                free,
                counted(ranked.len(), "column", "columns")
            );
        }
        if ranked.len() > SHOWN {
            words += &format!(" Bars show the {SHOWN} dearest columns; the table has all.");
        }
        words
            + &format!(
                " Measured on {} held-out rows, on top of the holes they have; lines reach one standard error to either side.",
                count(self.rows)
            )
    }

    fn table(&self, ranked: &[&Price]) -> Table {
        let growth = format!("growth of {}", self.error);
        let mut table = Table::new(["column", &growth, "standard error"]);
        for price in ranked {
            table.push([
                Cell::text(&price.column),
                Cell::number(price.difference),
                Cell::number(price.standard_error),
            ]);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caption_names_the_dearest_column_and_counts_the_free_ones() {
        let price = |column: &str, difference: f64| Price {
            column: column.to_owned(),
            difference,
            standard_error: 0.25,
        };
        let prices = Prices {
            method: "irr".to_owned(),
            error: "RMSE".to_owned(),
            before: 5.0,
            rows: 1200,
            prices: vec![price("a", 0.5), price("b", 3.0), price("c", -0.1)],
        };
        assert_eq!(
            prices.figure().caption,
            "Losing b costs most: hidden in held-out rows, it takes the RMSE of irr from 5 to 8. 2 of \
             3 columns could be lost without a price beyond two standard errors. Measured on 1,200 \
             held-out rows, on top of the holes they have; lines reach one standard error to either side."
        );
    }
}
