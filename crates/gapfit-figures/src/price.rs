//! What it costs to lose a column.

use gapfit::Result;
use gapfit::data::MaskedMatrix;
use gapfit_report::{Price, Prices};

use crate::{Contender, mean_and_error, schema};

/// Held-out rows of a fold that are looked at, at most: each is predicted once for every column.
const ROWS: usize = 4000;

/// The price of each column, on the rows that the contender's models have not seen.
///
/// # Errors
/// As [`Model::predict`](gapfit::Model::predict).
pub fn prices(contender: &Contender<'_>) -> Result<Prices> {
    let schema = schema(contender.data);
    let columns = schema.columns();
    let mut before = Vec::new();
    let mut growth = vec![Vec::new(); columns.len()];
    let mut n_rows = 0;
    for trial in contender.trials {
        let held_out = &trial.held_out;
        let step = held_out.rows.len().div_ceil(ROWS).max(1);
        let places: Vec<usize> = (0..held_out.rows.len()).step_by(step).collect();
        let rows: Vec<usize> = places.iter().map(|&i| held_out.rows[i]).collect();
        let table = held_out.features.select_rows(&places);
        let error = |table: &MaskedMatrix| contender.error_of(&held_out.model, table, &rows);
        let own = error(&table)?;
        for (c, growth) in growth.iter_mut().enumerate() {
            let mut hidden = table.clone();
            for i in 0..hidden.n_rows() {
                schema.features(c).for_each(|j| hidden.hide(i, j));
            }
            growth.push(error(&hidden)? - own);
        }
        before.push(own);
        n_rows += rows.len();
    }
    let price = |(column, growth): (&gapfit::data::SchemaColumn, &Vec<f64>)| {
        let (difference, standard_error) = mean_and_error(growth);
        Price {
            column: column.name.clone(),
            difference,
            standard_error,
        }
    };
    Ok(Prices {
        method: contender.name.to_owned(),
        error: contender.error().name().to_owned(),
        before: mean_and_error(&before).0,
        rows: n_rows,
        prices: columns.iter().zip(&growth).map(price).collect(),
    })
}
