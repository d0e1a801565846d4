//! Which block a row belongs to.

use crate::data::Dataset;
use crate::hash::mixed;
use rayon::prelude::*;

/// Blocks that rows are laid into; folds are made of whole ones.
pub(crate) const N_BLOCKS: usize = 10;

/// Tells the blocks of the rows of a table: they depend on names, values and target of a row, not on the
/// order of rows or columns, nor on features that are zero. So copies of a row share their block.
#[derive(Debug)]
pub(crate) struct Labels {
    /// An odd number for each feature, then for the target.
    factors: Vec<u64>,
}

impl Labels {
    pub(crate) fn new(data: &Dataset) -> Self {
        let names = data.names().iter().map(String::as_str);
        let factor =
            |name: &str| mixed(name.bytes().fold(SEED, |h, b| mixed(h ^ u64::from(b)))) | 1;
        Self {
            factors: names.chain([data.target_name()]).map(factor).collect(),
        }
    }

    /// The block of row `i`.
    pub(crate) fn of(&self, data: &Dataset, i: usize) -> usize {
        let (target, features) = self.factors.split_last().expect("the target has one");
        let cells = data.features().values(i).iter().zip(features);
        // holes are stored as zero, and both zeros count as nothing
        let sum = cells.fold(0u64, |sum, (x, factor)| {
            sum.wrapping_add((x + 0.0).to_bits().wrapping_mul(*factor))
        });
        let y = (data.target()[i] + 0.0).to_bits().wrapping_mul(*target);
        (mixed(sum.wrapping_add(y)) % N_BLOCKS as u64) as usize
    }
}

/// The blocks of the given rows, each with its rows in order.
pub(crate) fn block_of(data: &Dataset, rows: impl Iterator<Item = usize>) -> Vec<Vec<usize>> {
    let labels = Labels::new(data);
    let rows: Vec<usize> = rows.collect();
    let of_rows: Vec<u8> = rows.par_iter().map(|&i| labels.of(data, i) as u8).collect();
    let block = |b: usize| {
        let of_rows = rows.iter().zip(&of_rows);
        let in_block = of_rows.filter(|(_, of_row)| usize::from(**of_row) == b);
        in_block.map(|(&i, _)| i).collect()
    };
    (0..N_BLOCKS).into_par_iter().map(block).collect()
}

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::MaskedMatrix;

    fn table(columns: &[&str], cells: &[f64], target: &[f64]) -> Dataset {
        let features = MaskedMatrix::from_nan(target.len(), columns.len(), cells).unwrap();
        let names = columns.iter().map(|name| (*name).to_owned()).collect();
        let data = Dataset::new(features, target.to_vec()).unwrap();
        data.with_names(names).unwrap()
    }

    fn labels(data: &Dataset) -> Vec<usize> {
        let labels = Labels::new(data);
        (0..data.n_rows()).map(|i| labels.of(data, i)).collect()
    }

    #[test]
    fn order_of_columns_and_features_of_zero_make_no_difference() {
        let nan = f64::NAN;
        let a = table(
            &["a", "b"],
            &[1.0, 2.0, nan, 5.0, -0.0, 3.0],
            &[1.0, 2.0, 3.0],
        );
        let b = table(
            &["b", "c", "a"],
            &[2.0, 0.0, 1.0, 5.0, nan, nan, 3.0, 0.0, 0.0],
            &[1.0, 2.0, 3.0],
        );
        assert_eq!(labels(&a), labels(&b));
    }

    #[test]
    fn blocks_are_about_equal_whatever_the_numbers() {
        for step in [1.0, 0.1, 1e-9, 1024.0] {
            let n = 20_000;
            let cells: Vec<f64> = (0..n).map(|i| step * i as f64).collect();
            let data = table(&["x"], &cells, &vec![0.0; n]);
            for block in block_of(&data, 0..n) {
                assert!(
                    (1800..2200).contains(&block.len()),
                    "{step}: {}",
                    block.len()
                );
            }
        }
    }
}
