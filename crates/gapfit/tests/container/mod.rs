//! Files of models and of learners, taken apart and put together again.

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde_json::{Value, json};
use std::collections::HashMap;

/// A file taken apart: its header, and its tensors as (name, shape, bytes).
#[derive(Clone)]
pub(crate) struct Parts {
    pub(crate) header: Value,
    pub(crate) tensors: Vec<(String, Vec<usize>, Vec<u8>)>,
}

impl Parts {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let (_, metadata) = SafeTensors::read_metadata(bytes).expect("a sound file");
        let text = &metadata.metadata().as_ref().expect("metadata")["gapfit"];
        let file = SafeTensors::deserialize(bytes).expect("a sound file");
        let tensors = file.iter().map(|(name, view)| {
            let (shape, data) = (view.shape().to_vec(), view.data().to_vec());
            (name.to_owned(), shape, data)
        });
        Self {
            header: serde_json::from_str(text).expect("a sound header"),
            tensors: tensors.collect(),
        }
    }

    /// The file again, with the checksum of what is in it.
    pub(crate) fn join(&self) -> Vec<u8> {
        let mut header = self.header.clone();
        header["checksum"] = json!(0);
        let mut sum = crc32fast::Hasher::new();
        sum.update(header.to_string().as_bytes());
        let mut tensors: Vec<_> = self.tensors.iter().collect();
        tensors.sort();
        for (name, _, bytes) in tensors {
            sum.update(name.as_bytes());
            sum.update(bytes);
        }
        header["checksum"] = json!(sum.finalize());
        self.join_as(Dtype::F64, &header.to_string())
    }

    pub(crate) fn join_as(&self, dtype: Dtype, header: &str) -> Vec<u8> {
        let views = self.tensors.iter().map(|(name, shape, data)| {
            let view = TensorView::new(dtype, shape.clone(), data).expect("shape and data agree");
            (name.as_str(), view)
        });
        let metadata = HashMap::from([("gapfit".to_owned(), header.to_owned())]);
        safetensors::serialize(views, Some(metadata)).expect("distinct names")
    }
}
