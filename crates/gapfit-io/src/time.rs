//! Dates and times of day as text (ISO 8601), read strictly.

/// What a text must look like to be a time.
pub(crate) const EXPECTED: &str =
    "a number, or a date such as 2024-03-01 or 2024-03-01T12:30:00Z (ISO 8601)";

const DAY: f64 = 86_400.0;

/// Seconds from the start of 1970 to a date, or to a date and a time of day.
///
/// `2024-03-01`, then optionally `T` or a blank, `12:30`, `:15`, `.25`, and `Z` or an offset such as
/// `+01:00`; without one, times are taken as UTC. `None` for anything else.
pub(crate) fn seconds(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let (date, rest) = bytes.split_at_checked(10)?;
    let start = DAY * days(date)? as f64;
    let (separator, clock) = match rest {
        [] => return Some(start),
        [separator, clock @ ..] => (separator, clock),
    };
    if !matches!(separator, b'T' | b' ') {
        return None;
    }
    let (clock, offset) = without_zone(clock)?;
    Some(start + of_day(clock)? - offset)
}

/// Days from 1970-01-01 to a date `YYYY-MM-DD`.
fn days(date: &[u8]) -> Option<i64> {
    let [year @ .., b'-', m1, m2, b'-', d1, d2] = date else {
        return None;
    };
    let (year, month, day) = (number(year)?, number(&[*m1, *m2])?, number(&[*d1, *d2])?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let lengths = [
        31,
        28 + i64::from(is_leap),
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ];
    let before = lengths.get(..usize::try_from(month).ok()?.checked_sub(1)?)?;
    let length = *lengths.get(before.len())?;
    if !(1..=length).contains(&day) {
        return None;
    }
    let whole = |years: i64| {
        365 * years + years.div_euclid(4) - years.div_euclid(100) + years.div_euclid(400)
    };
    Some(whole(year - 1) - whole(1969) + before.iter().sum::<i64>() + day - 1)
}

/// `2024-03-01`, days after 1970-01-01; `None` outside the years 0 to 9999.
pub(crate) fn date(days: i64) -> Option<String> {
    // the calendar repeats every 400 years, which begin in March here
    let shifted = days.checked_add(719_468)?;
    let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + i64::from(month <= 2);
    (0..=9999)
        .contains(&year)
        .then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// Seconds since midnight: `HH:MM`, `HH:MM:SS` or `HH:MM:SS.fraction`.
fn of_day(clock: &[u8]) -> Option<f64> {
    let (minutes, rest) = clock.split_at_checked(5)?;
    let start = 60.0 * minutes_of(minutes)? as f64;
    let [b':', s1, s2, fraction @ ..] = rest else {
        return rest.is_empty().then_some(start);
    };
    let whole = number(&[*s1, *s2]).filter(|&s| s < 60)? as f64;
    let part = match fraction {
        [] => 0.0,
        [b'.', digits @ ..] if digits.len() <= 9 => {
            number(digits)? as f64 / 10f64.powi(digits.len() as i32)
        }
        _ => return None,
    };
    Some(start + whole + part)
}

/// A time of day without its zone, and how many seconds that zone is ahead of UTC.
fn without_zone(clock: &[u8]) -> Option<(&[u8], f64)> {
    if let [clock @ .., b'Z'] = clock {
        return Some((clock, 0.0));
    }
    let Some(at) = clock.iter().position(|byte| matches!(byte, b'+' | b'-')) else {
        return Some((clock, 0.0));
    };
    let ahead = 60.0 * minutes_of(&clock[at + 1..])? as f64;
    let sign = if clock[at] == b'+' { 1.0 } else { -1.0 };
    Some((&clock[..at], sign * ahead))
}

/// Minutes in `HH:MM`.
fn minutes_of(text: &[u8]) -> Option<i64> {
    let [h1, h2, b':', m1, m2] = text else {
        return None;
    };
    let hours = number(&[*h1, *h2]).filter(|&h| h < 24)?;
    let minutes = number(&[*m1, *m2]).filter(|&m| m < 60)?;
    Some(60 * hours + minutes)
}

/// The whole number that digits write; at most nine of them, and nothing else.
fn number(digits: &[u8]) -> Option<i64> {
    if digits.is_empty() {
        return None;
    }
    let step = |sum: i64, byte: &u8| {
        byte.is_ascii_digit()
            .then(|| 10 * sum + i64::from(byte - b'0'))
    };
    digits.iter().try_fold(0, step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn dates_read_back_as_the_same_day(days in -719_162i64..2_932_896) {
            let text = date(days).unwrap();
            prop_assert_eq!(seconds(&text), Some(days as f64 * 86_400.0), "{}", text);
        }
    }

    #[test]
    fn days_outside_the_calendar_have_no_date() {
        assert_eq!(date(i64::MAX), None);
        assert_eq!(date(4_000_000), None);
    }

    #[test]
    fn dates_and_times_are_seconds_since_1970() {
        for (text, expected) in [
            ("1970-01-01", 0.0),
            ("1970-01-02", 86_400.0),
            ("1969-12-31T23:59:59", -1.0),
            ("2000-02-29", 951_782_400.0),
            ("2024-03-01", 1_709_251_200.0),
            ("2024-03-01T12:30", 1_709_296_200.0),
            ("2024-03-01T12:30:00", 1_709_296_200.0),
            ("2024-03-01 12:30:00Z", 1_709_296_200.0),
            ("2024-03-01T12:30:00.25", 1_709_296_200.25),
            ("2024-03-01T14:30:00+02:00", 1_709_296_200.0),
            ("2024-03-01T07:00:00-05:30", 1_709_296_200.0),
            ("0001-01-01", -62_135_596_800.0),
            ("9999-12-31T23:59:59", 253_402_300_799.0),
        ] {
            let found = seconds(text).expect(text);
            assert!((found - expected).abs() < 1e-6, "{text}: {found}");
        }
    }

    #[test]
    fn each_day_follows_the_one_before() {
        let (mut last, mut count) = (seconds("1895-12-31").expect("a date"), 0);
        for year in 1896..=2105 {
            for (month, day) in (1..=12).flat_map(|m| (1..=31).map(move |d| (m, d))) {
                if let Some(next) = seconds(&format!("{year}-{month:02}-{day:02}")) {
                    assert!((next - last - DAY).abs() < 1e-6, "{year}-{month}-{day}");
                    (last, count) = (next, count + 1);
                }
            }
        }
        // 1900 and 2100 are no leap years, 2000 is one
        assert_eq!(count, 210 * 365 + 51);
    }

    #[test]
    fn anything_else_is_no_time() {
        for text in [
            "",
            "2024",
            "2024-3-1",
            "2024-13-01",
            "2024-00-01",
            "2024-02-30",
            "2023-02-29",
            "1900-02-29",
            "2024-01-00",
            "2024/03/01",
            "01-03-2024",
            "2024-03-01T",
            "2024-03-01T12",
            "2024-03-01t12:30",
            "2024-03-01T24:00:00",
            "2024-03-01T12:60:00",
            "2024-03-01T12:30:60",
            "2024-03-01T12:30:00.",
            "2024-03-01T12:30:00.1234567890",
            "2024-03-01T12:30:00+1",
            "2024-03-01T12:30:00+01:00Z",
            "2024-03-01Z",
            "2024-03-01T12:30:00 UTC",
            "+024-03-01",
            "2024-03-0é",
        ] {
            assert_eq!(seconds(text), None, "{text:?}");
        }
    }
}
