//! Targets of held-out rows beside what was predicted for them.

use gapfit_report::Agreement;

use crate::{Contender, Predicted};

/// All rows that some model of the contender has not seen; `None` where they have classes.
pub(crate) fn agreement(contender: &Contender<'_>) -> Option<Agreement> {
    let (rows, Predicted::Numbers(predicted)) = contender.held_out() else {
        return None;
    };
    let target = contender.data.target();
    Some(Agreement {
        method: contender.name.to_owned(),
        target: contender.data.target_name().to_owned(),
        observed: rows.iter().map(|&i| target[i]).collect(),
        predicted,
    })
}
