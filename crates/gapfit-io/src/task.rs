//! What a target is: numbers, or the labels of classes.

use crate::cell::{NotNumber, excerpt};
use crate::columns::Dictionary;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::location::Location;
use crate::reader::{Cell, Reading};

/// What a target is read as.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Task {
    /// Classes where it is text, or two different numbers, each in two rows or more; otherwise numbers.
    #[default]
    Auto,
    /// Numbers.
    Regression,
    /// Classes, by the text of each cell as it is written.
    Classification,
    /// These classes and no others.
    Classes(Vec<String>),
}

/// Classes that a target may have.
const MOST: usize = 100;
/// Rows that each of two numbers needs to be a class.
const ENOUGH: usize = 2;

/// The targets read so far.
#[derive(Debug)]
pub(crate) struct Targets {
    task: Task,
    /// Numbers; of labels their numbers in the dictionary, of given classes those of the classes.
    values: Vec<f64>,
    /// The first different numbers with their texts and rows, one more than two at most.
    different: Vec<(f64, String, usize)>,
    labels: Dictionary,
    /// Targets that were looked at and not kept.
    n_glances: usize,
}

/// Why a cell is no target like the others.
#[derive(Debug)]
pub(crate) enum BadTarget {
    NotNumber(NotNumber, String),
    /// Numbers and texts in one column.
    Mixed(String),
    Unknown {
        classes: Box<str>,
        got: String,
    },
    TooMany,
}

impl BadTarget {
    /// The error that says where.
    pub(crate) fn error(self, at: Location) -> Error {
        match self {
            Self::NotNumber(why, text) => why.error(at, text.as_bytes()),
            Self::Mixed(got) => Error::MixedTarget { at, got },
            Self::Unknown { classes, got } => Error::UnknownClass { at, classes, got },
            Self::TooMany => Error::TooManyClasses {
                at,
                limit: MOST,
                got: format!("more than {MOST}"),
            },
        }
    }
}

impl Targets {
    pub(crate) fn new(task: &Task) -> Self {
        Self {
            task: task.clone(),
            values: Vec::new(),
            different: Vec::new(),
            labels: Dictionary::default(),
            n_glances: 0,
        }
    }

    /// How its column is read in a file of this format. Numbers of text formats are read as they are
    /// written, which is what a class is called by.
    pub(crate) fn reading(&self, format: Format) -> Reading {
        match self.task {
            Task::Regression => Reading::Number,
            Task::Auto if !matches!(format, Format::Csv | Format::Ndjson) => Reading::Any,
            _ => Reading::Text,
        }
    }

    /// The number of targets.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Takes a cell; whether there is a target in it.
    pub(crate) fn push(&mut self, cell: Cell<'_>) -> std::result::Result<bool, BadTarget> {
        let value = match (cell, &self.task) {
            (Cell::Hole, _) => return Ok(false),
            (Cell::Number(number), Task::Auto | Task::Regression) => {
                self.number(number, || number.to_string())?
            }
            (Cell::Number(number), _) => self.class(&number.to_string())?,
            (Cell::Text(text), Task::Auto) => match fast_float2::parse::<f64, _>(text) {
                Ok(number) if number.is_finite() => self.number(number, || text.to_owned())?,
                Ok(number) if number.is_infinite() => {
                    return Err(BadTarget::NotNumber(NotNumber::Infinite, text.to_owned()));
                }
                _ if !self.different.is_empty() => {
                    return Err(BadTarget::NotNumber(NotNumber::Text, text.to_owned()));
                }
                _ => self.class(text)?,
            },
            (Cell::Text(text), _) => self.class(text)?,
        };
        self.values.push(value);
        Ok(true)
    }

    /// Looks at a cell without keeping it: the number in it, or that of its label, and the number of the class that
    /// it may turn out to be of.
    pub(crate) fn glance(
        &mut self,
        cell: Cell<'_>,
    ) -> std::result::Result<Option<(f64, Option<usize>)>, BadTarget> {
        if !self.push(cell)? {
            return Ok(None);
        }
        self.n_glances += 1;
        let Some(value) = self.values.pop() else {
            return Ok(None);
        };
        let mut different = self.different.iter();
        let class = match self.labels.counts() {
            [] => different.position(|(other, ..)| (value - other).abs() <= 0.0),
            _ => Some(value as usize),
        };
        Ok(Some((value, class)))
    }

    /// The classes of what was glanced at, none where they are numbers, and for each number of a class its place
    /// among them.
    pub(crate) fn finish_glances(
        mut self,
        at: impl Fn() -> Location,
    ) -> Result<(Vec<String>, Vec<usize>)> {
        // one row of each class shows where it goes
        self.values = match self.labels.counts().len() {
            0 => self.different.iter().map(|(number, ..)| *number).collect(),
            n => (0..n).map(|number| number as f64).collect(),
        };
        let (places, classes) = self.finish(at)?;
        Ok((
            classes,
            places.iter().map(|place| *place as usize).collect(),
        ))
    }

    /// Looks at numbers that are targets.
    pub(crate) fn look(
        &mut self,
        numbers: impl Iterator<Item = f64>,
    ) -> std::result::Result<(), BadTarget> {
        for number in numbers {
            self.number(number, || number.to_string())?;
            // more need not be known
            if self.different.len() > 2 {
                break;
            }
        }
        Ok(())
    }

    /// The numbers so far, for more that were looked at to go behind them.
    pub(crate) fn values(&mut self) -> &mut Vec<f64> {
        &mut self.values
    }

    fn number(
        &mut self,
        number: f64,
        text: impl FnOnce() -> String,
    ) -> std::result::Result<f64, BadTarget> {
        if !self.labels.counts().is_empty() {
            return Err(BadTarget::Mixed(text()));
        }
        if self.different.len() > 2 {
            return Ok(number);
        }
        let mut different = self.different.iter_mut();
        match different.find(|(other, ..)| (number - *other).abs() <= 0.0) {
            Some((_, _, rows)) => *rows += 1,
            None => self.different.push((number, text(), 1)),
        }
        Ok(number)
    }

    /// The number of a class by its label.
    fn class(&mut self, label: &str) -> std::result::Result<f64, BadTarget> {
        if let Task::Classes(classes) = &self.task {
            let is_same = |class: &String| class == label;
            // a number may be written in more than one way
            let is_equal = |class: &String| {
                let [a, b] = [class, label].map(|text| fast_float2::parse::<f64, _>(text).ok());
                a.is_some() && a == b
            };
            let found = classes.iter().position(is_same);
            let found = found.or_else(|| classes.iter().position(is_equal));
            let unknown = || BadTarget::Unknown {
                classes: listed(classes).into(),
                got: excerpt(label.as_bytes()),
            };
            return found.map(|class| class as f64).ok_or_else(unknown);
        }
        let number = self.labels.number(label);
        if number >= MOST {
            return Err(BadTarget::TooMany);
        }
        Ok(number as f64)
    }

    /// Takes the numbers so far away; `None` where they are numbers of labels.
    pub(crate) fn take(&mut self) -> Option<Vec<f64>> {
        let is_text = !self.labels.counts().is_empty();
        (!is_text).then(|| std::mem::take(&mut self.values))
    }

    /// Throws the targets so far away.
    pub(crate) fn forget(&mut self) {
        self.values.clear();
    }

    /// Whether the targets so far are classes.
    pub(crate) fn are_classes(&self) -> bool {
        let is_pair = self.task == Task::Auto && self.is_pair();
        is_pair || !self.labels.counts().is_empty()
    }

    /// Whether there are two different numbers, each often enough to be a class.
    fn is_pair(&self) -> bool {
        match &self.different[..] {
            [a, b] => a.2.min(b.2) >= ENOUGH,
            _ => false,
        }
    }

    /// The targets, and the classes that they are the numbers of; none where they are numbers.
    pub(crate) fn finish(self, at: impl Fn() -> Location) -> Result<(Vec<f64>, Vec<String>)> {
        let n_rows = self.values.len().max(self.n_glances);
        let is_pair = self.is_pair();
        let mut values = self.values;
        let classes = match self.task {
            Task::Classes(classes) => return Ok((values, classes)),
            Task::Auto if is_pair => {
                let first = self.different[0].0;
                let number = |y: &mut f64| *y = f64::from(u8::from((*y - first).abs() > 0.0));
                values.iter_mut().for_each(number);
                self.different
                    .into_iter()
                    .map(|(_, text, _)| text)
                    .collect()
            }
            _ if self.labels.counts().is_empty() => return Ok((values, Vec::new())),
            _ => self.labels.texts(),
        };
        if let [only] = &classes[..] {
            let label = only.clone();
            return Err(Error::OneClass {
                at: at(),
                label,
                rows: n_rows,
            });
        }
        if self.labels.is_of_ids() {
            return Err(Error::TooManyClasses {
                at: at(),
                limit: MOST,
                got: format!("{} different ones in {n_rows} rows", classes.len()),
            });
        }
        let (classes, place) = ordered(&classes);
        values.iter_mut().for_each(|y| *y = place[*y as usize]);
        Ok((values, classes))
    }
}

/// The labels in order, by their numbers if all are numbers, and the new place of each.
fn ordered(labels: &[String]) -> (Vec<String>, Vec<f64>) {
    let parse = |label: &String| fast_float2::parse::<f64, _>(label).ok();
    let numbers: Option<Vec<f64>> = labels.iter().map(parse).collect();
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_by(|&a, &b| {
        let by_number = numbers
            .as_ref()
            .map(|numbers| numbers[a].total_cmp(&numbers[b]));
        let by_number = by_number.unwrap_or(std::cmp::Ordering::Equal);
        by_number.then_with(|| labels[a].cmp(&labels[b]))
    });
    let mut place = vec![0.0; labels.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old] = new as f64;
    }
    (
        order.iter().map(|&old| labels[old].clone()).collect(),
        place,
    )
}

/// The classes in a message: all of a few, the first of many.
fn listed(classes: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = classes
        .iter()
        .take(SHOWN)
        .map(|c| format!("{c:?}"))
        .collect();
    let more = classes.len().saturating_sub(SHOWN);
    match more {
        0 => shown.join(", "),
        _ => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(task: &Task, cells: &[&str]) -> Result<(Vec<f64>, Vec<String>)> {
        let at = || Location::new("t.csv", None);
        let mut targets = Targets::new(task);
        for cell in cells {
            targets
                .push(Cell::Text(cell))
                .map_err(|bad| bad.error(at()))?;
        }
        targets.finish(at)
    }

    #[test]
    fn text_and_pairs_of_numbers_are_classes_and_other_numbers_are_numbers() {
        let classes = |cells: &[&str]| read(&Task::Auto, cells).unwrap();
        let (values, labels) = classes(&["b", "a", "b"]);
        assert_eq!(
            (values, labels),
            (vec![1.0, 0.0, 1.0], vec!["a".into(), "b".into()])
        );
        let (values, labels) = classes(&["1.0", "-1", "1", "-1"]);
        assert_eq!(values, [1.0, 0.0, 1.0, 0.0]);
        assert_eq!(labels, ["-1", "1.0"], "as they are written");
        for numbers in [&["1", "2", "3"][..], &["1", "2", "2"], &["5", "5", "5"]] {
            assert!(classes(numbers).1.is_empty(), "{numbers:?}");
        }
    }

    #[test]
    fn what_is_asked_for_counts_more_than_what_it_looks_like() {
        let (_, labels) = read(&Task::Classification, &["10", "9", "9", "10", "x10"]).unwrap();
        assert_eq!(labels, ["10", "9", "x10"]);
        let (values, labels) = read(&Task::Classification, &["10", "9", "10", "8"]).unwrap();
        assert_eq!(
            (values, labels.join(" ")),
            (vec![2.0, 1.0, 2.0, 0.0], "8 9 10".to_owned())
        );
        let known = Task::Classes(vec!["1.0".to_owned(), "0".to_owned()]);
        assert_eq!(read(&known, &["1", "1", "0.0"]).unwrap().0, [0.0, 0.0, 1.0]);
    }

    #[test]
    fn targets_that_cannot_be_are_refused() {
        let error = |task: &Task, cells: &[&str]| read(task, cells).unwrap_err().to_string();
        let auto = &Task::Auto;
        assert!(error(auto, &["1", "x"]).contains("expected a number or a mark"));
        assert!(
            error(auto, &["x", "1"])
                .contains("expected a label like those before, got the number \"1\"")
        );
        assert!(error(auto, &["inf"]).contains("finite"));
        assert!(
            error(auto, &["a", "a"])
                .contains("expected two classes or more, got \"a\" alone in 2 rows")
        );
        let ids: Vec<String> = (0..40).map(|i| format!("person {i}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        assert!(error(auto, &ids).contains("at most 100, got 40 different ones in 40 rows"));
        let many: Vec<String> = (0..300).map(|i| format!("c{}", i % 101)).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(error(auto, &many).contains("got more than 100"));
        let known = Task::Classes(vec!["a".to_owned(), "b".to_owned()]);
        assert!(
            error(&known, &["c"]).contains("expected one of the classes \"a\", \"b\", got \"c\"")
        );
    }
}
