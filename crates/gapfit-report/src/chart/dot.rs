//! Numbers of different magnitudes, one below the other, each under its name, which may be long.

use super::{Frame, Picture, WIDTH};
use crate::colour::SERIES;
use crate::markup::clipped;
use crate::scale::{Kind, Scale};
use crate::svg::{Anchor, Svg};

/// Letters of a name.
const LETTERS: usize = 54;

/// A number.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    pub(crate) name: String,
    pub(crate) colour: usize,
    /// Positive.
    pub(crate) value: f64,
    pub(crate) tip: String,
}

/// The numbers by orders of magnitude over an axis of this name, with a line at `mark`.
pub(crate) fn dots(axis: &str, spots: &[Spot], mark: Option<f64>) -> Picture {
    let pitch = 34.0;
    let frame = Frame {
        left: 20.0,
        right: WIDTH - 30.0,
        top: 8.0,
        bottom: 8.0 + pitch * spots.len() as f64,
    };
    let values = spots.iter().map(|spot| spot.value).chain(mark);
    let scale = Scale::over(Kind::Log, values, (frame.left + 6.0, frame.right - 6.0));
    let mut svg = Svg::default();
    for tick in scale.ticks(6) {
        let x = scale.at(tick);
        svg.line("grid", (x, frame.top), (x, frame.bottom));
    }
    if let Some(mark) = mark {
        let x = scale.at(mark);
        svg.line("zero", (x, frame.top), (x, frame.bottom));
    }
    for (k, spot) in spots.iter().enumerate() {
        let top = frame.top + pitch * k as f64;
        svg.series(&spot.name, spot.colour % SERIES, |svg| {
            let (name, y) = ((frame.left, top + 12.0), top + 22.0);
            svg.text("label", name, Anchor::Start, &clipped(&spot.name, LETTERS));
            if scale.shows(spot.value) {
                let x = scale.at(spot.value);
                let from = mark.map_or(frame.left, |mark| scale.at(mark));
                svg.line("span", (from, y), (x, y));
                svg.point((x, y), spot.colour, &spot.tip);
            }
        });
    }
    frame.horizontal(&mut svg, &scale, axis, false);
    Picture {
        height: frame.bottom + 42.0,
        body: svg.finish(),
    }
}
