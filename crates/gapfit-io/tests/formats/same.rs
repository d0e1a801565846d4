//! The same table from every format.

use arrow_ipc::CompressionType;
use gapfit::{Learner, Parameters};
use gapfit_io::{Format, Kinds, Reader, Result, Roles, Source, Supervised, Task, csv};

use super::write;

fn reader(bytes: Vec<u8>, file: &str) -> Result<Reader> {
    Reader::new(bytes, file, &csv::Options::default())
}

pub(crate) fn supervised(bytes: Vec<u8>, file: &str) -> Supervised {
    let mut reader = reader(bytes, file).unwrap_or_else(|e| panic!("{file}: {e}"));
    learnt(&mut reader)
}

fn learnt(reader: &mut Reader) -> Supervised {
    learnt_for(reader, "price")
}

fn learnt_for(reader: &mut Reader, target: &str) -> Supervised {
    let roles = Roles {
        target: target.to_owned(),
        further_targets: Vec::new(),
        weight: None,
        folds_by: None,
        task: Task::Auto,
    };
    let kinds = Kinds {
        dates: vec!["built".to_owned()],
        ..Kinds::default()
    };
    Supervised::read_as(reader, &roles, &kinds).unwrap_or_else(|e| panic!("{e}"))
}

fn model(table: &Supervised) -> Vec<u8> {
    let parameters = Parameters {
        alpha: 0.1,
        gamma: 1.0,
    };
    let fitted = Learner::default().fit(&table.data, parameters).unwrap();
    fitted.model.to_bytes()
}

/// The table in every format, with the name of its file.
pub(crate) fn files() -> Vec<(&'static str, Vec<u8>)> {
    let batch = write::batch();
    let mut files = vec![
        ("t.csv", write::csv(",")),
        ("t.tsv", write::csv("\t")),
        ("standard input", write::csv(";")),
        ("t.csv.gz", write::gzip(&write::csv(","))),
        ("misnamed.csv", write::gzip(&write::csv(","))),
        ("t.ndjson", write::ndjson()),
        ("standard input", write::ndjson()),
        ("t.jsonl.gz", write::gzip(&write::ndjson())),
        ("t.arrow", write::arrow_file(&batch, None)),
        (
            "t.feather",
            write::arrow_file(&batch, Some(CompressionType::LZ4_FRAME)),
        ),
        (
            "t.feather",
            write::arrow_file(&batch, Some(CompressionType::ZSTD)),
        ),
        ("standard input", write::arrow_stream(&batch)),
        (
            "t.parquet",
            write::parquet(&write::with_pandas_index(&batch), write::codecs()[1]),
        ),
        (
            "t.feather",
            write::arrow_file(&write::with_pandas_index(&batch), None),
        ),
        (
            "t.parquet.gz",
            write::gzip(&write::parquet(&batch, write::codecs()[0])),
        ),
    ];
    for codec in write::codecs() {
        files.push(("t.parquet", write::parquet(&batch, codec)));
    }
    files
}

#[test]
fn models_fitted_from_every_format_are_byte_equal() {
    let expected = supervised(write::csv(","), "t.csv");
    assert_eq!(expected.data.n_rows(), write::ROWS);
    let names = [
        "size",
        "rooms",
        "lake",
        "colour=green",
        "colour=red",
        "built",
        "tax",
    ];
    assert_eq!(expected.data.names(), names);
    let bytes = model(&expected);
    for (i, (file, content)) in files().into_iter().enumerate() {
        let found = supervised(content, file);
        assert_eq!(found, expected, "{file}, number {i}");
        assert_eq!(model(&found), bytes, "{file}, number {i}");
    }
}

#[test]
fn labels_from_every_format_are_the_same() {
    for (target, classes) in [("colour", ["green", "red"]), ("lake", ["false", "true"])] {
        let read = |bytes: Vec<u8>, file: &str| {
            let mut reader = reader(bytes, file).unwrap_or_else(|e| panic!("{file}: {e}"));
            learnt_for(&mut reader, target)
        };
        let expected = read(write::csv(","), "t.csv");
        assert_eq!(expected.data.classes(), classes);
        assert!(expected.dropped > 0, "{target} has holes");
        for (i, (file, content)) in files().into_iter().enumerate() {
            assert_eq!(read(content, file), expected, "{file}, number {i}");
        }
    }
}

#[test]
fn files_on_disk_are_read_as_bytes_in_memory_are() {
    let folder = tempfile::tempdir().unwrap();
    let expected = supervised(write::csv(","), "t.csv");
    for (i, (file, content)) in files().into_iter().enumerate() {
        let path = folder.path().join(format!("{i}-{file}"));
        std::fs::write(&path, &content).unwrap();
        let source = Source::from(path.as_path());
        let mut reader = Reader::open(&source, &csv::Options::default()).unwrap();
        assert_eq!(learnt(&mut reader), expected, "{file}, number {i}");
        assert_eq!(std::fs::read(&path).unwrap(), content, "input untouched");
    }
}

#[test]
fn formats_are_told_by_content() {
    let batch = write::batch();
    for (bytes, expected) in [
        (write::csv(","), Format::Csv),
        (write::ndjson(), Format::Ndjson),
        (write::parquet(&batch, write::codecs()[0]), Format::Parquet),
        (write::arrow_file(&batch, None), Format::ArrowFile),
        (write::arrow_stream(&batch), Format::ArrowStream),
    ] {
        assert_eq!(reader(bytes, "no ending").unwrap().format(), expected);
    }
}

#[test]
fn the_index_of_a_data_frame_is_read_only_where_it_is_asked_for() {
    let batch = write::with_pandas_index(&write::batch());
    let bytes = write::parquet(&batch, write::codecs()[0]);
    let mut found = reader(bytes.clone(), "t.parquet").unwrap();
    assert!(found.columns().iter().all(|c| c.name != "visit"));
    let roles = Roles {
        target: "visit".to_owned(),
        further_targets: Vec::new(),
        weight: None,
        folds_by: None,
        task: Task::Auto,
    };
    found.ignore(&["colour", "built"], "ignored").unwrap();
    let table = Supervised::read(&mut found, &roles).unwrap();
    assert_eq!(table.data.target()[7].to_bits(), 7f64.to_bits());
}
