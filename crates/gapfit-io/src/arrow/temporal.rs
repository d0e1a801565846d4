//! Dates and times as the text that a CSV file would have.

use crate::time::date;

/// `2024-03-01T12:30:00`, with a fraction where there is one and `Z` where the zone is known; from ticks
/// after the start of 1970, so many to a second.
pub(super) fn time(ticks: i64, per_second: i64, has_zone: bool) -> Option<String> {
    let (seconds, fraction) = (ticks.div_euclid(per_second), ticks.rem_euclid(per_second));
    let (days, clock) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let mut text = date(days)?;
    let (hours, minutes, seconds) = (clock / 3600, clock / 60 % 60, clock % 60);
    text.push_str(&format!("T{hours:02}:{minutes:02}:{seconds:02}"));
    if fraction != 0 {
        let width = per_second.ilog10() as usize;
        let digits = format!("{fraction:0width$}");
        text.push('.');
        text.push_str(digits.trim_end_matches('0'));
    }
    if has_zone {
        text.push('Z');
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::seconds;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn texts_read_back_as_the_same_time(ticks in -62_135_596_800_000i64..253_402_300_800_000) {
            let text = time(ticks, 1000, true).unwrap();
            let found = seconds(&text).unwrap();
            prop_assert!((found * 1000.0 - ticks as f64).abs() < 0.5, "{text}");
        }
    }

    #[test]
    fn times_are_written_as_short_as_they_can_be() {
        assert_eq!(time(0, 1, false).unwrap(), "1970-01-01T00:00:00");
        assert_eq!(time(-1, 1000, true).unwrap(), "1969-12-31T23:59:59.999Z");
        assert_eq!(
            time(1_500_000, 1_000_000, true).unwrap(),
            "1970-01-01T00:00:01.5Z"
        );
    }
}
