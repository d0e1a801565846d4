//! What is said about bad rows and bad files.

use gapfit_io::Source;
use gapfit_io::stream::{Options, Reader, Roles};

use super::{CSV, NDJSON, all_roles, outcomes, reader, target};

/// A good row, the bad one, a good one: the message, and the same columns as without the bad one.
fn fault_between(before: &str, bad: &[u8], good: &str, file: &str) -> String {
    let text = [
        before.as_bytes(),
        good.as_bytes(),
        b"\n",
        bad,
        b"\n",
        good.as_bytes(),
    ]
    .concat();
    let mut reader =
        Reader::new(&text[..], file, &all_roles(), &Options::default()).expect("a stream");
    let mut found = outcomes(&mut reader);
    assert_eq!(reader.names(), ["a", "b"]);
    assert_eq!(found.len(), 3, "{found:?}");
    let last = found
        .pop()
        .and_then(std::result::Result::ok)
        .expect("a good row");
    assert_eq!(last.cells, [Some(1.0), Some(2.0)]);
    found.swap_remove(1).expect_err("a bad row")
}

#[test]
fn every_fault_of_a_row_of_csv_has_its_message_and_reading_goes_on() {
    for (bad, expected) in [
        (
            &b"1,2,3,4"[..],
            ": expected 5 cells as in the header, got 4",
        ),
        (b"1,2,3,4,5,6", ": expected 5 cells as in the header, got 6"),
        (
            b"1,x,3,4,5",
            r#", column 2 ("b"): expected a number or a mark for missing, got "x""#,
        ),
        (
            b"1,\"x,\ny\",3,4,5",
            r#", column 2 ("b"): expected a number or a mark for missing, got "x,\ny""#,
        ),
        (
            b"-inf,2,3,4,5",
            r#", column 1 ("a"): expected a finite number, got "-inf""#,
        ),
        (
            b"1,2,a\xff,4,5",
            r#", column 3 ("y"): expected a target in UTF-8, got the bytes 61 FF"#,
        ),
        (
            b"1,2,3,4,\xff",
            r#", column 5 ("i"): expected an id in UTF-8, got the bytes FF"#,
        ),
        (
            b"1,2,3,NA,5",
            r#", column 4 ("w"): expected a weight in every row, got a missing one"#,
        ),
        (
            b"1,2,3,-4,5",
            r#", column 4 ("w"): expected a weight that is not negative, got -4"#,
        ),
        (
            b"1,2,,x,5",
            r#", column 4 ("w"): expected a number or a mark for missing, got "x""#,
        ),
    ] {
        let found = fault_between("a,b,y,w,i\n", bad, "1,2,3,4,5", CSV);
        assert_eq!(found, format!("t.csv, line 3{expected}"));
    }
}

#[test]
fn every_fault_of_a_row_of_ndjson_has_its_message_and_reading_goes_on() {
    for (bad, expected) in [
        (
            &br#"{"a": 1, "c": 2"#[..],
            r#": expected a JSON object, got "{\"a\": 1, \"c\": 2" (EOF while parsing an object at byte 15)"#,
        ),
        (
            b"[1, 2]",
            r#": expected a JSON object, got "[1, 2]" (invalid type: sequence, expected an object)"#,
        ),
        (
            b"{} {}",
            r#": expected a JSON object, got "{} {}" (trailing characters at byte 4)"#,
        ),
        (
            br#"{"c": 1, "a": nan}"#,
            r#": expected a JSON object, got "{\"c\": 1, \"a\": nan}" (expected ident at byte 16)"#,
        ),
        (
            br#"{"c": 1, "y": "\ud800"}"#,
            r#": expected a JSON object, got "\"\\ud800\"" (unexpected end of hex escape at byte 8)"#,
        ),
        (
            b"{\"c\": 1, \"a\": \"\xff\"}",
            r#": expected a line in UTF-8, got the bytes FF 22 7D 0A"#,
        ),
        (
            br#"{"c": 1, "a": "x"}"#,
            r#", key "a": expected a number or a mark for missing, got "x""#,
        ),
        (
            br#"{"c": "true"}"#,
            r#", key "c": expected a number or a mark for missing, got "true""#,
        ),
        (
            br#"{"c": 1e999}"#,
            r#", key "c": expected a finite number, got "1e999""#,
        ),
        (
            br#"{"c": [1]}"#,
            r#", key "c": expected a number, a text, true, false or null, got an array"#,
        ),
        (
            br#"{"c": 1, "y": {}}"#,
            r#", key "y": expected a number, a text, true, false or null, got an object"#,
        ),
        (
            br#"{"c": 1, "a": 1, "c": 1}"#,
            r#", key "c": expected each key once in a row, got it twice"#,
        ),
        (
            br#"{"c": 1, "y": 1}"#,
            r#", key "w": expected a weight in every row, got a missing one"#,
        ),
        (
            br#"{"c": 1, "w": -0.5}"#,
            r#", key "w": expected a weight that is not negative, got -0.5"#,
        ),
    ] {
        let good = r#"{"a": 1, "b": 2, "y": 3, "w": 4, "i": 5}"#;
        let found = fault_between("\n", bad, good, NDJSON);
        assert_eq!(found, format!("t.ndjson, line 3{expected}"));
    }
}

#[test]
fn a_row_that_does_not_end_is_a_fault_and_costs_one_line() {
    let options = Options {
        row_limit: 30,
        ..Options::default()
    };
    let long = "x".repeat(100);
    let expected = "expected a row of at most 30 bytes, got a longer one";
    for (text, file, faults) in [
        (format!("a,y\n1,1\n1,{long}\n1,1\n"), CSV, 1),
        (
            format!("a,y\n1,1\n1,\"{}\n1,1\n", "1,1\n".repeat(20)),
            CSV,
            1,
        ),
        (
            format!("{{\"a\":1}}\n{{\"a\":\"{long}\"}}\n{{\"a\":1}}\n"),
            NDJSON,
            1,
        ),
    ] {
        let mut reader = Reader::new(text.as_bytes(), file, &target(), &options).unwrap();
        let found = outcomes(&mut reader);
        let refused: Vec<_> = found.iter().filter_map(|row| row.as_ref().err()).collect();
        assert_eq!(refused.len(), faults, "{text}: {refused:?}");
        assert!(refused[0].ends_with(expected), "{}", refused[0]);
        assert!(found.len() > 2);
        let last = found.last().unwrap().as_ref().unwrap();
        assert_eq!(last.cells, [Some(1.0)]);
        assert_eq!(last.line, text.lines().count() as u64);
    }
    let header = Reader::new(long.as_bytes(), CSV, &target(), &options);
    assert_eq!(
        header.unwrap_err().to_string(),
        format!("t.csv, line 1: {expected}")
    );
}

#[test]
fn what_is_wrong_with_a_whole_file_is_no_row_s_fault() {
    let open = |text: &[u8], file: &str, roles: &Roles| {
        let options = Options {
            ignore: vec!["n".to_owned()],
            ..Options::default()
        };
        let error = Reader::new(text, file, roles, &options).expect_err("a fault");
        assert!(!error.is_row_fault(), "{error}");
        error.to_string()
    };
    let ignored = |target: &str| Roles {
        target: target.to_owned(),
        ..super::target()
    };
    for (found, expected) in [
        (
            open(b"", CSV, &target()),
            "t.csv: expected a header line, got an empty file",
        ),
        (
            open(b"a,Y,n\n", CSV, &target()),
            r#"t.csv: expected the target column "y", got none of that name; did you mean "Y"?"#,
        ),
        (
            open(b"a,y\n", CSV, &target()),
            r#"t.csv: expected the ignored column "n", got 2 columns: a, y"#,
        ),
        (
            open(b"n,y\n", CSV, &ignored("n")),
            r#"t.csv, column 1 ("n"): expected different columns for target and ignored, got the same for both"#,
        ),
        (
            open(b"", NDJSON, &ignored("n")),
            r#"t.ndjson, key "n": expected different columns for target and ignored, got the same for both"#,
        ),
        (
            open(b"n,y\n1,1\n", CSV, &target()),
            "t.csv: expected a column besides target, weight, group, time and ignored ones, got none",
        ),
    ] {
        assert_eq!(found, expected);
    }
    let unclosed = reader(b"a,y\n1,\"2\n", CSV).next_row().unwrap_err();
    let foreign = reader(b"\x1F\x8B\x08", NDJSON).next_row().unwrap_err();
    let nowhere = Reader::open(&Source::from("no/such"), &target(), &Options::default());
    for error in [unclosed, foreign, nowhere.err().expect("no such file")] {
        assert!(!error.is_row_fault(), "{error}");
    }
}
