//! Line charts as SVG.

use std::fmt::Write;

/// Lines over one pair of axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Above the lines.
    pub title: String,
    /// Name of the horizontal axis.
    pub x: String,
    /// Name of the vertical axis.
    pub y: String,
    /// Whether the horizontal axis is logarithmic.
    pub is_log: bool,
    /// The lines.
    pub series: Vec<Series>,
}

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// Colours that most people can tell apart (after Okabe and Ito).
const COLOURS: [&str; 7] = [
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#8a7a00", "#7a4fa3",
];

/// The colour of a line: the same for a method in every chart of an experiment.
fn colour(name: &str, s: usize) -> &'static str {
    match name {
        "auto" => "#d55e00",
        "complete" => "#000000",
        _ => COLOURS[s % COLOURS.len()],
    }
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
/// Left, right, top and bottom of the lines.
const EDGES: [f64; 4] = [64.0, 500.0, 34.0, 312.0];

impl Chart {
    /// The chart as a document of its own.
    pub fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|of| &of.points);
        let across = Axis::new(points().map(|p| p.0), self.is_log, [EDGES[0], EDGES[1]]);
        let up = Axis::new(points().map(|p| p.1), false, [EDGES[3], EDGES[2]]);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <title>{}</title>\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n",
            escaped(&self.title)
        );
        self.frame(&mut svg, &across, &up);
        for (s, series) in self.series.iter().enumerate() {
            line(&mut svg, series, s, (&across, &up));
        }
        svg + "</svg>\n"
    }

    fn frame(&self, svg: &mut String, across: &Axis, up: &Axis) {
        let [left, right, top, bottom] = EDGES;
        let middle = (left + right) / 2.0;
        text(svg, (middle, 20.0), "middle", &self.title);
        text(svg, (middle, HEIGHT - 10.0), "middle", &self.x);
        text(svg, (8.0, 20.0), "start", &self.y);
        for tick in across.ticks() {
            let x = across.at(tick);
            rule(svg, (x, top), (x, bottom));
            text(svg, (x, bottom + 16.0), "middle", &short(tick));
        }
        for tick in up.ticks() {
            let y = up.at(tick);
            rule(svg, (left, y), (right, y));
            text(svg, (left - 6.0, y + 4.0), "end", &short(tick));
        }
    }
}

fn line(svg: &mut String, series: &Series, s: usize, (across, up): (&Axis, &Axis)) {
    let colour = colour(&series.name, s);
    let at = |&(x, y): &(f64, f64)| (across.at(x), up.at(y));
    let places: Vec<(f64, f64)> = series.points.iter().map(at).collect();
    let path: Vec<String> = places
        .iter()
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    let _ = writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
        path.join(" ")
    );
    for (x, y) in places {
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\" fill=\"{colour}\"/>"
        );
    }
    let y = EDGES[2] + 8.0 + 18.0 * s as f64;
    let x = EDGES[1] + 14.0;
    let _ = writeln!(
        svg,
        "<line x1=\"{x}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" stroke=\"{colour}\" stroke-width=\"2\"/>",
        x + 18.0
    );
    text(svg, (x + 24.0, y + 4.0), "start", &series.name);
}

fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, words: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
        escaped(words)
    );
}

fn rule(svg: &mut String, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
    let _ = writeln!(
        svg,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"#ddd\"/>"
    );
}

/// Text that XML takes for text.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// From numbers to places.
struct Axis {
    range: [f64; 2],
    is_log: bool,
    ends: [f64; 2],
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, is_log: bool, ends: [f64; 2]) -> Self {
        let finite = values.filter(|x| x.is_finite() && (!is_log || *x > 0.0));
        let [low, high] = finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
            [low.min(x), high.max(x)]
        });
        let range = match (low < high, low.is_finite()) {
            (true, _) => [low, high],
            (false, true) => [low - 0.5, low + 0.5],
            (false, false) => [0.0, 1.0],
        };
        // Upwards there is some air.
        let air = if ends[0] > ends[1] {
            0.04 * (range[1] - range[0])
        } else {
            0.0
        };
        Self {
            range: [range[0] - air, range[1] + air],
            is_log,
            ends,
        }
    }

    fn at(&self, x: f64) -> f64 {
        let unit = |x: f64| if self.is_log { x.ln() } else { x };
        let [low, high] = self.range.map(unit);
        self.ends[0] + (unit(x) - low) / (high - low) * (self.ends[1] - self.ends[0])
    }

    fn ticks(&self) -> Vec<f64> {
        let [low, high] = self.range;
        if self.is_log {
            let powers = (-60..=60).map(|e: i32| 4f64.powi(e));
            return powers.filter(|x| (low..=high).contains(x)).collect();
        }
        let rough = (high - low) / 6.0;
        let unit = 10f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|k| k * unit);
        let step = steps
            .into_iter()
            .find(|step| *step >= rough)
            .unwrap_or(rough);
        let first = (low / step).ceil() as i64;
        let last = (high / step).floor() as i64;
        (first..=last).map(|k| k as f64 * step).collect()
    }
}

/// A number without the noise of its last digits.
fn short(x: f64) -> String {
    let rounded: f64 = format!("{x:.5e}").parse().unwrap_or(x);
    rounded.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: Vec<(f64, f64)>) -> Chart {
        Chart {
            title: "a < b".to_owned(),
            x: "x".to_owned(),
            y: "y".to_owned(),
            is_log: false,
            series: vec![Series {
                name: "zero & more".to_owned(),
                points,
            }],
        }
    }

    #[test]
    fn lines_reach_from_one_end_of_the_axis_to_the_other() {
        let svg = chart(vec![(0.0, 1.0), (0.5, 3.0), (1.0, 2.0)]).svg();
        assert!(
            svg.contains("points=\"64.0,") && svg.contains(" 500.0,"),
            "{svg}"
        );
        assert!(svg.contains("a &lt; b") && svg.contains("zero &amp; more"));
        for tick in [">0<", ">0.2<", ">1<", ">1.5<", ">3<"] {
            assert!(svg.contains(tick), "{tick} {svg}");
        }
    }

    #[test]
    fn a_single_point_and_no_point_are_charts_too() {
        for points in [vec![], vec![(2.0, 2.0)]] {
            let svg = chart(points).svg();
            assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{svg}");
        }
    }
}
