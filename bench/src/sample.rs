//! A few numbers of the same kind, one per round.

/// The middle one of ascending numbers, or the mean of the middle two.
pub(crate) fn median(ascending: &[f64]) -> f64 {
    let n = ascending.len();
    (ascending[(n - 1) / 2] + ascending[n / 2]) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        assert!((median(&[1.0, 2.0, 4.0, 9.0]) - 3.0).abs() < 1e-15);
        assert!((median(&[1.0, 2.0, 9.0]) - 2.0).abs() < 1e-15);
    }
}
