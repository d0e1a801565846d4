//! What must hold for any bytes given as a model.

use gapfit::Model;
use gapfit::data::MaskedMatrix;
use gapfit::online::{Learn, StreamLearner};
use safetensors::SafeTensors;
use safetensors::tensor::serialize;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Reads bytes as a model and as the state of a stream, as they are and with their checksum mended.
pub(crate) fn check(bytes: &[u8]) {
    read(bytes);
    if let Some(mended) = mended(bytes) {
        read(&mended);
    }
}

fn read(bytes: &[u8]) {
    if let Ok(model) = Model::from_bytes(bytes) {
        let n = model.feature_names().len();
        let mut table = MaskedMatrix::new(n);
        for cell in [None, Some(0.0), Some(-1e9)] {
            let row = (0..n).map(|j| if j % 2 == 0 { cell } else { None });
            table.push_row(row).expect("finite cells");
        }
        let predictions = model.predict(&table).expect("rows of its width");
        assert_eq!(predictions.len(), 3);
        let again = Model::from_bytes(&model.to_bytes()).expect("what it writes is sound");
        assert_eq!(again, model);
    }
    if let Ok((mut learner, note)) = StreamLearner::from_bytes_with(bytes) {
        let state = learner.to_bytes_with(&note);
        StreamLearner::from_bytes(&state).expect("what it writes is sound");
        let n = learner.feature_names().len();
        let mut table = MaskedMatrix::new(n);
        table
            .push_row((0..n).map(|j| (j % 2 == 0).then_some(0.5)))
            .expect("finite cells");
        learner.predict(table.row(0)).expect("a row of its width");
        // a state that a run could not have come to may refuse a row, but must stay whole
        let _ = learner.learn(table.row(0), 1.0, 1.0);
        learner.predict(table.row(0)).expect("a row of its width");
    }
}

/// The same file with the checksum that its content demands, so that what is behind the check is reached.
fn mended(bytes: &[u8]) -> Option<Vec<u8>> {
    let (_, metadata) = SafeTensors::read_metadata(bytes).ok()?;
    let text = metadata.metadata().as_ref()?.get("gapfit")?;
    let file = SafeTensors::deserialize(bytes).ok()?;
    let mut header: Value = serde_json::from_str(text).ok()?;
    *header.get_mut("checksum")? = json!(0);
    let mut sum = crc32fast::Hasher::new();
    sum.update(header.to_string().as_bytes());
    let mut tensors: Vec<_> = file.iter().collect();
    tensors.sort_by(|a, b| a.0.cmp(b.0));
    for (name, view) in &tensors {
        sum.update(name.as_bytes());
        sum.update(view.data());
    }
    header["checksum"] = json!(sum.finalize());
    let metadata = HashMap::from([("gapfit".to_owned(), header.to_string())]);
    serialize(tensors, Some(metadata)).ok()
}
