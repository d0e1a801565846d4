//! The levels of a categorical column.

use std::collections::HashMap;

use crate::error::{Error, Result};

/// The feature of the levels that are too rare for one of their own.
const OTHER: &str = "other";

/// The levels of a categorical column: those with a feature of their own, the commonest first, and
/// those that share one, called `other`.
///
/// ```
/// use gapfit::data::{LevelRule, Levels};
/// let counts = [("red", 40), ("blue", 60), ("teal", 2)].map(|(l, n)| (l.to_owned(), n));
/// let levels = Levels::of_counts(counts, &LevelRule::default());
/// assert_eq!(levels.names().collect::<Vec<_>>(), ["blue", "red", "other"]);
/// assert_eq!(levels.number("teal"), Some(2));
/// assert_eq!(levels.number("pink"), None);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Levels {
    kept: Vec<String>,
    pooled: Vec<String>,
    numbers: HashMap<String, usize>,
}

/// Which levels share a feature.
///
/// | field | default | purpose |
/// |---|---|---|
/// | `min_rows`, `min_share` | 5, 0.005 | a level of fewer rows than the larger of these is rare, unless all are |
/// | `max_levels` | 50 | levels with a feature of their own, at most |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelRule {
    /// Rows that a level must have.
    pub min_rows: usize,
    /// The share of the rows with any level that it must have.
    pub min_share: f64,
    /// Levels with a feature of their own, at most.
    pub max_levels: usize,
}

impl Default for LevelRule {
    fn default() -> Self {
        Self {
            min_rows: 5,
            min_share: 0.005,
            max_levels: 50,
        }
    }
}

impl Levels {
    /// These levels, in this order.
    ///
    /// # Errors
    /// [`Error::Setting`] when there is none, one is empty or stands there twice, or one called `other`
    /// has a feature of its own beside those that share one.
    pub fn new(kept: Vec<String>, pooled: Vec<String>) -> Result<Self> {
        let bad = |got: String| {
            Err(Error::Setting {
                name: "levels",
                expected: "distinct texts, one or more",
                got,
            })
        };
        if kept.is_empty() && pooled.is_empty() {
            return bad("none".to_owned());
        }
        if !pooled.is_empty() && kept.iter().any(|level| level == OTHER) {
            return bad(format!("'{OTHER}' beside levels that share a feature"));
        }
        let mut numbers = HashMap::with_capacity(kept.len() + pooled.len());
        let shared = std::iter::repeat(kept.len());
        let all = kept.iter().zip(0..).chain(pooled.iter().zip(shared));
        for (level, number) in all {
            if level.is_empty() || numbers.insert(level.clone(), number).is_some() {
                return bad(format!("'{level}' empty or twice"));
            }
        }
        Ok(Self {
            kept,
            pooled,
            numbers,
        })
    }

    /// The levels of a column in which each text stands in so many rows; a text comes once, not empty,
    /// and there is one or more.
    ///
    /// # Panics
    /// Where that does not hold.
    pub fn of_counts(counts: impl IntoIterator<Item = (String, usize)>, rule: &LevelRule) -> Self {
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by(|(a, n), (b, m)| m.cmp(n).then_with(|| a.cmp(b)));
        let total: usize = counts.iter().map(|(_, n)| n).sum();
        let least = (rule.min_share * total as f64).max(rule.min_rows as f64);
        let frequent = counts.partition_point(|(_, n)| *n as f64 >= least);
        let wanted = if frequent == 0 {
            counts.len()
        } else {
            frequent
        };
        let mut kept: Vec<String> = counts.into_iter().map(|(level, _)| level).collect();
        let mut pooled = kept.split_off(wanted.min(rule.max_levels).min(kept.len()));
        if !pooled.is_empty() {
            // a level of that name can only mean the same
            pooled.extend(kept.extract_if(.., |level| level == OTHER));
        }
        Self::new(kept, pooled).expect("the texts are distinct, one or more")
    }

    /// The levels of two parts of a column. One that shares a feature in either part shares it in both: what
    /// was added up is not told apart again.
    pub(crate) fn joined(&self, other: &Self) -> Self {
        let has_pool = !self.pooled.is_empty() || !other.pooled.is_empty();
        let shares = |level: &String| {
            let is_pooled = [self, other].iter().any(|part| part.is_pooled(level));
            is_pooled || has_pool && level == OTHER
        };
        let theirs = other.kept.iter().chain(&other.pooled);
        let fresh = theirs.filter(|level| self.number(level).is_none());
        let all = self.kept.iter().chain(&self.pooled).chain(fresh);
        let (pooled, kept) = all.cloned().partition(shares);
        Self::new(kept, pooled).expect("the texts are distinct, one or more")
    }

    /// The levels with a feature of their own.
    pub fn kept(&self) -> &[String] {
        &self.kept
    }

    /// The levels that share a feature.
    pub fn pooled(&self) -> &[String] {
        &self.pooled
    }

    /// The names of the features, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let other = (!self.pooled.is_empty()).then_some(OTHER);
        self.kept.iter().map(String::as_str).chain(other)
    }

    /// The number of features.
    pub fn n_features(&self) -> usize {
        self.kept.len() + usize::from(!self.pooled.is_empty())
    }

    fn is_pooled(&self, level: &str) -> bool {
        self.number(level) == Some(self.kept.len())
    }

    /// The number of the feature of a level; `None` for a level that is not known.
    pub fn number(&self, level: &str) -> Option<usize> {
        self.numbers.get(level).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(counts: &[(&str, usize)], max_levels: usize) -> Levels {
        let rule = LevelRule {
            max_levels,
            ..LevelRule::default()
        };
        Levels::of_counts(counts.iter().map(|&(l, n)| (l.to_owned(), n)), &rule)
    }

    #[test]
    fn levels_come_by_frequency_and_rare_ones_are_pooled() {
        let found = levels(&[("a", 5), ("b", 4), ("c", 900), ("d", 5)], 50);
        assert_eq!(found.kept(), ["c", "a", "d"]);
        assert_eq!(found.pooled(), ["b"]);
        let found = levels(&[("a", 9), ("b", 2000)], 50);
        assert_eq!(found.pooled(), ["a"], "below half a percent");
        let found = levels(&[("a", 7), ("b", 8), ("c", 9)], 2);
        assert_eq!(
            (found.kept().len(), found.pooled()),
            (2, &["a".to_owned()][..])
        );
    }

    #[test]
    fn nothing_is_rare_where_everything_is() {
        let found = levels(&[("a", 1), ("b", 2)], 50);
        assert_eq!(found.kept(), ["b", "a"]);
        assert!(found.pooled().is_empty());
    }

    #[test]
    fn a_level_called_other_joins_the_pool() {
        let found = levels(&[("other", 50), ("b", 20), ("c", 1)], 50);
        assert_eq!(found.names().collect::<Vec<_>>(), ["b", "other"]);
        assert_eq!(found.number("other"), Some(1));
        let found = levels(&[("other", 50), ("b", 20)], 50);
        assert_eq!(found.names().collect::<Vec<_>>(), ["other", "b"]);
    }

    #[test]
    fn a_level_that_shares_a_feature_in_one_part_shares_it_in_all() {
        let owned = |texts: &[&str]| texts.iter().map(|&t| t.to_owned()).collect::<Vec<_>>();
        let part = |kept, pooled| Levels::new(owned(kept), owned(pooled)).unwrap();
        let plain = part(&["a", "b"], &[]).joined(&part(&["c", "a"], &[]));
        assert_eq!(plain, part(&["a", "b", "c"], &[]));
        let pooled = part(&["a", "b"], &["d"]).joined(&part(&["d", "c"], &["b", "e"]));
        assert_eq!(pooled, part(&["a", "c"], &["b", "d", "e"]));
        let named = part(&["other", "a"], &[]).joined(&part(&["a"], &["e"]));
        assert_eq!(named, part(&["a"], &["other", "e"]));
    }

    #[test]
    fn doubled_empty_and_absent_levels_are_refused() {
        let owned = |texts: &[&str]| texts.iter().map(|&t| t.to_owned()).collect::<Vec<_>>();
        for (kept, pooled) in [
            (&["a", "a"][..], &[][..]),
            (&["a"], &["a"]),
            (&[""], &[]),
            (&[], &[]),
            (&["other"], &["a"]),
        ] {
            assert!(Levels::new(owned(kept), owned(pooled)).is_err());
        }
    }
}
