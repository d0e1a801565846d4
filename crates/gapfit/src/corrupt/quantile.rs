//! A cut at a quantile: the upper tail of a column goes missing, cell by cell with one chance.
//!
//! The tail holds the share `2r / (1 + r)` of the observed cells and each of them has the chance
//! `(1 + r) / 2`, which makes the rate `r` for every `r` in `[0, 1)`: a small tail at chance one half
//! when `r` is small, nearly everything when `r` is near 1. Below the cut all stays observed.

/// The chance of each value, with mean `rate`. Values tied at the cut share evenly what is left of
/// the tail there, so that the mean is exact with ties, and with a tail that is no whole number.
pub(super) fn chances(values: &[f64], rate: f64) -> Vec<f64> {
    if values.is_empty() {
        return Vec::new();
    }
    let chance = 0.5 * (1.0 + rate);
    let tail = values.len() as f64 * rate / chance;
    let cut = nth_largest(values, tail as usize);
    let above = values.iter().filter(|&&x| x > cut).count() as f64;
    let tied = values.iter().filter(|&&x| x >= cut).count() as f64 - above;
    let share = (tail - above) / tied;
    values
        .iter()
        .map(|&x| {
            if x > cut {
                chance
            } else if x >= cut {
                chance * share
            } else {
                0.0
            }
        })
        .collect()
}

/// The value that `n` others come before, from the largest down.
fn nth_largest(values: &[f64], n: usize) -> f64 {
    let mut sorted = values.to_vec();
    let n = n.min(sorted.len() - 1); // a rate just below 1 may round up to the whole column
    *sorted.select_nth_unstable_by(n, |a, b| b.total_cmp(a)).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn chances_average_to_the_rate_and_grow_with_the_value(
            mut values in prop::collection::vec(prop_oneof![
                -1e300..1e300,
                (0..4i32).prop_map(f64::from),
                Just(-0.0),
            ], 1..60),
            rate in prop_oneof![0.0..1.0, Just(0.0), Just(1.0 - f64::EPSILON / 2.0)],
        ) {
            values.sort_by(f64::total_cmp);
            let chances = chances(&values, rate);
            let mean = chances.iter().sum::<f64>() / chances.len() as f64;
            prop_assert!((mean - rate).abs() < 1e-12, "{mean} {rate}");
            prop_assert!(chances.iter().all(|p| (0.0..=1.0).contains(p)), "{chances:?}");
            prop_assert!(chances.is_sorted());
        }
    }

    #[test]
    fn half_of_the_upper_tail_goes_and_nothing_below_it() {
        // Rate 1/4: the tail is 2/5 of the column, each at chance 5/8.
        let values = [5.0, 1.0, 4.0, 2.0, 3.0];
        assert_eq!(chances(&values, 0.25), [0.625, 0.0, 0.625, 0.0, 0.0]);
    }

    #[test]
    fn ties_at_the_cut_share_what_is_left_of_the_tail() {
        assert_eq!(chances(&[7.0; 4], 0.25), [0.25; 4]);
        let got = chances(&[1.0, 0.0, 0.0, 0.0, 0.0], 0.25);
        assert_eq!(got, [0.625, 0.15625, 0.15625, 0.15625, 0.15625]);
    }
}
