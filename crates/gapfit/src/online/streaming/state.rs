//! The state of a learner from a stream as bytes (docs/model-file.md).

use super::{Front, Inner, StreamLearner};
use crate::container::{self, Part, Tensor, bad_settings, broken, in_part};
use crate::data::RowBuffer;
use crate::error::{Error, Result};
use crate::online::auto::{self, running, running_tensors};
use crate::online::running::Units;
use crate::online::saved::{self, Saved};
use crate::online::{AdaptiveLearner, AutoLearner, OnlineLearner, adaptive, check_names, state};
use serde::{Deserialize, Serialize};

/// Everything but the tensors.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    /// Words of whoever keeps the state, such as where the stream was left.
    note: String,
    learner: OfLearner,
    /// `null` for auto, which has its own.
    front: Option<OfFront>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OfLearner {
    Online(Box<state::Header>),
    Adaptive(Box<adaptive::Header>),
    Auto(Box<auto::Header>),
}

#[derive(Debug, Serialize, Deserialize)]
struct OfFront {
    features: Vec<String>,
    units: String,
}

/// A learner and a note.
struct Noted {
    learner: StreamLearner,
    note: String,
}

impl StreamLearner {
    /// The bytes of the state; the same state gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_bytes_with("")
    }

    /// Whether these bytes claim to be such a state, not a batch model or something else.
    pub fn recognises(bytes: &[u8]) -> bool {
        container::kind(bytes).as_deref() == Some(Noted::KIND)
    }

    /// The bytes of the state and of a note.
    pub fn to_bytes_with(&self, note: &str) -> Vec<u8> {
        saved::to_bytes(&Noted {
            learner: self.clone(),
            note: note.to_owned(),
        })
    }

    /// The learner whose state `bytes` are.
    ///
    /// # Errors
    /// [`Error::Model`] when the bytes are not a sound state of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Ok(Self::from_bytes_with(bytes)?.0)
    }

    /// The learner whose state `bytes` are, and the note kept with it.
    ///
    /// # Errors
    /// [`Error::Model`] when the bytes are not a sound state of this version.
    pub fn from_bytes_with(bytes: &[u8]) -> Result<(Self, String)> {
        let Noted { learner, note } = saved::from_bytes(bytes)?;
        Ok((learner, note))
    }
}

impl Saved for Noted {
    type Header = Header;
    const KIND: &'static str = "stream";

    fn header(&self) -> Header {
        Header {
            note: self.note.clone(),
            learner: match &self.learner.inner {
                Inner::Descent(learner) => OfLearner::Online(Box::new(learner.header())),
                Inner::Adaptive(learner) => OfLearner::Adaptive(Box::new(learner.header())),
                Inner::Auto(learner) => OfLearner::Auto(Box::new(learner.header())),
            },
            front: self.learner.front.as_ref().map(|front| OfFront {
                features: front.names.clone(),
                units: front.units.to_string(),
            }),
        }
    }

    fn tensors(&self) -> Vec<Tensor> {
        let mut tensors = match &self.learner.inner {
            Inner::Descent(learner) => learner.tensors(),
            Inner::Adaptive(learner) => learner.tensors(),
            Inner::Auto(learner) => learner.tensors(),
        };
        if let Some(front) = &self.learner.front {
            tensors.extend(in_part("features", running_tensors(&front.running)));
        }
        tensors
    }

    fn restore(header: Header, part: &Part<'_>) -> Result<Self> {
        let (inner, width) = match header.learner {
            OfLearner::Auto(header) => {
                let learner = AutoLearner::restore(*header, part)?;
                (Inner::Auto(Box::new(learner)), None)
            }
            OfLearner::Online(header) => {
                let learner = OnlineLearner::restore(*header, part)?;
                let width = learner.feature_names().len();
                (Inner::Descent(Box::new(learner)), Some(width))
            }
            OfLearner::Adaptive(header) => {
                let learner = AdaptiveLearner::restore(*header, part)?;
                let width = learner.feature_names().len();
                (Inner::Adaptive(Box::new(learner)), Some(width))
            }
        };
        let n_features = header.front.as_ref().map(|front| 1 + front.features.len());
        if n_features != width {
            return Err(broken(
                "front",
                "one feature less than the learner",
                "others",
            ));
        }
        let front = header.front.map(|front| front.restore(part)).transpose()?;
        Ok(Self {
            learner: StreamLearner { inner, front },
            note: header.note,
        })
    }
}

impl OfFront {
    fn restore(self, part: &Part<'_>) -> Result<Front> {
        check_names(&self.features).map_err(|e| bad_settings(&e))?;
        let units: Units = self.units.parse().map_err(|e: Error| bad_settings(&e))?;
        Ok(Front {
            running: running(&part.part("features"), self.features.len())?,
            names: self.features,
            units,
            row: RowBuffer::default(),
        })
    }
}
