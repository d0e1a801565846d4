//! Regret: what a learner lost over the best matrix in hindsight (paper, equations 1 and 2).
//!
//! ```text
//! R^z = Σ_t p_t ℓ(ŷ_t, y_t) - min over ‖A‖ <= R of  Σ_t p_t ℓ(<A ψ(z_t), x_t>, y_t)                        (2)
//! R   = the same against one weight vector w for all masks, ‖w‖ <= R                                    (1)
//! ```
//!
//! Given the rows of a stream and the losses that some learner suffered on them, [`RegretMeter`] solves both
//! minima to a certified gap and says how far the regret may be, at most and at least, beside the bound
//! `3 R G √T` of Theorem 1 (docs/math.md 13.3, 13.6). The learner may be anything: only its losses count.
//!
//! The radius R is required. Over all matrices the infimum of a hinge or logistic loss need not be attained,
//! that of the linear loss is minus infinity, and no bound holds.

mod comparator;
mod face;
mod hindsight;
mod meter;
mod proximal;
mod rows;

pub use hindsight::{Hindsight, Status};
pub use meter::{Interval, Regret, RegretMeter};
