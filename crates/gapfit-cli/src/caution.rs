//! What a user should know about how a model came about.

use gapfit::data::Dataset;
use gapfit::joint::{Outcome, Status};
use gapfit::tune::{Search, Tuned};
use gapfit::{Method, Parameters};

use crate::text_table::short;

/// One sentence when a solve did not get to the gap `tol`.
pub(crate) fn gap(outcome: &Outcome, tol: f64) -> Option<String> {
    // A local search is not asked for a gap; what it came to is in its report.
    if matches!(outcome.status, Status::Converged | Status::Stationary) {
        return None;
    }
    Some(format!(
        "the solver ended {} after {} iterations: gap {:.1e}, asked for {tol:.1e}",
        outcome.status, outcome.iterations, outcome.gap
    ))
}

/// One sentence when a class has fewer rows than there are folds.
pub(crate) fn rare_classes(data: &Dataset, folds: usize) -> Option<String> {
    let mut rows = vec![0; data.classes().len()];
    if rows.is_empty() {
        return None;
    }
    data.target().iter().for_each(|&y| rows[y as usize] += 1);
    let named = data.classes().iter().zip(rows);
    let rare: Vec<String> = named
        .filter(|&(_, n)| n < folds)
        .map(|(class, n)| format!("{class:?} ({n})"))
        .collect();
    (!rare.is_empty()).then(|| {
        let rare = rare.join(", ");
        format!(
            "fewer rows than the {folds} folds in classes: {rare}; some folds hold none of them out"
        )
    })
}

/// Errors that differ by less, relatively, are the same.
const ROUNDING: f64 = 1e-9;
/// Below this a parameter hardly acts any more: what is left to gain is read off a straight line.
const SMALL: f64 = 1.0 / 4096.0;
/// A smaller relative gain than this is no reason to look below a small value.
const WORTHWHILE: f64 = 1e-4;

/// One sentence for each parameter that was found at an end of its grid, where a wider one could
/// hold a better value.
pub(crate) fn grid_ends(tuned: &Tuned, search: &Search, method: Method) -> Vec<String> {
    let best = tuned.best.parameters;
    let along = |same: &dyn Fn(&Parameters) -> bool, value: fn(&Parameters) -> f64| {
        let candidates = tuned.candidates.iter();
        let path = candidates.filter(|candidate| same(&candidate.parameters));
        path.map(|candidate| (value(&candidate.parameters), candidate.rmse))
            .collect::<Vec<_>>()
    };
    let alphas = along(&|other| is(other.gamma, best.gamma), |p| p.alpha);
    let mut ends = vec![(
        "alpha",
        best.alpha,
        grid_end(&search.alphas, &alphas, best.alpha),
    )];
    if method.has_gamma() {
        let gammas = along(&|other| is(other.alpha, best.alpha), |p| p.gamma);
        ends.push((
            "gamma",
            best.gamma,
            grid_end(&search.gammas, &gammas, best.gamma),
        ));
    }
    let told = ends.into_iter().filter_map(|(name, value, end)| {
        let (value, end) = (short(value), end?);
        Some(format!(
            "the tuned {name} {value} is the {end} end of its grid: a better one may lie beyond (--{name}s)"
        ))
    });
    told.collect()
}

/// The end of `grid` at which the best value lies, if going beyond it could be worthwhile; `path`
/// has the candidates that differ in this value alone, with their errors.
fn grid_end(grid: &[f64], path: &[(f64, f64)], best: f64) -> Option<&'static str> {
    let error = |value: f64| {
        path.iter()
            .find(|(v, _)| is(*v, value))
            .map(|&(_, rmse)| rmse)
    };
    let (&first, &last, lowest) = (grid.first()?, grid.last()?, error(best)?);
    if !path
        .iter()
        .any(|(_, rmse)| rmse - lowest > ROUNDING * lowest)
    {
        return None;
    }
    if is(best, last) {
        return Some("upper");
    }
    let next = *grid.get(1)?;
    let gain = (error(next)? - lowest) * best / (next - best);
    let is_idle = best <= SMALL && gain <= WORTHWHILE * lowest;
    (is(best, first) && !is_idle).then_some("lower")
}

fn is(a: f64, b: f64) -> bool {
    a.total_cmp(&b).is_eq()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gapfit::tune::Candidate;

    /// A search over three values of each, in which the given ones are best.
    fn tuned(alpha: f64, gamma: f64) -> (Tuned, Search) {
        let search = Search {
            alphas: vec![0.25, 0.5, 1.0],
            gammas: vec![0.0, 2.0, 4.0],
            ..Search::default()
        };
        let candidate = |a: f64, g: f64| Candidate {
            parameters: Parameters { alpha: a, gamma: g },
            rmse: 1.0 + (a - alpha).abs() + (g - gamma).abs(),
            fold_errors: vec![],
            part_errors: vec![],
        };
        let pairs = search
            .alphas
            .iter()
            .flat_map(|&a| search.gammas.iter().map(move |&g| (a, g)));
        let tuned = Tuned {
            candidates: pairs.map(|(a, g)| candidate(a, g)).collect(),
            best: candidate(alpha, gamma),
            fold_weights: vec![],
            part_weights: vec![],
            left_out: 0,
            unused_folds: 0,
        };
        (tuned, search)
    }

    #[test]
    fn the_end_that_was_reached_is_named() {
        for (alpha, gamma, expected) in [
            (0.25, 2.0, vec!["alpha 0.25 is the lower end"]),
            (1.0, 2.0, vec!["alpha 1 is the upper end"]),
            (0.5, 4.0, vec!["gamma 4 is the upper end"]),
            (0.5, 2.0, vec![]),
            (0.5, 0.0, vec![]),
            (
                1.0,
                4.0,
                vec!["alpha 1 is the upper", "gamma 4 is the upper"],
            ),
        ] {
            let (tuned, search) = tuned(alpha, gamma);
            let found = grid_ends(&tuned, &search, Method::default());
            assert_eq!(found.len(), expected.len(), "{found:?}");
            for (sentence, part) in found.iter().zip(expected) {
                assert!(sentence.contains(part), "{sentence}");
            }
        }
    }

    #[test]
    fn a_parameter_without_effect_is_not_spoken_of() {
        let (mut tuned, search) = tuned(1.0, 4.0);
        assert_eq!(grid_ends(&tuned, &search, Method::Mask).len(), 1);
        tuned.candidates.iter_mut().for_each(|c| c.rmse = 1.0);
        assert!(grid_ends(&tuned, &search, Method::default()).is_empty());
    }

    #[test]
    fn a_small_value_is_told_only_if_a_smaller_one_could_matter() {
        let grid = [0.0001, 0.0002, 1.0];
        let end = |next: f64| grid_end(&grid, &[(0.0001, 1.0), (0.0002, next), (1.0, 2.0)], 0.0001);
        assert_eq!(end(1.00001), None);
        assert_eq!(end(1.001), Some("lower"));
    }

    #[test]
    fn a_gap_is_told_unless_the_solver_converged() {
        let mut outcome = Outcome {
            status: Status::Converged,
            iterations: 7,
            objective: 2.0,
            lower_bound: 1.0,
            gap: 0.5,
            factorisations: 7,
            evaluations: 9,
        };
        assert_eq!(gap(&outcome, 1e-8), None);
        outcome.status = Status::Inaccurate;
        assert_eq!(
            gap(&outcome, 1e-8).unwrap(),
            "the solver ended inaccurate after 7 iterations: gap 5.0e-1, asked for 1.0e-8"
        );
    }
}
