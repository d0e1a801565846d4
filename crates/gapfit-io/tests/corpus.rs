//! The inputs that fuzzing found (fuzz/README.md), replayed.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg(feature = "arrow")]

#[path = "../../../fuzz/check/table.rs"]
mod table;

use table::Kind;

#[test]
fn every_table_of_the_corpus_is_read_or_refused() {
    for (name, kind) in [
        ("csv", Kind::Csv),
        ("ndjson", Kind::Ndjson),
        ("arrow", Kind::Arrow),
    ] {
        let folder = format!("{}/../../fuzz/corpus/{name}", env!("CARGO_MANIFEST_DIR"));
        let files: Vec<_> = std::fs::read_dir(folder).unwrap().collect();
        assert!(files.len() >= 10, "{name}");
        for file in files {
            table::check(kind, &std::fs::read(file.unwrap().path()).unwrap());
        }
    }
}
