//! Sums of files in chunks: the models of their rows.

use std::fmt::Write as _;

use gapfit::{Gathering, Learner, Model, Parameters};
use gapfit_io::{Error, Gathered, Kinds, Reader, Result, Roles, Supervised, Task, csv};

use super::block;

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
