//! Estimates with their uncertainty, one below the other, each in the colour of its series.

use super::{Frame, Picture, WIDTH, label, label_room};
use crate::colour::SERIES;
use crate::scale::{Kind, Scale};
use crate::svg::{Anchor, Svg};

/// An estimate.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) name: String,
    pub(crate) colour: usize,
    pub(crate) value: f64,
    /// Half its length.
    pub(crate) spread: f64,
    pub(crate) tip: String,
}

/// The estimates over an axis of this name, with a line at zero.
pub(crate) fn intervals(axis: &str, spans: &[Span]) -> Picture {
    let pitch = 26.0;
    let frame = Frame {
        left: label_room(spans.iter().map(|span| span.name.as_str())),
        right: WIDTH - 30.0,
        top: 8.0,
        bottom: 8.0 + pitch * spans.len() as f64,
    };
    let spread = |span: &Span| {
        if span.spread.is_finite() {
            span.spread
        } else {
            0.0
        }
    };
    let ends = spans
        .iter()
        .flat_map(|span| [span.value - spread(span), span.value + spread(span)]);
    let scale = Scale::over(Kind::Linear, ends.chain([0.0]), (frame.left, frame.right)).rounded();
    let mut svg = Svg::default();
    for tick in scale.ticks(6) {
        let x = scale.at(tick);
        svg.line("grid", (x, frame.top), (x, frame.bottom));
    }
    let zero = scale.at(0.0);
    svg.line("zero", (zero, frame.top), (zero, frame.bottom));
    for (k, span) in spans.iter().enumerate() {
        let y = frame.top + pitch * (k as f64 + 0.5);
        svg.series(&span.name, span.colour % SERIES, |svg| {
            let name = (frame.left - 10.0, y + 4.0);
            svg.text("label", name, Anchor::End, &label(&span.name));
            if !span.value.is_finite() {
                return;
            }
            let (from, to) = (span.value - spread(span), span.value + spread(span));
            svg.line("span", (scale.at(from), y), (scale.at(to), y));
            svg.point((scale.at(span.value), y), span.colour, &span.tip);
        });
    }
    frame.horizontal(&mut svg, &scale, axis, false);
    Picture {
        height: frame.bottom + 42.0,
        body: svg.finish(),
    }
}
