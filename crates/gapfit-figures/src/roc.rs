//! How well a contender tells classes apart.

use gapfit::data::Dataset;
use gapfit::eval::{Probabilities, auc, roc};
use gapfit_report::{Roc, RocCurve};

use crate::part::{Part, parts};
use crate::{Contender, Predicted};

/// Corners of a curve that are drawn, at most.
const CORNERS: usize = 100;
/// Classes whose curves are drawn, at most.
const CLASSES: usize = 9;

/// The ROC curves of the second of two classes, by what is missing, or of each of more classes; `None`
/// without probabilities.
pub(crate) fn roc_curves(holey: &Dataset, contender: &Contender<'_>) -> Option<Roc> {
    let (rows, Predicted::Probabilities(said)) = contender.held_out() else {
        return None;
    };
    let parts = parts(holey, &rows);
    let classes = holey.classes();
    let curve = |part: &Part, class: usize, name: &str| {
        let found = curve(holey, &rows, &said, (part, class));
        found.map(|curve| RocCurve {
            name: name.to_owned(),
            ..curve
        })
    };
    let curves = match classes.len() {
        2 => parts
            .iter()
            .filter_map(|part| curve(part, 1, &part.name))
            .collect(),
        n => {
            let shown = 0..n.min(CLASSES);
            shown
                .filter_map(|class| curve(&parts[0], class, &classes[class]))
                .collect()
        }
    };
    Some(Roc {
        method: contender.name.to_owned(),
        curves,
    })
}

/// The curve of a class on a part of the rows; `None` where they are all alike.
fn curve(
    data: &Dataset,
    rows: &[usize],
    said: &Probabilities,
    (part, class): (&Part, usize),
) -> Option<RocCurve> {
    let is_class = |&k: &usize| data.target()[rows[k]] as usize == class;
    let positive: Vec<bool> = part.places.iter().map(is_class).collect();
    let scores: Vec<f64> = part.places.iter().map(|&k| said.row(k)[class]).collect();
    let weights = data.weights();
    let weights = weights.map(|w| {
        part.places
            .iter()
            .map(|&k| w[rows[k]])
            .collect::<Vec<f64>>()
    });
    let corners = roc(&positive, &scores, weights.as_deref());
    let points: Vec<(f64, f64)> = corners
        .iter()
        .map(|corner| (corner.false_positive, corner.true_positive))
        .collect();
    (!points.is_empty()).then(|| RocCurve {
        name: String::new(),
        class: format!("{:?}", data.classes()[class]),
        rows: part.places.len(),
        auc: auc(&positive, &scores, weights.as_deref()),
        points: thinned(&points),
    })
}

/// Few enough of the corners, evenly along the curve, first and last among them.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if points.len() <= CORNERS {
        return points.to_vec();
    }
    let mut kept: Vec<(f64, f64)> = Vec::with_capacity(CORNERS);
    let step = 2.0 / (CORNERS - 2) as f64;
    for &(x, y) in points {
        let is_far = kept
            .last()
            .is_none_or(|last| x + y >= last.0 + last.1 + step);
        if is_far {
            kept.push((x, y));
        }
    }
    if kept.last() != points.last() {
        kept.extend(points.last());
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_of_many_corners_keeps_its_ends_and_few_between() {
        let points: Vec<(f64, f64)> = (0..=5000)
            .map(|k| f64::from(k) / 5000.0)
            .map(|t| (t * t, t))
            .collect();
        let kept = thinned(&points);
        assert!(
            kept.len() <= CORNERS && kept.len() > CORNERS / 2,
            "{}",
            kept.len()
        );
        assert_eq!((kept.first(), kept.last()), (points.first(), points.last()));
    }
}
