//! The hot loops: sums of products, and scaled additions.
//!
//! They are compiled for the vector instructions of the machine they run on, but add up in a fixed
//! order of eight lanes and never fuse a product with a sum: every machine computes the same bits.

use crate::linalg::{LANES, Loop, Simd, vectorised};

/// `Σ a_i x_i`, over the length of x.
pub(crate) fn dot(a: &[f64], x: &[f64]) -> f64 {
    dots([a], x)[0]
}

/// `Σ a_i x_i` of some vectors, over the length of x.
pub(crate) fn dots<const N: usize>(vectors: [&[f64]; N], x: &[f64]) -> [f64; N] {
    let mut sums = [0.0; N];
    vectorised(Dots {
        vectors,
        x,
        sums: &mut sums,
    });
    sums
}

/// `y += rate x`, over the length of x.
pub(crate) fn add_scaled(y: &mut [f64], rate: f64, x: &[f64]) {
    vectorised(AddScaled { y, rate, x });
}

/// `Σ_j Σ_i column_j[i] x_i` over the columns in `block`; a column takes `stride` cells.
pub(crate) fn dot_columns(values: &[f64], stride: usize, block: &[u32], x: &[f64]) -> f64 {
    let mut sum = 0.0;
    vectorised(DotColumns {
        values,
        stride,
        block,
        x,
        sum: &mut sum,
    });
    sum
}

/// `column_j += rate x` for the columns in `block`; a column takes `stride` cells.
pub(crate) fn add_to_columns(
    values: &mut [f64],
    stride: usize,
    block: &[u32],
    rate: f64,
    x: &[f64],
) {
    vectorised(AddToColumns {
        values,
        stride,
        block,
        rate,
        x,
    });
}

struct Dots<'a, const N: usize> {
    vectors: [&'a [f64]; N],
    x: &'a [f64],
    sums: &'a mut [f64; N],
}

impl<const N: usize> Loop for Dots<'_, N> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self { vectors, x, sums } = self;
        for (sum, vector) in sums.iter_mut().zip(vectors) {
            *sum = Partial::default().with([vector], x).total();
        }
    }
}

struct AddScaled<'a> {
    y: &'a mut [f64],
    rate: f64,
    x: &'a [f64],
}

impl Loop for AddScaled<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        add(self.y, self.rate, self.x);
    }
}

struct DotColumns<'a> {
    values: &'a [f64],
    stride: usize,
    block: &'a [u32],
    x: &'a [f64],
    sum: &'a mut f64,
}

impl Loop for DotColumns<'_> {
    /// Four columns at a time share their products with x.
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self {
            values,
            stride,
            block,
            x,
            sum,
        } = self;
        let column = |j: u32| &values[j as usize * stride..][..stride];
        let mut partial = Partial::default();
        let (fours, rest) = block.as_chunks::<4>();
        let (twos, rest) = rest.as_chunks::<2>();
        for &four in fours {
            partial = partial.with(four.map(column), x);
        }
        for &two in twos {
            partial = partial.with(two.map(column), x);
        }
        for &one in rest {
            partial = partial.with([column(one)], x);
        }
        *sum = partial.total();
    }
}

struct AddToColumns<'a> {
    values: &'a mut [f64],
    stride: usize,
    block: &'a [u32],
    rate: f64,
    x: &'a [f64],
}

impl Loop for AddToColumns<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self {
            values,
            stride,
            block,
            rate,
            x,
        } = self;
        for &j in block {
            add(&mut values[j as usize * stride..][..stride], rate, x);
        }
    }
}

/// Partial sums of products: entry i goes to lane `i mod WIDE`, unless it is behind the last whole vector.
#[derive(Clone, Copy, Default)]
struct Partial {
    lanes: [f64; WIDE],
    /// What is behind; one after the other, as sums whose place is not known beforehand would go through
    /// memory.
    behind: f64,
}

/// Two vectors of the widest kind, so that one sum need not wait for the other.
const WIDE: usize = 2 * LANES;

impl Partial {
    /// The sums with `Σ_i (Σ_n columns[n][i]) x_i` added.
    #[inline(always)]
    fn with<const N: usize>(mut self, columns: [&[f64]; N], x: &[f64]) -> Self {
        let columns = columns.map(|column| &column[..x.len()]);
        let (chunks, tail) = x.as_chunks::<WIDE>();
        let parts = columns.map(|column| column.as_chunks::<WIDE>());
        for (c, x) in chunks.iter().enumerate() {
            self.add(parts.map(|part| &part.0[c]), x);
        }
        let (halves, tail) = tail.as_chunks::<LANES>();
        let parts = parts.map(|part| part.1.as_chunks::<LANES>());
        if let [x] = halves {
            self.add(parts.map(|part| &part.0[0]), x);
        }
        for (i, x) in tail.iter().enumerate() {
            self.behind += sum(parts.map(|part| part.1[i])) * x;
        }
        self
    }

    /// Adds the products of a whole vector or two, from lane 0 on.
    #[inline(always)]
    fn add<const N: usize, const L: usize>(&mut self, parts: [&[f64; L]; N], x: &[f64; L]) {
        for lane in 0..L {
            self.lanes[lane] += sum(parts.map(|part| part[lane])) * x[lane];
        }
    }

    /// Not inlined: otherwise the compiler lays out all of the loop above for these few shuffles.
    #[inline(never)]
    fn total(self) -> f64 {
        let mut sums = self.lanes;
        let mut n = WIDE;
        while n > 1 {
            n /= 2;
            for lane in 0..n {
                sums[lane] += sums[lane + n];
            }
        }
        sums[0] + self.behind
    }
}

/// The sum of one, two or four numbers, in pairs.
#[inline(always)]
fn sum<const N: usize>(numbers: [f64; N]) -> f64 {
    match numbers[..] {
        [a] => a,
        [a, b] => a + b,
        [a, b, c, d] => (a + b) + (c + d),
        _ => numbers.iter().sum(),
    }
}

#[inline(always)]
fn add(y: &mut [f64], rate: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += rate * x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_additions_are_those_of_plain_loops() {
        for d in [0usize, 1, 7, 8, 9, 64, 67] {
            let stride = d.next_multiple_of(LANES).max(LANES);
            let mut values: Vec<f64> = (0..9 * stride).map(|i| (i as f64).sin()).collect();
            let x: Vec<f64> = (0..d).map(|i| (i as f64).cos()).collect();
            let block = [0, 8, 2, 3, 5, 7];
            let plain = |j: u32| -> f64 {
                let column = &values[j as usize * stride..];
                x.iter().zip(column).map(|(x, b)| x * b).sum()
            };
            let expected: f64 = block.iter().map(|&j| plain(j)).sum();
            assert!((dot_columns(&values, stride, &block, &x) - expected).abs() < 1e-12);
            assert!((dot(&values, &x) - plain(0)).abs() < 1e-12);
            let before = values.clone();
            add_to_columns(&mut values, stride, &block, -0.5, &x);
            add_scaled(&mut values[stride..], 2.0, &x);
            for j in 0..9 {
                let rate = match j {
                    1 => 2.0,
                    j if block.contains(&(j as u32)) => -0.5,
                    _ => 0.0,
                };
                for i in 0..stride {
                    let x = x.get(i).copied().unwrap_or(0.0);
                    let off = values[j * stride + i] - (before[j * stride + i] + rate * x);
                    assert!(off.abs() < 1e-15);
                }
            }
        }
    }

    /// The order of additions that is promised, in plain code for the plainest machine.
    fn in_lanes(columns: &[&[f64]], x: &[f64]) -> f64 {
        let (mut lanes, mut behind) = ([0.0; WIDE], 0.0);
        let whole = x.len() / LANES * LANES;
        let (fours, rest) = columns.split_at(columns.len() / 4 * 4);
        let (twos, ones) = rest.split_at(rest.len() / 2 * 2);
        let groups = fours.chunks(4).chain(twos.chunks(2)).chain(ones.chunks(1));
        for group in groups {
            for (i, x) in x.iter().enumerate() {
                let weight = match group {
                    [a, b, c, d] => (a[i] + b[i]) + (c[i] + d[i]),
                    [a, b] => a[i] + b[i],
                    other => other[0][i],
                };
                if i < whole {
                    lanes[i % WIDE] += weight * x;
                } else {
                    behind += weight * x;
                }
            }
        }
        for n in [8, 4, 2, 1] {
            (0..n).for_each(|lane| lanes[lane] += lanes[lane + n]);
        }
        lanes[0] + behind
    }

    #[test]
    fn every_machine_computes_the_same_bits() {
        for d in [1usize, 15, 16, 40, 67] {
            let stride = d.next_multiple_of(LANES);
            let values: Vec<f64> = (0..9 * stride).map(|i| (i as f64).sin()).collect();
            let x: Vec<f64> = (0..d).map(|i| (0.1 + i as f64).ln()).collect();
            for n in 1..9 {
                let block: Vec<u32> = (0..n).collect();
                let columns: Vec<_> = values.chunks(stride).take(n as usize).collect();
                let got = dot_columns(&values, stride, &block, &x);
                assert_eq!(got.to_bits(), in_lanes(&columns, &x).to_bits());
            }
            let got = dot(&values, &x).to_bits();
            assert_eq!(got, in_lanes(&[&values], &x).to_bits());
        }
    }
}
