//! The embedded data sets: gzipped CSV, raw units, features first and the target last; empty cells
//! are holes, which two of the sets have by nature.
//!
//! `data/README.md` names their sources and licences, `data/build.py` makes them. Rows are in the
//! order of the source, and some sources are sorted: shuffle before any split.

use crate::parse::parse;
use flate2::read::GzDecoder;
use gapfit::data::Dataset;
use std::io::Read;

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
    /// Hypothyroid: 1 for ill, -1 for well, from age, sex, history and hormones, of which many were
    /// not measured.
    Hypothyroid,
    /// Handwritten digits: 0 to 9 from the 8 x 8 pixels of an image, line by line.
    Optdigits,
    /// Splice junctions: -1 where a stretch of 60 bases of DNA has one in its middle, else 1; the
    /// bases A, G, C and T are 1 to 4, and a hole where the source leaves it open which.
    Splice,
    /// Wine quality, red and white: a taste score from eleven laboratory tests.
    Wine,
}

impl Embedded {
    /// Every embedded set, by name.
    pub const ALL: [Self; 6] = [
        Self::Abalone,
        Self::Housing,
        Self::Hypothyroid,
        Self::Optdigits,
        Self::Splice,
        Self::Wine,
    ];

    /// The complete ones whose target is a quantity: those of the paper's batch experiments.
    pub const REGRESSION: [Self; 3] = [Self::Abalone, Self::Housing, Self::Wine];

    /// The name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Abalone => "abalone",
            Self::Housing => "housing",
            Self::Hypothyroid => "hypothyroid",
            Self::Optdigits => "optdigits",
            Self::Splice => "splice",
            Self::Wine => "wine",
        }
    }

    /// The name of the target column.
    pub fn target_name(self) -> &'static str {
        match self {
            Self::Abalone => "rings",
            Self::Housing => "median_house_value",
            Self::Hypothyroid => "class",
            Self::Optdigits => "digit",
            Self::Splice => "label",
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
            Self::Hypothyroid => "ill or well from what a thyroid clinic measured (UCI, 1987)",
            Self::Optdigits => "handwritten digits from images of 8 x 8 pixels (UCI, 1998)",
            Self::Splice => "splice junctions or none in stretches of 60 bases (UCI, 1991)",
            Self::Wine => "taste score of Portuguese wines, 1599 red then 4898 white (UCI, 2009)",
        }
    }

    /// Who made it, and where it is published; `data/README.md` says more.
    pub fn attribution(self) -> &'static str {
        match self {
            Self::Abalone => {
                "Nash, Sellers, Talbot, Cawthorn, Ford (1994), UCI, doi:10.24432/C55C7W"
            }
            Self::Housing => "Pace, Barry (1997), StatLib 'houses'",
            Self::Hypothyroid => "Garavan Institute, Quinlan (1987), UCI, doi:10.24432/C5D010",
            Self::Optdigits => "Alpaydin, Kaynak (1998), UCI, doi:10.24432/C50P49",
            Self::Splice => "Towell, Noordewier, Shavlik (1991), UCI, doi:10.24432/C5M888",
            Self::Wine => "Cortez, Cerdeira, Almeida, Matos, Reis (2009), UCI, doi:10.24432/C56S3T",
        }
    }

    /// The licence that its source is known to state.
    pub fn licence(self) -> &'static str {
        match self {
            Self::Housing => "none stated",
            _ => "CC BY 4.0",
        }
    }

    /// The data set as CSV text: a header, the features, the target last, an empty cell for a hole.
    pub fn csv(self) -> Vec<u8> {
        let mut text = Vec::new();
        GzDecoder::new(self.packed())
            .read_to_end(&mut text)
            .expect("the embedded files are sound");
        text
    }

    /// The data set, unpacked anew at each call.
    pub fn load(self) -> Dataset {
        parse(self.packed()).expect("the embedded files are tables of numbers")
    }

    fn packed(self) -> &'static [u8] {
        match self {
            Self::Abalone => include_bytes!("../data/abalone.csv.gz"),
            Self::Housing => include_bytes!("../data/housing.csv.gz"),
            Self::Hypothyroid => include_bytes!("../data/hypothyroid.csv.gz"),
            Self::Optdigits => include_bytes!("../data/optdigits.csv.gz"),
            Self::Splice => include_bytes!("../data/splice.csv.gz"),
            Self::Wine => include_bytes!("../data/wine.csv.gz"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn every_set_has_the_published_size_and_holes() {
        let sizes = Embedded::ALL.map(|set| {
            let data = set.load();
            let rows = data.features().rows();
            let n_holes: usize = rows.map(|row| row.observed().missing().count()).sum();
            (set.name(), data.n_rows(), data.n_features(), n_holes)
        });
        assert_eq!(
            sizes,
            [
                ("abalone", 4177, 7, 0),
                ("housing", 20_640, 8, 0),
                ("hypothyroid", 3163, 25, 5329),
                ("optdigits", 5620, 64, 0),
                ("splice", 3190, 60, 60),
                ("wine", 6497, 11, 0)
            ]
        );
    }

    #[test]
    fn the_target_is_the_last_column_of_each_file() {
        for set in Embedded::ALL {
            let text = set.csv();
            let mut reader = csv::Reader::from_reader(text.as_slice());
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

        let hypothyroid = Embedded::Hypothyroid.load();
        let first = hypothyroid.features().row(0);
        assert_eq!([first.get(0), first.get(1)], [Some(72.0), Some(0.0)]);
        assert_eq!([first.get(14), first.get(24)], [Some(30.0), None]);
        let target = hypothyroid.target();
        assert_eq!((target[0], target[150], target[151]), (1.0, 1.0, -1.0));

        let optdigits = Embedded::Optdigits.load();
        let last = optdigits.features().row(5619).values();
        assert_eq!(last[2..6], [10.0, 14.0, 8.0, 1.0]);
        assert_eq!(
            (optdigits.target()[0], optdigits.target()[5619]),
            (0.0, 8.0)
        );

        let splice = Embedded::Splice.load();
        let last = splice.features().row(3189).values();
        assert_eq!(last[..4], [2.0, 1.0, 2.0, 3.0]);
        assert_eq!((splice.target()[0], splice.target()[3189]), (-1.0, 1.0));

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

        let hypothyroid = Embedded::Hypothyroid.load();
        assert_close(column_sum(&hypothyroid, "age"), 138_986.0);
        assert_close(column_sum(&hypothyroid, "TSH"), 15_962.97);
        assert_close(hypothyroid.target().iter().sum(), -2861.0);

        let optdigits = Embedded::Optdigits.load();
        assert_close(column_sum(&optdigits, "p20"), 40_229.0);
        assert_close(optdigits.target().iter().sum(), 25_263.0);

        let splice = Embedded::Splice.load();
        assert_close(column_sum(&splice, "n21"), 8500.0);
        assert_close(splice.target().iter().sum(), 120.0);

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
        let expected = [
            (1.0, 29.0),
            (14_999.0, 500_001.0),
            (-1.0, 1.0),
            (0.0, 9.0),
            (-1.0, 1.0),
            (3.0, 9.0),
        ];
        assert_eq!(ranges, expected);
    }
}
