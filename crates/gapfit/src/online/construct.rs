//! The paper's examples of what A can express (paper 3.1), as constructors.
//!
//! Comparators rather than starting points: they show what a learner with low regret is measured
//! against.

use super::mask_map::MaskMap;
use super::psi::MaskFeatures;
use super::weights::Weights;
use crate::error::{Error, Result};

/// Weights by rank, for ψ = z: the more better features are observed, the less a feature weighs.
///
/// Features are ranked by the size of their correlation with the target, the first of equals in front;
/// the sign of a weight is that of the correlation (paper 3.1.2 has all positive). With `r_i` the number
/// of observed features ranked before i, the weight of an observed i is `±(1 - r_i/d)`: of two observed
/// features the better one never has the smaller weight.
///
/// ```
/// let a = gapfit::online::construct::ranking(&[0.3, -0.9]);
/// assert_eq!([a[(1, 1)], a[(1, 0)]], [-1.0, 0.0]); // the best feature: -1 whenever it is there
/// assert_eq!([a[(0, 0)], a[(0, 1)]], [1.0, -0.5]); // half the weight when the better one is there
/// ```
pub fn ranking(correlations: &[f64]) -> Weights {
    let d = correlations.len();
    let mut order: Vec<_> = (0..d).collect();
    order.sort_by(|&i, &j| correlations[j].abs().total_cmp(&correlations[i].abs()));
    let mut a = Weights::zeros(d, d);
    for (rank, &i) in order.iter().enumerate() {
        let sign = if correlations[i] < 0.0 { -1.0 } else { 1.0 };
        a[(i, i)] = sign;
        for &better in &order[..rank] {
            a[(i, better)] = -sign / d as f64;
        }
    }
    a
}

/// Weights by rank of groups, for the ψ `subsets` (paper 3.1.3): the more better groups are observed
/// *as a whole*, the less the features of a group weigh.
///
/// The groups are disjoint, the best first. With r the number of fully observed groups before that of
/// feature i, its weight is `1 - r/(number of groups)`; features in no group weigh nothing. Groups of
/// one feature each give [`ranking`].
///
/// ```
/// use gapfit::online::{MaskFeatures, MaskMap, construct};
/// let psi = MaskMap::new(MaskFeatures::Subsets(2), 3)?;
/// let a = construct::group_ranking(&psi, &[vec![0, 2], vec![1]])?;
/// assert_eq!(a.n_columns(), 6);
/// # Ok::<(), gapfit::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`] when ψ has no column for one of the groups, or a feature is in two.
pub fn group_ranking(psi: &MaskMap, groups: &[Vec<usize>]) -> Result<Weights> {
    let d = psi.n_features();
    let mut a = Weights::zeros(d, psi.n_columns());
    let mut better: Vec<usize> = Vec::new();
    let mut seen = vec![false; d];
    for group in groups {
        let column = find_subset(psi, group)?;
        for &i in group {
            if std::mem::replace(&mut seen[i], true) {
                return Err(bad_groups(format!("feature {i} in two")));
            }
            a[(i, find_subset(psi, &[i])?)] = 1.0;
            for &column in &better {
                a[(i, column)] = -1.0 / groups.len() as f64;
            }
        }
        better.push(column);
    }
    Ok(a)
}

fn find_subset(psi: &MaskMap, group: &[usize]) -> Result<usize> {
    let mut members: Vec<_> = group.iter().map(|&i| i as u32).collect();
    members.sort_unstable();
    let is_group = |&j: &usize| psi.members(j).is_some_and(|subset| subset == members);
    let coupled = matches!(
        psi.kind(),
        MaskFeatures::Subsets(_) | MaskFeatures::Identity
    );
    let columns = if coupled { psi.n_columns() } else { 0 };
    (0..columns)
        .find(is_group)
        .ok_or_else(|| bad_groups(format!("{group:?} with psi {}", psi.kind())))
}

fn bad_groups(got: String) -> Error {
    Error::Setting {
        name: "groups",
        expected: "disjoint groups that are among the subsets of psi",
        got,
    }
}

/// Weights that replace failed sensors by an average of their neighbours, for ψ = z (paper 3.1.4).
///
/// `weights` are those of a complete row; `averages[k]` lists, as (feature, share), how feature k is
/// approximated when it is missing. On a row the prediction is that of `weights` with `Σ share x'` put in
/// for every missing feature, and only neighbours have entries off the diagonal.
///
/// ```
/// use gapfit::online::construct::failed_sensors;
/// // Sensor 1 stands between 0 and 2; those are replaced by sensor 1.
/// let averages = [vec![(1, 1.0)], vec![(0, 0.5), (2, 0.5)], vec![(1, 1.0)]];
/// let a = failed_sensors(&[1.0, 2.0, 3.0], &averages)?;
/// assert_eq!(a[(0, 0)] + a[(0, 1)] + a[(0, 2)], 1.0); // complete: the weight of sensor 0
/// assert_eq!(a[(0, 0)] + a[(0, 2)], 1.0 + 2.0 * 0.5); // without sensor 1
/// # Ok::<(), gapfit::Error>(())
/// ```
///
/// # Errors
/// [`Error::Shape`] when there is not one list per feature, [`Error::Setting`] when a list does not
/// hold shares of other features that add up to 1; an empty list is fine.
pub fn failed_sensors(weights: &[f64], averages: &[Vec<(usize, f64)>]) -> Result<Weights> {
    let d = weights.len();
    if averages.len() != d {
        return Err(Error::Shape {
            what: "lists of shares",
            expected: d,
            got: averages.len(),
        });
    }
    let mut a = Weights::zeros(d, d);
    for (k, shares) in averages.iter().enumerate() {
        a[(k, k)] += weights[k];
        let sum: f64 = shares.iter().map(|(_, share)| share).sum();
        let legal = |&(i, share): &(usize, f64)| i < d && i != k && share >= 0.0;
        let adds_up = shares.is_empty() || (sum - 1.0).abs() < 1e-9;
        if !adds_up || !shares.iter().all(legal) {
            return Err(Error::Setting {
                name: "averages",
                expected: "shares of other features that add up to 1",
                got: format!("{shares:?} for feature {k}"),
            });
        }
        for &(i, share) in shares {
            a[(i, i)] += weights[k] * share;
            a[(i, k)] -= weights[k] * share;
        }
    }
    Ok(a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::MaskedMatrix;

    /// Rows of distinct values with every possible mask.
    fn every_mask(d: usize) -> MaskedMatrix {
        let cell = |i: usize, j: usize| (i >> j & 1 == 1).then_some(1.5 + (i * d + j) as f64);
        let mut table = MaskedMatrix::new(d);
        for i in 0..1 << d {
            table.push_row((0..d).map(|j| cell(i, j))).unwrap();
        }
        table
    }

    fn identity(d: usize) -> MaskMap {
        MaskMap::new(MaskFeatures::Identity, d).unwrap()
    }

    #[test]
    fn of_two_observed_features_the_better_ranked_never_weighs_less() {
        let correlations = [0.1, -0.8, 0.5, -0.2, 0.8];
        let a = ranking(&correlations);
        for row in every_mask(5).rows() {
            let observed = row.observed();
            let w = a.of_mask(&identity(5), observed);
            for i in observed.iter() {
                assert!(w[i] * correlations[i] > 0.0, "the sign of the correlation");
                let better = |&j: &usize| {
                    let by_size = correlations[j].abs().total_cmp(&correlations[i].abs());
                    by_size.is_gt() || by_size.is_eq() && j < i
                };
                let ahead = observed.iter().filter(better).count() as f64;
                assert!((w[i].abs() - (1.0 - ahead / 5.0)).abs() < 1e-15);
                assert!(
                    observed
                        .iter()
                        .filter(better)
                        .all(|j| w[j].abs() > w[i].abs())
                );
            }
        }
    }

    #[test]
    fn the_papers_ranking_matrix_comes_out_for_positive_correlations_in_order() {
        let a = ranking(&[0.9, 0.6, 0.3]);
        for i in 0..3usize {
            for j in 0..3 {
                let paper = match j.cmp(&i) {
                    std::cmp::Ordering::Equal => 1.0,
                    std::cmp::Ordering::Less => -1.0 / 3.0,
                    std::cmp::Ordering::Greater => 0.0,
                };
                assert!((a[(i, j)] - paper).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn a_group_gives_way_to_better_groups_that_are_all_there() {
        let groups = [vec![4, 1], vec![0], vec![3, 2]];
        let psi = MaskMap::new(MaskFeatures::Subsets(2), 5).unwrap();
        let a = group_ranking(&psi, &groups).unwrap();
        for row in every_mask(5).rows() {
            let observed = row.observed();
            let w = a.of_mask(&psi, observed);
            let mut whole = 0.0;
            let mut last = f64::INFINITY;
            for group in &groups {
                for &i in group.iter().filter(|&&i| observed.contains(i)) {
                    assert!((w[i] - (1.0 - whole / 3.0)).abs() < 1e-15);
                    assert!(w[i] <= last, "no more than in the groups before");
                }
                last = 1.0 - whole / 3.0;
                whole += f64::from(u8::from(group.iter().all(|&i| observed.contains(i))));
            }
        }
    }

    #[test]
    fn groups_of_one_are_the_ranking() {
        let singles: Vec<_> = (0..4).map(|i| vec![i]).collect();
        let a = group_ranking(&identity(4), &singles).unwrap();
        assert_eq!(a, ranking(&[0.9, 0.8, 0.7, 0.6]));
    }

    #[test]
    fn groups_that_psi_does_not_know_are_refused() {
        let psi = MaskMap::new(MaskFeatures::Subsets(2), 4).unwrap();
        for groups in [
            vec![vec![0, 1, 2]],
            vec![vec![0, 1], vec![1]],
            vec![vec![7]],
            vec![vec![]],
        ] {
            assert!(group_ranking(&psi, &groups).is_err(), "{groups:?}");
        }
        let affine = MaskMap::new(MaskFeatures::Affine, 4).unwrap();
        assert!(group_ranking(&affine, &[vec![0]]).is_err());
    }

    #[test]
    fn failed_sensors_are_replaced_by_the_average_of_their_neighbours() {
        let weights = [1.0, -2.0, 3.0, 0.5];
        let averages = [
            vec![(1, 1.0)],
            vec![(0, 0.25), (2, 0.75)],
            vec![(1, 0.5), (3, 0.5)],
            vec![],
        ];
        let a = failed_sensors(&weights, &averages).unwrap();
        for row in every_mask(4).rows() {
            let x = row.values();
            let replaced = |k: usize| averages[k].iter().map(|&(i, share)| share * x[i]).sum();
            let value = |k: usize| row.get(k).unwrap_or_else(|| replaced(k));
            let expected: f64 = (0..4).map(|k| weights[k] * value(k)).sum();
            let got = a.predict(&identity(4), row);
            assert!((got - expected).abs() < 1e-12, "{got} {expected}");
        }
        assert!(a[(0, 2)] == 0.0 && a[(0, 3)] == 0.0, "no edge, no entry");
    }

    #[test]
    fn averages_that_are_none_are_refused() {
        let bad = |list: Vec<(usize, f64)>| failed_sensors(&[1.0, 1.0], &[list, vec![]]).is_err();
        assert!(bad(vec![(1, 0.9)]) && bad(vec![(0, 1.0)]) && bad(vec![(2, 1.0)]));
        assert!(bad(vec![(1, 2.0), (1, -1.0)]));
        assert!(failed_sensors(&[1.0], &[]).is_err());
    }
}
