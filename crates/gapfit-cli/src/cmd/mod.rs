//! One file per command: its arguments and what it does.

pub(crate) mod compare;
pub(crate) mod corrupt;
