//! The forms that figures take.

mod axis;
mod bar;
mod dot;
mod grid;
mod interval;
mod line;

pub(crate) use axis::{Axes, Frame};
pub(crate) use bar::{Bar, bars};
pub(crate) use dot::{Spot, dots};
pub(crate) use grid::{Grid, Tile};
pub(crate) use interval::{Span, intervals};
pub(crate) use line::{Dot, Line, Lines};

use crate::markup::clipped;
use crate::svg::text_width;

/// The width of every picture; it is scaled to its column.
pub(crate) const WIDTH: f64 = 480.0;
/// Letters of a name beside or above a chart.
const LETTERS: usize = 19;

/// A drawn chart: its height and its elements.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Picture {
    pub(crate) height: f64,
    pub(crate) body: String,
}

/// The name as it stands beside a chart.
pub(crate) fn label(name: &str) -> String {
    clipped(name, LETTERS)
}

/// The room that names beside a chart take.
pub(crate) fn label_room<'a>(names: impl IntoIterator<Item = &'a str>) -> f64 {
    let widths = names.into_iter().map(|name| text_width(&label(name)));
    widths.fold(24.0, f64::max) + 10.0
}
