//! Rows that are swept over once: the model of the table, to the bit, or none.

use crate::sample::PARAMETERS;
use gapfit::data::{Dataset, MaskedMatrix, Portion, RowSlice};
use gapfit::loss::Loss;
use gapfit::prepare::Preparation;
use gapfit::{Base, Error, Learner, Method, Result, Sweep};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use std::ops::{ControlFlow, Range};

/// Two portions and a bit.
const N_ROWS: usize = 2 * Sweep::PORTION + 777;
const CLIP: f64 = 0.002;

/// Cells row by row, NaN for holes, and targets.
struct Array {
    width: usize,
    cells: Vec<f64>,
    target: Vec<f64>,
}

impl Array {
    fn new(n_rows: usize, width: usize) -> Self {
        let rng = &mut ChaCha8Rng::seed_from_u64(width as u64);
        let (mut cells, mut target) = (Vec::new(), Vec::new());
        for _ in 0..n_rows {
            let shared: f64 = rng.sample(StandardNormal);
            let mut y: f64 = rng.sample(StandardNormal);
            for j in 0..width {
                let x = 1e4 * j as f64 + shared + rng.sample::<f64, _>(StandardNormal).powi(3);
                y += x / (1.0 + j as f64);
                // few masks, so that the rows of each fill bins
                let is_hidden = j < 8 && rng.random::<f64>() < 0.3;
                cells.push(if is_hidden { f64::NAN } else { x });
            }
            target.push(y);
        }
        Self {
            width,
            cells,
            target,
        }
    }

    fn blank(&self) -> Dataset {
        Dataset::new(MaskedMatrix::new(self.width), Vec::new()).unwrap()
    }

    fn table(&self) -> Dataset {
        let features = MaskedMatrix::from_nan(self.target.len(), self.width, &self.cells);
        Dataset::new(features.unwrap(), self.target.clone()).unwrap()
    }

    fn sweep(&self) -> Option<Sweep> {
        let go_on = |_, _| ControlFlow::Continue(());
        Sweep::of_array(&self.blank(), CLIP, &self.cells, &self.target, &go_on).unwrap()
    }
}

fn on_threads<T: Send>(n: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build();
    pool.unwrap().install(work)
}

/// Rows that are shown `step` at a time.
struct Shown<'a> {
    table: &'a Dataset,
    range: Range<usize>,
    step: usize,
}

impl Portion for Shown<'_> {
    fn n_rows(&self) -> usize {
        self.range.len()
    }

    fn visit(&self, take: &mut dyn FnMut(RowSlice<'_>, &[f64])) {
        for start in self.range.clone().step_by(self.step) {
            let rows: Vec<usize> = (start..self.range.end.min(start + self.step)).collect();
            let target: Vec<f64> = rows.iter().map(|&i| self.table.target()[i]).collect();
            let rows = self.table.features().select_rows(&rows);
            take((&rows).into(), &target);
        }
    }
}

#[test]
fn a_sweep_gives_the_model_of_the_table_to_the_bit() {
    for width in [1, 9, 30] {
        let array = Array::new(N_ROWS, width);
        let table = array.table();
        for method in [
            Method::Irr(Base::Mean),
            Method::Impute(Base::Gaussian),
            Method::Mask,
        ] {
            let learner = Learner::new(method);
            let expected = learner.fit(&table, PARAMETERS).unwrap();
            for threads in [1, 2] {
                let sweep = on_threads(threads, || array.sweep()).unwrap();
                assert_eq!(sweep.n_rows(), N_ROWS);
                let share = table.features().observed_fraction();
                assert!((sweep.observed_fraction() - share).abs() < 1e-12);
                let fitted = learner.fit_sweep(&sweep, PARAMETERS).unwrap();
                assert_eq!(fitted.warnings, expected.warnings);
                let [a, b] = [&fitted, &expected].map(|fitted| fitted.model.to_bytes());
                assert!(a == b, "{method} of {width} columns on {threads} threads");
            }
        }
    }
}

#[test]
fn portions_give_it_too_however_they_are_shown() {
    let array = Array::new(N_ROWS, 9);
    let table = array.table();
    let expected = Learner::default().fit(&table, PARAMETERS).unwrap().model;
    for (step, threads) in [(1000, 1), (64, 2), (Sweep::PORTION, 2)] {
        let starts = (0..N_ROWS).step_by(Sweep::PORTION);
        let portions = starts.map(|start| {
            Ok::<_, Error>(Shown {
                table: &table,
                range: start..N_ROWS.min(start + Sweep::PORTION),
                step,
            })
        });
        let sweep = on_threads(threads, || Sweep::gather(&array.blank(), CLIP, portions));
        let sweep = sweep.unwrap().unwrap();
        let model = Learner::default()
            .fit_sweep(&sweep, PARAMETERS)
            .unwrap()
            .model;
        assert!(model.to_bytes() == expected.to_bytes(), "{step}");
    }
}

#[test]
fn there_is_no_sweep_where_one_pass_is_not_enough() {
    let none = |change: fn(&mut Array)| {
        let mut array = Array::new(70_000, 4);
        assert!(array.sweep().is_some());
        change(&mut array);
        assert!(array.sweep().is_none());
        // the table is fitted all the same, unless there is something wrong with it
        let features = MaskedMatrix::from_nan(array.target.len(), 4, &array.cells);
        let table = features.and_then(|features| Dataset::new(features, array.target.clone()));
        table.map(|table| Learner::default().fit(&table, PARAMETERS).unwrap())
    };
    let few = |array: &mut Array| {
        array.cells.truncate(4 * 30_000);
        array.target.truncate(30_000);
    };
    let sorted = |array: &mut Array| {
        let rows = array.cells.chunks_exact_mut(4);
        rows.enumerate().for_each(|(i, row)| row[2] = i as f64);
    };
    let two_values = |array: &mut Array| {
        let rows = array.cells.chunks_exact_mut(4);
        rows.enumerate()
            .for_each(|(i, row)| row[2] = (i % 2) as f64);
    };
    let nearly_empty = |array: &mut Array| {
        let rows = array.cells.chunks_exact_mut(4);
        rows.skip(10).for_each(|row| row[2] = f64::NAN);
    };
    for change in [few, sorted, two_values, nearly_empty] {
        assert!(none(change).is_ok());
    }
    assert!(none(|array| array.cells[4 * 60_001] = f64::INFINITY).is_err());
    assert!(none(|array| array.target[60_001] = f64::NAN).is_err());
}

#[test]
fn every_row_with_a_mask_of_its_own_is_no_sweep() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mut array = Array::new(40_000, 30);
    for x in &mut array.cells {
        *x = if rng.random::<f64>() < 0.5 {
            f64::NAN
        } else {
            *x
        };
    }
    assert!(array.sweep().is_none());
}

#[test]
fn rows_that_often_have_a_cell_in_a_tail_are_no_sweep() {
    assert!(Array::new(40_000, 30).sweep().is_some());
    assert!(Array::new(40_000, 60).sweep().is_none());
}

#[test]
fn a_sweep_is_stopped_when_asked() {
    let array = Array::new(40_000, 2);
    let stop = |done, planned| {
        assert_eq!((done, planned), (0, 40_000));
        ControlFlow::Break(())
    };
    let stopped = Sweep::of_array(&array.blank(), CLIP, &array.cells, &array.target, &stop);
    assert!(matches!(stopped, Err(Error::Stopped)));
}

#[test]
fn what_a_sweep_cannot_give_is_refused() {
    let array = Array::new(40_000, 2);
    let sweep = array.sweep().unwrap();
    let preparation = Preparation {
        clip: 0.01,
        ..Preparation::default()
    };
    let clipped = Learner {
        preparation,
        ..Learner::default()
    };
    let robust = Learner {
        loss: Loss::Huber(1.0),
        ..Learner::default()
    };
    for (learner, name) in [(clipped, "clip"), (robust, "loss")] {
        let error = learner.fit_sweep(&sweep, PARAMETERS).unwrap_err();
        assert!(error.to_string().starts_with(name), "{error}");
    }
    let go_on = |_, _| ControlFlow::Continue(());
    let short: Result<_> = Sweep::of_array(&array.blank(), CLIP, &[1.0], &array.target, &go_on);
    assert!(matches!(short, Err(Error::Shape { .. })));
    assert!(Learner::default().can_sweep(30) && !Learner::default().can_sweep(60));
}
