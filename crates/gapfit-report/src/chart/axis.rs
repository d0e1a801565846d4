//! Axes with their ticks, and the area between them.

use crate::scale::{Kind, Scale};
use crate::svg::{Anchor, Svg};

/// The area in which numbers are drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

/// What the axes say.
#[derive(Clone, Debug)]
pub(crate) struct Axes<'a> {
    pub(crate) x: &'a str,
    pub(crate) y: &'a str,
    pub(crate) x_kind: Kind,
    pub(crate) y_kind: Kind,
    /// Whether there is nothing between two whole numbers of x.
    pub(crate) whole: bool,
}

impl Frame {
    /// Grid lines and numbers of the vertical axis, its name above.
    pub(crate) fn vertical(&self, svg: &mut Svg, scale: &Scale, name: &str) {
        for tick in scale.ticks(5) {
            let y = scale.at(tick);
            svg.line("grid", (self.left, y), (self.right, y));
            let place = (self.left - 6.0, y + 4.0);
            svg.text("tick", place, Anchor::End, &scale.label(tick));
        }
        svg.text("name", (self.left, self.top - 10.0), Anchor::Start, name);
    }

    /// The line, numbers and name of the horizontal axis.
    pub(crate) fn horizontal(&self, svg: &mut Svg, scale: &Scale, name: &str, whole: bool) {
        svg.line("axis", (self.left, self.bottom), (self.right, self.bottom));
        for tick in scale.ticks(6) {
            if whole && (tick - tick.round()).abs() > 1e-9 {
                continue;
            }
            let x = scale.at(tick);
            svg.line("axis", (x, self.bottom), (x, self.bottom + 4.0));
            let place = (x, self.bottom + 17.0);
            svg.text("tick", place, Anchor::Middle, &scale.label(tick));
        }
        let place = (self.right, self.bottom + 34.0);
        svg.text("name", place, Anchor::End, name);
    }
}
