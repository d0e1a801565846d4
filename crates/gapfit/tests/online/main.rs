//! What the online half promises, checked through its public interface alone.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[path = "../container/mod.rs"]
mod container;

mod adaptive;
mod argmin;
mod auto;
mod baseline;
mod hostile;
mod lazy;
mod regret;
mod resume;
mod state;
mod stream;
mod streaming;
mod wild;
