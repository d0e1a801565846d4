//! Where the holes are: columns against rows.

use super::{Figure, Ramp};
use crate::chart::{Frame, Picture, WIDTH, label, label_room};
use crate::colour::{SHADES, shade};
use crate::number::{count, counted, percent};
use crate::scale::{Kind, Scale};
use crate::svg::{Anchor, Svg, place};
use crate::table::{Cell, Table};

/// Columns that are shown: those with the most holes.
const SHOWN: usize = 60;

/// The holes of each column in bands of neighbouring rows.
///
/// ```
/// use gapfit_report::{Band, HoleMap};
/// let bands = vec![Band { rows: 10, missing: vec![0, 10] }, Band { rows: 10, missing: vec![0, 5] }];
/// let map = HoleMap { columns: vec!["a".to_owned(), "b".to_owned()], bands };
/// assert!(map.figure().caption().contains("b lacks most, 75.0 %"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct HoleMap {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The bands, in the order of the table.
    pub bands: Vec<Band>,
}

/// Neighbouring rows.
///
/// See [`HoleMap`] for an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// How many they are.
    pub rows: usize,
    /// In how many of them each column is missing.
    pub missing: Vec<usize>,
}

impl HoleMap {
    /// The figure.
    pub fn figure(&self) -> Figure {
        let shown = self.shown();
        Figure {
            id: "holes".into(),
            title: "Where the holes are".to_owned(),
            caption: self.caption(&shown),
            picture: self.picture(&shown),
            keys: Vec::new(),
            ramp: Some(Ramp {
                has_sides: false,
                low: "all there".to_owned(),
                high: "all missing".to_owned(),
            }),
            table: self.table(),
            is_main: false,
        }
    }

    fn n_rows(&self) -> usize {
        self.bands.iter().map(|band| band.rows).sum()
    }

    fn missing(&self, column: usize) -> usize {
        self.bands.iter().map(|band| band.missing[column]).sum()
    }

    /// The columns that are shown, in the order of the table.
    fn shown(&self) -> Vec<usize> {
        let mut columns: Vec<usize> = (0..self.columns.len()).collect();
        columns.sort_by_key(|&j| std::cmp::Reverse(self.missing(j)));
        columns.truncate(SHOWN);
        columns.sort_unstable();
        columns
    }

    fn picture(&self, shown: &[usize]) -> Picture {
        let pitch = if shown.len() > 30 { 13.0 } else { 18.0 };
        let frame = Frame {
            left: label_room(shown.iter().map(|&j| self.columns[j].as_str())),
            right: WIDTH - 24.0,
            top: 8.0,
            bottom: 8.0 + pitch * shown.len() as f64,
        };
        let rows = self.n_rows() as f64;
        let x = Scale::over(Kind::Linear, [0.0, rows], (frame.left, frame.right));
        let mut svg = Svg::default();
        for (k, &column) in shown.iter().enumerate() {
            let y = frame.top + pitch * k as f64;
            let name = (frame.left - 8.0, y + pitch / 2.0 + 4.0);
            svg.text("label", name, Anchor::End, &label(&self.columns[column]));
            self.strip(&mut svg, column, &x, (y + 1.0, pitch - 2.0));
            let size = (frame.right - frame.left, pitch);
            svg.rect("hit", (frame.left, y), size, Some(&self.tip(column)));
        }
        frame.horizontal(&mut svg, &x, "row", true);
        Picture {
            height: frame.bottom + 42.0,
            body: svg.finish(),
        }
    }

    /// One column: for each shade a path over the bands that have it.
    fn strip(&self, svg: &mut Svg, column: usize, x: &Scale, (y, height): (f64, f64)) {
        let mut paths = vec![String::new(); SHADES];
        let (mut before, mut start) = (0, 0);
        let shade_of = |band: &Band| shade(band.missing[column] as f64 / band.rows.max(1) as f64);
        for (k, band) in self.bands.iter().enumerate() {
            let end = before + band.rows;
            let own = shade_of(band);
            // neighbours of one shade are one rectangle
            if self
                .bands
                .get(k + 1)
                .is_none_or(|next| shade_of(next) != own)
            {
                let (from, to) = (place(x.at(start as f64)), place(x.at(end as f64)));
                paths[own] += &format!("M{from} {}H{to}v{}H{from}z", place(y), place(height));
                start = end;
            }
            before = end;
        }
        for (k, path) in paths
            .iter()
            .enumerate()
            .filter(|(_, path)| !path.is_empty())
        {
            svg.path(&format!("q{k}"), path);
        }
    }

    fn share(&self, column: usize) -> f64 {
        self.missing(column) as f64 / self.n_rows().max(1) as f64
    }

    fn tip(&self, column: usize) -> String {
        format!(
            "{}: missing in {} of {}, {}",
            self.columns[column],
            count(self.missing(column)),
            counted(self.n_rows(), "row", "rows"),
            percent(self.share(column))
        )
    }

    fn caption(&self, shown: &[usize]) -> String {
        let (rows, columns) = (self.n_rows(), self.columns.len());
        let holes: usize = (0..columns).map(|j| self.missing(j)).sum();
        let share = holes as f64 / (rows * columns).max(1) as f64;
        let mut words = format!(
            "Of the cells of {} and {}, {} are missing.",
            counted(rows, "row", "rows"),
            counted(columns, "column", "columns"),
            percent(share)
        );
        let complete = (0..columns).filter(|&j| self.missing(j) == 0).count();
        let most = (0..columns).rev().max_by_key(|&j| self.missing(j));
        if let Some(most) = most.filter(|&j| self.missing(j) > 0) {
            words += &format!(
                " {} lacks most, {} of its cells",
                self.columns[most],
                percent(self.share(most))
            );
            words += &match complete {
                0 => "; no column is complete.".to_owned(),
                1 => "; one column is complete.".to_owned(),
                n => format!("; {n} columns are complete."),
            };
        }
        let most = self.bands.iter().map(|band| band.rows).max().unwrap_or(0);
        if most > 1 {
            words += &format!(
                " Each step to the right stands for up to {}; the darker it is, the more of them have a hole.",
                counted(most, "row", "rows")
            );
        }
        if shown.len() < columns {
            words += &format!(
                " Shown are the {} columns with the most holes; the table has all.",
                shown.len()
            );
        }
        words
    }

    fn table(&self) -> Table {
        let mut table = Table::new(["column", "missing", "share"]);
        for (j, name) in self.columns.iter().enumerate() {
            table.push([
                Cell::text(name),
                Cell::count(self.missing(j)),
                Cell::shown_as(self.share(j), percent(self.share(j))),
            ]);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caption_counts_holes_and_names_the_emptiest_column() {
        let map = HoleMap {
            columns: ["a", "b", "c"].map(str::to_owned).to_vec(),
            bands: vec![
                Band {
                    rows: 2,
                    missing: vec![0, 2, 0],
                },
                Band {
                    rows: 2,
                    missing: vec![0, 1, 0],
                },
            ],
        };
        assert_eq!(
            map.figure().caption,
            "Of the cells of 4 rows and 3 columns, 25.0 % are missing. b lacks most, 75.0 % of its \
             cells; 2 columns are complete. Each step to the right stands for up to 2 rows; the darker \
             it is, the more of them have a hole."
        );
    }

    #[test]
    fn many_columns_are_limited_and_that_is_said() {
        let map = HoleMap {
            columns: (0..200).map(|j| format!("x{j}")).collect(),
            bands: vec![Band {
                rows: 1,
                missing: vec![1; 200],
            }],
        };
        let figure = map.figure();
        assert!(
            figure
                .caption
                .ends_with("Shown are the 60 columns with the most holes; the table has all.")
        );
        assert_eq!(figure.table.len(), 200);
        assert_eq!(figure.picture.body.matches("class=\"hit\"").count(), 60);
    }
}
