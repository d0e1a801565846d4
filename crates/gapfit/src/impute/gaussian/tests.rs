//! The distribution against definitions, closed forms and an independent EM.

use super::em::{self, Ended, Limits, Maximum};
use super::likelihood::{At, Likelihood, Point};
use super::shrink::{LEAST, Table};
use super::standard::Standard;
use super::support::Pairs;
use super::{Gaussian, LIMITS};
use crate::data::{Dataset, MaskedMatrix};
use crate::impute::Imputer;
use crate::linalg::{Cholesky, Matrix, dot};
use crate::method::Base;
use crate::moments::{Reading, Rows, Source};
use crate::prepare::{Means, Preparation, Prepared, Sample, Scale};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use serde::Deserialize;

/// Correlated columns with this share of holes, as rows of cells.
fn cells(n_rows: usize, n_cols: usize, rate: f64, seed: u64) -> Vec<Vec<Option<f64>>> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let row = |_| {
        let common: f64 = rng.sample(StandardNormal);
        let cell = |j: usize| {
            let x: f64 = rng.sample(StandardNormal);
            let value = (1 + j) as f64 * (0.8 * common + 0.6 * x) - j as f64;
            (rng.random::<f64>() >= rate).then_some(value)
        };
        (0..n_cols).map(cell).collect()
    };
    (0..n_rows).map(row).collect()
}

fn data(cells: &[Vec<Option<f64>>]) -> Dataset {
    let mut table = MaskedMatrix::new(cells[0].len());
    for row in cells {
        table.push_row(row.iter().copied()).unwrap();
    }
    Dataset::new(table, vec![0.0; cells.len()]).unwrap()
}

/// What the fit of the base on `data`, unscaled, is made of.
fn with_table<T>(data: &Dataset, work: impl FnOnce(&Table<'_>, &Prepared, &Sample<'_>) -> T) -> T {
    let rows = Rows::new(data, None);
    let reading = Reading::new(&rows, 0.0).unwrap();
    let means = Means::of(&reading.source, data.n_features());
    let sample = Sample {
        reading: &reading,
        means: &means,
    };
    let preparation = Preparation {
        scale: Scale::None,
        clip: 0.0,
        ..Preparation::default()
    };
    let (prepared, _) = Prepared::fit(&preparation, Base::Mean, &sample);
    let standard = Standard::new(&prepared, &means, &reading.source);
    let table = Table {
        rows: reading.rows,
        source: &reading.source,
        frame: &reading.frame,
        standard: &standard,
    };
    work(&table, &prepared, &sample)
}

fn maximise(table: &Table<'_>, likelihood: &Likelihood<'_>, limits: Limits) -> Maximum {
    let pairs = Pairs::of(table.source, table.standard);
    let start = em::start(likelihood, &pairs.covariance).unwrap();
    em::maximise(likelihood, start, limits)
}

/// The distribution in the units of the table, for a given shrinkage.
fn distribution(data: &Dataset, shrinkage: f64) -> (Gaussian, Maximum) {
    with_table(data, |table, prepared, sample| {
        let maximum = maximise(table, &table.likelihood(shrinkage), LIMITS);
        let gaussian = prepared.distribution(sample, table.standard, Some(&maximum.at));
        (gaussian, maximum)
    })
}

fn covariance(gaussian: &Gaussian, i: usize, j: usize) -> f64 {
    gaussian.spread[i] * gaussian.spread[j] * gaussian.correlation[(i, j)]
}

/// A point with a covariance that is positive definite and no mean at zero.
fn some_point(n: usize) -> Point {
    let mut covariance = vec![0.3; n * n];
    (0..n).for_each(|j| covariance[j * (n + 1)] = 1.0 + 0.1 * j as f64);
    let mean: Vec<f64> = (0..n).map(|j| 0.2 * (j as f64).sin()).collect();
    Point::new(&mean, &covariance)
}

/// The objective of a point from its definition, row by row.
fn by_definition(table: &Table<'_>, point: &Point, prior: f64) -> f64 {
    let (standard, n) = (table.standard, point.n);
    let block = |places: &[usize]| {
        let mut block = Matrix::zeros(places.len(), places.len());
        for (j, &b) in places.iter().enumerate() {
            for (i, &a) in places.iter().enumerate() {
                block[(i, j)] = point.covariance()[b * n + a];
            }
        }
        block
    };
    let log_determinant = |block: &Matrix| {
        // By elimination, column after column.
        let mut rest = block.clone();
        let mut sum = 0.0;
        for k in 0..rest.n_rows() {
            sum += rest[(k, k)].ln();
            for j in k + 1..rest.n_rows() {
                let factor = rest[(k, j)] / rest[(k, k)];
                (k..rest.n_rows()).for_each(|i| rest[(i, j)] -= factor * rest[(i, k)]);
            }
        }
        sum
    };
    let mut total = 0.0;
    let rows = table.rows.unwrap();
    for i in 0..rows.len() {
        let row = rows.row(i);
        let places: Vec<usize> = (0..n)
            .filter(|&a| row.observed().contains(standard.columns[a]))
            .collect();
        let deviation = |&a: &usize| {
            standard.map(a, row.values()[standard.columns[a]], table.frame) - point.mean()[a]
        };
        let deviation: Vec<f64> = places.iter().map(deviation).collect();
        let block = block(&places);
        let mut solved = deviation.clone();
        Cholesky::of(|| block.clone()).unwrap().solve(&mut solved);
        total += rows.weight(i) * (log_determinant(&block) + dot(&deviation, &solved));
    }
    let whole = block(&(0..n).collect::<Vec<_>>());
    let trace = (0..n).map(|a| {
        let mut unit = vec![0.0; n];
        unit[a] = 1.0;
        Cholesky::of(|| whole.clone()).unwrap().solve(&mut unit);
        (prior + standard.noise[a]) * unit[a]
    });
    -0.5 * (total / standard.weight + prior * log_determinant(&whole) + trace.sum::<f64>())
}

#[test]
fn the_likelihood_is_its_definition() {
    // Masks with many rows and with one, mostly observed and mostly missing, small and in blocks.
    for (n_rows, n_cols, rate) in [
        (200, 3, 0.4),
        (30, 9, 0.1),
        (20, 9, 0.7),
        (8, 45, 0.05),
        (8, 60, 0.2),
    ] {
        let data = data(&cells(n_rows, n_cols, rate, 1));
        with_table(&data, |table, _, _| {
            for shrinkage in [0.0, 0.2] {
                let likelihood = table.likelihood(shrinkage);
                let point = some_point(table.standard.len());
                let want = by_definition(table, &point, likelihood.prior);
                let got = likelihood.at(point, false).unwrap().value;
                assert!(
                    (got - want).abs() < 1e-11 * (1.0 + want.abs()),
                    "{got} {want}"
                );
            }
        });
    }
}

#[test]
fn the_gradient_is_the_slope_of_the_likelihood() {
    let data = data(&cells(40, 4, 0.3, 2));
    with_table(&data, |table, _, _| {
        let likelihood = table.likelihood(0.1);
        let n = table.standard.len();
        let at = likelihood.at(some_point(n), false).unwrap();
        let moved = |by: f64, entries: &[usize]| {
            let mut point = some_point(n);
            entries.iter().for_each(|&e| point.all[e] += by);
            likelihood.at(point, false).unwrap().value
        };
        let h = 1e-5;
        let pairs = (0..n).flat_map(|j| (j..n).map(move |i| vec![n + j * n + i, n + i * n + j]));
        for mut entries in (0..n).map(|a| vec![a]).chain(pairs) {
            entries.dedup();
            let slope = (moved(h, &entries) - moved(-h, &entries)) / (2.0 * h);
            let want: f64 = entries.iter().map(|&e| at.gradient[e]).sum();
            assert!((slope - want).abs() < 1e-8, "{entries:?}: {slope} {want}");
        }
    });
}

#[test]
fn the_information_is_the_curvature_at_the_maximum_of_complete_rows() {
    let data = data(&cells(60, 4, 0.0, 3));
    with_table(&data, |table, _, _| {
        let likelihood = table.likelihood(0.0);
        let at = maximise(table, &likelihood, LIMITS).at;
        let informed = likelihood.at(at.point.clone(), true).unwrap();
        let mut point = at.point.clone();
        let n = point.n;
        let moved: Vec<f64> = (0..n + n * n)
            .map(|e| {
                let (i, j) = (e.wrapping_sub(n) / n, e.wrapping_sub(n) % n);
                let e = if e < n { e } else { 7 * i.max(j) + i.min(j) };
                1e-7 * (e as f64 + 1.0).cos()
            })
            .collect();
        point.all.iter_mut().zip(&moved).for_each(|(x, m)| *x += m);
        let there = likelihood.at(point, false).unwrap();
        let back = informed.information.unwrap().step(&there.gradient);
        for (step, moved) in back.iter().zip(&moved) {
            assert!((step + moved).abs() < 1e-11, "{step} {moved}");
        }
    });
}

#[test]
fn the_information_is_its_definition() {
    // `½ (Σ_s n_s P_s V P_s / W + κ Ω V Ω)` is the gradient that a change V of the covariance makes.
    let data = data(&cells(40, 5, 0.4, 12));
    with_table(&data, |table, _, _| {
        let (likelihood, n) = (table.likelihood(0.1), table.standard.len());
        let at = likelihood.at(some_point(n), true).unwrap();
        let change = |i: usize, j: usize| ((7 * i.max(j) + i.min(j)) as f64).cos();
        let mut gradient = vec![0.0; n + n * n];
        let mut add = |places: &[usize], weight: f64| {
            let order = places.len();
            let block = |(k, l): (usize, usize)| at.point.covariance()[places[l] * n + places[k]];
            let cells = (0..order * order).map(|c| block((c % order, c / order)));
            let block = Matrix::from_columns(order, order, cells.collect());
            let factor = Cholesky::of(|| block.clone()).unwrap();
            let mut inverse = Matrix::zeros(order, order);
            for k in 0..order {
                inverse[(k, k)] = 1.0;
                factor.solve(inverse.col_mut(k));
            }
            let quadruples =
                (0..order.pow(4)).map(|c| [1, 2, 3, 4].map(|k| c / order.pow(k - 1) % order));
            for [i, k, l, j] in quadruples {
                gradient[n + places[j] * n + places[i]] +=
                    0.5 * weight * inverse[(i, k)] * change(places[k], places[l]) * inverse[(l, j)];
            }
        };
        let rows = table.rows.unwrap();
        for i in 0..rows.len() {
            let places: Vec<usize> = rows.row(i).observed().iter().collect();
            if !places.is_empty() {
                add(&places, 1.0 / table.standard.weight);
            }
        }
        add(&(0..n).collect::<Vec<_>>(), likelihood.prior);
        let step = at.information.unwrap().step(&gradient);
        for j in 0..n {
            for i in 0..n {
                let (got, want) = (step[n + j * n + i], change(i, j));
                assert!((got - want).abs() < 1e-9, "{got} {want}");
            }
        }
    });
}

#[test]
fn many_masks_are_climbed_to_where_plain_em_ends() {
    // More columns than the curvature is formed for where masks are few.
    let data = data(&cells(900, 34, 0.3, 13));
    with_table(&data, |table, _, _| {
        let likelihood = table.likelihood(LEAST);
        let fast = maximise(table, &likelihood, LIMITS);
        assert_eq!(fast.ended, Ended::Converged);
        assert!(fast.at.information.is_some());
        let mut at = likelihood.at(some_point(34), false).unwrap();
        for _ in 0..5000 {
            let step = em::em_step(&at, likelihood.prior);
            if dot(&step, &step) < 1e-20 {
                break;
            }
            let mut point = at.point.clone();
            point.all.iter_mut().zip(&step).for_each(|(x, s)| *x += s);
            at = likelihood.at(point, false).unwrap();
        }
        for (a, b) in fast.at.point.all.iter().zip(&at.point.all) {
            assert!((a - b).abs() < 1e-7, "{a} {b}");
        }
    });
}

#[test]
fn complete_rows_have_the_closed_form() {
    let cells = cells(50, 4, 0.0, 4);
    for shrinkage in [LEAST, 0.3] {
        let (gaussian, maximum) = distribution(&data(&cells), shrinkage);
        assert_eq!(maximum.ended, Ended::Converged);
        let mean = |f: &dyn Fn(&Vec<Option<f64>>) -> f64| cells.iter().map(f).sum::<f64>() / 50.0;
        for i in 0..4 {
            let of_i = mean(&|row| row[i].unwrap());
            assert!((gaussian.mean[i] - of_i).abs() < 1e-12 * (1.0 + of_i.abs()));
            for j in 0..4 {
                let of_j = mean(&|row| row[j].unwrap());
                let product = mean(&|row| (row[i].unwrap() - of_i) * (row[j].unwrap() - of_j));
                let want = if i == j {
                    product
                } else {
                    (1.0 - shrinkage) * product
                };
                let got = covariance(&gaussian, i, j);
                assert!((got - want).abs() < 1e-7 * want.abs(), "{got} {want}");
            }
        }
    }
}

#[test]
fn one_column_with_holes_beside_a_complete_one_is_a_regression() {
    // Then the likelihood is that of the first column times that of the second given the first.
    let mut cells = cells(60, 2, 0.0, 5);
    cells[25..].iter_mut().for_each(|row| row[1] = None);
    let (gaussian, _) = distribution(&data(&cells), 0.0);
    let all: Vec<f64> = cells.iter().map(|row| row[0].unwrap()).collect();
    let pairs: Vec<(f64, f64)> = cells[..25]
        .iter()
        .map(|row| (row[0].unwrap(), row[1].unwrap()))
        .collect();
    let mean = all.iter().sum::<f64>() / 60.0;
    let variance = all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 60.0;
    let (x, y) = (
        pairs.iter().map(|p| p.0).sum::<f64>() / 25.0,
        pairs.iter().map(|p| p.1).sum::<f64>() / 25.0,
    );
    let xy = pairs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / 25.0;
    let xx = pairs.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>() / 25.0;
    let yy = pairs.iter().map(|p| (p.1 - y).powi(2)).sum::<f64>() / 25.0;
    let slope = xy / xx;
    let residual = yy - slope * xy;
    for (got, want) in [
        (gaussian.mean[0], mean),
        (gaussian.mean[1], y + slope * (mean - x)),
        (covariance(&gaussian, 0, 0), variance),
        (covariance(&gaussian, 0, 1), slope * variance),
        (
            covariance(&gaussian, 1, 1),
            residual + slope * slope * variance,
        ),
    ] {
        assert!((got - want).abs() < 1e-7 * want.abs(), "{got} {want}");
    }
}

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    kind: String,
    x: Vec<Vec<Option<f64>>>,
    weights: Option<Vec<f64>>,
    shrinkage: f64,
    mean: Vec<f64>,
    covariance: Vec<Vec<f64>>,
    filled: Vec<Vec<f64>>,
    accuracy: f64,
}

#[test]
fn equals_an_independent_em() {
    let json = include_str!("../../../tests/reference/gaussian.json");
    let cases = serde_json::from_str::<File>(json).unwrap().cases;
    assert!(cases.len() >= 10);
    for case in cases {
        let mut data = data(&case.x);
        if let Some(weights) = &case.weights {
            data = data.with_weights(weights.clone()).unwrap();
        }
        let (gaussian, _) = distribution(&data, case.shrinkage);
        let spread = |j: usize| case.covariance[j][j].sqrt();
        let check = |got: f64, want: f64, unit: f64| {
            let off = (got - want).abs() / unit;
            assert!(off < 1e-6 + case.accuracy, "{}: {got} {want}", case.kind);
        };
        let n = case.mean.len();
        for j in 0..n {
            check(gaussian.mean[j], case.mean[j], spread(j));
            for i in 0..n {
                check(
                    covariance(&gaussian, i, j),
                    case.covariance[i][j],
                    spread(i) * spread(j),
                );
            }
        }
        let imputer = Imputer::Gaussian(gaussian);
        let live: Vec<usize> = (0..n).collect();
        let mut filler = crate::impute::Filler::new(&imputer, &live);
        for (row, want) in data.features().rows().zip(&case.filled) {
            let mut filled = [&[1.0], row.values()].concat();
            filler.fill(row.observed(), &mut filled);
            (0..n).for_each(|j| check(filled[j + 1], want[j], spread(j)));
        }
    }
}

#[test]
fn sums_kept_and_sums_made_on_each_visit_give_the_same() {
    let data = data(&cells(120, 5, 0.4, 6));
    with_table(&data, |table, _, _| {
        let visited = Source::visited(table.rows.unwrap(), table.frame);
        let other = Table {
            source: &visited,
            ..*table
        };
        let kept = maximise(table, &table.likelihood(LEAST), LIMITS).at;
        let made = maximise(&other, &other.likelihood(LEAST), LIMITS).at;
        for (a, b) in kept.point.all.iter().zip(&made.point.all) {
            assert!((a - b).abs() < 1e-7, "{a} {b}");
        }
    });
}

#[test]
fn without_the_information_the_same_maximum_is_reached() {
    // As with many columns, where only EM steps and their correction are at hand.
    let data = data(&cells(150, 5, 0.4, 7));
    with_table(&data, |table, _, _| {
        let likelihood = table.likelihood(LEAST);
        let with = maximise(table, &likelihood, LIMITS);
        let bare = At {
            information: None,
            ..likelihood.at(some_point(5), false).unwrap()
        };
        let limits = Limits {
            max_iter: 3, // before the information would be made
            ..LIMITS
        };
        let mut at = bare;
        for _ in 0..60 {
            at = em::maximise(&likelihood, at, limits).at;
            at.information = None;
        }
        assert!((with.at.value - at.value).abs() < 1e-9);
    });
}

#[test]
fn copies_of_a_row_count_as_one() {
    let cells = cells(12, 4, 0.3, 8);
    let once = data(&cells);
    let doubled: Vec<_> = cells.iter().chain(&cells[..6]).cloned().collect();
    let weights = (0..12).map(|i| if i < 6 { 2.0 } else { 1.0 }).collect();
    let weighted = once.clone().with_weights(weights).unwrap();
    let shrinkage = |data: &Dataset| {
        with_table(data, |table, _, _| {
            let choice = table.choose(&Pairs::of(table.source, table.standard));
            assert!(choice.few_rows);
            choice.shrinkage
        })
    };
    let (a, b) = (shrinkage(&weighted), shrinkage(&data(&doubled)));
    assert!((a - b).abs() < 1e-15 && a > LEAST, "{a} {b}");
}

#[test]
fn what_is_not_known_of_a_pair_is_settled_by_the_prior() {
    let mut cells = cells(400, 3, 0.2, 9);
    for (i, row) in cells.iter_mut().enumerate() {
        row[i % 2] = None; // columns 0 and 1 are never observed together
    }
    with_table(&data(&cells), |table, _, _| {
        let pairs = Pairs::of(table.source, table.standard);
        let choice = table.choose(&pairs);
        assert_eq!(choice.apart, [(0, 1)]);
        assert!(!choice.few_rows && (choice.shrinkage - 1e-3).abs() < 1e-15);
        let maximum = maximise(table, &table.likelihood(choice.shrinkage), LIMITS);
        assert_eq!(maximum.ended, Ended::Converged);
        // Nothing says that they go together other than through the third.
        let precision = &maximum.at.precision;
        let partial = -precision[1] / (precision[0] * precision[4]).sqrt();
        assert!(partial.abs() < 0.2, "{partial}");
    });
}

fn peculiar() -> impl Strategy<Value = (Vec<Vec<Option<f64>>>, Option<Vec<f64>>)> {
    let shape = (1..40usize, 1..6usize, 0.0..0.9f64, any::<u64>());
    (shape, 0..4u8, any::<bool>()).prop_map(|((n_rows, n_cols, rate, seed), kind, weighted)| {
        let mut cells = cells(n_rows, n_cols, rate, seed);
        for row in &mut cells {
            let last = n_cols - 1;
            match kind {
                1 => row[last] = row[0].map(|x| 3.0 - 2.0 * x),
                2 => row[last] = row[last].map(|_| 7.5),
                3 => row[last] = row[last].map(|x| 1e6 * x.round()),
                _ => {}
            }
        }
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let weights = (0..n_rows).map(|_| 10f64.powf(rng.random_range(-1.5..1.5)));
        (cells, weighted.then(|| weights.collect()))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_likelihood_never_falls_and_ends_at_a_maximum(
        (cells, weights) in peculiar(),
        shrinkage in prop::sample::select(vec![LEAST, 1e-3, 0.2]),
    ) {
        let mut data = data(&cells);
        if let Some(weights) = weights {
            data = data.with_weights(weights).unwrap();
        }
        with_table(&data, |table, _, _| {
            if table.standard.len() == 0 {
                return Ok(());
            }
            let maximum = maximise(table, &table.likelihood(shrinkage), LIMITS);
            let rounding = 10.0 * maximum.at.noise();
            for pair in maximum.values.windows(2) {
                prop_assert!(pair[1] >= pair[0] - rounding, "{pair:?}");
            }
            if shrinkage > 0.1 {
                prop_assert!(maximum.ended != Ended::Iterations, "{}", maximum.values.len());
            }
            if maximum.ended == Ended::Converged {
                // What an EM step would still add, by the slope.
                let step = em::em_step(&maximum.at, table.likelihood(shrinkage).prior);
                let rise = dot(&maximum.at.gradient, &step);
                prop_assert!(rise <= 1e-9 + rounding, "{rise:e} of {}", maximum.at.value);
            }
            Ok(())
        })?;
    }
}
