//! Rows grouped by mask, and the sums of one group.

use super::{Frame, MaskMoments, Rows};
use crate::data::Observed;
use crate::linalg::add_gram;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Row positions sorted by mask.
#[derive(Debug)]
pub(crate) struct Groups {
    n_features: usize,
    words: usize,
    /// One mask per group, ascending.
    masks: Vec<u64>,
    /// Positions in [`Rows`], group after group, ascending inside a group.
    order: Vec<u32>,
    /// Where each group starts in `order`, and the end.
    starts: Vec<usize>,
}

/// Up to this many features a mask indexes a table directly.
const DIRECT: usize = 16;

impl Groups {
    /// Sorts the rows by mask: a counting sort over the masks that occur.
    pub(crate) fn by_mask(rows: &Rows<'_>) -> Self {
        let n_features = rows.data().n_features();
        let (mut ids, masks) = if n_features <= DIRECT {
            number_directly(rows, n_features)
        } else {
            number_by_hash(rows)
        };
        let words = n_features.div_ceil(64);
        let n_groups = masks.len() / words.max(1);
        let rank = rank_of_masks(&masks, words, n_groups);
        let mut starts = vec![0; n_groups + 1];
        for id in &mut ids {
            *id = rank[*id as usize];
            starts[*id as usize + 1] += 1;
        }
        for g in 0..n_groups {
            starts[g + 1] += starts[g];
        }
        let mut next = starts.clone();
        let mut order = vec![0; ids.len()];
        for (i, &id) in ids.iter().enumerate() {
            order[next[id as usize]] = i as u32;
            next[id as usize] += 1;
        }
        let mut sorted = vec![0; masks.len()];
        for (old, &new) in rank.iter().enumerate() {
            let (old, new) = (old * words, new as usize * words);
            sorted[new..new + words].copy_from_slice(&masks[old..old + words]);
        }
        Self {
            n_features,
            words,
            masks: sorted,
            order,
            starts,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn masks(&self) -> impl Iterator<Item = Observed<'_>> {
        (0..self.len()).map(|g| self.mask(g))
    }

    fn mask(&self, g: usize) -> Observed<'_> {
        Observed::new(&self.masks[g * self.words..(g + 1) * self.words], self.n_features)
    }

    /// The sums of all groups, in parallel; the result does not depend on the number of threads.
    pub(crate) fn sum_all(&self, rows: &Rows<'_>, frame: &Frame) -> Vec<(Vec<u64>, MaskMoments)> {
        (0..self.len())
            .into_par_iter()
            .map_init(Tile::default, |tile, g| {
                let words = self.mask(g).words().to_vec();
                (words, self.sum(g, rows, frame, tile))
            })
            .collect()
    }

    /// The sums of group `g`.
    pub(crate) fn sum(&self, g: usize, rows: &Rows<'_>, frame: &Frame, tile: &mut Tile) -> MaskMoments {
        let observed: Vec<usize> = self.mask(g).iter().collect();
        let members = &self.order[self.starts[g]..self.starts[g + 1]];
        let order = observed.len() + 2;
        let mut sums = vec![0.0; order * order];
        for chunk in members.chunks(TILE) {
            tile.fill(chunk, &observed, rows, frame);
            tile.add_gram(&mut sums, chunk.len());
        }
        for i in 0..order {
            for j in i + 1..order {
                sums[j * order + i] = sums[i * order + j];
            }
        }
        MaskMoments {
            observed,
            n_rows: members.len(),
            sums,
        }
    }
}

/// Numbers the masks in a table of all `2^d` possible ones.
fn number_directly(rows: &Rows<'_>, n_features: usize) -> (Vec<u32>, Vec<u64>) {
    let mut table = vec![u32::MAX; 1 << n_features];
    let mut masks = Vec::new();
    let ids = (0..rows.len())
        .map(|i| {
            let mask = rows.row(i).observed().words().first().copied().unwrap_or(0);
            let id = &mut table[mask as usize];
            if *id == u32::MAX {
                *id = masks.len() as u32;
                masks.push(mask);
            }
            *id
        })
        .collect();
    (ids, masks)
}

/// Numbers the masks in order of appearance.
fn number_by_hash(rows: &Rows<'_>) -> (Vec<u32>, Vec<u64>) {
    let mut seen: FxHashMap<&[u64], u32> = FxHashMap::default();
    let mut masks = Vec::new();
    let ids = (0..rows.len())
        .map(|i| {
            let words = rows.row(i).observed().words();
            let next = seen.len() as u32;
            *seen.entry(words).or_insert_with(|| {
                masks.extend_from_slice(words);
                next
            })
        })
        .collect();
    (ids, masks)
}

/// For each mask its rank in ascending order, so that groups do not depend on the order of rows.
fn rank_of_masks(masks: &[u64], words: usize, n_groups: usize) -> Vec<u32> {
    let mut by_mask: Vec<usize> = (0..n_groups).collect();
    by_mask.sort_unstable_by_key(|&g| &masks[g * words..(g + 1) * words]);
    let mut rank = vec![0; n_groups];
    for (new, old) in by_mask.into_iter().enumerate() {
        rank[old] = new as u32;
    }
    rank
}

/// Rows per tile: a tile of a dozen columns stays in the first-level cache.
const TILE: usize = 256;

/// A few rows of one mask, column by column: 1, observed features, target.
#[derive(Debug, Default)]
pub(crate) struct Tile {
    cells: Vec<f64>,
}

impl Tile {
    fn fill(&mut self, members: &[u32], observed: &[usize], rows: &Rows<'_>, frame: &Frame) {
        let order = observed.len() + 2;
        self.cells.resize(order * TILE, 0.0);
        for (r, &i) in members.iter().enumerate() {
            let i = i as usize;
            let values = rows.row(i).values();
            self.cells[r] = 1.0;
            for (o, &j) in observed.iter().enumerate() {
                self.cells[(o + 1) * TILE + r] = frame.columns[j].hold(values[j]);
            }
            self.cells[(order - 1) * TILE + r] = frame.target.hold(rows.target(i));
            if rows.is_weighted() {
                let root = rows.weight(i).sqrt();
                for column in 0..order {
                    self.cells[column * TILE + r] *= root;
                }
            }
        }
    }

    fn add_gram(&self, sums: &mut [f64], n_rows: usize) {
        add_gram(sums, &self.cells, n_rows, TILE);
    }
}
