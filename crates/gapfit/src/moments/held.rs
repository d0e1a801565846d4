//! Rows in the units they are summed in, by whole vectors.

use super::Frame;
use super::frame::Unit;
use super::screen::Screen;
use crate::linalg::{LANES, Simd};

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
        let bits = |lanes: usize| {
            let set = (0..1usize << lanes).flat_map(|set| (0..lanes).map(move |lane| set >> lane));
            set.map(|bits| (bits & 1) as f64).collect()
        };
        let clips = |unit: &Unit| unit.lower > f64::NEG_INFINITY || unit.upper < f64::INFINITY;
        Self {
            lower: unit(|unit| unit.lower),
            upper: unit(|unit| unit.upper),
            per_scale: unit(|unit| unit.per_scale),
            shift: unit(|unit| -unit.shift * unit.per_scale),
            bound: (0..stride).map(bound).collect(),
            clips: frame.columns.iter().any(clips),
            bits: [1, 2, 4, 8].map(bits),
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

    /// Writes the cells of one row in their units, zeros for the holes; returns whether one is caught. `PLAIN` rows are not
    /// clipped and have no weights, others are multiplied by `root`.
    #[inline(always)]
    pub(super) fn hold<const PLAIN: bool>(
        &self,
        (row, words): (&[f64], &[u64]),
        root: f64,
        into: &mut [f64],
    ) -> bool {
        let (simd, lanes) = (self.simd, S::F64_LANES);
        let row = S::as_simd_f64s(&row[..into.len()]).0;
        let into = S::as_mut_simd_f64s(into).0;
        let (root, zero) = (simd.splat_f64s(root), simd.splat_f64s(0.0));
        let mut caught = simd.greater_than_f64s(zero, zero);
        // all of one length, which is known where that of the row is
        let n = into.len();
        let (per_scale, shift) = (&self.per_scale[..n], &self.shift[..n]);
        let bound = &self.bound[..n];
        for v in 0..n {
            let start = v * lanes;
            let word = words.get(start / 64).copied().unwrap_or(0);
            let set = (word >> (start % 64)) as usize % (1 << lanes);
            let mut x = row[v];
            if !PLAIN {
                x = simd.min_f64s(simd.max_f64s(x, self.lower[v]), self.upper[v]);
            }
            // Exact but for the shift: the scale is a power of two, and so is its reciprocal.
            x = simd.mul_add_f64s(x, per_scale[v], shift[v]);
            x = simd.select_f64s(self.bits[set % (1 << LANES)], x, zero);
            let is_out = simd.greater_than_or_equal_f64s(simd.abs_f64s(x), bound[v]);
            caught = simd.or_m64s(caught, is_out);
            into[v] = if PLAIN { x } else { simd.mul_f64s(x, root) };
        }
        simd.first_true_m64s(caught) < lanes
    }
}
