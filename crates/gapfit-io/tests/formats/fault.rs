//! What can be wrong with binary files.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, Float64Array, ListArray, RecordBatch};
use gapfit_io::{Error, Reader, Result, Roles, Supervised, Task, csv};
use proptest::prelude::*;

use super::write;

fn read(bytes: Vec<u8>, file: &str, ignored: &[&str]) -> Result<Supervised> {
    let mut reader = Reader::new(bytes, file, &csv::Options::default())?;
    reader.ignore(ignored, "ignored")?;
    let roles = Roles {
        target: "price".to_owned(),
        further_targets: Vec::new(),
        weight: None,
        folds_by: None,
        task: Task::Auto,
    };
    Supervised::read(&mut reader, &roles)
}

fn message(bytes: Vec<u8>, file: &str) -> String {
    let whole = read(bytes.clone(), file, &["colour", "built"]);
    let result = match whole {
        Err(Error::AbsentColumn { .. }) => read(bytes, file, &[]),
        other => other,
    };
    result.expect_err("a fault").to_string()
}

fn small(second: ArrayRef) -> RecordBatch {
    let price: ArrayRef = Arc::new(Float64Array::from_iter_values([1.0, 2.0, 4.0]));
    RecordBatch::try_from_iter([("price", price), ("x", second)]).unwrap()
}

#[test]
fn truncated_files_are_told_from_other_content() {
    let codec = write::codecs()[1];
    let whole = write::parquet(&write::batch(), codec);
    let cut = message(whole[..whole.len() / 2].to_vec(), "t.parquet");
    assert!(
        cut.starts_with(
            "t.parquet: expected a whole Parquet file, got a damaged or truncated one ("
        ),
        "{cut}"
    );
    let arrow = write::arrow_file(&write::batch(), None);
    let cut = message(arrow[..arrow.len() / 2].to_vec(), "t.arrow");
    assert!(cut.contains("expected a whole Arrow file"), "{cut}");
    let stream = write::arrow_stream(&write::batch());
    let cut = message(stream[..stream.len() / 2].to_vec(), "-");
    assert!(cut.contains("expected a whole Arrow stream file"), "{cut}");
    assert_eq!(
        message(b"price,x\n1,2\n".to_vec(), "t.parquet"),
        "t.parquet: expected a file in the format Parquet, as its name says, got other content"
    );
    let packed = write::gzip(&write::csv(","));
    let cut = message(packed[..packed.len() / 2].to_vec(), "t.csv.gz");
    assert!(cut.contains("cannot be read"), "{cut}");
}

#[test]
fn files_without_rows_say_so() {
    let none = write::batch().slice(0, 0);
    for (bytes, file) in [
        (write::parquet(&none, write::codecs()[0]), "t.parquet"),
        (write::arrow_file(&none, None), "t.arrow"),
        (write::arrow_stream(&none), "t.arrows"),
    ] {
        let error = read(bytes, file, &["colour", "built"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("{file}: expected rows, got none")
        );
    }
    assert!(matches!(
        read(Vec::new(), "t.parquet", &[]),
        Err(Error::EmptyFile { .. })
    ));
}

#[test]
fn nested_columns_are_named_unless_they_are_ignored() {
    let lists = [Some(vec![Some(1), Some(2)]), None, Some(vec![])];
    let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists));
    let mut batch = small(lists);
    let bytes = write::parquet(&batch, write::codecs()[0]);
    let text = message(bytes, "t.parquet");
    assert!(
        text.starts_with(r#"t.parquet, column 2 ("x"): expected numbers, texts, truths or dates, got the type List"#),
        "{text}"
    );
    let y: ArrayRef = Arc::new(Float64Array::from_iter_values([1.0, 0.0, 1.0]));
    let columns = [
        ("price", batch.column(0).clone()),
        ("x", batch.column(1).clone()),
        ("y", y),
    ];
    batch = RecordBatch::try_from_iter(columns).unwrap();
    let bytes = write::parquet(&batch, write::codecs()[0]);
    assert_eq!(
        read(bytes, "t.parquet", &["x"]).unwrap().data.names(),
        ["y"]
    );
}

#[test]
fn infinite_numbers_are_named_by_row_and_column() {
    let x: ArrayRef = Arc::new(Float64Array::from_iter_values([1.0, f64::INFINITY, 2.0]));
    assert_eq!(
        message(write::parquet(&small(x), write::codecs()[0]), "t.parquet"),
        r#"t.parquet, row 2, column 2 ("x"): expected a finite number, got "inf""#
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn damaged_bytes_give_a_table_or_a_message(
        place in 0.0..1.0f64, byte in any::<u8>(), cut in 0.0..4.0f64, kind in 0..6usize
    ) {
        let batch = write::batch();
        let mut bytes = match kind {
            0 => write::parquet(&batch, write::codecs()[0]),
            1 => write::parquet(&batch, write::codecs()[1]),
            2 => write::arrow_file(&batch, None),
            3 => write::arrow_file(&batch, Some(arrow_ipc::CompressionType::LZ4_FRAME)),
            4 => write::parquet(&batch, write::codecs()[2]),
            _ => write::arrow_stream(&batch),
        };
        let place = (place * bytes.len() as f64) as usize;
        bytes[place] = byte;
        bytes.truncate((cut * bytes.len() as f64) as usize + 1);
        if let Err(error) = read(bytes, "t", &["colour", "built"]) {
            prop_assert!(error.to_string().starts_with('t'), "{error}");
        }
    }
}
