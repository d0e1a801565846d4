//! Where the holes of a table are, and what goes missing together.

use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::profile::Profile;
use gapfit_report::{Band, HoleMap, Pattern, Patterns};

use crate::schema;

/// Bands that the rows are parted into, at most.
const BANDS: usize = 200;
/// Patterns that are told, at most.
const PATTERNS: usize = 30;

/// The holes of each column, band by band.
pub fn hole_map(data: &Dataset) -> HoleMap {
    let (names, table) = columns(data);
    let n = table.n_rows();
    let n_bands = n.min(BANDS);
    let band = |b: usize| {
        let rows = b * n / n_bands..(b + 1) * n / n_bands;
        let mut missing = vec![0; table.n_cols()];
        for i in rows.clone() {
            table
                .row(i)
                .observed()
                .missing()
                .for_each(|j| missing[j] += 1);
        }
        Band {
            rows: rows.len(),
            missing,
        }
    };
    HoleMap {
        columns: names,
        bands: (0..n_bands).map(band).collect(),
    }
}

/// The commonest combinations of missing columns.
pub fn patterns(data: &Dataset) -> Patterns {
    let (names, table) = columns(data);
    let profile = Profile::of(&table);
    let masks = profile.masks.iter().take(PATTERNS);
    Patterns {
        n_rows: profile.n_rows,
        n_patterns: profile.masks.len(),
        commonest: masks
            .map(|mask| Pattern {
                missing: mask.missing.iter().map(|&j| names[j].clone()).collect(),
                rows: mask.rows,
            })
            .collect(),
    }
}

/// The table with one feature for each column, and the names of the columns: the features of a
/// category go missing together.
fn columns(data: &Dataset) -> (Vec<String>, MaskedMatrix) {
    let schema = schema(data);
    let columns = schema.columns();
    let names = columns.iter().map(|column| column.name.clone()).collect();
    let firsts: Vec<Option<usize>> = (0..columns.len())
        .map(|c| Some(schema.features(c).start))
        .collect();
    (names, data.features().select_columns(&firsts))
}
