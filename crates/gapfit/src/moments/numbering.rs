//! Numbers for masks, in the order in which they come.

use rustc_hash::FxHashMap;

/// The masks met so far.
#[derive(Debug)]
pub(super) struct Numbering {
    /// Words per mask.
    words: usize,
    /// One mask after the other.
    bits: Vec<u64>,
    known: Known,
}

/// The numbers of the masks met so far.
#[derive(Debug)]
enum Known {
    /// In a table of all that are possible.
    Direct(Vec<u32>),
    Word(FxHashMap<u64, u32>),
    Words(FxHashMap<Box<[u64]>, u32>),
}

/// Up to this many features a mask indexes a table directly.
const DIRECT: usize = 16;
const NONE: u32 = u32::MAX;

impl Numbering {
    pub(super) fn new(n_features: usize) -> Self {
        let words = n_features.div_ceil(64);
        Self {
            words,
            bits: Vec::new(),
            known: match words {
                _ if n_features <= DIRECT => Known::Direct(vec![NONE; 1 << n_features]),
                1 => Known::Word(FxHashMap::default()),
                _ => Known::Words(FxHashMap::default()),
            },
        }
    }

    /// The number of a mask; the next one where it is new.
    #[inline(always)]
    pub(super) fn number(&mut self, mask: &[u64]) -> usize {
        let next = self.len() as u32;
        let number = match &mut self.known {
            Known::Direct(table) => {
                let number = &mut table[mask.first().map_or(0, |&word| word as usize)];
                if *number == NONE {
                    *number = next;
                }
                *number
            }
            Known::Word(map) => *map.entry(mask[0]).or_insert(next),
            Known::Words(map) => match map.get(mask) {
                Some(&number) => number,
                None => *map.entry(mask.into()).or_insert(next),
            },
        };
        if number == next {
            // without features there is one mask, of no words
            self.bits
                .extend_from_slice(if self.words == 0 { &[0] } else { mask });
        }
        number as usize
    }

    /// How many masks there are.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.bits.len() / self.words.max(1)
    }

    /// The bits of a mask.
    pub(super) fn mask(&self, number: usize) -> &[u64] {
        &self.bits[number * self.words..(number + 1) * self.words]
    }

    /// The numbers of all masks, those ascending.
    pub(super) fn ascending(&self) -> Vec<usize> {
        let mut numbers: Vec<usize> = (0..self.len()).collect();
        numbers.sort_unstable_by_key(|&number| self.mask(number));
        numbers
    }

    /// Forgets all masks.
    pub(super) fn clear(&mut self) {
        self.bits.clear();
        match &mut self.known {
            Known::Direct(table) => table.fill(NONE),
            Known::Word(map) => map.clear(),
            Known::Words(map) => map.clear(),
        }
    }
}
