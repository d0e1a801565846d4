//! Statistics of parts of a table, added up.

use super::block::{Block, Ties};
use super::gather::{add, check_like, fold_large};
use super::reconcile::{Common, Part};
use super::scheme::Tail;
use super::{Gathering, State, Statistics, Sums};
use crate::data::{Dataset, MaskedMatrix};
use crate::error::Result;
use crate::moments::{Frame, Origin, Unit};

impl Statistics {
    /// Adds the statistics of other rows with the same columns, in any order. A category may have other levels
    /// in the other part: it has those of both then, and levels that share a feature in one part share it in
    /// all. What only one of the two can do (clip further out, tune) is lost.
    ///
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting) unless both have columns and target of the same names, columns of the same kinds, and
    /// weights or none; or where together they have so many patterns of holes that sums by pattern take more room
    /// than rows.
    pub fn merge(&mut self, other: Self) -> Result<()> {
        let common = Common::of(&self.part(), &other.part())?;
        let (mine, theirs) = (common.blank(self.blank()), common.blank(other.blank()));
        check_like(&mine, &theirs)?;
        let none = State::Rows(self.blank().select(&[]));
        self.state = std::mem::replace(&mut self.state, none).remade(&common.mine, &mine);
        let both = Gathering {
            clip: self.gathering.clip.min(other.gathering.clip),
            is_blocked: self.gathering.is_blocked && other.gathering.is_blocked,
        };
        match (&mut self.state, other.state.remade(&common.theirs, &theirs)) {
            // rows that are kept can be gathered in any way
            (State::Rows(_), State::Rows(rows)) => {
                self.gathering = both;
                self.push(&rows)
            }
            (State::Sums(_), State::Rows(rows)) => self.push(&rows),
            (State::Rows(rows), State::Sums(sums)) => {
                let rows = std::mem::replace(rows, rows.select(&[]));
                self.gathering = other.gathering;
                self.state = State::Sums(sums);
                self.push(&rows)
            }
            (State::Sums(sums), State::Sums(mut other)) => {
                self.gathering = both;
                if !both.is_blocked {
                    sums.join_blocks()?;
                    other.join_blocks()?;
                }
                sums.agree_with(&mut other);
                add(&mut sums.blocks, &other.blocks)
            }
        }
    }

    fn part(&self) -> Part<'_> {
        Part {
            blank: self.blank(),
            is_observed: Box::new(|feature| self.state.observes(feature)),
        }
    }
}

impl Common {
    /// A table of these columns without rows, with the target and weights of another.
    fn blank(&self, like: &Dataset) -> Dataset {
        let blank = Dataset::new(MaskedMatrix::new(self.names.len()), Vec::new());
        let blank = blank.and_then(|blank| match &self.schema {
            Some(schema) => blank.with_schema(schema.clone()),
            None => blank.with_names(self.names.clone()),
        });
        let blank = blank.and_then(|blank| match like.weights() {
            Some(_) => blank.with_weights(Vec::new()),
            None => Ok(blank),
        });
        let blank = blank.expect("no rows, and a name for each feature");
        blank.with_target_name(like.target_name())
    }
}

impl Sums {
    /// One block of all.
    pub(super) fn join_blocks(&mut self) -> Result<()> {
        let mut blocks = std::mem::take(&mut self.blocks).into_iter();
        let mut all = blocks.next().unwrap_or_else(|| Block::none(&self.blank));
        blocks.try_for_each(|block| all.merge(&block))?;
        self.blocks = vec![all];
        fold_large(&mut self.blocks)
    }

    /// Brings both to one scheme: units are the wider ones, thresholds those further out.
    fn agree_with(&mut self, other: &mut Self) {
        let frame = self.wider_frame(other);
        let weight_unit = self.scheme.weight_unit;
        self.take_units(&frame, weight_unit);
        other.take_units(&frame, weight_unit);
        for j in 0..self.scheme.tails.len() {
            let (mine, theirs) = (self.scheme.tails[j], other.scheme.tails[j]);
            let tail = Tail {
                low: mine.low.min(theirs.low),
                high: mine.high.max(theirs.high),
            };
            self.widen(j, mine, tail);
            other.widen(j, theirs, tail);
            self.scheme.tails[j] = tail;
        }
        self.scheme.has_tails |= other.scheme.has_tails;
        self.scheme.is_smooth &= other.scheme.is_smooth;
    }

    /// Rows at a threshold further out are among those that were set aside, and counted there.
    fn widen(&mut self, j: usize, from: Tail, to: Tail) {
        for block in &mut self.blocks {
            let Ties { low, high } = &mut block.ties[j];
            *low = if to.low < from.low { 0.0 } else { *low };
            *high = if to.high > from.high { 0.0 } else { *high };
        }
    }

    /// For each column the wider unit, so that no sum overflows, among those of the parts that observe it.
    fn wider_frame(&self, other: &Self) -> Frame {
        let wider = |mine: &Unit, theirs: &Unit| match theirs.scale > mine.scale {
            true => *theirs,
            false => *mine,
        };
        let (mine, theirs) = (&self.scheme.frame, &other.scheme.frame);
        let columns = mine.columns.iter().zip(&theirs.columns).enumerate();
        let column = |(j, (mine, theirs)): (usize, (&Unit, &Unit))| match () {
            () if mine == theirs || !other.observes(j) => *mine,
            () if !self.observes(j) => *theirs,
            () => wider(mine, theirs),
        };
        let targets = mine.targets.iter().zip(&theirs.targets);
        Frame {
            columns: columns.map(column).collect(),
            targets: targets.map(|(mine, theirs)| wider(mine, theirs)).collect(),
        }
    }

    /// Sums in other units.
    fn take_units(&mut self, frame: &Frame, weight_unit: f64) {
        let from = &self.scheme;
        let has_units = from.frame.columns == frame.columns && from.frame.targets == frame.targets;
        let weight = weight_unit / from.weight_unit;
        let units = from.frame.columns.iter().zip(&frame.columns).enumerate();
        let origins = units.map(|(j, (from, to))| Origin::reunited(j, from, to));
        let origins: Vec<Origin> = origins.collect();
        let target = Origin::reunited(0, &from.frame.targets[0], &frame.targets[0]);
        for block in &mut self.blocks {
            if !has_units {
                block.sums = block.sums.recast(&origins, target);
            }
            block.sums.scale(weight);
            for ties in &mut block.ties {
                ties.low *= weight;
                ties.high *= weight;
            }
        }
        self.scheme.frame = frame.clone();
        self.scheme.weight_unit = weight_unit;
    }
}
