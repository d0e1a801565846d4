//! What the paper proves, beside what is measured.

pub(super) mod bounds;
pub(super) mod program;
pub(super) mod regret;
pub(super) mod relaxation;
mod small;
