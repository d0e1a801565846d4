//! The schema in the header of a model file, which is trusted as little as the rest of it.

use crate::container::broken;
use crate::data::{Kind, Levels, Schema, SchemaColumn};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// One column as the header has it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ColumnHeader {
    name: String,
    kind: String,
    /// The levels with a feature of their own; categorical columns only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    levels: Vec<String>,
    /// The levels that share the feature `other`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pooled: Vec<String>,
}

/// The columns of a schema, for a header.
pub(crate) fn header(schema: &Schema) -> Vec<ColumnHeader> {
    let column = |column: &SchemaColumn| {
        let (levels, pooled) = match &column.kind {
            Kind::Categorical(levels) => (levels.kept().to_vec(), levels.pooled().to_vec()),
            _ => (Vec::new(), Vec::new()),
        };
        ColumnHeader {
            name: column.name.clone(),
            kind: column.kind.name().to_owned(),
            levels,
            pooled,
        }
    };
    schema.columns().iter().map(column).collect()
}

/// The schema in a header, where it is that of these features.
pub(crate) fn parse(columns: Vec<ColumnHeader>, features: &[String]) -> Result<Schema> {
    let unsound = |error: Error| broken("schema", "sound columns", &error.to_string());
    let columns: Result<Vec<_>> = columns.into_iter().map(ColumnHeader::check).collect();
    let schema = Schema::new(columns?).map_err(unsound)?;
    let (expected, got) = (schema.n_features(), features.len());
    if expected != got {
        let expected = format!("columns of {got} features");
        return Err(broken(
            "schema",
            &expected,
            &schema.n_features().to_string(),
        ));
    }
    let names = schema.feature_names();
    match names
        .iter()
        .zip(features)
        .find(|(name, other)| name != other)
    {
        Some((name, other)) => Err(broken(
            "schema",
            &format!("feature '{other}'"),
            &format!("'{name}'"),
        )),
        None => Ok(schema),
    }
}

impl ColumnHeader {
    fn check(self) -> Result<SchemaColumn> {
        let what = format!("schema, column '{}'", self.name);
        let has_levels = !self.levels.is_empty() || !self.pooled.is_empty();
        let kind = match self.kind.as_str() {
            "categorical" => {
                let levels = Levels::new(self.levels, self.pooled);
                let unsound = |error: Error| broken(&what, "sound levels", &error.to_string());
                Kind::Categorical(levels.map_err(unsound)?)
            }
            kind if has_levels => {
                return Err(broken(
                    &what,
                    "no levels",
                    &format!("some, and kind '{kind}'"),
                ));
            }
            "numeric" => Kind::Numeric,
            "boolean" => Kind::Boolean,
            "date" => Kind::Date,
            kind => {
                let expected = "kind numeric, boolean, date or categorical";
                return Err(broken(&what, expected, &format!("'{kind}'")));
            }
        };
        Ok(SchemaColumn {
            name: self.name,
            kind,
        })
    }
}
