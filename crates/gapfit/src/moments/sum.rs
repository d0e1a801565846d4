//! Summing rows mask by mask.
//!
//! With few masks one pass over the rows drops each into the bin of its mask, and a full bin adds its
//! Gram matrix to the sums; with many, rows are sorted by mask and each mask is summed on its own.

use super::screen::Screen;
use super::tile::Tile;
use super::{Frame, MaskMoments, Masks, Rows};
use rayon::prelude::*;

/// Parts summed in parallel, at most; fixed, so that sums do not depend on the number of threads.
const PARTS: usize = 8;

/// Rows in a part, at least: each part ends with bins that are not full.
const PART: usize = 1 << 17;

/// Rows per bin: all bins of a thousand masks of ten features nearly fit the second-level cache.
pub(super) const BIN: usize = 32;

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

/// Rows set aside: their numbers and a copy of their cells, which are at hand when they are caught.
#[derive(Debug, Default)]
pub(super) struct Aside {
    pub(super) rows: Vec<u32>,
    /// Row after row: all features, target.
    pub(super) cells: Vec<f64>,
}

impl Aside {
    fn append(&mut self, more: Self) {
        self.rows.extend(more.rows);
        self.cells.extend(more.cells);
    }

    /// The lower triangles of their moments.
    pub(super) fn sum(&self, rows: &Rows<'_>, masks: &Masks, frame: &Frame) -> Vec<MaskMoments> {
        let mut bins = Bins::new(rows, masks, frame, None);
        let width = rows.data().n_features() + 1;
        for (&i, cells) in self.rows.iter().zip(self.cells.chunks_exact(width)) {
            bins.drop_in(i as usize, &cells[..width - 1], cells[width - 1]);
        }
        bins.finish().0
    }
}

fn empty(masks: &Masks, m: usize) -> MaskMoments {
    let observed: Vec<usize> = masks.mask(m).iter().collect();
    MaskMoments {
        sums: vec![0.0; (observed.len() + 2).pow(2)],
        observed,
        n_rows: masks.count(m),
    }
}

/// One bin per mask: rows waiting to be summed.
struct Bins<'a> {
    rows: &'a Rows<'a>,
    masks: &'a Masks,
    frame: &'a Frame,
    screens: Option<&'a [Screen]>,
    moments: Vec<MaskMoments>,
    /// Row after row: all features, target. Whole rows, because copying holes as well is faster
    /// than choosing.
    cells: Vec<f64>,
    /// The rows in each bin.
    members: Vec<u32>,
    filled: Vec<u32>,
    tile: Tile,
    aside: Aside,
}

impl<'a> Bins<'a> {
    fn new(
        rows: &'a Rows<'a>,
        masks: &'a Masks,
        frame: &'a Frame,
        screens: Option<&'a [Screen]>,
    ) -> Self {
        let width = rows.data().n_features() + 1;
        Self {
            moments: (0..masks.len()).map(|m| empty(masks, m)).collect(),
            cells: vec![0.0; masks.len() * BIN * width],
            members: vec![0; masks.len() * BIN],
            filled: vec![0; masks.len()],
            tile: Tile::default(),
            aside: Aside::default(),
            rows,
            masks,
            frame,
            screens,
        }
    }

    fn sum(mut self, range: std::ops::Range<usize>) -> (Vec<MaskMoments>, Aside) {
        for i in range {
            self.drop_in(i, self.rows.values(i), self.rows.target(i));
        }
        self.finish()
    }

    fn finish(mut self) -> (Vec<MaskMoments>, Aside) {
        for m in 0..self.masks.len() {
            self.empty_out(m);
        }
        (self.moments, self.aside)
    }

    /// Drops row `i`, with these cells, into its bin; empties the bin when it is full.
    fn drop_in(&mut self, i: usize, values: &[f64], target: f64) {
        let m = self.masks.of_row(i);
        let position = m * BIN + self.filled[m] as usize;
        let cells = &mut self.cells[position * (values.len() + 1)..][..values.len() + 1];
        cells[..values.len()].copy_from_slice(values);
        cells[values.len()] = target;
        self.members[position] = i as u32;
        self.filled[m] += 1;
        if self.filled[m] as usize == BIN {
            self.empty_out(m);
        }
    }

    fn empty_out(&mut self, m: usize) {
        let n_rows = std::mem::take(&mut self.filled[m]) as usize;
        if n_rows == 0 {
            return;
        }
        let moments = &mut self.moments[m];
        let width = self.rows.data().n_features() + 1;
        let cells = &self.cells[m * BIN * width..][..n_rows * width];
        let members = &self.members[m * BIN..m * BIN + n_rows];
        self.tile.resize(n_rows, moments.order());
        let columns = moments.observed.iter().copied().chain([width - 1]);
        self.tile.gather(cells, width, columns);
        if let Some(screens) = self.screens {
            self.tile.screen(&moments.observed, screens);
            for r in self.tile.dropped() {
                self.aside.rows.push(members[r]);
                self.aside
                    .cells
                    .extend_from_slice(&cells[r * width..(r + 1) * width]);
            }
        }
        self.tile.add_to(moments, members, self.rows, self.frame);
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
    let mut moments = empty(masks, m);
    for members in members.chunks(TILE) {
        tile.resize(members.len(), moments.order());
        for (r, &i) in members.iter().enumerate() {
            let values = rows.values(i as usize);
            let features = moments.observed.iter().map(|&j| values[j]);
            tile.put(r, features.chain([rows.target(i as usize)]));
        }
        tile.add_to(&mut moments, members, rows, frame);
    }
    moments.mirror();
    moments
}
