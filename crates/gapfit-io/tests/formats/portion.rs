//! Chunks of columns of numbers that are summed without becoming tables: the sums of those tables, to the bit.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::{Gathering, Statistics};
use gapfit_io::{Error, Gathered, Kinds, Reader, Result, Roles, Task, csv};

const ROWS: usize = 200_000;
/// Rows that come together.
const BLOCK: usize = 16_384;
const ONE_BLOCK: Gathering = Gathering {
    clip: 0.002,
    is_blocked: false,
};

fn roles(target: &str, weight: Option<&str>) -> Roles {
    Roles {
        target: target.to_owned(),
        further_targets: Vec::new(),
        weight: weight.map(str::to_owned),
        folds_by: None,
        task: Task::Regression,
    }
}

fn cell(i: usize, j: usize) -> Option<f64> {
    let x = ((i * 7919 + j * 104_729) % 1_000_003) as f64 / 997.0;
    ((i * (j + 3)) % 7 != 2).then_some(x.sqrt() + j as f64)
}

/// Missing now and then in the first half, never in the second.
fn price(i: usize) -> Option<f64> {
    let is_missing = i < ROWS / 2 && i % 1000 == 17;
    (!is_missing).then_some((i * 31 % 1009) as f64 / 7.0)
}

fn parquet() -> Vec<u8> {
    let column = |of: &dyn Fn(usize) -> Option<f64>| -> ArrayRef {
        Arc::new((0..ROWS).map(of).collect::<Float64Array>())
    };
    let columns = [
        ("size", column(&|i| cell(i, 0))),
        ("price", column(&price)),
        ("age", column(&|i| cell(i, 1))),
        ("rooms", column(&|i| cell(i, 2))),
        ("times", column(&|i| Some((i % 3) as f64))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut bytes = Vec::new();
    let writer = parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), None);
    let mut writer = writer.unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn open(bytes: &[u8]) -> Result<Reader> {
    Reader::new(bytes.to_vec(), "huts", &csv::Options::default())
}

fn gathered(bytes: &[u8], gathering: Gathering) -> Gathered {
    let roles = roles("price", None);
    let open = |_| {
        let mut reader = open(bytes)?;
        reader.retain(|name| name != "times");
        Ok(reader)
    };
    Gathered::read(1, open, &roles, &Kinds::default(), gathering).unwrap()
}

/// The tables of the chunks that the file is read in: blocks until there are so many rows, fewer at first.
fn tables() -> Vec<Dataset> {
    let mut tables = Vec::new();
    let mut rows: Vec<usize> = Vec::new();
    for start in (0..ROWS).step_by(BLOCK) {
        let block = start..ROWS.min(start + BLOCK);
        rows.extend(block.clone().filter(|&i| price(i).is_some()));
        let limit = if tables.is_empty() { 1 << 15 } else { 1 << 16 };
        if rows.len() >= limit || block.end == ROWS {
            tables.push(table(&std::mem::take(&mut rows)));
        }
    }
    tables
}

fn table(rows: &[usize]) -> Dataset {
    let mut features = MaskedMatrix::new(3);
    for &i in rows {
        features.push_row((0..3).map(|j| cell(i, j))).unwrap();
    }
    let target = rows.iter().filter_map(|&i| price(i)).collect();
    let names = ["size", "age", "rooms"].map(str::to_owned);
    let data = Dataset::new(features, target).unwrap();
    let data = data.with_names(names.to_vec()).unwrap();
    data.with_target_name("price")
}

fn on_threads<T: Send>(n: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build();
    pool.unwrap().install(work)
}

#[test]
fn sums_of_columns_are_those_of_tables_to_the_bit() {
    let (bytes, tables) = (parquet(), tables());
    for threads in [1, 2] {
        let found = on_threads(threads, || gathered(&bytes, ONE_BLOCK));
        assert_eq!(found.dropped, ROWS / 2 / 1000);
        let mut expected = Statistics::of(&tables[0], ONE_BLOCK).unwrap();
        let others = tables[1..].iter().cloned().map(Ok::<_, gapfit::Error>);
        on_threads(threads, || expected.gather(others)).unwrap();
        let schema = found.statistics.schema().unwrap().clone();
        let expected = expected.with_schema(schema).unwrap();
        assert!(expected.n_kept() > 1000);
        // else rows become tables all the same
        let bytes = found.statistics.to_bytes();
        let header = String::from_utf8_lossy(&bytes[..4096]).replace('\\', "");
        assert!(header.contains("\"is_smooth\":true"), "{header}");
        assert_eq!(found.statistics.n_kept(), expected.n_kept());
        assert!(
            found.statistics.to_bytes() == expected.to_bytes(),
            "{threads}"
        );
    }
}

#[test]
fn another_target_or_weights_are_refused_however_the_rows_come() {
    let bytes = parquet();
    for is_blocked in [false, true] {
        let gathering = Gathering {
            is_blocked,
            ..ONE_BLOCK
        };
        let all = gathered(&bytes, gathering).statistics;
        let read = |roles: &Roles, like: &Statistics| {
            Gathered::read_like(open(&bytes).unwrap(), roles, like)
        };
        let part = read(&roles("price", None), &all).unwrap();
        assert_eq!(part.statistics.n_rows(), ROWS - part.dropped);
        let refusal = |roles: Roles, like: &Statistics| match read(&roles, like) {
            Err(Error::Rows(error)) => error.to_string(),
            other => panic!("{other:?}"),
        };
        let other = refusal(roles("times", None), &all);
        assert!(other.contains("'price' and 'times'"), "{other}");
        let in_some = "weights in some parts only";
        let weighted = refusal(roles("price", Some("times")), &all);
        assert!(weighted.contains(in_some), "{weighted}");
        let weigh = tables()[0].clone();
        let weights = vec![1.0; weigh.n_rows()];
        let weigh = weigh.with_weights(weights).unwrap();
        let like = Statistics::of(&weigh, gathering).unwrap();
        let plain = refusal(roles("price", None), &like);
        assert!(plain.contains(in_some), "{plain}");
    }
}
