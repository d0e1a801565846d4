//! The index of a data frame, which pandas writes as columns.

use arrow_schema::Schema;
use serde_json::Value;

/// The names of the columns that hold the index: those that the metadata of pandas list.
pub(super) fn index(schema: &Schema) -> Vec<String> {
    let about = schema.metadata().get("pandas");
    let about: Option<Value> = about.and_then(|text| serde_json::from_str(text).ok());
    let names = about
        .as_ref()
        .and_then(|about| about["index_columns"].as_array());
    // an index of consecutive numbers is described by an object and has no column
    let names = names.into_iter().flatten().filter_map(Value::as_str);
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn listed_columns_are_the_index_and_ranges_have_none() {
        let schema = |text: &str| {
            let metadata = HashMap::from([("pandas".to_owned(), text.to_owned())]);
            Schema::empty().with_metadata(metadata)
        };
        let listed = r#"{"index_columns": ["__index_level_0__", "day"], "columns": []}"#;
        assert_eq!(index(&schema(listed)), ["__index_level_0__", "day"]);
        let range = r#"{"index_columns": [{"kind": "range", "start": 0, "stop": 3, "step": 1}]}"#;
        assert!(index(&schema(range)).is_empty());
        assert!(index(&schema("not JSON")).is_empty());
        assert!(index(&Schema::empty()).is_empty());
    }
}
