//! Features of rows without a target.

use gapfit::data::{MaskedMatrix, Schema};

use super::encoder::at;
use super::{Guesses, Kinds};
use crate::error::{Error, Result};
use crate::reader::Reader;

/// The features of all rows of `reader`, and the columns behind them, of kinds that are given or guessed
/// from the rows.
///
/// ```
/// use gapfit_io::{Kinds, Reader, csv, features};
/// let text = "size,colour\n40,red\n,blue\n";
/// let mut reader = Reader::new(text.as_bytes(), "huts.csv", &csv::Options::default())?;
/// let (features, schema) = features(&mut reader, &Kinds::default())?;
/// assert_eq!(schema.feature_names(), ["size", "colour=blue", "colour=red"]);
/// assert_eq!(features.get(1, 0), None);
/// # Ok::<_, gapfit_io::Error>(())
/// ```
///
/// # Errors
/// Those of [`Reader::next_row`]; [`Error::AbsentColumn`], [`Error::SharedColumn`],
/// [`Error::NoFeatures`], [`Error::Unlike`], [`Error::Ids`], [`Error::Clash`].
pub fn features(reader: &mut Reader, kinds: &Kinds) -> Result<(MaskedMatrix, Schema)> {
    reader.check_roles(kinds.named())?;
    let places: Vec<usize> = (0..reader.columns().len()).collect();
    if places.is_empty() {
        let file = reader.file().to_owned();
        return Err(Error::NoFeatures { file });
    }
    let mut guesses = Guesses::new(reader, &places, kinds);
    guesses.reserve(reader.n_rows().unwrap_or(0));
    while let Some(columns) = reader.next_block()? {
        guesses.push_all(&columns);
    }
    while let Some(row) = reader.next_row()? {
        let place = row.place;
        if let Err(unfit) = guesses.push(row) {
            return Err(at(unfit, reader, place));
        }
    }
    let guessed = guesses.finish(reader, kinds)?;
    Ok((guessed.features, guessed.schema))
}
