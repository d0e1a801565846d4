//! The embedded data sets: gzipped CSV, complete, raw units, features first and the target last.
//!
//! `data/README.md` names their sources and licences, `data/build.py` makes them. Rows are in the
//! order of the source, and some sources are sorted: shuffle before any split.

use flate2::read::GzDecoder;
use gapfit::data::{Dataset, MaskedMatrix};

/// A data set that ships inside the binary.
///
/// ```
/// use gapfit_paper::Embedded;
/// let housing = Embedded::Housing.load();
/// assert_eq!((housing.n_rows(), housing.n_features()), (20_640, 8));
/// assert_eq!(housing.names()[0], "median_income");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Embedded {
    /// Abalone: age, as rings of the shell, from seven measurements.
    Abalone,
    /// California housing: median value of a block group from eight census figures.
    Housing,
    /// Wine quality, red and white: a taste score from eleven laboratory tests.
    Wine,
}

impl Embedded {
    /// Every embedded set, by name.
    pub const ALL: [Self; 3] = [Self::Abalone, Self::Housing, Self::Wine];

    /// The name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Abalone => "abalone",
            Self::Housing => "housing",
            Self::Wine => "wine",
        }
    }

    /// The name of the target column.
    pub fn target_name(self) -> &'static str {
        match self {
            Self::Abalone => "rings",
            Self::Housing => "median_house_value",
            Self::Wine => "quality",
        }
    }

    /// One line on what the rows, the target and the source are.
    pub fn description(self) -> &'static str {
        match self {
            Self::Abalone => "rings of an abalone's shell from its size and weights (UCI, 1994)",
            Self::Housing => {
                "median house value of Californian block groups, 1990 census (StatLib, 1997)"
            }
            Self::Wine => "taste score of Portuguese wines, 1599 red then 4898 white (UCI, 2009)",
        }
    }

    /// The data set, unpacked anew at each call.
    pub fn load(self) -> Dataset {
        parse(self.packed()).expect("the embedded files are complete tables of numbers")
    }

    fn packed(self) -> &'static [u8] {
        match self {
            Self::Abalone => include_bytes!("../data/abalone.csv.gz"),
            Self::Housing => include_bytes!("../data/housing.csv.gz"),
            Self::Wine => include_bytes!("../data/wine.csv.gz"),
        }
    }
}

/// The table in gzipped CSV text: a header, then numbers alone, the last column the target.
fn parse(packed: &[u8]) -> Result<Dataset, Box<dyn std::error::Error>> {
    let mut reader = csv::Reader::from_reader(GzDecoder::new(packed));
    let mut names: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
    let target_name = names.pop().ok_or("expected a target column, got none")?;
    let mut features = MaskedMatrix::new(names.len());
    let mut target = Vec::new();
    let mut record = csv::StringRecord::new();
    let mut row = Vec::with_capacity(names.len() + 1);
    while reader.read_record(&mut record)? {
        row.clear();
        for cell in &record {
            row.push(cell.parse::<f64>()?);
        }
        target.extend(row.pop());
        features.push_row(row.iter().copied().map(Some))?;
    }
    let data = Dataset::new(features, target)?.with_names(names)?;
    Ok(data.with_target_name(&target_name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn column_sum(data: &Dataset, name: &str) -> f64 {
        let j = data.names().iter().position(|n| n == name).unwrap();
        data.features().rows().map(|row| row.values()[j]).sum()
    }

    fn assert_close(got: f64, expected: f64) {
        assert!(
            (got - expected).abs() <= 1e-12 * expected.abs(),
            "expected {expected}, got {got}"
        );
    }

    #[test]
    fn every_set_is_complete_and_has_the_published_size() {
        let sizes = Embedded::ALL.map(|set| {
            let data = set.load();
            assert_close(data.features().observed_fraction(), 1.0);
            (set.name(), data.n_rows(), data.n_features())
        });
        assert_eq!(
            sizes,
            [
                ("abalone", 4177, 7),
                ("housing", 20_640, 8),
                ("wine", 6497, 11)
            ]
        );
    }

    #[test]
    fn the_target_is_the_last_column_of_each_file() {
        for set in Embedded::ALL {
            let mut reader = csv::Reader::from_reader(GzDecoder::new(set.packed()));
            let header = reader.headers().unwrap();
            assert_eq!(header.iter().next_back(), Some(set.target_name()));
            let data = set.load();
            assert_eq!(data.target_name(), set.target_name());
            assert!(!data.names().iter().any(|name| name == set.target_name()));
        }
    }

    #[test]
    fn first_and_last_rows_are_those_of_the_sources() {
        let abalone = Embedded::Abalone.load();
        let first = abalone.features().row(0).values();
        assert_eq!(first, [0.455, 0.365, 0.095, 0.514, 0.2245, 0.101, 0.15]);
        assert_eq!((abalone.target()[0], abalone.target()[4176]), (15.0, 12.0));

        let housing = Embedded::Housing.load();
        let first = housing.features().row(0).values();
        assert_eq!(
            first,
            [8.3252, 41.0, 880.0, 129.0, 322.0, 126.0, 37.88, -122.23]
        );
        assert_eq!(
            (housing.target()[0], housing.target()[20_639]),
            (452_600.0, 89_400.0)
        );

        let wine = Embedded::Wine.load();
        let last = wine.features().row(6496).values();
        assert_eq!(last[..4], [6.0, 0.21, 0.38, 0.8]);
        assert_eq!((wine.target()[0], wine.target()[6496]), (5.0, 6.0));
    }

    #[test]
    fn sums_agree_with_exact_decimal_sums_of_the_files() {
        let abalone = Embedded::Abalone.load();
        assert_close(column_sum(&abalone, "length"), 2188.715);
        assert_close(column_sum(&abalone, "shell_weight"), 997.5965);
        assert_close(abalone.target().iter().sum(), 41_493.0);

        let housing = Embedded::Housing.load();
        assert_close(column_sum(&housing, "total_rooms"), 54_402_150.0);
        assert_close(column_sum(&housing, "longitude"), -2_467_918.70);
        assert_close(housing.target().iter().sum(), 4_269_504_061.0);

        let wine = Embedded::Wine.load();
        assert_close(column_sum(&wine, "fixed_acidity"), 46_877.85);
        assert_close(column_sum(&wine, "density"), 6462.54403);
        assert_close(wine.target().iter().sum(), 37_802.0);
    }

    #[test]
    fn targets_span_their_known_ranges() {
        let ranges = Embedded::ALL.map(|set| {
            let target = set.load().target().to_vec();
            let low = target.iter().copied().fold(f64::INFINITY, f64::min);
            (
                low,
                target.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            )
        });
        assert_eq!(ranges, [(1.0, 29.0), (14_999.0, 500_001.0), (3.0, 9.0)]);
    }

    #[test]
    fn a_damaged_table_is_an_error_not_a_hole() {
        for text in ["a,y\n1,2\n3\n", "a,y\n,2\n", "a,y\n1,two\n"] {
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), Default::default());
            packer.write_all(text.as_bytes()).unwrap();
            assert!(parse(&packer.finish().unwrap()).is_err(), "{text:?}");
        }
        assert!(parse(b"not gzip").is_err());
    }
}
