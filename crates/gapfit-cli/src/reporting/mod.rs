//! The page that a command can leave behind: its flags, and the figures that commands share.

mod agreement;
mod by_missing;
mod calibration;
mod curve;
mod destination;
mod holes;
mod part;
mod price;
mod roc;
mod shift;
mod surface;
mod trial;

pub(crate) use by_missing::by_missing;
pub(crate) use curve::{Curves, fits};
pub(crate) use destination::{Destination, Reporting};
pub(crate) use holes::{hole_map, patterns};
pub(crate) use price::prices;
pub(crate) use shift::shifts;
pub(crate) use surface::surface;
pub(crate) use trial::{Contender, Trial};

use std::sync::Arc;

use gapfit::data::{Dataset, Schema};
use gapfit_report::{Cell, Fact, Figure};

/// The columns behind the features; each feature its own where nothing else is known.
pub(crate) fn schema(data: &Dataset) -> Arc<Schema> {
    match data.schema() {
        Some(schema) => Arc::clone(schema),
        None => Arc::new(Schema::numeric(data.names())),
    }
}

/// How good the predictions of a contender are, in figures that suit the target.
pub(crate) fn quality(holey: &Dataset, contender: &Contender<'_>) -> Vec<Figure> {
    let figures = [
        agreement::agreement(contender).map(|agreement| agreement.figure()),
        roc::roc_curves(holey, contender).map(|roc| roc.figure()),
        calibration::calibration(holey, contender).map(|calibration| calibration.figure()),
    ];
    figures.into_iter().flatten().collect()
}

/// What a page is called: by the file, not by the folders that it lies in.
pub(crate) fn title(target: &str, file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    format!("{target} from {name}")
}

/// Something to be known at a glance.
pub(crate) fn fact(name: &str, value: Cell) -> Fact {
    Fact {
        name: name.to_owned(),
        value,
    }
}

/// The mean and its standard error; numbers that depend on it come fold by fold.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0) / n).sqrt())
}
