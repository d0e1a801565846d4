//! The state of a learner as bytes: what is resumed from them continues bit by bit as if it had not
//! stopped. Untrusted input, like every file (docs/model-file.md).

use super::Fill;
use super::lazy::SMALLEST_SCALE;
use super::learn::OnlineLearner;
use super::mirror::Mirror;
use super::psi::MaskFeatures;
use super::saved::{self, Saved, bounded, range, support_of};
use super::settings::MirrorDescent;
use super::step::Pace;
use crate::container::{Part, Tensor, bad_settings, broken, vector};
use crate::data::WORD;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// Everything but the tensors.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    features: Vec<String>,
    psi: String,
    loss: String,
    set: String,
    step: String,
    fill: String,
    /// `null` for `frob`.
    row_penalty: Option<f64>,
    /// The neighbours of each feature; `null` when everyone is.
    support: Option<Vec<Vec<u32>>>,
    /// The masks with weights of their own, as words of 64 bits.
    patterns: Vec<Box<[u64]>>,
    rows: u64,
    clipped: u64,
    largest_gradient: f64,
    mean_square: f64,
    scale: f64,
    norm_squared: f64,
}

impl OnlineLearner {
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
}

impl Saved for OnlineLearner {
    type Header = Header;
    const KIND: &'static str = "online";

    fn header(&self) -> Header {
        let settings = &self.settings;
        let (row_penalty, support) = match &settings.mirror {
            Mirror::Frob => (None, None),
            Mirror::Sparse {
                row_penalty,
                support,
            } => (Some(*row_penalty), support.lists()),
        };
        Header {
            features: self.names.clone(),
            psi: settings.psi.to_string(),
            loss: settings.loss.to_string(),
            set: settings.set.to_string(),
            step: settings.step.to_string(),
            fill: settings.fill.to_string(),
            row_penalty,
            support: support.map(<[_]>::to_vec),
            patterns: self.lazy.map.patterns().to_vec(),
            rows: self.pace.rounds,
            clipped: self.clipped,
            largest_gradient: self.pace.largest,
            mean_square: self.pace.mean_square,
            scale: self.lazy.scale,
            norm_squared: self.lazy.norm_squared,
        }
    }

    fn tensors(&self) -> Vec<Tensor> {
        let mut tensors = vec![
            vector("columns", &self.lazy.columns.cells()),
            vector("complete", &self.lazy.complete),
            vector("offset", &self.lazy.offset),
        ];
        if let Some(means) = &self.means {
            tensors.push(vector("mean", &means.mean));
            tensors.push(vector("mean_weight", &means.weight));
        }
        tensors
    }

    fn restore(mut header: Header, part: &Part<'_>) -> Result<Self> {
        check_numbers(&header)?;
        let d = header.features.len();
        let settings = header.settings()?;
        // Before anything of that size is built.
        let columns = match &header.support {
            None => part.tensor("columns", &[header.n_cells(settings.psi)])?,
            Some(_) => Vec::new(),
        };
        let names = std::mem::take(&mut header.features);
        let mut learner = Self::new(settings, names).map_err(|e| bad_settings(&e))?;
        learner.set_patterns(header.patterns)?;
        let n_cells = learner.lazy.columns.cells().len();
        let columns = match &header.support {
            None => columns,
            Some(_) => part.tensor("columns", &[n_cells])?,
        };
        let mut cells = bounded("columns", columns)?.into_iter();
        for j in 0..learner.lazy.columns.len() {
            learner
                .lazy
                .columns
                .set_column(j, |_| cells.next().unwrap_or(0.0));
        }
        learner.lazy.complete = bounded("complete", part.tensor("complete", &[d])?)?;
        learner.lazy.offset = bounded("offset", part.tensor("offset", &[d])?)?;
        learner.lazy.scale = header.scale;
        learner.lazy.norm_squared = header.norm_squared;
        learner.pace = Pace {
            rounds: header.rows,
            largest: header.largest_gradient,
            mean_square: header.mean_square,
        };
        learner.clipped = header.clipped;
        learner.set_means(part)?;
        Ok(learner)
    }
}

impl OnlineLearner {
    fn set_patterns(&mut self, patterns: Vec<Box<[u64]>>) -> Result<()> {
        let wrong = || {
            broken(
                "patterns",
                "distinct masks with holes, as many as psi allows",
                "others",
            )
        };
        let d = self.names.len();
        let is_sound = |mask: &[u64]| {
            let ones: u32 = mask.iter().map(|word| word.count_ones()).sum();
            let in_range = |j: usize| mask[j / WORD] >> (j % WORD) & 1;
            let inside: u64 = (0..d).map(in_range).sum();
            inside == u64::from(ones) && inside < d as u64
        };
        let n_words = d.div_ceil(WORD);
        let sound = patterns
            .iter()
            .all(|mask| mask.len() == n_words && is_sound(mask));
        let most = match self.settings.psi {
            MaskFeatures::Pattern(most) => most,
            _ => 0,
        };
        if !sound || patterns.len() > most {
            return Err(wrong());
        }
        self.lazy.set_patterns(patterns).ok_or_else(wrong)
    }

    fn set_means(&mut self, part: &Part<'_>) -> Result<()> {
        let d = self.names.len();
        if let Some(means) = &mut self.means {
            means.mean = bounded("mean", part.tensor("mean", &[d])?)?;
            means.weight = saved::not_negative("mean_weight", part.tensor("mean_weight", &[d])?)?;
        }
        Ok(())
    }
}

impl Header {
    fn settings(&self) -> Result<MirrorDescent> {
        let setting = |e: Error| bad_settings(&e);
        let support = support_of(self.support.as_ref())?;
        let mirror = match self.row_penalty {
            None if self.support.is_some() => {
                return Err(broken("support", "none without row_penalty", "lists"));
            }
            None => Mirror::Frob,
            Some(row_penalty) => Mirror::Sparse {
                row_penalty,
                support,
            },
        };
        Ok(MirrorDescent {
            psi: self.psi.parse().map_err(setting)?,
            loss: self.loss.parse().map_err(setting)?,
            mirror,
            set: self.set.parse().map_err(setting)?,
            step: self.step.parse().map_err(setting)?,
            fill: self.fill.parse::<Fill>().map_err(setting)?,
        })
    }

    /// The number of stored cells on a full support.
    fn n_cells(&self, psi: MaskFeatures) -> usize {
        let d = self.features.len();
        let columns = match psi {
            MaskFeatures::Constant => 0,
            MaskFeatures::Identity | MaskFeatures::Affine => d,
            MaskFeatures::Subsets(p) => {
                usize::try_from(MaskFeatures::count_subsets(d, p)).unwrap_or(usize::MAX)
            }
            MaskFeatures::Pattern(n) => {
                let seen = self.patterns.len();
                seen + usize::from(seen == n)
            }
        };
        columns.saturating_mul(d)
    }
}

fn check_numbers(header: &Header) -> Result<()> {
    range("largest_gradient", header.largest_gradient, 0.0, f64::MAX)?;
    range("mean_square", header.mean_square, 0.0, f64::MAX)?;
    range("scale", header.scale, SMALLEST_SCALE, 1.0)?;
    range("norm_squared", header.norm_squared, 0.0, f64::MAX)?;
    range("clipped", header.clipped as f64, 0.0, header.rows as f64)
}
