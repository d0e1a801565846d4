//! What is read from delimited text, and the message for everything that can be wrong with it.

use gapfit::tune::Folding;
use gapfit_io::csv::{self, Options, Reader};
use gapfit_io::{Error, FoldsBy, Missing, Result, Roles, Source, Supervised, Table, Task};
use proptest::prelude::*;

fn reader(text: &[u8]) -> Result<Reader<&[u8]>> {
    Reader::new(text, "t.csv", &Options::default())
}

fn table(text: &str) -> Result<Table> {
    Table::read(&mut reader(text.as_bytes())?)
}

fn supervised(text: &str, weight: Option<&str>) -> Result<Supervised> {
    let roles = Roles {
        target: "y".to_owned(),
        further_targets: Vec::new(),
        weight: weight.map(str::to_owned),
        folds_by: None,
        task: Task::Auto,
    };
    let mut reader = gapfit_io::Reader::new(text.as_bytes(), "t.csv", &Options::default())?;
    Supervised::read(&mut reader, &roles)
}

fn by_group(text: &str) -> Result<Supervised> {
    labelled(text, FoldsBy::Group("g".to_owned()))
}

fn by_time(text: &str) -> Result<Supervised> {
    labelled(text, FoldsBy::Time("t".to_owned()))
}

fn labelled(text: &str, by: FoldsBy) -> Result<Supervised> {
    let roles = Roles {
        target: "y".to_owned(),
        further_targets: Vec::new(),
        weight: None,
        folds_by: Some(by),
        task: Task::Auto,
    };
    let mut reader = gapfit_io::Reader::new(text.as_bytes(), "t.csv", &Options::default())?;
    Supervised::read(&mut reader, &roles)
}

fn rows(table: &Table) -> Vec<Vec<Option<f64>>> {
    let cells = table.cells();
    let row = |i| (0..cells.n_cols()).map(|j| cells.get(i, j)).collect();
    (0..cells.n_rows()).map(row).collect()
}

fn message<T>(result: Result<T>) -> String {
    result.err().expect("a fault").to_string()
}

#[test]
fn every_dialect_gives_the_same_table() {
    let expected = rows(&table("a,b\n1,\n-2.5,0\n").unwrap());
    assert_eq!(expected, [[Some(1.0), None], [Some(-2.5), Some(0.0)]]);
    for text in [
        "a;b\n1;\n-2.5;0\n",
        "a\tb\n1\t\n-2.5\t0",
        "\u{feff}a,b\r\n1,\r\n-2.5,0\r\n",
        "\"a\",\"b\"\n\"1\",\"\"\n\"-2.5\",\"0\"\n",
        "\n a , b \n 1 , NA \n\n -2.5 , 0 \n\n",
        "a,b\n1,?\n-2.5e0,+0.0\n",
    ] {
        let found = table(text).unwrap();
        assert_eq!(rows(&found), expected, "{text:?}");
        let names: Vec<_> = found.columns().iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["a", "b"], "{text:?}");
    }
}

#[test]
fn names_may_hold_delimiters_quotes_and_line_ends() {
    let found = table("\"a,b\",\"say \"\"x\"\"\",\"two\nlines\"\n1,2,3\n").unwrap();
    let names: Vec<_> = found.columns().iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["a,b", "say \"x\"", "two\nlines"]);
}

#[test]
fn a_given_delimiter_and_given_marks_are_used() {
    let options = Options {
        delimiter: Some(b'|'),
        missing: Missing::new(["-1"]),
    };
    let mut reader = Reader::new("a,b|c\n-1|2\n".as_bytes(), "t", &options).unwrap();
    assert_eq!(reader.columns()[0].name, "a,b");
    assert_eq!(reader.next_row().unwrap().unwrap().cells, [None, Some(2.0)]);
}

#[test]
fn ignored_columns_may_hold_anything() {
    let mut reader = reader(b"id,a,note\nx,1,\"\xff\n\"\ny,2,inf\n").unwrap();
    reader.ignore(&["id", "note"]).unwrap();
    let found = Table::read(&mut reader).unwrap();
    assert_eq!(rows(&found), [[Some(1.0)], [Some(2.0)]]);
    assert_eq!(found.columns()[0].index, 1);
}

#[test]
fn rows_without_a_target_are_dropped_and_counted() {
    let found = supervised("a,y,w\n1,,\n,2,0.5\n3,4,1\n", Some("w")).unwrap();
    assert_eq!(found.dropped, 1);
    assert_eq!(found.data.names(), ["a"]);
    assert_eq!(found.data.target_name(), "y");
    assert_eq!(found.data.target(), [2.0, 4.0]);
    assert_eq!(found.data.weights(), Some(&[0.5, 1.0][..]));
    assert_eq!(found.data.features().get(0, 0), None);
}

#[test]
fn a_file_that_is_not_there_or_not_readable_is_named() {
    let open = |path: &str| Reader::open(&Source::from(path), &Options::default());
    let text = message(open("no/such.csv"));
    assert!(text.starts_with("no/such.csv: cannot be read: "), "{text}");
    let folder = tempfile::tempdir().unwrap();
    let text = message(open(folder.path().to_str().unwrap()));
    assert!(text.contains("cannot be read: "), "{text}");
}

#[test]
fn every_fault_of_the_header_has_its_message() {
    let empty = "t.csv: expected a header line, got an empty file";
    for (text, expected) in [
        (&b""[..], empty),
        (b"\n\r\n", empty),
        (b"\xEF\xBB\xBF", empty),
        (
            b"a,b,a\n1,2,3\n",
            r#"t.csv, line 1: expected distinct column names, got "a" in columns 1 and 3"#,
        ),
        (
            b"a,b\xff\n1,2\n",
            "t.csv, line 1, column 2 (\"b\u{fffd}\"): expected a column name in UTF-8, got the bytes 62 FF",
        ),
        (
            b"\xff\xfea\0,\0",
            "t.csv, line 1: expected a column name in UTF-8, got UTF-16",
        ),
        (
            b"PK\x03\x04\x14",
            "t.csv, line 1: expected a column name in UTF-8, got a zip file or spreadsheet",
        ),
        (
            b"\x08\x03\0\0{\"a\":1,\"b\":2}",
            "t.csv, line 1: expected a column name in UTF-8, got binary data",
        ),
        (
            b"a,\"b\n1,2\n",
            "t.csv, line 1: expected a closing quote, got the end of the file",
        ),
    ] {
        assert_eq!(message(reader(text)), expected);
    }
    assert_eq!(
        message(table("a,b\n\n")),
        "t.csv: expected rows after the header, got none"
    );
}

#[test]
fn every_fault_of_a_cell_has_its_message_with_line_and_column() {
    for (text, expected) in [
        (
            "a,b\r\n1,2\r\n\r\n3,x\r\n",
            r#"t.csv, line 4, column 2 ("b"): expected a number or a mark for missing, got "x""#,
        ),
        (
            "a;b\n\"1,5\";2\n",
            r#"t.csv, line 2, column 1 ("a"): expected a number or a mark for missing, got "1,5""#,
        ),
        (
            "a,b\n1,2\n1,2,3\n",
            "t.csv, line 3: expected 2 cells as in the header, got 3",
        ),
        (
            "a,b\n1\n",
            "t.csv, line 2: expected 2 cells as in the header, got 1",
        ),
        (
            "a,b\n1,-inf\n",
            r#"t.csv, line 2, column 2 ("b"): expected a finite number, got "-inf""#,
        ),
        (
            "a,b\n1e999,1\n",
            r#"t.csv, line 2, column 1 ("a"): expected a finite number, got "1e999""#,
        ),
        (
            "a,b\n1,2\n1,\"2\n",
            "t.csv, line 3: expected a closing quote, got the end of the file",
        ),
    ] {
        assert_eq!(message(table(text)), expected);
    }
}

#[test]
fn groups_are_told_apart_by_their_text() {
    let text =
        "g,a,y\nann,1,2\n\"bob\",1,3\n ann ,2,4\nNA,,\n1,3,5\n1.0,3,6\n\"a \"\"b\"\"\",3,6\n";
    let found = by_group(text).unwrap();
    assert_eq!(found.folding, Folding::Grouped(vec![0, 1, 0, 2, 3, 4]));
    assert_eq!(found.data.names(), ["a"]);
    assert_eq!(found.dropped, 1);
    assert_eq!(
        supervised("a,y\n1,2\n", None).unwrap().folding,
        Folding::Shuffled
    );
}

#[test]
fn times_are_numbers_or_dates() {
    let found = by_time("a,t,y\n1,2.5,2\n1,-1e3,3\n").unwrap();
    assert_eq!(found.folding, Folding::Timed(vec![2.5, -1000.0]));
    let found = by_time("a,t,y\n1,1970-01-02,2\n1,1970-01-01 00:01:30,3\n").unwrap();
    assert_eq!(found.folding, Folding::Timed(vec![86400.0, 90.0]));
    assert_eq!(found.data.names(), ["a"]);
}

#[test]
fn every_fault_of_group_and_time_has_its_message() {
    let times = "a number, or a date such as 2024-03-01 or 2024-03-01T12:30:00Z (ISO 8601)";
    for (result, expected) in [
        (
            by_group("a,G,y\n1,x,2\n"),
            r#"t.csv: expected the group column "g", got none of that name; did you mean "G"?"#
                .to_owned(),
        ),
        (
            by_group("a,g,y\n1,x,2\n1,?,2\n"),
            r#"t.csv, line 3, column 2 ("g"): expected a group in every row, got a missing one"#
                .to_owned(),
        ),
        (
            by_time("t,a,y\n1,1,2\n ,1,2\n"),
            r#"t.csv, line 3, column 1 ("t"): expected a time in every row, got a missing one"#
                .to_owned(),
        ),
        (
            by_time("a,y,t\n1,2,1.3.2024\n"),
            format!(r#"t.csv, line 2, column 3 ("t"): expected {times}, got "1.3.2024""#),
        ),
        (
            by_time("a,y,t\n1,2,inf\n"),
            format!(r#"t.csv, line 2, column 3 ("t"): expected {times}, got "inf""#),
        ),
        (
            by_time("a,y,t\n1,2,2023\n1,2,2024-01-01\n"),
            r#"t.csv, line 3, column 3 ("t"): expected a number as in the rows before, got "2024-01-01""#
                .to_owned(),
        ),
        (
            by_time("a,y,t\n1,2,2024-01-01\n1,2,2023\n"),
            r#"t.csv, line 3, column 3 ("t"): expected a date as in the rows before, got "2023""#
                .to_owned(),
        ),
        (
            labelled("a,y\n1,2\n", FoldsBy::Time("y".to_owned())),
            r#"t.csv, column 2 ("y"): expected different columns for target and time, got the same for both"#
                .to_owned(),
        ),
        (
            by_group("g,y\n1,2\n"),
            "t.csv: expected a column besides target, weight, group, time and ignored ones, got none"
                .to_owned(),
        ),
    ] {
        assert_eq!(message(result), expected);
    }
}

#[test]
fn every_fault_of_target_and_weight_has_its_message() {
    for (text, weight, expected) in [
        (
            "a,yy\n1,2\n",
            None,
            r#"t.csv: expected the target column "y", got 2 columns: a, yy"#,
        ),
        (
            "a,y,wt\n1,2,3\n",
            Some("wT"),
            r#"t.csv: expected the weight column "wT", got none of that name; did you mean "wt"?"#,
        ),
        (
            "a,y\n1,\n2,NA\n",
            None,
            r#"t.csv, column 2 ("y"): expected a target in some row, got none in all 2"#,
        ),
        (
            "a,y\n",
            None,
            "t.csv: expected rows after the header, got none",
        ),
        (
            "a,y,w\n1,2,1\n1,2,\n",
            Some("w"),
            r#"t.csv, line 3, column 3 ("w"): expected a weight in every row, got a missing one"#,
        ),
        (
            "a,y,w\n1,2,-0.5\n",
            Some("w"),
            r#"t.csv, line 2, column 3 ("w"): expected a weight that is not negative, got -0.5"#,
        ),
        (
            "a,y,w\n1,2,0\n1,2,0.0\n1,,1\n",
            Some("w"),
            r#"t.csv, column 3 ("w"): expected a positive weight in some row, got none in all 2"#,
        ),
        (
            "a,y\n1,2\n",
            Some("y"),
            r#"t.csv, column 2 ("y"): expected different columns for target and weight, got the same for both"#,
        ),
        (
            "w,y\n1,2\n",
            Some("w"),
            "t.csv: expected a column besides target, weight, group, time and ignored ones, got none",
        ),
    ] {
        assert_eq!(message(supervised(text, weight)), expected);
    }
    assert_eq!(
        message(reader(b"id,a\n1,2\n").unwrap().ignore(&["idd"])),
        r#"t.csv: expected the ignored column "idd", got none of that name; did you mean "id"?"#
    );
}

#[test]
fn an_absent_target_is_found_before_any_row_is_read() {
    let error = supervised("a,target\nx,y\n", None).unwrap_err();
    assert!(matches!(error, Error::AbsentColumn { .. }), "{error}");
}

/// Bytes that look like a table more often than not.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "1", ",", ";", "\"", "\n", "\r\n", "NA", "-2.5e3", "y", "\u{feff}"
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        any::<u8>().prop_map(|byte| vec![byte]),
    ];
    prop::collection::vec(piece, 0..80).prop_map(|pieces| pieces.concat())
}

/// A sound table in one of many spellings.
fn spellings() -> impl Strategy<Value = Vec<u8>> {
    let cell = prop::sample::select(vec![
        "1", "-2.5e3", "", "NA", "\"3\"", " 4 ", "\"\"", "\" 5\n\"",
    ]);
    let rows = (1usize..4).prop_flat_map(move |width| {
        prop::collection::vec(prop::collection::vec(cell.clone(), width), 1..9)
    });
    (rows, prop::sample::select(vec!["\n", "\r\n", "\n\n"])).prop_map(|(rows, end)| {
        let header = &["a", "\"b;\"", " c"][..rows[0].len()];
        let lines = std::iter::once(header.join(",")).chain(rows.iter().map(|row| row.join(",")));
        // a blank line is no row
        let lines = lines.map(|line| {
            if line.is_empty() {
                "0".to_owned()
            } else {
                line
            }
        });
        lines.collect::<Vec<_>>().join(end).into_bytes()
    })
}

proptest! {
    #[test]
    fn any_bytes_give_a_table_or_a_message_that_names_the_file(text in bytes()) {
        match reader(&text).and_then(|mut reader| Table::read(&mut reader)) {
            Ok(table) => prop_assert!(table.cells().n_rows() > 0),
            Err(error) => prop_assert!(error.to_string().starts_with("t.csv")),
        }
    }

    #[test]
    fn blanking_hides_the_chosen_cells_and_no_others(text in spellings(), hidden in 1usize..4) {
        let read = |text: &[u8]| reader(text).and_then(|mut reader| Table::read(&mut reader));
        let before = read(&text).unwrap();
        let hide = |i: usize, j: usize| (i + j) % 4 >= hidden;
        let mut copy = Vec::new();
        csv::blank(&text, None, &mut copy, hide).unwrap();
        let after = read(&copy).unwrap();
        let mut expected = rows(&before);
        for (i, row) in expected.iter_mut().enumerate() {
            for (j, cell) in row.iter_mut().enumerate() {
                *cell = cell.filter(|_| !hide(i, j));
            }
        }
        prop_assert_eq!(rows(&after), expected);
        prop_assert_eq!(after.columns(), before.columns());
    }
}

#[test]
fn rare_texts_that_share_a_feature_are_still_told_apart() {
    let often = "a,1\n".repeat(12);
    let data = supervised(&format!("x,y\n{often}b,2\nc,3\nb,4\n,5\n"), None);
    let data = data.unwrap().data;
    assert_eq!(data.names(), ["x=a", "x=other"]);
    let other = |row: usize, train: &[usize]| data.held_out(&[row], train).features().get(0, 1);
    assert_eq!(other(14, &[0, 12]), Some(1.0));
    assert_eq!(other(14, &[0, 13]), None, "b was not learnt, c was");
}
