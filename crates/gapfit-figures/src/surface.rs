//! The errors of candidates for `alpha` and `gamma` over the searches of a method.

use std::collections::BTreeMap;

use gapfit::Parameters;
use gapfit::loss::Loss;
use gapfit::tune::Candidate;
use gapfit_report::{Surface, SurfacePoint};

/// The candidates of these searches, each with the parameters chosen after it; `None` where there was
/// nothing to choose between.
pub fn surface<'a>(
    name: &str,
    loss: Loss,
    searches: impl IntoIterator<Item = (&'a [Candidate], Parameters)>,
) -> Option<Surface> {
    let error = |candidate: &Candidate| match loss {
        Loss::Squared => candidate.rmse,
        _ => candidate.mean_loss(),
    };
    // not negative, so their bits are in their order
    let key = |at: Parameters| (at.alpha.to_bits(), at.gamma.to_bits());
    let mut found: BTreeMap<(u64, u64), (Vec<f64>, usize)> = BTreeMap::new();
    let mut n_searches = 0;
    for (candidates, chosen) in searches {
        n_searches += 1;
        let errors = candidates.iter().map(error);
        let best = errors.fold(f64::INFINITY, f64::min);
        for candidate in candidates {
            let (excesses, count) = found.entry(key(candidate.parameters)).or_default();
            excesses.push(error(candidate) / best - 1.0);
            *count += usize::from(key(candidate.parameters) == key(chosen));
        }
    }
    let point =
        |(&(alpha, gamma), (excesses, chosen)): (&(u64, u64), &(Vec<f64>, usize))| SurfacePoint {
            alpha: f64::from_bits(alpha),
            gamma: f64::from_bits(gamma),
            excess: excesses.iter().sum::<f64>() / excesses.len() as f64,
            chosen: *chosen,
        };
    (found.len() > 1).then(|| Surface {
        method: name.to_owned(),
        searches: n_searches,
        points: found.iter().map(point).collect(),
    })
}
