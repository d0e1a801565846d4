//! One file per command: its arguments and what it does.

pub(crate) mod bounds;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod corrupt;
pub(crate) mod datasets;
pub(crate) mod demo;
pub(crate) mod evaluate;
pub(crate) mod fit;
pub(crate) mod impute;
pub(crate) mod inspect;
pub(crate) mod man;
pub(crate) mod predict;
pub(crate) mod profile;
pub(crate) mod reproduce;
pub(crate) mod stats;
pub(crate) mod stream;
