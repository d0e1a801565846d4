//! The units in which the distribution is fitted: every column that varies at mean 0 and variance 1.

use crate::moments::{Frame, MaskMoments, Source};
use crate::prepare::{Means, Prepared};

/// Framed values reach 1: a column that varies less than this says nothing that rounding leaves
/// intact.
const FLAT: f64 = 1e-12;

/// Rounding of a framed second moment.
const ROUNDING: f64 = 1e-14;

/// The columns that take part, and their units: a framed value h is `(h - centre) / spread`.
#[derive(Clone, Debug)]
pub(super) struct Standard {
    /// The columns that vary, ascending.
    pub(super) columns: Vec<usize>,
    /// The live columns that do not.
    pub(super) flat: Vec<usize>,
    pub(super) centre: Vec<f64>,
    pub(super) spread: Vec<f64>,
    /// What rounding may have done to each variance.
    pub(super) noise: Vec<f64>,
    /// The weight of the rows in which any of the columns is observed.
    pub(super) weight: f64,
    /// Where each column of the table is among those that take part.
    place: Vec<Option<usize>>,
}

impl Standard {
    pub(super) fn new(prepared: &Prepared, means: &Means, source: &Source<'_>) -> Self {
        let varies = |j: &usize| means.variance[*j] > FLAT;
        let (columns, flat): (Vec<_>, Vec<_>) = prepared.live.iter().copied().partition(varies);
        let mut place = vec![None; means.mean.len()];
        for (a, &j) in columns.iter().enumerate() {
            place[j] = Some(a);
        }
        let of_columns =
            |f: fn(f64) -> f64| columns.iter().map(|&j| f(means.variance[j])).collect();
        Self {
            centre: columns.iter().map(|&j| means.mean[j]).collect(),
            spread: of_columns(f64::sqrt),
            noise: of_columns(|variance| ROUNDING / variance),
            columns,
            flat,
            weight: 0.0,
            place,
        }
        .for_rows(source)
    }

    /// The same units for other rows.
    pub(super) fn for_rows(&self, source: &Source<'_>) -> Self {
        let mut weight = 0.0;
        source.for_each(|moments| {
            if moments.observed.iter().any(|&j| self.place[j].is_some()) {
                weight += moments.weight();
            }
        });
        Self {
            weight,
            ..self.clone()
        }
    }

    /// The number of columns that take part.
    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    /// `(position among the observed, place)` of the observed columns that take part, ascending.
    pub(super) fn observed<'a>(
        &'a self,
        observed: impl Iterator<Item = usize> + 'a,
    ) -> impl Iterator<Item = (usize, usize)> + 'a {
        let place = |(o, j): (usize, usize)| self.place[j].map(|a| (o, a));
        observed.enumerate().filter_map(place)
    }

    /// A cell of the column at place `a`, in these units.
    pub(super) fn map(&self, a: usize, cell: f64, frame: &Frame) -> f64 {
        (frame.columns[self.columns[a]].hold(cell) - self.centre[a]) / self.spread[a]
    }
}

/// The sums of one mask over the columns that take part, about a point.
#[derive(Debug, Default)]
pub(super) struct Deviations {
    /// The places of the observed columns, ascending.
    pub(super) places: Vec<usize>,
    /// Their positions in the moments.
    positions: Vec<usize>,
    pub(super) weight: f64,
    /// `Σ s_i x_i`.
    from_centre: Vec<f64>,
    /// `Σ s_i (x_i - point)`.
    pub(super) sum: Vec<f64>,
    /// `Σ s_i (x_i - point)(x_i - point)ᵀ`.
    pub(super) squares: Vec<f64>,
}

impl Deviations {
    /// Finds out which columns are observed.
    pub(super) fn locate(&mut self, moments: &MaskMoments, standard: &Standard) {
        self.places.clear();
        self.positions.clear();
        for (o, a) in standard.observed(moments.observed.iter().copied()) {
            self.places.push(a);
            self.positions.push(o + 1);
        }
        self.weight = moments.weight();
    }

    /// Fills in `sum`; `point` is in the units of `standard`.
    pub(super) fn sum(&mut self, moments: &MaskMoments, standard: &Standard, point: &[f64]) {
        self.from_centre.clear();
        self.sum.clear();
        for (&a, &o) in self.places.iter().zip(&self.positions) {
            let sum = moments.sum(0, o) - self.weight * standard.centre[a];
            self.from_centre.push(sum / standard.spread[a]);
            self.sum
                .push(sum / standard.spread[a] - self.weight * point[a]);
        }
    }

    /// Fills in `squares`, after `sum`.
    ///
    /// First about the centre, where digits cancel: whatever that does is the same for every point,
    /// so that the likelihood remains that of one set of rows.
    pub(super) fn squares(&mut self, moments: &MaskMoments, standard: &Standard, point: &[f64]) {
        let order = self.places.len();
        self.squares.resize(order * order, 0.0);
        for (j, (&b, &q)) in self.places.iter().zip(&self.positions).enumerate() {
            let (centre, spread) = (standard.centre[b], standard.spread[b]);
            let rest = self.from_centre[j] * spread;
            for (i, (&a, &p)) in self.places.iter().zip(&self.positions).enumerate() {
                // Σ (h_a - c_a)(h_b - c_b) = Σ h_a h_b - c_b Σ h_a - c_a Σ (h_b - c_b)
                let about_centre =
                    moments.sum(q, p) - centre * moments.sum(0, p) - standard.centre[a] * rest;
                let square = about_centre / (standard.spread[a] * spread);
                let moved = self.from_centre[i] * point[b] + point[a] * self.sum[j];
                self.squares[j * order + i] = square - moved;
            }
        }
    }
}
