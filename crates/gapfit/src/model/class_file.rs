//! What a model file has of classes, and of predictors beside the first.

use super::{MaskLinear, support_file};
use crate::container::{Container, Tensor, broken};
use crate::error::Result;
use crate::loss::Loss;

/// Weights and shifts of the predictors of the second class or target on; none where there are none.
pub(super) fn tensors(predictors: &[&MaskLinear]) -> Vec<Tensor> {
    let Some(first) = predictors.first() else {
        return Vec::new();
    };
    let n = first.weights.len();
    let weights = |of: &MaskLinear| of.weights.clone();
    let shifts = |of: &MaskLinear| of.shifts.clone();
    let shape = support_file::shape(&first.shifted, first.holes.len());
    vec![
        joined("more_weights", &[n], predictors, weights),
        joined("more_shifts", &shape, predictors, shifts),
    ]
}

/// One tensor of the same part of several predictors.
fn joined(
    name: &str,
    shape: &[usize],
    predictors: &[&MaskLinear],
    part: impl Fn(&MaskLinear) -> Vec<f64>,
) -> Tensor {
    let shape = std::iter::once(predictors.len()).chain(shape.iter().copied());
    let values = predictors.iter().flat_map(|of| part(of)).collect();
    (name.to_owned(), shape.collect(), values)
}

/// The predictors of the second class or target on, beside the first one.
pub(super) fn others(
    file: &Container<'_>,
    count: usize,
    first: &MaskLinear,
) -> Result<Vec<MaskLinear>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let (n, each) = (first.weights.len(), first.shifts.len());
    let weights = file.tensor("more_weights", &[count, n])?;
    let shape = support_file::shape(&first.shifted, first.holes.len());
    let shifts = file.tensor("more_shifts", &[&[count], &shape[..]].concat())?;
    let other = |j: usize| MaskLinear {
        weights: weights[j * n..(j + 1) * n].to_vec(),
        holes: first.holes.clone(),
        shifted: first.shifted.clone(),
        shifts: shifts[j * each..(j + 1) * each].to_vec(),
    };
    Ok((0..count).map(other).collect())
}

/// Refuses a loss that a fit cannot have, and classes that do not go with it.
pub(super) fn check_loss(loss: Loss, classes: &[String]) -> Result<Loss> {
    let mut distinct: Vec<_> = classes.iter().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let fits = match loss.is_classification() {
        true => classes.len() >= 2 && distinct.len() == classes.len(),
        false => classes.is_empty(),
    };
    if loss.is_smooth() && fits {
        return Ok(loss);
    }
    let expected = "a loss of fits, with two or more different classes if it is one for classes";
    Err(broken(
        "loss",
        expected,
        &format!("{loss} with {} classes", classes.len()),
    ))
}
