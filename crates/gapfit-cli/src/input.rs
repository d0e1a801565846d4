//! Opening the tables that a command reads.

use std::path::Path;

use anyhow::Result;
use gapfit::data::{Kind, Schema};
use gapfit::{Gathering, Learner, Statistics, Sweep};
use gapfit_io::csv::Options;
use gapfit_io::{Gathered, Kinds, Outside, Reader, Roles, Source, Supervised, Swept, is_date};

use crate::args::Columns;
use crate::folding::FoldRule;
use crate::hint::Hinted;
use crate::memory::NEEDS_ROWS;
use crate::tables::{Progress, Tables};
use crate::talk::Talk;
use crate::targets;
use crate::task::Tasking;

/// A reader of the table at `path`, with a progress bar over its bytes.
pub(crate) fn open(path: &Path, options: &Options, talk: &Talk) -> gapfit_io::Result<Reader> {
    let source = Source::from(path);
    Progress::new(source.size(), talk).open(&source, options)
}

/// The tables to learn from, once the first is open: its columns say what is meant by the target.
#[derive(Debug)]
pub(crate) struct Opened<'a> {
    tables: &'a Tables,
    columns: &'a Columns,
    first: Option<Reader>,
}

impl<'a> Opened<'a> {
    pub(crate) fn new(tables: &'a Tables, columns: &'a Columns) -> Result<Self> {
        Ok(Self {
            tables,
            columns,
            first: Some(tables.open(0)?),
        })
    }

    /// The columns that `--target` names: the first, and the others.
    fn targets(&self, given: &str) -> (String, Vec<String>) {
        let first = self.first.as_ref().expect("nothing was read yet");
        targets::named(given, first)
    }

    /// Which columns are no features.
    pub(crate) fn roles(
        &self,
        target: &str,
        weight: Option<&String>,
        (fold_rule, tasking): (&FoldRule, &Tasking),
    ) -> Result<Roles> {
        let (target, further_targets) = self.targets(target);
        tasking.check_several(1 + further_targets.len())?;
        Ok(Roles {
            target,
            further_targets,
            weight: weight.cloned(),
            folds_by: fold_rule.column(),
            task: tasking.task(),
        })
    }

    fn open(&mut self, i: usize) -> gapfit_io::Result<Reader> {
        let first = if i == 0 { self.first.take() } else { None };
        let mut reader = match first {
            Some(reader) => reader,
            None => self.tables.open(i)?,
        };
        self.columns.leave_out(&mut reader)?;
        Ok(reader)
    }

    /// The rows that have a target; warns of those that do not.
    pub(crate) fn rows(mut self, roles: &Roles, talk: &Talk) -> Result<Supervised> {
        let (n_tables, kinds) = (self.tables.len(), self.columns.kinds());
        let name = self.tables.name();
        let table = Supervised::read_files(n_tables, |i| self.open(i), roles, &kinds);
        let table = table.map_err(|fault| about_several(fault, roles))?;
        warn_of_dropped((table.dropped, table.data.n_rows()), &name, roles, talk);
        warn_of_dates(table.data.schema().map(AsRef::as_ref), &kinds, &name, talk);
        Ok(table)
    }

    /// What one fit needs of the rows that have a target, from one pass over the only table; warns of those that do not. `None` where it
    /// needs more.
    pub(crate) fn swept(
        mut self,
        roles: &Roles,
        learner: &Learner,
        talk: &Talk,
    ) -> Result<Option<Sweep>> {
        let mut reader = self.open(0)?;
        let n_features = reader.columns().len().saturating_sub(1);
        if !learner.can_sweep(n_features) {
            return Ok(None);
        }
        let clip = learner.preparation.clip;
        let swept = Swept::read(&mut reader, roles, &self.columns.kinds(), clip)?;
        Ok(swept.map(|Swept { sweep, dropped }| {
            warn_of_dropped((dropped, sweep.n_rows()), &self.tables.name(), roles, talk);
            sweep
        }))
    }

    /// Sums over the rows that have a target; warns of those that do not.
    pub(crate) fn sums(
        mut self,
        roles: &Roles,
        gathering: Gathering,
        talk: &Talk,
    ) -> Result<Statistics> {
        let (n_tables, kinds) = (self.tables.len(), self.columns.kinds());
        let name = self.tables.name();
        let gathered = Gathered::read(n_tables, |i| self.open(i), roles, &kinds, gathering);
        let Gathered {
            statistics,
            dropped,
            ..
        } = gathered.map_err(about_sums)?;
        warn_of_dropped((dropped, statistics.n_rows()), &name, roles, talk);
        warn_of_dates(statistics.schema(), &kinds, &name, talk);
        Ok(statistics)
    }

    /// What can be learnt of the rows that have a target without keeping them; warns of those that do not. Standard input
    /// cannot be read so.
    pub(crate) fn outside(
        self,
        roles: &Roles,
        gathering: Gathering,
        talk: &Talk,
    ) -> Result<Outside<'a>> {
        let Self {
            tables, columns, ..
        } = self;
        let open = |i: usize| {
            let mut reader = tables.open_again(i)?;
            columns.leave_out(&mut reader)?;
            Ok(reader)
        };
        let (kinds, name) = (columns.kinds(), tables.name());
        let outside = Outside::read(tables.len(), open, roles, &kinds, gathering);
        let outside = outside.map_err(about_sums)?;
        let counts = (outside.dropped(), outside.evidence().n_rows());
        warn_of_dropped(counts, &name, roles, talk);
        warn_of_dates(Some(outside.schema()), &kinds, &name, talk);
        match outside.is_passed() {
            true => talk.note(format_args!(
                "{name}: nearly every row has a pattern of holes of its own: rows are read again whenever they are needed"
            )),
            false => tables.end_reading(),
        }
        Ok(outside)
    }
}

/// The error, with a hint of its own where sums cannot be had.
fn about_sums(fault: gapfit_io::Error) -> anyhow::Error {
    match fault {
        gapfit_io::Error::Rows(gapfit::Error::Setting { .. }) => {
            Hinted::error(fault.to_string(), NEEDS_ROWS)
        }
        fault => fault.into(),
    }
}

/// The error, with a hint of its own where one of several targets is text.
fn about_several(fault: gapfit_io::Error, roles: &Roles) -> anyhow::Error {
    match fault {
        gapfit_io::Error::Text { .. } if !roles.further_targets.is_empty() => Hinted::error(
            fault.to_string(),
            "many targets: numbers only; fit classes one target at a time, --missing names texts that stand for a hole",
        ),
        fault => fault.into(),
    }
}

/// Points out dates that are taken for categories though nobody asked for that.
fn warn_of_dates(schema: Option<&Schema>, kinds: &Kinds, file: &str, talk: &Talk) {
    let columns = schema.map_or(&[][..], |schema| schema.columns());
    let has_dates = |kind: &Kind| match kind {
        Kind::Categorical(levels) => {
            let mut texts = levels.kept().iter().chain(levels.pooled());
            texts.all(|text| is_date(text))
        }
        _ => false,
    };
    for column in columns.iter().filter(|column| has_dates(&column.kind)) {
        let name = &column.name;
        if !kinds.categorical.contains(name) {
            talk.warn(format_args!(
                "{file}: the dates in {name:?} are taken as categories; --dates {name} makes days of them"
            ));
        }
    }
}

/// As [`supervised`], with the features of a model; also warns of levels that it does not know.
pub(crate) fn encoded(
    reader: &mut Reader,
    roles: &Roles,
    schema: &Schema,
    talk: &Talk,
) -> Result<Supervised> {
    let table = Supervised::read_encoded(reader, roles, schema)?;
    let counts = (table.dropped, table.data.n_rows());
    warn_of_dropped(counts, reader.file(), roles, talk);
    let unseen = table.unseen.iter().map(|(name, n)| (name.as_str(), *n));
    warn_of_levels(unseen, reader.file(), talk);
    Ok(table)
}

fn warn_of_dropped((dropped, kept): (usize, usize), of: &str, roles: &Roles, talk: &Talk) {
    if dropped > 0 {
        let n_rows = dropped + kept;
        let lack = match roles.further_targets.len() {
            0 => format!("have no target {:?}", roles.target),
            n => format!("lack one of the {} targets", n + 1),
        };
        talk.warn(format_args!(
            "{of}: {dropped} of {n_rows} rows {lack} and are left out"
        ));
    }
}

/// Warns of columns with levels that training did not have, given the number of cells that have one.
pub(crate) fn warn_of_levels<'a>(
    unseen: impl Iterator<Item = (&'a str, usize)>,
    file: &str,
    talk: &Talk,
) {
    let names: Vec<_> = unseen.map(|(name, n)| format!("'{name}' ({n})")).collect();
    if !names.is_empty() {
        let names = names.join(", ");
        talk.warn(format_args!(
            "{file}: categories that training did not have: {names}; taken as missing"
        ));
    }
}

/// What the library says of the table that messages call `file`: a setting is a flag by that name.
pub(crate) fn fault(file: &str, error: gapfit::Error) -> anyhow::Error {
    match error {
        gapfit::Error::Setting { .. } => Hinted {
            message: format!("{file}: --{error}"),
            hint: "give the flag another value, or take more rows",
        }
        .into(),
        error => anyhow::Error::new(error).context(file.to_owned()),
    }
}
