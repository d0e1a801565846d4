//! A stream in a bounded number of pieces, for the figures of a report.

use gapfit::data::MaskedRow;
use gapfit_report::{Band, HoleMap, Moment, Progress, RegretCurve, RegretPoint};

use super::score::{RegretLine, Score};

/// Pieces at most; when they are full, neighbours are joined.
const PIECES: usize = 128;

/// What happened so far, in pieces of equally many rows.
#[derive(Debug)]
pub(super) struct Timeline {
    /// Rows of a piece.
    size: usize,
    pieces: Vec<Piece>,
    regrets: Vec<RegretPoint>,
    /// Rows with a target before the run.
    before: usize,
}

/// Neighbouring rows.
#[derive(Clone, Debug, Default)]
struct Piece {
    rows: usize,
    /// Rows with a target up to its end, and their mean loss.
    labelled: usize,
    average: Option<f64>,
    weight: f64,
    loss: f64,
    cells: usize,
    /// In how many rows each feature is missing.
    missing: Vec<usize>,
}

impl Timeline {
    /// Nothing yet, in a run that begins after so many rows.
    pub(super) fn new(before: u64) -> Self {
        Self {
            size: 1,
            pieces: Vec::new(),
            regrets: Vec::new(),
            before: before as usize,
        }
    }

    /// Counts a row with its weight and loss, if it had a target; `score` includes it.
    pub(super) fn add(&mut self, row: MaskedRow<'_>, suffered: Option<(f64, f64)>, score: &Score) {
        if self
            .pieces
            .last()
            .is_none_or(|piece| piece.rows == self.size)
        {
            if self.pieces.len() == PIECES {
                self.join();
            }
            self.pieces.push(Piece::default());
        }
        let piece = self.pieces.last_mut().expect("there is room for the row");
        piece.rows += 1;
        piece.labelled = score.rows as usize;
        piece.average = score.average();
        piece.cells += row.values().len();
        piece.missing.resize(row.values().len(), piece.rows - 1);
        row.observed().missing().for_each(|j| piece.missing[j] += 1);
        if let Some((weight, loss)) = suffered {
            piece.weight += weight;
            piece.loss += weight * loss;
        }
    }

    /// Makes one piece of every two.
    fn join(&mut self) {
        let joined = self.pieces.chunks(2).map(|pair| match pair {
            [a, b] => a.joined(b),
            pair => pair[0].clone(),
        });
        self.pieces = joined.collect();
        self.size *= 2;
    }

    /// Notes the regret after so many rows.
    pub(super) fn add_regret(&mut self, regret: RegretLine, rows: u64) {
        let rows = rows as usize;
        // the last line often tells what a line before has told
        self.regrets.retain(|point| point.rows != rows);
        self.regrets.push(RegretPoint {
            rows,
            regret: regret.regret,
            lower: regret.regret_lower,
            standard: regret.standard_regret,
            bound: regret.bound,
        });
    }

    /// How loss and holes went; `loss` is the name of the loss.
    pub(super) fn progress(&self, loss: &str) -> Progress {
        // without a row that counts there is no recent loss
        let counted = self.pieces.iter().filter(|piece| piece.weight > 0.0);
        let moment = |piece: &Piece| {
            Some(Moment {
                rows: piece.labelled,
                average: piece.average?,
                recent: piece.loss / piece.weight,
                missing: piece.missing.iter().sum::<usize>() as f64 / piece.cells as f64,
            })
        };
        Progress {
            loss: loss.to_owned(),
            before: self.before,
            moments: counted.filter_map(moment).collect(),
        }
    }

    /// Where the holes were; a feature that had not come yet was missing.
    pub(super) fn hole_map(&self, names: &[String]) -> HoleMap {
        let band = |piece: &Piece| {
            let mut missing = piece.missing.clone();
            missing.resize(names.len(), piece.rows);
            Band {
                rows: piece.rows,
                missing,
            }
        };
        HoleMap {
            columns: names.to_vec(),
            bands: self.pieces.iter().map(band).collect(),
        }
    }

    /// The regret where it was measured; `None` where it was not.
    pub(super) fn regret(&self) -> Option<RegretCurve> {
        (!self.regrets.is_empty()).then(|| RegretCurve {
            points: self.regrets.clone(),
        })
    }
}

impl Piece {
    fn joined(&self, next: &Self) -> Self {
        let mut missing = self.missing.clone();
        missing.resize(next.missing.len(), self.rows);
        for (sum, more) in missing.iter_mut().zip(&next.missing) {
            *sum += more;
        }
        Self {
            rows: self.rows + next.rows,
            labelled: next.labelled,
            average: next.average,
            weight: self.weight + next.weight,
            loss: self.loss + next.loss,
            cells: self.cells + next.cells,
            missing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gapfit::data::MaskedMatrix;
    use gapfit::loss::Loss;

    #[test]
    fn a_long_stream_has_few_pieces_that_add_up() {
        let table = MaskedMatrix::from_nan(2, 2, &[1.0, f64::NAN, 1.0, 2.0]).unwrap();
        let (mut timeline, mut score) = (Timeline::new(0), Score::default());
        for t in 0..10_000 {
            score.add(Loss::Squared, 0.0, 1.0 + f64::from(t % 2), 1.0);
            let loss = if t % 2 == 0 { 1.0 } else { 4.0 };
            timeline.add(table.row(t as usize % 2), Some((1.0, loss)), &score);
        }
        assert!((PIECES / 2..=PIECES).contains(&timeline.pieces.len()));
        let progress = timeline.progress("squared");
        let last = progress.moments.last().unwrap();
        assert_eq!((last.rows, Some(last.average)), (10_000, score.average()));
        assert!(
            progress
                .moments
                .iter()
                .all(|m| (m.recent - 2.5).abs() < 1e-12)
        );
        assert!(
            progress
                .moments
                .iter()
                .all(|m| (m.missing - 0.25).abs() < 1e-12)
        );
        let names = ["a", "b", "late"].map(str::to_owned);
        let map = timeline.hole_map(&names);
        let missing = |j: usize| map.bands.iter().map(|band| band.missing[j]).sum::<usize>();
        assert_eq!([0, 1, 2].map(missing), [0, 5000, 10_000]);
    }
}
