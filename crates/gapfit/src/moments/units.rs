//! What brings rows into the units they are summed in, by whole vectors.

use super::Frame;
use super::frame::Unit;
use super::screen::Screen;
use crate::linalg::{LANES, Simd, cells_of_bits};

/// What is done to the cells of rows.
pub(super) struct Units {
    groups: Vec<Group>,
    /// Whether some cells are clipped.
    pub(super) clips: bool,
    /// For each way the bits of a vector can be set, 1 where they are: for vectors of 1, 2, 4 and 8 cells.
    bits: [Vec<f64>; 4],
}

/// What is done to some columns; nothing where there is none.
pub(super) struct Group {
    lower: [f64; LANES],
    upper: [f64; LANES],
    per_scale: [f64; LANES],
    /// The shift in units.
    shift: [f64; LANES],
    /// From how far out on cells are caught, in units.
    bound: [f64; LANES],
}

impl Units {
    pub(super) fn new(frame: &Frame, screens: Option<&[Screen]>) -> Self {
        // The middle of a screen is near the shift: looking at the nearer end catches few cells in vain.
        let bound = |j: usize| match screens.and_then(|screens| screens.get(j)) {
            None => f64::INFINITY,
            Some(Screen { low, high }) => {
                let [low, high] = [low, high].map(|x| frame.columns[j].hold(*x));
                low.abs().min(high.abs())
            }
        };
        let group = |first: usize| {
            let of = |of: fn(&Unit) -> f64| {
                std::array::from_fn(|k| of(frame.columns.get(first + k).unwrap_or(&Unit::IDENTITY)))
            };
            Group {
                lower: of(|unit| unit.lower),
                upper: of(|unit| unit.upper),
                per_scale: of(|unit| unit.per_scale),
                shift: of(|unit| -unit.shift * unit.per_scale),
                bound: std::array::from_fn(|k| bound(first + k)),
            }
        };
        let clips = |unit: &Unit| unit.lower > f64::NEG_INFINITY || unit.upper < f64::INFINITY;
        Self {
            groups: (0..frame.columns.len()).step_by(LANES).map(group).collect(),
            clips: frame.columns.iter().any(clips),
            bits: [1, 2, 4, 8].map(cells_of_bits),
        }
    }
}

/// Vectors for the cells of rows.
pub(super) struct Lanes<'a, S: Simd> {
    pub(super) simd: S,
    pub(super) groups: &'a [Group],
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
        let groups = &units.groups;
        Self { simd, groups, bits }
    }

    /// No cell at all.
    #[inline(always)]
    pub(super) fn none(&self) -> S::m64s {
        self.bits[0]
    }

    /// Whether there is any cell.
    #[inline(always)]
    pub(super) fn is_any(&self, cells: S::m64s) -> bool {
        self.simd.first_true_m64s(cells) < S::F64_LANES
    }

    /// Cells of a group in their units, times `root`; which of those whose bits are set are caught is added to `caught`. `PLAIN` ones are
    /// not clipped and have no weights.
    #[inline(always)]
    pub(super) fn hold<const PLAIN: bool>(
        &self,
        group: &Group,
        (cells, bits): (&[f64; LANES], u8),
        root: f64,
        caught: &mut S::m64s,
    ) -> [f64; LANES] {
        let simd = self.simd;
        let vectors = |cells| S::as_simd_f64s(cells).0;
        let (per_scale, shift) = (vectors(&group.per_scale), vectors(&group.shift));
        let bound = vectors(&group.bound);
        let mut held = *cells;
        for (v, x) in S::as_mut_simd_f64s(&mut held).0.iter_mut().enumerate() {
            if !PLAIN {
                let (lower, upper) = (vectors(&group.lower)[v], vectors(&group.upper)[v]);
                *x = simd.min_f64s(simd.max_f64s(*x, lower), upper);
            }
            // Exact but for the shift: the scale is a power of two, and so is its reciprocal.
            *x = simd.mul_add_f64s(*x, per_scale[v], shift[v]);
            let is_out = simd.greater_than_or_equal_f64s(simd.abs_f64s(*x), bound[v]);
            let set = usize::from(bits >> (v * S::F64_LANES)) % (1 << S::F64_LANES);
            let is_out = simd.and_m64s(is_out, self.bits[set % (1 << LANES)]);
            *caught = simd.or_m64s(*caught, is_out);
            if !PLAIN {
                *x = simd.mul_f64s(*x, simd.splat_f64s(root));
            }
        }
        held
    }
}
