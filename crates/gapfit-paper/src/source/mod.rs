//! The tables of the experiments: embedded ones, and those that a user's folder has.

mod file;
mod park;
mod splice;
mod thyroid;

use crate::{Embedded, Error, Result};
use file::Folder;
use gapfit::data::Dataset;
use serde::Deserialize;
use std::path::Path;

/// A table that an experiment runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Embedded.
    Abalone,
    /// Embedded.
    Housing,
    /// Embedded; the paper's label is a digit against all others.
    Optdigits,
    /// Embedded.
    Wine,
    /// The embedded UCI splice set without its few incomplete rows.
    SpliceUci,
    /// Five hormones of the embedded hypothyroid set, with its label.
    Hypothyroid,
    /// The LIBSVM selection of 1000 rows of the splice set: `splice.csv`, or LIBSVM's own file.
    Splice,
    /// Parkinson's telemonitoring: `park.csv`, or UCI's `parkinsons_updrs.data`.
    Park,
    /// The same with the total score as target.
    ParkTotal,
    /// The first 3000 rows of [`Source::Park`].
    ParkFirst,
    /// The last 3000 rows of [`Source::Park`].
    ParkLast,
    /// Sick-euthyroid from five hormones: `thyroid.csv`, or UCI's `sick-euthyroid.data`.
    Thyroid,
    /// The same label from sex, TT4, T4U, FTI and TBG: the choice of five columns with holes that comes
    /// nearest to the share of cells that the paper reports.
    ThyroidSparse,
}

/// So many of park's rows the paper has.
const PARK_ROWS: usize = 3000;

/// The hormones of the thyroid tables, the natural reading of the paper's five features.
const HORMONES: [&str; 5] = ["TSH", "T3", "TT4", "T4U", "FTI"];

/// Another choice of five, whose observed share is nearest to the paper's.
const SPARSE: [&str; 5] = ["sex", "TT4", "T4U", "FTI", "TBG"];

impl Source {
    /// The table, in raw units.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a file that the folder does not have, [`Error::Data`] for one that holds
    /// something else.
    pub fn load(self, folder: Option<&Path>) -> Result<Dataset> {
        let folder = Folder::new(folder);
        match self {
            Self::Abalone => Ok(Embedded::Abalone.load()),
            Self::Housing => Ok(Embedded::Housing.load()),
            Self::Optdigits => Ok(Embedded::Optdigits.load()),
            Self::Wine => Ok(Embedded::Wine.load()),
            Self::SpliceUci => Ok(complete_rows(&Embedded::Splice.load())),
            Self::Hypothyroid => columns(&Embedded::Hypothyroid.load(), &HORMONES),
            Self::Splice => splice::read(&folder),
            Self::Park => park::read(&folder, park::MOTOR),
            Self::ParkTotal => park::read(&folder, park::TOTAL),
            Self::ParkFirst => {
                let all = park::read(&folder, park::MOTOR)?;
                Ok(all.select(&(0..all.n_rows().min(PARK_ROWS)).collect::<Vec<_>>()))
            }
            Self::ParkLast => {
                let all = park::read(&folder, park::MOTOR)?;
                let first = all.n_rows().saturating_sub(PARK_ROWS);
                Ok(all.select(&(first..all.n_rows()).collect::<Vec<_>>()))
            }
            Self::Thyroid => thyroid::read(&folder, &HORMONES),
            Self::ThyroidSparse => thyroid::read(&folder, &SPARSE),
        }
    }
}

fn complete_rows(data: &Dataset) -> Dataset {
    let rows = data.features().rows().enumerate();
    let complete = rows.filter(|(_, row)| row.observed().missing().next().is_none());
    data.select(&complete.map(|(i, _)| i).collect::<Vec<_>>())
}

/// The table with these of its features.
fn columns(data: &Dataset, names: &[&str]) -> Result<Dataset> {
    let place = |name: &&str| data.names().iter().position(|of| of == name);
    let places: Vec<Option<usize>> = names.iter().map(place).collect();
    let features = data.features().select_columns(&places);
    let names = names.iter().map(|&name| name.to_owned()).collect();
    Ok(Dataset::new(features, data.target().to_vec())?.with_names(names)?)
}

/// The error about a place in a file.
fn unexpected(place: impl Into<String>, expected: &str, got: impl Into<String>) -> Error {
    Error::Data {
        file: place.into(),
        expected: expected.to_owned(),
        got: got.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn folder_with(name: &str, text: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), text).unwrap();
        folder
    }

    fn message(source: Source, folder: Option<&Path>) -> String {
        source.load(folder).unwrap_err().to_string()
    }

    #[test]
    fn absent_files_are_named_with_the_place_that_was_searched() {
        let folder = tempfile::tempdir().unwrap();
        let text = message(Source::Park, Some(folder.path()));
        assert!(
            text.starts_with("file park.csv or parkinsons_updrs.data not found in "),
            "{text}"
        );
        let text = message(Source::Thyroid, None);
        assert!(
            text.ends_with("in --data-dir, which was not given"),
            "{text}"
        );
    }

    #[test]
    fn park_in_both_forms_is_the_same_table() {
        let names = "subject#,age,sex,test_time,motor_UPDRS,total_UPDRS,Jitter(%),PPE";
        let uci = folder_with(
            "parkinsons_updrs.data",
            &format!("{names}\n1,72,0,5.6,28.2,34.4,0.006,3.38e-005\n"),
        );
        let ours = folder_with(
            "park.csv",
            "subject,age,sex,test_time,Jitter_pct,PPE,motor_UPDRS,total_UPDRS\n1,72,0,5.6,0.006,3.38e-05,28.2,34.4\n",
        );
        let [uci, ours] = [uci, ours].map(|f| Source::Park.load(Some(f.path())).unwrap());
        assert_eq!(uci.features(), ours.features());
        assert_eq!((uci.target(), uci.n_features()), (&[28.2][..], 6));
        assert_eq!(ours.target(), [28.2]);
    }

    #[test]
    fn other_readings_of_park_have_the_other_score_or_the_rows_at_either_end() {
        let rows: String = (0..3002).map(|i| format!("{i},{},-1\n", 2 * i)).collect();
        let text = format!("age,motor_UPDRS,total_UPDRS\n{rows}");
        let folder = folder_with("park.csv", &text);
        let target = |source: Source| source.load(Some(folder.path())).unwrap().target().to_vec();
        assert_eq!(target(Source::ParkTotal), [-1.0; 3002]);
        let (first, last) = (target(Source::ParkFirst), target(Source::ParkLast));
        assert_eq!((first[0], first.len()), (0.0, 3000));
        assert_eq!((last[0], last.len()), (4.0, 3000));
    }

    #[test]
    fn thyroid_in_both_forms_is_the_same_table() {
        let uci = "sick-euthyroid,72,M,f,f,f,f,f,f,f,f,f,f,f,y,30.00,y,0.60,y,15,y,1.48,y,10,n,?\n\
                   negative,?,F,f,f,f,f,f,f,f,f,f,f,f,n,?,y,1,y,82,y,0.73,y,112,n,?\n";
        let uci = folder_with("sick-euthyroid.data", uci);
        let ours = "age,sex,TSH_measured,TSH,T3,TT4,T4U,FTI,TBG,class\n\
                    72,M,1,30,.6,15,1.48,10,,sick-euthyroid\n,F,0,,1,82,.73,112,,negative\n";
        let ours = folder_with("thyroid.csv", ours);
        for source in [Source::Thyroid, Source::ThyroidSparse] {
            let [uci, ours] = [&uci, &ours].map(|f| source.load(Some(f.path())).unwrap());
            assert_eq!(uci, ours);
            assert_eq!(uci.target(), [1.0, -1.0]);
            assert!(uci.features().observed_fraction() < 1.0);
        }
    }

    #[test]
    fn splice_in_both_forms_is_the_same_table() {
        let cells = |of: &dyn Fn(usize) -> String| (1..=60).map(of).collect::<Vec<_>>();
        let header = cells(&|j| format!("n{j}")).join(",");
        let values = cells(&|j| (1 + j % 4).to_string()).join(",");
        let ours = folder_with("splice.csv", &format!("{header},label\n{values},-1\n"));
        let pairs = cells(&|j| format!("{j}:{}", 1 + j % 4)).join(" ");
        let libsvm = folder_with("splice", &format!("-1 {pairs} \n"));
        let [ours, libsvm] = [ours, libsvm].map(|f| Source::Splice.load(Some(f.path())).unwrap());
        assert_eq!(ours.features(), libsvm.features());
        assert_eq!(libsvm.target(), [-1.0]);
    }

    #[test]
    fn hostile_files_are_errors_that_name_the_line() {
        for (source, name, text, expected) in [
            (Source::Park, "park.csv", "", "a header with motor_UPDRS"),
            (
                Source::Park,
                "park.csv",
                "a,b\n1,2\n",
                "a header with motor_UPDRS",
            ),
            (
                Source::Park,
                "park.csv",
                "a,motor_UPDRS\n1,2\n3\n",
                "line 3: expected 2 cells, got 1",
            ),
            (
                Source::Park,
                "park.csv",
                "a,motor_UPDRS\nx,2\n",
                "line 2: expected a number, got 'x'",
            ),
            (
                Source::Park,
                "park.csv",
                "a,motor_UPDRS\ninf,2\n",
                "line 2: expected a number, got 'inf'",
            ),
            (
                Source::Park,
                "park.csv",
                "a,motor_UPDRS\n",
                "rows below the header, got none",
            ),
            (
                Source::Park,
                "park.csv",
                "a,motor_UPDRS\n1,\u{fffd}\n",
                "a number",
            ),
            (
                Source::Thyroid,
                "sick-euthyroid.data",
                "<html>\n",
                "26 cells",
            ),
            (
                Source::Thyroid,
                "thyroid.csv",
                "TSH,class\n1,negative\n",
                "a header with T3",
            ),
            (
                Source::Splice,
                "splice",
                "1 61:2\n",
                "a feature from 1 to 60, got '61'",
            ),
            (
                Source::Splice,
                "splice",
                "maybe 1:2\n",
                "the label 1 or -1, got 'maybe'",
            ),
            (Source::Splice, "splice", "1 1:2\n", "60 features, got 1"),
        ] {
            let folder = folder_with(name, text);
            let got = message(source, Some(folder.path()));
            assert!(got.contains(expected) && got.contains(name), "{got}");
        }
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("park.csv"), [0xff, 0xfe, 0]).unwrap();
        assert!(message(Source::Park, Some(folder.path())).contains("text"));
    }
}
