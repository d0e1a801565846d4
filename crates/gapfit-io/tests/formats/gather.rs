//! Sums of files in chunks: the models of their rows.

use std::fmt::Write as _;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use gapfit::{Gathering, Learner, Model, Parameters};
use gapfit_io::{Contents, Error, Gathered, Kinds, Reader, Result, Roles, Supervised, Task, csv};

use super::{block, write};

const PARAMETERS: Parameters = Parameters {
    alpha: 0.01,
    gamma: 1.0,
};

fn roles(weight: Option<&str>) -> Roles {
    Roles {
        target: "price".to_owned(),
        further_targets: Vec::new(),
        weight: weight.map(str::to_owned),
        folds_by: None,
        task: Task::Auto,
    }
}

fn open(bytes: &[u8]) -> Result<Reader> {
    Reader::new(bytes.to_vec(), "huts", &csv::Options::default())
}

fn gathered(files: &[&[u8]], roles: &Roles) -> Result<Gathered> {
    let open = |i: usize| open(files[i]);
    Gathered::read(
        files.len(),
        open,
        roles,
        &Kinds::default(),
        Gathering::default(),
    )
}

fn assert_alike(sums: &Gathered, rows: &Supervised) {
    let learner = Learner {
        tol: 1e-13,
        ..Learner::default()
    };
    let of_sums = learner.fit(&sums.statistics, PARAMETERS).unwrap().model;
    let of_rows = learner.fit(&rows.data, PARAMETERS).unwrap().model;
    let [a, b] = [&of_sums, &of_rows].map(|m: &Model| m.predict(rows.data.features()).unwrap());
    for (a, b) in a.iter().zip(&b) {
        // features that say the same leave the solution that loose
        assert!((a - b).abs() <= 1e-8 * (1.0 + b.abs()), "{a} {b}");
    }
    assert_eq!(of_sums.schema(), of_rows.schema());
    assert_eq!(sums.dropped, rows.dropped);
    assert_eq!(of_sums.training().rows, of_rows.training().rows);
    assert_eq!(sums.statistics.n_rows(), of_rows.training().rows);
}

/// A table of numbers and texts from row `first` on; one category comes late.
fn texts(rows: std::ops::Range<usize>, header: &str) -> String {
    let mut text = format!("{header}\n");
    for i in rows {
        let cell = |name: &str| match name {
            "size" if i % 5 == 1 => String::new(),
            "size" => format!("{}", (i * i % 1013) as f64 / 7.0),
            "colour" if i % 13 == 5 => "NA".to_owned(),
            "colour" if i > 150_000 && i % 2 == 0 => "late".to_owned(),
            "colour" => ["red", "dark blue", "\"a, b\""][i * i % 3].to_owned(),
            "lake" => (i % 3 == 0).to_string(),
            "times" => (i % 3).to_string(),
            _ if i % 1000 == 17 => String::new(),
            _ => format!("{}", i % 97 + i * i % 3),
        };
        let cells: Vec<String> = header.split(',').map(cell).collect();
        writeln!(text, "{}", cells.join(",")).unwrap();
    }
    text
}

#[test]
fn numbers_of_any_format_are_summed_in_one_pass() {
    for bytes in block::in_every_format() {
        let rows = Supervised::read(&mut open(&bytes).unwrap(), &roles(None)).unwrap();
        assert_alike(&gathered(&[&bytes], &roles(None)).unwrap(), &rows);
    }
}

#[test]
fn texts_of_several_files_are_known_before_they_are_summed() {
    let header = "size,price,colour,lake,times";
    let whole = texts(0..160_000, header);
    let parts = [
        texts(0..20_000, header),
        texts(20_000..20_001, header),
        texts(20_001..160_000, "lake,times,colour,price,size"),
    ];
    let parts: Vec<&[u8]> = parts.iter().map(String::as_bytes).collect();
    for weight in [None, Some("times")] {
        let roles = roles(weight);
        let rows = Supervised::read(&mut open(whole.as_bytes()).unwrap(), &roles).unwrap();
        assert_alike(&gathered(&parts, &roles).unwrap(), &rows);
    }
}

/// A table that is sorted by its first column, of which nothing is far out in the end.
fn sorted(rows: std::ops::Range<usize>) -> RecordBatch {
    let hole = |i: usize, x: f64| (i % 5 != 1).then_some(x);
    let price = |i: usize| (i % 1000 != 17).then_some((i % 97 + i / 1000) as f64);
    let size = |i: usize| hole(i, ((i * 7919 % 10_007) as f64 / 10_007.0).tan());
    let times = rows.clone().map(|i| Some(i as f64));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("time", Arc::new(times.collect::<Float64Array>())),
        (
            "size",
            Arc::new(rows.clone().map(size).collect::<Float64Array>()),
        ),
        ("price", Arc::new(rows.map(price).collect::<Float64Array>())),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

#[test]
fn sorted_rows_are_summed_once_a_sample_of_all_is_known() {
    let whole = write::parquet(&sorted(0..150_000), write::codecs()[0]);
    let parts = [0..100_000, 100_000..100_003, 100_003..150_000];
    let parts = parts.map(|rows| write::parquet(&sorted(rows), write::codecs()[0]));
    let parts: Vec<&[u8]> = parts.iter().map(|part| &part[..]).collect();
    let rows = Supervised::read(&mut open(&whole).unwrap(), &roles(None)).unwrap();
    let sums = gathered(&parts, &roles(None)).unwrap();
    assert_alike(&sums, &rows);
    assert!(
        sums.statistics.n_kept() < 20_000,
        "{}",
        sums.statistics.n_kept()
    );
    let again = Supervised::read_files(
        parts.len(),
        |i| open(parts[i]),
        &roles(None),
        &Kinds::default(),
    );
    assert_eq!(again.unwrap(), rows);
}

#[test]
fn numbers_of_one_file_are_no_texts_of_another() {
    let numbers = write::parquet(&sorted(0..100), write::codecs()[0]);
    let texts = b"time,size,price\n1,big,2\n2,small,3\n".to_vec();
    let files = [numbers, texts];
    let open = |i: usize| open(&files[i]);
    let error = Supervised::read_files(2, open, &roles(None), &Kinds::default()).unwrap_err();
    assert!(
        error.to_string().contains("as in the rows before"),
        "{error}"
    );
    let of_sums = gathered(&[&files[0], &files[1]], &roles(None)).unwrap_err();
    assert_eq!(of_sums.to_string(), error.to_string());
}

/// The contents of parts, added up on the way through bytes.
fn contents(parts: &[&[u8]], roles: &Roles) -> Result<Contents> {
    let read = |part: &&[u8]| {
        let found = Contents::read(open(part)?, roles, &Kinds::default())?;
        Contents::from_bytes(&found.to_bytes())
    };
    let mut all = read(&parts[0])?;
    for part in &parts[1..] {
        all.merge(read(part)?)?;
    }
    Ok(all)
}

#[test]
fn parts_that_are_read_apart_with_the_columns_of_all_add_up() {
    let header = "size,price,colour,lake,times";
    let whole = texts(0..160_000, header);
    let parts = [
        texts(120_000..160_000, header),
        texts(0..20_000, header),
        texts(20_000..120_000, "lake,times,colour,price,size"),
    ];
    let parts: Vec<&[u8]> = parts.iter().map(String::as_bytes).collect();
    for weight in [None, Some("times")] {
        let roles = Roles {
            task: Task::Regression,
            ..roles(weight)
        };
        let rows = Supervised::read(&mut open(whole.as_bytes()).unwrap(), &roles).unwrap();
        let columns = contents(&parts, &roles).unwrap();
        assert_eq!(
            Some(&columns.schema().unwrap()),
            rows.data.schema().map(|s| &**s)
        );
        let mut all = columns.statistics(Gathering::default()).unwrap();
        let mut dropped = 0;
        for part in &parts {
            let part = Gathered::read_like(open(part).unwrap(), &roles, &all).unwrap();
            assert_eq!(part.unseen, []);
            dropped += part.dropped;
            all.merge(part.statistics).unwrap();
        }
        let sums = Gathered {
            statistics: all,
            dropped,
            unseen: Vec::new(),
        };
        assert_alike(&sums, &rows);
    }
}

#[test]
fn numbers_are_read_like_others_whatever_their_order_and_company() {
    let roles = Roles {
        task: Task::Regression,
        ..roles(None)
    };
    let first = gathered(&[b"size,age,price\n1,2,3\n2,,4\n"], &roles).unwrap();
    let like = |text: &str| Gathered::read_like(open(text.as_bytes())?, &roles, &first.statistics);
    let part = like("name,price,age,size\nx,5,6,7\n,,8,9\n").unwrap();
    assert_eq!((part.statistics.n_rows(), part.dropped), (1, 1));
    let mut both = first.statistics.clone();
    both.merge(part.statistics).unwrap();
    let together = gathered(&[b"size,age,price\n1,2,3\n2,,4\n7,6,5\n"], &roles).unwrap();
    assert_eq!(both.to_bytes(), together.statistics.to_bytes());
    assert_eq!(like("size,age,price\n").unwrap().statistics.n_rows(), 0);
    let absent = like("size,price\n1,2\n").unwrap_err();
    assert!(matches!(absent, Error::AbsentColumn { .. }), "{absent}");
    let text = like("size,age,price\nbig,1,2\n").unwrap_err().to_string();
    assert!(text.contains("line 2") && text.contains("big"), "{text}");
}

#[test]
fn contents_that_do_not_fit_are_refused_by_name() {
    let error = |parts: &[&str]| {
        let parts: Vec<&[u8]> = parts.iter().map(|text| text.as_bytes()).collect();
        contents(&parts, &roles(None)).unwrap_err().to_string()
    };
    let numbers = "size,price\n1,2\n2,3\n3,5\n";
    let mixed = error(&[numbers, "size,price\nbig,2\n"]);
    assert!(
        mixed.contains("'size'") && mixed.contains("alike"),
        "{mixed}"
    );
    let narrow = error(&[numbers, "size,age,price\n1,1,2\n"]);
    assert!(narrow.contains("'age' in one part only"), "{narrow}");
    let ids = |first: usize| {
        let rows = (first..first + 6000).map(|i| format!("id{i},{i}\n"));
        format!("name,price\n{}", rows.collect::<String>())
    };
    let ids = error(&[&ids(0), &ids(6000)]);
    assert!(ids.contains("name") && ids.contains("12000"), "{ids}");
    assert!(Contents::from_bytes(b"{}").is_err());
}

#[test]
fn what_is_wrong_with_a_file_is_said_as_for_rows() {
    let error = |files: &[&str]| {
        let files: Vec<&[u8]> = files.iter().map(|text| text.as_bytes()).collect();
        gathered(&files, &roles(None)).unwrap_err()
    };
    let table = "size,price\n1,2\n2,3\n3,5\n";
    assert!(matches!(error(&["size,price\n"]), Error::HeaderOnly { .. }));
    assert!(matches!(
        error(&["size,price\n1,\n"]),
        Error::NoTarget { .. }
    ));
    assert!(matches!(error(&["price\n1\n"]), Error::NoFeatures { .. }));
    assert!(matches!(
        error(&[table, "length,price\n1,2\n"]),
        Error::AbsentColumn { .. }
    ));
    let mixed = error(&[table, "size,price\nbig,2\n"]).to_string();
    assert!(
        mixed.contains("line 2") && mixed.contains("as in the rows before"),
        "{mixed}"
    );
    let classes = error(&["size,price\n1,low\n2,high\n"]).to_string();
    assert!(classes.contains("classes"), "{classes}");
    let pair = error(&["size,price\n1,0\n2,1\n3,0\n4,1\n"]).to_string();
    assert!(pair.contains("classes"), "{pair}");
}
