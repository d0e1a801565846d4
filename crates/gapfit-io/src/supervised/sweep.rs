//! Rows of a file that are summed as they are read, for one fit.

use gapfit::Sweep;
use gapfit::data::{MaskedColumn, MaskedMatrix, Portion, RowSlice};

use super::rows::{Features, Places, Rows, named};
use super::{Roles, checked_places};
use crate::columns::{Guesses, Kinds, push_with_target, visit_columns};
use crate::error::Result;
use crate::reader::{Reader, Values};

/// What one fit needs of the rows of a file that have a target.
///
/// ```
/// use gapfit_io::{Kinds, Reader, Roles, Swept, Task, csv};
/// let rows = (0..40_000).map(|i| format!("{}.5,{}\n", i * 7919 % 10_007, i % 101));
/// let text = "size,price\n".to_owned() + &rows.collect::<String>();
/// let mut reader = Reader::new(text.into_bytes(), "huts.csv", &csv::Options::default())?;
/// let roles = Roles { target: "price".to_owned(), further_targets: vec![], weight: None, folds_by: None, task: Task::Auto };
/// let swept = Swept::read(&mut reader, &roles, &Kinds::default(), 0.002)?.expect("numbers, and enough of them");
/// assert_eq!(swept.sweep.n_rows(), 40_000);
/// # Ok::<_, gapfit_io::Error>(())
/// ```
#[derive(Debug)]
pub struct Swept {
    /// The sums, with the columns behind the features.
    pub sweep: Sweep,
    /// The number of rows left out because their target is missing.
    pub dropped: usize,
}

impl Swept {
    /// The rows of `reader`, as [`Supervised::read_as`](super::Supervised::read_as) takes them, cut at the quantile `clip`. `None` where that is
    /// not enough for a fit, and the rows must be read again into a table: one pass over them is not
    /// enough (see [`Sweep::gather`]), there are texts, or the target is classes.
    ///
    /// # Errors
    /// As [`Supervised::read_as`](super::Supervised::read_as).
    ///
    /// # Panics
    /// When `roles` has a weight, folds or several targets.
    pub fn read(
        reader: &mut Reader,
        roles: &Roles,
        kinds: &Kinds,
        clip: f64,
    ) -> Result<Option<Self>> {
        let is_plain = roles.weight.is_none() && roles.folds_by.is_none();
        assert!(is_plain && roles.further_targets.is_empty(), "one target");
        let places = checked_places(reader, roles, kinds)?;
        let guesses = Guesses::new(reader, &places.features, kinds);
        let blank = MaskedMatrix::new(places.features.len());
        let blank = named(blank, Vec::new(), guesses.names(), &roles.target);
        let mut feed = Feed {
            rows: Rows::new(Features::Guessed(guesses), roles),
            reader,
            places,
            roles,
            left_over: None,
        };
        let portions = std::iter::from_fn(|| feed.portion().transpose());
        let sweep = Sweep::gather(&blank, clip, portions)?;
        let Feed { rows, reader, .. } = feed;
        let (Some(sweep), Some(guesses)) = (sweep, rows.guesses()) else {
            return Ok(None);
        };
        if rows.has_texts() || rows.are_classes() {
            return Ok(None);
        }
        let schema = guesses.schema(reader, kinds)?;
        Ok(Some(Self {
            sweep: sweep.with_schema(schema)?,
            dropped: rows.dropped(),
        }))
    }
}

/// Portions of the rows of a file.
struct Feed<'a> {
    rows: Rows<'static>,
    reader: &'a mut Reader,
    places: Places,
    roles: &'a Roles,
    /// Rows that the last portion had no room for.
    left_over: Option<Piece>,
}

impl Feed<'_> {
    /// The next rows; `None` after the last, or where there are texts.
    fn portion(&mut self) -> Result<Option<Pieces>> {
        let mut found = Pieces::default();
        while found.n_rows < Sweep::PORTION {
            let next = match self.left_over.take() {
                None => self.piece(Sweep::PORTION - found.n_rows)?,
                left_over => left_over,
            };
            let Some(piece) = next else { break };
            self.left_over = found.push(piece);
        }
        Ok((found.n_rows > 0 && !self.rows.has_texts()).then_some(found))
    }

    /// The next rows that come together; row by row at most `limit`.
    fn piece(&mut self, limit: usize) -> Result<Option<Piece>> {
        if let Some(columns) = self.rows.next_block(self.reader, &self.places)? {
            return Ok(Some(Piece::Columns {
                columns,
                features: self.places.features.clone(),
                target: self.places.target,
            }));
        }
        self.rows.take(self.reader, &self.places, limit)?;
        let is_over = self.rows.len() == 0 || self.rows.has_texts();
        let chunk = (!is_over).then(|| self.rows.chunk(self.roles)).flatten();
        Ok(chunk.map(|data| {
            let (features, target) = data.into_parts();
            Piece::Rows(features, target)
        }))
    }
}

/// Rows of a portion, in order.
#[derive(Default)]
struct Pieces {
    pieces: Vec<Piece>,
    n_rows: usize,
}

/// Rows that come together.
enum Piece {
    /// All of them have a target.
    Rows(MaskedMatrix, Vec<f64>),
    Columns {
        columns: Vec<MaskedColumn<Values>>,
        features: Vec<usize>,
        target: usize,
    },
}

impl Piece {
    /// The number of rows that have a target.
    fn n_rows(&self) -> usize {
        match self {
            Self::Rows(_, target) => target.len(),
            Self::Columns {
                columns, target, ..
            } => columns[*target].n_observed(),
        }
    }

    /// Whether every row has a target.
    fn is_whole(&self) -> bool {
        match self {
            Self::Rows(..) => true,
            Self::Columns {
                columns, target, ..
            } => columns[*target].n_observed() == columns[*target].len(),
        }
    }

    /// The rows that have a target.
    fn into_rows(self) -> (MaskedMatrix, Vec<f64>) {
        match self {
            Self::Rows(rows, targets) => (rows, targets),
            Self::Columns {
                columns,
                features,
                target,
            } => {
                let (mut rows, mut targets) = (MaskedMatrix::new(features.len()), Vec::new());
                push_with_target(&columns, (&features, target), &mut rows, &mut targets);
                (rows, targets)
            }
        }
    }
}

impl Pieces {
    /// Takes rows up to the size of a portion, and gives back the others.
    fn push(&mut self, piece: Piece) -> Option<Piece> {
        let (n_rows, room) = (piece.n_rows(), Sweep::PORTION - self.n_rows);
        if n_rows <= room && piece.is_whole() {
            self.n_rows += n_rows;
            self.pieces.push(piece);
            return None;
        }
        // where a portion ends does not depend on how rows come together
        let (rows, mut targets) = piece.into_rows();
        let kept = n_rows.min(room);
        let rest = targets.split_off(kept);
        let pick = |rows: &MaskedMatrix, range: std::ops::Range<usize>| {
            rows.select_rows(&range.collect::<Vec<_>>())
        };
        let piece = Piece::Rows(pick(&rows, 0..kept), targets);
        self.n_rows += kept;
        self.pieces.push(piece);
        (!rest.is_empty()).then(|| Piece::Rows(pick(&rows, kept..n_rows), rest))
    }
}

impl Portion for Pieces {
    fn n_rows(&self) -> usize {
        self.n_rows
    }

    fn visit(&self, take: &mut dyn FnMut(RowSlice<'_>, &[f64])) {
        for piece in &self.pieces {
            match piece {
                Piece::Rows(rows, targets) => take(rows.into(), targets),
                Piece::Columns {
                    columns,
                    features,
                    target,
                } => visit_columns(columns, (features, *target), take),
            }
        }
    }
}
