//! The container of every file gapfit writes: safetensors, with one JSON document in its metadata.
//!
//! No code is run on loading, and nothing in a file is trusted: sizes are checked against each other
//! before anything is built from them, and every number must be finite. Equal contents give equal
//! bytes. Readable from any language with a safetensors library.

use crate::error::{Error, Result};
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashMap;

/// The version of the format this library writes, and the only one it reads.
pub(crate) const FORMAT: u32 = 1;

/// The metadata key under which the header is stored.
const KEY: &str = "gapfit";

/// A tensor to be written: name, shape, numbers.
pub(crate) type Tensor = (String, Vec<usize>, Vec<f64>);

/// A tensor of one dimension, to be written.
pub(crate) fn vector(name: &str, values: &[f64]) -> Tensor {
    (name.to_owned(), vec![values.len()], values.to_vec())
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

/// The bytes of a container; `header` has the fields `format` and `checksum`, the latter filled in here.
pub(crate) fn write(header: &impl Serialize, tensors: &[Tensor]) -> Vec<u8> {
    let bytes: Vec<(&str, Vec<usize>, Vec<u8>)> = tensors
        .iter()
        .map(|(name, shape, data)| {
            let bytes = data.iter().flat_map(|x| x.to_le_bytes()).collect();
            (name.as_str(), shape.clone(), bytes)
        })
        .collect();
    let mut header = serde_json::to_value(header).expect("plain data serialises");
    let tensors = bytes.iter().map(|(name, _, bytes)| (*name, &bytes[..]));
    header["checksum"] = checksum(&header, tensors).into();
    let views = bytes.iter().map(|(name, shape, bytes)| {
        let view = TensorView::new(Dtype::F64, shape.clone(), bytes);
        (*name, view.expect("shape and data agree"))
    });
    let metadata = HashMap::from([(KEY.to_owned(), header.to_string())]);
    safetensors::serialize(views, Some(metadata)).expect("tensor names are distinct")
}

/// The error for a part of a file that is not as it should be.
pub(crate) fn broken(what: &str, expected: &str, got: &str) -> Error {
    Error::Model {
        what: what.to_owned(),
        expected: expected.to_owned(),
        got: got.to_owned(),
    }
}

/// The error for settings in a file that the library would not accept either.
pub(crate) fn bad_settings(error: &Error) -> Error {
    let expected = "known names and numbers in range";
    broken("settings", expected, &error.to_string())
}

/// What the header calls the kind of its content, unchecked; `None` for batch models and other files.
pub(crate) fn kind(bytes: &[u8]) -> Option<String> {
    let (_, metadata) = SafeTensors::read_metadata(bytes).ok()?;
    let header = metadata.metadata().as_ref()?.get(KEY)?;
    let header: Value = serde_json::from_str(header).ok()?;
    Some(header["kind"].as_str()?.to_owned())
}

/// An opened container.
pub(crate) struct Container<'a>(SafeTensors<'a>, HashMap<String, String>);

impl<'a> Container<'a> {
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self> {
        let unsound = |e| broken("container", "a model written by gapfit", &format!("{e}"));
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(unsound)?;
        let tensors = SafeTensors::deserialize(bytes).map_err(unsound)?;
        Ok(Self(
            tensors,
            metadata.metadata().clone().unwrap_or_default(),
        ))
    }

    /// The header, of this version and with the right checksum.
    pub(crate) fn header<H: DeserializeOwned>(&self) -> Result<H> {
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
        let header: H = serde_json::from_value(value.clone()).map_err(unsound)?;
        let found = checksum(
            &value,
            self.0.iter().map(|(name, view)| (name, view.data())),
        );
        if value["checksum"] != found {
            let got = format!("{found}: the file is damaged");
            return Err(broken("checksum", &value["checksum"].to_string(), &got));
        }
        Ok(header)
    }

    /// The numbers of a tensor of this shape.
    pub(crate) fn tensor(&self, name: &str, shape: &[usize]) -> Result<Vec<f64>> {
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

    /// Refuses a file with another number of tensors than were read.
    pub(crate) fn check_count(&self, expected: usize) -> Result<()> {
        match self.0.names().len() {
            n if n == expected => Ok(()),
            n => Err(broken(
                "number of tensors",
                &expected.to_string(),
                &n.to_string(),
            )),
        }
    }
}

/// The tensors of one part of a container: those whose names begin as the part is called.
#[derive(Clone)]
pub(crate) struct Part<'a> {
    file: &'a Container<'a>,
    prefix: String,
}

impl<'a> Part<'a> {
    /// All of them.
    pub(crate) fn whole(file: &'a Container<'a>) -> Self {
        Self {
            file,
            prefix: String::new(),
        }
    }

    /// The part of this part that has the given name.
    pub(crate) fn part(&self, name: &str) -> Self {
        Self {
            file: self.file,
            prefix: format!("{}{name}.", self.prefix),
        }
    }

    /// The numbers of a tensor of this shape.
    pub(crate) fn tensor(&self, name: &str, shape: &[usize]) -> Result<Vec<f64>> {
        self.file.tensor(&format!("{}{name}", self.prefix), shape)
    }
}

/// Tensors as those of a part with this name.
pub(crate) fn in_part(name: &str, tensors: Vec<Tensor>) -> Vec<Tensor> {
    let rename = |(own, shape, data)| (format!("{name}.{own}"), shape, data);
    tensors.into_iter().map(rename).collect()
}
