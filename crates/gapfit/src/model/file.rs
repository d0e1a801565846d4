//! The model file (docs/model-file.md).

use super::calibration_file::{self, CalibrationHeader};
use super::class_file;
use super::schema::{self, ColumnHeader};
use super::support_file::{self, SupportHeader};
use super::target_file::{self, FurtherHeader};
use super::{Certificate, Judgement, MaskLinear, Model, Seen, Training};
use crate::container::{self, Container, FORMAT, Tensor, bad_settings, broken, vector};
use crate::error::{Error, Result};
use crate::impute::Imputer;
use crate::impute::gaussian::Gaussian;
use crate::learn::{Multiclass, Parameters};
use crate::linalg::Matrix;
use crate::loss::Loss;
use crate::method::{Base, Method};
use crate::prepare::{Column, Preparation, Prepared};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Serialize, Deserialize)]
struct Header {
    format: u32,
    /// Filled in and checked by the container.
    checksum: u32,
    method: String,
    scale: String,
    clip: f64,
    intercept: String,
    alpha: f64,
    gamma: f64,
    training: TrainingHeader,
    certificate: Certificate,
    /// Null without one; never absent.
    #[serde(deserialize_with = "Option::deserialize")]
    calibration: Option<CalibrationHeader>,
    /// Names of the features, in order.
    features: Vec<String>,
    target: String,
    /// The targets beside the first; absent where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    further_targets: Vec<FurtherHeader>,
    /// Absent for `squared`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    loss: Option<String>,
    /// Absent where the target is numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    classes: Vec<String>,
    /// Absent where the target is numbers, or nothing was held out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    judgement: Option<Judgement>,
    /// Whether each class has a model against the others; absent if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    one_vs_rest: bool,
    /// The columns that the features were made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    schema: Option<Vec<ColumnHeader>>,
    /// The features that were observed in training.
    live: Vec<usize>,
    /// The entries of a completed row (1, live features) that have a shift.
    holes: Vec<usize>,
    /// The entries that each of them shifts; absent where that is all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    support: Option<SupportHeader>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct TrainingHeader {
    pub(super) rows: usize,
    pub(super) rmse: f64,
}

impl Model {
    /// The bytes of the model file; the same model gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        container::write(&self.header(), &self.tensors())
    }

    fn header(&self) -> Header {
        Header {
            format: FORMAT,
            checksum: 0,
            method: self.method.to_string(),
            scale: self.preparation.scale.to_string(),
            clip: self.preparation.clip,
            intercept: self.preparation.intercept.to_string(),
            alpha: self.parameters.alpha,
            gamma: self.parameters.gamma,
            training: TrainingHeader::of(self.training),
            certificate: self.certificate,
            calibration: self.calibration.as_ref().map(CalibrationHeader::of),
            features: self.names.clone(),
            target: self.target_name.clone(),
            further_targets: self.further.iter().map(FurtherHeader::of).collect(),
            loss: (self.loss != Loss::Squared).then(|| self.loss.to_string()),
            classes: self.classes.clone(),
            judgement: self.judgement,
            one_vs_rest: self.multiclass == Multiclass::OneVsRest,
            schema: self.schema.as_deref().map(schema::header),
            live: self.prepared.live.clone(),
            holes: self.linear.holes.clone(),
            support: SupportHeader::of(self.support, &self.linear),
        }
    }

    fn tensors(&self) -> Vec<Tensor> {
        let columns = &self.prepared.columns;
        let column = |f: fn(&Column) -> f64| columns.iter().map(f).collect::<Vec<_>>();
        let seen = |f: fn(&Seen) -> f64| self.seen.iter().map(f).collect::<Vec<_>>();
        let n = self.prepared.n_entries();
        let mut tensors = vec![
            vector("missing", &seen(|s| s.missing)),
            vector("average", &seen(|s| s.mean)),
            vector("centre", &column(|c| c.centre)),
            vector("scale", &column(|c| c.scale)),
            vector("weights", &self.linear.weights),
            (
                "shifts".to_owned(),
                support_file::shape(&self.linear.shifted, self.linear.holes.len()),
                self.linear.shifts.clone(),
            ),
        ];
        let others: Vec<&MaskLinear> = self.predictors().skip(1).collect();
        tensors.extend(class_file::tensors(&others));
        let calibrations = self.further.iter().map(|of| &of.calibration);
        let calibrations = std::iter::once(&self.calibration).chain(calibrations);
        for (t, calibration) in calibrations.enumerate() {
            tensors.extend(
                calibration
                    .iter()
                    .flat_map(|c| calibration_file::tensors(c, t)),
            );
        }
        if self.preparation.clip > 0.0 {
            tensors.push(vector("lower", &column(|c| c.lower)));
            tensors.push(vector("upper", &column(|c| c.upper)));
        }
        match &self.prepared.imputer {
            Imputer::Zero => {}
            Imputer::Constant(values) => tensors.push(vector("fill", values)),
            Imputer::Linear(m) => {
                tensors.push(("impute".to_owned(), vec![n, n], m.as_slice().to_vec()));
            }
            Imputer::Gaussian(gaussian) => {
                let d = n - 1;
                let correlation = gaussian.correlation.as_slice().to_vec();
                tensors.push(vector("mean", &gaussian.mean));
                tensors.push(vector("spread", &gaussian.spread));
                tensors.push(("correlation".to_owned(), vec![d, d], correlation));
            }
        }
        tensors
    }

    /// The model in `bytes`.
    ///
    /// # Errors
    /// [`Error::Model`] when the bytes are not a sound model file of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let file = Container::open(bytes)?;
        let header: Header = file.header()?;
        let (n_columns, n) = (header.features.len(), header.live.len() + 1);
        ascending("live", &header.live, 0..n_columns)?;
        ascending("holes", &header.holes, 1..n)?;
        let setting = |e: Error| bad_settings(&e);
        let method: Method = header.method.parse().map_err(setting)?;
        let preparation = Preparation {
            scale: header.scale.parse().map_err(setting)?,
            clip: header.clip,
            intercept: header.intercept.parse().map_err(setting)?,
        };
        let parameters = Parameters {
            alpha: header.alpha,
            gamma: header.gamma,
        };
        let training = header.training.check()?;
        header.certificate.check()?;
        let calibration = header
            .calibration
            .map(|c| c.read(&file, n - 1, 0))
            .transpose()?;
        let schema = header.schema.map(|s| schema::parse(s, &header.features));
        preparation.validate().map_err(setting)?;
        parameters.validate().map_err(setting)?;
        let loss = header.loss.map_or(Ok(Loss::Squared), |loss| loss.parse());
        let loss = class_file::check_loss(loss.map_err(setting)?, &header.classes)?;
        header
            .judgement
            .map_or(Ok(()), |judgement| judgement.check(loss))?;
        let multiclass = match header.one_vs_rest {
            true => Multiclass::OneVsRest,
            false => Multiclass::Joint,
        };
        target_file::check(&header.target, &header.further_targets, loss)?;
        let n_others = match header.classes.len() {
            0..=2 => header.further_targets.len(),
            n_classes => n_classes - 1,
        };
        let holes = header.holes;
        let (support, shifted) = support_file::read(header.support.as_ref(), holes.len(), n)?;
        let linear = MaskLinear {
            weights: file.tensor("weights", &[n])?,
            shifts: file.tensor("shifts", &support_file::shape(&shifted, holes.len()))?,
            holes,
            shifted,
        };
        let mut others = class_file::others(&file, n_others, &linear)?;
        let own = others.split_off(others.len() - header.further_targets.len());
        let further = target_file::read(header.further_targets, own, &file)?;
        let imputer = imputer(&file, method.base(), n)?;
        let columns = columns(&file, n_columns, preparation.clip > 0.0)?;
        let model = Self {
            method,
            preparation,
            parameters,
            training,
            certificate: header.certificate,
            seen: seen(&file, n_columns)?,
            calibration,
            judgement: header.judgement,
            others,
            further,
            linear,
            support,
            loss,
            multiclass,
            classes: header.classes,
            prepared: Arc::new(Prepared::new(columns, header.live, imputer)),
            names: header.features,
            target_name: header.target,
            schema: schema.transpose()?.map(Arc::new),
        };
        file.check_count(model.tensors().len())?;
        Ok(model)
    }
}

impl TrainingHeader {
    pub(super) fn of(training: Training) -> Self {
        let Training { rows, rmse } = training;
        Self { rows, rmse }
    }

    pub(super) fn check(&self) -> Result<Training> {
        let Self { rows, rmse } = *self;
        if rows > 0 && rmse.is_finite() && rmse >= 0.0 {
            return Ok(Training { rows, rmse });
        }
        let expected = "one or more rows and an error that is not negative";
        Err(broken(
            "training",
            expected,
            &format!("{rows} rows and {rmse}"),
        ))
    }
}

/// What training showed of `n` features.
fn seen(file: &Container<'_>, n: usize) -> Result<Vec<Seen>> {
    let (missing, means) = (file.tensor("missing", &[n])?, file.tensor("average", &[n])?);
    if let Some(share) = missing.iter().find(|m| !(0.0..=1.0).contains(*m)) {
        let got = share.to_string();
        return Err(broken("tensor 'missing'", "shares from 0 to 1", &got));
    }
    let seen = missing.into_iter().zip(means);
    Ok(seen.map(|(missing, mean)| Seen { missing, mean }).collect())
}

fn ascending(what: &str, index: &[usize], range: std::ops::Range<usize>) -> Result<()> {
    let sound = index.windows(2).all(|w| w[0] < w[1]) && index.iter().all(|i| range.contains(i));
    if sound {
        return Ok(());
    }
    let expected = format!("ascending numbers in {}..{}", range.start, range.end);
    Err(broken(what, &expected, &format!("{index:?}")))
}

/// A matrix stored column by column; its columns are the rows of the tensor.
fn matrix(file: &Container<'_>, name: &str, n_rows: usize, n_cols: usize) -> Result<Matrix> {
    let data = file.tensor(name, &[n_cols, n_rows])?;
    Ok(Matrix::from_columns(n_rows, n_cols, data))
}

/// The imputer over `n` entries.
fn imputer(file: &Container<'_>, base: Base, n: usize) -> Result<Imputer> {
    Ok(match base {
        Base::Zero => Imputer::Zero,
        Base::Mean => Imputer::Constant(file.tensor("fill", &[n])?),
        Base::Independent => Imputer::Linear(matrix(file, "impute", n, n)?),
        Base::Gaussian => {
            let (mean, spread) = (
                file.tensor("mean", &[n - 1])?,
                file.tensor("spread", &[n - 1])?,
            );
            let correlation = matrix(file, "correlation", n - 1, n - 1)?;
            let unsound =
                |(name, expected)| broken(&format!("tensor '{name}'"), expected, "others");
            Imputer::Gaussian(Gaussian::new(mean, spread, correlation).map_err(unsound)?)
        }
    })
}

fn columns(file: &Container<'_>, n: usize, clips: bool) -> Result<Vec<Column>> {
    let (centre, scale) = (file.tensor("centre", &[n])?, file.tensor("scale", &[n])?);
    if let Some(s) = scale.iter().find(|s| **s <= 0.0) {
        return Err(broken("tensor 'scale'", "positive numbers", &s.to_string()));
    }
    let (lower, upper) = if clips {
        (file.tensor("lower", &[n])?, file.tensor("upper", &[n])?)
    } else {
        (vec![f64::NEG_INFINITY; n], vec![f64::INFINITY; n])
    };
    if let Some(j) = (0..n).find(|&j| lower[j] > upper[j]) {
        let got = format!("{} above {}", lower[j], upper[j]);
        return Err(broken("clipping bounds", "lower not above upper", &got));
    }
    let column = |j: usize| Column {
        lower: lower[j],
        upper: upper[j],
        centre: centre[j],
        scale: scale[j],
    };
    Ok((0..n).map(column).collect())
}
