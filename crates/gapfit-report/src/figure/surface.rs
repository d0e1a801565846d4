//! How the error depends on the parameters that were tuned.

use super::{Figure, Ramp};
use crate::chart::{Grid, Tile};
use crate::colour::shade;
use crate::number::{counted, percent, short};
use crate::table::{Cell, Table};

/// An excess over the least error that has the darkest shade.
const DARK: f64 = 0.1;

/// The cross-validated error over the candidates for `alpha` and `gamma`.
///
/// ```
/// use gapfit_report::{Surface, SurfacePoint};
/// let point = |alpha, excess, chosen| SurfacePoint { alpha, gamma: 1.0, excess, chosen };
/// let points = vec![point(0.5, 0.02, 0), point(1.0, 0.0, 1)];
/// let figure = Surface { method: "irr".to_owned(), searches: 1, points }.figure();
/// assert!(figure.caption().contains("alpha 1 and gamma 1 were chosen"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// The method.
    pub method: String,
    /// The number of searches, one in each fold of a comparison.
    pub searches: usize,
    /// The candidates that were looked at.
    pub points: Vec<SurfacePoint>,
}

/// A candidate.
///
/// See [`Surface`] for an example.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Weight of the penalty.
    pub alpha: f64,
    /// How much the learnt imputation may do.
    pub gamma: f64,
    /// By what share its error is larger than the least one, averaged over the searches that looked at it.
    pub excess: f64,
    /// The number of searches that chose it.
    pub chosen: usize,
}

impl Surface {
    /// The figure.
    pub fn figure(&self) -> Figure {
        let alphas = distinct(self.points.iter().map(|point| point.alpha));
        let gammas = distinct(self.points.iter().map(|point| point.gamma));
        let find = |values: &[f64], value: f64| {
            let place = values.iter().position(|v| v.to_bits() == value.to_bits());
            place.expect("each value was collected")
        };
        let tile = |point: &SurfacePoint| Tile {
            // larger values stand further up
            row: gammas.len() - 1 - find(&gammas, point.gamma),
            column: find(&alphas, point.alpha),
            class: format!("q{}", shade((point.excess / DARK).min(1.0))),
            tip: format!(
                "alpha {}, gamma {}: error {} above the least{}",
                short(point.alpha),
                short(point.gamma),
                percent(point.excess),
                match point.chosen {
                    0 => String::new(),
                    n if self.searches > 1 =>
                        format!("; chosen in {}", counted(n, "fold", "folds")),
                    _ => "; chosen".to_owned(),
                }
            ),
            is_marked: point.chosen > 0,
        };
        let grid = Grid {
            rows: gammas.iter().rev().map(|&gamma| short(gamma)).collect(),
            columns: alphas.iter().map(|&alpha| short(alpha)).collect(),
            about: ("gamma", "alpha"),
            tiles: self.points.iter().map(tile).collect(),
        };
        Figure {
            id: "surface".into(),
            title: "The search for alpha and gamma".to_owned(),
            caption: self.caption(),
            picture: grid.picture(),
            keys: Vec::new(),
            ramp: Some(Ramp {
                has_sides: false,
                low: "least error".to_owned(),
                high: format!("{} above", percent(DARK)),
            }),
            table: self.table(),
            is_main: false,
        }
    }

    fn caption(&self) -> String {
        let chosen: Vec<&SurfacePoint> = self.points.iter().filter(|p| p.chosen > 0).collect();
        let told = match &chosen[..] {
            [] => "None was chosen.".to_owned(),
            [point] => format!(
                "For {}, alpha {} and gamma {} were chosen, ringed in the picture.",
                self.method,
                short(point.alpha),
                short(point.gamma)
            ),
            points => {
                let most = points.iter().rev().max_by_key(|point| point.chosen);
                let most = most.expect("there are several");
                let agreed = match most.chosen {
                    1 => "no two of them agree".to_owned(),
                    n => format!(
                        "most often, in {n} folds, on alpha {} and gamma {}",
                        short(most.alpha),
                        short(most.gamma)
                    ),
                };
                format!(
                    "The {} folds settled on {} different points for {}, ringed in the picture; {agreed}.",
                    self.searches,
                    points.len(),
                    self.method
                )
            }
        };
        let close = self
            .points
            .iter()
            .filter(|point| point.excess <= 0.01)
            .count();
        format!(
            "{told} Of {} looked at, {close} came within 1 % of the least cross-validated error. What has no tile was \
             not looked at: the search goes from coarse to fine.",
            counted(self.points.len(), "candidate", "candidates")
        )
    }

    fn table(&self) -> Table {
        let mut table = Table::new(["alpha", "gamma", "error above the least", "chosen"]);
        for point in &self.points {
            table.push([
                Cell::number(point.alpha),
                Cell::number(point.gamma),
                Cell::shown_as(point.excess, format!("{:.3} %", 100.0 * point.excess)),
                Cell::count(point.chosen),
            ]);
        }
        table
    }
}

fn distinct(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.dedup_by_key(|value| value.to_bits());
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caption_tells_what_the_folds_agreed_on() {
        let point = |alpha, excess, chosen| SurfacePoint {
            alpha,
            gamma: 0.5,
            excess,
            chosen,
        };
        let surface = Surface {
            method: "irr".to_owned(),
            searches: 5,
            points: vec![point(1.0, 0.002, 1), point(2.0, 0.0, 4), point(4.0, 0.3, 0)],
        };
        let figure = surface.figure();
        assert_eq!(
            figure.caption,
            "The 5 folds settled on 2 different points for irr, ringed in the picture; most often, in 4 \
             folds, on alpha 2 and gamma 0.5. Of 3 candidates looked at, 2 came within 1 % of the least \
             cross-validated error. What has no tile was not looked at: the search goes from coarse to fine."
        );
        assert_eq!(figure.picture.body.matches("class=\"mark\"").count(), 2);
    }
}
