//! Sums in a file.

use super::file::{Tensors, halves, read_bits, tensor};
use super::summed::Summed;
use crate::container::{Part, broken};
use crate::data::WORD;
use crate::error::Result;
use crate::moments::{Folded, MaskMoments, Moments};
use serde::{Deserialize, Serialize};

/// What a header says of a block.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BlockHeader {
    /// Rows that are kept as they are.
    pub(super) rows: usize,
    masks: usize,
    /// Numbers in the lower triangles of all masks.
    sums: usize,
    /// Rows of all masks, where these are not told apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    folded: Option<usize>,
}

impl Summed {
    /// The header of a block with these sums that keeps so many rows.
    pub(super) fn header(&self, rows: usize) -> BlockHeader {
        let triangle = |order: usize| order * (order + 1) / 2;
        match self {
            Self::ByMask(moments) => BlockHeader {
                rows,
                masks: moments.each().count(),
                sums: moments.each().map(|(_, m)| triangle(m.order())).sum(),
                folded: None,
            },
            Self::Folded(folded) => BlockHeader {
                rows,
                masks: 0,
                sums: triangle(folded.places().order()),
                folded: Some(folded.n_rows()),
            },
        }
    }

    /// Three of them, whichever sums they are of.
    pub(super) fn tensors(&self, n_features: usize) -> Tensors<'static> {
        let of_mask = |m: &MaskMoments| {
            let pairs = (0..m.order()).flat_map(|i| (0..=i).map(move |j| (i, j)));
            pairs.map(|(i, j)| m.sum(i, j)).collect::<Vec<f64>>()
        };
        let (bits, counts, sums): (Vec<f64>, Vec<f64>, Vec<f64>) = match self {
            Self::ByMask(moments) => (
                moments
                    .each()
                    .flat_map(|(mask, _)| mask)
                    .flat_map(halves)
                    .collect(),
                moments.each().map(|(_, m)| m.n_rows as f64).collect(),
                moments.each().flat_map(|(_, m)| of_mask(m)).collect(),
            ),
            Self::Folded(folded) => (
                Vec::new(),
                folded.observed().iter().map(|&n| n as f64).collect(),
                folded.triangle(),
            ),
        };
        let words = 2 * n_features.div_ceil(WORD);
        vec![
            tensor("masks", &[self.header(0).masks, words], bits),
            tensor("counts", &[counts.len()], counts),
            tensor("sums", &[sums.len()], sums),
        ]
    }

    pub(super) fn read(part: &Part<'_>, of: &BlockHeader, n_features: usize) -> Result<Self> {
        let bits = read_bits(part, "masks", of.masks, n_features)?;
        let sums = part.tensor("sums", &[of.sums])?;
        let Some(n_rows) = of.folded else {
            let counts = part.tensor("counts", &[of.masks])?;
            let moments = Moments::from_triangles(&bits, n_features, &counts, &sums);
            let expected = "ascending masks, counts of rows, a triangle for each mask";
            let moments = moments.ok_or_else(|| broken("sums", expected, "other ones"))?;
            return Ok(Self::ByMask(moments));
        };
        let counts = part.tensor("counts", &[n_features])?;
        let folded = Folded::from_triangle(n_rows, &counts, &sums);
        let expected = "no masks, counts of rows, the triangle of one matrix";
        let folded = folded.filter(|_| of.masks == 0);
        let folded = folded.ok_or_else(|| broken("sums", expected, "other ones"))?;
        Ok(Self::Folded(Box::new(folded)))
    }
}
