//! Sums over rows of all masks together, where masks are too many to be kept apart.
//!
//! With `h` the features of a row in their units, zeros for the holes, `m` 1 where a feature is missing and 0 elsewhere, and `y` the
//! target, these are the second moments of
//!
//! ```text
//! l = (1, h_j, m_k, m_k h_j (j ≠ k), m_k m_l (k < l), y)
//! ```
//!
//! Whatever is linear in `l` follows from them: other units, other columns, and the lifted rows of docs/math.md 2 if holes are filled
//! with constants, `x̃_j = a_j h_j + b_j (1 - m_j) + c_j m_j` and `m_k x̃_j` (docs/math.md 5.6). So bases that fill
//! with zeros or means can be fitted, those that look at other columns cannot: that takes products of three `m`.
//!
//! Cost: with `o` features observed and `n` missing, half the square of `(1 + o)(1 + n) + n(n + 1)/2` additions per mask.

use super::totals::{Total, Totals};
use super::{MaskMoments, Moments, Origin};
use crate::linalg::{Matrix, add_scaled};

/// The sums, of one target.
#[derive(Clone, Debug)]
pub(crate) struct Folded {
    places: Places,
    /// Symmetric; the lower triangle counts.
    gram: Matrix,
    n_rows: usize,
    /// Rows in which each feature is observed.
    observed: Vec<usize>,
}

/// Where the parts of `l` are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Places {
    n_features: usize,
}

/// A sum over some places, each with a factor.
pub(crate) type Terms = Vec<(usize, f64)>;

impl Places {
    pub(crate) const ONE: usize = 0;

    pub(crate) fn new(n_features: usize) -> Self {
        Self { n_features }
    }

    /// How many there are.
    pub(crate) fn order(self) -> usize {
        self.target() + 1
    }

    /// `h_j`.
    pub(crate) fn value(self, j: usize) -> usize {
        1 + j
    }

    /// `m_k`.
    pub(crate) fn hole(self, k: usize) -> usize {
        1 + self.n_features + k
    }

    /// `m_k h_j`; none where that is zero in every row.
    pub(crate) fn value_by(self, k: usize, j: usize) -> Option<usize> {
        let first = 1 + 2 * self.n_features + k * (self.n_features - 1);
        (j != k).then(|| first + j - usize::from(j > k))
    }

    /// `m_k m_l`.
    pub(crate) fn hole_by(self, k: usize, l: usize) -> usize {
        let d = self.n_features;
        let (k, l) = (k.min(l), k.max(l));
        match k == l {
            true => self.hole(k),
            false => 1 + 2 * d + d * (d - 1) + l * (l - 1) / 2 + k,
        }
    }

    /// `m_k`, in rows that lack another feature; in all of them for `None`.
    pub(crate) fn hole_in(self, k: usize, lacking: Option<usize>) -> usize {
        lacking.map_or(self.hole(k), |l| self.hole_by(k, l))
    }

    pub(crate) fn target(self) -> usize {
        let d = self.n_features;
        1 + 2 * d + (d * d.saturating_sub(1)) / 2 * 3
    }
}

/// A feature made from old ones: missing where `follows` is (`None`: in every row), else `offset` plus a sum over old ones
/// that are missing there too.
#[derive(Clone, Debug)]
pub(crate) struct Remade {
    pub(crate) follows: Option<usize>,
    pub(crate) offset: f64,
    pub(crate) parts: Terms,
}

impl Remade {
    /// Where it is missing.
    fn holes(&self, old: Places) -> usize {
        self.follows.map_or(Places::ONE, |from| old.hole(from))
    }

    /// The feature in rows that lack an old one; in all of them for `None`. Zero where it is missing.
    pub(crate) fn values(&self, old: Places, lacking: Option<usize>) -> Terms {
        let Some(follows) = self.follows else {
            return Terms::new();
        };
        let parts = self.parts.iter();
        let (mut terms, counted, missing): (Terms, usize, usize) = match lacking {
            None => (
                parts.map(|&(j, by)| (old.value(j), by)).collect(),
                Places::ONE,
                old.hole(follows),
            ),
            Some(k) => (
                parts
                    .filter_map(|&(j, by)| Some((old.value_by(k, j)?, by)))
                    .collect(),
                old.hole(k),
                old.hole_by(k, follows),
            ),
        };
        terms.extend([(counted, self.offset), (missing, -self.offset)]);
        terms
    }
}

impl From<&Origin> for Remade {
    fn from(origin: &Origin) -> Self {
        Self {
            follows: Some(origin.from),
            offset: origin.offset,
            parts: vec![(origin.from, origin.slope)],
        }
    }
}

impl Folded {
    /// Of no rows.
    pub(crate) fn none(n_features: usize) -> Self {
        let places = Places::new(n_features);
        Self {
            places,
            gram: Matrix::zeros(places.order(), places.order()),
            n_rows: 0,
            observed: vec![0; n_features],
        }
    }

    pub(crate) fn of(moments: &Moments, n_features: usize) -> Self {
        let mut folded = Self::none(n_features);
        moments.each().for_each(|(_, of_mask)| folded.add(of_mask));
        folded
    }

    /// The lower triangle of the sums, row after row.
    pub(crate) fn triangle(&self) -> Vec<f64> {
        let pairs = (0..self.places.order()).flat_map(|i| (0..=i).map(move |j| (i, j)));
        pairs.map(|at| self.gram[at]).collect()
    }

    /// The sums of so many rows, of which features are observed in as many as `counts` says, with this triangle; `None`
    /// where they do not fit together.
    pub(crate) fn from_triangle(n_rows: usize, counts: &[f64], triangle: &[f64]) -> Option<Self> {
        let order = Places::new(counts.len()).order();
        let is_count = |n: &f64| n.fract() == 0.0 && (0.0..=n_rows as f64).contains(n);
        let is_sound = n_rows as f64 <= 2f64.powi(53) && counts.iter().all(is_count);
        let size = order.checked_mul(order + 1)? / 2;
        if !is_sound || triangle.len() != size {
            return None;
        }
        let mut folded = Self::none(counts.len());
        let pairs = (0..order).flat_map(|i| (0..=i).map(move |j| (i, j)));
        for (at, &sum) in pairs.zip(triangle) {
            folded.gram[at] = sum;
        }
        folded.n_rows = n_rows;
        folded.observed = counts.iter().map(|&n| n as usize).collect();
        let squares = (0..order).all(|i| folded.gram[(i, i)] >= 0.0);
        squares.then_some(folded)
    }

    /// Bytes that the sums over rows of so many features take.
    pub(crate) fn bytes(n_features: usize) -> usize {
        Places::new(n_features).order().pow(2) * size_of::<f64>()
    }

    pub(crate) fn places(&self) -> Places {
        self.places
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    pub(crate) fn weight(&self) -> f64 {
        self.gram[(Places::ONE, Places::ONE)]
    }

    /// The weight of the rows in which feature `j` is observed.
    pub(crate) fn weight_of(&self, j: usize) -> f64 {
        match self.observed[j] {
            0 => 0.0,
            _ => self.weight() - self.gram[(self.places.hole(j), Places::ONE)],
        }
    }

    /// In how many rows each feature is observed.
    pub(crate) fn observed(&self) -> &[usize] {
        &self.observed
    }

    /// Weight, sum and sum of squares of the target.
    pub(crate) fn target(&self) -> (f64, f64, f64) {
        let y = self.places.target();
        (
            self.weight(),
            self.gram[(y, Places::ONE)],
            self.gram[(y, y)],
        )
    }

    /// Adds the rows of one mask.
    pub(crate) fn add(&mut self, moments: &MaskMoments) {
        let (places, observed) = (self.places, &moments.observed);
        self.n_rows += moments.n_rows;
        observed
            .iter()
            .for_each(|&j| self.observed[j] += moments.n_rows);
        let is_missing = |k: &usize| observed.binary_search(k).is_err();
        let missing: Vec<usize> = (0..places.n_features).filter(is_missing).collect();
        // each place with that of what it is in these rows, ascending
        let mut filled = vec![(Places::ONE, 0)];
        let values = || observed.iter().enumerate().map(|(o, &j)| (j, o + 1));
        filled.extend(values().map(|(j, o)| (places.value(j), o)));
        filled.extend(missing.iter().map(|&k| (places.hole(k), 0)));
        for &k in &missing {
            filled.extend(values().filter_map(|(j, o)| Some((places.value_by(k, j)?, o))));
        }
        for (n, &l) in missing.iter().enumerate() {
            filled.extend(missing[..n].iter().map(|&k| (places.hole_by(k, l), 0)));
        }
        filled.push((places.target(), moments.order() - 1));
        for (n, &(column, a)) in filled.iter().enumerate() {
            let sums = &moments.sums[a * moments.order()..(a + 1) * moments.order()];
            let column = self.gram.col_mut(column);
            for &(place, b) in &filled[n..] {
                column[place] += sums[b];
            }
        }
    }

    /// Adds the rows of other sums in the same units.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.gram.add(&other.gram);
        self.n_rows += other.n_rows;
        let counts = self.observed.iter_mut().zip(&other.observed);
        counts.for_each(|(mine, theirs)| *mine += theirs);
    }

    /// Multiplies the weights of all rows.
    pub(crate) fn scale(&mut self, by: f64) {
        self.gram.scale(by);
    }

    pub(crate) fn totals(&self) -> Totals {
        let column = |j: usize| {
            let value = self.places.value(j);
            Total {
                n_rows: self.observed[j],
                weight: self.weight_of(j),
                sum: self.gram[(value, Places::ONE)],
                squares: self.gram[(value, value)],
            }
        };
        Totals {
            n_rows: self.n_rows,
            weight: self.weight(),
            columns: (0..self.places.n_features).map(column).collect(),
        }
    }

    /// The second moments of other numbers, each a sum over places; the lower triangle.
    pub(crate) fn moments_of(&self, all: &[Terms]) -> Matrix {
        let mut whole = self.gram.clone();
        whole.mirror_lower();
        let mut found = Matrix::zeros(all.len(), all.len());
        let mut column = vec![0.0; self.places.order()];
        for (n, terms) in all.iter().enumerate() {
            column.fill(0.0);
            for &(place, factor) in terms {
                add_scaled(&mut column, factor, whole.col(place));
            }
            let into = found.col_mut(n)[n..].iter_mut();
            for (into, terms) in into.zip(&all[n..]) {
                *into = terms.iter().map(|&(i, factor)| factor * column[i]).sum();
            }
        }
        found
    }

    /// The sums of new features, and of another target (of which `from` is of no meaning).
    pub(crate) fn recast(&self, features: &[Remade], target: Origin) -> Self {
        let (old, new) = (self.places, Places::new(features.len()));
        let mut all = vec![Terms::new(); new.order()];
        all[Places::ONE] = vec![(Places::ONE, 1.0)];
        for (j, feature) in features.iter().enumerate() {
            all[new.value(j)] = feature.values(old, None);
            all[new.hole(j)] = vec![(feature.holes(old), 1.0)];
            for (k, other) in features.iter().enumerate() {
                if let Some(place) = new.value_by(k, j) {
                    all[place] = feature.values(old, other.follows);
                }
                if k < j {
                    let both = match (feature.follows, other.follows) {
                        (Some(a), Some(b)) => old.hole_by(a, b),
                        (Some(a), None) | (None, Some(a)) => old.hole(a),
                        (None, None) => Places::ONE,
                    };
                    all[new.hole_by(k, j)] = vec![(both, 1.0)];
                }
            }
        }
        all[new.target()] = vec![(old.target(), target.slope), (Places::ONE, target.offset)];
        let observed = |feature: &Remade| feature.follows.map_or(0, |from| self.observed[from]);
        Self {
            places: new,
            gram: self.moments_of(&all),
            n_rows: self.n_rows,
            observed: features.iter().map(observed).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Frame, Ranges, Rows, Source, Unit};
    use super::*;
    use crate::data::{Dataset, MaskedMatrix};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn data() -> Dataset {
        let rng = &mut ChaCha8Rng::seed_from_u64(3);
        let mut table = MaskedMatrix::new(4);
        for _ in 0..60 {
            let row = (0..4).map(|_| (rng.random::<f64>() < 0.6).then(|| rng.random::<f64>()));
            table.push_row(row.collect::<Vec<_>>()).unwrap();
        }
        let target = (0..60).map(|i| f64::from(i).sin()).collect();
        let weights = (0..60).map(|i| f64::from(i % 3)).collect();
        let data = Dataset::new(table, target).unwrap();
        data.with_weights(weights).unwrap()
    }

    fn frame(rows: &Rows<'_>) -> Frame {
        Frame::new(&Ranges::fit(rows, 0.0).unwrap(), false)
    }

    /// The vector of a row, written out.
    fn vector(cells: &[Option<f64>], y: f64) -> Vec<f64> {
        let d = cells.len();
        let value = |j: usize| cells[j].unwrap_or(0.0);
        let hole = |k: usize| f64::from(u8::from(cells[k].is_none()));
        let mut all = vec![1.0];
        all.extend((0..d).map(value));
        all.extend((0..d).map(hole));
        for k in 0..d {
            all.extend((0..d).filter(|j| *j != k).map(|j| hole(k) * value(j)));
        }
        for l in 0..d {
            all.extend((0..l).map(|k| hole(k) * hole(l)));
        }
        all.push(y);
        all
    }

    fn assert_is(folded: &Folded, rows: impl Iterator<Item = (Vec<f64>, f64)>) {
        let order = folded.places.order();
        let mut want = Matrix::zeros(order, order);
        for (vector, weight) in rows {
            assert_eq!(vector.len(), order);
            for (j, b) in vector.iter().enumerate() {
                add_scaled(want.col_mut(j), weight * b, &vector);
            }
        }
        for j in 0..order {
            for i in j..order {
                let (got, want) = (folded.gram[(i, j)], want[(i, j)]);
                assert!((got - want).abs() < 1e-12, "{i} {j}: {got} {want}");
            }
        }
    }

    /// The cells of a row in their units, its target and its weight.
    fn held(rows: &Rows<'_>, i: usize, frame: &Frame) -> (Vec<Option<f64>>, f64, f64) {
        let cell = |j: usize| Some(frame.columns[j].hold(rows.row(i).get(j)?));
        let y = frame.targets[0].hold(rows.target(i));
        ((0..4).map(cell).collect(), y, rows.weight(i))
    }

    #[test]
    fn sums_are_those_of_the_rows() {
        let data = data();
        let rows = Rows::new(&data, None);
        let frame = frame(&rows);
        let moments = Source::new(&rows, &frame).kept().unwrap();
        let folded = Folded::of(&moments, 4);
        assert_is(
            &folded,
            (0..rows.len()).map(|i| {
                let (cells, y, weight) = held(&rows, i, &frame);
                (vector(&cells, y), weight)
            }),
        );
        let totals = Source::Kept(moments).totals(4);
        let (mine, theirs) = (folded.totals(), totals);
        assert_eq!(mine.n_rows, theirs.n_rows);
        for (a, b) in mine.columns.iter().zip(&theirs.columns) {
            assert_eq!(a.n_rows, b.n_rows);
            assert!((a.weight - b.weight).abs() + (a.sum - b.sum).abs() < 1e-12);
        }
    }

    #[test]
    fn other_features_and_units_are_sums_over_places() {
        let data = data();
        let rows = Rows::new(&data, None);
        let frame = frame(&rows);
        let folded = Folded::of(&Source::new(&rows, &frame).kept().unwrap(), 4);
        let unit = Unit::unclipped(0.25, 4.0).unwrap();
        let moved = Origin::reunited(2, &frame.columns[2], &unit);
        let features = [
            Remade::from(&moved),
            Remade::from(&Origin::same(0)),
            Remade {
                follows: None,
                offset: 0.0,
                parts: Vec::new(),
            },
            Remade {
                follows: Some(1),
                offset: 0.5,
                parts: vec![(1, 3.0)],
            },
        ];
        let target = Origin {
            from: 0,
            slope: 2.0,
            offset: -1.0,
        };
        let recast = folded.recast(&features, target);
        let rows = (0..rows.len()).map(|i| {
            let (cells, y, weight) = held(&rows, i, &frame);
            let cells = [
                cells[2].map(|x| moved.slope * x + moved.offset),
                cells[0],
                None,
                cells[1].map(|x| 3.0 * x + 0.5),
            ];
            (vector(&cells, 2.0 * y - 1.0), weight)
        });
        assert_is(&recast, rows);
    }

    #[test]
    fn no_sums_are_over_more_rows_than_can_be_counted() {
        let order = Places::new(1).order();
        let triangle = vec![1.0; order * (order + 1) / 2];
        let over = |n_rows| Folded::from_triangle(n_rows, &[3.0], &triangle);
        assert!(over(3).is_some() && over(1 << 53).is_some());
        assert!(over((1 << 53) + 2).is_none() && over(usize::MAX).is_none());
    }
}
