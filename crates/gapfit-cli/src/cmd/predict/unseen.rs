//! Holes in features that had none in training.

use anyhow::Result;
use gapfit::data::MaskedMatrix;
use gapfit::{Method, Model};

use crate::hint::Hinted;
use crate::talk::Talk;

/// What is done about holes in features that had none in training.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum OnNewMissing {
    /// Nothing.
    Ok,
    /// A warning, of a model that looks at holes.
    #[default]
    Warn,
    /// The table is refused.
    Error,
}

/// Counts holes in features that had none in training.
pub(super) struct Unseen<'a> {
    model: &'a Model,
    policy: OnNewMissing,
    /// The first feature of a column and the number of its holes.
    counts: Vec<(usize, usize)>,
}

impl<'a> Unseen<'a> {
    pub(super) fn new(model: &'a Model, policy: OnNewMissing) -> Self {
        let looks = !matches!(model.method(), Method::Impute(_));
        let is_asked = match policy {
            OnNewMissing::Ok => false,
            OnNewMissing::Warn => looks,
            OnNewMissing::Error => true,
        };
        let features = (0..model.feature_names().len()).filter(|&j| model.group(j).start == j);
        let complete = features.filter(|&j| is_asked && model.seen(j).missing <= 0.0);
        Self {
            model,
            policy,
            counts: complete.map(|j| (j, 0)).collect(),
        }
    }

    /// Counts the holes of some more rows; fails if there are any and that is the policy.
    pub(super) fn count(&mut self, rows: &MaskedMatrix, file: &str) -> Result<()> {
        for (j, count) in &mut self.counts {
            *count += rows.rows().filter(|row| row.get(*j).is_none()).count();
        }
        if self.policy == OnNewMissing::Error
            && let Some(names) = self.names()
        {
            return Err(Hinted::error(
                format!("{file}: expected no holes where training had none, got some in {names}"),
                "--on-new-missing warn fills them; fit --simulate-holes trains for them",
            ));
        }
        Ok(())
    }

    /// Warns of the holes there were.
    pub(super) fn warn(&self, talk: &Talk) {
        if let Some(names) = self.names() {
            let base = self.model.method().base();
            talk.warn(format_args!(
                "holes where training had none: {names}; filled by the base {base}, that they are missing was never seen to matter"
            ));
        }
    }

    /// The features that had some, with their numbers.
    fn names(&self) -> Option<String> {
        let met = self.counts.iter().filter(|(_, count)| *count > 0);
        let name = |j: usize| column_name(self.model, j);
        let names: Vec<_> = met
            .map(|(j, count)| format!("'{}' ({count})", name(*j)))
            .collect();
        (!names.is_empty()).then(|| names.join(", "))
    }
}

/// The name of the column of a feature.
fn column_name(model: &Model, feature: usize) -> &str {
    match model.schema() {
        Some(schema) => &schema.columns()[schema.column_of(feature)].name,
        None => &model.feature_names()[feature],
    }
}
