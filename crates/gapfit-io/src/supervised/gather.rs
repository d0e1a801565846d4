//! Statistics of rows that need not fit into memory.

use gapfit::data::{Dataset, Kind, MaskedMatrix, Portion, RowSlice, Schema, SchemaColumn};
use gapfit::{Gathering, RowSample, Statistics};

use super::Roles;
use super::files::Files;
use super::rows::{Columns, Places, Rows, named};
use crate::columns::{Guesses, Kinds};
use crate::error::{Error, Result};
use crate::reader::Reader;

/// Rows that are summed at once; fewer at first, which the units are settled by.
pub(super) const CHUNK: usize = 1 << 16;
const FIRST: usize = 1 << 15;
/// Chunks before the first look at how many rows are kept, and between two such looks at most.
const FIRST_ROUND: usize = 1;
const ROUND: usize = 64;

/// Statistics of the rows of one or more files that have a target, read in chunks.
///
/// Columns of numbers are read once. Where there are texts the files are read twice: which categories there
/// are is known at the end only. They are also read once more where the first rows are unlike the others, as in
/// a table that is sorted: what lies far out is then settled by a sample of all rows.
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
    /// Columns with levels that given columns do not have, and how many cells have one.
    pub unseen: Vec<(String, usize)>,
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
        match find(n_files, &mut open, (roles, kinds), gathering, false)? {
            Ok(gathered) => Ok(gathered),
            Err(_) => unreachable!("sums by mask are asked for, however many there are"),
        }
    }

    /// The rows of one table, with the columns, levels, units and settings of other statistics, whose rows do not
    /// count. The table is read once; columns that the statistics do not have are left out, levels that they do not
    /// have are missing.
    ///
    /// ```
    /// use gapfit::Gathering;
    /// use gapfit_io::{Gathered, Kinds, Reader, Roles, Task, csv};
    /// let texts = ["size,price\n,3.5\n2,NA\n", "price,size\n4,3\n"];
    /// let open = |i: usize| Reader::new(texts[i].as_bytes(), "huts.csv", &csv::Options::default());
    /// let roles = Roles { target: "price".to_owned(), further_targets: vec![], weight: None, folds_by: None, task: Task::Regression };
    /// let mut all = Gathered::read(1, open, &roles, &Kinds::default(), Gathering::default())?.statistics;
    /// let part = Gathered::read_like(open(1)?, &roles, &all)?.statistics;
    /// all.merge(part)?;
    /// assert_eq!(all.n_rows(), 2);
    /// # Ok::<_, gapfit_io::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`read`](Self::read), but that there need not be rows; [`Error::AbsentColumn`] where the table lacks a column, and
    /// [`Error::Rows`] where `roles` name another target than that of the statistics, or weights that only one of them has.
    pub fn read_like(mut reader: Reader, roles: &Roles, like: &Statistics) -> Result<Self> {
        one_target(roles)?;
        reader.check_roles(roles.named())?;
        let schema = like.schema().cloned();
        let schema = schema.unwrap_or_else(|| Schema::numeric(like.names()));
        let names: Vec<String> = schema.columns().iter().map(|c| c.name.clone()).collect();
        for name in &names {
            reader.position(name, "feature")?;
        }
        let is_role = |name: &str| roles.named().any(|(_, role)| role == name);
        reader.retain(|name| is_role(name) || names.iter().any(|feature| feature == name));
        let mut places = Places::of(&mut reader, roles)?;
        let place = |name: &String| reader.position(name, "feature");
        places.features = names.iter().map(place).collect::<Result<_>>()?;
        like.check_like(&blank(roles, like))?;
        let is_number = |column: &SchemaColumn| column.kind == Kind::Numeric;
        // columns of numbers come as a whole where nothing has to be encoded
        let (kinds, encoded) = match schema.columns().iter().all(is_number) {
            true => (names, None),
            false => (Vec::new(), Some(&schema)),
        };
        let kinds = Kinds {
            numeric: kinds,
            ..Kinds::default()
        };
        let mut open = |_| unreachable!("there is one table");
        let mut pass = Pass {
            files: Files::one((reader, places), &mut open, roles, &kinds),
            gathering: like.gathering(),
            n_at_once: CHUNK,
            is_wary: false,
        };
        let mut rows = pass.files.rows(encoded);
        let mut statistics = like.emptied();
        statistics.gather_portions(std::iter::from_fn(|| {
            pass.chunk(&mut rows, CHUNK).transpose()
        }))?;
        Ok(Self {
            statistics,
            dropped: rows.dropped(),
            unseen: rows.unseen(),
        })
    }
}

/// A table without rows of the features of other statistics, with the target and weights that these roles give it.
fn blank(roles: &Roles, like: &Statistics) -> Dataset {
    let features = MaskedMatrix::new(like.names().len());
    let blank = named(features, Vec::new(), like.names().to_vec(), &roles.target);
    match &roles.weight {
        None => blank,
        Some(_) => blank.with_weights(Vec::new()).expect("one weight per row"),
    }
}

/// What the columns of files are whose rows have too many masks for sums.
pub(super) struct ManyMasks {
    pub(super) schema: Schema,
    pub(super) dropped: usize,
}

/// The statistics of the rows of some files, in as many passes as it takes; or, where `is_wary`, what the columns are
/// as soon as it is clear that sums by mask would outgrow the rows.
pub(super) fn find(
    n_files: usize,
    open: &mut dyn FnMut(usize) -> Result<Reader>,
    (roles, kinds): (&Roles, &Kinds),
    gathering: Gathering,
    is_wary: bool,
) -> Result<std::result::Result<Gathered, ManyMasks>> {
    one_target(roles)?;
    let (mut schema, mut sample) = (None, None);
    loop {
        let mut pass = Pass {
            files: Files::new(n_files, open, roles, kinds)?,
            gathering,
            n_at_once: CHUNK,
            is_wary,
        };
        match pass.run(schema.as_ref(), sample.as_ref())? {
            Found::Rows(gathered) => return Ok(Ok(gathered)),
            Found::Masks(found) => return Ok(Err(found)),
            Found::Texts(found) => schema = Some(found),
            Found::Sample(found) => sample = Some(found),
        }
    }
}

fn one_target(roles: &Roles) -> Result<()> {
    match roles.further_targets.len() {
        0 => Ok(()),
        more => Err(Error::Rows(gapfit::Error::Setting {
            name: "target",
            expected: "one: statistics are for one target",
            got: format!("{} targets", 1 + more),
        })),
    }
}

/// What was found in the files.
enum Found {
    Rows(Gathered),
    /// Texts, and what all of them mean.
    Texts(Schema),
    /// First rows that mislead, and a sample of all of them.
    Sample(RowSample),
    Masks(ManyMasks),
}

/// What came of summing rows up.
enum Summed {
    Statistics(Statistics),
    Sample(RowSample),
    /// Masks that are too many.
    Nothing,
}

/// One reading of all files.
pub(super) struct Pass<'a> {
    pub(super) files: Files<'a>,
    pub(super) gathering: Gathering,
    /// Rows of a chunk, where they do not come as columns.
    pub(super) n_at_once: usize,
    /// Whether sums that would outgrow the rows are not to be made.
    pub(super) is_wary: bool,
}

impl Pass<'_> {
    /// The statistics of all rows; or what columns of texts mean that no schema explains; or a sample, where
    /// none is given and one is needed.
    fn run(&mut self, schema: Option<&Schema>, sample: Option<&RowSample>) -> Result<Found> {
        let mut rows = self.files.rows(schema);
        let first = self.chunk(&mut rows, FIRST)?;
        if rows.has_texts() {
            return self.survey(rows);
        }
        let Some(first) = first else {
            self.files.check(&rows)?;
            return Err(self.files.reader.no_rows());
        };
        let summed = match sample {
            None => self.sum(first, &mut rows)?,
            Some(sample) => self.sum_settled(sample, first, &mut rows)?,
        };
        if let Summed::Nothing = summed {
            while self.chunk(&mut rows, CHUNK)?.is_some() {} // for what the columns are
        }
        if rows.has_texts() {
            return self.survey(rows);
        }
        if rows.are_classes() {
            return Err(classes());
        }
        if let Summed::Sample(sample) = summed {
            return Ok(Found::Sample(sample));
        }
        let schema = match rows.guesses() {
            Some(guesses) => guesses.schema(&self.files.reader, self.files.kinds)?,
            None => schema
                .cloned()
                .expect("features are guessed or of a schema"),
        };
        let dropped = rows.dropped();
        Ok(match summed {
            Summed::Statistics(mut statistics) => {
                statistics.compact();
                Found::Rows(Gathered {
                    statistics: statistics.with_schema(schema)?,
                    dropped,
                    unseen: Vec::new(),
                })
            }
            _ => Found::Masks(ManyMasks { schema, dropped }),
        })
    }

    /// The statistics of the rows from `first` on, in units that a sample settles.
    fn sum_settled(
        &mut self,
        sample: &RowSample,
        first: Chunk,
        rows: &mut Rows<'_>,
    ) -> Result<Summed> {
        let mut statistics = Statistics::settled_by(sample.rows(), self.gathering)?;
        let chunks = std::iter::from_fn(|| self.chunk(rows, CHUNK).transpose());
        match statistics.gather_portions(std::iter::once(Ok(first)).chain(chunks)) {
            Err(error) if self.is_wary && are_too_many_masks(&error) => Ok(Summed::Nothing),
            summed => summed.map(|()| Summed::Statistics(statistics)),
        }
    }

    /// The statistics of the rows from `first` on, in units that `first` settles; a sample of all rows where those
    /// do not suit.
    fn sum(&mut self, first: Chunk, rows: &mut Rows<'_>) -> Result<Summed> {
        let first: Dataset = first.into();
        if self.is_wary && Statistics::would_outgrow(&first) {
            return Ok(Summed::Nothing);
        }
        let mut sample = RowSample::new(&first);
        let picks = sample.picks(first.n_rows());
        sample.push(&first.select(&picks));
        let mut statistics = Statistics::of(&first, self.gathering)?;
        let usual = Usual::of(&statistics);
        let (mut round, mut is_over) = (FIRST_ROUND, false);
        while !is_over {
            let mut n_chunks = 0;
            let chunks = std::iter::from_fn(|| {
                if n_chunks == round {
                    return None;
                }
                n_chunks += 1;
                let chunk = self.chunk(rows, CHUNK).transpose();
                is_over = chunk.is_none();
                if let Some(Ok(chunk)) = &chunk {
                    chunk.sample(&mut sample);
                }
                chunk
            });
            match statistics.gather_portions(chunks) {
                Err(Error::Rows(gapfit::Error::Setting { name: "clip", .. })) => {
                    return self.rest(rows, sample).map(Summed::Sample);
                }
                Err(error) if self.is_wary && are_too_many_masks(&error) => {
                    return Ok(Summed::Nothing);
                }
                summed => summed?,
            }
            if self.is_wary && statistics.outgrows_rows() {
                return Ok(Summed::Nothing);
            }
            if usual.is_exceeded(&statistics) {
                return self.rest(rows, sample).map(Summed::Sample);
            }
            round = (2 * round).min(ROUND);
        }
        Ok(match statistics.is_misled() {
            true => Summed::Sample(sample),
            false => Summed::Statistics(statistics),
        })
    }

    /// The sample, with rows from those that are left.
    fn rest(&mut self, rows: &mut Rows<'_>, mut sample: RowSample) -> Result<RowSample> {
        while let Some(chunk) = self.chunk(rows, CHUNK)? {
            chunk.sample(&mut sample);
        }
        Ok(sample)
    }

    /// Reads on to the end, for what the columns are.
    fn survey(&mut self, mut rows: Rows<'_>) -> Result<Found> {
        loop {
            rows.forget();
            if !self.files.advance(&mut rows, CHUNK)? {
                let guesses = rows.guesses().expect("texts that no schema explains");
                let schema = guesses.schema(&self.files.reader, self.files.kinds);
                return schema.map(Found::Texts);
            }
        }
    }

    /// The next rows; `None` after the last, or where texts are met.
    pub(super) fn chunk(&mut self, rows: &mut Rows<'_>, limit: usize) -> Result<Option<Chunk>> {
        let n_at_once = self.n_at_once;
        let files = &mut self.files;
        if let Some(columns) = rows.take_columns(&mut files.reader, &files.places, limit)? {
            let names = rows.guesses().map_or_else(Vec::new, Guesses::names);
            let target = files.roles.target.clone();
            return Ok(Some(Chunk::Columns(columns, names, target)));
        }
        rows.reserve(n_at_once.min(files.reader.n_rows().unwrap_or(n_at_once)));
        if !files.advance(rows, n_at_once)? || rows.has_texts() {
            return Ok(None);
        }
        let rows = rows.chunk(files.roles).ok_or_else(classes)?;
        Ok(Some(Chunk::Rows(rows)))
    }
}

/// How many of the rows are kept that settle what is far out.
struct Usual {
    n_rows: usize,
    n_kept: usize,
}

impl Usual {
    fn of(statistics: &Statistics) -> Self {
        Self {
            n_rows: statistics.n_rows(),
            n_kept: statistics.n_kept(),
        }
    }

    /// Whether of the rows since then many more are kept, so that those misled.
    fn is_exceeded(&self, statistics: &Statistics) -> bool {
        let share = self.n_kept as f64 / self.n_rows.max(1) as f64;
        let (since, kept) = (
            statistics.n_rows() - self.n_rows,
            statistics.n_kept() - self.n_kept,
        );
        kept as f64 > 1000.0 + (2.0 * share + 0.02) * since as f64
    }
}

/// Rows that are to be summed.
pub(super) enum Chunk {
    Rows(Dataset),
    /// With the names of the features and of the target.
    Columns(Columns, Vec<String>, String),
}

impl Chunk {
    /// Gives a sample what it picks.
    fn sample(&self, sample: &mut RowSample) {
        let picked = match self {
            Self::Rows(rows) => rows.select(&sample.picks(rows.n_rows())),
            Self::Columns(columns, names, target) => {
                let (features, targets) = columns.picked(|n| sample.picks(n));
                named(features, targets, names.clone(), target)
            }
        };
        sample.push(&picked);
    }
}

impl Portion for Chunk {
    fn n_rows(&self) -> usize {
        match self {
            Self::Rows(rows) => rows.n_rows(),
            Self::Columns(columns, ..) => columns.n_rows(),
        }
    }

    fn visit(&self, take: &mut dyn FnMut(RowSlice<'_>, &[f64])) {
        match self {
            Self::Rows(rows) => take(rows.features().into(), rows.target()),
            Self::Columns(columns, ..) => columns.visit(take),
        }
    }
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

fn are_too_many_masks(error: &Error) -> bool {
    let name = "statistics";
    matches!(error, Error::Rows(gapfit::Error::Setting { name: of, .. }) if *of == name)
}

fn classes() -> Error {
    Error::Rows(gapfit::Error::Setting {
        name: "target",
        expected: "numbers: classes are learnt from rows, not from sums",
        got: "classes".to_owned(),
    })
}
