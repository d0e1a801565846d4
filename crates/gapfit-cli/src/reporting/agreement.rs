//! Targets of held-out rows beside what was predicted for them.

use gapfit_report::Agreement;

use super::Contender;

/// All rows that some model of the contender has not seen.
pub(crate) fn agreement(contender: &Contender<'_>) -> Agreement {
    let held_out = || contender.trials.iter().map(|trial| &trial.held_out);
    let target = contender.data.target();
    let observed = held_out().flat_map(|part| part.rows.iter().map(|&i| target[i]));
    let predicted = held_out().flat_map(|part| part.predictions.iter().copied());
    Agreement {
        method: contender.name.to_owned(),
        target: contender.data.target_name().to_owned(),
        observed: observed.collect(),
        predicted: predicted.collect(),
    }
}
