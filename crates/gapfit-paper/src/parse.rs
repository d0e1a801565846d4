//! Gzipped CSV text to a table.

use flate2::read::GzDecoder;
use gapfit::data::{Dataset, MaskedMatrix};

/// The table in gzipped CSV text: a header, then numbers alone, the last column the target. An empty
/// feature is a hole; an empty target is an error, as is anything else that is no number.
pub(crate) fn parse(packed: &[u8]) -> Result<Dataset, Box<dyn std::error::Error>> {
    let mut reader = csv::Reader::from_reader(GzDecoder::new(packed));
    let mut names: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
    let target_name = names.pop().ok_or("expected a target column, got none")?;
    let mut features = MaskedMatrix::new(names.len());
    let mut target = Vec::new();
    let mut record = csv::StringRecord::new();
    let mut row = Vec::with_capacity(names.len());
    while reader.read_record(&mut record)? {
        row.clear();
        for text in record.iter().take(names.len()) {
            row.push(cell(text)?);
        }
        features.push_row(row.iter().copied())?;
        target.push(record[names.len()].parse::<f64>()?);
    }
    let data = Dataset::new(features, target)?.with_names(names)?;
    Ok(data.with_target_name(&target_name))
}

/// A number, or `None` for a hole.
fn cell(text: &str) -> Result<Option<f64>, std::num::ParseFloatError> {
    match text {
        "" => Ok(None),
        _ => text.parse().map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn packed(text: &str) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), Default::default());
        packer.write_all(text.as_bytes()).unwrap();
        packer.finish().unwrap()
    }

    #[test]
    fn an_empty_feature_is_a_hole() {
        let data = parse(&packed("a,b,y\n1,,2\n,0,-1\n")).unwrap();
        let row = |i| [0, 1].map(|j| data.features().row(i).get(j));
        assert_eq!([row(0), row(1)], [[Some(1.0), None], [None, Some(0.0)]]);
        assert_eq!(data.target(), [2.0, -1.0]);
    }

    #[test]
    fn a_damaged_table_is_an_error_not_a_hole() {
        for text in ["a,y\n1,2\n3\n", "a,y\n1,\n", "a,y\n1,two\n", "a,y\n?,2\n"] {
            assert!(parse(&packed(text)).is_err(), "{text:?}");
        }
        assert!(parse(b"not gzip").is_err());
    }
}
