//! What is read.

use gapfit_io::stream::{Format, Infinite, Options, Reader, Roles};
use gapfit_io::{Error, Missing};

use super::{CSV, NDJSON, all_roles, outcomes, reader, rows, target};

#[test]
fn the_same_table_gives_the_same_rows_in_either_format() {
    let csv = "a,y,b,w,i\n1,x,,0.5,r1\nNA,-2.50,-1e-3,2,NA\n0,,3,,7\n";
    let ndjson = r#"{"a": 1, "y": "x", "b": null, "w": 0.5, "i": "r1"}
{"a": "NA", "y": -2.50, "b": -1e-3, "w": "2"}
{"w": null, "b": " 3 ", "a": false, "i": 7}
"#;
    let read = |text: &str, file| {
        let options = Options::default();
        let mut reader = Reader::new(text.as_bytes(), file, &all_roles(), &options).unwrap();
        (rows(&mut reader), reader.names().to_vec())
    };
    let (mut from_csv, names) = read(csv, CSV);
    assert_eq!(names, ["a", "b"]);
    assert_eq!(from_csv[0].cells, [Some(1.0), None]);
    assert_eq!(from_csv[0].target.as_deref(), Some("x"));
    assert_eq!(from_csv[1].target.as_deref(), Some("-2.50"));
    assert_eq!(from_csv[1].id, None);
    assert_eq!(from_csv[2].id.as_deref(), Some("7"));
    let weights: Vec<_> = from_csv.iter().map(|row| row.weight).collect();
    assert_eq!(weights, [0.5, 2.0, 1.0]);
    from_csv.iter_mut().for_each(|row| row.line -= 1);
    assert_eq!(read(ndjson, NDJSON), (from_csv, names));
}

#[test]
fn the_format_is_told_by_the_name_else_by_the_first_byte() {
    let format = |text: &str, file: &str| {
        let reader = Reader::new(text.as_bytes(), file, &target(), &Options::default());
        reader.unwrap().format()
    };
    for (file, expected) in [
        ("a.csv", Format::Csv),
        ("a.TSV", Format::Csv),
        ("a.b.txt", Format::Csv),
        ("a.ndjson", Format::Ndjson),
        ("a.jsonl", Format::Ndjson),
        ("a.JSON-lines", Format::Ndjson),
    ] {
        assert_eq!(format("{,y\n", file), expected, "{file}");
    }
    for (text, expected) in [
        ("{\"y\": 1}", Format::Ndjson),
        ("\u{feff} \r\n\t{", Format::Ndjson),
        ("a,y\n", Format::Csv),
        ("\u{feff}\n\"{\",y\n", Format::Csv),
    ] {
        assert_eq!(format(text, "standard input"), expected, "{text:?}");
    }
    let options = Options {
        format: Some(Format::Csv),
        ..Options::default()
    };
    let reader = Reader::new(&b"{,y\n"[..], NDJSON, &target(), &options).unwrap();
    assert_eq!(reader.names(), ["{"]);
}

#[test]
fn marks_blank_lines_and_line_ends_of_all_kinds_are_read() {
    let expected = [(2, Some(1.0)), (5, None)];
    for (text, file) in [
        ("\u{feff}a,y\r\n1,2\r\n\r\n\n,3", CSV),
        ("\u{feff}a;y\n1;2\n\n\nNA;3\n\n", CSV),
        ("\u{feff}\r\n{\"a\":1,\"y\":2}\r\n \r\n\n{\"y\":3}", NDJSON),
        ("\n{\"a\":1,\"y\":2}\n\n\t\n {\"y\":3} \n\n", NDJSON),
    ] {
        let found = rows(&mut reader(text.as_bytes(), file));
        let found: Vec<_> = found.iter().map(|row| (row.line, row.cells[0])).collect();
        assert_eq!(found, expected, "{text:?}");
    }
}

#[test]
fn a_new_key_is_a_new_column_and_an_absent_one_a_hole() {
    let text = "{\"b\": 1, \"y\": 1}\n{\"a\": 2, \"y\": 1}\n{\"y\": 1}\n{\"c\": null, \"b\": 3}\n";
    let mut reader = reader(text.as_bytes(), NDJSON);
    assert!(reader.names().is_empty());
    let found = rows(&mut reader);
    assert_eq!(reader.names(), ["b", "a", "c"]);
    let cells: Vec<_> = found.into_iter().map(|row| row.cells).collect();
    assert_eq!(cells[0], [Some(1.0)]);
    assert_eq!(cells[1], [None, Some(2.0)]);
    assert_eq!(cells[2], [None, None]);
    assert_eq!(cells[3], [Some(3.0), None, None]);
}

#[test]
fn texts_may_be_escaped_and_numbers_python_s() {
    let text = r#"{"\u0061": NaN, "y": "say \"NaN\"", "i": "é\n"}
{"a": "\u0031e2", "y": NaN, "i": true}
"#;
    let roles = all_roles();
    let roles = Roles {
        weight: None,
        ..roles
    };
    let mut reader = Reader::new(text.as_bytes(), NDJSON, &roles, &Options::default()).unwrap();
    let found = rows(&mut reader);
    assert_eq!(reader.names(), ["a"]);
    assert_eq!(found[0].cells, [None]);
    assert_eq!(found[0].target.as_deref(), Some("say \"NaN\""));
    assert_eq!(found[0].id.as_deref(), Some("é"));
    assert_eq!(found[1].cells, [Some(100.0)]);
    assert_eq!(found[1].target, None);
    assert_eq!(found[1].id.as_deref(), Some("true"));
}

#[test]
fn an_infinite_number_is_a_hole_or_a_fault_as_one_likes() {
    for (text, file) in [
        ("a,b,y\n1e999,1,1\n-inf,1,1\n", CSV),
        (
            "{\"a\": 1e999, \"b\": 1}\n{\"a\": -Infinity, \"b\": \"1\"}\n",
            NDJSON,
        ),
    ] {
        let options = Options {
            infinite: Infinite::Hole,
            ..Options::default()
        };
        let mut reader = Reader::new(text.as_bytes(), file, &target(), &options).unwrap();
        for row in rows(&mut reader) {
            assert_eq!(row.cells, [None, Some(1.0)], "{text}");
        }
        let faults = outcomes(&mut super::reader(text.as_bytes(), file));
        for (fault, got) in faults.into_iter().zip(["1e999", "-"]) {
            let expected = format!("expected a finite number, got \"{got}");
            let fault = fault.unwrap_err();
            assert!(fault.contains(&expected), "{fault}");
        }
    }
}

#[test]
fn an_infinite_weight_is_a_fault_under_any_policy() {
    let options = Options {
        infinite: Infinite::Hole,
        ..Options::default()
    };
    for (text, file) in [
        ("a,y,w,i\n1,1,inf,1\n", CSV),
        ("{\"a\":1,\"y\":1,\"w\":1e999}", NDJSON),
    ] {
        let mut reader = Reader::new(text.as_bytes(), file, &all_roles(), &options).unwrap();
        let error = reader.next_row().unwrap_err();
        assert!(matches!(error, Error::Infinite { .. }), "{error}");
    }
}

#[test]
fn given_marks_are_holes_in_either_format() {
    let options = Options {
        missing: Missing::new(["-999", "none"]),
        ..Options::default()
    };
    for (text, file) in [
        ("a,b,y\n-999,none,none\n", CSV),
        ("{\"a\": -999, \"b\": \"none\", \"y\": \"none\"}", NDJSON),
    ] {
        let mut reader = Reader::new(text.as_bytes(), file, &target(), &options).unwrap();
        let found = rows(&mut reader);
        assert_eq!(found[0].cells, [None, None]);
        assert_eq!(found[0].target, None);
    }
}

#[test]
fn ignored_columns_may_hold_anything() {
    let options = Options {
        ignore: vec!["n".to_owned(), "n".to_owned()],
        ..Options::default()
    };
    for (text, file) in [
        (&b"n,a,y\n\xff,1,2\ninf,1,2\n"[..], CSV),
        (
            b"{\"n\": {\"a\": [1]}, \"a\": 1}\n{\"a\": 1, \"n\": 1e999}",
            NDJSON,
        ),
    ] {
        let mut reader = Reader::new(text, file, &target(), &options).unwrap();
        let found = rows(&mut reader);
        assert_eq!(reader.names(), ["a"]);
        assert!(found.iter().all(|row| row.cells == [Some(1.0)]));
        assert_eq!(found.len(), 2);
    }
}
