//! The normal equations from sums over all masks together: every lifted feature is a sum over their places.

use super::{Against, Gram};
use crate::features::Units;
use crate::impute::Imputer;
use crate::moments::{Folded, Origin, Places, Remade, Terms};

/// The normal equations where holes are filled with constants.
pub(super) fn gram(folded: &Folded, units: &Units) -> Gram {
    let mut all = lifted(folded.places(), units);
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

/// The lift, feature after feature: `x̃ = a h + b (1 - m) + c m`, then what is left of it in rows with a hole.
fn lifted(places: Places, units: &Units) -> Vec<Terms> {
    let Units {
        prepared, layout, ..
    } = units;
    let fill = |entry: usize| match &prepared.imputer {
        Imputer::Zero => 0.0,
        Imputer::Constant(values) => values[entry] * units.shrink,
        _ => unreachable!("other bases are refused such sums"),
    };
    let completed = |entry: usize, lacking: Option<usize>| match entry {
        0 => {
            let rows = lacking.map_or(Places::ONE, |k| places.hole(k));
            vec![(rows, units.shrink)]
        }
        _ => {
            let j = prepared.live[entry - 1];
            let (slope, offset) = prepared.unframe(j, &units.frame);
            let observed = Origin {
                from: j,
                slope: slope * units.shrink,
                offset: offset * units.shrink,
            };
            let mut terms = Remade::from(&observed).values(places, lacking);
            terms.push((places.hole_in(j, lacking), fill(entry)));
            terms
        }
    };
    let mut all: Vec<Terms> = (0..layout.n_entries).map(|e| completed(e, None)).collect();
    for (b, &hole) in layout.holes.iter().enumerate() {
        let lacking = Some(prepared.live[hole - 1]);
        let shifted = layout.shifted.entries(b);
        all.extend(shifted.map(|e| completed(e, lacking)));
    }
    all
}
