//! Figures: each is made from its numbers, and says in words what they show.

mod agreement;
mod by_missing;
mod calibration;
mod growth;
mod hole_map;
mod league;
mod learning;
mod pattern;
mod price;
mod progress;
mod race;
mod regret;
mod roc;
mod shares;
mod shift;
mod surface;
mod verdict;

pub use agreement::Agreement;
pub use by_missing::{ByMissing, MissingGroup};
pub use calibration::{Calibration, CalibrationCurve, CalibrationPoint};
pub use growth::{Growth, GrowthLine, Told};
pub use hole_map::{Band, HoleMap};
pub use league::{League, Measure, Standing};
pub use learning::{LearningCurve, LearningPoint};
pub use pattern::{Pattern, Patterns};
pub use price::{Price, Prices};
pub use progress::{Moment, Progress};
pub use race::{Race, Racer};
pub use regret::{RegretCurve, RegretPoint};
pub use roc::{Roc, RocCurve};
pub use shift::Shifts;
pub use surface::{Surface, SurfacePoint};
pub use verdict::{Verdict, Verdicts};

use shares::Shares;

use std::borrow::Cow;

use crate::chart::{Picture, WIDTH};
use crate::colour;
use crate::markup::{clipped, escaped};
use crate::svg::{Anchor, Svg, place, text_width};
use crate::table::Table;

/// A picture, what it shows in words, and the numbers behind it.
///
/// ```
/// use gapfit_report::{Prices, Price};
/// let price = Price { column: "rooms".to_owned(), difference: 2.0, standard_error: 0.5 };
/// let figure = Prices { method: "irr".to_owned(), error: "RMSE".to_owned(), before: 10.0, rows: 90, prices: vec![price] }.figure();
/// assert!(figure.caption().contains("rooms"));
/// assert!(figure.svg().starts_with("<svg"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Its name in links and file names.
    pub(crate) id: Cow<'static, str>,
    pub(crate) title: String,
    pub(crate) caption: String,
    pub(crate) picture: Picture,
    /// What the colours of series mean.
    pub(crate) keys: Vec<Key>,
    /// What shades mean, where there are any.
    pub(crate) ramp: Option<Ramp>,
    pub(crate) table: Table,
    /// Whether the numbers are as important as the picture: they are shown at once, and beside it.
    pub(crate) is_main: bool,
}

/// The name of a series and its colour.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) colour: usize,
}

/// The shades of a figure, from one end to the other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ramp {
    /// Whether there is a middle.
    pub(crate) has_sides: bool,
    pub(crate) low: String,
    pub(crate) high: String,
}

impl Ramp {
    /// The classes of the shades.
    pub(crate) fn classes(&self) -> Vec<String> {
        let (letter, count) = match self.has_sides {
            true => ('d', 2 * colour::SIDE + 1),
            false => ('q', colour::SHADES),
        };
        (0..count).map(|k| format!("{letter}{k}")).collect()
    }
}

/// The keys of series with these names, coloured in order.
pub(crate) fn keys(names: &[String]) -> Vec<Key> {
    let key = |(colour, name): (usize, &String)| Key {
        name: name.clone(),
        colour,
    };
    names.iter().enumerate().map(key).collect()
}

impl Figure {
    /// Its name in file names.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The same figure about one of several things, counted from 0, on one page.
    pub fn about(mut self, name: &str, number: usize) -> Self {
        self.id = format!("{}-{}", self.id, number + 1).into();
        self.title = format!("{name}: {}", self.title);
        self
    }

    /// The same figure with a few words, such as how it was measured, before what it shows.
    pub fn noted(mut self, note: &str) -> Self {
        self.caption = format!("{note} {}", self.caption);
        self
    }

    /// What it shows, in words.
    pub fn caption(&self) -> &str {
        &self.caption
    }

    /// The picture as a file of its own, with legend and style.
    pub fn svg(&self) -> String {
        let mut legend = Svg::default();
        let height = self.draw_legend(&mut legend, self.picture.height + 14.0);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\">\
             <title>{}</title><desc>{}</desc><style>{}</style><rect class=\"paper\" width=\"100%\" height=\"100%\"/>{}{}</svg>\n",
            escaped(&self.title),
            escaped(&self.caption),
            style(),
            self.picture.body,
            legend.finish(),
            height = place(height),
        )
    }

    /// Draws what colours mean below the picture; returns where it ends.
    fn draw_legend(&self, svg: &mut Svg, top: f64) -> f64 {
        let (mut x, mut y) = (16.0, top);
        for key in &self.keys {
            let name = clipped(&key.name, 40);
            let width = text_width(&name) + 34.0;
            if x + width > WIDTH && x > 16.0 {
                (x, y) = (16.0, y + 20.0);
            }
            svg.series(&key.name, key.colour % colour::SERIES, |svg| {
                svg.point((x + 4.0, y), key.colour, &key.name);
                svg.text("label", (x + 14.0, y + 4.0), Anchor::Start, &name);
            });
            x += width;
        }
        if let Some(ramp) = &self.ramp {
            svg.text("label", (x, y + 4.0), Anchor::Start, &ramp.low);
            x += text_width(&ramp.low) + 8.0;
            for class in ramp.classes() {
                svg.rect(&class, (x, y - 6.0), (16.0, 12.0), None);
                x += 16.0;
            }
            svg.text("label", (x + 8.0, y + 4.0), Anchor::Start, &ramp.high);
        }
        match self.keys.is_empty() && self.ramp.is_none() {
            true => self.picture.height,
            false => y + 18.0,
        }
    }
}

/// The style of pictures, in a page and on their own.
pub(crate) fn style() -> String {
    let rules = include_str!("../figure.css");
    format!("{}{}{rules}", colour::variables(), colour::classes())
}

/// The names in a sentence: `a`, `a and b`, `a, b and c`.
pub(crate) fn listed<S: AsRef<str>>(names: &[S]) -> String {
    match names {
        [] => "none".to_owned(),
        [one] => one.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", first.join(", "), last.as_ref())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_listed_as_people_do() {
        assert_eq!(listed(&["a"]), "a");
        assert_eq!(listed(&["a", "b", "c"]), "a, b and c");
        assert_eq!(listed::<&str>(&[]), "none");
    }
}
