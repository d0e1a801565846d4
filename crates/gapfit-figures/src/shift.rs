//! How the weights of models change when a column is missing.

use gapfit::Model;
use gapfit_report::Shifts;

use gapfit::data::Schema;

/// The mean shifts of these models, per scale unit of each feature; `None` where none of them looks
/// at what is missing, and of more than two classes, whose scores each shift in their own way.
pub fn shifts(name: &str, models: &[&Model], schema: &Schema) -> Option<Shifts> {
    let first = models.first()?;
    if first.classes().len() > 2 {
        return None;
    }
    let features = first.feature_names().to_vec();
    let (mut missing, mut shifts) = (Vec::new(), Vec::new());
    for (c, column) in schema.columns().iter().enumerate() {
        let mut sum = vec![0.0; features.len()];
        let mut has_any = false;
        for model in models {
            for (_, weights) in schema.features(c).filter_map(|j| model.shift(j)) {
                has_any = true;
                for (j, weight) in weights.iter().enumerate() {
                    sum[j] += weight * model.unit(j) / models.len() as f64;
                }
            }
        }
        if has_any {
            missing.push(column.name.clone());
            shifts.push(sum);
        }
    }
    (!missing.is_empty()).then(|| Shifts {
        method: name.to_owned(),
        missing,
        features,
        shifts,
    })
}
