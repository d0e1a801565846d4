//! Tables that are too wide for the memory of a machine are refused before any of it is asked for.

use super::Learner;
use crate::data::{Dataset, MaskedMatrix};
use crate::error::{Error, Result};
use crate::joint::matrix_free::couples_alike;
use crate::method::Lift;
use crate::support::{Decided, SupportRule};

/// Bytes that the matrices of one fit may take.
const LIMIT: f64 = (16_u64 << 30) as f64;

impl Learner {
    /// Refuses a table for which this method needs more memory than a fit may take.
    pub(super) fn check_memory(&self, data: &Dataset) -> Result<()> {
        let n_features = data.n_features();
        let bytes = |n_features, n_holey| self.bytes(data.n_rows(), n_features, n_holey);
        if bytes(n_features, n_features) <= LIMIT {
            return Ok(()); // whatever is missing
        }
        let n_holey = n_holey(data.features());
        let needed = bytes(n_features, n_holey);
        if needed <= LIMIT {
            return Ok(());
        }
        // fewer columns, of which as large a part has holes
        let holes_of = |d: usize| (d as f64 * n_holey as f64 / n_features as f64).ceil() as usize;
        let fits = |d: &usize| bytes(*d, holes_of(*d)) <= LIMIT;
        Err(Error::TooWide {
            method: self.method,
            limit: (1..n_features).take_while(fits).last().unwrap_or(0),
            got: n_features,
            bytes: needed,
        })
    }

    /// Bytes of the matrices over pairs of features that a fit has at once, at least: one of sums, the
    /// block of the weights and its factor; the last two once more for every feature that is missing
    /// somewhere, over the weights that shift with it; the correlations that a support is found by; and where rows are many
    /// those of the holes with their factors, of the constant and of every feature whose weight shifts.
    fn bytes(&self, n_rows: usize, n_features: usize, n_holey: usize) -> f64 {
        let (features, holey) = (n_features as f64 + 1.0, n_holey as f64);
        let square = features.powi(2);
        let unknowns = (n_features + 1).saturating_mul(n_holey + 1);
        let of_holes = match couples_alike(n_features + 1, n_holey, n_rows) {
            true => (holey + 1.0).powi(2),
            false => 0.0,
        };
        let cells = match (self.method.lift(), self.support.decided(unknowns)) {
            (Lift::Plain, _) => 3.0 * square,
            (Lift::Indicators, _) | (Lift::Full, Decided::Rule(SupportRule::Constant)) => {
                3.0 * square + 3.0 * of_holes
            }
            (Lift::Full, Decided::Rule(SupportRule::Top(m))) => {
                8.0 * square + 2.0 * holey * (m as f64 + 2.0).min(features).powi(2)
            }
            (Lift::Full, _) => square * (3.0 + 2.0 * holey) + of_holes * features,
        };
        size_of::<f64>() as f64 * cells
    }
}

/// The number of columns with a hole.
fn n_holey(features: &MaskedMatrix) -> usize {
    let mut complete = vec![u64::MAX; features.n_cols().div_ceil(64)];
    for i in 0..features.n_rows() {
        let words = complete.iter_mut().zip(features.words(i));
        words.for_each(|(complete, observed)| *complete &= observed);
    }
    let is_complete = |j: &usize| complete[j / 64] >> (j % 64) & 1 == 1;
    features.n_cols() - (0..features.n_cols()).filter(is_complete).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::{Base, Method};
    use crate::support::SupportChoice;

    /// Two rows of so many columns, every `nth` of which has a hole.
    fn table(n_features: usize, nth: usize) -> Dataset {
        let mut features = MaskedMatrix::new(n_features);
        let cells = |i: usize| (0..n_features).map(move |j| (i > 0 || j % nth > 0).then_some(1.0));
        features.push_row(cells(0)).unwrap();
        features.push_row(cells(1)).unwrap();
        Dataset::new(features, vec![1.0, 2.0]).unwrap()
    }

    #[test]
    fn columns_with_holes_are_counted_across_words() {
        assert_eq!(n_holey(table(130, 64).features()), 3);
        assert_eq!(n_holey(table(130, 1).features()), 130);
        assert_eq!(n_holey(table(64, 100).features()), 1);
    }

    #[test]
    fn the_number_of_features_that_an_error_names_is_the_largest_that_passes() {
        let check = |method, n, nth| Learner::new(method).check_memory(&table(n, nth));
        for (method, nth) in [
            (Method::Irr(Base::Mean), 1),
            (Method::Lifted, 10),
            (Method::Impute(Base::Zero), 1),
            (Method::Mask, 3),
        ] {
            let Err(Error::TooWide { limit, got, .. }) = check(method, 100_000, nth) else {
                panic!("{method}: it would take 240 GB at least");
            };
            assert_eq!(got, 100_000);
            assert!(check(method, limit, nth).is_ok(), "{method}: {limit}");
            assert!(
                check(method, limit + nth, nth).is_err(),
                "{method}: {limit}"
            );
        }
    }

    #[test]
    fn a_lift_may_be_wide_where_few_features_are_ever_missing() {
        let mut learner = Learner::new(Method::Lifted);
        assert!(learner.check_memory(&table(5000, 1)).is_ok()); // with a support
        learner.support = SupportChoice::Rule(SupportRule::Full);
        assert!(learner.check_memory(&table(5000, 1)).is_err());
        assert!(learner.check_memory(&table(5000, 500)).is_ok());
    }

    #[test]
    fn how_holes_go_together_takes_memory_where_rows_are_many() {
        let learner = Learner {
            support: SupportChoice::Rule(SupportRule::Full),
            ..Learner::new(Method::Lifted)
        };
        let [few, many] = [1000, 40_000].map(|n_rows| learner.bytes(n_rows, 950, 950));
        assert!(few <= LIMIT && many > LIMIT);
        let indicators = Learner::new(Method::Mask);
        let [few, many] = [1000, 40_000].map(|n_rows| indicators.bytes(n_rows, 950, 950));
        assert!((many / few - 2.0).abs() < 1e-12);
        let plain = Learner::new(Method::Impute(Base::Mean));
        assert!(plain.bytes(40_000, 950, 950) <= few);
    }
}
