//! Observed against predicted.

use std::collections::BTreeMap;

use super::{Figure, Ramp};
use crate::chart::{Frame, Picture, WIDTH};
use crate::colour::{SHADES, shade};
use crate::number::{count, counted, percent, told};
use crate::scale::{Kind, Scale};
use crate::svg::{Svg, text_width};
use crate::table::{Cell, Table};

/// Tiles along either side.
const TILES: usize = 40;
/// Parts of the rows, by prediction, in the table.
const PARTS: usize = 10;

/// Targets of held-out rows and what was predicted for them.
///
/// ```
/// use gapfit_report::Agreement;
/// let observed = vec![1.0, 2.0, 3.0, 4.0];
/// let figure = Agreement {
///     method: "irr".to_owned(), target: "price".to_owned(), observed: observed.clone(), predicted: observed,
/// }.figure();
/// assert!(figure.caption().contains("50 % of the predictions are within 0 of price"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// The method.
    pub method: String,
    /// The name of the target.
    pub target: String,
    /// The targets.
    pub observed: Vec<f64>,
    /// The predictions, in the same order.
    pub predicted: Vec<f64>,
}

impl Agreement {
    /// The figure.
    pub fn figure(&self) -> Figure {
        Figure {
            id: "agreement".into(),
            title: "Observed and predicted".to_owned(),
            caption: self.caption(),
            picture: self.picture(),
            keys: Vec::new(),
            ramp: Some(Ramp {
                has_sides: false,
                low: "few rows".to_owned(),
                high: "many".to_owned(),
            }),
            table: self.table(),
            is_main: false,
        }
    }

    fn picture(&self) -> Picture {
        let height = 420.0;
        let (top, bottom) = (34.0, height - 46.0);
        // a few wild values would leave the others no room
        let ends = [&self.observed, &self.predicted].map(|values| ends(values));
        let both = || ends.iter().flat_map(|&(low, high)| [low, high]);
        let y = Scale::over(Kind::Linear, both(), (bottom, top)).rounded();
        let labels = y
            .ticks(5)
            .into_iter()
            .map(|tick| text_width(&y.label(tick)));
        let frame = Frame {
            left: labels.fold(20.0, f64::max) + 12.0,
            right: WIDTH - 30.0,
            top,
            bottom,
        };
        let x = Scale::over(Kind::Linear, both(), (frame.left, frame.right)).rounded();
        let mut svg = Svg::default();
        frame.vertical(&mut svg, &y, &format!("observed {}", self.target));
        frame.horizontal(&mut svg, &x, "predicted on held-out rows", false);
        self.tiles(&mut svg, &frame, (&x, &y));
        svg.line("zero", (frame.left, frame.bottom), (frame.right, frame.top));
        Picture {
            height,
            body: svg.finish(),
        }
    }

    /// Tiles that are the darker, the more rows lie in them.
    fn tiles(&self, svg: &mut Svg, frame: &Frame, (x, y): (&Scale, &Scale)) {
        let (width, height) = (
            (frame.right - frame.left) / TILES as f64,
            (frame.bottom - frame.top) / TILES as f64,
        );
        let tile = |offset: f64, size: f64| ((offset / size) as usize).min(TILES - 1);
        let mut counts: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for (&observed, &predicted) in self.observed.iter().zip(&self.predicted) {
            let column = tile(x.at(predicted) - frame.left, width);
            let row = tile(y.at(observed) - frame.top, height);
            *counts.entry((row, column)).or_default() += 1;
        }
        let most = counts.values().copied().max().unwrap_or(1) as f64;
        for (&(row, column), &rows) in &counts {
            // by orders of magnitude: a lone row must be seen beside a thousand
            let share = (1.0 + (rows as f64).ln()) / (1.0 + most.ln());
            let class = format!("tile q{}", shade(share).clamp(1, SHADES - 1));
            let corner = (
                frame.left + width * column as f64,
                frame.top + height * row as f64,
            );
            let tip = counted(rows, "row", "rows");
            svg.rect(&class, corner, (width, height), Some(&tip));
        }
    }

    fn caption(&self) -> String {
        let pairs = || self.observed.iter().zip(&self.predicted);
        let mut errors: Vec<f64> = pairs().map(|(y, f)| (y - f).abs()).collect();
        errors.sort_by(f64::total_cmp);
        let (Some(half), Some(most)) = (at(&errors, 0.5), at(&errors, 0.9)) else {
            return "No row was held out.".to_owned();
        };
        let above = pairs().filter(|(y, f)| y > f).count();
        format!(
            "50 % of the predictions are within {} of {}, 90 % within {}; {} of the {} are too low. On the line, \
             prediction and truth are equal; {} predicted each row without having seen it. The outermost tiles \
             hold what lies beyond them.",
            told(half),
            self.target,
            told(most),
            percent(above as f64 / errors.len() as f64),
            counted(errors.len(), "held-out prediction", "held-out predictions"),
            self.method
        )
    }

    /// Means over parts of the rows with neighbouring predictions.
    fn table(&self) -> Table {
        let head = [
            "predictions up to",
            "rows",
            "mean prediction",
            "mean observed",
            "RMSE",
        ];
        let mut table = Table::new(head);
        let mut order: Vec<usize> = (0..self.predicted.len()).collect();
        order.sort_by(|&a, &b| self.predicted[a].total_cmp(&self.predicted[b]));
        let size = order.len().div_ceil(PARTS).max(1);
        for part in order.chunks(size) {
            let mean = |of: &dyn Fn(usize) -> f64| {
                part.iter().map(|&i| of(i)).sum::<f64>() / part.len() as f64
            };
            let squared = mean(&|i| (self.observed[i] - self.predicted[i]).powi(2));
            table.push([
                Cell::number(self.predicted[part[part.len() - 1]]),
                Cell::shown_as(part.len() as f64, count(part.len())),
                Cell::number(mean(&|i| self.predicted[i])),
                Cell::number(mean(&|i| self.observed[i])),
                Cell::number(squared.sqrt()),
            ]);
        }
        table
    }
}

/// The numbers between which all but the outermost thousandth on either side lie.
fn ends(values: &[f64]) -> (f64, f64) {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let end = |share| at(&sorted, share).unwrap_or(0.0);
    (end(0.001), end(0.999))
}

/// The smallest of these sorted numbers that is not below such a share of them.
fn at(sorted: &[f64], share: f64) -> Option<f64> {
    let place = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(place.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agreement(n: usize) -> Agreement {
        Agreement {
            method: "irr".to_owned(),
            target: "price".to_owned(),
            observed: (0..n).map(|i| i as f64).collect(),
            predicted: (0..n).map(|i| i as f64 + (i % 10) as f64 - 2.5).collect(),
        }
    }

    #[test]
    fn the_caption_has_quantiles_of_the_errors() {
        // errors by last digit: 2.5 1.5 .5 .5 1.5 2.5 3.5 4.5 5.5 6.5
        let caption = agreement(100).figure().caption;
        assert!(
            caption.starts_with("50 % of the predictions are within 2.5 of price, 90 % within 5.5; 30.0 % of the 100 held-out predictions are too low."),
            "{caption}"
        );
    }

    #[test]
    fn the_picture_stays_small_however_many_rows_there_are() {
        let figure = agreement(100_000).figure();
        assert!(figure.picture.body.matches("<rect").count() <= TILES * TILES);
        assert_eq!(figure.table.len(), PARTS);
        agreement(0).figure();
        agreement(1).figure();
    }
}
