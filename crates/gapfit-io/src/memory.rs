//! Memory that is given back and asked for again.

/// Lets the allocator keep memory that batches of a file were decoded into for the next ones, for programs that read large
/// files; call it once, at the start.
///
/// The allocator of the GNU C library gives freed memory back to the system beyond twice the size of the largest block that it
/// has got from there and given back (mallopt(3), on the dynamic threshold), at most 64 MB. Getting memory back, page by page, was
/// a tenth of the time of reading a Parquet file. A block that nobody touches costs nothing; other
/// allocators do not mind.
pub fn keep_memory() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(LARGEST)));
}

/// Just below what counts, with room for what is kept beside a block.
const LARGEST: usize = (32 << 20) - (1 << 13);
