//! Whether the probabilities of a contender are what they say.

use gapfit::data::Dataset;
use gapfit::eval::{Reliability, reliability};
use gapfit_report::{Calibration, CalibrationCurve, CalibrationPoint};

use crate::part::{Part, parts};
use crate::{Contender, Predicted};

/// Ranges of the probability.
const RANGES: usize = 10;

/// The probabilities of the second of two classes, or those of the predicted one of more, beside what
/// came; `None` without probabilities.
pub(crate) fn calibration(holey: &Dataset, contender: &Contender<'_>) -> Option<Calibration> {
    let (rows, Predicted::Probabilities(said)) = contender.held_out() else {
        return None;
    };
    let classes = holey.classes();
    let event = |row: &[f64]| match row.len() {
        2 => 1,
        _ => (1..row.len()).fold(0, |best, j| if row[j] > row[best] { j } else { best }),
    };
    let claims: Vec<f64> = said.rows().map(|row| row[event(row)]).collect();
    let target = holey.target();
    let came = said
        .rows()
        .zip(&rows)
        .map(|(row, &i)| target[i] as usize == event(row));
    let came: Vec<bool> = came.collect();
    let curve = |part: Part| {
        let pick = |values: &[f64]| part.places.iter().map(|&k| values[k]).collect::<Vec<f64>>();
        let came: Vec<bool> = part.places.iter().map(|&k| came[k]).collect();
        let weights = holey.weights();
        let weights = weights.map(|w| {
            part.places
                .iter()
                .map(|&k| w[rows[k]])
                .collect::<Vec<f64>>()
        });
        let ranges = reliability(&pick(&claims), &came, weights.as_deref(), RANGES);
        let gap = |range: &Reliability| range.share * (range.claimed - range.came).abs();
        CalibrationCurve {
            name: part.name,
            rows: part.places.len(),
            error: ranges.iter().map(gap).sum(),
            points: ranges.iter().map(point).collect(),
        }
    };
    Some(Calibration {
        method: contender.name.to_owned(),
        of: match classes {
            [_, second] => format!("{second:?}"),
            _ => "the predicted class".to_owned(),
        },
        curves: parts(holey, &rows).into_iter().map(curve).collect(),
    })
}

fn point(range: &Reliability) -> CalibrationPoint {
    CalibrationPoint {
        rows: range.rows,
        claimed: range.claimed,
        came: range.came,
    }
}
