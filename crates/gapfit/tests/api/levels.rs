//! Parts whose categories have other levels, or whose rows are sorted, add up to the whole table.

use crate::sample::{PARAMETERS, normal, rng};
use gapfit::data::{Dataset, Kind, Levels, MaskedMatrix, Schema, SchemaColumn, Value};
use gapfit::prepare::{Preparation, Scale};
use gapfit::{Base, Gathering, Learner, Method, Statistics};
use rand::RngExt;

/// A row before it is features: numbers, a category, a target.
#[derive(Clone)]
struct Raw {
    numbers: [Option<f64>; 2],
    colour: Option<&'static str>,
    target: f64,
}

/// Rows whose categories are among `colours`, the later the rarer; without any, that and the second number are
/// missing in all of them.
fn raw(n_rows: usize, colours: &[&'static str], seed: u64) -> Vec<Raw> {
    let rng = &mut rng(seed);
    let row = |_| {
        let (a, b, noise) = (normal(rng), normal(rng), normal(rng));
        let place = rng.random::<f64>().powi(3) * colours.len() as f64;
        let colour = colours.get(place as usize).copied();
        let is_observed = [(); 3].map(|()| rng.random::<f64>() > 0.2);
        let distant = (!colours.is_empty()).then_some(1e8 + b);
        Raw {
            numbers: [
                Some(a).filter(|_| is_observed[0]),
                distant.filter(|_| is_observed[1]),
            ],
            colour: colour.filter(|_| is_observed[2]),
            target: 5.0 + a - b + colour.map_or(0.0, |text| text.len() as f64) + noise,
        }
    };
    (0..n_rows).map(row).collect()
}

fn columns(colour: Kind) -> Schema {
    let column = |(name, kind): (&str, Kind)| SchemaColumn {
        name: name.to_owned(),
        kind,
    };
    let all = [
        ("near", Kind::Numeric),
        ("colour", colour),
        ("far", Kind::Numeric),
    ];
    Schema::new(all.map(column).to_vec()).unwrap()
}

fn levels(kept: &[&str], pooled: &[&str]) -> Kind {
    let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
    Kind::Categorical(Levels::new(owned(kept), owned(pooled)).unwrap())
}

fn encoded(rows: &[Raw], schema: &Schema) -> Dataset {
    let mut features = MaskedMatrix::new(schema.n_features());
    for row in rows {
        let mut cells = Vec::new();
        for (c, column) in schema.columns().iter().enumerate() {
            let number = |x: Option<f64>| x.map_or(Value::Missing, Value::Number);
            let value = match column.name.as_str() {
                "near" => number(row.numbers[0]),
                "far" => number(row.numbers[1]),
                _ => row.colour.map_or(Value::Missing, |text| {
                    Value::Level(schema.level(c, text).unwrap())
                }),
            };
            schema.encode(c, value, &mut cells);
        }
        features.push_row(cells).unwrap();
    }
    let target = rows.iter().map(|row| row.target).collect();
    let data = Dataset::new(features, target).unwrap();
    data.with_schema(schema.clone()).unwrap()
}

fn statistics(rows: &[Raw], schema: &Schema) -> Statistics {
    Statistics::of(&encoded(rows, schema), Gathering::default()).unwrap()
}

/// Whether the statistics give the models of the rows.
fn assert_stand_for(statistics: &Statistics, rows: &[Raw], what: &str) {
    let data = encoded(rows, statistics.schema().unwrap());
    for (clip, scale) in [
        (0.0, Scale::MinMax),
        (0.002, Scale::MinMax),
        (0.002, Scale::Standard),
    ] {
        for method in [Method::Mask, Method::Lifted, Method::Irr(Base::Mean)] {
            let preparation = Preparation {
                clip,
                scale,
                ..Preparation::default()
            };
            let learner = Learner {
                preparation,
                tol: 1e-13,
                ..Learner::new(method)
            };
            let of_rows = learner.fit(&data, PARAMETERS).unwrap().model;
            let of_sums = learner.fit(statistics, PARAMETERS).unwrap().model;
            assert_eq!(of_rows.schema(), of_sums.schema());
            let [a, b] = [&of_rows, &of_sums].map(|model| model.certificate().objective);
            assert!((a - b).abs() <= 1e-12 * a, "{what}, {method}: {a} {b}");
            // levels go missing together, which leaves what each of them shifts that loose
            let tol = if method.has_gamma() { 1e-7 } else { 1e-10 };
            let [a, b] = [of_rows, of_sums].map(|m| m.predict(data.features()).unwrap());
            for (a, b) in a.iter().zip(&b) {
                let close = (a - b).abs() <= tol * (1.0 + a.abs());
                assert!(close, "{what}, {method}, clip {clip}, {scale:?}: {a} {b}");
            }
        }
    }
}

/// Merges parts in this order, and checks what comes of them.
fn check(parts: &[(Vec<Raw>, Schema)], order: &[usize], what: &str) -> Statistics {
    let picked = order.iter().map(|&p| &parts[p]);
    let mut all = picked
        .clone()
        .map(|(rows, schema)| statistics(rows, schema));
    let mut merged = all.next().unwrap();
    all.for_each(|part| merged.merge(part).unwrap());
    let rows: Vec<Raw> = picked.flat_map(|(rows, _)| rows.clone()).collect();
    assert_eq!(merged.n_rows(), rows.len());
    assert_stand_for(&merged, &rows, what);
    let read = Statistics::from_bytes(&merged.to_bytes()).unwrap();
    assert_eq!(read.to_bytes(), merged.to_bytes());
    merged
}

#[test]
fn a_category_has_the_levels_of_all_parts() {
    let parts = |n_rows: usize| {
        [
            (&["red", "blue"][..], levels(&["red", "blue"], &[])),
            (
                &["teal", "red", "ochre"],
                levels(&["teal", "red", "ochre"], &[]),
            ),
            // missing in every row: a column of which nothing is known is numeric
            (&[], Kind::Numeric),
        ]
        .into_iter()
        .zip(1..)
        .map(|((colours, kind), seed)| (raw(n_rows, colours, seed), columns(kind)))
        .collect::<Vec<_>>()
    };
    let (few, many) = (parts(500), parts(35_000));
    let mixed: Vec<_> = [&few[0], &many[1], &few[2]].map(Clone::clone).to_vec();
    for (parts, what) in [(&few, "few"), (&many, "many"), (&mixed, "few and many")] {
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let merged = check(parts, &order, &format!("{what} in the order {order:?}"));
            assert_eq!(merged.names().len(), 6);
        }
    }
}

#[test]
fn levels_that_share_a_feature_in_one_part_share_it_in_all() {
    let parts = [
        (
            raw(35_000, &["red", "blue", "teal"], 4),
            levels(&["red", "blue"], &["teal"]),
        ),
        (
            raw(35_000, &["teal", "red", "grey", "blue"], 5),
            levels(&["teal", "red"], &["grey", "blue"]),
        ),
        (raw(400, &["grey"], 6), levels(&["grey"], &[])),
    ];
    let parts = parts.map(|(rows, kind)| (rows, columns(kind)));
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let merged = check(&parts, &order, &format!("{order:?}"));
        let names = ["near", "colour=red", "colour=other", "far"];
        assert_eq!(merged.names(), names);
    }
}

#[test]
fn columns_of_other_kinds_are_refused_by_name() {
    let rows = raw(50, &["red"], 7);
    let part = |kind| {
        let numbers = rows.iter().map(|row| Raw {
            colour: None,
            ..row.clone()
        });
        let schema = columns(Kind::Numeric);
        let data = encoded(&numbers.collect::<Vec<_>>(), &schema);
        // a number in the second column, whatever it is called
        let features = data.features().select_columns(&[Some(0), Some(0), Some(2)]);
        let data = data.with_features(features).unwrap();
        let data = data.with_schema(columns(kind)).unwrap();
        Statistics::of(&data, Gathering::default()).unwrap()
    };
    let coloured = statistics(&rows, &columns(levels(&["red"], &[])));
    for (mut a, b, expected) in [
        (
            part(Kind::Numeric),
            coloured.clone(),
            "numeric in one part and categorical in another",
        ),
        (
            coloured,
            part(Kind::Boolean),
            "categorical in one part and boolean in another",
        ),
        (
            part(Kind::Date),
            part(Kind::Numeric),
            "date in one part and numeric in another",
        ),
    ] {
        let before = a.to_bytes();
        let error = a.merge(b).unwrap_err().to_string();
        assert!(
            error.contains("'colour'") && error.contains(expected),
            "{error}"
        );
        assert_eq!(a.to_bytes(), before, "nothing is changed");
    }
}

#[test]
fn sorted_parts_that_start_from_a_sample_are_those_of_the_table() {
    let mut rows = raw(100_000, &["red", "blue", "teal"], 8);
    let sample: Vec<Raw> = rows.iter().step_by(3).cloned().collect();
    rows.sort_by(|a, b| a.numbers[0].partial_cmp(&b.numbers[0]).unwrap());
    let schema = columns(levels(&["red", "blue", "teal"], &[]));
    let sample = statistics(&sample, &schema);
    assert!(sample.n_kept() < sample.n_rows());
    let empty = Statistics::from_bytes(&sample.emptied().to_bytes()).unwrap();
    assert_eq!((empty.n_rows(), empty.n_kept()), (0, 0));
    let parts = rows.chunks(40_000).map(|rows| {
        let mut part = empty.clone();
        part.push(&encoded(rows, &schema)).unwrap();
        part
    });
    let mut merged = empty.clone();
    parts.for_each(|part| merged.merge(part).unwrap());
    assert_stand_for(&merged, &rows, "sorted");
}
