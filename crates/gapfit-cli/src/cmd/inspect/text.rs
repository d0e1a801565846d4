//! The card for people: plain text or Markdown.

use super::card::{Card, HeldOut};
use super::feature::{Feature, Part};
use crate::task::listed;
use crate::text_table::{TextTable, short};

/// Lines and tables under headings.
pub(super) struct Page {
    markdown: bool,
    pub(super) text: String,
}

impl Page {
    pub(super) fn new(title: &str, markdown: bool) -> Self {
        let text = String::new();
        let mut page = Self { markdown, text };
        page.text = if markdown {
            format!("# {title}\n")
        } else {
            format!("{title}\n")
        };
        page
    }

    pub(super) fn heading(&mut self, heading: &str) {
        self.text += &if self.markdown {
            format!("\n## {heading}\n\n")
        } else {
            format!("\n{heading}\n")
        };
    }

    pub(super) fn line(&mut self, what: &str, says: &str) {
        self.text += &if self.markdown {
            format!("* {what}: {says}\n")
        } else {
            format!("  {:<14} {says}\n", format!("{what}:"))
        };
    }

    pub(super) fn table(&mut self, table: &TextTable) {
        self.text += &if self.markdown {
            table.markdown()
        } else {
            table.to_string()
        };
    }
}

/// The card of a model of `gapfit fit` with a table of at most `top` features.
pub(super) fn page(card: &Card, top: usize, markdown: bool) -> String {
    let title = format!("{} for {:?}", card.method, card.target);
    let mut page = Page::new(&title, markdown);
    page.heading("Training");
    let (rows, columns) = (card.n_rows, card.n_features);
    let observed = 100.0 * card.observed_fraction;
    page.line(
        "table",
        &format!("{rows} rows, {columns} features, {observed:.1} % of the cells observed"),
    );
    if !card.classes.is_empty() {
        let classes = format!("{}: {}", card.classes.len(), listed(&card.classes));
        page.line("classes", &classes);
    }
    let gamma = card
        .gamma
        .map_or(String::new(), |g| format!(", gamma {}", short(g)));
    page.line(
        "parameters",
        &format!(
            "loss {}, base {}, alpha {}{gamma}",
            card.loss,
            card.base,
            short(card.alpha)
        ),
    );
    if card.support != "full" {
        page.line("support", &format!("{}: other weights stay", card.support));
    }
    let (scale, clip) = (&card.scale, short(card.clip));
    page.line(
        "preparation",
        &format!("scale {scale}, clip {clip}, intercept {}", card.intercept),
    );
    let certificate = &card.certificate;
    let (objective, bound) = (short(certificate.objective), short(certificate.lower_bound));
    let gap = format!(
        "{} after {} steps with gap {:.1e}: objective {objective}, none can be below {bound}",
        certificate.status, certificate.iterations, certificate.gap
    );
    page.line("certificate", &gap);
    let (error, value) = match (card.training_rmse, card.training_loss) {
        (Some(rmse), _) => ("RMSE", rmse),
        (_, loss) => ("mean loss", loss.unwrap_or(f64::NAN)),
    };
    page.line(
        "error",
        &format!("{error} {} on the training rows", short(value)),
    );
    match &card.held_out {
        Some(held_out) => scores(&mut page, held_out),
        None => page.line("held out", "nothing: fitted without calibration"),
    }
    if let Some(single) = &card.single {
        let of = card
            .classes
            .last()
            .map_or(String::new(), |class| format!(" in the score of {class:?}"));
        part(&mut page, single, &of, top);
    }
    for of_class in &card.of_classes {
        let of = format!(" in the score of {:?}", of_class.class);
        part(&mut page, &of_class.part, &of, top);
    }
    page.text
}

/// Weights and what happens without a feature, of a prediction or of the score that is named.
fn part(page: &mut Page, part: &Part, of: &str, top: usize) {
    page.heading(&format!("Weights{of}, strongest first"));
    let average = short(part.average_prediction);
    let says = if of.is_empty() {
        "is predicted"
    } else {
        "has the score"
    };
    page.line("average row", &format!("{says} {average}"));
    page.line("constant", &short(part.constant));
    page.table(&weights(&part.features, top));
    page.heading(&format!("When a feature is missing{of}"));
    let what = if of.is_empty() { "prediction" } else { "score" };
    page.table(&holes(&part.features, what, top));
}

fn scores(page: &mut Page, held_out: &HeldOut) {
    let says = format!("{} in {} folds", held_out.scores, held_out.folds);
    page.line("held out", &says);
    for width in &held_out.intervals {
        let half = width.half_width_90.map_or("-".to_owned(), short);
        let says = format!(
            "± {half} from {} missing features on ({:.0} rows)",
            width.missing, width.rows
        );
        page.line("90 of 100 in", &says);
    }
}

fn weights(features: &[Feature], top: usize) -> TextTable {
    let mut table = TextTable::new(["feature", "weight", "per scale unit", "mean", "missing"]);
    for feature in features.iter().take(top) {
        table.push([
            feature.name.clone(),
            short(feature.weight),
            short(feature.strength),
            short(feature.mean),
            format!("{:.1} %", 100.0 * feature.missing),
        ]);
    }
    table
}

fn holes(features: &[Feature], what: &str, top: usize) -> TextTable {
    let mut table = TextTable::new(["feature", "filled with", what, "other weights"]);
    for feature in features.iter().take(top) {
        let shifts = feature.shifts.iter();
        let shifts: Vec<String> = shifts
            .map(|shift| format!("{} {}", shift.feature, signed(shift.weight)))
            .collect();
        let other = match (feature.observed, feature.missing > 0.0) {
            (false, _) => "never observed in training: plays no part".to_owned(),
            (_, false) => "never missing in training".to_owned(),
            _ if shifts.is_empty() => "stay".to_owned(),
            _ => shifts.join(", "),
        };
        table.push([
            feature.name.clone(),
            feature.filled.map_or("-".to_owned(), short),
            signed(feature.effect_of_missing),
            other,
        ]);
    }
    table
}

/// A change, with its sign.
fn signed(change: f64) -> String {
    if change > 0.0 {
        format!("+{}", short(change))
    } else {
        short(change)
    }
}
