//! Figures of gapfit's reports: from tables, models and the rows that models have not seen to the
//! numbers that `gapfit-report` draws.
//!
//! A [`Trial`] is a model and rows held out of its fit, a [`Contender`] a method in all its trials.
//!
//! ```
//! use gapfit::data::{Dataset, MaskedMatrix};
//! use gapfit_figures::hole_map;
//!
//! let features = MaskedMatrix::from_nan(2, 2, &[1.0, f64::NAN, 2.0, 3.0])?;
//! let data = Dataset::new(features, vec![1.0, 2.0])?;
//! assert_eq!(hole_map(&data).bands[0].missing, [0, 1]);
//! # Ok::<(), gapfit::Error>(())
//! ```

mod agreement;
mod by_missing;
mod calibration;
mod holes;
mod metric;
mod part;
mod price;
mod roc;
mod shift;
mod surface;
mod trial;

pub use by_missing::by_missing;
pub use holes::{hole_map, patterns};
pub use metric::{ErrorMeasure, Metric, Predicted, Scores};
pub use price::prices;
pub use shift::shifts;
pub use surface::surface;
pub use trial::{Contender, Trial};

use std::sync::Arc;

use gapfit::data::{Dataset, Schema};
use gapfit_report::{Cell, Fact, Figure};

/// The columns behind the features; each feature its own where nothing else is known.
pub fn schema(data: &Dataset) -> Arc<Schema> {
    match data.schema() {
        Some(schema) => Arc::clone(schema),
        None => Arc::new(Schema::numeric(data.names())),
    }
}

/// How good the predictions of a contender are, in figures that suit the target.
pub fn quality(holey: &Dataset, contender: &Contender<'_>) -> Vec<Figure> {
    let figures = [
        agreement::agreement(contender).map(|agreement| agreement.figure()),
        roc::roc_curves(holey, contender).map(|roc| roc.figure()),
        calibration::calibration(holey, contender).map(|calibration| calibration.figure()),
    ];
    figures.into_iter().flatten().collect()
}

/// Something to be known at a glance.
pub fn fact(name: &str, value: Cell) -> Fact {
    Fact {
        name: name.to_owned(),
        value,
    }
}

/// A share as a fact: a number for sorting, per cent for people.
pub fn share(name: &str, share: f64) -> Fact {
    fact(
        name,
        Cell::shown_as(share, format!("{:.1} %", 100.0 * share)),
    )
}

/// The mean and its standard error; numbers that depend on it come fold by fold.
pub fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0) / n).sqrt())
}
