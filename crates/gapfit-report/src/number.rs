//! Numbers for people.

/// The number of decimals that gives `value` four significant digits.
///
/// ```
/// assert_eq!(gapfit_report::number::decimals(63_210.4), 0);
/// assert_eq!(gapfit_report::number::decimals(0.0123), 5);
/// ```
pub fn decimals(value: f64) -> usize {
    if !value.is_finite() || value == 0.0 {
        return 3;
    }
    let magnitude = value.abs().log10().floor();
    (3.0 - magnitude).clamp(0.0, 12.0) as usize
}

/// A number in four significant digits, for sentences; `-` where there is none.
///
/// ```
/// assert_eq!(gapfit_report::number::short(2f64.powi(-20)), "9.537e-7");
/// ```
pub fn short(value: f64) -> String {
    rounded(value, 3)
}

/// A number in four significant digits, or more where those before the point are more.
pub(crate) fn told(value: f64) -> String {
    match value.abs() {
        magnitude if (1e3..1e6).contains(&magnitude) => format!("{value:.0}"),
        _ => short(value),
    }
}

/// A number with the given decimals; `-` where there is none.
///
/// ```
/// assert_eq!(gapfit_report::number::fixed(1.0 / 3.0, 2), "0.33");
/// ```
pub fn fixed(value: f64, decimals: usize) -> String {
    if value.is_nan() {
        return "-".to_owned();
    }
    format!("{value:.decimals$}")
}

/// A whole number with its thousands set apart.
///
/// ```
/// assert_eq!(gapfit_report::number::count(20_640), "20,640");
/// ```
pub fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A time in the unit that suits it, in three digits.
///
/// ```
/// assert_eq!(gapfit_report::number::time(0.01234), "12.3 ms");
/// ```
pub fn time(seconds: f64) -> String {
    let (value, unit) = match seconds.abs() {
        s if s >= 0.9995 || s == 0.0 => (seconds, "s"),
        s if s >= 0.9995e-3 => (1e3 * seconds, "ms"),
        _ => (1e6 * seconds, "µs"),
    };
    let decimals = match value.abs() {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    format!("{} {unit}", fixed(value, decimals))
}

/// A share as a percentage with one decimal.
pub(crate) fn percent(share: f64) -> String {
    match share.is_nan() {
        true => "-".to_owned(),
        false => format!("{:.1} %", 100.0 * share),
    }
}

/// A number and what there is of it, as in `1 row`, `2 rows`.
pub(crate) fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// A number in two significant digits, for axes.
pub(crate) fn rough(value: f64) -> String {
    rounded(value, 1)
}

/// A number in so many decimals of its scientific form.
fn rounded(value: f64, decimals: usize) -> String {
    if value.is_nan() {
        return "-".to_owned();
    }
    let rounded: f64 = format!("{value:.decimals$e}")
        .parse()
        .expect("a number as Rust writes it");
    match value.abs() {
        magnitude if magnitude == 0.0 || (1e-4..1e6).contains(&magnitude) => rounded.to_string(),
        _ => format!("{rounded:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_sentences_are_short() {
        for (value, expected) in [
            (0.0, "0"),
            (0.03125, "0.03125"),
            (2f64.powi(-20), "9.537e-7"),
            (2f64.powi(-11), "0.0004883"),
            (1024.0, "1024"),
            (-1e300, "-1e300"),
            (f64::NAN, "-"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(short(value), expected);
        }
        assert_eq!([69_173.6, 0.25, -1e7].map(told), ["69174", "0.25", "-1e7"]);
        assert_eq!(fixed(1.0 / 3.0, 2), "0.33");
        assert_eq!(fixed(f64::NAN, 2), "-");
    }

    #[test]
    fn four_digits_whatever_the_magnitude() {
        for (value, expected) in [
            (63_210.4, 0),
            (1.0, 3),
            (0.0123, 5),
            (999.9, 1),
            (f64::NAN, 3),
        ] {
            assert_eq!(decimals(value), expected, "{value}");
        }
    }

    #[test]
    fn times_have_three_digits_and_a_unit() {
        let written = [0.0, 4e-7, 0.000_999_8, 0.123_45, 9.999, 123.4].map(time);
        let expected = ["0.00 s", "0.40 µs", "1.00 ms", "123 ms", "10.0 s", "123 s"];
        assert_eq!(written, expected);
    }

    #[test]
    fn thousands_are_set_apart() {
        let written = [0, 999, 1000, 1_234_567].map(count);
        assert_eq!(written, ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(counted(1, "row", "rows"), "1 row");
    }
}
