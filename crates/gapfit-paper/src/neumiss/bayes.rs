//! The best possible predictions, where they are known in closed form.
//!
//! Given the observed cells, the missing ones are normal with mean m and covariance C. Under MCAR and MAR the
//! mask adds nothing. Under Gaussian self-masking it multiplies their density by a bell per cell, with
//! centres a and variances on the diagonal of D, so they are normal still, with mean
//!
//! ```text
//! (C⁻¹ + D⁻¹)⁻¹ (C⁻¹ m + D⁻¹ a)  =  m + C (C + D)⁻¹ (a - m)
//! ```

use super::hiding::{Bell, Chances};
use super::{Holes, INTERCEPT, Population};
use gapfit::data::{MaskedMatrix, MaskedRow};

impl Population {
    /// The conditional mean of the target given cells and holes; `None` where it has no closed form.
    pub fn bayes(&self, table: &MaskedMatrix, holes: &Holes) -> Option<Vec<f64>> {
        let bells = match &holes.chances {
            Chances::Same(_) | Chances::Logistic(_) => None,
            Chances::Bells(bells) => Some(bells.as_slice()),
            Chances::Probits(_) => return None,
        };
        let rows = table.rows();
        Some(rows.map(|row| self.bayes_of(row, bells)).collect())
    }

    fn bayes_of(&self, row: MaskedRow<'_>, bells: Option<&[Bell]>) -> f64 {
        let observed: Vec<usize> = row.observed().iter().collect();
        let missing: Vec<usize> = row.observed().missing().collect();
        let known: f64 = observed.iter().map(|&j| row.values()[j]).sum();
        let between = |rows: &[usize], columns: &[usize]| -> Vec<Vec<f64>> {
            let line = |&i: &usize| columns.iter().map(|&j| self.covariance(i, j)).collect();
            rows.iter().map(line).collect()
        };
        let cross = between(&missing, &observed);
        let square = between(&observed, &observed);
        let off: Vec<f64> = observed
            .iter()
            .map(|&j| row.values()[j] - self.mean(j))
            .collect();
        let pull = solve(square.clone(), off);
        let mean: Vec<f64> = missing
            .iter()
            .zip(&cross)
            .map(|(&j, line)| self.mean(j) + dot(line, &pull))
            .collect();
        let Some(bells) = bells else {
            return INTERCEPT + known + mean.iter().sum::<f64>();
        };
        let mut rest = between(&missing, &missing);
        for (i, line) in rest.iter_mut().enumerate() {
            let explained = solve(square.clone(), cross[i].clone());
            for (x, other) in line.iter_mut().zip(&cross) {
                *x -= dot(other, &explained);
            }
        }
        let mut widened = rest.clone();
        for (i, &j) in missing.iter().enumerate() {
            widened[i][i] += bells[j].variance;
        }
        let centre = missing.iter().map(|&j| bells[j].centre);
        let pull = solve(widened, centre.zip(&mean).map(|(a, m)| a - m).collect());
        let moved = mean.iter().zip(&rest).map(|(m, line)| m + dot(line, &pull));
        INTERCEPT + known + moved.sum::<f64>()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves a symmetric positive definite system by elimination, which needs no pivots.
fn solve(mut matrix: Vec<Vec<f64>>, mut rhs: Vec<f64>) -> Vec<f64> {
    let n = rhs.len();
    for k in 0..n {
        let (above, below) = matrix.split_at_mut(k + 1);
        let pivot = &above[k];
        for (i, line) in below.iter_mut().enumerate() {
            let factor = line[k] / pivot[k];
            for (x, p) in line[k..].iter_mut().zip(&pivot[k..]) {
                *x -= factor * p;
            }
            rhs[k + 1 + i] -= factor * rhs[k];
        }
    }
    for k in (0..n).rev() {
        let known = dot(&matrix[k][k + 1..], &rhs[k + 1..]);
        rhs[k] = (rhs[k] - known) / matrix[k][k];
    }
    rhs
}

#[cfg(test)]
mod tests {
    use super::super::Hiding;
    use super::*;
    use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

    /// Mean squared error of predictions.
    fn error(target: &[f64], predicted: impl Iterator<Item = f64>) -> f64 {
        let squares = target.iter().zip(predicted).map(|(y, f)| (y - f).powi(2));
        squares.sum::<f64>() / target.len() as f64
    }

    /// The conditional mean is the only function of cells and holes that cannot be improved by
    /// adding a multiple of any other function of them: the residual is orthogonal to all.
    #[test]
    fn residuals_of_the_best_predictor_are_orthogonal_to_everything_seen() {
        let rng = &mut ChaCha8Rng::seed_from_u64(8);
        let population = Population::draw(4, rng);
        for hiding in [Hiding::Mcar, Hiding::Mar, Hiding::Gaussian] {
            let n = 60_000;
            let holes = population.hide(hiding, 0.5, rng).unwrap();
            let data = population.sample(n, &holes, rng).unwrap();
            let best = population.bayes(data.features(), &holes).unwrap();
            let least = error(data.target(), best.iter().copied());
            for j in 0..4 {
                for seen in [false, true] {
                    let probe = |i: usize| match (data.features().get(i, j), seen) {
                        (Some(x), true) => x - population.mean(j),
                        (None, false) => 1.0,
                        _ => 0.0,
                    };
                    let residual = |i: usize| data.target()[i] - best[i];
                    let product = (0..n).map(|i| residual(i) * probe(i)).sum::<f64>() / n as f64;
                    let size = (0..n).map(|i| probe(i).powi(2)).sum::<f64>() / n as f64;
                    let limit = 5.0 * (least * size / n as f64).sqrt();
                    assert!(
                        product.abs() <= limit,
                        "{hiding:?} {j} {seen}: {product} {limit}"
                    );
                }
            }
        }
        let holes = population.hide(Hiding::Probit, 0.5, rng).unwrap();
        assert!(population.bayes(&MaskedMatrix::new(4), &holes).is_none());
    }

    /// With two features, the missing one given the other and the mask is an integral over one number.
    #[test]
    fn the_best_predictor_of_a_row_is_the_integral_over_what_it_hides() {
        let rng = &mut ChaCha8Rng::seed_from_u64(9);
        let population = Population::draw(2, rng);
        let [m0, m1] = [0, 1].map(|j| population.mean(j));
        let (s00, s01, s11) = (
            population.covariance(0, 0),
            population.covariance(0, 1),
            population.covariance(1, 1),
        );
        let determinant = s00 * s11 - s01 * s01;
        let seen = m0 + 0.7 * s00.sqrt();
        for hiding in [Hiding::Mcar, Hiding::Mar, Hiding::Gaussian] {
            let holes = population.hide(hiding, 0.5, rng).unwrap();
            let (mut sum, mut weight) = (0.0, 0.0);
            for i in -20_000..=20_000 {
                let hidden = m1 + 1e-3 * f64::from(i) * s11.sqrt();
                let (a, b) = (seen - m0, hidden - m1);
                let form = (s11 * a * a - 2.0 * s01 * a * b + s00 * b * b) / determinant;
                let row = [seen, hidden];
                let chance = (1.0 - holes.chance(&row, 0)) * holes.chance(&row, 1);
                let density = (-0.5 * form).exp() * chance;
                sum += density * hidden;
                weight += density;
            }
            let expected = INTERCEPT + seen + sum / weight;
            let mut table = MaskedMatrix::new(2);
            table.push_row([Some(seen), None]).unwrap();
            let best = population.bayes(&table, &holes).unwrap()[0];
            assert!(
                (best - expected).abs() < 1e-6,
                "{hiding:?} {best} {expected}"
            );
        }
    }

    #[test]
    fn elimination_solves() {
        let matrix = vec![vec![4.0, 1.0], vec![1.0, 3.0]];
        let x = solve(matrix, vec![1.0, 2.0]);
        assert!((4.0 * x[0] + x[1] - 1.0).abs() < 1e-15 && (x[0] + 3.0 * x[1] - 2.0).abs() < 1e-15);
        assert!(solve(vec![], vec![]).is_empty());
    }
}
