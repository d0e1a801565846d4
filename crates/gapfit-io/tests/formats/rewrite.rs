//! Tables that are written again.

use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use gapfit_io::{Cell, Format, Reader, csv};

use super::same::{files, supervised};
use super::write;

/// The table again, where holes of its first column become sevens.
fn filled(content: Vec<u8>, file: &str) -> Vec<u8> {
    let (mut reader, mut rewriter) =
        Reader::twice(content, file, &csv::Options::default()).unwrap();
    let (mut out, first) = (Vec::new(), reader.columns()[0].index);
    while let Some(row) = reader.next_row().unwrap() {
        let is_hole = row.cell(0) == Cell::Hole;
        let by = |column| (column == first && is_hole).then(|| "7".to_owned());
        assert!(rewriter.next_row(&mut out, by).unwrap());
    }
    assert!(!rewriter.next_row(&mut out, |_| None).unwrap());
    out
}

#[test]
fn every_format_comes_out_as_the_same_table() {
    let expected = supervised(filled(write::csv(","), "t.csv"), "t.csv");
    assert_eq!(expected.data.features().get(1, 0), Some(7.0));
    for (i, (file, content)) in files().into_iter().enumerate() {
        let copy = filled(content, file);
        assert_eq!(supervised(copy, "copy.csv"), expected, "{file}, number {i}");
    }
}

#[test]
fn text_keeps_its_bytes_also_from_gzip() {
    for (file, content) in files() {
        let (mut reader, mut rewriter) =
            Reader::twice(content.clone(), file, &csv::Options::default()).unwrap();
        let mut out = Vec::new();
        while reader.next_row().unwrap().is_some() {
            assert!(rewriter.next_row(&mut out, |_| None).unwrap());
        }
        assert!(!rewriter.next_row(&mut out, |_| None).unwrap());
        if reader.format() == Format::Csv {
            let mut plain = Vec::new();
            match MultiGzDecoder::new(&content[..]).read_to_end(&mut plain) {
                Ok(_) => assert_eq!(out, plain, "{file}"),
                Err(_) => assert_eq!(out, content, "{file}"),
            }
        }
    }
}
