//! Where a clipping bound can be, as far as the rows so far tell.

use super::rank::rank;

/// One end of a column. Its cells are told by their value at the lower end and by the negative of it at the
/// upper one, so that both look alike.
///
/// The bound of all rows is where that of those so far is, give or take the noise of its rank. So cells well before it are cut, whatever
/// comes, and cells well beyond it are not. That is no certainty where rows come in some order: whether the bound is in
/// the band is looked at in the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Band {
    /// Cells before this one are cut.
    cut: f64,
    /// Cells beyond this one are not.
    pub(super) inside: f64,
    /// Cells before the band that are gone.
    pub(super) n_cut: usize,
}

/// Where a cell is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Side {
    Cut,
    Unsure,
    Inside,
}

/// Standard deviations of the rank to either side of it: one in 10^5 bounds leaves such a band.
const DEVIATIONS: f64 = 4.5;

impl Band {
    /// The bound can be anywhere up to this cell.
    pub(super) fn up_to(inside: f64) -> Self {
        Self {
            cut: f64::NEG_INFINITY,
            inside,
            n_cut: 0,
        }
    }

    #[inline(always)]
    pub(super) fn side(&self, x: f64) -> Side {
        match () {
            () if x > self.inside => Side::Inside,
            () if x < self.cut => Side::Cut,
            () => Side::Unsure,
        }
    }

    /// Makes the band narrower, by the cells up to its end that are not gone; `n` cells were seen in all. `None` where nothing is left of it.
    pub(super) fn narrow(&mut self, tail: &mut [f64], clip: f64, n: usize) -> Option<()> {
        let rank = rank(clip, n);
        let slack = (DEVIATIONS * (rank as f64).sqrt()).ceil() as usize + 4;
        let first = rank.checked_sub(slack);
        if let Some(x) = first.and_then(|first| self.nth(tail, first)) {
            self.cut = self.cut.max(x);
        }
        if let Some(x) = self.nth(tail, rank + slack) {
            self.inside = self.inside.min(x);
        }
        (self.cut <= self.inside).then_some(())
    }

    /// The bound of `n` cells, of which those up to the band's end that are not gone are these; `None` where it is not in the band.
    pub(super) fn bound(&self, tail: &mut [f64], clip: f64, n: usize) -> Option<f64> {
        let x = self.nth(tail, rank(clip, n))?;
        (self.side(x) == Side::Unsure).then_some(x)
    }

    /// The cell of this rank, counting those that are gone.
    fn nth(&self, tail: &mut [f64], rank: usize) -> Option<f64> {
        let place = rank.checked_sub(self.n_cut)?;
        let is_there = place < tail.len();
        is_there.then(|| *tail.select_nth_unstable_by(place, f64::total_cmp).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers from 0 on in some order.
    fn cells(n: usize) -> Vec<f64> {
        (0..n).map(|i| (i * 7919 % n) as f64).collect()
    }

    #[test]
    fn a_bound_is_found_among_the_cells_that_are_left() {
        let (n, clip) = (100_000, 0.01);
        let mut band = Band::up_to(5000.0);
        let mut tail = cells(n);
        tail.retain(|x| *x <= 5000.0);
        band.narrow(&mut tail, clip, n).unwrap();
        assert!(band.cut > 700.0 && band.inside < 1300.0);
        let before = tail.len();
        tail.retain(|x| band.side(*x) != Side::Cut);
        band.n_cut += before - tail.len();
        tail.retain(|x| band.side(*x) != Side::Inside);
        assert!(tail.len() < 500);
        assert_eq!(band.bound(&mut tail, clip, n), Some(999.0));
    }

    #[test]
    fn a_bound_that_has_left_the_band_is_not_found() {
        let mut band = Band::up_to(5000.0);
        let mut tail = cells(100_000);
        tail.retain(|x| *x <= 5000.0);
        band.narrow(&mut tail, 0.01, 100_000).unwrap();
        band.n_cut = tail.iter().filter(|x| **x < band.cut).count();
        tail.retain(|x| band.side(*x) == Side::Unsure);
        for n in [60_000, 150_000] {
            assert_eq!(band.bound(&mut tail, 0.01, n), None);
        }
    }
}
