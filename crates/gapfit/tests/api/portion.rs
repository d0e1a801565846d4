//! Portions of tables that are summed without becoming tables.

use gapfit::data::{Dataset, MaskedMatrix, Portion, RowSlice};
use gapfit::{Error, Gathering, Statistics, Sweep};

const N_ROWS: usize = 40_000;

/// Rows that are shown a few at a time.
struct Shown(Dataset);

impl Shown {
    fn new(first: usize, n_rows: usize, width: usize) -> Self {
        let cells = (first * width..(first + n_rows) * width).map(|c| match c % 7 {
            0 => f64::NAN,
            _ => ((c * 7919 % 10_007) as f64).sqrt(),
        });
        let features = MaskedMatrix::from_nan(n_rows, width, &cells.collect::<Vec<f64>>());
        let target = (first..first + n_rows).map(|i| (i as f64).sin()).collect();
        Self(Dataset::new(features.unwrap(), target).unwrap())
    }
}

impl Portion for Shown {
    fn n_rows(&self) -> usize {
        self.0.n_rows()
    }

    fn visit(&self, take: &mut dyn FnMut(RowSlice<'_>, &[f64])) {
        let rows: Vec<usize> = (0..self.0.n_rows()).collect();
        for rows in rows.chunks(1000) {
            let target: Vec<f64> = rows.iter().map(|&i| self.0.target()[i]).collect();
            take((&self.0.features().select_rows(rows)).into(), &target);
        }
    }
}

impl From<Shown> for Dataset {
    fn from(shown: Shown) -> Self {
        shown.0
    }
}

fn first() -> Statistics {
    let gathering = Gathering {
        is_blocked: false,
        ..Gathering::default()
    };
    Statistics::of(&Shown::new(0, N_ROWS, 4).0, gathering).unwrap()
}

#[test]
fn portions_are_summed_as_tables_to_the_bit() {
    let portions = || (1..4).map(|p| Ok::<_, Error>(Shown::new(p * N_ROWS, N_ROWS, 4)));
    let (mut by_portion, mut by_table) = (first(), first());
    by_portion.gather_portions(portions()).unwrap();
    by_table.gather(portions()).unwrap();
    assert_eq!(by_portion.n_rows(), 4 * N_ROWS);
    assert!(by_portion.to_bytes() == by_table.to_bytes());
}

#[test]
fn portions_of_other_columns_are_refused() {
    for width in [3, 5] {
        let mut sums = first();
        let other = [Ok::<_, Error>(Shown::new(0, N_ROWS, width))];
        let Err(Error::Shape { expected, got, .. }) = sums.gather_portions(other) else {
            panic!("{width} columns are no 4");
        };
        assert_eq!((expected, got), (4, width));
        // what was lent for it serves the next
        let next = [Ok::<_, Error>(Shown::new(N_ROWS, N_ROWS, 4))];
        sums.gather_portions(next).unwrap();
        assert_eq!(sums.n_rows(), 2 * N_ROWS);
    }
}

#[test]
fn portions_of_other_columns_give_no_sweep() {
    let blank = Shown::new(0, 0, 4).0;
    for widths in [[4, 4], [3, 4], [4, 3], [5, 4], [4, 5]] {
        let portion = |width: usize| Ok::<_, Error>(Shown::new(0, N_ROWS, width));
        let sweep = Sweep::gather(&blank, 0.002, widths.map(portion)).unwrap();
        assert_eq!(sweep.is_some(), widths == [4, 4], "{widths:?}");
    }
}
