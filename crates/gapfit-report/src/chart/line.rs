//! Numbers that depend on a number, one line for each series.

use super::{Axes, Frame, Picture, WIDTH};
use crate::colour::SERIES;
use crate::scale::Scale;
use crate::svg::{Place, Svg, text_width};

/// Points of a line beyond which they are not drawn one by one.
const FEW: usize = 24;

/// A series.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) colour: usize,
    pub(crate) dots: Vec<Dot>,
}

/// A point of a series, and what is said about it.
#[derive(Clone, Debug)]
pub(crate) struct Dot {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) tip: String,
}

/// Lines over common axes.
#[derive(Clone, Debug)]
pub(crate) struct Lines<'a> {
    pub(crate) axes: Axes<'a>,
    /// Whether the vertical axis begins at 0.
    pub(crate) from_zero: bool,
    /// Whether both axes go from 0 to 1 and a line shows where they are equal.
    pub(crate) has_diagonal: bool,
    pub(crate) lines: Vec<Line>,
}

impl Lines<'_> {
    pub(crate) fn picture(&self) -> Picture {
        let height = 300.0;
        let dots = || self.lines.iter().flat_map(|line| &line.dots);
        let zero = self.from_zero.then_some(0.0);
        let ends = [0.0, 1.0].into_iter().filter(|_| self.has_diagonal);
        let ys = dots().map(|dot| dot.y).chain(zero).chain(ends.clone());
        let (top, bottom) = (34.0, height - 46.0);
        let y = Scale::over(self.axes.y_kind, ys, (bottom, top)).rounded();
        let labels = y
            .ticks(5)
            .into_iter()
            .map(|tick| text_width(&y.label(tick)));
        let frame = Frame {
            left: labels.fold(20.0, f64::max) + 12.0,
            right: WIDTH - 24.0,
            top,
            bottom,
        };
        let xs = dots().map(|dot| dot.x).chain(ends);
        let inset = if self.axes.whole { 10.0 } else { 0.0 };
        let x = Scale::over(
            self.axes.x_kind,
            xs,
            (frame.left + inset, frame.right - inset),
        );
        let mut svg = Svg::default();
        frame.vertical(&mut svg, &y, self.axes.y);
        frame.horizontal(&mut svg, &x, self.axes.x, self.axes.whole);
        if self.has_diagonal {
            let [from, to] = [0.0, 1.0].map(|end| (x.at(end), y.at(end)));
            svg.line("zero", from, to);
        }
        for line in &self.lines {
            line.draw(&mut svg, &x, &y);
        }
        Picture {
            height,
            body: svg.finish(),
        }
    }
}

impl Line {
    fn draw(&self, svg: &mut Svg, x: &Scale, y: &Scale) {
        let is_shown = |dot: &&Dot| x.shows(dot.x) && y.shows(dot.y);
        let shown: Vec<&Dot> = self.dots.iter().filter(is_shown).collect();
        let place = |dot: &&Dot| -> Place { (x.at(dot.x), y.at(dot.y)) };
        let places: Vec<Place> = shown.iter().map(place).collect();
        svg.series(&self.name, self.colour % SERIES, |svg| {
            let dash = if self.colour < SERIES {
                "line"
            } else {
                "line dash"
            };
            svg.polyline(dash, &places);
            for (dot, &place) in shown.iter().zip(&places) {
                match shown.len() > FEW {
                    true => svg.circle("hit", place, 4.0, Some(&dot.tip)),
                    false => svg.point(place, self.colour, &dot.tip),
                }
            }
        });
    }
}
