//! Statistics of parts of a table, added up.

use super::block::{Block, Ties};
use super::gather::{add, check_like};
use super::scheme::{Scheme, Tail};
use super::{Gathering, State, Statistics, Sums};
use crate::error::{Error, Result};
use crate::moments::Origin;

impl Statistics {
    /// Adds the statistics of other rows with the same columns, in any order. What only one of the two can
    /// do (clip further out, tune) is lost.
    ///
    /// # Errors
    /// [`Error::Setting`] unless both have features and target of the same names, and weights or none; or
    /// where together they have so many patterns of holes that sums by pattern take more room than rows.
    pub fn merge(&mut self, other: Self) -> Result<()> {
        let order = order(self.names(), other.names())?;
        let both = Gathering {
            clip: self.gathering.clip.min(other.gathering.clip),
            is_blocked: self.gathering.is_blocked && other.gathering.is_blocked,
        };
        match (&mut self.state, other.state) {
            // rows that are kept can be gathered in any way
            (State::Rows(_), State::Rows(rows)) => {
                self.gathering = both;
                self.push(&rows.with_features_in_order(&order))
            }
            (State::Sums(_), State::Rows(rows)) => self.push(&rows.with_features_in_order(&order)),
            (State::Rows(rows), State::Sums(sums)) => {
                let rows = std::mem::replace(rows, rows.select(&[]));
                self.gathering = other.gathering;
                self.state = State::Sums(Box::new(sums.in_order(&order)));
                self.push(&rows)
            }
            (State::Sums(sums), State::Sums(other)) => {
                let mut other = other.in_order(&order);
                check_like(&sums.blank, &other.blank)?;
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
}

/// Where each of the features `wanted` is among those that `have` names.
fn order(wanted: &[String], have: &[String]) -> Result<Vec<usize>> {
    let place = |name: &String| have.iter().position(|other| other == name);
    let found: Option<Vec<usize>> = wanted.iter().map(place).collect();
    match found {
        Some(order) if wanted.len() == have.len() => Ok(order),
        _ => {
            let differing = |a: &[String], b: &[String]| a.iter().find(|x| !b.contains(x)).cloned();
            let only = differing(wanted, have).or_else(|| differing(have, wanted));
            Err(Error::Setting {
                name: "features",
                expected: "the same in every part",
                got: format!("'{}' in one part only", only.unwrap_or_default()),
            })
        }
    }
}

impl Sums {
    /// The same with the features `order` names, in that order.
    fn in_order(mut self, order: &[usize]) -> Self {
        if order.is_sorted() {
            return self;
        }
        let origins: Vec<Origin> = order.iter().map(|&from| Origin::same(from)).collect();
        for block in &mut self.blocks {
            block.moments = block.moments.recast(&origins, Origin::same(0));
            block.extremes.0 = pick(&block.extremes.0, order);
            block.ties = pick(&block.ties, order);
            block.tails = block.tails.with_features_in_order(order);
        }
        self.scheme.frame.columns = pick(&self.scheme.frame.columns, order);
        self.scheme.tails = pick(&self.scheme.tails, order);
        self.blank = self.blank.with_features_in_order(order);
        self
    }

    /// One block of all.
    pub(super) fn join_blocks(&mut self) -> Result<()> {
        let mut blocks = std::mem::take(&mut self.blocks).into_iter();
        let mut all = blocks.next().unwrap_or_else(|| Block::none(&self.blank));
        blocks.try_for_each(|block| all.merge(&block))?;
        self.blocks = vec![all];
        Ok(())
    }

    /// Brings both to one scheme: units are those of `self`, thresholds those further out.
    fn agree_with(&mut self, other: &mut Self) {
        other.take_units(&self.scheme);
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

    /// Sums in the units of another scheme.
    fn take_units(&mut self, to: &Scheme) {
        let from = &self.scheme;
        let units = from.frame.columns.iter().zip(&to.frame.columns);
        let origins = units
            .enumerate()
            .map(|(j, (from, to))| Origin::reunited(j, from, to));
        let origins: Vec<Origin> = origins.collect();
        let target = Origin::reunited(0, &from.frame.targets[0], &to.frame.targets[0]);
        let weight = to.weight_unit / from.weight_unit;
        for block in &mut self.blocks {
            block.moments = block.moments.recast(&origins, target);
            block.moments.scale(weight);
            for ties in &mut block.ties {
                ties.low *= weight;
                ties.high *= weight;
            }
        }
        self.scheme.frame = to.frame.clone();
        self.scheme.weight_unit = to.weight_unit;
    }
}

fn pick<T: Clone>(from: &[T], order: &[usize]) -> Vec<T> {
    order.iter().map(|&j| from[j].clone()).collect()
}
