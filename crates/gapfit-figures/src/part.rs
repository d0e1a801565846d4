//! Rows parted by how much is missing in them.

use gapfit::data::Dataset;

use crate::by_missing::places_by_missing;

/// Parts beside all rows, at most.
const PARTS: usize = 3;
/// Rows that a part has, at least.
const ENOUGH: usize = 100;

/// Some of the rows that were held out.
#[derive(Debug, PartialEq)]
pub(super) struct Part {
    pub(super) name: String,
    /// Where they stand among those held out.
    pub(super) places: Vec<usize>,
}

/// All rows first, then those with about equally many missing columns, if there are enough of them to be
/// parted.
pub(super) fn parts(holey: &Dataset, rows: &[usize]) -> Vec<Part> {
    let everything = Part {
        name: "all rows".to_owned(),
        places: (0..rows.len()).collect(),
    };
    let enough = ENOUGH.max(rows.len() / (PARTS + 1));
    let mut found: Vec<(usize, usize, Vec<usize>)> = Vec::new();
    for (missing, places) in places_by_missing(holey, rows) {
        match found.last_mut() {
            Some((_, to, before)) if before.len() < enough => {
                *to = missing;
                before.extend(places);
            }
            _ => found.push((missing, missing, places)),
        }
    }
    // the last may have been left with too few
    if let [.., (_, to, before), (_, last, rest)] = &mut found[..]
        && rest.len() < ENOUGH
    {
        *to = *last;
        before.append(rest);
        found.pop();
    }
    let n = found.len();
    let part = |(k, (from, to, places)): (usize, (usize, usize, Vec<usize>))| Part {
        name: match from == to {
            true => format!("{from} missing"),
            false if k + 1 == n => format!("{from} or more missing"),
            false => format!("{from} to {to} missing"),
        },
        places,
    };
    let parts = found.into_iter().enumerate().map(part).filter(|_| n > 1);
    std::iter::once(everything).chain(parts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gapfit::data::MaskedMatrix;

    /// Rows that lack as many of four columns as given.
    fn table(missing: impl Iterator<Item = usize>) -> Dataset {
        let mut features = MaskedMatrix::new(4);
        for n in missing {
            let row = (0..4).map(|j| (j >= n).then_some(1.0));
            features.push_row(row).unwrap();
        }
        let target = vec![0.0; features.n_rows()];
        Dataset::new(features, target).unwrap()
    }

    fn names(data: &Dataset) -> Vec<(String, usize)> {
        let rows: Vec<usize> = (0..data.n_rows()).collect();
        let parts = parts(data, &rows).into_iter();
        parts.map(|part| (part.name, part.places.len())).collect()
    }

    #[test]
    fn rare_numbers_of_holes_share_a_part() {
        let counts = [300, 250, 60, 80, 10];
        let missing = counts
            .iter()
            .enumerate()
            .flat_map(|(m, &n)| std::iter::repeat_n(m, n));
        let found = names(&table(missing));
        let expected = [
            ("all rows", 700),
            ("0 missing", 300),
            ("1 missing", 250),
            ("2 or more missing", 150),
        ];
        assert_eq!(found, expected.map(|(name, n)| (name.to_owned(), n)));
    }

    #[test]
    fn few_rows_or_equal_ones_are_not_parted() {
        assert_eq!(names(&table((0..60).map(|i| i % 3))).len(), 1);
        assert_eq!(names(&table(std::iter::repeat_n(2, 500))).len(), 1);
    }
}
