//! The colours of pages and pictures: told apart by people who do not see all of them, legible on
//! light and on dark paper.

use std::fmt::Write;

/// Colours of series; more series begin anew, with another dash.
pub(crate) const SERIES: usize = 9;
/// Shades of a scale from little to much.
pub(crate) const SHADES: usize = 8;
/// Shades on either side of a scale with a middle.
pub(crate) const SIDE: usize = 4;

/// The colours for one kind of paper, as `RRGGBB`.
struct Palette {
    paper: &'static str,
    panel: &'static str,
    ink: &'static str,
    soft: &'static str,
    rule: &'static str,
    accent: &'static str,
    series: [&'static str; SERIES],
    /// From little to much; also lightest to darkest on light paper.
    shades: [&'static str; SHADES],
    /// From most negative over the middle to most positive.
    sides: [&'static str; 2 * SIDE + 1],
}

const LIGHT: Palette = Palette {
    paper: "ffffff",
    panel: "f5f7f9",
    ink: "1c2128",
    soft: "545d68",
    rule: "d5dbe1",
    accent: "0a5ea8",
    series: [
        "0a62ad", "c2410c", "0b7a5b", "9c2f7d", "7a5c00", "5b45b0", "0b7285", "99243a", "5c6670",
    ],
    shades: [
        "eaf1f8", "cfe0f0", "aecbe6", "86b1d9", "5b94c8", "3575b3", "1a5794", "0b3a6b",
    ],
    sides: [
        "0b4f8f", "3c83bf", "85b5dc", "c9dff0", "f1f1ef", "f9dcc4", "f0ae80", "d9743a", "a8430b",
    ],
};

const DARK: Palette = Palette {
    paper: "14181d",
    panel: "1c2229",
    ink: "e4e9ee",
    soft: "a5b0bc",
    rule: "38424d",
    accent: "74b8f5",
    series: [
        "6fb3f2", "ff9a62", "4ecfa2", "f096cf", "dfc052", "b6a6ff", "5accdf", "ff8f9c", "aab5c1",
    ],
    shades: [
        "1d2833", "1f3850", "20496f", "255d90", "3577b2", "5c97cd", "8fbbe4", "cbe2f7",
    ],
    sides: [
        "8cc2f5", "5795cd", "37679a", "2a4560", "2b3036", "5b4030", "97603a", "d08a56", "ffbd8a",
    ],
};

/// The colours as variables of a style sheet: light, dark where that is preferred, light in print.
pub(crate) fn variables() -> String {
    let (light, dark) = (LIGHT.variables(), DARK.variables());
    format!(":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}")
}

/// The rules that give marks the colours of their classes.
pub(crate) fn classes() -> String {
    let mut css = String::new();
    for k in 0..SERIES {
        write!(css, ".s{k}{{--c:var(--s{k})}}").expect("text can be written");
    }
    for k in 0..SHADES {
        write!(css, ".q{k}{{fill:var(--q{k})}}").expect("text can be written");
    }
    for k in 0..=2 * SIDE {
        write!(css, ".d{k}{{fill:var(--d{k})}}").expect("text can be written");
    }
    css
}

/// The shade of a share from 0 to 1; nothing at all has the first to itself.
pub(crate) fn shade(share: f64) -> usize {
    if share.is_nan() || share <= 0.0 {
        return 0;
    }
    let beyond = (share * (SHADES - 1) as f64).ceil() as usize;
    beyond.clamp(1, SHADES - 1)
}

/// The shade of a number from -1 to 1 on a scale with a middle.
pub(crate) fn side(number: f64) -> usize {
    if number.is_nan() {
        return SIDE;
    }
    let steps = (number.clamp(-1.0, 1.0) * SIDE as f64).round();
    (SIDE as f64 + steps) as usize
}

impl Palette {
    fn variables(&self) -> String {
        let named = [
            ("paper", self.paper),
            ("panel", self.panel),
            ("ink", self.ink),
            ("soft", self.soft),
            ("rule", self.rule),
            ("accent", self.accent),
        ];
        let mut css = String::new();
        for (name, colour) in named {
            write!(css, "--{name}:#{colour};").expect("text can be written");
        }
        for (letter, colours) in [
            ("s", &self.series[..]),
            ("q", &self.shades),
            ("d", &self.sides),
        ] {
            for (k, colour) in colours.iter().enumerate() {
                write!(css, "--{letter}{k}:#{colour};").expect("text can be written");
            }
        }
        css
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(colour: &str) -> f64 {
        let channel = |k: usize| {
            let byte = u8::from_str_radix(&colour[2 * k..2 * k + 2], 16).unwrap();
            let c = f64::from(byte) / 255.0;
            if c <= 0.04045 {
                c / 12.92
            } else {
                ((c + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * channel(0) + 0.7152 * channel(1) + 0.0722 * channel(2)
    }

    /// As the accessibility guidelines define it.
    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn texts_and_lines_stand_out_on_light_and_dark_paper() {
        for palette in [LIGHT, DARK] {
            for paper in [palette.paper, palette.panel] {
                for text in [palette.ink, palette.soft, palette.accent] {
                    assert!(contrast(text, paper) >= 4.5, "{text} on {paper}");
                }
                for series in palette.series {
                    assert!(contrast(series, paper) >= 4.5, "{series} on {paper}");
                }
            }
        }
    }

    #[test]
    fn shades_go_steadily_from_paper_to_ink() {
        for palette in [LIGHT, DARK] {
            let contrasts = palette.shades.map(|shade| contrast(shade, palette.paper));
            assert!(contrasts.is_sorted(), "{contrasts:?}");
            assert!(contrasts[SHADES - 1] > 7.0);
            let sides = palette.sides.map(|shade| contrast(shade, palette.paper));
            assert!(sides[SIDE..].is_sorted() && sides[..=SIDE].iter().rev().is_sorted());
        }
    }

    #[test]
    fn only_nothing_has_the_first_shade() {
        assert_eq!([0.0, 1e-9, 0.5, 1.0, 7.0].map(shade), [0, 1, 4, 7, 7]);
        assert_eq!([-1.0, 0.0, 0.1, 1.0, f64::NAN].map(side), [0, 4, 4, 8, 4]);
    }
}
