//! Several targets of one table: each is fitted as if it were alone, from statistics that all share.

use std::sync::Arc;

use super::Dataset;
use crate::error::{Error, Result};

/// A target beside the first.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Target {
    name: String,
    values: Vec<f64>,
}

impl Target {
    /// The values of some rows.
    pub(super) fn select(&self, rows: &[usize]) -> Self {
        Self {
            name: self.name.clone(),
            values: rows.iter().map(|&i| self.values[i]).collect(),
        }
    }

    /// Appends the values of further rows.
    pub(super) fn append(&mut self, other: &Self) {
        self.values.extend_from_slice(&other.values);
    }
}

/// Refuses a target that does not have one finite value per row.
pub(super) fn check(values: &[f64], n_rows: usize, what: &str) -> Result<()> {
    if values.len() != n_rows {
        return Err(Error::Shape {
            what: "target values",
            expected: n_rows,
            got: values.len(),
        });
    }
    match values.iter().position(|y| !y.is_finite()) {
        None => Ok(()),
        Some(row) => Err(Error::NotFinite {
            what: what.to_owned(),
            row,
            got: values[row],
        }),
    }
}

impl Dataset {
    /// The same table with one more target of numbers, beside those that it has: a fit learns all of them,
    /// each as if it were alone. Only the squared loss takes several.
    ///
    /// ```
    /// use gapfit::data::{Dataset, MaskedMatrix};
    /// use gapfit::{Learner, Parameters};
    /// let features = MaskedMatrix::from_nan(3, 1, &[1.0, f64::NAN, 2.0])?;
    /// let data = Dataset::new(features, vec![3.0, 4.0, 5.0])?
    ///     .with_target_name("weight")
    ///     .with_further_target("height", vec![0.0, 1.0, 3.0])?;
    /// let parameters = Parameters { alpha: 0.1, gamma: 1.0 };
    /// let model = Learner::default().fit(&data, parameters)?.model;
    /// let alone = Learner::default().fit(&data.of_target(1), parameters)?.model;
    /// assert_eq!(model.of_target(1), alone);
    /// # Ok::<(), gapfit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] when the lengths differ, [`Error::NotFinite`], [`Error::Setting`] for a name that a
    /// target has already or where the target is classes.
    pub fn with_further_target(mut self, name: &str, values: Vec<f64>) -> Result<Self> {
        check(&values, self.n_rows(), &format!("target '{name}'"))?;
        let wrong = |got: String| Error::Setting {
            name: "target",
            expected: "several targets of numbers with different names",
            got,
        };
        if !self.classes.is_empty() {
            return Err(wrong(format!("classes in '{}'", self.target_name)));
        }
        if self.target_names().any(|other| other == name) {
            return Err(wrong(format!("'{name}' twice")));
        }
        self.further.push(Target {
            name: name.to_owned(),
            values,
        });
        Ok(self)
    }

    /// The number of targets.
    pub fn n_targets(&self) -> usize {
        1 + self.further.len()
    }

    /// The names of the targets.
    pub fn target_names(&self) -> impl Iterator<Item = &str> {
        let further = self.further.iter().map(|target| target.name.as_str());
        std::iter::once(self.target_name()).chain(further)
    }

    /// The values of a target, counted from 0.
    ///
    /// # Panics
    /// If there is no such target.
    pub(crate) fn values_of(&self, target: usize) -> &[f64] {
        match target {
            0 => &self.target,
            further => &self.further[further - 1].values,
        }
    }

    /// The same table with this target alone, counted from 0; the features are not copied.
    ///
    /// # Panics
    /// If there is no such target.
    pub fn of_target(&self, target: usize) -> Self {
        let name = self
            .target_names()
            .nth(target)
            .expect("a target of the table");
        Self {
            features: Arc::clone(&self.features),
            names: self.names.clone(),
            target: self.values_of(target).to_vec(),
            target_name: name.to_owned(),
            further: Vec::new(),
            weights: self.weights.clone(),
            schema: self.schema.clone(),
            texts: self.texts.clone(),
            classes: Arc::clone(&self.classes),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::data::{Dataset, MaskedMatrix};

    fn two() -> Dataset {
        let features = MaskedMatrix::from_nan(3, 1, &[1.0, f64::NAN, 2.0]).unwrap();
        let data = Dataset::new(features, vec![3.0, 4.0, 5.0]).unwrap();
        data.with_further_target("z", vec![6.0, 7.0, 8.0]).unwrap()
    }

    #[test]
    fn each_target_alone_is_the_table_without_the_others() {
        let data = two();
        assert_eq!(data.target_names().collect::<Vec<_>>(), ["y", "z"]);
        let second = data.of_target(1);
        assert_eq!(
            (second.target_name(), second.target()),
            ("z", &[6.0, 7.0, 8.0][..])
        );
        assert_eq!(second.n_targets(), 1);
        assert_eq!(data.select(&[2, 0]).of_target(1), second.select(&[2, 0]));
    }

    #[test]
    fn targets_that_do_not_go_together_are_refused() {
        let error = two().with_further_target("z", vec![0.0; 3]).unwrap_err();
        assert!(error.to_string().contains("'z' twice"), "{error}");
        let error = two()
            .with_further_target("w", vec![0.0, f64::NAN, 0.0])
            .unwrap_err();
        assert!(error.to_string().contains("target 'w', row 1"), "{error}");
        assert!(two().with_further_target("w", vec![0.0]).is_err());
        let classes = two().of_target(0).classify().unwrap();
        assert!(classes.with_further_target("w", vec![0.0; 3]).is_err());
    }
}
