//! Figures as text.

use crate::experiment::Metric;
use crate::outcome::Row;

/// The mean of a row and its deviation.
pub(super) fn figure(metric: Metric, row: &Row) -> String {
    row.mean
        .map_or(String::new(), |mean| plus_minus(metric, mean, row.sd))
}

/// A mean and its deviation, in as many digits as the paper has, or four.
pub(super) fn plus_minus(metric: Metric, mean: f64, sd: Option<f64>) -> String {
    let number = |x: f64| match metric {
        Metric::Fraction => format!("{x:.2}"),
        Metric::Rmse | Metric::Mistakes => format!("{x:.3}"),
        Metric::Explained => format!("{x:.4}"),
        Metric::Theory => significant(x),
    };
    match sd {
        Some(sd) if sd > 0.0 || metric != Metric::Theory => {
            format!("{} ± {}", number(mean), number(sd))
        }
        _ => number(mean),
    }
}

/// Three significant digits.
fn significant(x: f64) -> String {
    match x.abs() {
        0.0 => "0".to_owned(),
        magnitude if (0.01..100.0).contains(&magnitude) => {
            let decimals = (2.0 - magnitude.log10().floor()).clamp(0.0, 6.0) as usize;
            format!("{x:.decimals$}")
        }
        magnitude if (100.0..1e6).contains(&magnitude) => format!("{x:.0}"),
        _ => format!("{x:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_the_digits_of_the_paper() {
        assert_eq!(
            plus_minus(Metric::Rmse, 0.18349, Some(0.002)),
            "0.183 ± 0.002"
        );
        assert_eq!(
            plus_minus(Metric::Fraction, 0.625, Some(0.0)),
            "0.62 ± 0.00"
        );
        for (x, expected) in [
            (0.0, "0"),
            (14.63, "14.6"),
            (1234.5, "1234"),
            (1e-7, "1.00e-7"),
        ] {
            assert_eq!(plus_minus(Metric::Theory, x, None), expected);
        }
    }
}
