//! The page: as Markdown with pictures beside it, and as one file of HTML.

use super::result::{Bar, Contest, Curve, Part, Results};
use crate::report::Table;
use gapfit_report::number::time;
use gapfit_report::{Cell, Fact, Figure, Page, Section, Verdict, Verdicts};
use std::fmt::Write;

const TITLE: &str = "Benchmarks";

fn lead(results: &Results) -> String {
    let rounds = match results.quick {
        true => "A quick look: small tables, one round. Its numbers mean little".to_owned(),
        false => format!(
            "Medians of {} rounds in which all take turns, in every other from last to first, after one that does not count",
            results.rounds
        ),
    };
    let command = match results.quick {
        true => "bench/run page --quick",
        false => "bench/run page",
    };
    format!(
        "Times of gapfit beside others that do the same work, all from one run of `{command}`, which anybody can repeat. {rounds}."
    )
}

fn versions(results: &Results) -> String {
    let versions = results.peers.iter().map(|(name, v)| format!("{name} {v}"));
    versions.collect::<Vec<_>>().join(", ")
}

fn verdicts(results: &Results) -> Verdicts {
    let bars = results.parts.iter().flat_map(|part| &part.bars);
    Verdicts {
        verdicts: bars.map(Bar::verdict).collect(),
    }
}

fn figures(part: &Part) -> Vec<Figure> {
    let races = part.races.iter().map(|race| race.race().figure());
    let curves = part.curves.iter().filter(|curve| !curve.lines.is_empty());
    let curves = curves.map(|curve| curve.growth().figure());
    let mut figures: Vec<Figure> = races.chain(curves).collect();
    // what was done stands where the section begins
    if !figures.is_empty() {
        let first = figures.remove(0);
        figures.insert(0, first.noted(&part.text.replace(['`', '*'], "")));
    }
    figures
}

/// The page as one file.
pub(super) fn page(results: &Results) -> Page {
    let fact = |name: &str, value: String| Fact {
        name: name.to_owned(),
        value: Cell::text(value),
    };
    let section = |part: &Part| Section {
        title: part.title.clone(),
        figures: figures(part),
    };
    let verdicts = Section {
        title: "Verdicts".to_owned(),
        figures: vec![verdicts(results).figure()],
    };
    let parts = results.parts.iter().map(section);
    Page {
        title: TITLE.to_owned(),
        lead: lead(results).replace('`', ""),
        facts: vec![
            fact("machine", results.machine.to_string()),
            fact("peers", versions(results)),
        ],
        sections: std::iter::once(verdicts).chain(parts).collect(),
        ..Page::default()
    }
}

/// The page as Markdown.
pub(super) fn markdown(results: &Results) -> String {
    let verdicts = verdicts(results);
    let mut text = format!(
        "# {TITLE}\n\n{}; {}.\n\n{}\n\n## Verdicts\n\n![What was asked for](benchmarks/verdicts.svg)\n\n{}\n\n{}",
        results.machine,
        versions(results),
        lead(results),
        verdicts.figure().caption(),
        table_of_verdicts(&verdicts.verdicts)
    );
    for part in &results.parts {
        let _ = write!(text, "\n## {}\n\n{}\n", part.title, part.text);
        for race in &part.races {
            let figure = race.race().figure();
            picture(&mut text, &race.title, &figure);
            let _ = write!(text, "\n{}", table_of_race(race));
        }
        for curve in part.curves.iter().filter(|curve| !curve.lines.is_empty()) {
            let figure = curve.growth().figure();
            picture(&mut text, &curve.title, &figure);
            let _ = write!(text, "\n{}", table_of_curve(curve));
        }
    }
    text
}

/// A picture, which stands in a file, and what it shows in words.
fn picture(text: &mut String, title: &str, figure: &Figure) {
    let (id, caption) = (figure.id(), figure.caption());
    // writing to a string does not fail
    let _ = write!(
        text,
        "\n### {title}\n\n![{title}](benchmarks/{id}.svg)\n\n{caption}\n"
    );
}

fn table_of_verdicts(verdicts: &[Verdict]) -> Table {
    let mut table = Table::new(["work", "measured", "bar", "verdict"]);
    for verdict in verdicts {
        let word = verdict.word();
        let word = if verdict.is_met() {
            word.to_owned()
        } else {
            format!("**{word}**")
        };
        let cells = [&verdict.work, &verdict.measured, &verdict.bar].map(Clone::clone);
        let [work, measured, bar] = cells;
        table.push([work, measured, bar, word]);
    }
    table
}

fn table_of_race(race: &Contest) -> Table {
    let header = ["work", race.unit].map(str::to_owned).into_iter();
    let mut table = Table::with_header(header.chain(race.columns.iter().cloned()).collect());
    for entrant in &race.entrants {
        let value = match race.unit {
            "seconds" => time(entrant.value),
            _ => format!("{:.0}", entrant.value),
        };
        let cells = [entrant.name.clone(), value].into_iter();
        table.push_row(cells.chain(entrant.further.iter().cloned()).collect());
    }
    table
}

fn table_of_curve(curve: &Curve) -> Table {
    let names = curve.lines.iter().map(|line| line.0.clone());
    let mut table = Table::with_header(std::iter::once(curve.x.clone()).chain(names).collect());
    let points = curve.lines.iter().flat_map(|line| &line.1);
    let mut sizes: Vec<f64> = points.map(|point| point.0).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    for x in sizes {
        let at = |line: &(String, Vec<(f64, f64)>)| {
            let point = line.1.iter().find(|point| point.0.to_bits() == x.to_bits());
            point.map_or(String::new(), |point| time(point.1))
        };
        let cells = curve.lines.iter().map(at);
        table.push_row(std::iter::once(x.to_string()).chain(cells).collect());
    }
    table
}

#[cfg(test)]
mod tests {
    use super::super::result::{Entrant, Kind};
    use super::*;
    use crate::report::Machine;

    fn known() -> Results {
        let entrant = |name: &str, value, rmse: &str| Entrant {
            name: name.to_owned(),
            value,
            further: vec![rmse.to_owned()],
        };
        let mut part = Part::new("Rows", "By `X.T @ X`.");
        part.bars = vec![
            Bar::at_least("fit: times faster", 12.0, 10.0),
            Bar::at_most("fit: peak memory", 612.0, 500.0).in_unit(" MB"),
        ];
        part.races.push(Contest {
            title: "A fit".to_owned(),
            unit: "seconds",
            columns: vec!["RMSE".to_owned()],
            entrants: vec![entrant("gapfit", 0.02, "0.5"), entrant("peer", 0.24, "0.6")],
        });
        part.curves.push(Curve {
            title: "By rows".to_owned(),
            x: "rows".to_owned(),
            is_log: true,
            kind: Kind::Rivals,
            lines: vec![
                ("gapfit".to_owned(), vec![(10.0, 0.001), (100.0, 0.004)]),
                ("peer".to_owned(), vec![(10.0, 0.1)]),
            ],
        });
        Results {
            machine: Machine::known("a processor", 2, 24),
            peers: [("numpy".to_owned(), "2".to_owned())].into(),
            rounds: 5,
            quick: false,
            parts: vec![part],
        }
    }

    #[test]
    fn every_number_has_its_place() {
        let version = env!("CARGO_PKG_VERSION");
        let expected = format!(
            "# Benchmarks

gapfit {version} on a processor, 2 hardware threads, 24 GB; numpy 2.

Times of gapfit beside others that do the same work, all from one run of `bench/run page`, which anybody can repeat. Medians of 5 rounds in which all take turns, in every other from last to first, after one that does not count.

## Verdicts

![What was asked for](benchmarks/verdicts.svg)

Of 2 bars, one is not met: fit: peak memory (0.817 of what was asked for).

| work              | measured | bar            | verdict     |
|-------------------|----------|----------------|-------------|
| fit: times faster | 12.00    | at least 10    | met         |
| fit: peak memory  | 612 MB   | at most 500 MB | **NOT met** |

## Rows

By `X.T @ X`.

### A fit

![A fit](benchmarks/a-fit.svg)

gapfit takes 20.0 ms. Times that: peer 12.

| work   | seconds | RMSE |
|--------|---------|------|
| gapfit | 20.0 ms | 0.5  |
| peer   | 240 ms  | 0.6  |

### By rows

![By rows](benchmarks/by-rows.svg)

From 10 to 100 rows the time of gapfit grows 4 times, from 1.00 ms to 4.00 ms. Times as long, at the largest size that each was given: peer 100 (at 10).

| rows | gapfit  | peer   |
|------|---------|--------|
| 10   | 1.00 ms | 100 ms |
| 100  | 4.00 ms |        |
"
        );
        assert_eq!(markdown(&known()), expected);
    }

    #[test]
    fn the_page_has_what_the_markdown_has() {
        let page = page(&known());
        let ids: Vec<&str> = page.figures().map(Figure::id).collect();
        assert_eq!(ids, ["verdicts", "a-fit", "by-rows"]);
        let html = page.html();
        for text in [
            "12.00",
            "612 MB",
            "NOT met",
            "240 ms",
            "By X.T @ X.",
            "4.00 ms",
        ] {
            assert!(html.contains(text), "{text}");
        }
    }
}
