//! Bars, one below the other, each with its name.

use super::{Frame, Picture, WIDTH, label, label_room};
use crate::scale::{Kind, Scale};
use crate::svg::{Anchor, Svg};

/// A bar and how sure its length is.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) value: f64,
    /// Half the length of a line across its end; none for 0.
    pub(crate) spread: f64,
    pub(crate) tip: String,
}

/// The bars over an axis of this name.
pub(crate) fn bars(axis: &str, bars: &[Bar]) -> Picture {
    let pitch = 20.0;
    let frame = Frame {
        left: label_room(bars.iter().map(|bar| bar.name.as_str())),
        right: WIDTH - 30.0,
        top: 6.0,
        bottom: 6.0 + pitch * bars.len() as f64 + 4.0,
    };
    let ends = bars.iter().flat_map(|bar| {
        let finite = |number: f64| if number.is_finite() { number } else { 0.0 };
        [
            bar.value - finite(bar.spread),
            bar.value + finite(bar.spread),
        ]
    });
    let scale = Scale::over(Kind::Linear, ends.chain([0.0]), (frame.left, frame.right)).rounded();
    let mut svg = Svg::default();
    let zero = scale.at(0.0);
    for (k, bar) in bars.iter().enumerate() {
        let y = frame.top + pitch * k as f64;
        let end = scale.at(bar.value);
        let name = (frame.left - 8.0, y + 14.0);
        svg.text("label", name, Anchor::End, &label(&bar.name));
        if !bar.value.is_finite() {
            continue;
        }
        let (from, width) = (zero.min(end), (end - zero).abs().max(0.5));
        svg.rect("bar", (from, y + 3.0), (width, pitch - 6.0), Some(&bar.tip));
        if bar.spread > 0.0 {
            let ends = (
                scale.at(bar.value - bar.spread),
                scale.at(bar.value + bar.spread),
            );
            let middle = y + pitch / 2.0;
            svg.line("spread", (ends.0, middle), (ends.1, middle));
        }
    }
    svg.line("axis", (zero, frame.top), (zero, frame.bottom));
    frame.horizontal(&mut svg, &scale, axis, false);
    Picture {
        height: frame.bottom + 42.0,
        body: svg.finish(),
    }
}
