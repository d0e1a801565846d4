//! From features back to cells.

use gapfit::data::Kind;

use crate::time;

/// The text of a cell whose features have these values, which need not be exact: of a categorical
/// column the level with the largest, of dates the day they fall on.
///
/// ```
/// use gapfit::data::{Kind, Levels};
/// use gapfit_io::decode;
/// let levels = Levels::new(vec!["red".to_owned(), "blue".to_owned()], vec![])?;
/// assert_eq!(decode(&Kind::Categorical(levels), &[0.3, 0.6]), "blue");
/// assert_eq!(decode(&Kind::Date, &[19_783.7]), "2024-03-01");
/// assert_eq!(decode(&Kind::Numeric, &[0.5]), "0.5");
/// # Ok::<_, gapfit::Error>(())
/// ```
///
/// # Panics
/// When there is no value.
pub fn decode(kind: &Kind, values: &[f64]) -> String {
    let number = values[0];
    // the shortest text that reads back as the same number
    let digits = || format!("{number:?}");
    match kind {
        Kind::Numeric => digits(),
        Kind::Boolean => (number >= 0.5).to_string(),
        Kind::Date => time::date(number.floor() as i64).unwrap_or_else(digits),
        Kind::Categorical(levels) => {
            let kept = levels.kept().iter().zip(values);
            let likeliest = kept.max_by(|(_, a), (_, b)| a.total_cmp(b));
            // the pool has no name of its own; the first of it is its commonest
            let level = likeliest.map(|(level, _)| level);
            level
                .or(levels.pooled().first())
                .cloned()
                .unwrap_or_default()
        }
    }
}
