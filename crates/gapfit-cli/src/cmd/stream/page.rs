//! The report of a stream.

use gapfit_figures::fact;
use gapfit_report::{Cell, Page, Section};

use super::run::{Run, Summary};
use super::score::Line;
use crate::reporting;

/// The page about a run that is over.
pub(super) fn page(run: &Run<'_>, summary: &Summary) -> Page {
    let session = &run.session;
    let timeline = session.timeline.as_ref();
    let timeline = timeline.expect("a run that is reported has a timeline");
    let progress = timeline.progress(&summary.loss);
    let names = session.learner.feature_names();
    let mut sections = vec![
        Section {
            title: "The learner".to_owned(),
            figures: vec![progress.loss_figure()],
        },
        Section {
            title: "The stream".to_owned(),
            figures: vec![progress.missing_figure(), timeline.hole_map(names).figure()],
        },
    ];
    let regret = timeline.regret();
    sections[0]
        .figures
        .extend(regret.map(|regret| regret.figure()));
    let learnt = match session.is_test {
        true => "Each row of a stream was predicted; nothing was learnt.",
        false => "Each row of a stream was predicted, then learnt from.",
    };
    let ended = if summary.interrupted {
        " It was interrupted."
    } else {
        ""
    };
    Page {
        title: reporting::title(&run.args.target, &run.file),
        lead: format!("{learnt}{ended}"),
        facts: facts(&summary.line, summary),
        warnings: session.remarks(),
        sections,
    }
}

fn facts(line: &Line, summary: &Summary) -> Vec<gapfit_report::Fact> {
    let number = |name: &str, value: Option<f64>| Some(fact(name, Cell::number(value?)));
    let percent = |share: f64| Cell::shown_as(share, format!("{:.1} %", 100.0 * share));
    let rows = fact("rows", Cell::count(line.rows as usize));
    let features = fact("features", Cell::count(summary.features));
    [
        Some(rows),
        Some(features),
        Some(fact("loss", Cell::text(&summary.loss))),
        number("average loss", line.avg_loss),
        line.error_rate
            .map(|rate| fact("error rate", percent(rate))),
        number("RMSE", line.rmse),
        line.missing
            .map(|share| fact("missing cells", percent(share))),
        number("regret", line.regret.map(|regret| regret.regret)),
        number("bound", line.regret.map(|regret| regret.bound)),
    ]
    .into_iter()
    .flatten()
    .collect()
}
