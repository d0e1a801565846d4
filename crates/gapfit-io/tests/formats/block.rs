//! Tables of numbers alone, which come by many rows at once.

use std::fmt::Write as _;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float32Array, Float64Array, Int32Array, RecordBatch, UInt8Array};
use gapfit_io::{Missing, Reader, Result, Roles, Supervised, Task, csv};

use super::write;

/// More than two batches of a Parquet file.
const ROWS: usize = 40_000;

fn rows() -> impl Iterator<Item = usize> {
    0..ROWS
}

fn size(i: usize) -> Option<f64> {
    match i % 5 {
        1 => None,
        2 => Some(f64::NAN),
        _ => Some((i * i % 1013) as f64 / 7.0 - 60.0),
    }
}

fn rooms(i: usize) -> Option<i32> {
    (i % 7 != 2).then_some(if i % 29 == 0 { -999 } else { (i % 6) as i32 })
}

fn slope(i: usize) -> f32 {
    (i % 64) as f32 / 64.0
}

fn price(i: usize) -> Option<f64> {
    (i % 1000 != 17).then_some(i as f64)
}

/// The table, where the size of one row is infinite.
fn batch(infinite: Option<usize>) -> RecordBatch {
    let sizes = rows().map(|i| match infinite {
        Some(row) if row == i => Some(f64::INFINITY),
        _ => size(i),
    });
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("size", Arc::new(sizes.collect::<Float64Array>())),
        ("rooms", Arc::new(rows().map(rooms).collect::<Int32Array>())),
        (
            "price",
            Arc::new(rows().map(price).collect::<Float64Array>()),
        ),
        (
            "slope",
            Arc::new(Float32Array::from_iter_values(rows().map(slope))),
        ),
        (
            "floor",
            Arc::new(UInt8Array::from_iter_values(rows().map(|i| (i % 9) as u8))),
        ),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn text() -> String {
    let mut text = "size,rooms,price,slope,floor\n".to_owned();
    let cell = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
    for i in rows() {
        let [size, rooms, price] = [size(i), rooms(i).map(f64::from), price(i)].map(cell);
        writeln!(text, "{size},{rooms},{price},{},{}", slope(i), i % 9).unwrap();
    }
    text
}

fn read(bytes: Vec<u8>, marks: &[&str]) -> Result<Supervised> {
    let options = csv::Options {
        missing: Missing::new(marks),
        ..csv::Options::default()
    };
    let roles = Roles {
        target: "price".to_owned(),
        further_targets: Vec::new(),
        weight: None,
        folds_by: None,
        task: Task::Auto,
    };
    Supervised::read(&mut Reader::new(bytes, "a table", &options)?, &roles)
}

fn files(batch: &RecordBatch) -> [Vec<u8>; 3] {
    [
        write::parquet(batch, write::codecs()[0]),
        write::arrow_file(batch, None),
        write::arrow_stream(batch),
    ]
}

/// The table in formats of columns, and as text.
pub(crate) fn in_every_format() -> Vec<Vec<u8>> {
    let mut all = files(&batch(None)).to_vec();
    all.push(text().into_bytes());
    all
}

#[test]
fn many_rows_at_once_are_the_rows_one_by_one() {
    for marks in [&["NaN"][..], &["NaN", "-999"]] {
        let expected = read(text().into_bytes(), marks).unwrap();
        assert_eq!(expected.dropped, ROWS / 1000);
        for (i, bytes) in files(&batch(None)).into_iter().enumerate() {
            assert!(
                read(bytes, marks).unwrap() == expected,
                "{marks:?}, number {i}"
            );
        }
    }
}

#[test]
fn an_infinite_number_far_down_is_named_by_its_row() {
    for bytes in files(&batch(Some(33_333))) {
        let error = read(bytes, &[]).unwrap_err().to_string();
        assert!(
            error.contains("row 33334") && error.contains("size"),
            "{error}"
        );
    }
}
