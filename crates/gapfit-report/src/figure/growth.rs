//! How the time of some work grows with the size of its input.

use super::{Figure, keys, listed};
use crate::chart::{Axes, Dot, Line, Lines};
use crate::number::{percent, time, told};
use crate::scale::Kind;
use crate::table::{Cell, Table};

/// Seconds over sizes, one line for each work.
///
/// ```
/// use gapfit_report::{Growth, GrowthLine, Told};
/// let line = |name: &str, points: &[(f64, f64)]| GrowthLine { name: name.to_owned(), points: points.to_vec() };
/// let growth = Growth {
///     id: "rows".to_owned(),
///     title: "Rows".to_owned(),
///     x: "rows".to_owned(),
///     is_log: true,
///     told: Told::Rivals,
///     lines: vec![line("ours", &[(10.0, 0.1), (100.0, 0.5)]), line("theirs", &[(10.0, 0.2)])],
/// };
/// assert!(growth.figure().caption().starts_with("From 10 to 100 rows the time of ours grows 5 times"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Growth {
    /// Its name in links and file names.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// What the sizes are.
    pub x: String,
    /// Whether sizes are laid out by orders of magnitude.
    pub is_log: bool,
    /// What the lines are to each other.
    pub told: Told,
    /// The works; the first is what the caption is about.
    pub lines: Vec<GrowthLine>,
}

/// What the lines of a [`Growth`] are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// They do the same work.
    Rivals,
    /// They are parts of one work.
    Parts,
    /// Each does something else.
    Each,
}

/// The time of one work.
///
/// See [`Growth`] for an example.
#[derive(Clone, Debug, PartialEq)]
pub struct GrowthLine {
    /// What it is.
    pub name: String,
    /// Sizes, ascending, and seconds.
    pub points: Vec<(f64, f64)>,
}

impl GrowthLine {
    /// The seconds at a size.
    fn at(&self, x: f64) -> Option<f64> {
        let is_it = |point: &&(f64, f64)| (point.0 - x).abs() <= 1e-9 * x.abs();
        self.points.iter().find(is_it).map(|point| point.1)
    }
}

impl Growth {
    /// The figure.
    pub fn figure(&self) -> Figure {
        let names: Vec<String> = self.lines.iter().map(|line| line.name.clone()).collect();
        let dot = |name: &str, &(x, seconds): &(f64, f64)| Dot {
            x,
            y: seconds,
            tip: format!("{name}, {} {}: {}", told(x), self.x, time(seconds)),
        };
        let line = |(colour, of): (usize, &GrowthLine)| Line {
            name: of.name.clone(),
            colour,
            dots: of.points.iter().map(|point| dot(&of.name, point)).collect(),
        };
        let lines = Lines {
            axes: Axes {
                x: &self.x,
                y: "seconds",
                x_kind: if self.is_log { Kind::Log } else { Kind::Linear },
                y_kind: Kind::Log,
                whole: false,
            },
            from_zero: false,
            has_diagonal: false,
            lines: self.lines.iter().enumerate().map(line).collect(),
        };
        Figure {
            id: self.id.clone().into(),
            title: self.title.clone(),
            caption: self.caption(),
            picture: lines.picture(),
            keys: keys(&names),
            ramp: None,
            table: self.table(),
            is_main: false,
        }
    }

    /// All sizes, ascending.
    fn sizes(&self) -> Vec<f64> {
        let points = self.lines.iter().flat_map(|line| &line.points);
        let mut sizes: Vec<f64> = points.map(|point| point.0).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup_by(|a, b| (*a - *b).abs() <= 1e-9 * a.abs());
        sizes
    }

    fn caption(&self) -> String {
        match self.told {
            Told::Rivals => self.caption_of_rivals(),
            Told::Parts => self.caption_of_parts(),
            Told::Each => self.caption_of_each(),
        }
    }

    fn caption_of_rivals(&self) -> String {
        let Some((ours, theirs)) = self.lines.split_first() else {
            return "Nothing was measured.".to_owned();
        };
        let (Some(first), Some(last)) = (ours.points.first(), ours.points.last()) else {
            return "Nothing was measured.".to_owned();
        };
        let mut words = format!(
            "From {} to {} {} the time of {} grows {} times, from {} to {}.",
            told(first.0),
            told(last.0),
            self.x,
            ours.name,
            told(rounded(last.1 / first.1)),
            time(first.1),
            time(last.1)
        );
        let rival = |line: &GrowthLine| {
            let (x, seconds) = *line.points.last()?;
            let ratio = told(rounded(seconds / ours.at(x)?));
            Some(format!("{} {ratio} (at {})", line.name, told(x)))
        };
        let rivals: Vec<String> = theirs.iter().filter_map(rival).collect();
        if !rivals.is_empty() {
            words += &format!(
                " Times as long, at the largest size that each was given: {}.",
                listed(&rivals)
            );
        }
        words
    }

    fn caption_of_each(&self) -> String {
        let sizes = self.sizes();
        let (Some(&from), Some(&to)) = (sizes.first(), sizes.last()) else {
            return "Nothing was measured.".to_owned();
        };
        let ratio = |line: &GrowthLine| {
            let ratio = line.at(from)? / line.at(to)?;
            Some(format!("{} {ratio:.2}", line.name))
        };
        let ratios: Vec<String> = self.lines.iter().filter_map(ratio).collect();
        format!(
            "Times faster at {} than at {} {}: {}.",
            told(to),
            told(from),
            self.x,
            listed(&ratios)
        )
    }

    fn caption_of_parts(&self) -> String {
        let Some(&x) = self.sizes().last() else {
            return "Nothing was measured.".to_owned();
        };
        let at = |line: &GrowthLine| Some((line.at(x)?, line.name.clone()));
        let mut parts: Vec<(f64, String)> = self.lines.iter().filter_map(at).collect();
        parts.sort_by(|a, b| b.0.total_cmp(&a.0));
        let total: f64 = parts.iter().map(|part| part.0).sum();
        let share =
            |(seconds, name): &(f64, String)| format!("{name} {}", percent(seconds / total));
        let shares: Vec<String> = parts.iter().map(share).collect();
        format!(
            "At {} {}, of {}: {}.",
            told(x),
            self.x,
            time(total),
            listed(&shares)
        )
    }

    fn table(&self) -> Table {
        let names = self.lines.iter().map(|line| line.name.as_str());
        let mut table = Table::new([self.x.as_str()].into_iter().chain(names));
        for x in self.sizes() {
            let seconds = self.lines.iter().map(|line| match line.at(x) {
                Some(seconds) => Cell::shown_as(seconds, time(seconds)),
                None => Cell::text(""),
            });
            table.push([Cell::number(x)].into_iter().chain(seconds));
        }
        table
    }
}

/// In two digits: times on a machine that does other things as well have no more.
fn rounded(ratio: f64) -> f64 {
    format!("{ratio:.1e}").parse().unwrap_or(ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn growth(told: Told) -> Growth {
        let line = |name: &str, points: &[(f64, f64)]| GrowthLine {
            name: name.to_owned(),
            points: points.to_vec(),
        };
        Growth {
            id: "rows".to_owned(),
            title: "Rows".to_owned(),
            x: "rows".to_owned(),
            is_log: true,
            told,
            lines: vec![
                line("gapfit", &[(1e3, 0.001), (1e4, 0.004), (1e5, 0.03)]),
                line("slow", &[(1e3, 0.5), (1e4, 4.32)]),
                line("quick", &[(1e5, 0.01)]),
            ],
        }
    }

    #[test]
    fn rivals_are_compared_at_the_largest_size_that_both_have() {
        assert_eq!(
            growth(Told::Rivals).figure().caption,
            "From 1000 to 100000 rows the time of gapfit grows 30 times, from 1.00 ms to 30.0 ms. Times as long, at the \
             largest size that each was given: slow 1100 (at 10000) and quick 0.33 (at 100000)."
        );
    }

    #[test]
    fn parts_are_shares_of_the_whole_and_every_size_has_a_line() {
        let figure = growth(Told::Parts).figure();
        assert_eq!(
            figure.caption,
            "At 100000 rows, of 40.0 ms: gapfit 75.0 % and quick 25.0 %."
        );
        assert_eq!(figure.table.len(), 3);
    }

    #[test]
    fn works_that_are_not_alike_are_compared_with_themselves() {
        let mut growth = growth(Told::Each);
        growth.x = "threads".to_owned();
        for line in &mut growth.lines {
            line.points = vec![(1.0, 4.0), (2.0, 2.5)];
        }
        growth.lines.truncate(2);
        assert_eq!(
            growth.figure().caption,
            "Times faster at 2 than at 1 threads: gapfit 1.60 and slow 1.60."
        );
    }
}
