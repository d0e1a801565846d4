//! Pictures, element by element.

use std::fmt::Write;

use crate::markup::escaped;

/// The body of a picture under way.
#[derive(Debug, Default)]
pub(crate) struct Svg {
    body: String,
}

/// Where a text stands relative to its place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// A place in a picture.
pub(crate) type Place = (f64, f64);

/// The shapes of points, which tell series apart beside their colours.
const SHAPES: usize = 4;

impl Svg {
    pub(crate) fn finish(self) -> String {
        self.body
    }

    /// The elements that `draw` makes, as the marks of a series.
    pub(crate) fn series(&mut self, name: &str, colour: usize, draw: impl FnOnce(&mut Self)) {
        self.push(format_args!(
            "<g class=\"series s{colour}\" data-series=\"{}\">",
            escaped(name)
        ));
        draw(self);
        self.body.push_str("</g>");
    }

    pub(crate) fn line(&mut self, class: &str, from: Place, to: Place) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(place);
        self.push(format_args!(
            "<path class=\"{class}\" d=\"M{x1} {y1}L{x2} {y2}\"/>"
        ));
    }

    /// Straight lines from place to place.
    pub(crate) fn polyline(&mut self, class: &str, places: &[Place]) {
        let mut d = String::new();
        for (k, &(x, y)) in places.iter().enumerate() {
            d.push(if k == 0 { 'M' } else { 'L' });
            d += &format!("{} {}", place(x), place(y));
        }
        self.path(class, &d);
    }

    pub(crate) fn path(&mut self, class: &str, d: &str) {
        self.push(format_args!("<path class=\"{class}\" d=\"{d}\"/>"));
    }

    /// A rectangle from its upper left corner, with what is said about it.
    pub(crate) fn rect(&mut self, class: &str, corner: Place, size: Place, tip: Option<&str>) {
        let [x, y, w, h] = [corner.0, corner.1, size.0, size.1].map(place);
        self.push(format_args!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\""
        ));
        self.close("rect", tip);
    }

    /// A point whose shape goes with its colour.
    pub(crate) fn point(&mut self, (x, y): Place, colour: usize, tip: &str) {
        let r = 3.4;
        let d = match colour % SHAPES {
            0 => {
                self.circle("point", (x, y), r, Some(tip));
                return;
            }
            1 => format!("M{} {}h6v6h-6z", place(x - 3.0), place(y - 3.0)),
            2 => format!(
                "M{} {}l4.2 4.2l-4.2 4.2l-4.2 -4.2z",
                place(x),
                place(y - 4.2)
            ),
            _ => format!("M{} {}l4.2 7h-8.4z", place(x), place(y - 4.4)),
        };
        self.push(format_args!("<path class=\"point\" d=\"{d}\""));
        self.close("path", Some(tip));
    }

    pub(crate) fn circle(&mut self, class: &str, (x, y): Place, r: f64, tip: Option<&str>) {
        let [x, y, r] = [x, y, r].map(place);
        self.push(format_args!(
            "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\""
        ));
        self.close("circle", tip);
    }

    pub(crate) fn text(&mut self, class: &str, (x, y): Place, anchor: Anchor, text: &str) {
        let [x, y] = [x, y].map(place);
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " m",
            Anchor::End => " e",
        };
        let text = escaped(text);
        self.push(format_args!(
            "<text class=\"{class}{anchor}\" x=\"{x}\" y=\"{y}\">{text}</text>"
        ));
    }

    /// A text that rises from its place at an angle in degrees, for names above narrow columns.
    pub(crate) fn rising_text(&mut self, class: &str, (x, y): Place, angle: f64, text: &str) {
        let [x, y] = [x, y].map(place);
        let text = escaped(text);
        self.push(format_args!(
            "<text class=\"{class}\" transform=\"translate({x} {y}) rotate(-{angle})\">{text}</text>"
        ));
    }

    fn close(&mut self, tag: &str, tip: Option<&str>) {
        match tip {
            None => self.body.push_str("/>"),
            Some(tip) => {
                let tip = escaped(tip);
                self.push(format_args!("><title>{tip}</title></{tag}>"));
            }
        }
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        self.body.write_fmt(text).expect("text can be written");
    }
}

/// A coordinate, to a tenth.
pub(crate) fn place(x: f64) -> String {
    let tenths = (10.0 * x).round() / 10.0;
    // plus 0: no minus before a zero
    (tenths + 0.0).to_string()
}

/// About how wide a text is at most: in a wide font, and in the larger size of small screens.
pub(crate) fn text_width(text: &str) -> f64 {
    let wide = |c: char| if c as u32 >= 0x1100 { 14.0 } else { 8.5 };
    text.chars().map(wide).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_tips_are_harmless() {
        let mut svg = Svg::default();
        let hostile = "</g><script>alert(\"1\")</script>";
        svg.series(hostile, 1, |svg| {
            for colour in 0..SHAPES {
                svg.point((1.0, 2.0), colour, hostile);
            }
            svg.text("t", (0.0, 0.0), Anchor::End, hostile);
            svg.rising_text("t", (0.0, 0.0), 50.0, hostile);
            svg.rect("q1", (0.0, 0.0), (1.0, 1.0), Some(hostile));
        });
        let body = svg.finish();
        assert!(
            !body.contains("<script") && !body.contains("alert(\""),
            "{body}"
        );
        assert_eq!(body.matches("<g").count(), body.matches("</g>").count());
    }

    #[test]
    fn coordinates_are_short() {
        assert_eq!([1.0 / 3.0, -0.01, 12.0].map(place), ["0.3", "0", "12"]);
    }
}
