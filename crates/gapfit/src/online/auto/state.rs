//! The state of the combined learner as bytes (docs/model-file.md).

use super::Auto;
use super::expert::{Expert, Knows, Learner};
use super::learn::AutoLearner;
use super::sample::{Kept, Sample};
use crate::container::{Part, Tensor, bad_settings, broken, in_part, vector};
use crate::data::RowBuffer;
use crate::error::{Error, Result};
use crate::online::mixture::Tally;
use crate::online::running::{Running, Units};
use crate::online::saved::{self, Saved, bounded, not_negative, range, support_of};
use crate::online::{LARGEST, adaptive, state};
use serde::{Deserialize, Serialize};

/// Everything but the tensors.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    features: Vec<String>,
    loss: String,
    /// The neighbours of each feature; empty lists are no support.
    support: Option<Vec<Vec<u32>>>,
    /// Whether the support is given; `support: null` is then the full one.
    is_given: bool,
    rows: u64,
    clipped: u64,
    /// Rows kept to find the support; `null` when that is over.
    sample: Option<usize>,
    mixture: Totals,
    experts: Vec<OfExpert>,
}

/// What the rounds of the mixture add up to.
#[derive(Debug, Serialize, Deserialize)]
struct Totals {
    range: Option<(f64, f64)>,
    heaviest: f64,
    excess: f64,
    surprise: f64,
    mixed: f64,
}

#[derive(Debug, Serialize, Deserialize)]
struct OfExpert {
    knows: Knows,
    units: String,
    learner: OfLearner,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OfLearner {
    Online(Box<state::Header>),
    Adaptive(Box<adaptive::Header>),
}

impl AutoLearner {
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

impl Saved for AutoLearner {
    type Header = Header;
    const KIND: &'static str = "auto";

    fn header(&self) -> Header {
        let support = self.settings.support.as_ref();
        let Tally {
            range,
            heaviest,
            excess,
            surprise,
            mixed,
        } = self.mixture.tally;
        Header {
            features: self.names.clone(),
            loss: self.settings.loss.to_string(),
            support: support.and_then(|s| s.lists()).map(<[_]>::to_vec),
            is_given: support.is_some(),
            rows: self.rows,
            clipped: self.clipped,
            sample: self.sample.as_ref().map(|sample| sample.rows.len()),
            mixture: Totals {
                range,
                heaviest,
                excess,
                surprise,
                mixed,
            },
            experts: self.experts.iter().map(OfExpert::of).collect(),
        }
    }

    fn tensors(&self) -> Vec<Tensor> {
        let mut tensors = vec![vector("losses", &self.mixture.losses)];
        tensors.extend(in_part("features", running_tensors(&self.running)));
        tensors.extend(in_part("target", running_tensors(&self.target)));
        if let Some(sample) = &self.sample {
            tensors.extend(in_part("sample", sample_tensors(sample)));
        }
        for (k, expert) in self.experts.iter().enumerate() {
            let own = match &expert.learner {
                Learner::Descent(learner) => learner.tensors(),
                Learner::Adaptive(learner) => learner.tensors(),
            };
            tensors.extend(in_part(&format!("expert{k}"), own));
        }
        tensors
    }

    fn restore(header: Header, part: &Part<'_>) -> Result<Self> {
        let d = header.features.len();
        range("clipped", header.clipped as f64, 0.0, header.rows as f64)?;
        let settings = header.settings()?;
        let mut experts = Vec::new();
        for (k, of) in header.experts.into_iter().enumerate() {
            experts.push(of.restore(&part.part(&format!("expert{k}")), 1 + d)?);
        }
        if experts.is_empty() {
            return Err(broken("experts", "at least one", "none"));
        }
        let losses = bounded("losses", part.tensor("losses", &[experts.len()])?)?;
        let sample = header.sample.map(|n| sample(&part.part("sample"), n, d));
        let mut learner = Self::blank(settings, header.features).map_err(|e| bad_settings(&e))?;
        learner.running = running(&part.part("features"), d)?;
        learner.target = running(&part.part("target"), 1)?;
        learner.mixture.tally = header.mixture.tally()?;
        learner.mixture.losses = losses;
        learner.experts = experts;
        learner.sample = sample.transpose()?;
        learner.rows = header.rows;
        learner.clipped = header.clipped;
        Ok(learner)
    }
}

impl Header {
    fn settings(&self) -> Result<Auto> {
        Ok(Auto {
            loss: self.loss.parse().map_err(|e: Error| bad_settings(&e))?,
            support: match (self.is_given, &self.support) {
                (true, support) => Some(support_of(support.as_ref())?),
                (false, None) => None,
                (false, Some(_)) => return Err(broken("support", "none unless given", "lists")),
            },
        })
    }
}

impl Totals {
    fn tally(&self) -> Result<Tally> {
        if let Some((low, high)) = self.range {
            range("range", low, -LARGEST, LARGEST)?;
            range("range", high, low, LARGEST)?;
        }
        range("heaviest", self.heaviest, 1.0, f64::MAX)?;
        range("excess", self.excess, 0.0, f64::MAX)?;
        range("surprise", self.surprise, 0.0, f64::MAX)?;
        range("mixed", self.mixed, f64::MIN, f64::MAX)?;
        Ok(Tally {
            range: self.range,
            heaviest: self.heaviest,
            excess: self.excess,
            surprise: self.surprise,
            mixed: self.mixed,
        })
    }
}

impl OfExpert {
    fn of(expert: &Expert) -> Self {
        Self {
            knows: expert.knows,
            units: expert.units.to_string(),
            learner: match &expert.learner {
                Learner::Descent(learner) => OfLearner::Online(Box::new(learner.header())),
                Learner::Adaptive(learner) => OfLearner::Adaptive(Box::new(learner.header())),
            },
        }
    }

    fn restore(self, part: &Part<'_>, width: usize) -> Result<Expert> {
        let units: Units = self.units.parse().map_err(|e: Error| bad_settings(&e))?;
        if units == Units::Raw {
            return Err(broken("units", "unit or standard", "raw"));
        }
        let learner = match self.learner {
            OfLearner::Online(header) => Learner::Descent(Box::new(Saved::restore(*header, part)?)),
            OfLearner::Adaptive(header) => {
                Learner::Adaptive(Box::new(Saved::restore(*header, part)?))
            }
        };
        let n = match &learner {
            Learner::Descent(learner) => learner.feature_names().len(),
            Learner::Adaptive(learner) => learner.feature_names().len(),
        };
        if n != width {
            let expected = width.to_string();
            return Err(broken("features of an expert", &expected, &n.to_string()));
        }
        Ok(Expert {
            knows: self.knows,
            units,
            learner,
        })
    }
}

pub(crate) fn running_tensors(running: &Running) -> Vec<Tensor> {
    vec![
        vector("count", &running.count),
        vector("mean", &running.mean),
        vector("squares", &running.squares),
    ]
}

pub(crate) fn running(part: &Part<'_>, n: usize) -> Result<Running> {
    Ok(Running::restored(
        not_negative("count", part.tensor("count", &[n])?)?,
        bounded("mean", part.tensor("mean", &[n])?)?,
        not_negative("squares", part.tensor("squares", &[n])?)?,
    ))
}

fn sample_tensors(sample: &Sample) -> Vec<Tensor> {
    let rows = &sample.rows;
    let width = rows.first().map_or(0, |kept| kept.row.n_features());
    let cells = |cell: fn(Option<f64>) -> f64| {
        let row = |kept: &Kept| (0..width).map(|j| cell(kept.row.as_row().get(j))).collect();
        rows.iter()
            .flat_map(|kept| -> Vec<f64> { row(kept) })
            .collect::<Vec<_>>()
    };
    let column = |of: fn(&Kept) -> f64| rows.iter().map(of).collect::<Vec<_>>();
    vec![
        vector("values", &cells(|cell| cell.unwrap_or(0.0))),
        vector(
            "observed",
            &cells(|cell| f64::from(u8::from(cell.is_some()))),
        ),
        vector("target", &column(|kept| kept.target)),
        vector("weight", &column(|kept| kept.weight)),
    ]
}

fn sample(part: &Part<'_>, n: usize, d: usize) -> Result<Sample> {
    let n_cells = n.saturating_mul(d);
    let values = part.tensor("values", &[n_cells])?;
    let observed = part.tensor("observed", &[n_cells])?;
    let target = bounded("target", part.tensor("target", &[n])?)?;
    let weight = not_negative("weight", part.tensor("weight", &[n])?)?;
    let mut sample = Sample::default();
    for i in 0..n {
        let mut row = RowBuffer::new(d);
        for j in (0..d).filter(|j| observed[i * d + j] > 0.0) {
            row.set(j, values[i * d + j])?;
        }
        sample.rows.push(Kept {
            row,
            target: target[i],
            weight: weight[i],
        });
    }
    Ok(sample)
}
