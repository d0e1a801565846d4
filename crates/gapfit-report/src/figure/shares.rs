//! Lines of shares beside shares: both axes go from 0 to 1, and on the diagonal they are equal.

use super::{Figure, keys};
use crate::chart::{Axes, Line, Lines};
use crate::scale::Kind;
use crate::table::Table;

/// The lines, what the axes show, and what the figure is called.
pub(super) struct Shares<'a> {
    pub(super) id: &'static str,
    pub(super) title: &'a str,
    pub(super) x: &'a str,
    pub(super) y: &'a str,
    pub(super) lines: Vec<Line>,
}

impl Shares<'_> {
    /// The figure, with what it says and the numbers behind it.
    pub(super) fn figure(self, caption: String, table: Table) -> Figure {
        let names: Vec<String> = self.lines.iter().map(|line| line.name.clone()).collect();
        let lines = Lines {
            axes: Axes {
                x: self.x,
                y: self.y,
                x_kind: Kind::Linear,
                y_kind: Kind::Linear,
                whole: false,
            },
            from_zero: true,
            has_diagonal: true,
            lines: self.lines,
        };
        Figure {
            id: self.id.into(),
            title: self.title.to_owned(),
            caption,
            picture: lines.picture(),
            keys: keys(&names),
            ramp: None,
            table,
            is_main: false,
        }
    }
}
