//! What a model file has of targets beside the first.

use super::calibration_file::CalibrationHeader;
use super::file::TrainingHeader;
use super::{Certificate, Further, MaskLinear};
use crate::container::{Container, bad_settings, broken};
use crate::error::Result;
use crate::learn::Parameters;
use crate::loss::Loss;
use serde::{Deserialize, Serialize};

/// What the header says of one.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FurtherHeader {
    name: String,
    alpha: f64,
    gamma: f64,
    training: TrainingHeader,
    certificate: Certificate,
    /// Null without one; never absent.
    #[serde(deserialize_with = "Option::deserialize")]
    calibration: Option<CalibrationHeader>,
}

impl FurtherHeader {
    pub(super) fn of(further: &Further) -> Self {
        Self {
            name: further.name.clone(),
            alpha: further.parameters.alpha,
            gamma: further.parameters.gamma,
            training: TrainingHeader::of(further.training),
            certificate: further.certificate,
            calibration: further.calibration.as_ref().map(CalibrationHeader::of),
        }
    }

    /// Target `t`, whose predictor is `linear`.
    fn read(self, t: usize, linear: MaskLinear, file: &Container<'_>) -> Result<Further> {
        let (alpha, gamma) = (self.alpha, self.gamma);
        let parameters = Parameters { alpha, gamma };
        parameters
            .validate()
            .map_err(|error| bad_settings(&error))?;
        self.certificate.check()?;
        let n_live = linear.weights.len() - 1;
        let calibration = self.calibration.map(|c| c.read(file, n_live, t));
        Ok(Further {
            name: self.name,
            parameters,
            training: self.training.check()?,
            certificate: self.certificate,
            calibration: calibration.transpose()?,
            linear,
        })
    }
}

/// Refuses names that are not different, and a loss that takes one target.
pub(super) fn check(first: &str, further: &[FurtherHeader], loss: Loss) -> Result<()> {
    let mut names: Vec<&str> = further.iter().map(|of| of.name.as_str()).collect();
    names.push(first);
    names.sort_unstable();
    let is_distinct = names.windows(2).all(|pair| pair[0] != pair[1]);
    if further.is_empty() || is_distinct && loss == Loss::Squared {
        return Ok(());
    }
    let expected = "different names, and the squared loss";
    Err(broken(
        "targets",
        expected,
        &format!("{names:?}, loss {loss}"),
    ))
}

/// The targets beside the first, by their predictors.
pub(super) fn read(
    headers: Vec<FurtherHeader>,
    predictors: Vec<MaskLinear>,
    file: &Container<'_>,
) -> Result<Vec<Further>> {
    let pairs = headers.into_iter().zip(predictors).enumerate();
    let read = |(t, (header, linear)): (usize, (FurtherHeader, MaskLinear))| {
        header.read(t + 1, linear, file)
    };
    pairs.map(read).collect()
}
