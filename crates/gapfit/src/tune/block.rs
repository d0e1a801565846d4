//! Rows laid into blocks of about equal size, by four rules.

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// The shuffled rows, cut into `k` parts.
pub(super) fn shuffled(mut rows: Vec<usize>, k: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<usize>> {
    rows.shuffle(rng);
    let cut = |b: usize| b * rows.len() / k;
    (0..k).map(|b| rows[cut(b)..cut(b + 1)].to_vec()).collect()
}

/// The rows in the order of their targets, dealt to `k` blocks one by one.
///
/// Rows of neighbouring targets go to different blocks, and the counts of any one target differ by
/// at most one. Where a target has fewer than `k` rows on average, each `k` neighbours are dealt in
/// a shuffled order: otherwise the first block would get the smallest of them every time.
pub(super) fn stratified(
    mut rows: Vec<usize>,
    target: &[f64],
    k: usize,
    rng: &mut ChaCha8Rng,
) -> Vec<Vec<usize>> {
    rows.shuffle(rng);
    rows.sort_by(|&a, &b| ascending(target[a], target[b]));
    let n_targets = runs(&rows, target).count();
    if n_targets * k > rows.len() {
        rows.chunks_mut(k)
            .for_each(|neighbours| neighbours.shuffle(rng));
    }
    let mut blocks = vec![Vec::with_capacity(rows.len().div_ceil(k)); k];
    for (i, row) in rows.into_iter().enumerate() {
        blocks[i % k].push(row);
    }
    blocks
}

/// Whole groups, the largest first, each into the block that is smallest by then.
pub(super) fn grouped(
    rows: &[usize],
    groups: &[u32],
    k: usize,
    rng: &mut ChaCha8Rng,
) -> Vec<Vec<usize>> {
    // in order of appearance, so that neither names nor rows that do not count matter
    let mut places: FxHashMap<u32, usize> = FxHashMap::default();
    let mut members: Vec<Vec<usize>> = Vec::new();
    for &row in rows {
        let place = *places.entry(groups[row]).or_insert(members.len());
        if place == members.len() {
            members.push(Vec::new());
        }
        members[place].push(row);
    }
    members.shuffle(rng);
    members.sort_by_key(|group| Reverse(group.len()));
    let mut blocks = vec![Vec::new(); k];
    let mut smallest: BinaryHeap<_> = (0..k).map(|b| Reverse((0, b))).collect();
    for group in members {
        let Reverse((size, b)) = smallest.pop().expect("there are k blocks");
        smallest.push(Reverse((size + group.len(), b)));
        blocks[b].extend(group);
    }
    blocks
}

/// The rows in the order of their times, cut into `n_blocks` between different times.
///
/// Each cut is the one nearest to an equal share of the rows that are left, as long as every block
/// after it can have a time; there must be `n_blocks` different times or more.
pub(super) fn timed(mut rows: Vec<usize>, times: &[f64], n_blocks: usize) -> Vec<Vec<usize>> {
    rows.sort_by(|&a, &b| ascending(times[a], times[b]));
    let ends: Vec<usize> = runs(&rows, times)
        .scan(0, |end, run| {
            *end += run.len();
            Some(*end)
        })
        .collect();
    let mut blocks = Vec::with_capacity(n_blocks);
    let (mut start, mut next) = (0, 0);
    for left in (1..=n_blocks).rev() {
        let share = rows.len() - start;
        let off = |i: usize| ((ends[i] - start) * left).abs_diff(share);
        let last = ends.len() - left;
        let above = next + ends[next..].partition_point(|end| (end - start) * left < share);
        let nearest = match above {
            i if i > next && off(i - 1) <= off(i) => i - 1,
            i => i,
        };
        let end = nearest.min(last);
        blocks.push(rows[start..ends[end]].to_vec());
        (start, next) = (ends[end], end + 1);
    }
    blocks
}

/// Runs of rows with the same value; the rows must ascend in it.
fn runs<'a>(rows: &'a [usize], values: &'a [f64]) -> impl Iterator<Item = &'a [usize]> {
    rows.chunk_by(|&a, &b| values[a] >= values[b])
}

fn ascending(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).expect("targets and times are finite")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    fn sizes(blocks: &[Vec<usize>]) -> Vec<usize> {
        blocks.iter().map(Vec::len).collect()
    }

    #[test]
    fn cuts_in_time_are_the_nearest_to_equal_shares() {
        let cut = |times: &[f64], n| sizes(&timed((0..times.len()).collect(), times, n));
        assert_eq!(cut(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3), [2, 2, 2]);
        assert_eq!(cut(&[1.0, 1.0, 1.0, 1.0, 2.0, 3.0], 3), [4, 1, 1]);
        assert_eq!(cut(&[1.0, 2.0, 3.0, 3.0, 3.0, 3.0], 3), [1, 1, 4]);
        assert_eq!(cut(&[1.0, 1.0, 1.0, 2.0, 3.0, 4.0, 5.0], 3), [3, 2, 2]);
        assert_eq!(cut(&[0.0, -0.0, 5.0], 2), [2, 1]);
    }

    #[test]
    fn the_largest_groups_are_placed_first() {
        let groups = [0, 1, 1, 1, 1, 2, 2, 2, 3, 3];
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let blocks = grouped(&(0..10).collect::<Vec<_>>(), &groups, 2, rng);
        // 4 + 1 and 3 + 2
        assert_eq!(blocks, [vec![1, 2, 3, 4, 0], vec![5, 6, 7, 8, 9]]);
    }

    #[test]
    fn each_run_of_neighbouring_targets_is_dealt_to_every_block() {
        let target: Vec<f64> = (0..23).map(|i| f64::from(i * 7 % 23)).collect();
        let rng = &mut ChaCha8Rng::seed_from_u64(2);
        let blocks = stratified((0..23).collect(), &target, 4, rng);
        assert_eq!(sizes(&blocks), [6, 6, 6, 5]);
        for block in &blocks {
            let mut runs: Vec<usize> = block.iter().map(|&i| target[i] as usize / 4).collect();
            runs.sort_unstable();
            assert_eq!(runs[..5], [0, 1, 2, 3, 4]);
        }
        let smallest_in_run = |b: usize| blocks[b].iter().filter(|&&i| target[i] % 4.0 < 1.0);
        assert!((0..4).all(|b| smallest_in_run(b).count() < 6));
    }
}
