//! Keeps a damaged file from taking the program down.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use crate::error::{Error, Result};
use crate::format::Format;

thread_local! {
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// The result of `step`, or the error for a damaged file where a decoder panics.
pub(super) fn guarded<T>(
    file: &str,
    format: Format,
    step: impl FnOnce() -> Result<T>,
) -> Result<T> {
    caught(step).unwrap_or_else(|| {
        Err(Error::Damaged {
            file: file.to_owned(),
            format,
            cause: CONTRADICTION.to_owned(),
        })
    })
}

/// What is wrong with a file on which a decoder panics.
pub(super) const CONTRADICTION: &str = "its parts contradict each other";

/// The result of `step`, or `None` where a decoder panics.
///
/// Decoders check what they read, but not all of it; such a panic is not printed either.
pub(super) fn caught<T>(step: impl FnOnce() -> T) -> Option<T> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_GUARDED.get() {
                usual(panic);
            }
        }));
    });
    IS_GUARDED.set(true);
    let result = catch_unwind(AssertUnwindSafe(step));
    IS_GUARDED.set(false);
    result.ok()
}
