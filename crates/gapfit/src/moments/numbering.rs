//! Numbers for masks, in the order in which they come.

use rustc_hash::FxHashMap;

/// The masks met so far.
#[derive(Debug)]
pub(super) struct Numbering {
    n_masks: u32,
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
            n_masks: 0,
            words,
            bits: Vec::new(),
            known: match words {
                _ if n_features <= DIRECT => Known::Direct(vec![NONE; 1 << n_features]),
                1 => Known::Word(FxHashMap::default()),
                _ => Known::Words(FxHashMap::default()),
            },
        }
    }

    /// The number of a mask, if it was met before.
    #[inline(always)]
    pub(super) fn find(&self, mask: &[u64]) -> Option<usize> {
        let number = match &self.known {
            Known::Direct(table) => {
                let number = table[mask.first().map_or(0, |&word| word as usize)];
                (number != NONE).then_some(number)
            }
            Known::Word(map) => map.get(&mask[0]).copied(),
            Known::Words(map) => map.get(mask).copied(),
        };
        number.map(|number| number as usize)
    }

    /// Writes the numbers of masks, one after the other, up to the first that was not met before; how many there are.
    #[inline(always)]
    pub(super) fn find_each(&self, masks: &[u64], numbers: &mut [u32]) -> usize {
        if let Known::Direct(table) = &self.known
            && self.words == 1
        {
            let pairs = masks.iter().zip(numbers.iter_mut());
            for (i, (&mask, number)) in pairs.enumerate() {
                *number = table[mask as usize];
                if *number == NONE {
                    return i;
                }
            }
            return numbers.len();
        }
        for (i, number) in numbers.iter_mut().enumerate() {
            match self.find(&masks[i * self.words..(i + 1) * self.words]) {
                Some(found) => *number = found as u32,
                None => return i,
            }
        }
        numbers.len()
    }

    /// The number of a mask that is new: the next one.
    #[cold]
    pub(super) fn add(&mut self, mask: &[u64]) -> usize {
        let next = self.n_masks;
        match &mut self.known {
            Known::Direct(table) => table[mask.first().map_or(0, |&word| word as usize)] = next,
            Known::Word(map) => drop(map.insert(mask[0], next)),
            Known::Words(map) => drop(map.insert(mask.into(), next)),
        }
        self.bits.extend_from_slice(mask);
        self.n_masks += 1;
        next as usize
    }

    /// How many masks there are.
    pub(super) fn len(&self) -> usize {
        self.n_masks as usize
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
}
