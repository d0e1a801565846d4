//! What theory promises about a fit, and what it promises it about (docs/math.md 11).
//!
//! Every formula is a function of [`Facts`], which are measured on the training rows by
//! [`Measurement`]. From the paper, as printed or corrected: [`Facts::theorem_2`],
//! [`Facts::corollary`], [`Facts::non_relaxed`], [`Facts::dual_norm`]. Ours, for the class
//! `{Ω(v) <= Λ²}` that every fit is in: [`Facts::complexity`], [`Facts::error_bound`].
//!
//! A bound on the error is *vacuous* when something trivial does as well ([`Vacuous`]), and bounds of
//! this kind often are. They are statements about rows drawn independently from one distribution,
//! with `alpha`, `gamma` and the preparation of the rows given beforehand.

mod ball;
mod estimate;
mod facts;
mod measure;
mod moment;
mod ours;
mod paper;

pub use estimate::Estimate;
pub use facts::{Facts, Reached, Second, Vacuous};
pub use measure::Measurement;
pub use ours::Claim;
