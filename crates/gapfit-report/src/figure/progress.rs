//! How a stream went: the loss and the holes, as rows came.

use super::{Figure, Key};
use crate::chart::{Axes, Dot, Line, Lines, Picture};
use crate::number::{count, percent, told};
use crate::scale::Kind;
use crate::table::{Cell, Table};

/// Times the median beyond which a loss is out of scale.
const WIDE: f64 = 10.0;

/// Moments of a stream, at each of which the rows since the one before are summed up.
///
/// ```
/// use gapfit_report::{Moment, Progress};
/// let moment = |rows, average, recent| Moment { rows, average, recent, missing: 0.1 };
/// let moments = vec![moment(100, 2.0, 2.0), moment(200, 1.5, 1.0)];
/// let progress = Progress { loss: "squared".to_owned(), before: 0, moments };
/// assert!(progress.loss_figure().caption().contains("from 2 over the first 100 rows to 1"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// The name of the loss.
    pub loss: String,
    /// Rows that were learnt before, in an earlier run.
    pub before: usize,
    /// The moments, in order.
    pub moments: Vec<Moment>,
}

/// The state of a stream after some rows.
///
/// See [`Progress`] for an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Rows with a target so far, those of earlier runs included.
    pub rows: usize,
    /// The mean loss of all of them.
    pub average: f64,
    /// The mean loss since the moment before.
    pub recent: f64,
    /// The share of missing cells since the moment before.
    pub missing: f64,
}

impl Progress {
    /// The figure of the loss.
    pub fn loss_figure(&self) -> Figure {
        let y = format!("{} loss, before learning", self.loss);
        let series = [("average so far", 0), ("recent rows", 1)];
        let line = |(name, colour): (&str, usize)| {
            let value = |moment: &Moment| [moment.average, moment.recent][colour];
            self.line(name, colour, value, &|loss| {
                format!("{name}: {}", told(loss))
            })
        };
        Figure {
            id: "loss".into(),
            title: "Loss as rows came".to_owned(),
            caption: self.loss_caption(),
            picture: lines(&y, self.kind(), series.map(line).to_vec()),
            keys: series.map(|(name, colour)| key(name, colour)).to_vec(),
            ramp: None,
            table: self.table(),
            is_main: true,
        }
    }

    /// The figure of the missing cells.
    pub fn missing_figure(&self) -> Figure {
        let tip = |share| format!("{} of the cells missing", percent(share));
        let line = self.line("missing cells", 2, |moment| moment.missing, &tip);
        let mut table = Table::new(["rows", "missing cells"]);
        for moment in &self.moments {
            let share = Cell::shown_as(moment.missing, percent(moment.missing));
            table.push([Cell::count(moment.rows), share]);
        }
        Figure {
            id: "missing".into(),
            title: "Holes as rows came".to_owned(),
            caption: self.missing_caption(),
            picture: lines("share of missing cells", Kind::Linear, vec![line]),
            keys: vec![key("missing cells", 2)],
            ramp: None,
            table,
            is_main: false,
        }
    }

    /// By orders of magnitude where a first loss would leave the others no room.
    fn kind(&self) -> Kind {
        let mut losses: Vec<f64> = self.moments.iter().map(|moment| moment.recent).collect();
        losses.retain(|loss| loss.is_finite());
        losses.sort_by(f64::total_cmp);
        match (losses.first(), losses.get(losses.len() / 2), losses.last()) {
            (Some(&least), Some(median), Some(&most)) if least > 0.0 && most > WIDE * median => {
                Kind::Log
            }
            _ => Kind::Linear,
        }
    }

    fn line(
        &self,
        name: &str,
        colour: usize,
        value: impl Fn(&Moment) -> f64,
        tip: &dyn Fn(f64) -> String,
    ) -> Line {
        let dot = |moment: &Moment| Dot {
            x: moment.rows as f64,
            y: value(moment),
            tip: format!("after {} rows, {}", count(moment.rows), tip(value(moment))),
        };
        Line {
            name: name.to_owned(),
            colour,
            dots: self.moments.iter().map(dot).collect(),
        }
    }

    fn loss_caption(&self) -> String {
        let (Some(first), Some(last)) = (self.moments.first(), self.moments.last()) else {
            return "No row had a target.".to_owned();
        };
        let resumed = match self.before {
            0 => String::new(),
            rows => format!(
                " The {} rows of earlier runs count in the average and are not drawn.",
                count(rows)
            ),
        };
        let scale = match self.kind() {
            Kind::Linear => "",
            Kind::Log => " The vertical axis goes by orders of magnitude.",
        };
        format!(
            "Every row was predicted before its target was looked at. The mean {} loss went from {} over the first {} rows \
             to {} over the last {}; over all {} it is {}.{scale}{resumed}",
            self.loss,
            told(first.recent),
            count(first.rows - self.before),
            told(last.recent),
            count(match &self.moments[..] {
                [.., before, last] => last.rows - before.rows,
                _ => last.rows - self.before,
            }),
            count(last.rows),
            told(last.average)
        )
    }

    fn missing_caption(&self) -> String {
        let by_share = |a: &&Moment, b: &&Moment| a.missing.total_cmp(&b.missing);
        let known = || {
            self.moments
                .iter()
                .filter(|moment| moment.missing.is_finite())
        };
        let (Some(least), Some(most)) = (known().min_by(by_share), known().max_by(by_share)) else {
            return "No cell was met.".to_owned();
        };
        let rows = |moment: &Moment| count(moment.rows);
        match most.missing - least.missing < 0.01 {
            true => format!(
                "The share of missing cells is steady, at about {}.",
                percent(most.missing)
            ),
            false => format!(
                "The share of missing cells moves between {} (up to row {}) and {} (up to row {}).",
                percent(least.missing),
                rows(least),
                percent(most.missing),
                rows(most)
            ),
        }
    }

    fn table(&self) -> Table {
        let mut table = Table::new(["rows", "average so far", "recent rows"]);
        for moment in &self.moments {
            table.push([
                Cell::count(moment.rows),
                Cell::number(moment.average),
                Cell::number(moment.recent),
            ]);
        }
        table
    }
}

fn key(name: &str, colour: usize) -> Key {
    Key {
        name: name.to_owned(),
        colour,
    }
}

fn lines(y: &str, y_kind: Kind, lines: Vec<Line>) -> Picture {
    let axes = Axes {
        x: "rows",
        y,
        x_kind: Kind::Linear,
        y_kind,
        whole: true,
    };
    Lines {
        axes,
        from_zero: y_kind == Kind::Linear,
        has_diagonal: false,
        lines,
    }
    .picture()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captions_tell_beginning_and_end() {
        let moment = |rows, average, recent, missing| Moment {
            rows,
            average,
            recent,
            missing,
        };
        let progress = Progress {
            loss: "logistic".to_owned(),
            before: 1000,
            moments: vec![moment(1100, 0.8, 0.5, 0.1), moment(1200, 0.7, 0.25, 0.4)],
        };
        assert_eq!(
            progress.loss_figure().caption,
            "Every row was predicted before its target was looked at. The mean logistic loss went from 0.5 \
             over the first 100 rows to 0.25 over the last 100; over all 1,200 it is 0.7. The 1,000 rows of \
             earlier runs count in the average and are not drawn."
        );
        assert_eq!(
            progress.missing_figure().caption,
            "The share of missing cells moves between 10.0 % (up to row 1,100) and 40.0 % (up to row 1,200)."
        );
    }
}
