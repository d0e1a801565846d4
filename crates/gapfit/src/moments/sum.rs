//! Summing rows mask by mask.
//!
//! With few masks one pass over the rows adds them up; with many, rows are sorted by mask and each mask is summed on its own.

use super::adder::{Adder, PART, PER_MASK, Part};
use super::tile::Tile;
use super::{Adders, Frame, MaskMoments, Masks, Moments, Rows};
use crate::ahead::in_order;
use rayon::prelude::*;
use std::ops::Range;

/// Rows per tile where a mask is summed on its own.
const TILE: usize = 256;

/// Every mask's moments.
pub(super) fn all(rows: &Rows<'_>, masks: &Masks, frame: &Frame) -> Moments {
    let are_few = masks.len() * PER_MASK <= rows.len().min(PART);
    let added = are_few.then(|| in_one_pass(rows, &Adders::new(frame, None)));
    let added = added.flatten();
    added.map_or_else(
        || Moments::new(masks, one_by_one(rows, masks, frame)),
        |part| part.moments(),
    )
}

/// The sums over all rows but those with a cell that is caught; and these. `None` where masks are too many, or too
/// many rows are caught.
pub(super) fn in_one_pass(rows: &Rows<'_>, adders: &Adders<'_>) -> Option<Part> {
    let mut all = Part::none(adders.frame);
    each_part(rows, adders, |part| {
        all.add(part);
        Some(())
    })?;
    Some(all)
}

/// Hands to `take` the sums of the rows, part after part; `None` where one has none or is not taken.
pub(super) fn each_part(
    rows: &Rows<'_>,
    adders: &Adders<'_>,
    take: impl FnMut(Part) -> Option<()>,
) -> Option<()> {
    let part = |adder: &mut Adder<'_>, range: Range<usize>| {
        adder.add_rows(rows, range);
        adder.part()
    };
    parts(rows.len(), adders, part, take)
}

/// Hands to `take`, in order, what `part` makes of each part of so many rows; `None` where one has no sums or is not taken.
pub(crate) fn parts(
    n_rows: usize,
    adders: &Adders<'_>,
    part: impl Fn(&mut Adder<'_>, Range<usize>) -> Option<Part> + Sync,
    mut take: impl FnMut(Part) -> Option<()>,
) -> Option<()> {
    let of = |start: usize| {
        let range = start..n_rows.min(start + PART);
        adders.lend(|adder| part(adder, range))
    };
    // who waits for another thread cannot help it
    if (1..=PART).contains(&n_rows) {
        return of(0).and_then(take);
    }
    let starts = (0..n_rows).step_by(PART).map(Ok);
    in_order(starts, of, |part| part.and_then(&mut take).ok_or(())).ok()
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
