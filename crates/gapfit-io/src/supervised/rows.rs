//! The rows to learn from, gathered one by one.

use gapfit::data::{Dataset, MaskedColumn, MaskedMatrix, RowSlice, Schema};

use super::{Roles, Supervised};
use crate::columns::{Encoder, Guessed, Guesses, Kinds, Unfit, push_with_target, visit_columns};
use crate::error::{Error, Result};
use crate::label::{BadLabel, FoldsBy, Labels};
use crate::reader::{Cell, Place, Reader, Reading, Row, Values};
use crate::task::{BadTarget, Targets};

/// Where target, weight and features stand among the columns that are read.
pub(super) struct Places {
    pub(super) target: usize,
    further: Vec<usize>,
    weight: Option<usize>,
    label: Option<usize>,
    pub(super) features: Vec<usize>,
}

impl Places {
    /// The places; columns with roles are read as those demand.
    pub(super) fn of(reader: &mut Reader, roles: &Roles) -> Result<Self> {
        let place = |name: &Option<&str>, role| name.map(|n| reader.position(n, role)).transpose();
        let target = reader.position(&roles.target, "target")?;
        let further = roles.further_targets.iter();
        let further: Result<Vec<usize>> = further
            .map(|name| reader.position(name, "target"))
            .collect();
        let further = further?;
        let weight = place(&roles.weight.as_deref(), "weight")?;
        let by = roles.folds_by.as_ref();
        let label = place(&by.map(FoldsBy::column), by.map_or("", FoldsBy::role))?;
        let features: Vec<usize> = (0..reader.columns().len())
            .filter(|j| ![Some(target), weight, label].contains(&Some(*j)) && !further.contains(j))
            .collect();
        reader.read_as(target, Targets::new(roles.task()).reading(reader.format()));
        for &j in &further {
            reader.read_as(j, Reading::Number);
        }
        if let Some(j) = weight {
            reader.read_as(j, Reading::Number);
        }
        if let Some(j) = label {
            reader.read_as(j, Reading::Text);
        }
        Ok(Self {
            target,
            further,
            weight,
            label,
            features,
        })
    }
}

/// The rows collected so far.
pub(super) struct Rows<'a> {
    features: Features<'a>,
    targets: Targets,
    /// Of each further target.
    further: Vec<Vec<f64>>,
    weights: Vec<f64>,
    labels: Labels,
    dropped: usize,
}

/// Rows as columns, block by block.
pub(super) struct Columns {
    blocks: Vec<Vec<MaskedColumn<Values>>>,
    /// Of the features.
    places: Vec<usize>,
    target: usize,
}

impl Columns {
    /// The number of rows that have a target.
    pub(super) fn n_rows(&self) -> usize {
        let blocks = self.blocks.iter();
        blocks.map(|block| block[self.target].n_observed()).sum()
    }

    /// The features of the rows that have a target, and the targets.
    pub(super) fn rows(self) -> (MaskedMatrix, Vec<f64>) {
        let n_rows = self.n_rows();
        let mut features = MaskedMatrix::new(self.places.len());
        let mut targets = Vec::with_capacity(n_rows);
        features.reserve(n_rows);
        for block in self.blocks {
            let places = (&self.places[..], self.target);
            push_with_target(&block, places, &mut features, &mut targets);
        }
        (features, targets)
    }

    /// Shows the rows that have a target, a few at a time.
    pub(super) fn visit(&self, take: &mut dyn FnMut(RowSlice<'_>, &[f64])) {
        let places = (&self.places[..], self.target);
        for block in &self.blocks {
            if block[self.target].n_observed() == block[self.target].len() {
                visit_columns(block, places, take);
                continue;
            }
            let (mut features, mut targets) = (MaskedMatrix::new(self.places.len()), Vec::new());
            push_with_target(block, places, &mut features, &mut targets);
            take((&features).into(), &targets);
        }
    }

    /// The same of the rows that `pick` picks of each block, given how many it has.
    pub(super) fn picked(
        &self,
        mut pick: impl FnMut(usize) -> Vec<usize>,
    ) -> (MaskedMatrix, Vec<f64>) {
        let (mut features, mut targets) = (MaskedMatrix::new(self.places.len()), Vec::new());
        for block in &self.blocks {
            let picks = pick(block[self.target].len());
            let columns: Vec<_> = block.iter().map(|column| column.select(&picks)).collect();
            let places = (&self.places[..], self.target);
            push_with_target(&columns, places, &mut features, &mut targets);
        }
        (features, targets)
    }
}

/// The table of these rows.
pub(super) fn named(
    features: MaskedMatrix,
    target: Vec<f64>,
    names: Vec<String>,
    target_name: &str,
) -> Dataset {
    let data = Dataset::new(features, target).and_then(|data| data.with_names(names));
    let data = data.expect("one finite target per row, one name per feature");
    data.with_target_name(target_name)
}

/// How cells become features.
pub(super) enum Features<'a> {
    Guessed(Guesses),
    Encoded(Encoder<'a>, MaskedMatrix, &'a Schema),
}

/// What is wrong with a row.
enum Fault {
    Target(BadTarget),
    MissingWeight,
    NegativeWeight(f64),
    Label(BadLabel),
    Feature(Unfit),
}

impl Fault {
    /// The error that says where.
    fn at(self, place: Place, reader: &Reader, places: &Places) -> Error {
        let weight = || reader.location(Some(place), places.weight);
        let aside = || reader.location(Some(place), places.label);
        match self {
            Self::Target(bad) => bad.error(reader.location(Some(place), Some(places.target))),
            Self::Feature(unfit) => {
                let at = reader.location(Some(place), Some(unfit.column));
                unfit.error(at)
            }
            Self::MissingWeight => Error::Incomplete {
                at: weight(),
                role: "weight",
            },
            Self::NegativeWeight(got) => Error::NegativeWeight { at: weight(), got },
            Self::Label(BadLabel::Missing(role)) => Error::Incomplete { at: aside(), role },
            Self::Label(BadLabel::NotTime { expected, got }) => Error::NotTime {
                at: aside(),
                expected,
                got,
            },
        }
    }
}

impl<'a> Rows<'a> {
    pub(super) fn new(features: Features<'a>, roles: &Roles) -> Self {
        Self {
            features,
            targets: Targets::new(roles.task()),
            further: vec![Vec::new(); roles.further_targets.len()],
            weights: Vec::new(),
            labels: Labels::new(roles.folds_by.as_ref()),
            dropped: 0,
        }
    }

    /// Takes all rows.
    pub(super) fn read(&mut self, reader: &mut Reader, places: &Places) -> Result<()> {
        self.take(reader, places, usize::MAX)?;
        self.check(reader, places)
    }

    /// Takes rows until there are `limit` or a few more; whether so many were left.
    pub(super) fn take(
        &mut self,
        reader: &mut Reader,
        places: &Places,
        limit: usize,
    ) -> Result<bool> {
        while self.targets.len() < limit
            && let Some(block) = self.next_block(reader, places)?
        {
            if let Features::Guessed(guesses) = &mut self.features {
                guesses.push_block(&block, places.target, self.targets.values());
            }
        }
        while self.targets.len() < limit {
            let Some(row) = reader.next_row()? else {
                return Ok(false);
            };
            let place = row.place;
            if let Err(fault) = self.push(row, places) {
                return Err(fault.at(place, reader, places));
            }
        }
        Ok(true)
    }

    /// Whether there are rows to learn from.
    pub(super) fn check(&self, reader: &Reader, places: &Places) -> Result<()> {
        match (self.targets.len(), self.dropped) {
            (0, 0) => Err(reader.no_rows()),
            (0, dropped) => Err(Error::NoTarget {
                at: reader.location(None, Some(places.target)),
                rows: dropped,
            }),
            (n_rows, _) if self.weigh_nothing() => Err(Error::NoWeight {
                at: reader.location(None, places.weight),
                rows: n_rows,
            }),
            _ => Ok(()),
        }
    }

    fn push(&mut self, row: Row<'_>, places: &Places) -> std::result::Result<(), Fault> {
        let further = places.further.iter().map(|&j| row.number(j));
        let Some(further) = further.collect::<Option<Vec<f64>>>() else {
            self.dropped += 1;
            return Ok(());
        };
        let target = row.cell(places.target);
        if !self.targets.push(target).map_err(Fault::Target)? {
            self.dropped += 1;
            return Ok(());
        }
        for (values, y) in self.further.iter_mut().zip(further) {
            values.push(y);
        }
        if let Some(j) = places.weight {
            match row.number(j) {
                None => return Err(Fault::MissingWeight),
                Some(got) if got < 0.0 => return Err(Fault::NegativeWeight(got)),
                Some(weight) => self.weights.push(weight),
            }
        }
        let label = places.label.and_then(|j| match row.cell(j) {
            Cell::Text(text) => Some(text.as_bytes()),
            _ => None,
        });
        self.labels.push(label).map_err(Fault::Label)?;
        match &mut self.features {
            Features::Guessed(guesses) => guesses.push(row),
            Features::Encoded(encoder, features, _) => encoder.push(row, features),
        }
        .map_err(Fault::Feature)
    }

    /// The kinds of columns, where they are guessed.
    pub(super) fn guesses(&self) -> Option<&Guesses> {
        match &self.features {
            Features::Guessed(guesses) => Some(guesses),
            Features::Encoded(..) => None,
        }
    }

    /// The kinds of columns, where they are guessed; the rows are gone then.
    pub(super) fn into_guesses(self) -> Option<Guesses> {
        match self.features {
            Features::Guessed(guesses) => Some(guesses),
            Features::Encoded(..) => None,
        }
    }

    /// Columns with levels that the schema does not know, and how many cells have one.
    pub(super) fn unseen(&self) -> Vec<(String, usize)> {
        match &self.features {
            Features::Guessed(_) => Vec::new(),
            Features::Encoded(encoder, ..) => {
                let unseen = encoder.unseen();
                unseen.map(|(name, n)| (name.to_owned(), n)).collect()
            }
        }
    }

    /// The next rows as columns, some `limit` of them, where they come so.
    pub(super) fn take_columns(
        &mut self,
        reader: &mut Reader,
        places: &Places,
        limit: usize,
    ) -> Result<Option<Columns>> {
        let (mut blocks, mut n_rows) = (Vec::new(), 0);
        while n_rows < limit
            && let Some(block) = self.next_block(reader, places)?
        {
            n_rows += block[places.target].n_observed();
            blocks.push(block);
        }
        let columns = |guesses: &Guesses| Columns {
            blocks,
            places: guesses.places().collect(),
            target: places.target,
        };
        Ok(self.guesses().filter(|_| n_rows > 0).map(columns))
    }

    /// The next rows as columns of numbers, where they come so and nothing else of them counts than features,
    /// whose kinds are guessed, and target; those without one are counted as dropped.
    pub(super) fn next_block(
        &mut self,
        reader: &mut Reader,
        places: &Places,
    ) -> Result<Option<Vec<MaskedColumn<Values>>>> {
        let has_others =
            places.weight.is_some() || places.label.is_some() || !places.further.is_empty();
        if has_others || self.guesses().is_none() {
            return Ok(None);
        }
        let Some(block) = reader.next_block()? else {
            return Ok(None);
        };
        let target = &block[places.target];
        let looked = self.targets.look(target.iter().flatten());
        looked.map_err(|bad| bad.error(reader.location(None, Some(places.target))))?;
        self.dropped += target.len() - target.n_observed();
        if let Features::Guessed(guesses) = &mut self.features {
            guesses.note_numbers(&block);
        }
        Ok(Some(block))
    }

    /// Takes the rows so far away; `None` where their targets are texts.
    pub(super) fn chunk(&mut self, roles: &Roles) -> Option<Dataset> {
        let target = self.targets.take()?;
        let (features, names) = match &mut self.features {
            Features::Guessed(guesses) => (guesses.take(), guesses.names()),
            Features::Encoded(_, features, schema) => {
                let none = MaskedMatrix::new(schema.n_features());
                (std::mem::replace(features, none), schema.feature_names())
            }
        };
        let data = named(features, target, names, &roles.target);
        Some(match &roles.weight {
            None => data,
            Some(_) => {
                let weights = std::mem::take(&mut self.weights);
                let weighted = data.with_weights(weights);
                weighted.expect("one weight per row, none negative")
            }
        })
    }

    /// The number of rows that were not taken away.
    pub(super) fn len(&self) -> usize {
        self.targets.len()
    }

    /// Makes room for so many rows.
    pub(super) fn reserve(&mut self, n_rows: usize) {
        match &mut self.features {
            Features::Guessed(guesses) => guesses.reserve(n_rows),
            Features::Encoded(_, features, _) => features.reserve(n_rows),
        }
    }

    /// Goes on with another file.
    pub(super) fn turn_to(&mut self, reader: &mut Reader) -> Result<()> {
        match &mut self.features {
            Features::Guessed(guesses) => guesses.turn_to(reader)?,
            Features::Encoded(encoder, _, schema) => *encoder = Encoder::new(reader, schema),
        }
        Ok(())
    }

    /// Whether some column has texts, whose meaning is not known before the last row.
    pub(super) fn has_texts(&self) -> bool {
        matches!(&self.features, Features::Guessed(guesses) if guesses.has_texts())
    }

    /// Throws the rows so far away; what was learnt of the columns stays.
    pub(super) fn forget(&mut self) {
        self.targets.forget();
        self.weights.clear();
        if let Features::Guessed(guesses) = &mut self.features {
            guesses.take();
        }
    }

    /// Rows without a target, so far.
    pub(super) fn dropped(&self) -> usize {
        self.dropped
    }

    /// Whether the targets so far are to be read as classes.
    pub(super) fn are_classes(&self) -> bool {
        self.targets.are_classes()
    }

    /// Whether there are weights and all of them are zero.
    fn weigh_nothing(&self) -> bool {
        !self.weights.is_empty() && self.weights.iter().all(|&weight| weight <= 0.0)
    }

    pub(super) fn finish(
        self,
        reader: &Reader,
        roles: &Roles,
        kinds: &Kinds,
    ) -> Result<Supervised> {
        let unseen = self.unseen();
        let guessed = match self.features {
            Features::Guessed(guesses) => guesses.finish(reader, kinds)?,
            Features::Encoded(_, features, schema) => Guessed {
                features,
                schema: schema.clone(),
                texts: Vec::new(),
            },
        };
        let place = reader.position(&roles.target, "target")?;
        let at = || reader.location(None, Some(place));
        let (target, classes) = self.targets.finish(at)?;
        let mut data = Dataset::new(guessed.features, target)
            .and_then(|data| data.with_schema(guessed.schema))
            .and_then(|data| data.with_texts(guessed.texts))
            .expect("one finite target per row, features and texts as the schema has them")
            .with_target_name(&roles.target);
        if !classes.is_empty() {
            data = data
                .with_classes(classes)
                .expect("different labels, targets that are their numbers");
        }
        for (name, values) in roles.further_targets.iter().zip(self.further) {
            data = data
                .with_further_target(name, values)
                .expect("one finite value per row, columns of different names");
        }
        if roles.weight.is_some() {
            data = data
                .with_weights(self.weights)
                .expect("one weight per row, none negative");
        }
        Ok(Supervised {
            data,
            folding: self.labels.finish(),
            dropped: self.dropped,
            unseen,
        })
    }
}
