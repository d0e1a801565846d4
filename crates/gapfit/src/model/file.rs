//! The model file: a safetensors container with one JSON document in its metadata.
//!
//! No code is run on loading, and nothing in the file is trusted: sizes are checked against each other
//! before anything is built from them, and every number must be finite. The same model always gives
//! the same bytes. Readable from any language with a safetensors library (docs/model-file.md).

use super::{MaskLinear, Model, Training};
use crate::error::{Error, Result};
use crate::impute::Imputer;
use crate::impute::gaussian::Gaussian;
use crate::learn::Parameters;
use crate::linalg::Matrix;
use crate::method::{Base, Method};
use crate::prepare::{Column, Preparation, Prepared};
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;

/// The version of the format this library writes, and the only one it reads.
const FORMAT: u32 = 1;

/// The metadata key under which the header is stored.
const KEY: &str = "gapfit";

#[derive(Serialize, Deserialize)]
struct Header {
    format: u32,
    /// See [`checksum`].
    checksum: u32,
    method: String,
    scale: String,
    clip: f64,
    intercept: String,
    alpha: f64,
    gamma: f64,
    training: TrainingHeader,
    /// Names of the features, in order.
    features: Vec<String>,
    target: String,
    /// The features that were observed in training.
    live: Vec<usize>,
    /// The entries of a completed row (1, live features) that have a shift.
    holes: Vec<usize>,
}

#[derive(Serialize, Deserialize)]
struct TrainingHeader {
    rows: usize,
    rmse: f64,
}

/// CRC-32 of the header, written with sorted keys and its checksum at 0, then of the names and bytes
/// of the tensors, sorted by name.
fn checksum<'a>(header: &Value, tensors: impl Iterator<Item = (&'a str, &'a [u8])>) -> u32 {
    let mut header = header.clone();
    header["checksum"] = 0.into();
    let mut sum = crc32fast::Hasher::new();
    sum.update(header.to_string().as_bytes());
    let mut tensors: Vec<_> = tensors.collect();
    tensors.sort_unstable();
    for (name, bytes) in tensors {
        sum.update(name.as_bytes());
        sum.update(bytes);
    }
    sum.finalize()
}

impl Model {
    /// The bytes of the model file; the same model gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let tensors = self.tensors();
        let bytes: Vec<(&str, Vec<usize>, Vec<u8>)> = tensors
            .iter()
            .map(|(name, shape, data)| {
                let bytes = data.iter().flat_map(|x| x.to_le_bytes()).collect();
                (*name, shape.clone(), bytes)
            })
            .collect();
        let mut header = serde_json::to_value(self.header()).expect("plain data serialises");
        let tensors = bytes.iter().map(|(name, _, bytes)| (*name, &bytes[..]));
        header["checksum"] = checksum(&header, tensors).into();
        let views = bytes.iter().map(|(name, shape, bytes)| {
            let view = TensorView::new(Dtype::F64, shape.clone(), bytes);
            (*name, view.expect("shape and data agree"))
        });
        let metadata = HashMap::from([(KEY.to_owned(), header.to_string())]);
        safetensors::serialize(views, Some(metadata)).expect("tensor names are distinct")
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
            training: TrainingHeader {
                rows: self.training.rows,
                rmse: self.training.rmse,
            },
            features: self.names.clone(),
            target: self.target_name.clone(),
            live: self.prepared.live.clone(),
            holes: self.linear.holes.clone(),
        }
    }

    fn tensors(&self) -> Vec<(&'static str, Vec<usize>, Vec<f64>)> {
        let columns = &self.prepared.columns;
        let column = |f: fn(&Column) -> f64| columns.iter().map(f).collect::<Vec<_>>();
        let n = self.prepared.n_entries();
        let mut tensors = vec![
            ("centre", vec![columns.len()], column(|c| c.centre)),
            ("scale", vec![columns.len()], column(|c| c.scale)),
            ("weights", vec![n], self.linear.weights.clone()),
            (
                "shifts",
                vec![self.linear.holes.len(), n],
                self.linear.shifts.as_slice().to_vec(),
            ),
        ];
        if self.preparation.clip > 0.0 {
            tensors.push(("lower", vec![columns.len()], column(|c| c.lower)));
            tensors.push(("upper", vec![columns.len()], column(|c| c.upper)));
        }
        match &self.prepared.imputer {
            Imputer::Zero => {}
            Imputer::Constant(values) => tensors.push(("fill", vec![n], values.clone())),
            Imputer::Linear(m) => tensors.push(("impute", vec![n, n], m.as_slice().to_vec())),
            Imputer::Gaussian(gaussian) => {
                let d = n - 1;
                let correlation = gaussian.correlation.as_slice().to_vec();
                tensors.push(("mean", vec![d], gaussian.mean.clone()));
                tensors.push(("spread", vec![d], gaussian.spread.clone()));
                tensors.push(("correlation", vec![d, d], correlation));
            }
        }
        tensors
    }

    /// The model in `bytes`.
    ///
    /// # Errors
    /// [`Error::Model`] when the bytes are not a sound model file of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let file = File::open(bytes)?;
        let header = file.header()?;
        let (n_columns, n) = (header.features.len(), header.live.len() + 1);
        ascending("live", &header.live, 0..n_columns)?;
        ascending("holes", &header.holes, 1..n)?;
        let setting = |e: Error| {
            broken(
                "settings",
                "known names and numbers in range",
                &e.to_string(),
            )
        };
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
        preparation.validate().map_err(setting)?;
        parameters.validate().map_err(setting)?;
        let imputer = file.imputer(method.base(), n)?;
        let columns = file.columns(n_columns, preparation.clip > 0.0)?;
        let model = Self {
            method,
            preparation,
            parameters,
            training,
            linear: MaskLinear {
                weights: file.tensor("weights", &[n])?,
                shifts: file.matrix("shifts", n, header.holes.len())?,
                holes: header.holes,
            },
            prepared: Prepared::new(columns, header.live, imputer),
            names: header.features,
            target_name: header.target,
        };
        match file.0.names().len() {
            n if n == model.tensors().len() => Ok(model),
            n => {
                let expected = model.tensors().len().to_string();
                Err(broken("number of tensors", &expected, &n.to_string()))
            }
        }
    }
}

impl TrainingHeader {
    fn check(&self) -> Result<Training> {
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

fn broken(what: &str, expected: &str, got: &str) -> Error {
    Error::Model {
        what: what.to_owned(),
        expected: expected.to_owned(),
        got: got.to_owned(),
    }
}

fn ascending(what: &str, index: &[usize], range: std::ops::Range<usize>) -> Result<()> {
    let sound = index.windows(2).all(|w| w[0] < w[1]) && index.iter().all(|i| range.contains(i));
    if sound {
        return Ok(());
    }
    let expected = format!("ascending numbers in {}..{}", range.start, range.end);
    Err(broken(what, &expected, &format!("{index:?}")))
}

/// An opened container.
struct File<'a>(SafeTensors<'a>, HashMap<String, String>);

impl<'a> File<'a> {
    fn open(bytes: &'a [u8]) -> Result<Self> {
        let unsound = |e| broken("container", "a model written by gapfit", &format!("{e}"));
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(unsound)?;
        let tensors = SafeTensors::deserialize(bytes).map_err(unsound)?;
        Ok(Self(
            tensors,
            metadata.metadata().clone().unwrap_or_default(),
        ))
    }

    fn header(&self) -> Result<Header> {
        let no_header = || broken("header", "metadata written by gapfit", "none");
        let text = self.1.get(KEY).ok_or_else(no_header)?;
        let unsound =
            |e: serde_json::Error| broken("header", "the fields of format 1", &e.to_string());
        let value: Value = serde_json::from_str(text).map_err(unsound)?;
        let format = &value["format"];
        if format != FORMAT {
            return Err(broken(
                "format version",
                &FORMAT.to_string(),
                &format.to_string(),
            ));
        }
        let header: Header = serde_json::from_value(value.clone()).map_err(unsound)?;
        let found = checksum(
            &value,
            self.0.iter().map(|(name, view)| (name, view.data())),
        );
        if found != header.checksum {
            let expected = header.checksum.to_string();
            return Err(broken(
                "checksum",
                &expected,
                &format!("{found}: the file is damaged"),
            ));
        }
        Ok(header)
    }

    /// The numbers of a tensor of this shape.
    fn tensor(&self, name: &str, shape: &[usize]) -> Result<Vec<f64>> {
        let what = format!("tensor '{name}'");
        let expected = format!("64-bit numbers of shape {shape:?}");
        let absent = |_| broken(&what, &expected, "none");
        let view = self.0.tensor(name).map_err(absent)?;
        if view.dtype() != Dtype::F64 || view.shape() != shape {
            let got = format!("{:?} of shape {:?}", view.dtype(), view.shape());
            return Err(broken(&what, &expected, &got));
        }
        let number = |b: &[u8]| f64::from_le_bytes(b.try_into().expect("chunks of eight bytes"));
        let numbers: Vec<f64> = view.data().chunks_exact(8).map(number).collect();
        match numbers.iter().find(|x| !x.is_finite()) {
            Some(x) => Err(broken(&what, "finite numbers", &x.to_string())),
            None => Ok(numbers),
        }
    }

    /// A matrix stored column by column; its columns are the rows of the tensor.
    fn matrix(&self, name: &str, n_rows: usize, n_cols: usize) -> Result<Matrix> {
        Ok(Matrix::from_columns(
            n_rows,
            n_cols,
            self.tensor(name, &[n_cols, n_rows])?,
        ))
    }

    /// The imputer over `n` entries.
    fn imputer(&self, base: Base, n: usize) -> Result<Imputer> {
        Ok(match base {
            Base::Zero => Imputer::Zero,
            Base::Mean => Imputer::Constant(self.tensor("fill", &[n])?),
            Base::Independent => Imputer::Linear(self.matrix("impute", n, n)?),
            Base::Gaussian => {
                let (mean, spread) = (
                    self.tensor("mean", &[n - 1])?,
                    self.tensor("spread", &[n - 1])?,
                );
                let correlation = self.matrix("correlation", n - 1, n - 1)?;
                let unsound =
                    |(name, expected)| broken(&format!("tensor '{name}'"), expected, "others");
                Imputer::Gaussian(Gaussian::new(mean, spread, correlation).map_err(unsound)?)
            }
        })
    }

    fn columns(&self, n: usize, clips: bool) -> Result<Vec<Column>> {
        let (centre, scale) = (self.tensor("centre", &[n])?, self.tensor("scale", &[n])?);
        if let Some(s) = scale.iter().find(|s| **s <= 0.0) {
            return Err(broken("tensor 'scale'", "positive numbers", &s.to_string()));
        }
        let (lower, upper) = if clips {
            (self.tensor("lower", &[n])?, self.tensor("upper", &[n])?)
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
}
