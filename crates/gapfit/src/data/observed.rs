//! Which features of one row are observed: a borrowed bit set.

/// Bits per storage word.
pub(crate) const WORD: usize = u64::BITS as usize;

/// The observed features of one row; bit `j` set means feature `j` is observed.
///
/// ```
/// use gapfit::data::MaskedMatrix;
/// let table = MaskedMatrix::from_nan(1, 3, &[1.0, f64::NAN, 0.0]).unwrap();
/// let observed = table.row(0).observed();
/// assert!(observed.contains(2)); // an observed zero is not a hole
/// assert_eq!(observed.missing().collect::<Vec<_>>(), [1]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Observed<'a> {
    words: &'a [u64],
    n_features: usize,
}

impl<'a> Observed<'a> {
    /// Wraps `words`, in which bits at and above `n_features` are zero.
    pub(crate) fn new(words: &'a [u64], n_features: usize) -> Self {
        debug_assert_eq!(words.len(), n_features.div_ceil(WORD));
        Self { words, n_features }
    }

    /// The number of features, observed or not.
    pub fn n_features(self) -> usize {
        self.n_features
    }

    /// Whether feature `j` is observed.
    pub fn contains(self, j: usize) -> bool {
        debug_assert!(j < self.n_features);
        self.words[j / WORD] >> (j % WORD) & 1 == 1
    }

    /// The number of observed features.
    pub fn count(self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// The observed features, ascending.
    pub fn iter(self) -> impl Iterator<Item = usize> + 'a {
        set_bits(self.words.iter().copied())
    }

    /// The missing features, ascending.
    pub fn missing(self) -> impl Iterator<Item = usize> + 'a {
        let n = self.n_features;
        set_bits(self.words.iter().map(|w| !w)).take_while(move |&j| j < n)
    }

    /// The storage words, least significant feature first.
    pub(crate) fn words(self) -> &'a [u64] {
        self.words
    }
}

fn set_bits(words: impl Iterator<Item = u64>) -> impl Iterator<Item = usize> {
    words.enumerate().flat_map(|(i, mut word)| {
        std::iter::from_fn(move || {
            (word != 0).then(|| {
                let bit = word.trailing_zeros() as usize;
                word &= word - 1;
                i * WORD + bit
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observed_and_missing_partition_the_features_across_words() {
        let words = [0b1010, 0, 1 << 5];
        let observed = Observed::new(&words, 140);
        assert_eq!(observed.iter().collect::<Vec<_>>(), [1, 3, 133]);
        let mut all: Vec<_> = observed.iter().chain(observed.missing()).collect();
        all.sort_unstable();
        assert_eq!(all, (0..140).collect::<Vec<_>>());
        assert_eq!(observed.count(), 3);
        assert!(observed.contains(133) && !observed.contains(132));
    }
}
