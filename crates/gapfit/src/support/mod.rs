//! Which weights the presence of a feature may change: a graph over the features (paper 3.1.4 and 5.1).
//!
//! Online, it says which entries of A may differ from zero; of a fit, which weights may shift when a
//! feature is missing ([`SupportChoice`]). Entry (i, j) of A says how feature j's presence changes the weight of feature i, so it is free only
//! where i and j are neighbours. Every feature is its own neighbour, and neighbourhood is mutual. A
//! column of `subsets` is free in row i when all its members are neighbours of i.

mod choice;
mod correlation;
mod rule;

pub(crate) use choice::Decided;
pub use choice::{SupportChoice, SupportKind};
pub use rule::SupportRule;

use crate::data::MaskedMatrix;
use crate::error::{Error, Result};
use correlation::Pairs;

/// Which pairs of features may influence each other's weights.
///
/// ```
/// use gapfit::support::Support;
/// let pixels = Support::grid(8, 8);
/// assert_eq!(pixels.neighbours(0), Some(&[0, 1, 8, 9][..]));
/// assert_eq!(Support::full().neighbours(0), None); // everyone
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Support {
    /// The neighbours of each feature, itself included, ascending; `None` is everyone.
    neighbours: Option<Vec<Vec<u32>>>,
}

impl Support {
    /// Every pair.
    pub fn full() -> Self {
        Self::default()
    }

    /// No pair among this many features.
    pub fn none(n_features: usize) -> Self {
        Self::of_pairs(n_features, std::iter::empty())
    }

    /// The pairs whose correlation over the rows that have both is at least `threshold` in size; a
    /// pair without a defined correlation is out.
    ///
    /// # Errors
    /// [`Error::Setting`] when the threshold is not in [0, 1].
    pub fn correlated(sample: &MaskedMatrix, threshold: f64) -> Result<Self> {
        SupportRule::Correlation(threshold).validate()?;
        Ok(Self::of_correlated(&Pairs::of_rows(sample), threshold))
    }

    fn of_correlated(sample: &Pairs, threshold: f64) -> Self {
        let (r, d) = (&sample.correlations, sample.correlations.n_cols());
        let pairs = (0..d).flat_map(|j| (0..j).map(move |i| (i, j)));
        Self::of_pairs(d, pairs.filter(|&pair| r[pair].abs() >= threshold))
    }

    /// For each feature the pairs with the `m` others that say most where it is missing: those of the
    /// largest correlation that tend to be there. A feature may have more neighbours than `m`, since
    /// neighbourhood is mutual.
    pub fn top(sample: &MaskedMatrix, m: usize) -> Self {
        let top = Pairs::of_rows(sample).top(m);
        let lists = top.iter().enumerate();
        let pairs = lists.flat_map(|(k, list)| list.iter().map(move |&j| (k, j as usize)));
        Self::of_pairs(top.len(), pairs)
    }

    /// Pixels of an image of this height and width, stored line by line, that touch by a side or a
    /// corner.
    pub fn grid(height: usize, width: usize) -> Self {
        let pixel = |line: usize, column: usize| line * width + column;
        let mut pairs = Vec::new();
        for line in 0..height {
            for column in 0..width {
                let here = pixel(line, column);
                if column + 1 < width {
                    pairs.push((here, here + 1));
                }
                if line + 1 < height {
                    let below = column.saturating_sub(1)..(column + 2).min(width);
                    pairs.extend(below.map(|column| (here, pixel(line + 1, column))));
                }
            }
        }
        Self::of_pairs(height * width, pairs.into_iter())
    }

    /// The pairs listed in `text`: two features per line, by name or, where no feature is so called,
    /// by zero-based number; separated by a comma or, in a line without one, by blanks. Empty lines
    /// and lines that begin with `#` do not count.
    ///
    /// # Errors
    /// [`Error::Setting`] with the line that is not such a pair.
    pub fn edges(text: &str, names: &[String]) -> Result<Self> {
        let find = |end: &str| {
            let by_name = names.iter().position(|name| name == end);
            by_name.or_else(|| end.parse().ok().filter(|&j: &usize| j < names.len()))
        };
        let mut pairs = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let pair = split_pair(line).and_then(|(a, b)| Some((find(a)?, find(b)?)));
            pairs.push(pair.ok_or_else(|| Error::Setting {
                name: "edges",
                expected: "two features per line, by name or by number from 0",
                got: format!("'{line}' in line {}", number + 1),
            })?);
        }
        Ok(Self::of_pairs(names.len(), pairs.into_iter()))
    }

    fn of_pairs(n_features: usize, pairs: impl Iterator<Item = (usize, usize)>) -> Self {
        let mut neighbours: Vec<Vec<u32>> = (0..n_features as u32).map(|i| vec![i]).collect();
        for (i, j) in pairs {
            neighbours[i].push(j as u32);
            neighbours[j].push(i as u32);
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        Self {
            neighbours: Some(neighbours),
        }
    }

    /// The graph with these lists of neighbours, if they are mutual, ascending and reflexive.
    pub(crate) fn from_neighbours(neighbours: Vec<Vec<u32>>) -> Option<Self> {
        let contains = |i: usize, j: u32| neighbours[i].binary_search(&j).is_ok();
        let sound = neighbours.iter().enumerate().all(|(i, list)| {
            list.windows(2).all(|w| w[0] < w[1])
                && list.iter().all(|&j| (j as usize) < neighbours.len())
                && list.iter().all(|&j| contains(j as usize, i as u32))
                && contains(i, i as u32)
        });
        sound.then_some(Self {
            neighbours: Some(neighbours),
        })
    }

    /// The same graph behind one more feature, number 0 and the neighbour of all: a constant, for
    /// example.
    pub fn with_hub(mut self) -> Self {
        if let Some(lists) = &mut self.neighbours {
            for list in &mut *lists {
                list.iter_mut().for_each(|j| *j += 1);
                list.insert(0, 0);
            }
            lists.insert(0, (0..=lists.len() as u32).collect());
        }
        self
    }

    /// The neighbours of feature `i`, itself included, ascending; `None` when everyone is.
    ///
    /// # Panics
    /// When there is no such feature.
    pub fn neighbours(&self, i: usize) -> Option<&[u32]> {
        self.neighbours.as_ref().map(|lists| &lists[i][..])
    }

    /// All lists of neighbours, or `None` when everyone is.
    pub(crate) fn lists(&self) -> Option<&[Vec<u32>]> {
        self.neighbours.as_deref()
    }

    /// The features that are neighbours of all `members`, ascending.
    pub(crate) fn common(&self, members: &[u32]) -> Option<Vec<u32>> {
        let lists = self.neighbours.as_ref()?;
        let (&first, rest) = members.split_first()?;
        let of_all = |&&i: &&u32| {
            rest.iter()
                .all(|&j| lists[j as usize].binary_search(&i).is_ok())
        };
        Some(
            lists[first as usize]
                .iter()
                .filter(of_all)
                .copied()
                .collect(),
        )
    }

    /// Refuses a graph over another number of features.
    pub(crate) fn check(&self, n_features: usize) -> Result<()> {
        match &self.neighbours {
            Some(lists) if lists.len() != n_features => Err(Error::Shape {
                what: "features of the support",
                expected: n_features,
                got: lists.len(),
            }),
            _ => Ok(()),
        }
    }

    /// One more feature, without neighbours unless everyone is.
    pub(crate) fn add_feature(&mut self) {
        if let Some(lists) = &mut self.neighbours {
            lists.push(vec![lists.len() as u32]);
        }
    }
}

fn split_pair(line: &str) -> Option<(&str, &str)> {
    let ends: Vec<_> = if line.contains(',') {
        line.split(',').map(str::trim).collect()
    } else {
        line.split_whitespace().collect()
    };
    match ends[..] {
        [a, b] => Some((a, b)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn pixels_that_touch_are_neighbours() {
        let grid = Support::grid(3, 4);
        assert_eq!(grid.neighbours(5).unwrap(), [0, 1, 2, 4, 5, 6, 8, 9, 10]);
        assert_eq!(grid.neighbours(11).unwrap(), [6, 7, 10, 11]);
        let lists = grid.lists().unwrap().to_vec();
        assert_eq!(Support::from_neighbours(lists), Some(grid));
    }

    #[test]
    fn correlation_is_taken_over_the_rows_that_have_both() {
        // Columns 0 and 1 agree where both are there; column 2 is constant, column 3 opposes 0.
        let hole = f64::NAN;
        #[rustfmt::skip]
        let cells = [
            1.0,  1.0, 7.0, -1e300,
            2.0,  2.0, 7.0, -2e300,
            3.0,  hole, 7.0, -3e300,
            hole, -9.0, 7.0, -1e300,
            4.0,  4.0, hole, hole,
        ];
        let sample = MaskedMatrix::from_nan(5, 4, &cells).unwrap();
        let support = Support::correlated(&sample, 0.999).unwrap();
        assert_eq!(support.neighbours(0).unwrap(), [0, 1, 3]);
        assert_eq!(support.neighbours(2).unwrap(), [2]);
        let r = Pairs::of_rows(&sample).correlations;
        assert!((r[(0, 1)] - 1.0).abs() < 1e-12 && (r[(0, 3)] + 1.0).abs() < 1e-12);
        assert!(Support::correlated(&sample, 1.5).is_err());
    }

    #[test]
    fn edges_come_by_name_or_number() {
        let names = names(&["age", "body mass", "7"]);
        let text = "# who knows whom\n\n age , body mass\r\n7 0\n7 age\n";
        let support = Support::edges(text, &names).unwrap();
        assert_eq!(support.neighbours(0).unwrap(), [0, 1, 2]);
        assert_eq!(support.neighbours(1).unwrap(), [0, 1]);
    }

    #[test]
    fn a_bad_edge_is_reported_with_its_line() {
        let names = names(&["a", "b"]);
        for (text, got) in [
            ("a b\n\na c\n", "'a c' in line 3"),
            ("a", "'a' in line 1"),
            ("a,b,a", "'a,b,a' in line 1"),
            ("0 2", "'0 2' in line 1"),
            ("a,-1", "'a,-1' in line 1"),
        ] {
            let error = Support::edges(text, &names).unwrap_err().to_string();
            let expected =
                "edges: expected two features per line, by name or by number from 0, got ";
            assert_eq!(error, format!("{expected}{got}"));
        }
    }

    #[test]
    fn a_hub_is_everyones_neighbour() {
        let support = Support::grid(1, 3).with_hub();
        assert_eq!(support.neighbours(0).unwrap(), [0, 1, 2, 3]);
        assert_eq!(support.neighbours(1).unwrap(), [0, 1, 2]);
        assert_eq!(Support::full().with_hub(), Support::full());
        let alone = Support::none(2).with_hub();
        assert_eq!(
            alone.lists().unwrap(),
            [vec![0, 1, 2], vec![0, 1], vec![0, 2]]
        );
    }

    #[test]
    fn unsound_lists_of_neighbours_are_refused() {
        let lists = [
            vec![vec![0, 1], vec![1]],
            vec![vec![0, 0]],
            vec![vec![]],
            vec![vec![0, 9]],
            vec![vec![1, 0], vec![0, 1]],
        ];
        for lists in lists {
            assert_eq!(Support::from_neighbours(lists.clone()), None, "{lists:?}");
        }
    }
}
