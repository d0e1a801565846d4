//! Asking memory for what is needed soon.

use prefetch_index::prefetch_index;
use std::ops::Range;

/// Bytes that memory gives at once.
const LINE: usize = 64;

/// Asks for items, which need not be there, without waiting for them.
#[inline(always)]
pub(crate) fn prefetch<T>(items: &[T], range: Range<usize>) {
    let mut item = range.start;
    while item < range.end {
        prefetch_index(items, item);
        item += LINE / size_of::<T>();
    }
}
