//! One table in every format: the same numbers, and a message for every fault.

#![cfg(feature = "arrow")]
// whole files of tests: a broken fixture may panic
#![allow(clippy::unwrap_used, clippy::panic, clippy::manual_is_multiple_of)]

mod block;
mod fault;
mod gather;
mod portion;
mod rewrite;
mod same;
mod sweep;
mod write;
