use super::{Place, holey, json};
use serde_json::Value;
use std::fs;

/// How a page keeps a number.
fn kept(value: &Value) -> String {
    format!("data-value=\"{:?}\"", value.as_f64().unwrap())
}

/// The part of a page that is about one figure.
fn figure<'a>(page: &'a str, id: &str) -> &'a str {
    let start = page.find(&format!("<figure id=\"{id}\"")).unwrap();
    let length = page[start..].find("</figure>").unwrap();
    &page[start..start + length]
}

/// The names of the figures of a page, in order.
fn figures(page: &str) -> Vec<&str> {
    let parts = page.split("<figure id=\"").skip(1);
    parts.map(|part| part.split('"').next().unwrap()).collect()
}

/// The numbers in the last row of a figure's table.
fn last_row(page: &str, id: &str) -> Vec<f64> {
    let row = figure(page, id).rsplit("<tr>").next().unwrap();
    let cells = row.split("data-value=\"").skip(1);
    cells
        .map(|cell| cell.split('"').next().unwrap().parse().unwrap())
        .collect()
}

#[test]
fn a_comparison_leaves_a_page_with_the_numbers_of_its_json() {
    let place = Place::with("t.csv", &holey(400));
    let run =
        "compare t.csv --target y --folds 3 --methods mean,mask,irr:mean --json --report p.html";
    let report = json(&place.success(run));
    let page = place.read("p.html");
    assert_eq!(
        figures(&page),
        [
            "league",
            "by-missing",
            "learning",
            "holes",
            "patterns",
            "price",
            "agreement",
            "shifts",
            "surface"
        ]
    );
    let league = figure(&page, "league");
    for line in report["methods"].as_array().unwrap() {
        for score in ["rmse", "mae", "r2", "seconds", "difference"] {
            assert!(league.contains(&kept(&line[score])), "{score} of {line}");
        }
        let error = line["difference_se"].as_f64().unwrap();
        assert!(
            league.contains(&format!("data-spread=\"{error:?}\"")),
            "{line}"
        );
    }
    let best = report["best"].as_str().unwrap();
    assert!(
        league.contains(&format!(">{best} has the smallest RMSE")),
        "{league}"
    );
    let errors = report["methods"].as_array().unwrap().iter();
    let errors: Vec<f64> = errors.map(|line| line["rmse"].as_f64().unwrap()).collect();
    assert_eq!(last_row(&page, "learning")[1..], errors);
}

#[test]
fn the_table_of_a_page_is_the_profile() {
    let place = Place::with("t.csv", &holey(400));
    place.success("compare t.csv --target y --folds 2 --methods mean,irr:mean --report p.html");
    let profile = json(&place.success("profile t.csv --target y --json"));
    let page = place.read("p.html");
    let holes = figure(&page, "holes");
    for column in profile["columns"].as_array().unwrap() {
        assert!(holes.contains(&kept(&column["missing"])), "{column}");
        assert!(holes.contains(&kept(&column["fraction"])), "{column}");
    }
    let masks = profile["masks"].as_array().unwrap();
    let patterns = figure(&page, "patterns");
    assert!(
        masks
            .iter()
            .all(|mask| patterns.contains(&kept(&mask["rows"])))
    );
}

#[test]
fn a_fit_leaves_a_page_with_the_numbers_of_its_json() {
    let place = Place::with("t.csv", &holey(300));
    let report =
        json(&place.success("fit t.csv --target y --base mean -o m.gapfit --json --report p.html"));
    let page = place.read("p.html");
    assert_eq!(
        figures(&page),
        [
            "shifts",
            "surface",
            "agreement",
            "price",
            "by-missing",
            "learning",
            "holes",
            "patterns"
        ]
    );
    for number in ["alpha", "gamma", "n_rows", "observed_fraction", "gap"] {
        assert!(page.contains(&kept(&report[number])), "{number}");
    }
    for score in ["rmse", "mae", "r2"] {
        assert!(page.contains(&kept(&report["held_out"][score])), "{score}");
    }
}

#[test]
fn categories_count_as_one_column_and_names_stay_text() {
    let mut text = "\"<script>alert(1)</script>\",kind,y\n".to_owned();
    for i in 0..300 {
        let x = if i % 7 == 0 {
            String::new()
        } else {
            (i % 13).to_string()
        };
        let kind = ["a", "<b>", ""][i % 3];
        text += &format!("{x},{kind},{}\n", i % 13 + i % 3);
    }
    let place = Place::with("t.csv", &text);
    place.success("fit t.csv --target y --base mean -o m.gapfit --report p.html --figures figures");
    let page = place.read("p.html");
    assert_eq!(page.matches("<script").count(), 1);
    assert!(!page.contains("<b>"));
    let holes = figure(&page, "holes");
    assert!(holes.contains("300 rows and 2 columns"), "{holes}");
    assert!(
        holes.contains("kind lacks most, 33.3 % of its cells"),
        "{holes}"
    );
    // no row lacks more than its two columns, though these are three features
    assert_eq!(last_row(&page, "by-missing")[0].to_bits(), 2f64.to_bits());
    for file in fs::read_dir(place.path("figures")).unwrap() {
        let svg = fs::read_to_string(file.unwrap().path()).unwrap();
        assert!(svg.starts_with("<svg") && !svg.contains("<script"));
    }
}

#[test]
fn a_stream_leaves_a_page_with_its_last_line() {
    let place = Place::with("t.csv", &holey(500));
    let lines = place.success(
        "stream t.csv --target y --step theory --radius 5 --regret --json --report p.html",
    );
    let last = json(lines.lines().last().unwrap());
    let page = place.read("p.html");
    assert_eq!(figures(&page), ["loss", "regret", "missing", "holes"]);
    for number in ["rows", "avg_loss", "rmse", "missing", "regret", "bound"] {
        assert!(page.contains(&kept(&last[number])), "{number}");
    }
    let (rows, loss) = (
        last["rows"].as_f64().unwrap(),
        last["avg_loss"].as_f64().unwrap(),
    );
    assert_eq!(last_row(&page, "loss")[..2], [rows, loss]);
}

#[test]
fn a_report_changes_nothing_else() {
    let place = Place::with("t.csv", &holey(200));
    place.success("fit t.csv --target y --base mean -o a.gapfit");
    place.success("fit t.csv --target y --base mean -o b.gapfit --report p.html");
    let [a, b] = ["a.gapfit", "b.gapfit"].map(|name| fs::read(place.path(name)).unwrap());
    assert_eq!(a, b);
}

#[test]
fn few_rows_are_no_reason_to_fail() {
    let place = Place::with("t.csv", &holey(7));
    place.success("compare t.csv --target y --folds 2 --methods mean,irr:mean --report p.html");
    place.success("fit t.csv --target y --alpha 1 --gamma 0 --folds 9 -o m --report f.html");
    assert!(!place.read("f.html").contains("id=\"agreement\""));
    place.success("stream t.csv --target y --report s.html");
}

#[test]
fn a_report_needs_a_file_of_its_own() {
    let place = Place::with("t.csv", &holey(50));
    for (args, told) in [
        (
            "fit t.csv --target y -o m --report -",
            "--report: expected a file, got standard output",
        ),
        (
            "fit t.csv --target y -o m --report m",
            "--report: expected a file of its own, got m for two things",
        ),
        (
            "compare t.csv --target y --report t.csv",
            "--report: expected a file of its own, got t.csv for two things",
        ),
        (
            "stream t.csv --target y --model m --report m",
            "--report: expected a file of its own, got m for two things",
        ),
    ] {
        let message = place.failure(2, args);
        assert!(message.contains(told), "{args}\n{message}");
    }
    let message = place.failure(1, "compare t.csv --target y --report none/p.html");
    assert!(
        message.contains("none/p.html: cannot be written"),
        "{message}"
    );
    let message = place.failure(1, "compare t.csv --target y --figures t.csv");
    assert!(message.contains("t.csv: expected a folder"), "{message}");
}

#[cfg(unix)]
#[test]
fn a_run_that_is_killed_leaves_the_page_of_before() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};

    let place = Place::with("p.html", "the page of before");
    let mut run = Command::new(assert_cmd::cargo::cargo_bin!("gapfit"))
        .current_dir(place.0.path())
        .args("stream --target y --report p.html".split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = run.stdin.take().unwrap();
    stdin.write_all(holey(100).as_bytes()).unwrap();
    stdin.flush().unwrap();
    let lines = BufReader::new(run.stdout.take().unwrap()).lines();
    // the header, then lines after 1, 2, 4, ... rows: it is half-way
    assert_eq!(lines.take(5).count(), 5);
    run.kill().unwrap();
    run.wait().unwrap();
    drop(stdin);
    assert_eq!(place.files(), ["p.html"]);
    assert_eq!(place.read("p.html"), "the page of before");
}
