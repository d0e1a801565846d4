//! Features with names, a target of numbers or classes, optional row weights; see `targets` for several.

use std::sync::Arc;

use super::targets::{self, Target};
use super::texts::Texts;
use super::{MaskedMatrix, Schema};
use crate::error::{Error, Result};

/// A supervised table: features with holes, a complete target, optional row weights.
///
/// Weight 2 counts as the row twice, weight 0 as no row at all.
///
/// ```
/// use gapfit::data::{Dataset, MaskedMatrix};
/// let features = MaskedMatrix::from_nan(2, 1, &[1.0, f64::NAN]).unwrap();
/// let data = Dataset::new(features, vec![3.0, 4.0]).unwrap();
/// assert_eq!(data.names(), ["x0"]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    /// Shared by the tables of each target alone.
    pub(super) features: Arc<MaskedMatrix>,
    pub(super) names: Vec<String>,
    pub(super) target: Vec<f64>,
    pub(super) target_name: String,
    /// The further targets, if there are several.
    pub(super) further: Vec<Target>,
    pub(super) weights: Option<Vec<f64>>,
    pub(super) schema: Option<Arc<Schema>>,
    /// Of some categorical columns.
    pub(super) texts: Vec<Texts>,
    /// Empty where the target is numbers.
    pub(super) classes: Arc<[String]>,
}

impl Dataset {
    /// Joins features and target; the features are named `x0`, `x1`, ..., the target `y`.
    ///
    /// # Errors
    /// [`Error::Shape`] when the lengths differ, [`Error::NotFinite`] in the target.
    pub fn new(features: MaskedMatrix, target: Vec<f64>) -> Result<Self> {
        targets::check(&target, features.n_rows(), "target")?;
        Ok(Self {
            names: (0..features.n_cols()).map(|j| format!("x{j}")).collect(),
            features: Arc::new(features),
            target,
            target_name: "y".to_owned(),
            further: Vec::new(),
            weights: None,
            schema: None,
            texts: Vec::new(),
            classes: Arc::default(),
        })
    }

    /// The same table with these feature names, and nothing known of the columns behind them.
    ///
    /// # Errors
    /// [`Error::Shape`] when there are too few or too many.
    pub fn with_names(mut self, names: Vec<String>) -> Result<Self> {
        if names.len() != self.features.n_cols() {
            return Err(Error::Shape {
                what: "feature names",
                expected: self.features.n_cols(),
                got: names.len(),
            });
        }
        self.names = names;
        self.schema = None;
        self.texts.clear();
        Ok(self)
    }

    /// The same table with the columns behind its features, which get their names from them. A model
    /// fitted to it keeps them.
    ///
    /// # Errors
    /// [`Error::Shape`] when the columns have another number of features.
    pub fn with_schema(self, schema: Schema) -> Result<Self> {
        let named = self.with_names(schema.feature_names())?;
        let schema = Some(Arc::new(schema));
        Ok(Self { schema, ..named })
    }

    /// The same table with this name of the target.
    pub fn with_target_name(mut self, name: &str) -> Self {
        name.clone_into(&mut self.target_name);
        self
    }

    /// The same table with these row weights.
    ///
    /// # Errors
    /// [`Error::Shape`] when there are too few or too many, [`Error::NotFinite`], or
    /// [`Error::Setting`] when one is negative.
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Self> {
        if weights.len() != self.n_rows() {
            return Err(Error::Shape {
                what: "row weights",
                expected: self.n_rows(),
                got: weights.len(),
            });
        }
        for (row, &weight) in weights.iter().enumerate() {
            if !weight.is_finite() {
                return Err(Error::NotFinite {
                    what: "row weight".to_owned(),
                    row,
                    got: weight,
                });
            }
            if weight < 0.0 {
                return Err(Error::Setting {
                    name: "row weight",
                    expected: "a number that is not negative",
                    got: format!("{weight} in row {row}"),
                });
            }
        }
        self.weights = Some(weights);
        Ok(self)
    }

    /// The same target, names and weights with other features, such as a corrupted copy.
    ///
    /// # Errors
    /// [`Error::Shape`] when rows or columns differ in number.
    pub fn with_features(mut self, features: MaskedMatrix) -> Result<Self> {
        for (what, expected, got) in [
            ("rows", self.features.n_rows(), features.n_rows()),
            ("columns", self.features.n_cols(), features.n_cols()),
        ] {
            if expected != got {
                return Err(Error::Shape {
                    what,
                    expected,
                    got,
                });
            }
        }
        self.features = Arc::new(features);
        Ok(self)
    }

    /// The features and the target, or the first of several.
    pub fn into_parts(self) -> (MaskedMatrix, Vec<f64>) {
        let features = Arc::unwrap_or_clone(self.features);
        (features, self.target)
    }

    /// The features.
    pub fn features(&self) -> &MaskedMatrix {
        &self.features
    }

    /// The feature names, one per column.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The columns behind the features, where they are known.
    pub fn schema(&self) -> Option<&Arc<Schema>> {
        self.schema.as_ref()
    }

    /// Whether a feature is the only or the first one of its column; the others go missing with it.
    pub(crate) fn leads(&self, feature: usize) -> bool {
        let group = self.schema.as_ref().map(|schema| schema.group(feature));
        group.is_none_or(|group| group.start == feature)
    }

    /// The target, one value per row; with classes the number of the row's class, counted from 0.
    pub fn target(&self) -> &[f64] {
        &self.target
    }

    /// The name of the target.
    pub fn target_name(&self) -> &str {
        &self.target_name
    }

    /// The row weights, where any were given.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The weight of row `i`: 1 where none were given.
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[i])
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.features.n_rows()
    }

    /// The number of features.
    pub fn n_features(&self) -> usize {
        self.features.n_cols()
    }

    /// Appends the rows of a table with the same features, targets and classes, and with weights if this one has them;
    /// texts behind categories are forgotten.
    ///
    /// ```
    /// use gapfit::data::{Dataset, MaskedMatrix};
    /// let part = |x: f64| Dataset::new(MaskedMatrix::from_nan(1, 1, &[x])?, vec![2.0 * x]);
    /// let mut both = part(1.0)?;
    /// both.append(&part(3.0)?);
    /// assert_eq!(both.target(), [2.0, 6.0]);
    /// # Ok::<_, gapfit::Error>(())
    /// ```
    ///
    /// # Panics
    /// If the features or the targets are not as many.
    pub fn append(&mut self, other: &Self) {
        assert_eq!(self.n_features(), other.n_features(), "features differ");
        assert_eq!(self.n_targets(), other.n_targets(), "targets differ");
        self.texts.clear();
        let further = self.further.iter_mut().zip(&other.further);
        further.for_each(|(mine, theirs)| mine.append(theirs));
        Arc::make_mut(&mut self.features).append(&other.features);
        self.target.extend_from_slice(&other.target);
        if let Some(weights) = &mut self.weights {
            weights.extend((0..other.n_rows()).map(|i| other.weight(i)));
        }
    }

    /// Makes room for so many more rows, of which nothing is known but features, target and weight.
    pub(crate) fn reserve(&mut self, additional: usize) {
        Arc::make_mut(&mut self.features).reserve(additional);
        self.target.reserve(additional);
        if let Some(weights) = &mut self.weights {
            weights.reserve(additional);
        }
    }

    /// The same table, with nothing known of the texts behind its categories.
    pub(crate) fn without_texts(mut self) -> Self {
        self.texts.clear();
        self
    }

    /// Other rows of the same columns.
    ///
    /// # Errors
    /// As [`new`](Self::new) and [`with_weights`](Self::with_weights).
    pub(crate) fn with_rows(
        &self,
        features: MaskedMatrix,
        target: Vec<f64>,
        weights: Option<Vec<f64>>,
    ) -> Result<Self> {
        let rows = Self::new(features, target)?;
        let rows = Self {
            features: rows.features,
            target: rows.target,
            weights: None,
            ..self.select(&[])
        };
        match weights {
            Some(weights) => rows.with_weights(weights),
            None => Ok(rows),
        }
    }

    /// The same columns with a row of zeros for each of these masks.
    pub(crate) fn outlined<'a>(&self, masks: impl Iterator<Item = &'a [u64]>) -> Self {
        let masks: Vec<&[u64]> = masks.collect();
        let (n, d) = (masks.len(), self.n_features());
        let features = MaskedMatrix::from_bits(n, d, vec![0.0; n * d], masks.concat());
        let outline = self.with_rows(features, vec![0.0; n], None);
        outline.expect("one finite target per row")
    }

    /// The given rows, in the given order; an index may repeat.
    pub fn select(&self, rows: &[usize]) -> Self {
        let pick = |v: &[f64]| rows.iter().map(|&i| v[i]).collect::<Vec<_>>();
        Self {
            features: Arc::new(self.features.select_rows(rows)),
            names: self.names.clone(),
            target: pick(&self.target),
            target_name: self.target_name.clone(),
            further: self
                .further
                .iter()
                .map(|target| target.select(rows))
                .collect(),
            weights: self.weights.as_deref().map(pick),
            schema: self.schema.clone(),
            texts: self.texts.iter().map(|texts| texts.select(rows)).collect(),
            classes: Arc::clone(&self.classes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_rows() -> Dataset {
        let features = MaskedMatrix::from_nan(2, 1, &[1.0, f64::NAN]).unwrap();
        Dataset::new(features, vec![3.0, 4.0]).unwrap()
    }

    #[test]
    fn selection_carries_target_names_and_weights() {
        let data = two_rows().with_weights(vec![1.0, 2.0]).unwrap();
        let picked = data.select(&[1, 1]);
        assert_eq!(picked.target(), [4.0, 4.0]);
        assert_eq!(picked.weights(), Some(&[2.0, 2.0][..]));
        assert_eq!(picked.names(), data.names());
    }

    #[test]
    fn bad_targets_and_weights_are_refused_with_the_row() {
        let features = MaskedMatrix::from_nan(2, 1, &[1.0, 2.0]).unwrap();
        let error = Dataset::new(features, vec![0.0, f64::NAN]).unwrap_err();
        assert!(error.to_string().contains("target, row 1"), "{error}");
        let error = two_rows().with_weights(vec![1.0, -1.0]).unwrap_err();
        assert!(error.to_string().contains("-1 in row 1"), "{error}");
        assert!(two_rows().with_weights(vec![1.0]).is_err());
        assert!(two_rows().with_names(vec![]).is_err());
    }
}
