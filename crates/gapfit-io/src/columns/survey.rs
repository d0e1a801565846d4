//! What the columns of a table look like, before anything is made of them.

use gapfit::data::{Levels, MaskedMatrix};

use super::dictionary::Dictionary;
use super::kinds::{Declared, Kinds};
use super::{days, is_infinite};
use crate::error::{Error, Result};
use crate::reader::{Cell, Reader, truth};
use crate::task::{Targets, Task};

/// The columns of a table as they look, and which of their cells are missing.
///
/// ```
/// use gapfit_io::{Kinds, Look, Reader, Survey, csv};
/// let text = "id,seen,price\na7,2024-03-01,3.5\nb9,,NA\n";
/// let mut reader = Reader::new(text.as_bytes(), "huts.csv", &csv::Options::default())?;
/// let survey = Survey::read(&mut reader, Some("price"), &Kinds::default())?;
/// assert_eq!(survey.columns[1].look, Look::Dates);
/// assert_eq!(survey.cells.get(1, 1), None);
/// assert_eq!(survey.target, [Some(3.5), None]);
/// # Ok::<_, gapfit_io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Survey {
    /// The columns beside the target.
    pub columns: Vec<SurveyColumn>,
    /// A cell for each row and column: 0 where it is observed.
    pub cells: MaskedMatrix,
    /// The target of each row, by classes the number of its class; empty where none is asked for.
    pub target: Vec<Option<f64>>,
    /// The classes of the target; none where it is numbers.
    pub classes: Vec<String>,
}

/// A column of a [`Survey`].
#[derive(Clone, Debug, PartialEq)]
pub struct SurveyColumn {
    /// Its name.
    pub name: String,
    /// What its cells look like.
    pub look: Look,
}

/// What the cells of a column look like, or are by the word of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// All are missing.
    Empty,
    /// Numbers.
    Numbers,
    /// True and false.
    Truths,
    /// Dates or times; categories, unless they are declared dates.
    Dates,
    /// Texts that repeat.
    Categories {
        /// The different texts.
        distinct: usize,
        /// The features they become.
        features: usize,
    },
    /// Texts that tell rows apart.
    Ids,
    /// Numbers and texts.
    Mixed,
}

impl Look {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Numbers => "numeric",
            Self::Truths => "boolean",
            Self::Dates => "date",
            Self::Categories { .. } => "categorical",
            Self::Ids => "id",
            Self::Mixed => "mixed",
        }
    }

    /// The features that a column like that becomes; none where it has to be left out.
    pub fn n_features(self) -> usize {
        match self {
            Self::Empty | Self::Numbers | Self::Truths | Self::Dates => 1,
            Self::Categories { features, .. } => features,
            Self::Ids | Self::Mixed => 0,
        }
    }
}

impl Survey {
    /// Looks at all rows of `reader`.
    ///
    /// # Errors
    /// Those of [`Reader::next_row`], [`Error::AbsentColumn`], [`Error::SharedColumn`],
    /// [`Error::NoFeatures`], that there are no rows, and those about a target that is recognised as
    /// [`Task::Auto`] does.
    pub fn read(reader: &mut Reader, target: Option<&str>, kinds: &Kinds) -> Result<Self> {
        let roles = target.map(|name| ("target", name)).into_iter();
        reader.check_roles(roles.chain(kinds.named()))?;
        let target = target.map(|name| reader.position(name, "target"));
        let target = target.transpose()?;
        let mut places: Vec<usize> = (0..reader.columns().len()).collect();
        places.retain(|&place| Some(place) != target);
        if places.is_empty() {
            let file = reader.file().to_owned();
            return Err(Error::NoFeatures { file });
        }
        let mut targets = Targets::new(&Task::Auto);
        if let Some(place) = target {
            reader.read_as(place, targets.reading(reader.format()));
        }
        let mut columns: Vec<Content> = Vec::with_capacity(places.len());
        for &place in &places {
            let declared = kinds.declared(&reader.columns()[place].name);
            reader.read_as(place, declared.reading());
            columns.push(Content::new(declared));
        }
        let (mut cells, mut has_target) = (MaskedMatrix::new(places.len()), Vec::new());
        while let Some(row) = reader.next_row()? {
            let looked = columns.iter_mut().zip(&places);
            let observed = looked.map(|(column, &place)| column.take(row.cell(place)));
            cells
                .push_row(observed.map(|is_observed| is_observed.then_some(0.0)))
                .expect("finite cells, one per column");
            if let Some(j) = target {
                let place = row.place;
                match targets.push(row.cell(j)) {
                    Ok(is_there) => has_target.push(is_there),
                    Err(bad) => return Err(bad.error(reader.location(Some(place), Some(j)))),
                }
            }
        }
        if cells.n_rows() == 0 {
            return Err(reader.no_rows());
        }
        let described = columns.iter().zip(&places).map(|(column, &place)| {
            let name = reader.columns()[place].name.clone();
            let look = column.look(kinds);
            SurveyColumn { name, look }
        });
        let columns = described.collect();
        let (values, classes) = targets.finish(|| reader.location(None, target))?;
        let mut values = values.into_iter();
        let value = |is_there: bool| if is_there { values.next() } else { None };
        Ok(Self {
            columns,
            cells,
            target: has_target.into_iter().map(value).collect(),
            classes,
        })
    }
}

/// What was seen of a column.
#[derive(Debug)]
struct Content {
    declared: Declared,
    has_numbers: bool,
    texts: Dictionary,
}

impl Content {
    fn new(declared: Declared) -> Self {
        Self {
            declared,
            has_numbers: false,
            texts: Dictionary::default(),
        }
    }

    /// Looks at a cell; whether it is observed.
    fn take(&mut self, cell: Cell<'_>) -> bool {
        match cell {
            Cell::Hole => return false,
            Cell::Number(_) => self.has_numbers = true,
            // of ids, no more are kept than show that they are
            Cell::Text(text) if !self.texts.is_full() => {
                self.texts.number(text);
            }
            Cell::Text(_) => {}
        }
        true
    }

    fn look(&self, kinds: &Kinds) -> Look {
        let texts = self.texts.counts();
        let are_all = |is: fn(&str) -> bool| texts.iter().all(|(text, _)| is(text));
        let is_guessed = self.declared == Declared::Nothing;
        match (self.has_numbers, texts.is_empty()) {
            (false, true) => Look::Empty,
            (true, true) => Look::Numbers,
            (true, false) => Look::Mixed,
            _ if is_guessed && are_all(|text| truth(text.as_bytes()).is_some()) => Look::Truths,
            _ if self.declared != Declared::Categorical && are_all(|t| days(t).is_some()) => {
                Look::Dates
            }
            _ if self.declared == Declared::Date || texts.iter().any(|(t, _)| is_infinite(t)) => {
                Look::Mixed
            }
            _ if self.texts.is_of_ids() => Look::Ids,
            _ => {
                let levels = Levels::of_counts(texts.iter().cloned(), &kinds.level_rule);
                Look::Categories {
                    distinct: texts.len(),
                    features: levels.n_features(),
                }
            }
        }
    }
}
