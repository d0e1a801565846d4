//! Targets that are classes.

use super::{Dataset, MaskedMatrix};
use crate::error::{Error, Result};

impl Dataset {
    /// Joins features and the labels of their rows. The classes are the distinct labels, ascending.
    ///
    /// ```
    /// use gapfit::data::{Dataset, MaskedMatrix};
    /// let features = MaskedMatrix::from_nan(3, 1, &[1.0, f64::NAN, 2.0])?;
    /// let data = Dataset::classified(features, &["sick", "healthy", "sick"])?;
    /// assert_eq!(data.classes(), ["healthy", "sick"]);
    /// assert_eq!(data.target(), [1.0, 0.0, 1.0]);
    /// # Ok::<(), gapfit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] when the lengths differ.
    pub fn classified<L: AsRef<str>>(features: MaskedMatrix, labels: &[L]) -> Result<Self> {
        let mut classes: Vec<&str> = labels.iter().map(AsRef::as_ref).collect();
        classes.sort_unstable();
        classes.dedup();
        let number = |label: &L| classes.partition_point(|class| *class < label.as_ref()) as f64;
        let target = labels.iter().map(number).collect();
        let classes = classes.iter().map(|&class| class.to_owned()).collect();
        Self::new(features, target)?.with_classes(classes)
    }

    /// The same table with these classes, by whose numbers, counted from 0, the target goes. A class
    /// may be without a row.
    ///
    /// # Errors
    /// [`Error::Setting`] for fewer than two classes, two of the same label, or a target that is not
    /// the number of a class.
    pub fn with_classes(mut self, classes: Vec<String>) -> Result<Self> {
        let mut distinct: Vec<&String> = classes.iter().collect();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() < classes.len() || classes.len() < 2 {
            return Err(Error::Setting {
                name: "classes",
                expected: "two or more different labels",
                got: format!("{classes:?}"),
            });
        }
        let is_number = |y: f64| y >= 0.0 && y < classes.len() as f64 && y.fract() == 0.0;
        if let Some(row) = self.target.iter().position(|&y| !is_number(y)) {
            return Err(Error::Setting {
                name: "target",
                expected: "the number of a class, counted from 0",
                got: format!("{} in row {row}", self.target[row]),
            });
        }
        self.classes = classes.into();
        Ok(self)
    }

    /// The same table with the distinct numbers of the target as classes, ascending, such as 0 and 1 or
    /// -1 and 1.
    ///
    /// # Errors
    /// [`Error::Setting`] for fewer than two numbers.
    pub fn classify(mut self) -> Result<Self> {
        let mut numbers = self.target.clone();
        numbers.sort_unstable_by(f64::total_cmp);
        numbers.dedup_by(|a, b| *a <= *b); // 0 and -0 are one number
        let number = |y: &mut f64| *y = numbers.partition_point(|class| class < y) as f64;
        self.target.iter_mut().for_each(number);
        self.with_classes(numbers.iter().map(|y| (y + 0.0).to_string()).collect())
    }

    /// The labels of the classes; none where the target is numbers.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The weight of the rows of each class.
    pub fn class_totals(&self) -> Vec<f64> {
        let mut totals = vec![0.0; self.classes.len()];
        if !totals.is_empty() {
            for (i, &class) in self.target.iter().enumerate() {
                totals[class as usize] += self.weight(i);
            }
        }
        totals
    }

    /// The same table with the weight of each row multiplied by that of its class.
    ///
    /// # Errors
    /// [`Error::Shape`] when there is not one weight per class; as [`Dataset::with_weights`].
    pub fn with_class_weights(self, of_class: &[f64]) -> Result<Self> {
        if of_class.len() != self.classes.len() {
            return Err(Error::Shape {
                what: "class weights",
                expected: self.classes.len(),
                got: of_class.len(),
            });
        }
        let weight = |(i, &class): (usize, &f64)| self.weight(i) * of_class[class as usize];
        let weights = self.target.iter().enumerate().map(weight).collect();
        self.with_weights(weights)
    }

    /// Class weights under which every class that has rows weighs the same, and all rows together as
    /// much as before.
    pub fn balancing_weights(&self) -> Vec<f64> {
        let totals = self.class_totals();
        let n_present = totals.iter().filter(|total| **total > 0.0).count() as f64;
        let share = totals.iter().sum::<f64>() / n_present;
        let weight = |&total: &f64| if total > 0.0 { share / total } else { 0.0 };
        totals.iter().map(weight).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(target: &[f64]) -> Dataset {
        let features = MaskedMatrix::from_nan(target.len(), 1, &vec![1.0; target.len()]).unwrap();
        Dataset::new(features, target.to_vec()).unwrap()
    }

    #[test]
    fn distinct_numbers_become_classes() {
        let data = numbers(&[1.0, -1.0, 1.0]).classify().unwrap();
        assert_eq!(data.classes(), ["-1", "1"]);
        assert_eq!(data.target(), [1.0, 0.0, 1.0]);
        let data = numbers(&[0.0, 2.5, -0.0]).classify().unwrap();
        assert_eq!(data.classes(), ["0", "2.5"]);
        assert_eq!(data.target(), [0.0, 1.0, 0.0]);
        assert!(numbers(&[3.0, 3.0]).classify().is_err());
    }

    #[test]
    fn targets_that_are_no_class_are_refused_with_the_row() {
        let names = || vec!["a".to_owned(), "b".to_owned()];
        for wrong in [2.0, 0.5, -1.0] {
            let error = numbers(&[0.0, wrong]).with_classes(names()).unwrap_err();
            assert!(error.to_string().contains("in row 1"), "{error}");
        }
        let twice = vec!["a".to_owned(); 2];
        assert!(numbers(&[0.0, 1.0]).with_classes(twice).is_err());
    }

    #[test]
    fn balanced_classes_weigh_the_same() {
        let data = numbers(&[0.0, 1.0, 1.0, 1.0]).classify().unwrap();
        let weights = data.balancing_weights();
        let balanced = data.with_class_weights(&weights).unwrap();
        assert_eq!(balanced.class_totals(), [2.0, 2.0]);
        assert!(balanced.with_class_weights(&[1.0]).is_err());
    }

    #[test]
    fn selections_keep_the_classes() {
        let data = numbers(&[0.0, 1.0, 1.0]).classify().unwrap();
        let picked = data.select(&[1, 2]);
        assert_eq!(picked.classes(), data.classes());
        assert_eq!(picked.target(), [1.0, 1.0]);
    }
}
