//! Clipping and summing in one pass over the rows.
//!
//! A row can be summed before the clipping bounds are known if none of its cells is near them. A
//! sample tells where the tails of each column begin; rows with a cell in a tail are set aside, give
//! the exact quantiles, and are clipped and summed last.

use super::range::{Tails, span};
use super::sum::{self, BIN};
use super::{Frame, MaskMoments, Masks, Ranges, Rows};

/// A cell at or below `low`, or at or above `high`, may be beyond a clipping bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Screen {
    pub(super) low: f64,
    pub(super) high: f64,
}

/// Rows looked at to find where the tails begin.
const SAMPLE: usize = 1 << 14;

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
    let tails = tails(rows, masks, &sample.screens, &aside);
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
    let rest = sum::listed(rows, masks, &frame, &aside);
    for (a, b) in moments.iter_mut().zip(rest) {
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
        let column = |j: usize| {
            let cells = (0..SAMPLE).filter_map(|i| rows.row(i * stride).get(j));
            Screen::of(cells.collect(), clip)
        };
        let n_features = rows.data().n_features();
        let screens = (0..n_features).map(column).collect::<Option<Vec<_>>>()?;
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
fn tails(rows: &Rows<'_>, masks: &Masks, screens: &[Screen], aside: &[u32]) -> Vec<Tails> {
    let counts = masks.column_counts();
    let mut tails: Vec<Tails> = counts
        .into_iter()
        .map(|n| Tails {
            weight: n as f64,
            ..Tails::default()
        })
        .collect();
    for &i in aside {
        let row = rows.row(i as usize);
        for j in row.observed().iter() {
            let x = row.values()[j];
            if x <= screens[j].low {
                tails[j].low.push((x, 1.0));
            }
            if x >= screens[j].high {
                tails[j].high.push((x, 1.0));
            }
        }
    }
    tails
}
