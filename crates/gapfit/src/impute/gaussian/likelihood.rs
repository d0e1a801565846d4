//! The penalised log-likelihood of the observed cells, with its gradient, from per-mask sums.
//!
//! ```text
//! ℓ(μ, Σ) = -½ Σ_s [ n_s log|Σ_s| + tr(Σ_s⁻¹ A_s) ] / W  -  ½ [ κ log|Σ| + tr(Σ⁻¹ D) ]
//! ∂ℓ/∂μ = Σ_s P_s c_s / W,      2 ∂ℓ/∂Σ = Σ_s (P_s A_s P_s - n_s P_s) / W + Σ⁻¹ D Σ⁻¹ - κ Σ⁻¹
//! ```
//!
//! over masks s with observed block `Σ_s`, inverse `P_s` (zero elsewhere), weight `n_s`, and sums
//! `c_s`, `A_s` of the deviations from μ and their products (docs/math.md 6.5). Constants are left out.
//!
//! Cost per mask: one Cholesky factorisation of order observed, or missing where that is much less.

use super::information::{Information, Sample};
use super::standard::{Deviations, Standard};
use crate::linalg::{add_scaled, dot, spd};
use crate::moments::{MaskMoments, Source};

/// A mean and a covariance, one after the other; gradients and steps have the same layout.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) all: Vec<f64>,
    pub(super) n: usize,
}

impl Point {
    pub(super) fn new(mean: &[f64], covariance: &[f64]) -> Self {
        Self {
            all: [mean, covariance].concat(),
            n: mean.len(),
        }
    }

    pub(super) fn mean(&self) -> &[f64] {
        &self.all[..self.n]
    }

    /// Column by column.
    pub(super) fn covariance(&self) -> &[f64] {
        &self.all[self.n..]
    }
}

/// What the table and the prior say about points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Likelihood<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) standard: &'a Standard,
    /// The weight of the prior rows, per weight of the rows.
    pub(super) prior: f64,
}

/// The likelihood at a point.
#[derive(Clone, Debug)]
pub(super) struct At {
    pub(super) point: Point,
    pub(super) value: f64,
    /// With respect to the mean and to the covariance.
    pub(super) gradient: Vec<f64>,
    /// `Σ⁻¹`.
    pub(super) precision: Vec<f64>,
    /// The expected curvature, if asked for and unless there are too many columns.
    pub(super) information: Option<Information>,
}

impl At {
    /// What rounding may do to the value: in `tr(Σ⁻¹ A)` terms cancel that are as large as those of
    /// `tr(Σ⁻¹ Σ)`.
    pub(super) fn noise(&self) -> f64 {
        let cells = self.precision.iter().zip(self.point.covariance());
        let sizes = cells.map(|(p, c)| (p * c).abs()).sum::<f64>();
        8.0 * f64::EPSILON * (1.0 + self.value.abs() + sizes)
    }
}

impl Likelihood<'_> {
    /// The likelihood at a point, with the expected curvature if asked for; `None` where the
    /// covariance is not positive definite.
    pub(super) fn at(&self, point: Point, informed: bool) -> Option<At> {
        let n = point.n;
        let mut precision = point.covariance().to_vec();
        let log_determinant = spd::invert(&mut precision, n, 0.0)?;
        let whole = Whole {
            point: &point,
            precision: &precision,
            log_determinant,
        };
        let sample = || Sample::new(n, self.source.n_masks(), self.standard.weight);
        let parts = self.source.fold(
            || Part::new(n, informed.then(sample).flatten()),
            |part, moments| part.add(moments, self.standard, &whole),
        );
        let (mut value, mut gradient) = (0.0, vec![0.0; n + n * n]);
        for part in &parts {
            value += part.value;
            add_scaled(&mut gradient, 1.0, &part.gradient);
        }
        let samples = parts.into_iter().filter_map(|part| part.sample).collect();
        let per_weight = 1.0 / self.standard.weight;
        gradient.iter_mut().for_each(|g| *g *= per_weight);
        let rest = self.add_prior(&mut gradient[n..], &precision);
        let value = -0.5 * (value * per_weight + self.prior * log_determinant + rest);
        mirror(&mut gradient[n..], n);
        // Of an off-diagonal entry there are two copies, each with half of the derivative.
        gradient[n..].iter_mut().for_each(|g| *g *= 0.5);
        (value.is_finite() && gradient.iter().all(|g| g.is_finite())).then_some(At {
            point,
            value,
            gradient,
            information: Information::new(samples, &precision, self.prior),
            precision,
        })
    }

    /// The diagonal D of the prior's scatter.
    pub(super) fn scatter(&self, a: usize) -> f64 {
        self.prior + self.standard.noise[a]
    }

    /// Adds `Σ⁻¹ D Σ⁻¹ - κ Σ⁻¹` to the lower triangle and returns `tr(Σ⁻¹ D)`.
    fn add_prior(&self, gradient: &mut [f64], precision: &[f64]) -> f64 {
        let n = self.standard.len();
        let column = |j: usize| &precision[j * n..(j + 1) * n];
        for k in 0..n {
            for j in 0..n {
                let factor = self.scatter(k) * column(k)[j];
                add_scaled(
                    &mut gradient[j * n + j..(j + 1) * n],
                    factor,
                    &column(k)[j..],
                );
            }
        }
        for j in 0..n {
            let lower = &mut gradient[j * n + j..(j + 1) * n];
            add_scaled(lower, -self.prior, &column(j)[j..]);
        }
        (0..n).map(|a| self.scatter(a) * column(a)[a]).sum()
    }
}

/// What every mask needs of the point.
struct Whole<'a> {
    point: &'a Point,
    precision: &'a [f64],
    log_determinant: f64,
}

/// The sums over some masks.
struct Part {
    /// `Σ_s n_s log|Σ_s| + tr(Σ_s⁻¹ A_s)`.
    value: f64,
    /// Of the covariance the lower triangle, twice the derivative.
    gradient: Vec<f64>,
    sample: Option<Sample>,
    deviations: Deviations,
    /// `P_s`.
    inverse: Vec<f64>,
    scratch: Vec<f64>,
}

impl Part {
    fn new(n: usize, sample: Option<Sample>) -> Self {
        Self {
            value: 0.0,
            gradient: vec![0.0; n + n * n],
            sample,
            deviations: Deviations::default(),
            inverse: Vec::new(),
            scratch: Vec::new(),
        }
    }

    fn add(&mut self, moments: &MaskMoments, standard: &Standard, whole: &Whole<'_>) {
        let mean = whole.point.mean();
        self.deviations.locate(moments, standard);
        if self.deviations.places.is_empty() {
            return;
        }
        let Some(log_determinant) = self.invert(whole) else {
            self.value = f64::NAN;
            return;
        };
        self.value += self.deviations.weight * log_determinant;
        let Deviations { places, weight, .. } = &self.deviations;
        if let Some(sample) = &mut self.sample {
            sample.add(places, &self.inverse, *weight);
        }
        self.deviations.sum(moments, standard, mean);
        if moments.n_rows == 1 {
            self.add_row(whole.point.n);
        } else {
            self.deviations.squares(moments, standard, mean);
            self.add_rows(whole.point.n);
        }
    }

    /// Fills in `P_s` and returns `log|Σ_s|`.
    fn invert(&mut self, whole: &Whole<'_>) -> Option<f64> {
        let (places, n) = (&self.deviations.places, whole.point.n);
        let order = places.len();
        self.inverse.resize(order * order, 0.0);
        if 4 * (n - order) < order {
            return self.invert_by_holes(whole);
        }
        gather(
            &mut self.inverse,
            whole.point.covariance(),
            n,
            (places, places),
        );
        spd::invert(&mut self.inverse, order, 0.0)
    }

    /// The same by way of the missing block of the precision Ω: `P = Ω_oo - Xᵀ X`, `X = L⁻¹ Ω_mo`,
    /// `L Lᵀ = Ω_mm`.
    fn invert_by_holes(&mut self, whole: &Whole<'_>) -> Option<f64> {
        let (places, n) = (&self.deviations.places, whole.point.n);
        let order = places.len();
        gather(&mut self.inverse, whole.precision, n, (places, places));
        let is_hole = |a: &usize| places.binary_search(a).is_err();
        let holes: Vec<usize> = (0..n).filter(is_hole).collect();
        let mut factor = vec![0.0; holes.len() * holes.len()];
        gather(&mut factor, whole.precision, n, (&holes, &holes));
        if !spd::factor(&mut factor, holes.len(), 0.0) {
            return None;
        }
        // Row after row, to run over neighbours.
        self.scratch.resize(holes.len() * order, 0.0);
        gather(&mut self.scratch, whole.precision, n, (places, &holes));
        let mut log_determinant = whole.log_determinant;
        for h in 0..holes.len() {
            let (before, rest) = self.scratch.split_at_mut(h * order);
            let row = &mut rest[..order];
            for (earlier, column) in before.chunks_exact(order).zip(factor.chunks(holes.len())) {
                add_scaled(row, -column[h], earlier);
            }
            let pivot = factor[h * holes.len() + h];
            row.iter_mut().for_each(|x| *x /= pivot);
            for (column, x) in self.inverse.chunks_exact_mut(order).zip(&*row) {
                add_scaled(column, -x, row);
            }
            log_determinant += 2.0 * pivot.ln();
        }
        Some(log_determinant)
    }

    /// One row, whose products have rank one: `A_s = c c ᵀ/ n`.
    fn add_row(&mut self, n: usize) {
        let Deviations {
            places,
            weight,
            sum,
            ..
        } = &self.deviations;
        let order = places.len();
        let columns = self.inverse.chunks_exact(order);
        self.scratch.clear();
        self.scratch.extend(columns.map(|column| dot(column, sum)));
        let solved = &self.scratch;
        self.value += dot(sum, solved) / weight;
        let (of_mean, of_covariance) = self.gradient.split_at_mut(n);
        for (j, &b) in places.iter().enumerate() {
            of_mean[b] += solved[j];
            let factor = solved[j] / weight;
            let column = &mut of_covariance[b * n..(b + 1) * n];
            for i in j..order {
                column[places[i]] += factor * solved[i] - weight * self.inverse[j * order + i];
            }
        }
    }

    /// Any number of rows.
    fn add_rows(&mut self, n: usize) {
        let Deviations {
            places,
            weight,
            sum,
            squares,
            ..
        } = &mut self.deviations;
        let order = places.len();
        self.scratch.resize(order * order, 0.0);
        spd::multiply(&mut self.scratch, squares, &self.inverse, order);
        self.value += (0..order)
            .map(|j| self.scratch[j * (order + 1)])
            .sum::<f64>();
        spd::multiply(squares, &self.inverse, &self.scratch, order);
        let (of_mean, of_covariance) = self.gradient.split_at_mut(n);
        for (j, &b) in places.iter().enumerate() {
            let inverse = &self.inverse[j * order..(j + 1) * order];
            of_mean[b] += dot(inverse, sum);
            let column = &mut of_covariance[b * n..(b + 1) * n];
            for i in j..order {
                column[places[i]] += squares[j * order + i] - *weight * inverse[i];
            }
        }
    }
}

/// Copies the block of a symmetric matrix of order `n` with these rows and columns.
pub(super) fn gather(
    block: &mut [f64],
    matrix: &[f64],
    n: usize,
    (rows, columns): (&[usize], &[usize]),
) {
    for (into, &b) in block.chunks_exact_mut(rows.len().max(1)).zip(columns) {
        let from = &matrix[b * n..(b + 1) * n];
        for (x, &a) in into.iter_mut().zip(rows) {
            *x = from[a];
        }
    }
}

/// Copies the lower triangle onto the upper one.
fn mirror(matrix: &mut [f64], n: usize) {
    for j in 0..n {
        for i in j + 1..n {
            matrix[i * n + j] = matrix[j * n + i];
        }
    }
}
