//! Cells of vectors told by bits: moved together, those that are there to the front; and found.

use super::kernel::{LANES, Simd};
use std::any::Any;

/// Writes the cells whose bits are set, in order; what is behind them is of no meaning. How many there are.
#[inline(always)]
pub(crate) fn pack<S: Simd>(simd: S, cells: [f64; LANES], bits: u8, into: &mut [f64]) -> usize {
    let into = into.first_chunk_mut().expect("room for all cells");
    #[cfg(target_arch = "x86_64")]
    if let Some(v4) = (&simd as &dyn Any).downcast_ref::<pulp::x86::V4>() {
        let cells = pulp::cast(cells);
        *into = pulp::cast(v4.avx512f._mm512_maskz_compress_pd(bits, cells));
        return bits.count_ones() as usize;
    }
    pack_one_by_one(cells, bits, into)
}

#[inline(always)]
fn pack_one_by_one(cells: [f64; LANES], bits: u8, into: &mut [f64; LANES]) -> usize {
    let mut n = 0;
    for (bit, cell) in cells.into_iter().enumerate() {
        // without a branch: holes come at random
        into[n % LANES] = cell;
        n += usize::from(bits >> bit & 1);
    }
    n
}

/// The bits of the cells of a vector that a comparison found.
#[inline(always)]
pub(crate) fn bits_of<S: Simd>(simd: S, found: S::m64s) -> u8 {
    if let Some(pulp::b8(bits)) = (&found as &dyn Any).downcast_ref() {
        return *bits;
    }
    if simd.first_true_m64s(found) == S::F64_LANES {
        return 0;
    }
    let mut ones = [0.0; LANES];
    let [zero, one] = [0.0, 1.0].map(|x| simd.splat_f64s(x));
    S::as_mut_simd_f64s(&mut ones).0[0] = simd.select_f64s(found, one, zero);
    let bits = ones.iter().zip(0..);
    bits.fold(0, |bits, (&one, bit)| bits | u8::from(one > 0.0) << bit)
}

#[cfg(test)]
mod tests {
    use super::super::kernel::{Loop, vectorised};
    use super::*;

    struct Pack<'a>(u8, &'a mut [f64; LANES]);

    const CELLS: [f64; LANES] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];

    impl Loop for Pack<'_> {
        #[inline(always)]
        fn run<S: Simd>(self, simd: S) {
            assert_eq!(
                pack(simd, CELLS, self.0, self.1),
                self.0.count_ones() as usize
            );
        }
    }

    #[test]
    fn cells_move_to_the_front_in_order() {
        for bits in 0..=u8::MAX {
            let (mut fast, mut slow) = ([-1.0; LANES], [-1.0; LANES]);
            vectorised(Pack(bits, &mut fast));
            let n = pack_one_by_one(CELLS, bits, &mut slow);
            let expected = (0..LANES).filter(|j| bits >> j & 1 == 1).map(|j| j as f64);
            let expected: Vec<f64> = expected.collect();
            assert_eq!((&fast[..n], &slow[..n]), (&expected[..], &expected[..]));
        }
    }

    struct Compare<'a>(&'a [f64; LANES], &'a mut u64);

    impl Loop for Compare<'_> {
        #[inline(always)]
        fn run<S: Simd>(self, simd: S) {
            let zero = simd.splat_f64s(0.0);
            for (v, &x) in S::as_simd_f64s(self.0).0.iter().enumerate() {
                let found = simd.greater_than_f64s(x, zero);
                *self.1 |= u64::from(bits_of(simd, found)) << (v * S::F64_LANES);
            }
        }
    }

    #[test]
    fn bits_tell_what_a_comparison_finds() {
        for bits in 0..1u64 << LANES {
            let cells = std::array::from_fn(|j| f64::from(bits >> j & 1 == 1));
            let (mut found, mut portable) = (0, 0);
            vectorised(Compare(&cells, &mut found));
            Compare(&cells, &mut portable).run(pulp::Scalar);
            assert_eq!((found, portable), (bits, bits));
        }
    }
}
