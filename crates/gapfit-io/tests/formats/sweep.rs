//! Files that are summed as they are read: the models of their rows, to the bit.

use std::fmt::Write as _;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use gapfit::{Learner, Parameters};
use gapfit_io::{Kinds, Reader, Roles, Supervised, Swept, Task, csv};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

const PARAMETERS: Parameters = Parameters {
    alpha: 0.01,
    gamma: 1.0,
};
const ROWS: usize = 150_000;
const CLIP: f64 = 0.002;

fn roles() -> Roles {
    Roles {
        target: "price".to_owned(),
        further_targets: Vec::new(),
        weight: None,
        folds_by: None,
        task: Task::Auto,
    }
}

fn cell(i: usize, j: usize) -> Option<f64> {
    let x = ((i * 7919 + j * 104_729) % 1_000_003) as f64 / 997.0;
    ((i * (j + 3)) % 7 != 2).then_some(x + j as f64)
}

/// Missing in every `missing`-th row.
fn price(i: usize, missing: usize) -> Option<f64> {
    let known: f64 = (0..3).filter_map(|j| cell(i, j)).sum();
    (i % missing != 0).then_some(known + (i % 11) as f64)
}

/// Row groups of `size` rows, so that batches end where portions do not.
fn parquet(missing: usize, size: usize) -> Vec<u8> {
    let column = |of: &dyn Fn(usize) -> Option<f64>| -> ArrayRef {
        Arc::new((0..ROWS).map(of).collect::<Float64Array>())
    };
    let columns = [
        ("size", column(&|i| cell(i, 0))),
        ("price", column(&|i| price(i, missing))),
        ("age", column(&|i| cell(i, 1))),
        ("rooms", column(&|i| cell(i, 2))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(size));
    let mut bytes = Vec::new();
    let properties = Some(properties.build());
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), properties).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn text(missing: usize) -> Vec<u8> {
    let mut text = "size,price,age,rooms\n".to_owned();
    let show = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
    for i in 0..ROWS {
        let [size, age, rooms] = [0, 1, 2].map(|j| show(cell(i, j)));
        writeln!(text, "{size},{},{age},{rooms}", show(price(i, missing))).unwrap();
    }
    text.into_bytes()
}

fn open(bytes: Vec<u8>) -> Reader {
    Reader::new(bytes, "huts", &csv::Options::default()).unwrap()
}

fn swept(bytes: &[u8]) -> Option<Swept> {
    let reader = &mut open(bytes.to_vec());
    Swept::read(reader, &roles(), &Kinds::default(), CLIP).unwrap()
}

#[test]
fn the_model_is_that_of_the_table() {
    for missing in [ROWS + 1, 1000] {
        let files = [
            parquet(missing, 100_000),
            parquet(missing, 33_333),
            text(missing),
        ];
        for (i, bytes) in files.into_iter().enumerate() {
            let swept = swept(&bytes).unwrap();
            let rows = Supervised::read(&mut open(bytes), &roles()).unwrap();
            assert_eq!(swept.dropped, rows.dropped);
            let learner = Learner::default();
            let by_sweep = learner.fit_sweep(&swept.sweep, PARAMETERS).unwrap().model;
            let by_rows = learner.fit(&rows.data, PARAMETERS).unwrap().model;
            assert_eq!(by_sweep.schema(), by_rows.schema());
            assert!(by_sweep.to_bytes() == by_rows.to_bytes(), "{missing} {i}");
        }
    }
}

#[test]
fn texts_and_classes_and_few_rows_are_left_to_tables() {
    let table = |header: &str, row: fn(usize) -> String| {
        (0..ROWS).fold(format!("{header}\n"), |text, i| text + &row(i) + "\n")
    };
    let texts = table("size,colour,price", |i| {
        format!("{},red,{i}", i * 7919 % 10_007)
    });
    assert!(swept(texts.as_bytes()).is_none());
    let classes = table("size,price", |i| format!("{},{}", i * 7919 % 10_007, i % 2));
    assert!(swept(classes.as_bytes()).is_none());
    assert!(swept(b"size,price\n1,2.5\n2,3.5\n3,1.5\n").is_none());
}
