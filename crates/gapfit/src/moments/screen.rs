//! Clipping and summing in one pass over the rows.
//!
//! A row can be summed before the clipping bounds are known if none of its cells is near them. A
//! sample tells where the tails of each column begin; rows with a cell in a tail are set aside, give
//! the exact quantiles, and are clipped and summed last.

use super::bin::{BIN, Bins};
use super::range::{rank, span};
use super::sum::{self, Aside};
use super::{Frame, MaskMoments, Masks, Ranges, Rows};

/// A cell at or below `low`, or at or above `high`, may be beyond a clipping bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    pub(crate) low: f64,
    pub(crate) high: f64,
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
    let columns = quantiles(masks, &sample.screens, &aside, clip)?;
    let ranges = Ranges {
        columns,
        targets: sample.targets,
    };
    let frame = sample.frame.clipped_to(&ranges);
    let clipped = Bins::new(rows, masks, &frame, None).sum_aside(&aside);
    for (a, b) in moments.iter_mut().zip(&clipped) {
        a.add(b, 1.0);
    }
    moments.iter_mut().for_each(MaskMoments::mirror);
    Some((ranges, frame, moments))
}

/// What a sample of the rows says about the columns.
struct Sample {
    screens: Vec<Screen>,
    /// Units that fit the bulk of the values.
    frame: Frame,
    targets: Vec<(f64, f64)>,
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
        let range = |y: &[f64]| span((0..SAMPLE).map(|i| y[rows.number(i * stride)]));
        let bulk = Ranges {
            columns: screens.iter().map(|s| Some((s.low, s.high))).collect(),
            targets: rows.targets().map(range).collect::<Option<_>>()?,
        };
        Some(Self {
            frame: Frame::new(&bulk, false),
            targets: bulk.targets,
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

/// The quantiles of each column at `clip` and its mirror image, from the rows that were set aside;
/// `None` when a sample misjudged a column and there are too few of them.
fn quantiles(
    masks: &Masks,
    screens: &[Screen],
    aside: &Aside,
    clip: f64,
) -> Option<Vec<Option<(f64, f64)>>> {
    let mut tails = vec![(Vec::new(), Vec::new()); screens.len()];
    let rows = aside.cells.chunks_exact(screens.len() + masks.n_targets());
    for (&m, cells) in aside.masks.iter().zip(rows) {
        for j in masks.mask(m as usize).iter() {
            if cells[j] <= screens[j].low {
                tails[j].0.push(cells[j]);
            }
            if cells[j] >= screens[j].high {
                tails[j].1.push(cells[j]);
            }
        }
    }
    let counts = masks.column_counts();
    let range = |((mut low, mut high), n): ((Vec<f64>, Vec<f64>), usize)| {
        let rank = rank(clip, n);
        if rank >= low.len().min(high.len()) {
            return None;
        }
        let last = high.len() - 1;
        let low = *low.select_nth_unstable_by(rank, f64::total_cmp).1;
        let high = *high.select_nth_unstable_by(last - rank, f64::total_cmp).1;
        Some(Some((low, high)))
    };
    tails.into_iter().zip(counts).map(range).collect()
}
