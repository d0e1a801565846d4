//! What a model file has of a support.

use super::MaskLinear;
use crate::container::{bad_settings, broken};
use crate::error::Result;
use crate::features::{Lists, Shifted};
use crate::support::{SupportKind, SupportRule};
use serde::{Deserialize, Serialize};

/// The support as the header has it; absent where every entry may shift.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SupportHeader {
    kind: String,
    /// For each hole the entries of a completed row that it shifts, ascending.
    entries: Vec<Vec<u32>>,
}

impl SupportHeader {
    pub(super) fn of(kind: SupportKind, linear: &MaskLinear) -> Option<Self> {
        let Shifted::Listed(lists) = &linear.shifted else {
            return None;
        };
        let list = |b: usize| lists.list(b).to_vec();
        Some(Self {
            kind: kind.to_string(),
            entries: (0..linear.holes.len()).map(list).collect(),
        })
    }

    /// The support of `n_holes` holes over `n` entries.
    fn read(&self, n_holes: usize, n: usize) -> Result<(SupportKind, Shifted)> {
        let kind: SupportKind = self.kind.parse().map_err(|error| bad_settings(&error))?;
        let is_sound = |list: &Vec<u32>| {
            let ascends = list.windows(2).all(|w| w[0] < w[1]);
            ascends && list.last().is_none_or(|&e| (e as usize) < n)
        };
        let is_full = kind == SupportKind::Rule(SupportRule::Full);
        if is_full || self.entries.len() != n_holes || !self.entries.iter().all(is_sound) {
            let expected = format!("{n_holes} lists of ascending numbers below {n}");
            let got = format!("{} lists of a support {kind}", self.entries.len());
            return Err(broken("support", &expected, &got));
        }
        Ok((kind, Shifted::Listed(Lists::new(&self.entries))))
    }
}

/// The support of `n_holes` holes over `n` entries that a header has, or all entries.
pub(super) fn read(
    header: Option<&SupportHeader>,
    n_holes: usize,
    n: usize,
) -> Result<(SupportKind, Shifted)> {
    let all = || Ok((SupportKind::default(), Shifted::Alike(0..n)));
    header.map_or_else(all, |header| header.read(n_holes, n))
}

/// The shape of the shifts of one predictor.
pub(super) fn shape(shifted: &Shifted, n_holes: usize) -> Vec<usize> {
    match shifted {
        Shifted::Alike(range) => vec![n_holes, range.len()],
        Shifted::Listed(_) => vec![shifted.start(n_holes)],
    }
}
