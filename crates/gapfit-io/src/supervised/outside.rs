//! Rows to learn from that need not fit into memory, whatever their holes.

use gapfit::data::{Dataset, Kind, Schema, SchemaColumn};
use gapfit::{Evidence, Gathering, Passes, Statistics};

use super::Roles;
use super::files::Files;
use super::gather::{CHUNK, Gathered, ManyMasks, Pass, find};
use crate::columns::Kinds;
use crate::error::{Error, Result};
use crate::reader::Reader;

/// What can be learnt from the rows of one or more files that are read in chunks and not kept: sums, or the files themselves where
/// nearly every row has a pattern of holes of its own.
///
/// ```
/// use gapfit::{Gathering, Learner, Parameters};
/// use gapfit_io::{Kinds, Outside, Reader, Roles, Task, csv};
/// let texts = ["size,price\n,3.5\n2,NA\n", "price,size\n4,3\n"];
/// let open = |i: usize| Reader::new(texts[i].as_bytes(), "huts.csv", &csv::Options::default());
/// let roles = Roles { target: "price".to_owned(), further_targets: vec![], weight: None, folds_by: None, task: Task::Auto };
/// let outside = Outside::read(texts.len(), open, &roles, &Kinds::default(), Gathering::default())?;
/// assert!(!outside.is_passed());
/// let fitted = Learner::default().fit(outside.evidence(), Parameters { alpha: 0.01, gamma: 1.0 })?;
/// assert_eq!((fitted.model.training().rows, outside.dropped()), (2, 1));
/// # Ok::<_, gapfit_io::Error>(())
/// ```
#[derive(Debug)]
pub struct Outside<'a> {
    found: Found<'a>,
    schema: Schema,
    dropped: usize,
}

#[derive(Debug)]
enum Found<'a> {
    Sums(Statistics),
    Passes(Box<Passes<'a>>),
}

impl<'a> Outside<'a> {
    /// The rows of the files that `open` opens by their numbers, the first `n_files` of them; as [`Gathered::read`]. Where the
    /// files are read again, it is called on several threads.
    ///
    /// # Errors
    /// As [`Gathered::read`].
    pub fn read(
        n_files: usize,
        open: impl Fn(usize) -> Result<Reader> + Sync + 'a,
        roles: &Roles,
        kinds: &Kinds,
        gathering: Gathering,
    ) -> Result<Self> {
        let found = find(n_files, &mut |i| open(i), (roles, kinds), gathering, true)?;
        let ManyMasks { schema, dropped } = match found {
            Err(many) => many,
            Ok(Gathered {
                statistics,
                dropped,
                ..
            }) => {
                return Ok(Self {
                    schema: statistics.schema().cloned().expect("files have columns"),
                    found: Found::Sums(statistics),
                    dropped,
                });
            }
        };
        let again = Again::new(n_files, roles.clone(), schema.clone());
        let passes = Passes::new(move |take| Ok(again.read(&mut |i| open(i), take)?))?;
        Ok(Self {
            found: Found::Passes(Box::new(passes.with_schema(schema.clone())?)),
            schema,
            dropped,
        })
    }

    /// What learners take.
    pub fn evidence(&self) -> Evidence<'_> {
        match &self.found {
            Found::Sums(statistics) => statistics.into(),
            Found::Passes(passes) => (&**passes).into(),
        }
    }

    /// Whether the files are read again whenever something is to be known of the rows.
    pub fn is_passed(&self) -> bool {
        matches!(self.found, Found::Passes(_))
    }

    /// The columns behind the features.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The number of rows left out because their target is missing.
    pub fn dropped(&self) -> usize {
        self.dropped
    }
}

/// How files are read once it is known what their columns are.
struct Again {
    n_files: usize,
    roles: Roles,
    kinds: Kinds,
    /// Absent where all features are numbers, which come as whole columns.
    schema: Option<Schema>,
    n_at_once: usize,
}

/// Cells that are held at a time, about.
const CELLS: usize = 1 << 20;

impl Again {
    fn new(n_files: usize, roles: Roles, schema: Schema) -> Self {
        let is_number = |column: &SchemaColumn| column.kind == Kind::Numeric;
        let is_plain = schema.columns().iter().all(is_number);
        let names = schema.columns().iter().map(|column| column.name.clone());
        let numeric = if is_plain {
            names.collect()
        } else {
            Vec::new()
        };
        Self {
            n_files,
            roles,
            kinds: Kinds {
                numeric,
                ..Kinds::default()
            },
            n_at_once: (CELLS / schema.n_features().max(1)).clamp(1 << 8, CHUNK),
            schema: (!is_plain).then_some(schema),
        }
    }

    /// Hands all rows that have a target to `take`.
    fn read(
        &self,
        open: &mut dyn FnMut(usize) -> Result<Reader>,
        take: &mut dyn FnMut(&Dataset),
    ) -> Result<()> {
        let mut pass = Pass {
            files: Files::new(self.n_files, open, &self.roles, &self.kinds)?,
            gathering: Gathering::default(),
            n_at_once: self.n_at_once,
            is_wary: false,
        };
        let mut rows = pass.files.rows(self.schema.as_ref());
        while let Some(chunk) = pass.chunk(&mut rows, self.n_at_once)? {
            take(&chunk.into());
        }
        match rows.has_texts() {
            false => Ok(()),
            true => Err(Error::Rows(gapfit::Error::Setting {
                name: "columns",
                expected: "what they were when the files were read before",
                got: "texts among numbers".to_owned(),
            })),
        }
    }
}
