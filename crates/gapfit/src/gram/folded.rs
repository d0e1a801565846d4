//! The normal equations from sums over all masks together: every lifted feature is a sum over their places.

use super::{Against, Gram};
use crate::features::{Layout, Units};
use crate::impute::Imputer;
use crate::moments::{Folded, Places, Terms};

/// The normal equations where holes are filled with constants.
pub(super) fn gram(folded: &Folded, units: &Units) -> Gram {
    let layout = &units.layout;
    let mut all = lifted(
        layout,
        &entries(folded.places(), units),
        &units.prepared.live,
    );
    let n = all.len();
    all.push(vec![
        (folded.places().target(), 1.0),
        (Places::ONE, units.offsets[0]),
    ]);
    let found = folded.moments_of(&all);
    let mut gram = Gram::zeros(n, 1);
    for j in 0..n {
        gram.h.col_mut(j)[j..].copy_from_slice(&found.col(j)[j..n]);
    }
    gram.h.mirror_lower();
    gram.against = vec![Against {
        r: (0..n).map(|j| found[(n, j)]).collect(),
        yy: found[(n, n)],
    }];
    gram
}

/// An entry of completed rows: in all of them, and in those that lack feature `k`.
struct Entry {
    everywhere: Terms,
    lacking: Vec<Terms>,
}

/// `x̃ = a h + b (1 - m) + c m` for each entry, and what is left of it in rows with a hole.
fn entries(places: Places, units: &Units) -> Vec<Entry> {
    let (prepared, shrink) = (&units.prepared, units.shrink);
    let n_features = prepared.columns.len();
    let fill = |entry: usize| match &prepared.imputer {
        Imputer::Zero => 0.0,
        Imputer::Constant(values) => values[entry] * shrink,
        _ => unreachable!("other bases are refused such sums"),
    };
    let constant = Entry {
        everywhere: vec![(Places::ONE, shrink)],
        lacking: (0..n_features)
            .map(|k| vec![(places.hole(k), shrink)])
            .collect(),
    };
    let feature = |(e, &j): (usize, &usize)| {
        let (slope, offset) = prepared.unframe(j, &units.frame);
        let (a, b, c) = (slope * shrink, offset * shrink, fill(e + 1));
        let lacking = |k: usize| match places.value_by(k, j) {
            None => vec![(places.hole(k), c)],
            Some(value) => vec![
                (value, a),
                (places.hole(k), b),
                (places.hole_by(k, j), c - b),
            ],
        };
        Entry {
            everywhere: vec![
                (places.value(j), a),
                (Places::ONE, b),
                (places.hole(j), c - b),
            ],
            lacking: (0..n_features).map(lacking).collect(),
        }
    };
    let features = prepared.live.iter().enumerate().map(feature);
    std::iter::once(constant).chain(features).collect()
}

/// The lift, feature after feature.
fn lifted(layout: &Layout, entries: &[Entry], live: &[usize]) -> Vec<Terms> {
    let mut all: Vec<Terms> = entries.iter().map(|e| e.everywhere.clone()).collect();
    for (b, &hole) in layout.holes.iter().enumerate() {
        let k = live[hole - 1];
        let shifted = layout.shifted.entries(b);
        all.extend(shifted.map(|e| entries[e].lacking[k].clone()));
    }
    all
}
