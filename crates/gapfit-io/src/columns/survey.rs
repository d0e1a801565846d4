//! What the columns of a table look like, before anything is made of them.

use gapfit::data::Levels;
use gapfit::profile::{Association, Contrast, Profile, Tally};

use super::dictionary::Dictionary;
use super::kinds::{Declared, Kinds};
use super::{days, is_infinite};
use crate::error::{Error, Result};
use crate::reader::{Cell, Reader, truth};
use crate::task::{Targets, Task};

/// The columns of a table as they look, and which of their cells are missing. Rows are looked at one by one and
/// not kept.
///
/// ```
/// use gapfit_io::{Kinds, Look, Reader, Survey, csv};
/// let text = "id,seen,price\na7,2024-03-01,3.5\nb9,,NA\n";
/// let mut reader = Reader::new(text.as_bytes(), "huts.csv", &csv::Options::default())?;
/// let survey = Survey::read(&mut reader, Some("price"), &Kinds::default())?;
/// assert_eq!(survey.columns[1].look, Look::Dates);
/// assert_eq!(survey.profile.missing, [0, 1]);
/// # Ok::<_, gapfit_io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Survey {
    /// The columns beside the target.
    pub columns: Vec<SurveyColumn>,
    /// Their holes.
    pub profile: Profile,
    /// What holes go with in the target, in the rows that have one; empty where none is asked for.
    pub associations: Vec<Association>,
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
        let mut surveyor = Surveyor::new(reader, target, kinds)?;
        surveyor.look(reader)?;
        surveyor.finish(reader, kinds)
    }

    /// Looks at all rows of the files that `open` opens by their numbers, the first `n_files` of them. The columns
    /// are those of the first; others may have them in another order, and more.
    ///
    /// # Errors
    /// As [`read`](Self::read), and [`Error::AbsentColumn`] where a file lacks a column of the first.
    pub fn read_files(
        n_files: usize,
        mut open: impl FnMut(usize) -> Result<Reader>,
        target: Option<&str>,
        kinds: &Kinds,
    ) -> Result<Self> {
        let mut reader = open(0)?;
        let mut surveyor = Surveyor::new(&mut reader, target, kinds)?;
        surveyor.look(&mut reader)?;
        for number in 1..n_files {
            reader = open(number)?;
            surveyor.turn_to(&mut reader)?;
            surveyor.look(&mut reader)?;
        }
        surveyor.finish(&reader, kinds)
    }
}

/// What was seen so far.
struct Surveyor {
    names: Vec<String>,
    columns: Vec<Content>,
    /// Where they are among the columns that are read.
    places: Vec<usize>,
    target: Option<(String, usize)>,
    targets: Targets,
    tally: Tally,
    contrast: Contrast,
}

impl Surveyor {
    /// Nothing is seen yet of the columns of `reader`.
    fn new(reader: &mut Reader, target: Option<&str>, kinds: &Kinds) -> Result<Self> {
        let roles = target.map(|name| ("target", name)).into_iter();
        reader.check_roles(roles.chain(kinds.named()))?;
        let names = reader.columns().iter().map(|column| column.name.clone());
        let names: Vec<String> = names.filter(|name| Some(&name[..]) != target).collect();
        if names.is_empty() {
            let file = reader.file().to_owned();
            return Err(Error::NoFeatures { file });
        }
        let content = |name: &String| Content::new(kinds.declared(name));
        let mut surveyor = Self {
            columns: names.iter().map(content).collect(),
            places: Vec::new(),
            target: target.map(|name| (name.to_owned(), 0)),
            targets: Targets::new(&Task::Auto),
            tally: Tally::new(names.len()),
            contrast: Contrast::new(names.len()),
            names,
        };
        surveyor.turn_to(reader)?;
        Ok(surveyor)
    }

    /// Finds the columns in a file.
    fn turn_to(&mut self, reader: &mut Reader) -> Result<()> {
        reader.reveal(self.names.iter().map(String::as_str));
        if let Some((name, place)) = &mut self.target {
            reader.reveal([name.as_str()]);
            *place = reader.position(name, "target")?;
            reader.read_as(*place, self.targets.reading(reader.format()));
        }
        self.places.clear();
        for (name, column) in self.names.iter().zip(&self.columns) {
            let place = reader.position(name, "feature")?;
            reader.read_as(place, column.declared.reading());
            self.places.push(place);
        }
        Ok(())
    }

    /// Looks at all rows of a file.
    fn look(&mut self, reader: &mut Reader) -> Result<()> {
        let mut observed = vec![0u64; self.places.len().div_ceil(64)];
        while let Some(row) = reader.next_row()? {
            observed.fill(0);
            for (j, (column, &place)) in self.columns.iter_mut().zip(&self.places).enumerate() {
                observed[j / 64] |= u64::from(column.take(row.cell(place))) << (j % 64);
            }
            self.tally.push(&observed);
            if let Some((_, place)) = &self.target {
                let at = row.place;
                match self.targets.glance(row.cell(*place)) {
                    Ok(Some((y, class))) => self.contrast.push(&observed, y, class),
                    Ok(None) => {}
                    Err(bad) => return Err(bad.error(reader.location(Some(at), Some(*place)))),
                }
            }
        }
        Ok(())
    }

    fn finish(self, reader: &Reader, kinds: &Kinds) -> Result<Survey> {
        let profile = self.tally.finish();
        if profile.n_rows == 0 {
            return Err(reader.no_rows());
        }
        let described = self.columns.iter().zip(self.names);
        let described = described.map(|(column, name)| SurveyColumn {
            name,
            look: column.look(kinds),
        });
        let place = self.target.map(|(_, place)| place);
        let (classes, places) = self
            .targets
            .finish_glances(|| reader.location(None, place))?;
        let contrast = match classes.is_empty() {
            true => self.contrast,
            false => self.contrast.renumbered(&places),
        };
        Ok(Survey {
            columns: described.collect(),
            profile,
            associations: contrast.finish(classes.len()),
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
