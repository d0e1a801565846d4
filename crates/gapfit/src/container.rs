//! The container of every file gapfit writes: safetensors, with one JSON document in its metadata.
//!
//! No code is run on loading, and nothing in a file is trusted: sizes are checked against each other
//! before anything is built from them, and every number must be finite. Equal contents give equal
//! bytes. Readable from any language with a safetensors library.

use crate::error::{Error, Result};
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, Metadata, TensorInfo};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashMap;
use std::convert::Infallible;
use std::io::{self, Write};

/// The version of the format this library writes, and the only one it reads.
pub(crate) const FORMAT: u32 = 1;

/// The metadata key under which the header is stored.
const KEY: &str = "gapfit";

/// A tensor to be written: name, shape, numbers.
pub(crate) type Tensor<V = Vec<f64>> = (String, Vec<usize>, V);

/// A tensor of one dimension, to be written.
pub(crate) fn vector(name: &str, values: &[f64]) -> Tensor {
    (name.to_owned(), vec![values.len()], values.to_vec())
}

/// CRC-32 of the header, written with sorted keys and its checksum at 0; the names and bytes of the tensors follow, sorted by name.
fn checksum(header: &Value) -> crc32fast::Hasher {
    let mut header = header.clone();
    header["checksum"] = 0.into();
    let mut sum = crc32fast::Hasher::new();
    sum.update(header.to_string().as_bytes());
    sum
}

/// The bytes of a container; `header` has the fields `format` and `checksum`, the latter filled in here.
pub(crate) fn write(header: &impl Serialize, tensors: &[Tensor]) -> Vec<u8> {
    let tensors = tensors.iter();
    let in_one_run = tensors.map(|(name, shape, data)| (name.clone(), shape.clone(), vec![data]));
    let mut bytes = Vec::new();
    write_to(&mut bytes, header, in_one_run.collect()).expect("memory takes whatever is written");
    bytes
}

/// Writes the bytes of a container of tensors that come as runs of numbers, never all of them in memory; returns the number of bytes.
pub(crate) fn write_to<V: AsRef<[f64]>>(
    out: &mut (impl Write + ?Sized),
    header: &impl Serialize,
    mut tensors: Vec<Tensor<Vec<V>>>,
) -> io::Result<usize> {
    tensors.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    let mut header = serde_json::to_value(header).expect("plain data serialises");
    let mut sum = checksum(&header);
    for (name, _, data) in &tensors {
        sum.update(name.as_bytes());
        let summed = for_bytes(data, |bytes| {
            sum.update(bytes);
            Ok::<(), Infallible>(())
        });
        summed.unwrap_or_else(|never| match never {});
    }
    header["checksum"] = sum.finalize().into();
    let mut end = 0;
    let info = |(name, shape, data): &Tensor<Vec<V>>| {
        let start = end;
        end += data
            .iter()
            .map(|run| size_of_val(run.as_ref()))
            .sum::<usize>();
        let info = TensorInfo {
            dtype: Dtype::F64,
            shape: shape.clone(),
            data_offsets: (start, end),
        };
        (name.clone(), info)
    };
    let infos = tensors.iter().map(info).collect();
    let metadata = HashMap::from([(KEY.to_owned(), header.to_string())]);
    let metadata = Metadata::new(Some(metadata), infos).expect("shapes and data agree");
    let mut metadata = serde_json::to_vec(&metadata).expect("plain data serialises");
    metadata.resize(metadata.len().next_multiple_of(ALIGNED), b' ');
    out.write_all(&(metadata.len() as u64).to_le_bytes())?;
    out.write_all(&metadata)?;
    for (_, _, data) in tensors {
        for_bytes(&data, |bytes| out.write_all(bytes))?;
    }
    Ok(size_of::<u64>() + metadata.len() + end)
}

/// The tensors begin at a multiple of this.
const ALIGNED: usize = 8;

/// Numbers whose bytes are made at once.
const AT_ONCE: usize = 1 << 10;

/// Hands the bytes of runs of numbers to `take`, some at a time.
fn for_bytes<V: AsRef<[f64]>, E>(
    runs: &[V],
    mut take: impl FnMut(&[u8]) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let mut bytes = [0; AT_ONCE * size_of::<f64>()];
    for numbers in runs.iter().flat_map(|run| run.as_ref().chunks(AT_ONCE)) {
        let bytes = &mut bytes[..size_of_val(numbers)];
        for (bytes, x) in bytes.chunks_exact_mut(size_of::<f64>()).zip(numbers) {
            bytes.copy_from_slice(&x.to_le_bytes());
        }
        take(bytes)?;
    }
    Ok(())
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
        let unsound = |e| broken("container", "a file written by gapfit", &format!("{e}"));
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
        let mut tensors: Vec<_> = self.0.iter().collect();
        tensors.sort_unstable_by_key(|(name, _)| *name);
        let mut sum = checksum(&value);
        for (name, view) in tensors {
            sum.update(name.as_bytes());
            sum.update(view.data());
        }
        let found = sum.finalize();
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
pub(crate) fn in_part<V>(name: &str, tensors: Vec<Tensor<V>>) -> Vec<Tensor<V>> {
    let rename = |(own, shape, data)| (format!("{name}.{own}"), shape, data);
    tensors.into_iter().map(rename).collect()
}
