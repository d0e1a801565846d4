//! Clipping and summing in one pass over the rows.
//!
//! A row can be summed before the clipping bounds are known if none of its cells is near them. A
//! sample tells where the tails of each column begin; rows with a cell in a tail are set aside, give
//! the exact quantiles, and are clipped and summed last.

use super::range::{Tails, span};
use super::sum::{self, Aside, BIN};
use super::{Frame, MaskMoments, Masks, Ranges, Rows};

/// A cell at or below `low`, or at or above `high`, may be beyond a clipping bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Screen {
    pub(super) low: f64,
    pub(super) high: f64,
}

/// Rows looked at to find where the tails begin.
const SAMPLE: usize = 1 << 13;

/// Ranges, frame and moments of the rows clipped at `clip`; `None` where one pass cannot do it: few
/// rows, many masks, weights, or a sample that misjudged a column.
pub(super) fn read(
    rows: &Rows<'_>,
    masks: &Masks,
    clip: f64,
) -> Option<(Ranges, Frame, Vec<MaskMoments>)> {
    if rows.is_weighted() || rows.len() < 4 * SAMPLE || masks.len() * BIN > rows.len() {
        return None;
    }
    let sample = Sample::of(rows, clip)?;
    let (mut moments, aside) = sum::binned(rows, masks, &sample.frame, Some(&sample.screens));
    let tails = tails(masks, &sample.screens, &aside);
    if !tails.iter().all(|tails| tails.suffice(clip)) {
        return None;
    }
    let ranges = Ranges {
        columns: tails
            .into_iter()
            .map(|tails| tails.quantiles(clip))
            .collect(),
        target: sample.target,
    };
    let frame = sample.frame.clipped_to(&ranges);
    for (a, b) in moments.iter_mut().zip(aside.sum(rows, masks, &frame)) {
        a.add(&b, 1.0);
    }
    moments.iter_mut().for_each(MaskMoments::mirror);
    Some((ranges, frame, moments))
}

/// What a sample of the rows says about the columns.
struct Sample {
    screens: Vec<Screen>,
    /// Units that fit the bulk of the values.
    frame: Frame,
    target: (f64, f64),
}

impl Sample {
    /// `None` when a column is too rarely observed to judge.
    fn of(rows: &Rows<'_>, clip: f64) -> Option<Self> {
        let stride = rows.len() / SAMPLE;
        let mut columns = vec![Vec::with_capacity(SAMPLE); rows.data().n_features()];
        for i in 0..SAMPLE {
            let row = rows.row(i * stride);
            for j in row.observed().iter() {
                columns[j].push(row.values()[j]);
            }
        }
        let screens = columns.into_iter().map(|cells| Screen::of(cells, clip));
        let screens = screens.collect::<Option<Vec<_>>>()?;
        let bulk = Ranges {
            columns: screens.iter().map(|s| Some((s.low, s.high))).collect(),
            target: span((0..SAMPLE).map(|i| rows.target(i * stride)))?,
        };
        Some(Self {
            frame: Frame::new(&bulk, false),
            target: bulk.target,
            screens,
        })
    }
}

impl Screen {
    /// Four standard deviations more than the tail that is looked for, so that a sample rarely
    /// misleads; then the rows are read again.
    fn of(mut sample: Vec<f64>, clip: f64) -> Option<Self> {
        let expected = clip * sample.len() as f64;
        let rank = (expected + 4.0 * expected.sqrt()) as usize + 4;
        if 4 * rank >= sample.len() {
            return None;
        }
        let last = sample.len() - 1;
        let low = *sample.select_nth_unstable_by(rank, f64::total_cmp).1;
        let high = *sample.select_nth_unstable_by(last - rank, f64::total_cmp).1;
        Some(Self { low, high })
    }
}

/// The tails of each column, from the rows that were set aside.
fn tails(masks: &Masks, screens: &[Screen], aside: &Aside) -> Vec<Tails> {
    let counts = masks.column_counts();
    let mut tails: Vec<Tails> = counts
        .into_iter()
        .map(|n| Tails {
            weight: n as f64,
            ..Tails::default()
        })
        .collect();
    for (&i, cells) in aside
        .rows
        .iter()
        .zip(aside.cells.chunks_exact(screens.len() + 1))
    {
        for j in masks.mask(masks.of_row(i as usize)).iter() {
            if cells[j] <= screens[j].low {
                tails[j].low.push((cells[j], 1.0));
            }
            if cells[j] >= screens[j].high {
                tails[j].high.push((cells[j], 1.0));
            }
        }
    }
    tails
}
