//! Tiles in rows and columns, coloured by what they stand for.

use super::{Picture, WIDTH, label, label_room};
use crate::svg::{Anchor, Svg, text_width};

/// Names that have room side by side at a slant; more stand upright.
const SLANTED: usize = 8;

/// A tile.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    pub(crate) row: usize,
    pub(crate) column: usize,
    /// The class of its colour.
    pub(crate) class: String,
    pub(crate) tip: String,
    /// A ring around it.
    pub(crate) is_marked: bool,
}

/// Rows and columns with their names.
#[derive(Clone, Debug)]
pub(crate) struct Grid<'a> {
    pub(crate) rows: Vec<String>,
    pub(crate) columns: Vec<String>,
    /// What the rows are, and what the columns.
    pub(crate) about: (&'a str, &'a str),
    pub(crate) tiles: Vec<Tile>,
}

impl Grid<'_> {
    pub(crate) fn picture(&self) -> Picture {
        let names = self.rows.iter().map(String::as_str);
        // what the rows are stands above their names, in wide letters on a small screen
        let left = label_room(names).max(text_width(self.about.0) + 20.0);
        let names: Vec<String> = self.columns.iter().map(|name| label(name)).collect();
        let longest = names
            .iter()
            .map(|name| text_width(name))
            .fold(0.0, f64::max);
        let angle = if names.len() > SLANTED { 90.0 } else { 50.0 };
        let (sine, cosine) = f64::to_radians(angle).sin_cos();
        let top = 28.0 + sine * longest;
        // the end of each name must lie within the picture
        let room = |(k, name): (usize, &String)| {
            (WIDTH - left - 10.0 - cosine * text_width(name)) / (k as f64 + 0.5)
        };
        let fitting = names.iter().enumerate().map(room).fold(48.0, f64::min);
        let width = fitting.min((WIDTH - left - 14.0) / names.len().max(1) as f64);
        let height = width.clamp(16.0, 26.0);
        let mut svg = Svg::default();
        svg.text("name", (left - 8.0, 12.0), Anchor::End, self.about.0);
        svg.text("name", (left, 12.0), Anchor::Start, self.about.1);
        for (k, name) in names.iter().enumerate() {
            let place = (left + width * (k as f64 + 0.5) + 4.0, top - 5.0);
            svg.rising_text("label", place, angle, name);
        }
        for (k, name) in self.rows.iter().enumerate() {
            let place = (left - 8.0, top + height * (k as f64 + 0.5) + 4.0);
            svg.text("label", place, Anchor::End, &label(name));
        }
        let corner = |tile: &Tile| {
            (
                left + width * tile.column as f64,
                top + height * tile.row as f64,
            )
        };
        for tile in &self.tiles {
            svg.rect(
                &format!("tile {}", tile.class),
                corner(tile),
                (width, height),
                Some(&tile.tip),
            );
        }
        for tile in self.tiles.iter().filter(|tile| tile.is_marked) {
            let (x, y) = corner(tile);
            let size = (width - 3.0, height - 3.0);
            svg.rect("mark", (x + 1.5, y + 1.5), size, None);
        }
        Picture {
            height: top + height * self.rows.len() as f64 + 8.0,
            body: svg.finish(),
        }
    }
}
