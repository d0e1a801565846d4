//! Statistics of rows that need not fit into memory.

use gapfit::data::{Dataset, MaskedMatrix, Schema};
use gapfit::{Gathering, Statistics};

use super::rows::{Columns, Features, Places, Rows, named};
use super::{Roles, checked_places};
use crate::columns::{Encoder, Guesses, Kinds};
use crate::error::{Error, Result};
use crate::reader::Reader;

/// Rows that are summed at once; fewer at first, which the units are settled by.
const CHUNK: usize = 1 << 16;
const FIRST: usize = 1 << 15;

/// Statistics of the rows of one or more files that have a target, read in chunks.
///
/// Columns of numbers are read once. Where there are texts the files are read twice: which categories there
/// are is known at the end only.
///
/// ```
/// use gapfit::Gathering;
/// use gapfit_io::{Gathered, Kinds, Reader, Roles, Task, csv};
/// let texts = ["size,price\n,3.5\n2,NA\n", "price,size\n4,3\n"];
/// let open = |i: usize| Reader::new(texts[i].as_bytes(), "huts.csv", &csv::Options::default());
/// let roles = Roles { target: "price".to_owned(), further_targets: vec![], weight: None, folds_by: None, task: Task::Auto };
/// let gathered = Gathered::read(texts.len(), open, &roles, &Kinds::default(), Gathering::default())?;
/// assert_eq!((gathered.statistics.n_rows(), gathered.dropped), (2, 1));
/// # Ok::<_, gapfit_io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gathered {
    /// The statistics of the rows that have a target, with the columns behind their features.
    pub statistics: Statistics,
    /// The number of rows left out because their target is missing.
    pub dropped: usize,
}

impl Gathered {
    /// The rows of the files that `open` opens by their numbers, the first `n_files` of them; all columns of the first
    /// that it does not ignore and that have no role are features. A column of folds plays no part.
    ///
    /// # Errors
    /// As [`Supervised::read_as`](super::Supervised::read_as), [`Error::AbsentColumn`] where a file lacks a
    /// column of the first, and [`Error::Rows`] for a target of classes or what [`Statistics`] do not take.
    pub fn read(
        n_files: usize,
        mut open: impl FnMut(usize) -> Result<Reader>,
        roles: &Roles,
        kinds: &Kinds,
        gathering: Gathering,
    ) -> Result<Self> {
        let mut files = Files::new(n_files, &mut open, roles, kinds)?;
        match files.gather(None, gathering)? {
            Found::Rows(gathered) => Ok(gathered),
            Found::Texts(schema) => {
                let mut files = Files::new(n_files, &mut open, roles, kinds)?;
                match files.gather(Some(&schema), gathering)? {
                    Found::Rows(gathered) => Ok(gathered),
                    Found::Texts(_) => unreachable!("a schema says what texts mean"),
                }
            }
        }
    }
}

/// What was found in the files.
enum Found {
    Rows(Gathered),
    /// Texts, and what all of them mean.
    Texts(Schema),
}

/// Files that are read one after the other.
struct Files<'a> {
    n_files: usize,
    open: &'a mut dyn FnMut(usize) -> Result<Reader>,
    roles: &'a Roles,
    kinds: &'a Kinds,
    /// The one that is being read.
    reader: Reader,
    places: Places,
    number: usize,
}

impl<'a> Files<'a> {
    fn new(
        n_files: usize,
        open: &'a mut dyn FnMut(usize) -> Result<Reader>,
        roles: &'a Roles,
        kinds: &'a Kinds,
    ) -> Result<Self> {
        if !roles.further_targets.is_empty() {
            return Err(Error::Rows(gapfit::Error::Setting {
                name: "target",
                expected: "one: statistics are for one target",
                got: format!("{} targets", 1 + roles.further_targets.len()),
            }));
        }
        let mut reader = open(0)?;
        let places = checked_places(&mut reader, roles, kinds)?;
        Ok(Self {
            n_files,
            open,
            roles,
            kinds,
            reader,
            places,
            number: 0,
        })
    }

    /// The statistics of all rows, or what columns of texts mean that no schema explains.
    fn gather(&mut self, schema: Option<&Schema>, gathering: Gathering) -> Result<Found> {
        let mut rows = Rows::new(self.features(schema), self.roles);
        let first = self.chunk(&mut rows, FIRST)?;
        if rows.has_texts() {
            return self.survey(rows);
        }
        let Some(first) = first else {
            rows.check(&self.reader, &self.places)?;
            return Err(self.reader.no_rows());
        };
        let mut statistics = Statistics::of(&first.into(), gathering)?;
        statistics.gather(std::iter::from_fn(|| {
            self.chunk(&mut rows, CHUNK).transpose()
        }))?;
        if rows.has_texts() {
            return self.survey(rows);
        }
        if rows.are_classes() {
            return Err(classes());
        }
        let schema = match rows.guesses() {
            Some(guesses) => guesses.schema(&self.reader, self.kinds)?,
            None => schema
                .cloned()
                .expect("features are guessed or of a schema"),
        };
        Ok(Found::Rows(Gathered {
            statistics: statistics.with_schema(schema)?,
            dropped: rows.dropped(),
        }))
    }

    /// Reads on to the end, for what the columns are.
    fn survey(&mut self, mut rows: Rows<'_>) -> Result<Found> {
        loop {
            rows.forget();
            if !self.advance(&mut rows)? {
                let guesses = rows.guesses().expect("texts that no schema explains");
                return guesses.schema(&self.reader, self.kinds).map(Found::Texts);
            }
        }
    }

    fn features<'s>(&mut self, schema: Option<&'s Schema>) -> Features<'s> {
        let Self {
            reader,
            places,
            kinds,
            ..
        } = self;
        match schema {
            None => Features::Guessed(Guesses::new(reader, &places.features, kinds)),
            Some(schema) => {
                let none = MaskedMatrix::new(schema.n_features());
                Features::Encoded(Encoder::new(reader, schema), none, schema)
            }
        }
    }

    /// The next rows; `None` after the last, or where texts are met.
    fn chunk(&mut self, rows: &mut Rows<'_>, limit: usize) -> Result<Option<Chunk>> {
        if let Some(columns) = rows.take_columns(&mut self.reader, &self.places, limit)? {
            let names = rows.guesses().map_or_else(Vec::new, Guesses::names);
            let target = self.roles.target.clone();
            return Ok(Some(Chunk::Columns(columns, names, target)));
        }
        if !self.advance(rows)? || rows.has_texts() {
            return Ok(None);
        }
        let rows = rows.chunk(self.roles).ok_or_else(classes)?;
        Ok(Some(Chunk::Rows(rows)))
    }

    /// Takes the rows of the next chunk, from as many files as it takes; whether there were any.
    fn advance(&mut self, rows: &mut Rows<'_>) -> Result<bool> {
        rows.reserve(CHUNK.min(self.reader.n_rows().unwrap_or(CHUNK)));
        while !rows.take(&mut self.reader, &self.places, CHUNK)? && self.number + 1 < self.n_files {
            self.number += 1;
            self.reader = (self.open)(self.number)?;
            self.reader.check_roles(self.roles.named())?;
            self.places = Places::of(&mut self.reader, self.roles)?;
            rows.turn_to(&mut self.reader)?;
        }
        Ok(rows.len() > 0)
    }
}

/// Rows that are to be summed.
enum Chunk {
    Rows(Dataset),
    /// With the names of the features and of the target.
    Columns(Columns, Vec<String>, String),
}

impl From<Chunk> for Dataset {
    fn from(chunk: Chunk) -> Self {
        match chunk {
            Chunk::Rows(rows) => rows,
            Chunk::Columns(columns, names, target) => {
                let (features, targets) = columns.rows();
                named(features, targets, names, &target)
            }
        }
    }
}

fn classes() -> Error {
    Error::Rows(gapfit::Error::Setting {
        name: "target",
        expected: "numbers: classes are learnt from rows, not from sums",
        got: "classes".to_owned(),
    })
}
