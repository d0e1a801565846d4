//! The inputs that fuzzing found (fuzz/README.md), replayed.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../../fuzz/check/model.rs"]
mod model;

#[test]
fn every_model_file_of_the_corpus_is_read_or_refused() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/model");
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().collect();
    assert!(files.len() >= 14);
    for file in files {
        model::check(&std::fs::read(file.unwrap().path()).unwrap());
    }
}
