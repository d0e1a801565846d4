//! The support of the shifts: which entries of a row are shifted when a feature is missing.

use crate::data::MaskedMatrix;
use crate::features::{Layout, Lists, Shifted};
use crate::learn::Learner;
use crate::method::{Base, Lift};
use crate::moments::Rows;
use crate::prepare::{Intercept, Prepared};
use crate::support::SupportKind;

/// Rows that a support is found from, at most: correlations are known to a hundredth or two then.
const SAMPLE: usize = 5000;

/// The layout with its shifts narrowed to their support, and the kind of support.
pub(super) fn narrowed(
    learner: &Learner,
    rows: Option<&Rows<'_>>,
    prepared: &Prepared,
    full: Layout,
) -> (Layout, SupportKind) {
    let Some(rows) = rows.filter(|_| learner.method.lift() == Lift::Full) else {
        return (full, SupportKind::default());
    };
    let decided = learner.support.decided(full.dim());
    let (sample, roots) = match decided.needs_sample() {
        true => sample(rows, prepared),
        false => (MaskedMatrix::new(prepared.columns.len()), Vec::new()),
    };
    let Some(others) = decided.lists(&sample, &roots) else {
        return (full, decided.kind());
    };
    let has_constant = learner.preparation.intercept != Intercept::None;
    // Zero in its place says nothing.
    let has_itself = learner.method.base() != Base::Zero;
    let entries = |&entry: &usize| {
        let of_others = others[prepared.live[entry - 1]].iter();
        let of_others = of_others.map(|&j| prepared.entry_of[j as usize]);
        let mut entries: Vec<u32> = of_others.filter(|&e| e > 0).map(|e| e as u32).collect();
        entries.extend(has_itself.then_some(entry as u32));
        entries.extend(has_constant.then_some(0));
        entries.sort_unstable();
        entries
    };
    let lists: Vec<Vec<u32>> = full.holes.iter().map(entries).collect();
    let narrowed = Layout {
        shifted: Shifted::Listed(Lists::new(&lists)),
        ..full
    };
    (narrowed, decided.kind())
}

/// Evenly spaced rows, clipped, and the roots of their weights.
fn sample(rows: &Rows<'_>, prepared: &Prepared) -> (MaskedMatrix, Vec<f64>) {
    let mut sample = MaskedMatrix::new(prepared.columns.len());
    let n = rows.len().min(SAMPLE);
    let mut roots = Vec::with_capacity(n);
    for i in (0..n).map(|s| s * rows.len() / n) {
        let row = rows.row(i);
        let cells = prepared.columns.iter().enumerate();
        let cells = cells.map(|(j, column)| Some(row.get(j)?.clamp(column.lower, column.upper)));
        let pushed = sample.push_row(cells);
        pushed.expect("cells of a valid row are finite and as many as columns");
        roots.push(rows.weight(i).sqrt());
    }
    (sample, roots)
}
