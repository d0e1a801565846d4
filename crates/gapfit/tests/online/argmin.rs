//! Every step is the point that mirror descent defines, found here by other means.

use crate::stream::{every_setting, feed, stream};
use gapfit::data::{MaskedMatrix, MaskedRow};
use gapfit::online::{
    Feasible, Learn, MaskFeatures, MaskMap, Mirror, MirrorDescent, OnlineLearner, Step, Weights,
};

/// `R(A) = ½(‖A‖²_F + γ‖A ψ(1)‖²)` on the free entries, as the definition has it.
struct Problem {
    d: usize,
    k: usize,
    gamma: f64,
    /// ψ(1).
    complete: Vec<f64>,
    free: Vec<bool>,
    frobenius: bool,
}

impl Problem {
    fn new(settings: &MirrorDescent, psi: &MaskMap) -> Self {
        let (d, k) = (psi.n_features(), psi.n_columns());
        let table = MaskedMatrix::from_nan(1, d, &vec![1.0; d]).unwrap();
        let active = psi.active(table.row(0).observed());
        let support = match &settings.mirror {
            Mirror::Frob => None,
            Mirror::Sparse { support, .. } => support.neighbours(0).map(|_| support),
        };
        let is_free = |i: usize, j: usize| {
            let near = |feature: usize| {
                support.is_none_or(|s| s.neighbours(i).unwrap().contains(&(feature as u32)))
            };
            members(settings.psi, psi, d, j).into_iter().all(near)
        };
        Self {
            d,
            k,
            gamma: settings.mirror.row_penalty(),
            complete: (0..k)
                .map(|j| f64::from(u8::from(active.contains(&j))))
                .collect(),
            free: (0..d * k).map(|at| is_free(at % d, at / d)).collect(),
            frobenius: matches!(settings.set, Feasible::FrobeniusBall(_)),
        }
    }

    /// The gradient of `½‖A‖²_F + ½ penalty ‖A ψ(1)‖²`.
    fn gradient(&self, a: &[f64], penalty: f64) -> Vec<f64> {
        let row = |i: usize| -> f64 {
            (0..self.k)
                .map(|j| a[j * self.d + i] * self.complete[j])
                .sum()
        };
        let rows: Vec<_> = (0..self.d).map(row).collect();
        let cell = |at: usize| a[at] + penalty * rows[at % self.d] * self.complete[at / self.d];
        (0..a.len()).map(cell).collect()
    }

    /// `‖A‖²` of the norm that bounds the feasible set.
    fn norm_squared(&self, a: &[f64]) -> f64 {
        let penalty = if self.frobenius { 0.0 } else { self.gamma };
        let gradient = self.gradient(a, penalty);
        a.iter().zip(gradient).map(|(a, g)| a * g).sum()
    }

    /// argmin of `R(A) - <dual, A> + λ/2 ‖A‖²` over the free entries, by gradient descent.
    fn minimum(&self, dual: &[f64], lambda: f64) -> Vec<f64> {
        let of_set = if self.frobenius { 0.0 } else { self.gamma };
        let penalty = (self.gamma + lambda * of_set) / (1.0 + lambda);
        let step = 1.0 / ((1.0 + lambda) * (1.0 + penalty * self.k as f64));
        let mut a = vec![0.0; self.d * self.k];
        for _ in 0..600 {
            let gradient = self.gradient(&a, penalty);
            for at in (0..a.len()).filter(|&at| self.free[at]) {
                a[at] -= step * ((1.0 + lambda) * gradient[at] - dual[at]);
            }
        }
        a
    }

    /// The feasible minimum: the multiplier of the constraint by bisection.
    fn feasible_minimum(&self, dual: &[f64], set: Feasible) -> Vec<f64> {
        let free = self.minimum(dual, 0.0);
        let (Feasible::Ball(radius) | Feasible::FrobeniusBall(radius)) = set else {
            return free;
        };
        let is_outside = |a: &[f64]| self.norm_squared(a) > radius * radius;
        if !is_outside(&free) {
            return free;
        }
        let (mut low, mut high) = (0.0, 1.0);
        while is_outside(&self.minimum(dual, high)) {
            high *= 2.0;
        }
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            match is_outside(&self.minimum(dual, middle)) {
                true => low = middle,
                false => high = middle,
            }
        }
        self.minimum(dual, high)
    }
}

/// The features that column j is about, by the definition of each ψ.
fn members(kind: MaskFeatures, psi: &MaskMap, d: usize, j: usize) -> Vec<usize> {
    match kind {
        MaskFeatures::Constant | MaskFeatures::Pattern(_) => vec![],
        MaskFeatures::Identity => vec![j],
        MaskFeatures::Affine => j.checked_sub(1).into_iter().collect(),
        // Hiding a member deactivates a subset, hiding another feature does not.
        MaskFeatures::Subsets(_) => {
            let is_member = |&feature: &usize| {
                let mut table = MaskedMatrix::from_nan(1, d, &vec![1.0; d]).unwrap();
                table.hide(0, feature);
                !psi.active(table.row(0).observed()).contains(&j)
            };
            (0..d).filter(is_member).collect()
        }
    }
}

fn flat(a: &Weights) -> Vec<f64> {
    let columns = (0..a.n_columns()).flat_map(|j| a.column(j).to_vec());
    columns.collect()
}

/// What the definition of mirror descent makes of one row.
fn expected(learner: &OnlineLearner, row: MaskedRow<'_>, y: f64, eta: f64) -> Vec<f64> {
    let settings = learner.settings();
    let psi = learner.psi();
    let problem = Problem::new(settings, psi);
    let slope = settings.loss.derivative(learner.predict(row).unwrap(), y);
    let a = flat(&learner.weights());
    let mut dual = problem.gradient(&a, problem.gamma);
    for j in psi.active(row.observed()) {
        for (i, x) in row.values().iter().enumerate() {
            dual[j * problem.d + i] -= eta * slope * x;
        }
    }
    problem.feasible_minimum(&dual, settings.set)
}

#[test]
fn a_step_is_the_minimum_that_mirror_descent_asks_for() {
    let d = 3;
    let mut projected = 0;
    for mut settings in every_setting(d) {
        settings.step = Step::Constant { eta: 0.05 };
        let stream = stream(60, d, 0.4, settings.loss, 21);
        let mut learner = settings.start(d).unwrap();
        feed(&mut learner, &stream, 0..54);
        // All masks of the rest have columns of their own already, or none is needed.
        for i in 54..60 {
            let row = stream.table.row(i);
            learner.learn(row, stream.targets[i], 1e-300).unwrap();
            let expected = expected(&learner, row, stream.targets[i], 0.05);
            learner.learn(row, stream.targets[i], 1.0).unwrap();
            let got = flat(&learner.weights());
            assert_eq!(got.len(), expected.len());
            for (got, expected) in got.iter().zip(&expected) {
                assert!(
                    (got - expected).abs() < 1e-9,
                    "{settings:?}: {got} {expected}"
                );
            }
            projected +=
                u32::from(settings.set != Feasible::Everything && is_on_boundary(&learner));
        }
        assert_eq!(learner.clipped(), 0);
    }
    assert!(projected > 20, "balls were in the way {projected} times");
}

fn is_on_boundary(learner: &OnlineLearner) -> bool {
    let problem = Problem::new(learner.settings(), learner.psi());
    let norm = problem.norm_squared(&flat(&learner.weights())).sqrt();
    match learner.settings().set {
        Feasible::Everything => false,
        Feasible::Ball(radius) | Feasible::FrobeniusBall(radius) => {
            assert!(norm <= radius * (1.0 + 1e-9));
            norm > radius * (1.0 - 1e-9)
        }
    }
}
