//! Which errors are taken together, and their quantiles.

use crate::linalg::Matrix;
use std::ops::Range;

/// Fewer rows than these are not a group of their own.
const FEW: f64 = 200.0;
/// Products of a level and a number of rows that differ by less are the same.
const ROUNDING: f64 = 1e-9;

/// How far the prediction of a held-out row was off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HeldOut {
    pub(super) missing: usize,
    pub(super) off: f64,
    pub(super) weight: f64,
}

/// The effective number of rows, `(Σ w)² / Σ w²`: their number where weights are equal.
pub(super) fn size<'a>(rows: impl IntoIterator<Item = &'a HeldOut>) -> f64 {
    let (mut sum, mut squares) = (0.0, 0.0);
    for row in rows {
        sum += row.weight;
        squares += row.weight * row.weight;
    }
    if squares > 0.0 {
        sum * sum / squares
    } else {
        0.0
    }
}

/// The rows, which ascend in the number of missing features, in groups of enough rows.
pub(super) fn by_missing(rows: &[HeldOut]) -> Vec<&[HeldOut]> {
    let equal: Vec<_> = rows.chunk_by(|a, b| a.missing == b.missing).collect();
    let starts: Vec<usize> = std::iter::once(0)
        .chain(equal.iter().scan(0, |end, part| {
            *end += part.len();
            Some(*end)
        }))
        .collect();
    let runs = pooled(&equal, FEW).into_iter();
    runs.map(|run| &rows[starts[run.start]..starts[run.end]])
        .collect()
}

/// Runs of parts that have `enough` rows or more, from the front; what is left at the end goes to the
/// last run.
fn pooled(parts: &[&[HeldOut]], enough: f64) -> Vec<Range<usize>> {
    let (mut runs, mut start) = (Vec::<Range<usize>>::new(), 0);
    for end in 1..=parts.len() {
        if size(parts[start..end].iter().copied().flatten()) >= enough - ROUNDING {
            runs.push(start..end);
            start = end;
        }
    }
    match runs.last_mut() {
        Some(last) => last.end = parts.len(),
        None => runs.push(0..parts.len()),
    }
    runs
}

/// The levels that so many rows can serve: whole percents from 50, tenths from 95 to 99.9.
pub(super) fn levels(n_rows: f64) -> Vec<f64> {
    let permille = (500..950).step_by(10).chain(950..1000);
    let levels = permille.map(|p| f64::from(p) / 1000.0);
    levels.filter(|&l| n_rows + ROUNDING >= needed(l)).collect()
}

/// How many rows have a quantile at this level: `(n + 1) level <= n`.
fn needed(level: f64) -> f64 {
    level / (1.0 - level)
}

/// Half-widths by level, one column per group. Levels for which a group has too few rows take it
/// together with its neighbours.
pub(super) fn half_widths(groups: &[&[HeldOut]], levels: &[f64]) -> Matrix {
    let mut widths = Matrix::zeros(levels.len(), groups.len());
    let (mut runs, mut sorted) = (Vec::new(), Vec::new());
    for (l, &level) in levels.iter().enumerate() {
        let wanted = pooled(groups, FEW.max(needed(level)));
        if wanted != runs {
            let of_run = |run: &Range<usize>| Sorted::new(&groups[run.clone()]);
            sorted = wanted.iter().map(of_run).collect::<Vec<_>>();
            runs = wanted;
        }
        for (run, sorted) in runs.iter().zip(&sorted) {
            let width = sorted.quantile(level);
            for g in run.clone() {
                // together with quieter neighbours it must not get narrower
                let before = if l > 0 { widths[(l - 1, g)] } else { 0.0 };
                widths[(l, g)] = width.max(before);
            }
        }
    }
    widths
}

/// Errors in order, with the weight up to each.
struct Sorted {
    errors: Vec<(f64, f64)>,
    total: f64,
    size: f64,
}

impl Sorted {
    fn new(parts: &[&[HeldOut]]) -> Self {
        let rows = || parts.iter().copied().flatten();
        let mut errors: Vec<(f64, f64)> = rows().map(|row| (row.off, row.weight)).collect();
        errors.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut total = 0.0;
        for (_, weight) in &mut errors {
            total += *weight;
            *weight = total;
        }
        Self {
            errors,
            total,
            size: size(rows()),
        }
    }

    /// The smallest error such that `(n + 1) level` of the `n` rows are off by no more.
    fn quantile(&self, level: f64) -> f64 {
        let share = (level * (self.size + 1.0) - ROUNDING) / self.size;
        let wanted = share * self.total;
        let place = self.errors.partition_point(|(_, upto)| *upto < wanted);
        self.errors[place.min(self.errors.len() - 1)].0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(missing: usize, n: usize) -> Vec<HeldOut> {
        let row = |i: usize| HeldOut {
            missing,
            off: (i * 7 % n) as f64 + 1.0,
            weight: 1.0,
        };
        (0..n).map(row).collect()
    }

    #[test]
    fn the_quantile_is_the_finite_sample_one() {
        for (n, level, expected) in [
            (9, 0.9, 9.0),
            (19, 0.9, 18.0),
            (99, 0.5, 50.0),
            (1, 0.5, 1.0),
        ] {
            let sorted = Sorted::new(&[&rows(0, n)]);
            assert!(
                (sorted.quantile(level) - expected).abs() < 1e-12,
                "{n} {level}"
            );
        }
    }

    #[test]
    fn the_unit_of_weights_is_irrelevant_and_weight_zero_is_no_row() {
        let mut weighted = rows(0, 19);
        weighted.iter_mut().for_each(|row| row.weight = 1e-3);
        let absent = HeldOut {
            missing: 0,
            off: 1e9,
            weight: 0.0,
        };
        weighted.push(absent);
        let (plain, weighted) = (Sorted::new(&[&rows(0, 19)]), Sorted::new(&[&weighted]));
        for level in levels(19.0) {
            assert!(
                (plain.quantile(level) - weighted.quantile(level)).abs() < 1e-12,
                "{level}"
            );
        }
    }

    #[test]
    fn small_groups_join_their_neighbours() {
        let all: Vec<_> = [(0, 500), (1, 100), (2, 150), (5, 300), (6, 20)]
            .into_iter()
            .flat_map(|(missing, n)| rows(missing, n))
            .collect();
        let groups = by_missing(&all);
        let sizes: Vec<_> = groups.iter().map(|g| (g[0].missing, g.len())).collect();
        assert_eq!(sizes, [(0, 500), (1, 250), (5, 320)]);
        assert_eq!(by_missing(&rows(3, 5)).len(), 1);
    }

    #[test]
    fn few_rows_serve_few_levels() {
        assert_eq!(levels(1.0), [0.5]);
        assert_eq!(levels(9.0).last(), Some(&0.9));
        assert_eq!(levels(999.0).last(), Some(&0.999));
    }

    #[test]
    fn widths_never_descend_with_the_level() {
        let loud: Vec<_> = rows(1, 300)
            .iter()
            .map(|r| HeldOut {
                off: 1e3 * r.off,
                ..*r
            })
            .collect();
        let (quiet, loud) = (rows(0, 5000), loud);
        let levels = levels(5300.0);
        let widths = half_widths(&[&quiet, &loud], &levels);
        for g in 0..2 {
            assert!(widths.col(g).windows(2).all(|w| w[0] <= w[1]), "{g}");
        }
        assert!(
            widths[(0, 1)] > 10.0 * widths[(0, 0)],
            "groups have their own"
        );
    }
}
