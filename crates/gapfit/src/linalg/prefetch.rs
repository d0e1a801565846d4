//! Asking memory for what is needed soon.

use prefetch_index::prefetch_index;

/// Asks for the line of an item, which need not be there, without waiting for it.
#[inline(always)]
pub(crate) fn prefetch<T>(items: &[T], item: usize) {
    prefetch_index(items, item);
}
