//! What the online half promises, checked through its public interface alone.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[path = "../container/mod.rs"]
mod container;

mod adaptive;
mod adversary;
mod argmin;
mod auto;
mod baseline;
mod comparator;
mod hostile;
mod lazy;
mod meter;
mod regret;
mod resume;
mod state;
mod stream;
mod streaming;
mod wild;
