//! A few numbers of the same kind, one per trial.

/// The mean.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The sample standard deviation (n - 1).
pub fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (squares / (values.len() as f64 - 1.0)).sqrt()
}

/// The standard error of the mean.
pub fn standard_error(values: &[f64]) -> f64 {
    deviation(values) / (values.len() as f64).sqrt()
}

/// The mean of the differences of pairs, and its standard error.
pub fn paired(a: &[f64], b: &[f64]) -> (f64, f64) {
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    (mean(&differences), standard_error(&differences))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_cancel_what_they_share() {
        let (difference, error) = paired(&[11.0, 21.0, 32.0], &[10.0, 20.0, 30.0]);
        assert!((difference - 4.0 / 3.0).abs() < 1e-12);
        assert!((error - 1.0 / 3.0).abs() < 1e-12);
    }
}
