//! Summing rows mask by mask.
//!
//! With few masks one pass over the rows drops each into the bin of its mask, and a full bin adds its
//! Gram matrix to the sums; with many, rows are sorted by mask and each mask is summed on its own.

use super::aside::Aside;
use super::bin::{BIN, Bins, PART, Part};
use super::screen::Screen;
use super::tile::Tile;
use super::{Frame, MaskMoments, Masks, Moments, Rows};
use rayon::prelude::*;

/// Rows per tile where a mask is summed on its own.
const TILE: usize = 256;

/// Parts whose sums are held at the same time, at most.
const WAVE: usize = 16;

/// Every mask's moments.
pub(super) fn all(rows: &Rows<'_>, masks: &Masks, frame: &Frame) -> Moments {
    let is_binned = masks.len() * BIN <= rows.len().min(PART);
    let binned = is_binned.then(|| binned(rows, frame, None)).flatten();
    binned.map_or_else(
        || Moments::new(masks, one_by_one(rows, masks, frame)),
        Part::whole,
    )
}

/// The sums over all rows but those with a cell that `screens` catch; and these. `None` where masks are too many, or too
/// many rows are caught.
pub(super) fn binned(rows: &Rows<'_>, frame: &Frame, screens: Option<&[Screen]>) -> Option<Part> {
    let starts: Vec<usize> = (0..rows.len()).step_by(PART).collect();
    let part = |bins: &mut Bins<'_>, start: &usize| {
        bins.add_rows(rows, *start..rows.len().min(start + PART));
        bins.part()
    };
    parts(frame, screens, &starts, part)
}

/// What `part` makes of each of these places, added up; `None` where one has no sums.
pub(crate) fn parts<T: Sync>(
    frame: &Frame,
    screens: Option<&[Screen]>,
    places: &[T],
    part: impl Fn(&mut Bins<'_>, &T) -> Option<Part> + Sync,
) -> Option<Part> {
    let mut all = Part::none(frame);
    for wave in places.chunks(WAVE) {
        let bins = || Bins::new(frame, screens);
        let parts = wave.par_iter().map_init(bins, &part);
        let parts: Option<Vec<Part>> = parts.collect();
        parts?.into_iter().for_each(|part| all.add(part));
    }
    Some(all)
}

impl Part {
    /// Of no rows.
    pub(crate) fn none(frame: &Frame) -> Self {
        Self {
            moments: Moments::none(),
            aside: Aside::new(frame.columns.len(), frame.targets.len()),
        }
    }

    /// Adds the rows of another part in the same units.
    pub(crate) fn add(&mut self, mut other: Self) {
        match self.moments.masks.is_empty() {
            true => self.moments = other.moments,
            false => self.moments.merge(&other.moments),
        }
        self.aside.append(&mut other.aside);
    }

    /// The sums, without what was set aside.
    pub(super) fn whole(mut self) -> Moments {
        let masks = self.moments.masks.iter_mut();
        masks.for_each(|(_, moments)| moments.mirror());
        self.moments
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
