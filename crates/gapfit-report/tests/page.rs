//! The page as a whole: complete, harmless, small.

use std::path::Path;

use gapfit_report::{
    Agreement, Band, ByMissing, Calibration, CalibrationCurve, CalibrationPoint, Cell, Fact,
    Growth, GrowthLine, HoleMap, League, LearningCurve, LearningPoint, Measure, MissingGroup,
    Moment, Page, Pattern, Patterns, Price, Prices, Progress, Race, Racer, RegretCurve,
    RegretPoint, Roc, RocCurve, Section, Shifts, Standing, Surface, SurfacePoint, Told, Verdict,
    Verdicts,
};

const METHODS: usize = 9;

/// A page with every figure, about a table of so many rows and columns with names by this rule.
fn page(n_rows: usize, n_columns: usize, name: &dyn Fn(usize) -> String) -> Page {
    let columns: Vec<String> = (0..n_columns).map(name).collect();
    let methods: Vec<String> = (0..METHODS).map(name).collect();
    let figures = vec![
        league(&methods).figure(),
        hole_map(n_rows, &columns).figure(),
        patterns(n_rows, &columns).figure(),
        by_missing(n_columns, &methods).figure(),
        prices(&columns).figure(),
        shifts(&columns).figure(),
        agreement(n_rows).figure(),
        roc(n_rows, &methods).figure(),
        calibration(n_rows, &methods).figure(),
        learning(n_rows, &methods).figure(),
        surface(&methods[0]).figure(),
        progress(n_rows).loss_figure(),
        progress(n_rows).missing_figure(),
        regret(n_rows).figure(),
        growth(&methods).figure(),
        race(&methods).figure(),
        verdicts(&methods).figure(),
    ];
    let section = Section {
        title: name(0),
        figures,
    };
    Page {
        title: name(1),
        lead: name(2),
        facts: vec![Fact {
            name: name(3),
            value: Cell::text(name(4)),
        }],
        warnings: vec![name(5)],
        sections: vec![section],
    }
}

fn league(methods: &[String]) -> League {
    let standing = |(k, name): (usize, &String)| Standing {
        name: name.clone(),
        scores: vec![(1.0 + k as f64, 0.1), (0.5, 0.1)],
        seconds: 0.1,
        difference: (k as f64, 0.3),
        is_reference: k == 1,
    };
    let measure = |name: &String| Measure {
        name: name.clone(),
        is_gain: false,
    };
    League {
        folds: 5,
        best: methods[0].clone(),
        measures: methods[..2].iter().map(measure).collect(),
        ranked_by: 0,
        methods: methods.iter().enumerate().map(standing).collect(),
    }
}

fn growth(works: &[String]) -> Growth {
    let line = |name: &String| GrowthLine {
        name: name.clone(),
        points: vec![(10.0, 0.1), (100.0, 2.0)],
    };
    Growth {
        id: "growth".to_owned(),
        title: works[0].clone(),
        x: works[1].clone(),
        is_log: true,
        told: Told::Rivals,
        lines: works.iter().map(line).collect(),
    }
}

fn race(works: &[String]) -> Race {
    let racer = |(k, name): (usize, &String)| Racer {
        name: name.clone(),
        value: 1.0 + k as f64,
        further: vec![name.clone()],
    };
    Race {
        id: "race".to_owned(),
        title: works[0].clone(),
        unit: works[1].clone(),
        columns: works[2..3].to_vec(),
        racers: works.iter().enumerate().map(racer).collect(),
    }
}

fn verdicts(works: &[String]) -> Verdicts {
    let verdict = |(k, work): (usize, &String)| Verdict {
        work: work.clone(),
        measured: work.clone(),
        bar: work.clone(),
        margin: 0.5 + k as f64,
    };
    Verdicts {
        verdicts: works.iter().enumerate().map(verdict).collect(),
    }
}

fn hole_map(n_rows: usize, columns: &[String]) -> HoleMap {
    let n_bands = n_rows.min(200);
    let rows = n_rows / n_bands;
    let band = |b: usize| Band {
        rows,
        missing: (0..columns.len())
            .map(|j| (7 * j + 13 * b) % (rows + 1))
            .collect(),
    };
    HoleMap {
        columns: columns.to_vec(),
        bands: (0..n_bands).map(band).collect(),
    }
}

fn patterns(n_rows: usize, columns: &[String]) -> Patterns {
    let pattern = |k: usize| Pattern {
        missing: columns.iter().take(k).cloned().collect(),
        rows: n_rows / (k + 2),
    };
    Patterns {
        n_rows,
        n_patterns: n_rows,
        commonest: (0..30).map(pattern).collect(),
    }
}

fn by_missing(n_columns: usize, methods: &[String]) -> ByMissing {
    let group = |missing: usize| MissingGroup {
        missing,
        rows: 100,
        errors: (0..methods.len())
            .map(|m| (m + missing + 1) as f64)
            .collect(),
    };
    ByMissing {
        error: methods[0].clone(),
        methods: methods.to_vec(),
        told: 0,
        groups: (0..n_columns).map(group).collect(),
    }
}

fn prices(columns: &[String]) -> Prices {
    let price = |(j, column): (usize, &String)| Price {
        column: column.clone(),
        difference: j as f64,
        standard_error: 0.5,
    };
    Prices {
        method: columns[0].clone(),
        error: columns[1].clone(),
        before: 3.0,
        rows: 1000,
        prices: columns.iter().enumerate().map(price).collect(),
    }
}

fn shifts(columns: &[String]) -> Shifts {
    let n = columns.len();
    Shifts {
        method: columns[0].clone(),
        missing: columns.to_vec(),
        features: columns.to_vec(),
        shifts: (0..n)
            .map(|k| (0..n).map(|j| (k as f64 - j as f64) / 7.0).collect())
            .collect(),
    }
}

fn agreement(n_rows: usize) -> Agreement {
    Agreement {
        method: "irr".to_owned(),
        target: "y".to_owned(),
        observed: (0..n_rows).map(|i| (i as f64).sin()).collect(),
        predicted: (0..n_rows)
            .map(|i| (i as f64).sin() + (3.0 * i as f64).cos())
            .collect(),
    }
}

fn roc(n_rows: usize, names: &[String]) -> Roc {
    let curve = |name: &String| RocCurve {
        name: name.clone(),
        class: names[0].clone(),
        rows: n_rows,
        auc: 0.75,
        points: (0..=100)
            .map(|k| f64::from(k) / 100.0)
            .map(|t| (t * t, t))
            .collect(),
    };
    Roc {
        method: names[1].clone(),
        curves: names.iter().map(curve).collect(),
    }
}

fn calibration(n_rows: usize, names: &[String]) -> Calibration {
    let point = |k: usize| CalibrationPoint {
        rows: n_rows / 10,
        claimed: k as f64 / 10.0,
        came: k as f64 / 11.0,
    };
    let curve = |name: &String| CalibrationCurve {
        name: name.clone(),
        rows: n_rows,
        error: 0.05,
        points: (0..10).map(point).collect(),
    };
    Calibration {
        method: names[1].clone(),
        of: names[0].clone(),
        curves: names.iter().map(curve).collect(),
    }
}

fn learning(n_rows: usize, methods: &[String]) -> LearningCurve {
    let point = |k: usize| LearningPoint {
        rows: n_rows >> k,
        errors: vec![1.0 + k as f64; methods.len()],
    };
    LearningCurve {
        error: methods[0].clone(),
        methods: methods.to_vec(),
        told: 0,
        points: (0..5).rev().map(point).collect(),
    }
}

fn surface(method: &str) -> Surface {
    let point = |k: i32| SurfacePoint {
        alpha: 2f64.powi(k / 23 - 12),
        gamma: 2f64.powi(k % 23 - 12),
        excess: f64::from(k) / 500.0,
        chosen: usize::from(k == 0),
    };
    Surface {
        method: method.to_owned(),
        searches: 1,
        points: (0..23 * 23).map(point).collect(),
    }
}

fn progress(n_rows: usize) -> Progress {
    let moment = |k: usize| Moment {
        rows: n_rows * (k + 1) / 256 + k,
        average: 1.0 / (k + 1) as f64,
        recent: 0.5,
        missing: 0.2,
    };
    Progress {
        loss: "squared".to_owned(),
        before: 0,
        moments: (0..256).map(moment).collect(),
    }
}

fn regret(n_rows: usize) -> RegretCurve {
    let point = |k: usize| RegretPoint {
        rows: (n_rows >> k).max(1),
        regret: 1.0,
        lower: 0.9,
        standard: 2.0,
        bound: 10.0,
    };
    RegretCurve {
        points: (0..17).rev().map(point).collect(),
    }
}

#[test]
fn a_page_for_a_hundred_thousand_rows_and_fifty_columns_stays_below_two_megabytes() {
    let html = page(100_000, 50, &|j| format!("a_column_with_a_long_name_{j}")).html();
    assert!(html.len() <= 2_000_000, "{} bytes", html.len());
    // where ./test browser looks for it
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("large.html");
    std::fs::write(file, html).unwrap();
}

#[test]
fn nothing_is_loaded_from_elsewhere() {
    let page = page(1000, 10, &|j| format!("x{j}"));
    let pictures: String = page.figures().map(|figure| figure.svg()).collect();
    let html = page.html();
    for text in [&html, &pictures] {
        for word in [
            "src=",
            "href",
            "url(",
            "@import",
            "fetch",
            "XMLHttpRequest",
            "<link",
            "<img",
        ] {
            assert!(!text.contains(word), "{word}");
        }
    }
    assert!(!html.contains("http://") && !html.contains("https://"));
    assert!(html.contains("default-src 'none'"));
}

#[test]
fn hostile_names_stay_text() {
    let names = [
        "<script>alert(1)</script>",
        "\" onload=\"alert(1)",
        "' onmouseover='alert(1)",
        "</title></style></svg><img src=x onerror=alert(1)>",
        "&lt;b&gt; 東京 \u{202e}تجربة 🏠",
        "]]> --> \u{0}\u{7}",
    ];
    let page = page(200, 30, &|j| {
        format!("{} {j} {}", names[j % names.len()], "long ".repeat(j))
    });
    let html = page.html();
    // our own script is the only one, and no attribute was added
    assert_eq!(html.matches("<script").count(), 1);
    assert_eq!(html.matches("</script").count(), 1);
    assert_eq!(html.matches("<style").count(), 1);
    assert!(
        !html.contains("<img") && !html.contains(" onload=\"") && !html.contains(" onmouseover='")
    );
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(html.contains("&amp;lt;b&amp;gt; 東京"));
    for figure in page.figures() {
        let svg = figure.svg();
        assert!(
            !svg.contains("<script") && !svg.contains("<img"),
            "{}",
            figure.id()
        );
        assert!(
            !svg.contains('\u{0}') && !svg.contains('\u{7}'),
            "{}",
            figure.id()
        );
    }
}

#[test]
fn numbers_that_are_none_draw_no_nonsense() {
    let mut methods = league(&["a".to_owned(), "b".to_owned(), "c".to_owned()]);
    methods.methods[2].scores[0] = (f64::NAN, f64::NAN);
    methods.methods[2].difference = (f64::NAN, f64::NAN);
    let group = MissingGroup {
        missing: 0,
        rows: 1,
        errors: vec![f64::INFINITY],
    };
    let by_missing = ByMissing {
        error: "RMSE".to_owned(),
        methods: vec!["a".to_owned()],
        told: 0,
        groups: vec![group],
    };
    let empty = HoleMap {
        columns: vec![],
        bands: vec![],
    };
    let mut times = growth(&["a".to_owned(), "b".to_owned()]);
    times.lines[0].points = vec![(0.0, f64::NAN)];
    for figure in [
        methods.figure(),
        by_missing.figure(),
        empty.figure(),
        times.figure(),
    ] {
        let svg = figure.svg();
        assert!(
            !svg.contains("NaN") && !svg.contains("inf\""),
            "{}: {svg}",
            figure.id()
        );
    }
}

#[test]
fn figures_on_their_own_have_style_legend_and_words() {
    let svg = league(&["irr".to_owned(), "mean".to_owned()])
        .figure()
        .svg();
    assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    for part in [
        "<style>",
        "<title>Which method",
        "<desc>irr has",
        "prefers-color-scheme",
    ] {
        assert!(svg.contains(part), "{part}");
    }
}
