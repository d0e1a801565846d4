//! Which column a key of a dictionary is: features come and go by name.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// Steps of the route that are looked at before a key is looked up.
const AHEAD: usize = 4;

/// The keys seen so far, each with its column.
///
/// Rows mostly have the same keys in the same order, some of them absent. So the keys are kept as the
/// route of a row, along which the next one is expected; a key elsewhere is looked up by its hash.
#[derive(Debug)]
pub(crate) struct Keys {
    /// Key to column.
    columns: Py<PyDict>,
    /// Keys and columns, in the order in which rows have them.
    route: Vec<(Py<PyAny>, usize)>,
    /// Where each column is on the route.
    places: Vec<usize>,
}

impl Keys {
    pub(crate) fn new(py: Python<'_>) -> Self {
        Self {
            columns: PyDict::new(py).unbind(),
            route: Vec::new(),
            places: Vec::new(),
        }
    }

    /// The column of a key that is expected at `place` of the route; moves `place` on.
    #[inline(always)]
    pub(crate) fn column(
        &self,
        key: &Bound<'_, PyAny>,
        place: &mut usize,
    ) -> PyResult<Option<usize>> {
        // mostly the next one, or one is absent
        for step in [*place, *place + 1] {
            if let Some((known, column)) = self.route.get(step)
                && known.is(key)
            {
                *place = step + 1;
                return Ok(Some(*column));
            }
        }
        self.column_elsewhere(key, place)
    }

    fn column_elsewhere(
        &self,
        key: &Bound<'_, PyAny>,
        place: &mut usize,
    ) -> PyResult<Option<usize>> {
        let steps = self.route.iter().enumerate().skip(2 + *place);
        for (step, (known, column)) in steps.take(AHEAD) {
            if known.is(key) {
                *place = step + 1;
                return Ok(Some(*column));
            }
        }
        let Some(column) = self.columns.bind(key.py()).get_item(key)? else {
            return Ok(None);
        };
        let column: usize = column.extract()?;
        *place = self.places[column] + 1;
        Ok(Some(column))
    }

    /// Lets a key of this column be the step at `place` of the route, or the last one.
    pub(crate) fn insert(
        &mut self,
        key: &Bound<'_, PyAny>,
        column: usize,
        place: usize,
    ) -> PyResult<()> {
        self.columns.bind(key.py()).set_item(key, column)?;
        let place = place.min(self.route.len());
        self.route.insert(place, (key.clone().unbind(), column));
        if self.places.len() <= column {
            self.places.resize(column + 1, 0);
        }
        for (step, (_, column)) in self.route.iter().enumerate().skip(place) {
            self.places[*column] = step;
        }
        Ok(())
    }

    /// The keys and their columns, in the order of the route.
    pub(crate) fn steps(&self, py: Python<'_>) -> Vec<(Py<PyAny>, usize)> {
        let step = |(key, column): &(Py<PyAny>, usize)| (key.clone_ref(py), *column);
        self.route.iter().map(step).collect()
    }
}

/// What a feature is called: a text is its own name.
pub(crate) fn name(key: &Bound<'_, PyAny>) -> PyResult<String> {
    match key.cast::<PyString>() {
        Ok(text) => Ok(text.to_str()?.to_owned()),
        Err(_) => Ok(key.repr()?.to_str()?.to_owned()),
    }
}
