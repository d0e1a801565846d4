//! What the library promises, checked through its public interface alone.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod bounds;
#[path = "../container/mod.rs"]
mod container;

mod categories;
mod certificate;
mod choosing;
mod classification;
mod conformal;
mod conformance;
mod constant;
mod explain;
mod extreme;
mod file;
mod folded;
mod folding;
mod gaussian;
mod holes;
mod impute;
mod invariance;
mod levels;
mod limit;
mod loss;
mod objective;
mod passes;
mod portion;
mod profile;
mod rival;
mod sample;
mod schema;
mod setting;
mod statistics;
mod support;
mod sweep;
mod targets;
mod tuning;
