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
///
/// Decoders check what they read, but not all of it; such a panic is not printed either.
pub(super) fn guarded<T>(
    file: &str,
    format: Format,
    step: impl FnOnce() -> Result<T>,
) -> Result<T> {
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
    result.unwrap_or_else(|_| {
        Err(Error::Damaged {
            file: file.to_owned(),
            format,
            cause: "its parts contradict each other".to_owned(),
        })
    })
}
