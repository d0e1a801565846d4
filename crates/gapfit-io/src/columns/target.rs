//! Rows that come as columns, one of which is the target.

use gapfit::data::{MaskedColumn, MaskedMatrix, RowSlice, SliceBuffer};

/// Puts the rows that have a target behind `cells`, with the columns in these places, and their targets behind
/// `targets`.
pub(crate) fn push_with_target<V: AsRef<[f64]>>(
    columns: &[MaskedColumn<V>],
    (places, target): (&[usize], usize),
    cells: &mut MaskedMatrix,
    targets: &mut Vec<f64>,
) {
    let features: Vec<_> = places.iter().map(|&place| &columns[place]).collect();
    let target = &columns[target];
    let pushed = if target.n_observed() == target.len() {
        targets.extend_from_slice(target.values());
        cells.push_columns(&features)
    } else {
        let has_target = |&i: &usize| target.get(i).is_some();
        let kept: Vec<usize> = (0..target.len()).filter(has_target).collect();
        targets.extend(target.iter().flatten());
        let picked: Vec<_> = features.iter().map(|column| column.select(&kept)).collect();
        cells.push_columns(&picked.iter().collect::<Vec<_>>())
    };
    pushed.expect("columns of equal length, one per feature");
}

/// Rows that are made of columns at once: few enough to stay near until they are summed.
const AT_ONCE: usize = 512;

/// Shows rows that come as columns, a few at a time: features in these places and the target, which all rows have.
pub(crate) fn visit_columns<V: AsRef<[f64]>>(
    columns: &[MaskedColumn<V>],
    (features, target): (&[usize], usize),
    take: &mut dyn FnMut(RowSlice<'_>, &[f64]),
) {
    let target = columns[target].values();
    let features: Vec<_> = features.iter().map(|&j| &columns[j]).collect();
    let mut buffer = SliceBuffer::default();
    for start in (0..target.len()).step_by(AT_ONCE) {
        let range = start..target.len().min(start + AT_ONCE);
        let rows = buffer.fill(&features, range.clone());
        take(rows, &target[range]);
    }
}
