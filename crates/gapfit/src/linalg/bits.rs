//! Which cells are numbers: a bit for each, as comparisons of whole vectors give them.

/// Bits per word.
const WORD: usize = u64::BITS as usize;

/// Appends a bit for each cell, set unless it is NaN: whole words for each row of `width` cells.
pub(crate) fn push_bits_of_rows(cells: &[f64], width: usize, words: &mut Vec<u64>) {
    let rows = (cells, width, words);
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(v4) = pulp::x86::V4::try_new() {
            return v4.vectorize(|| push_all(v4, rows));
        }
        if let Some(v3) = pulp::x86::V3::try_new() {
            return v3.vectorize(|| push_all(v3, rows));
        }
    }
    push_all(Portable, rows);
}

/// For each way the bits of a vector of so many cells can be set, 1 where they are and 0 elsewhere: one vector after the other.
pub(crate) fn cells_of_bits(lanes: usize) -> Vec<f64> {
    let set = (0..1usize << lanes).flat_map(|set| (0..lanes).map(move |lane| set >> lane));
    set.map(|bits| (bits & 1) as f64).collect()
}

/// A way to look at eight cells at once.
trait Eight: Copy {
    /// Bit `i` is set unless cell `i` is NaN; must be `#[inline(always)]`.
    fn bits(self, cells: &[f64; 8]) -> u64;
}

#[derive(Clone, Copy)]
struct Portable;

impl Eight for Portable {
    #[inline(always)]
    fn bits(self, cells: &[f64; 8]) -> u64 {
        let bits = cells.iter().zip(0..);
        bits.fold(0, |bits, (x, i)| bits | u64::from(!x.is_nan()) << i)
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Eight;
    use pulp::x86::{V3, V4};
    use std::arch::x86_64::_CMP_ORD_Q;

    impl Eight for V4 {
        #[inline(always)]
        fn bits(self, cells: &[f64; 8]) -> u64 {
            let cells = pulp::cast(*cells);
            let are_numbers = self.avx512f._mm512_cmp_pd_mask::<_CMP_ORD_Q>(cells, cells);
            u64::from(are_numbers)
        }
    }

    impl Eight for V3 {
        #[inline(always)]
        fn bits(self, cells: &[f64; 8]) -> u64 {
            let halves: [[f64; 4]; 2] = pulp::cast(*cells);
            let [low, high] = halves.map(|cells| {
                let cells = pulp::cast(cells);
                let are_numbers = self.avx._mm256_cmp_pd::<_CMP_ORD_Q>(cells, cells);
                self.avx._mm256_movemask_pd(are_numbers) as u64
            });
            low | high << 4
        }
    }
}

#[inline(always)]
fn push_all<E: Eight>(eight: E, rows: (&[f64], usize, &mut Vec<u64>)) {
    // loops of known length for rows of one word
    match rows.1.div_ceil(8) {
        1 => push_narrow::<E, 1>(eight, rows),
        2 => push_narrow::<E, 2>(eight, rows),
        3 => push_narrow::<E, 3>(eight, rows),
        4 => push_narrow::<E, 4>(eight, rows),
        5..=8 => push_narrow::<E, 8>(eight, rows),
        _ => push_wide(eight, rows),
    }
}

/// Rows of at most `8 K <= 64` cells.
#[inline(always)]
fn push_narrow<E: Eight, const K: usize>(
    eight: E,
    (cells, width, words): (&[f64], usize, &mut Vec<u64>),
) {
    let kept = u64::MAX >> (WORD - width);
    let bits = |row: &[f64]| {
        let mut word = 0;
        for (k, cells) in row[..8 * K].as_chunks::<8>().0.iter().enumerate() {
            word |= eight.bits(cells) << (8 * k);
        }
        word & kept
    };
    let n_rows = cells.len() / width;
    let is_followed = |i: usize| i * width + 8 * K <= cells.len();
    let followed = (0..n_rows).rev().find(|&i| is_followed(i));
    let followed = followed.map_or(0, |last| last + 1);
    words.extend((0..followed).map(|i| bits(&cells[i * width..][..8 * K])));
    for row in cells[followed * width..].chunks_exact(width) {
        let mut padded = [f64::NAN; WORD];
        padded[..width].copy_from_slice(row);
        words.push(bits(&padded));
    }
}

/// Rows of any length, each with whole words.
#[inline(always)]
fn push_wide<E: Eight>(eight: E, (cells, width, words): (&[f64], usize, &mut Vec<u64>)) {
    for row in cells.chunks_exact(width) {
        for part in row.chunks(WORD) {
            push_narrow::<E, 8>(eight, (part, part.len(), words));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_set_where_cells_are_numbers() {
        for width in [1, 7, 8, 10, 63, 64, 65, 130] {
            let cells: Vec<f64> = (0..width * 9)
                .map(|i| if i * i % 7 == 2 { f64::NAN } else { i as f64 })
                .collect();
            let (mut words, mut portable) = (vec![7], vec![7]);
            push_bits_of_rows(&cells, width, &mut words);
            push_all(Portable, (&cells, width, &mut portable));
            assert_eq!(words, portable);
            let per_row = width.div_ceil(WORD);
            assert_eq!((words.len(), words[0]), (1 + 9 * per_row, 7));
            for (row, words) in cells.chunks(width).zip(words[1..].chunks(per_row)) {
                for j in 0..per_row * WORD {
                    let is_set = words[j / WORD] >> (j % WORD) & 1 == 1;
                    assert_eq!(
                        is_set,
                        row.get(j).is_some_and(|x| !x.is_nan()),
                        "{width} {j}"
                    );
                }
            }
        }
    }
}
