//! Finds the bytes that matter to a splitter, a word at a time.

const BYTES: usize = 8;
const ONES: u64 = 0x0101_0101_0101_0101;
const LOW: u64 = 0x7F * ONES;

/// The bytes at which a splitter must stop.
pub(super) struct Stops([u64; 3]);

impl Stops {
    pub(super) fn new(stops: [u8; 3]) -> Self {
        Self(stops.map(|stop| u64::from(stop) * ONES))
    }

    /// The number of bytes at the start of `bytes` that are none of the stops. At the end of
    /// `bytes` there may be a few more: fewer than a word.
    #[inline]
    pub(super) fn before(&self, bytes: &[u8]) -> usize {
        let mut count = 0;
        for word in bytes.as_chunks::<BYTES>().0 {
            let found = self.found(u64::from_le_bytes(*word));
            if found != 0 {
                return count + found.trailing_zeros() as usize / BYTES;
            }
            count += BYTES;
        }
        count
    }

    /// The highest bit of each byte of `word` that is a stop.
    #[inline]
    fn found(&self, word: u64) -> u64 {
        let [a, b, c] = self.0.map(|stop| zeros(word ^ stop));
        a | b | c
    }
}

/// The highest bit of each byte of `word` that is zero; unlike the shorter formulas without a carry
/// from one byte to the next.
#[inline]
fn zeros(word: u64) -> u64 {
    !(((word & LOW) + LOW) | word | LOW)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn stops_where_a_search_byte_by_byte_does(
            bytes in prop::collection::vec(any::<u8>(), 0..40),
            stops in any::<[u8; 3]>(),
        ) {
            let expected = bytes.iter().position(|byte| stops.contains(byte));
            let found = Stops::new(stops).before(&bytes);
            match expected {
                Some(place) if place < bytes.len() / BYTES * BYTES => prop_assert_eq!(found, place),
                _ => prop_assert_eq!(found, bytes.len() / BYTES * BYTES),
            }
        }
    }
}
