//! States as bytes: a header and tensors, for every online learner (docs/model-file.md).

use super::LARGEST;
use crate::container::{self, Container, FORMAT, Part, Tensor, broken};
use crate::error::Result;
use crate::support::Support;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Something whose state is a header and tensors; it may be part of a larger state.
pub(crate) trait Saved: Sized {
    /// Everything but the tensors.
    type Header: Serialize + DeserializeOwned;
    /// Tells states of one kind from others.
    const KIND: &'static str;

    fn header(&self) -> Self::Header;
    fn tensors(&self) -> Vec<Tensor>;

    /// What was saved.
    ///
    /// # Errors
    /// [`Error::Model`](crate::Error::Model) when header and tensors are not a sound state.
    fn restore(header: Self::Header, part: &Part<'_>) -> Result<Self>;
}

/// The header of a file.
#[derive(Serialize, Deserialize)]
struct Outer<H> {
    format: u32,
    /// Filled in and checked by the container.
    checksum: u32,
    kind: String,
    #[serde(flatten)]
    header: H,
}

/// The bytes of a state; the same state gives the same bytes.
pub(crate) fn to_bytes<S: Saved>(state: &S) -> Vec<u8> {
    let outer = Outer {
        format: FORMAT,
        checksum: 0,
        kind: S::KIND.to_owned(),
        header: state.header(),
    };
    container::write(&outer, &state.tensors())
}

/// The state that `bytes` are.
///
/// # Errors
/// [`Error::Model`](crate::Error::Model) when they are not a sound one of this version.
pub(crate) fn from_bytes<S: Saved>(bytes: &[u8]) -> Result<S> {
    let file = Container::open(bytes)?;
    let kind: Outer<Kind> = file.header()?;
    if kind.kind != S::KIND {
        return Err(broken("kind", S::KIND, &kind.kind));
    }
    let outer: Outer<S::Header> = file.header()?;
    let state = S::restore(outer.header, &Part::whole(&file))?;
    file.check_count(state.tensors().len())?;
    Ok(state)
}

/// No fields of its own.
#[derive(Serialize, Deserialize)]
struct Kind {}

/// Refuses a number outside its range.
pub(crate) fn range(name: &str, number: f64, least: f64, most: f64) -> Result<()> {
    if (least..=most).contains(&number) {
        return Ok(());
    }
    let expected = format!("a number from {least:e} to {most:e}");
    Err(broken(name, &expected, &number.to_string()))
}

/// The numbers, if none is so large that a learner could not have got there.
pub(crate) fn bounded(name: &str, numbers: Vec<f64>) -> Result<Vec<f64>> {
    within(name, numbers, -LARGEST, LARGEST)
}

/// The numbers, if none is negative.
pub(crate) fn not_negative(name: &str, numbers: Vec<f64>) -> Result<Vec<f64>> {
    within(name, numbers, 0.0, f64::MAX)
}

/// The numbers, if all are in a range.
pub(crate) fn within(name: &str, numbers: Vec<f64>, least: f64, most: f64) -> Result<Vec<f64>> {
    for &number in &numbers {
        range(&format!("tensor '{name}'"), number, least, most)?;
    }
    Ok(numbers)
}

/// The support with these lists of neighbours.
pub(crate) fn support_of(lists: Option<&Vec<Vec<u32>>>) -> Result<Support> {
    let Some(lists) = lists else {
        return Ok(Support::full());
    };
    let expected = "mutual neighbours, ascending, each its own";
    Support::from_neighbours(lists.clone()).ok_or_else(|| broken("support", expected, "others"))
}
