//! Which rows a candidate learns from, and which it is judged on.

/// One fold: the rows to learn from and the rows to be judged on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// Row numbers to learn from, ascending.
    pub train: Vec<usize>,
    /// Row numbers to be judged on; none of them is in `train`.
    pub held_out: Vec<usize>,
}

/// The folds of a data set, as made by [`Folding::split`](super::Folding::split).
///
/// Unless folds are given, the rows lie in blocks, each in one. A fold is put together when it is asked
/// for, so that many folds need no more memory than one.
///
/// ```
/// use gapfit::data::{Dataset, MaskedMatrix};
/// use gapfit::tune::Folding;
/// let data = Dataset::new(MaskedMatrix::from_nan(4, 1, &[1.0; 4])?, vec![0.0; 4])?;
/// for fold in Folding::Shuffled.split(&data, 2, 7)?.iter() {
///     assert_eq!((fold.train.len(), fold.held_out.len()), (2, 2));
/// }
/// # Ok::<_, gapfit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folds(Parts);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Parts {
    Blocks(Blocks),
    Given(Vec<Fold>),
}

/// Rows in blocks, each in one at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Blocks {
    rows: Vec<Vec<usize>>,
    pub(super) order: Order,
    /// For each row of the table the block it lies in, [`NOWHERE`] where it lies in none.
    of_row: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

/// Which blocks a fold learns from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// All but the one held out; each block is held out once.
    Any,
    /// All before the one held out; the first block is never held out.
    Forward,
}

impl Folds {
    pub(super) fn of_blocks(blocks: Blocks) -> Self {
        Self(Parts::Blocks(blocks))
    }

    pub(super) fn given(folds: Vec<Fold>) -> Self {
        Self(Parts::Given(folds))
    }

    /// The number of folds.
    pub fn count(&self) -> usize {
        match &self.0 {
            Parts::Given(folds) => folds.len(),
            Parts::Blocks(blocks) => match blocks.order {
                Order::Any => blocks.rows.len(),
                Order::Forward => blocks.rows.len() - 1,
            },
        }
    }

    /// The folds, one after the other.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Fold> + '_ {
        (0..self.count()).map(|f| self.get(f))
    }

    /// Fold `f`, counted from 0.
    ///
    /// # Panics
    /// If there is no such fold.
    pub fn get(&self, f: usize) -> Fold {
        match &self.0 {
            Parts::Given(folds) => folds[f].clone(),
            Parts::Blocks(blocks) => blocks.fold(f),
        }
    }

    /// The blocks, where folds are made of them.
    pub(super) fn blocks(&self) -> Option<&Blocks> {
        match &self.0 {
            Parts::Given(_) => None,
            Parts::Blocks(blocks) => Some(blocks),
        }
    }
}

impl Order {
    /// The block that fold `f` holds out.
    pub(super) fn held_out(self, f: usize) -> usize {
        match self {
            Self::Any => f,
            Self::Forward => f + 1,
        }
    }
}

impl Blocks {
    /// Rows of a table with so many.
    pub(super) fn new(rows: Vec<Vec<usize>>, order: Order, n_rows: usize) -> Self {
        let mut of_row = vec![NOWHERE; n_rows];
        for (b, block) in rows.iter().enumerate() {
            block.iter().for_each(|&row| of_row[row] = b as u32);
        }
        Self {
            rows,
            order,
            of_row,
        }
    }

    /// The rows of each block, ascending.
    pub(super) fn ascending(&self) -> Vec<Vec<usize>> {
        let room = |rows: &Vec<usize>| Vec::with_capacity(rows.len());
        let mut blocks: Vec<Vec<usize>> = self.rows.iter().map(room).collect();
        let rows = self.of_row.iter().enumerate();
        for (row, &b) in rows.filter(|(_, b)| **b != NOWHERE) {
            blocks[b as usize].push(row);
        }
        blocks
    }

    fn fold(&self, f: usize) -> Fold {
        let held_out = self.order.held_out(f);
        let last = match self.order {
            Order::Any => self.rows.len(),
            Order::Forward => held_out,
        };
        let is_learnt = |block: usize| block < last && block != held_out;
        let learnt = self.rows.iter().enumerate();
        let learnt = learnt.filter(|(b, _)| is_learnt(*b));
        let mut train = Vec::with_capacity(learnt.map(|(_, rows)| rows.len()).sum());
        let rows = self.of_row.iter().enumerate();
        train.extend(rows.filter_map(|(row, &b)| is_learnt(b as usize).then_some(row)));
        Fold {
            train,
            held_out: self.rows[held_out].clone(),
        }
    }
}
