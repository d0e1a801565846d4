//! Summing rows mask by mask.
//!
//! With few masks one pass over the rows drops each into the bin of its mask, and a full bin adds its
//! Gram matrix to the sums; with many, rows are sorted by mask and each mask is summed on its own.

use super::bin::{BIN, Bins};
use super::screen::Screen;
use super::tile::Tile;
use super::{Frame, MaskMoments, Masks, Rows};
use rayon::prelude::*;

/// Parts summed in parallel, at most; fixed, so that sums do not depend on the number of threads.
const PARTS: usize = 8;

/// Rows in a part, at least: each part ends with bins that are not full.
const PART: usize = 1 << 17;

/// Rows per tile where a mask is summed on its own.
const TILE: usize = 256;

/// Every mask's moments, in the order of the masks.
pub(super) fn all(rows: &Rows<'_>, masks: &Masks, frame: &Frame) -> Vec<MaskMoments> {
    if masks.len() * BIN > rows.len() {
        return one_by_one(rows, masks, frame);
    }
    let (mut moments, _) = binned(rows, masks, frame, None);
    moments.iter_mut().for_each(MaskMoments::mirror);
    moments
}

/// Lower triangles of the moments of all rows but those with a cell that `screens` catch; and these.
pub(super) fn binned(
    rows: &Rows<'_>,
    masks: &Masks,
    frame: &Frame,
    screens: Option<&[Screen]>,
) -> (Vec<MaskMoments>, Aside) {
    // A power of two divides evenly among the usual numbers of threads.
    let parts = 1 << (rows.len() / PART).clamp(1, PARTS).ilog2();
    let cut = |p: usize| p * rows.len() / parts;
    let sums: Vec<_> = (0..parts)
        .into_par_iter()
        .map(|p| Bins::new(rows, masks, frame, screens).sum(cut(p)..cut(p + 1)))
        .collect();
    let mut sums = sums.into_iter();
    let (mut total, mut aside) = sums.next().expect("at least one part");
    for (part, more) in sums {
        for (a, b) in total.iter_mut().zip(part) {
            a.add(&b, 1.0);
        }
        aside.append(more);
    }
    (total, aside)
}

/// Rows set aside: which, their masks, and a copy of their cells, which are at hand when they are caught.
#[derive(Debug, Default)]
pub(super) struct Aside {
    pub(super) rows: Vec<u32>,
    pub(super) masks: Vec<u32>,
    /// Row after row: all features, targets.
    pub(super) cells: Vec<f64>,
}

impl Aside {
    pub(super) fn push(
        &mut self,
        (row, mask): (usize, usize),
        values: &[f64],
        targets: impl Iterator<Item = f64>,
    ) {
        self.rows.push(row as u32);
        self.masks.push(mask as u32);
        self.cells.extend_from_slice(values);
        self.cells.extend(targets);
    }

    fn append(&mut self, more: Self) {
        self.rows.extend(more.rows);
        self.masks.extend(more.masks);
        self.cells.extend(more.cells);
    }
}

fn one_by_one(rows: &Rows<'_>, masks: &Masks, frame: &Frame) -> Vec<MaskMoments> {
    let (order, starts) = masks.sort();
    (0..masks.len())
        .into_par_iter()
        .map_init(Tile::default, |tile, m| {
            one(
                m,
                &order[starts[m]..starts[m + 1]],
                (rows, masks),
                frame,
                tile,
            )
        })
        .collect()
}

/// The moments of mask `m` alone; `members` are its rows.
pub(super) fn one(
    m: usize,
    members: &[u32],
    (rows, masks): (&Rows<'_>, &Masks),
    frame: &Frame,
    tile: &mut Tile,
) -> MaskMoments {
    let mut moments = masks.moments(m);
    let targets: Vec<&[f64]> = rows.targets().collect();
    for members in members.chunks(TILE) {
        tile.resize(members.len(), moments.order());
        for (r, &i) in members.iter().enumerate() {
            let values = rows.values(i as usize);
            let features = moments.observed.iter().map(|&j| values[j]);
            let targets = targets.iter().map(|values| values[rows.number(i as usize)]);
            tile.put(r, features.chain(targets));
        }
        tile.add_to(&mut moments, members, rows, frame);
    }
    moments.mirror();
    moments
}
