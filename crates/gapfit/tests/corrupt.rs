//! One list of checks, run over every corruption process and every kind of column.

use gapfit::corrupt::Mechanism;
use gapfit::data::MaskedMatrix;
use rand::RngExt;
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
use rand_distr::StandardNormal;

const ROWS: usize = 5000;
/// Columns of [`table`]: the last two are constant and all holes.
const COLUMNS: usize = 8;
const CONSTANT: usize = 6;

/// Normal, heavy-tailed at the end of the floating-point range, tiny spread around a large mean,
/// three levels, one in five (whose ones sit right at the bump of `selfmask-gaussian`), half
/// missing already, constant, and nothing observed.
fn table(rng: &mut ChaCha8Rng) -> MaskedMatrix {
    let mut table = MaskedMatrix::new(COLUMNS);
    for i in 0..ROWS {
        let t: f64 = rng.sample(StandardNormal);
        let row = [
            Some(t),
            Some((t * 3.0).exp() * 1e300),
            Some(1e15 + t.round()),
            Some(t.clamp(-1.0, 1.0).round()),
            Some(f64::from(u8::from(i % 5 == 0))),
            rng.random::<bool>().then_some(t),
            Some(-4.5),
            None,
        ];
        table
            .push_row(row)
            .expect("finite cells, as many as columns");
    }
    table
}

fn rated(rate: f64) -> Vec<Mechanism> {
    Mechanism::NAMES
        .iter()
        .filter_map(|name| Mechanism::with_rate(name, rate).ok())
        .collect()
}

fn every() -> Vec<Mechanism> {
    let beta = 0.75;
    let groups = vec![vec![0, 7], vec![5], vec![]];
    let mut all = rated(0.3);
    all.push(Mechanism::Independent { beta });
    all.push(Mechanism::Dependent { beta });
    all.push(Mechanism::Columns { groups });
    assert_eq!(all.len(), Mechanism::NAMES.len());
    all
}

fn seeded(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn observed(table: &MaskedMatrix, j: usize) -> usize {
    table.rows().filter(|row| row.get(j).is_some()).count()
}

/// The correlation, over the observed cells of column `j`, of the value with going missing.
fn correlation(before: &MaskedMatrix, after: &MaskedMatrix, j: usize) -> f64 {
    let pairs: Vec<(f64, f64)> = (0..before.n_rows())
        .filter_map(|i| {
            Some((
                before.get(i, j)?,
                f64::from(u8::from(after.get(i, j).is_none())),
            ))
        })
        .collect();
    let n = pairs.len() as f64;
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(f).sum::<f64>() / n;
    let (mx, my) = (mean(&|p| p.0), mean(&|p| p.1));
    let covariance = mean(&|p| (p.0 - mx) * (p.1 - my));
    covariance / (mean(&|p| (p.0 - mx).powi(2)) * mean(&|p| (p.1 - my).powi(2))).sqrt()
}

#[test]
fn holes_stay_holes_and_what_stays_is_unchanged() {
    let table = table(&mut seeded(1));
    for mechanism in every() {
        let holey = mechanism.apply(&table, &mut seeded(2)).unwrap();
        let mut hidden = 0;
        for i in 0..ROWS {
            for j in 0..COLUMNS {
                match holey.get(i, j) {
                    Some(x) => assert_eq!(Some(x), table.get(i, j), "{mechanism:?}"),
                    None => hidden += usize::from(table.get(i, j).is_some()),
                }
            }
        }
        assert!(hidden > ROWS / 10, "{mechanism:?} hid {hidden}");
    }
}

#[test]
fn the_same_seed_gives_the_same_holes_and_another_seed_others() {
    let table = table(&mut seeded(1));
    for mechanism in every() {
        let holes = |seed| mechanism.apply(&table, &mut seeded(seed)).unwrap();
        assert_eq!(holes(3), holes(3), "{mechanism:?}");
        assert_ne!(holes(3), holes(4), "{mechanism:?}");
    }
}

#[test]
fn the_rate_holds_in_every_column_and_overall() {
    let table = table(&mut seeded(1));
    for rate in [0.02, 0.1, 0.5, 0.9] {
        for mechanism in rated(rate) {
            let holey = mechanism.apply(&table, &mut seeded(5)).unwrap();
            // The column that decides in `mar` is the one that lost nothing.
            let (mut cells, mut lost) = (0.0, 0.0);
            for j in (0..COLUMNS - 1)
                .filter(|&j| mechanism.name() != "mar" || observed(&holey, j) < observed(&table, j))
            {
                let before = observed(&table, j) as f64;
                let gone = before - observed(&holey, j) as f64;
                assert_within(gone, before, rate, &format!("{mechanism:?}, column {j}"));
                cells += before;
                lost += gone;
            }
            assert_within(lost, cells, rate, &format!("{mechanism:?}"));
        }
    }
}

/// Independent coins with mean chance `rate` vary at most as much as equal ones.
fn assert_within(lost: f64, cells: f64, rate: f64, what: &str) {
    let sd = (cells * rate * (1.0 - rate)).sqrt();
    assert!(
        (lost - rate * cells).abs() < 5.0 * sd,
        "{what}: lost {lost} of {cells}"
    );
}

#[test]
fn mcar_ignores_the_values_and_self_masking_hides_the_large_ones() {
    let table = table(&mut seeded(1));
    let noise = 5.0 / (ROWS as f64).sqrt();
    for mechanism in rated(0.3) {
        let holey = mechanism.apply(&table, &mut seeded(6)).unwrap();
        for j in [0, 3] {
            let correlation = correlation(&table, &holey, j);
            match mechanism.name() {
                "mcar" => assert!(correlation.abs() < noise, "{correlation}"),
                "mar" => {} // any sign: these columns are copies of a deciding one
                name => assert!(correlation > 0.25, "{name}, column {j}: {correlation}"),
            }
        }
    }
}

#[test]
fn dependent_holes_lie_on_one_side_of_a_threshold() {
    let ramp: Vec<f64> = (0..ROWS).map(|i| i as f64).collect();
    let ramp = MaskedMatrix::from_nan(ROWS, 1, &ramp).unwrap();
    let (seeds, mut spared) = (20, 0.0);
    for seed in 0..seeds {
        let mechanism = Mechanism::Dependent { beta: 0.75 };
        let holey = mechanism.apply(&ramp, &mut seeded(seed)).unwrap();
        let is_hole: Vec<bool> = holey.rows().map(|row| row.get(0).is_none()).collect();
        let head = is_hole.iter().take_while(|&&hole| !hole).count();
        let tail = is_hole.iter().rev().take_while(|&&hole| !hole).count();
        // On the losing side a dozen cells in a row survive once in 4^12.
        assert!(head.min(tail) < 12, "seed {seed}: {head} and {tail}");
        let losing = (ROWS - head.max(tail)) as f64;
        let lost = is_hole.iter().filter(|&&hole| hole).count() as f64;
        assert_within(lost, losing, 0.75, &format!("seed {seed}"));
        spared += head.max(tail) as f64 / ROWS as f64 / seeds as f64;
    }
    // The spared side is as long as the threshold is high: uniform on [0, 1].
    assert!(
        (spared - 0.5).abs() < 5.0 / (12.0 * seeds as f64).sqrt(),
        "{spared}"
    );
}

#[test]
fn nothing_is_hidden_at_rate_or_beta_zero() {
    let table = table(&mut seeded(1));
    let mut all = rated(0.0);
    all.push(Mechanism::Independent { beta: 0.0 });
    all.push(Mechanism::Dependent { beta: 0.0 });
    for mechanism in all {
        assert_eq!(mechanism.apply(&table, &mut seeded(7)).unwrap(), table);
    }
}

#[test]
fn a_higher_rate_with_the_same_seed_only_adds_holes() {
    let table = table(&mut seeded(1));
    let at = |rate| {
        Mechanism::Mcar { rate }
            .apply(&table, &mut seeded(8))
            .unwrap()
    };
    let (few, many) = (at(0.2), at(0.6));
    for (few, many) in few.rows().zip(many.rows()) {
        assert!(many.observed().iter().all(|j| few.observed().contains(j)));
    }
}

#[test]
fn a_constant_column_loses_cells_at_random_but_is_spared_below_a_threshold() {
    let table = table(&mut seeded(1));
    // Scaled to 0 it lies below every threshold: hidden or spared as a whole by the sign.
    let losses: Vec<usize> = (0..20)
        .map(|seed| {
            let mechanism = Mechanism::Dependent { beta: 0.75 };
            let holey = mechanism.apply(&table, &mut seeded(seed)).unwrap();
            ROWS - observed(&holey, CONSTANT)
        })
        .collect();
    assert!(losses.contains(&0));
    assert!(losses.iter().any(|&lost| lost > 0));
    for &lost in losses.iter().filter(|&&lost| lost > 0) {
        assert_within(lost as f64, ROWS as f64, 0.75, "constant column");
    }
}

#[test]
fn empty_tables_come_back_as_they_are() {
    let no_rows = MaskedMatrix::new(COLUMNS);
    let mut no_columns = MaskedMatrix::new(0);
    no_columns.push_row([]).unwrap();
    for mechanism in every() {
        let back = mechanism.apply(&no_rows, &mut seeded(9)).unwrap();
        assert_eq!(back, no_rows, "{mechanism:?}");
        if !["columns", "mar"].contains(&mechanism.name()) {
            let back = mechanism.apply(&no_columns, &mut seeded(9)).unwrap();
            assert_eq!(back, no_columns, "{mechanism:?}");
        }
    }
}

#[test]
fn settings_out_of_range_are_refused_with_what_was_expected() {
    let table = MaskedMatrix::from_nan(1, 1, &[1.0]).unwrap();
    let text = |mechanism: Mechanism| {
        let error = mechanism.apply(&table, &mut seeded(0)).unwrap_err();
        assert!(matches!(error, gapfit::Error::Setting { .. }));
        error.to_string()
    };
    for bad in [-0.1, 1.0, f64::NAN, f64::INFINITY] {
        let expected = "expected a number from 0 up to, but not including, 1";
        let rate = text(Mechanism::Quantile { rate: bad });
        assert_eq!(rate, format!("rate: {expected}, got {bad}"));
        let beta = text(Mechanism::Independent { beta: bad });
        assert_eq!(beta, format!("beta: {expected}, got {bad}"));
    }
    let columns = |groups| text(Mechanism::Columns { groups });
    assert_eq!(
        columns(vec![]),
        "groups: expected at least one group of columns, got none"
    );
    assert_eq!(
        columns(vec![vec![0], vec![0, 1]]),
        "groups: expected columns of the table, counted from 0, got column 1 of 1"
    );
    assert_eq!(
        text(Mechanism::Mar { rate: 0.5 }),
        "mechanism: expected at least 2 columns for mar, got 1"
    );
}
