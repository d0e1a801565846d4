//! Writes one table in every format.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float64Array,
    Int64Array, RecordBatch, StringArray, UInt8Array,
};
use arrow_schema::{Field, Schema};
use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression as Codec, ZstdLevel};
use parquet::file::properties::WriterProperties;

pub(crate) const ROWS: usize = 60;

/// Days after 1970-01-01 of row `i`.
fn day(i: usize) -> i32 {
    19_000 + 7 * i as i32
}

fn price(i: usize) -> f64 {
    1.5 * i as f64 + if i % 3 == 0 { 4.25 } else { 0.0 } - (i * i % 7) as f64
}

fn size(i: usize) -> Option<f64> {
    (i % 5 != 1).then(|| (i * i % 17) as f64 + 0.1)
}

fn rooms(i: usize) -> Option<i64> {
    (i % 7 != 2).then_some((i % 6) as i64)
}

fn has_lake(i: usize) -> Option<bool> {
    (i % 11 != 3).then_some(i % 3 == 0)
}

fn colour(i: usize) -> Option<&'static str> {
    (i % 13 != 5).then(|| ["red", "green", "dark blue"][i * i % 3])
}

/// The table as a batch; a NaN and a null are both holes.
pub(crate) fn batch() -> RecordBatch {
    let rows = || 0..ROWS;
    let colours: DictionaryArray<Int8Type> = rows().map(colour).collect();
    let taxes = Decimal128Array::from_iter_values(rows().map(|i| (i * 37 % 101) as i128));
    let sizes = rows().map(|i| match size(i) {
        None if i % 2 == 0 => Some(f64::NAN),
        cell => cell,
    });
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("size", Arc::new(sizes.collect::<Float64Array>())),
        ("rooms", Arc::new(rows().map(rooms).collect::<Int64Array>())),
        (
            "lake",
            Arc::new(rows().map(has_lake).collect::<BooleanArray>()),
        ),
        ("colour", Arc::new(colours)),
        (
            "built",
            Arc::new(
                rows()
                    .map(|i| (i % 9 != 4).then(|| day(i)))
                    .collect::<Date32Array>(),
            ),
        ),
        (
            "tax",
            Arc::new(taxes.with_precision_and_scale(10, 2).unwrap()),
        ),
        (
            "price",
            Arc::new(Float64Array::from_iter_values(rows().map(price))),
        ),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// ISO 8601, by counting days.
fn iso(mut day: i32) -> String {
    let mut year = 1970;
    loop {
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let length = 365 + i32::from(is_leap);
        if day < length {
            let months = [
                31,
                28 + i32::from(is_leap),
                31,
                30,
                31,
                30,
                31,
                31,
                30,
                31,
                30,
                31,
            ];
            for (month, length) in (1..).zip(months) {
                if day < length {
                    return format!("{year}-{month:02}-{:02}", day + 1);
                }
                day -= length;
            }
        }
        day -= length;
        year += 1;
    }
}

fn cells(i: usize) -> Vec<(&'static str, Option<String>)> {
    vec![
        ("size", size(i).map(|x| x.to_string())),
        ("rooms", rooms(i).map(|x| x.to_string())),
        ("lake", has_lake(i).map(|x| x.to_string())),
        ("colour", colour(i).map(|x| x.to_owned())),
        ("built", (i % 9 != 4).then(|| iso(day(i)))),
        ("tax", Some(format!("{:.2}", (i * 37 % 101) as f64 / 100.0))),
        ("price", Some(price(i).to_string())),
    ]
}

pub(crate) fn csv(delimiter: &str) -> Vec<u8> {
    let names: Vec<&str> = cells(0).iter().map(|(name, _)| *name).collect();
    let mut text = names.join(delimiter);
    for i in 0..ROWS {
        let row: Vec<String> = cells(i)
            .into_iter()
            .map(|(_, c)| c.unwrap_or_default())
            .collect();
        text.push('\n');
        text.push_str(&row.join(delimiter));
    }
    text.into_bytes()
}

pub(crate) fn ndjson() -> Vec<u8> {
    let mut text = String::new();
    for i in 0..ROWS {
        let mut members = Vec::new();
        for (name, cell) in cells(i) {
            let value = match cell {
                // a key that is not there, null and a bare NaN are all holes
                None if i % 3 == 1 && i > 0 => continue,
                None if i % 3 == 2 => "NaN".to_owned(),
                None => "null".to_owned(),
                Some(cell) if matches!(name, "colour" | "built") => format!("{cell:?}"),
                Some(cell) => cell,
            };
            members.push(format!("{name:?}: {value}"));
        }
        text.push_str(&format!("{{{}}}\n", members.join(", ")));
    }
    text.into_bytes()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    // two members, as `cat a.gz b.gz` makes them
    let (first, second) = bytes.split_at(bytes.len() / 2);
    let mut packed = Vec::new();
    for part in [first, second] {
        let mut encoder = GzEncoder::new(&mut packed, Compression::fast());
        encoder.write_all(part).unwrap();
        encoder.finish().unwrap();
    }
    packed
}

pub(crate) fn parquet(batch: &RecordBatch, codec: Codec) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_compression(codec)
        .set_max_row_group_row_count(Some(17))
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

pub(crate) fn codecs() -> [Codec; 4] {
    let zstd = Codec::ZSTD(ZstdLevel::default());
    [
        Codec::UNCOMPRESSED,
        Codec::SNAPPY,
        zstd,
        Codec::GZIP(Default::default()),
    ]
}

pub(crate) fn arrow_file(
    batch: &RecordBatch,
    codec: Option<arrow_ipc::CompressionType>,
) -> Vec<u8> {
    let options = arrow_ipc::writer::IpcWriteOptions::default();
    let options = options.try_with_compression(codec).unwrap();
    let mut bytes = Vec::new();
    let schema = batch.schema();
    let mut writer =
        arrow_ipc::writer::FileWriter::try_new_with_options(&mut bytes, &schema, options).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

pub(crate) fn arrow_stream(batch: &RecordBatch) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    for start in (0..batch.num_rows()).step_by(25) {
        let length = 25.min(batch.num_rows() - start);
        writer.write(&batch.slice(start, length)).unwrap();
    }
    writer.finish().unwrap();
    drop(writer);
    bytes
}

/// The same batch with an index as pandas writes it: a column of row labels, named in the metadata.
pub(crate) fn with_pandas_index(batch: &RecordBatch) -> RecordBatch {
    let labels = (0..batch.num_rows()).map(|i| Some(format!("row {i}")));
    let numbers = UInt8Array::from_iter_values((0..batch.num_rows()).map(|i| i as u8));
    let mut fields: Vec<Arc<Field>> = batch.schema().fields().to_vec();
    let mut columns = batch.columns().to_vec();
    let labels: ArrayRef = Arc::new(labels.collect::<StringArray>());
    for (name, column) in [
        ("__index_level_0__", labels),
        ("visit", Arc::new(numbers) as ArrayRef),
    ] {
        fields.push(Arc::new(Field::new(name, column.data_type().clone(), true)));
        columns.push(column);
    }
    let about = r#"{"index_columns": ["__index_level_0__", "visit"], "pandas_version": "2.2.0"}"#;
    let metadata = HashMap::from([("pandas".to_owned(), about.to_owned())]);
    let schema = Schema::new(fields).with_metadata(metadata);
    RecordBatch::try_new(Arc::new(schema), columns).unwrap()
}
