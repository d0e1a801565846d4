//! A few numbers of the same kind, one per trial.

/// The mean.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The sample standard deviation (n - 1).
pub(crate) fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (squares / (values.len() as f64 - 1.0)).sqrt()
}

/// The mean of the differences of pairs, and its standard error.
pub(crate) fn paired(a: &[f64], b: &[f64]) -> (f64, f64) {
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let error = deviation(&differences) / (differences.len() as f64).sqrt();
    (mean(&differences), error)
}

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

    #[test]
    fn pairs_cancel_what_they_share() {
        let (difference, error) = paired(&[11.0, 21.0, 32.0], &[10.0, 20.0, 30.0]);
        assert!((difference - 4.0 / 3.0).abs() < 1e-12);
        assert!((error - 1.0 / 3.0).abs() < 1e-12);
    }
}
