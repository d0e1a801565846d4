//! Rows in the units they are summed in, by whole vectors.

use super::aligned::Aligned;
use super::frame::Unit;
use super::screen::Screen;
use super::slab::padded;
use super::{Frame, Slab};
use crate::data::WORD;
use crate::linalg::{LANES, Simd, cells_of_bits};
use std::ops::Range;

/// What is done to the cells of a row, in arrays as long as the padded row: whole vectors of any width.
pub(super) struct Units {
    lower: Vec<f64>,
    upper: Vec<f64>,
    per_scale: Vec<f64>,
    /// The shift in units.
    shift: Vec<f64>,
    /// From how far out on cells are caught, in units.
    bound: Vec<f64>,
    /// Whether some cells are clipped.
    pub(super) clips: bool,
    /// For each way the bits of a vector can be set, 1 where they are: for vectors of 1, 2, 4 and 8 cells.
    bits: [Vec<f64>; 4],
}

impl Units {
    pub(super) fn new(frame: &Frame, screens: Option<&[Screen]>, stride: usize) -> Self {
        let unit = |of: fn(&Unit) -> f64| {
            let cell = |j: usize| frame.columns.get(j).map_or(0.0, of);
            (0..stride).map(cell).collect()
        };
        // The middle of a screen is near the shift: looking at the nearer end catches few cells in vain.
        let bound = |j: usize| match screens.and_then(|screens| screens.get(j)) {
            None => f64::INFINITY,
            Some(Screen { low, high }) => {
                let [low, high] = [low, high].map(|x| frame.columns[j].hold(*x));
                low.abs().min(high.abs())
            }
        };
        let clips = |unit: &Unit| unit.lower > f64::NEG_INFINITY || unit.upper < f64::INFINITY;
        Self {
            lower: unit(|unit| unit.lower),
            upper: unit(|unit| unit.upper),
            per_scale: unit(|unit| unit.per_scale),
            shift: unit(|unit| -unit.shift * unit.per_scale),
            bound: (0..stride).map(bound).collect(),
            clips: frame.columns.iter().any(clips),
            bits: [1, 2, 4, 8].map(cells_of_bits),
        }
    }
}

/// Vectors for the cells of rows.
pub(super) struct Lanes<'a, S: Simd> {
    pub(super) simd: S,
    per_scale: &'a [S::f64s],
    shift: &'a [S::f64s],
    bound: &'a [S::f64s],
    lower: &'a [S::f64s],
    upper: &'a [S::f64s],
    /// For each way the bits of a vector can be set: where they are.
    bits: [S::m64s; 1 << LANES],
}

impl<'a, S: Simd> Lanes<'a, S> {
    #[inline(always)]
    pub(super) fn new(simd: S, units: &'a Units) -> Self {
        let ones = &units.bits[S::F64_LANES.trailing_zeros() as usize % units.bits.len()];
        let zero = simd.splat_f64s(0.0);
        let mut bits = [simd.greater_than_f64s(zero, zero); 1 << LANES];
        for (bits, ones) in bits.iter_mut().zip(S::as_simd_f64s(ones).0) {
            *bits = simd.greater_than_f64s(*ones, zero);
        }
        Self {
            simd,
            per_scale: S::as_simd_f64s(&units.per_scale).0,
            shift: S::as_simd_f64s(&units.shift).0,
            bound: S::as_simd_f64s(&units.bound).0,
            lower: S::as_simd_f64s(&units.lower).0,
            upper: S::as_simd_f64s(&units.upper).0,
            bits,
        }
    }

    /// No cell at all.
    #[inline(always)]
    fn none(&self) -> S::m64s {
        let zero = self.simd.splat_f64s(0.0);
        self.simd.greater_than_f64s(zero, zero)
    }

    /// Whether there is any cell.
    #[inline(always)]
    fn is_any(&self, cells: S::m64s) -> bool {
        self.simd.first_true_m64s(cells) < S::F64_LANES
    }

    /// What is done to the cells of vector `v` of a row.
    #[inline(always)]
    fn of_vector(&self, v: usize) -> Lane<S> {
        Lane {
            per_scale: self.per_scale[v],
            shift: self.shift[v],
            bound: self.bound[v],
            lower: self.lower[v],
            upper: self.upper[v],
        }
    }

    /// The cells of a vector in their units, 0 where the first of `bits` are not set, times `root`; which are caught is added to
    /// `caught`. `PLAIN` ones are not clipped and have no weights.
    #[inline(always)]
    fn hold<const PLAIN: bool>(
        &self,
        lane: &Lane<S>,
        (mut x, bits): (S::f64s, u64),
        root: S::f64s,
        caught: &mut S::m64s,
    ) -> S::f64s {
        let simd = self.simd;
        if !PLAIN {
            x = simd.min_f64s(simd.max_f64s(x, lane.lower), lane.upper);
        }
        // Exact but for the shift: the scale is a power of two, and so is its reciprocal.
        x = simd.mul_add_f64s(x, lane.per_scale, lane.shift);
        let set = bits as usize % (1 << S::F64_LANES);
        x = simd.select_f64s(self.bits[set % (1 << LANES)], x, simd.splat_f64s(0.0));
        let is_out = simd.greater_than_or_equal_f64s(simd.abs_f64s(x), lane.bound);
        *caught = simd.or_m64s(*caught, is_out);
        if PLAIN { x } else { simd.mul_f64s(x, root) }
    }
}

/// What is done to the cells of one vector.
#[derive(Clone, Copy)]
struct Lane<S: Simd> {
    per_scale: S::f64s,
    shift: S::f64s,
    bound: S::f64s,
    lower: S::f64s,
    upper: S::f64s,
}

/// Cells of a narrow row: two of the widest vectors.
pub(super) const NARROW: usize = 2 * LANES;

/// Cells that are put into their units together: few enough to stay near.
const CELLS: usize = 1 << 15;

/// Some rows in their units: features, zeros for the holes; targets; 1; zeros up to whole vectors.
pub(super) struct Held {
    cells: Aligned,
    stride: usize,
    /// The numbers of their masks.
    pub(super) numbers: Vec<u32>,
    /// Which of them have a cell that is caught.
    pub(super) caught: Vec<bool>,
    /// The last row of a slab, padded.
    last: Vec<f64>,
}

impl Held {
    pub(super) fn new(stride: usize) -> Self {
        let room = (CELLS / stride).max(1);
        Self {
            cells: Aligned::new(room * stride),
            stride,
            numbers: vec![0; room],
            caught: vec![false; room],
            last: vec![0.0; stride],
        }
    }

    /// Cells of a row, up to whole vectors.
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    /// Rows that there is room for.
    pub(super) fn room(&self) -> usize {
        self.caught.len()
    }

    /// The `k`-th row.
    #[inline(always)]
    pub(super) fn row(&self, k: usize) -> &[f64] {
        &self.cells[k * self.stride..][..self.stride]
    }

    /// Holds rows of `width` features, no more than there is room for.
    #[inline(always)]
    pub(super) fn hold<S: Simd, const PLAIN: bool>(
        &mut self,
        lanes: &Lanes<'_, S>,
        slab: &Slab<'_>,
        range: Range<usize>,
        (width, targets): (usize, &[Unit]),
    ) {
        // loops of known length where rows are narrow
        match (self.stride, NARROW / S::F64_LANES) {
            (NARROW, 2) => self.hold_narrow::<S, PLAIN, 2>(lanes, slab, &range, width),
            (NARROW, 4) => self.hold_narrow::<S, PLAIN, 4>(lanes, slab, &range, width),
            _ => self.hold_wide::<S, PLAIN>(lanes, slab, &range, width),
        }
        let root = |i: usize| if PLAIN { 1.0 } else { slab.root(i) };
        for ((column, unit), place) in slab.targets.iter().zip(targets).zip(width..) {
            let rows = self.cells.chunks_exact_mut(self.stride);
            for (row, i) in rows.zip(range.clone()) {
                row[place] = (column[i] - unit.shift) * unit.per_scale * root(i);
            }
        }
        let one = width + targets.len();
        let rows = self.cells.chunks_exact_mut(self.stride).zip(range);
        rows.for_each(|(row, i)| row[one] = root(i));
    }

    /// Rows of `N` vectors.
    #[inline(always)]
    fn hold_narrow<S: Simd, const PLAIN: bool, const N: usize>(
        &mut self,
        lanes: &Lanes<'_, S>,
        slab: &Slab<'_>,
        range: &Range<usize>,
        width: usize,
    ) {
        let mut each = [lanes.of_vector(0); N];
        for (v, lane) in each.iter_mut().enumerate() {
            *lane = lanes.of_vector(v);
        }
        let rows = self.cells.chunks_exact_mut(NARROW).zip(&mut self.caught);
        for ((into, is_caught), i) in rows.zip(range.clone()) {
            let row = padded(&slab.values[i * width..], &mut self.last[..NARROW]);
            let row: &[S::f64s; N] = S::as_simd_f64s(row).0.try_into().expect("N vectors");
            let into = S::as_mut_simd_f64s(into).0;
            let into: &mut [S::f64s; N] = into.try_into().expect("N vectors");
            let word = slab.words.get(i).copied().unwrap_or(0); // none without features
            let root = lanes
                .simd
                .splat_f64s(if PLAIN { 1.0 } else { slab.root(i) });
            let mut caught = lanes.none();
            for v in 0..N {
                let cells = (row[v], word >> (v * S::F64_LANES));
                into[v] = lanes.hold::<PLAIN>(&each[v], cells, root, &mut caught);
            }
            *is_caught = lanes.is_any(caught);
        }
    }

    /// Rows of any length.
    #[inline(always)]
    fn hold_wide<S: Simd, const PLAIN: bool>(
        &mut self,
        lanes: &Lanes<'_, S>,
        slab: &Slab<'_>,
        range: &Range<usize>,
        width: usize,
    ) {
        let per_row = width.div_ceil(WORD);
        let rows = self.cells.chunks_exact_mut(self.stride);
        let rows = rows.zip(&mut self.caught);
        for ((into, is_caught), i) in rows.zip(range.clone()) {
            let row = padded(&slab.values[i * width..], &mut self.last);
            let words = &slab.words[i * per_row..][..per_row];
            let root = lanes
                .simd
                .splat_f64s(if PLAIN { 1.0 } else { slab.root(i) });
            let mut caught = lanes.none();
            let into = S::as_mut_simd_f64s(into).0.iter_mut();
            for (v, (into, &x)) in into.zip(S::as_simd_f64s(row).0).enumerate() {
                let start = v * S::F64_LANES;
                let word = words.get(start / WORD).copied().unwrap_or(0);
                let cells = (x, word >> (start % WORD));
                *into = lanes.hold::<PLAIN>(&lanes.of_vector(v), cells, root, &mut caught);
            }
            *is_caught = lanes.is_any(caught);
        }
    }
}
