//! The page: facts, figures, style and script in one text.

use std::fmt::Write;

use crate::chart::WIDTH;
use crate::colour::SERIES;
use crate::figure::{Figure, style};
use crate::markup::escaped;
use crate::svg::{Svg, place};
use crate::table::Cell;

/// What may be loaded: nothing. What may run: what is in the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// A report.
///
/// ```
/// use gapfit_report::{Cell, Fact, Page};
/// let rows = Fact { name: "rows".to_owned(), value: Cell::count(20_640) };
/// let page = Page { title: "Houses".to_owned(), facts: vec![rows], ..Page::default() };
/// assert!(page.html().contains("20,640"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// What it is about.
    pub title: String,
    /// What was done, in a sentence.
    pub lead: String,
    /// What is to be known at a glance.
    pub facts: Vec<Fact>,
    /// What the reader should look at: the warnings of the run.
    pub warnings: Vec<String>,
    /// The figures.
    pub sections: Vec<Section>,
}

/// Something to be known at a glance.
///
/// See [`Page`] for an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// What it is.
    pub name: String,
    /// What it comes to.
    pub value: Cell,
}

/// Figures that belong together.
///
/// ```
/// use gapfit_report::{Page, Section};
/// let section = Section { title: "The table".to_owned(), figures: vec![] };
/// assert!(Page { sections: vec![section], ..Page::default() }.html().contains("The table"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// What they are about.
    pub title: String,
    /// The figures.
    pub figures: Vec<Figure>,
}

impl Page {
    /// All figures, in order.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.sections.iter().flat_map(|section| &section.figures)
    }

    /// The page as a file of its own.
    pub fn html(&self) -> String {
        let title = escaped(&self.title);
        let mut html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <title>{title}</title>\n<style>{}{}</style>\n</head>\n<body>\n",
            style(),
            include_str!("page.css")
        );
        self.write_header(&mut html);
        html.push_str("<main>\n");
        for section in &self.sections {
            write_section(section, &mut html);
        }
        html.push_str("<div id=\"tip\" role=\"status\" hidden></div>\n</main>\n");
        html.push_str(concat!(
            "<footer>Made by gapfit ",
            env!("CARGO_PKG_VERSION"),
            ". This page is complete: it loads nothing and sends nothing.</footer>\n<script>",
            include_str!("page.js"),
            "</script>\n</body>\n</html>\n"
        ));
        html
    }

    fn write_header(&self, html: &mut String) {
        let (title, lead) = (escaped(&self.title), escaped(&self.lead));
        put(
            html,
            format_args!("<header>\n<h1>{title}</h1>\n<p class=\"lead\">{lead}</p>\n"),
        );
        if !self.facts.is_empty() {
            html.push_str("<dl class=\"facts\">");
            for fact in &self.facts {
                let (name, value) = (escaped(&fact.name), fact.value.span());
                put(
                    html,
                    format_args!("<div><dt>{name}</dt><dd>{value}</dd></div>"),
                );
            }
            html.push_str("</dl>\n");
        }
        if !self.warnings.is_empty() {
            html.push_str("<ul class=\"warnings\" aria-label=\"warnings\">");
            for warning in &self.warnings {
                put(html, format_args!("<li>{}</li>", escaped(warning)));
            }
            html.push_str("</ul>\n");
        }
        html.push_str("</header>\n");
    }
}

fn put(html: &mut String, text: std::fmt::Arguments<'_>) {
    html.write_fmt(text).expect("text can be written");
}

fn write_section(section: &Section, html: &mut String) {
    let title = escaped(&section.title);
    put(
        html,
        format_args!("<section>\n<h2>{title}</h2>\n<div class=\"figures\">\n"),
    );
    for figure in &section.figures {
        write_figure(figure, html);
    }
    html.push_str("</div>\n</section>\n");
}

fn write_figure(figure: &Figure, html: &mut String) {
    let (id, title) = (&figure.id, escaped(&figure.title));
    let class = if figure.is_main {
        " class=\"main\""
    } else {
        ""
    };
    put(
        html,
        format_args!(
            "<figure id=\"{id}\"{class}>\n<h3 id=\"{id}-title\">{title}</h3>\n<div class=\"plot\" role=\"group\" aria-label=\"{title}\">\
             <svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-labelledby=\"{id}-title {id}-caption\">{}</svg></div>\n",
            place(figure.picture.height),
            figure.picture.body
        ),
    );
    write_legend(figure, html);
    let caption = escaped(&figure.caption);
    put(
        html,
        format_args!("<figcaption id=\"{id}-caption\">{caption}</figcaption>\n"),
    );
    let open = if figure.is_main { " open" } else { "" };
    let table = figure.table.html(&figure.title);
    put(
        html,
        format_args!("<details{open}><summary>Numbers</summary>{table}</details>\n</figure>\n"),
    );
}

/// What colours mean; the script makes the names of series buttons that hide and show them.
fn write_legend(figure: &Figure, html: &mut String) {
    if !figure.keys.is_empty() {
        html.push_str("<ul class=\"legend\">");
        for key in &figure.keys {
            let mut swatch = Svg::default();
            swatch.line("line", (0.0, 6.0), (18.0, 6.0));
            swatch.point((9.0, 6.0), key.colour, &key.name);
            let (class, name) = (key.colour % SERIES, escaped(&key.name));
            put(
                html,
                format_args!(
                    "<li class=\"s{class}\" data-key=\"{name}\"><svg viewBox=\"0 0 18 12\" aria-hidden=\"true\">{}</svg>{name}</li>",
                    swatch.finish()
                ),
            );
        }
        html.push_str("</ul>\n");
    }
    if let Some(ramp) = &figure.ramp {
        let classes = ramp.classes();
        let mut shades = Svg::default();
        for (k, class) in classes.iter().enumerate() {
            shades.rect(class, (16.0 * k as f64, 0.0), (16.0, 12.0), None);
        }
        put(
            html,
            format_args!(
                "<p class=\"ramp\"><span>{}</span><svg viewBox=\"0 0 {} 12\" preserveAspectRatio=\"none\" aria-hidden=\"true\">{}</svg><span>{}</span></p>\n",
                escaped(&ramp.low),
                16 * classes.len(),
                shades.finish(),
                escaped(&ramp.high)
            ),
        );
    }
}
