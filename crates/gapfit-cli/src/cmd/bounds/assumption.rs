//! What the bounds take for granted, and what the rows say to it.

use gapfit::joint::bounds::{Facts, Measurement};
use gapfit::prepare::Scale;
use gapfit::{Base, Model};
use serde::Serialize;

use crate::text_table::short;

/// One assumption, with what was measured.
#[derive(Debug, Serialize)]
pub(super) struct Assumption {
    /// Whose bounds make it.
    by: By,
    what: &'static str,
    pub(super) status: Status,
    measured: String,
}

/// Whose bounds make an assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum By {
    All,
    Paper,
    Ours,
}

/// Whether an assumption is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Holds,
    Fails,
    /// These rows cannot tell.
    Unchecked,
}

impl Status {
    fn of(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Fails }
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Holds => "holds",
            Self::Fails => "fails",
            Self::Unchecked => "unchecked",
        })
    }
}

impl Assumption {
    /// The assumptions of the paper's bounds and of ours; `other` describes rows of another table.
    pub(super) fn list(model: &Model, measured: &Measurement, other: Option<&Facts>) -> Vec<Self> {
        let facts = measured.facts();
        let mut list = vec![Self {
            by: By::All,
            what: "rows are independent draws from one distribution",
            status: Status::Unchecked,
            measured: "cannot be seen in a table".to_owned(),
        }];
        let limit =
            |by, what, of: fn(&Facts) -> f64| Self::limit(by, what, of(&facts), other.map(of));
        list.extend([
            limit(
                By::All,
                "no target is further than B from its centre",
                |facts| facts.target,
            ),
            limit(By::All, "no row is longer than R", |facts| facts.row_norm),
            limit(By::Ours, "no row reaches further than N", |facts| {
                facts.reach
            }),
        ]);
        list.extend([prepared(model), chosen(), class_of_rows()]);
        list.push(Self {
            by: By::Paper,
            what: "no free intercept",
            status: Status::of(!facts.free_intercept),
            measured: format!("intercept {}", model.preparation().intercept),
        });
        list.extend(weights(&facts));
        let (penalty, limit) = (measured.reached().penalty, facts.radius().powi(2));
        list.push(Self {
            by: By::Ours,
            what: "the model is in the class",
            status: Status::of(penalty <= limit),
            measured: format!("Ω {}, at most {}", short(penalty), short(limit)),
        });
        list
    }

    /// A limit that was measured in training and must hold for new rows as well.
    fn limit(by: By, what: &'static str, limit: f64, other: Option<f64>) -> Self {
        let (status, measured) = match other {
            None => (Status::Unchecked, format!("{} in training", short(limit))),
            Some(other) => (
                Status::of(other <= limit),
                format!("{} in training, {} held out", short(limit), short(other)),
            ),
        };
        Self {
            by,
            what,
            status,
            measured,
        }
    }

    /// What the paper's bounds assume and this model does not keep.
    pub(super) fn broken_by(list: &[Self]) -> Vec<&'static str> {
        let broken = |a: &&Self| a.by == By::Paper && a.status == Status::Fails;
        list.iter().filter(broken).map(|a| a.what).collect()
    }

    /// The assumption as a line of text.
    pub(super) fn line(&self) -> String {
        let by = match self.by {
            By::All => "",
            By::Paper => " (paper)",
            By::Ours => " (ours)",
        };
        let Self {
            what,
            status,
            measured,
            ..
        } = self;
        format!("  {status:<9}  {what}{by}: {measured}")
    }
}

fn prepared(model: &Model) -> Assumption {
    let preparation = model.preparation();
    let base = model.method().base();
    let is_given =
        preparation.scale == Scale::None && preparation.clip == 0.0 && base == Base::Zero;
    Assumption {
        by: By::All,
        what: "clipping, scale and base come from elsewhere",
        status: Status::of(is_given),
        measured: if is_given {
            "there is nothing to fit".to_owned()
        } else {
            format!(
                "clip {}, scale {}, base {}, fitted to the same rows",
                preparation.clip, preparation.scale, base
            )
        },
    }
}

fn chosen() -> Assumption {
    Assumption {
        by: By::All,
        what: "alpha and gamma were chosen without these rows",
        status: Status::Unchecked,
        measured: "if they are the best of K pairs, divide --delta by K".to_owned(),
    }
}

fn class_of_rows() -> Assumption {
    Assumption {
        by: By::Paper,
        what: "the class is fixed before the rows are drawn",
        status: Status::Fails,
        measured: "it is spanned by the training rows".to_owned(),
    }
}

fn weights(facts: &Facts) -> Vec<Assumption> {
    let share = facts.largest_share * facts.n_rows as f64;
    let is_equal = share < 1.0 + 1e-9;
    let mut list = vec![Assumption {
        by: By::Paper,
        what: "all rows have the same weight",
        status: Status::of(is_equal),
        measured: format!("the heaviest has {} times its share", short(share)),
    }];
    if !is_equal {
        list.push(Assumption {
            by: By::Ours,
            what: "weights do not depend on the rows",
            status: Status::Unchecked,
            measured: format!("worth {} equal rows", short(facts.effective_rows)),
        });
    }
    list
}
