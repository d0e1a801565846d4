//! The state of an adaptive learner as bytes (docs/model-file.md).

use super::learn::AdaptiveLearner;
use super::pace::{FARTHEST, Pace, STEEPEST};
use super::{Adaptive, AdaptiveRule};
use crate::container::{Part, Tensor, bad_settings, vector};
use crate::error::{Error, Result};
use crate::online::LARGEST;
use crate::online::psi::MaskFeatures;
use crate::online::saved::{self, Saved, bounded, not_negative, range, support_of, within};
use serde::{Deserialize, Serialize};

/// Everything but the tensors.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    features: Vec<String>,
    rule: String,
    psi: String,
    loss: String,
    /// The neighbours of each feature; `null` when everyone is.
    support: Option<Vec<Vec<u32>>>,
    rows: u64,
    clipped: u64,
    steepest: f64,
    unit: f64,
    wild: u64,
    load: f64,
    room: f64,
}

impl AdaptiveLearner {
    /// The bytes of the state; the same state gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        saved::to_bytes(self)
    }

    /// The learner whose state `bytes` are.
    ///
    /// # Errors
    /// [`Error::Model`] when the bytes are not a sound state of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        saved::from_bytes(bytes)
    }

    /// One part of every entry, column by column.
    fn entries(&self, part: impl Fn(&super::column::Column) -> &[f64]) -> Vec<f64> {
        self.columns.iter().flat_map(|c| part(c).to_vec()).collect()
    }

    fn n_entries(&self) -> usize {
        self.columns.iter().map(|c| c.sum.len()).sum()
    }
}

impl Header {
    fn settings(&self) -> Result<Adaptive> {
        let setting = |e: Error| bad_settings(&e);
        Ok(Adaptive {
            rule: self.rule.parse::<AdaptiveRule>().map_err(setting)?,
            psi: self.psi.parse().map_err(setting)?,
            loss: self.loss.parse().map_err(setting)?,
            support: support_of(self.support.as_ref())?,
        })
    }

    /// The number of entries on a full support.
    fn n_entries(&self, psi: MaskFeatures) -> usize {
        let d = self.features.len();
        match psi {
            MaskFeatures::Affine => d.saturating_mul(d + 1),
            _ => d,
        }
    }
}

impl Saved for AdaptiveLearner {
    type Header = Header;
    const KIND: &'static str = "adaptive";

    fn header(&self) -> Header {
        let settings = &self.settings;
        Header {
            features: self.names.clone(),
            rule: settings.rule.to_string(),
            psi: settings.psi.to_string(),
            loss: settings.loss.to_string(),
            support: settings.support.lists().map(<[_]>::to_vec),
            rows: self.pace.rounds,
            clipped: self.pace.clipped,
            steepest: self.pace.steepest,
            unit: self.pace.unit,
            wild: self.pace.wild,
            load: self.pace.load,
            room: self.pace.room,
        }
    }

    fn tensors(&self) -> Vec<Tensor> {
        vec![
            vector("largest", &self.largest),
            vector("sum", &self.entries(|c| &c.sum)),
            vector("squares", &self.entries(|c| &c.squares)),
            vector("gain", &self.entries(|c| &c.gain)),
        ]
    }

    fn restore(header: Header, part: &Part<'_>) -> Result<Self> {
        range("steepest", header.steepest, 0.0, STEEPEST)?;
        range("unit", header.unit, 0.0, LARGEST)?;
        range("load", header.load, 0.0, LARGEST)?;
        range("room", header.room, 0.0, LARGEST)?;
        range("clipped", header.clipped as f64, 0.0, header.rows as f64)?;
        range("wild", header.wild as f64, 0.0, header.clipped as f64)?;
        let settings = header.settings()?;
        if header.support.is_none() {
            // Before anything of that size is built.
            part.tensor("sum", &[header.n_entries(settings.psi)])?;
        }
        let mut learner = Self::new(settings, header.features).map_err(|e| bad_settings(&e))?;
        learner.pace = Pace {
            rounds: header.rows,
            clipped: header.clipped,
            steepest: header.steepest,
            unit: header.unit,
            wild: header.wild,
            load: header.load,
            room: header.room,
        };
        let largest = part.tensor("largest", &[learner.names.len()])?;
        let largest = within("largest", largest, 0.0, FARTHEST)?;
        let n = learner.n_entries();
        let sum = bounded("sum", part.tensor("sum", &[n])?)?;
        let squares = not_negative("squares", part.tensor("squares", &[n])?)?;
        let gain = bounded("gain", part.tensor("gain", &[n])?)?;
        let mut first = 0;
        for column in &mut learner.columns {
            let range = first..first + column.sum.len();
            first = range.end;
            column.sum.copy_from_slice(&sum[range.clone()]);
            column.squares.copy_from_slice(&squares[range.clone()]);
            column.gain.copy_from_slice(&gain[range]);
        }
        learner.set_largest(largest);
        Ok(learner)
    }
}
