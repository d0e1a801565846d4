use super::model::{fitted, predictions};
use super::{Place, holey, json, keys};
use std::fs;

#[test]
fn fit_reports_the_documented_keys_with_a_certificate() {
    let place = Place::with("t.csv", &holey(200));
    let report = json(&place.success("fit t.csv --target y -o m --json"));
    let expected = "alpha base bases gamma gap held_out iterations loss lower_bound method n_features n_rows objective \
                    observed_fraction seconds solver status support task";
    assert_eq!(
        keys(&report),
        expected.split_whitespace().collect::<Vec<_>>()
    );
    let held_out = &report["held_out"];
    assert!(held_out["rmse"].as_f64() >= held_out["mae"].as_f64());
    assert!(held_out["r2"].as_f64().unwrap() > 0.5);
    for part in ["read", "fit", "calibrate", "total"] {
        assert!(report["seconds"][part].as_f64().unwrap() >= 0.0, "{part}");
    }
    let number = |key: &str| report[key].as_f64().unwrap();
    let gap = (number("objective") - number("lower_bound")) / number("objective").abs();
    assert!((gap - number("gap")).abs() <= 1e-12, "{gap}");
    assert!(number("gap") <= 1e-8);
    assert_eq!(report["method"], "irr");
    let bases = report["bases"].as_array().unwrap();
    let chosen = bases.iter().find(|line| line["base"] == report["base"]);
    let chosen = chosen.expect("the chosen base is among those compared");
    assert_eq!(
        (&chosen["alpha"], &chosen["gamma"]),
        (&report["alpha"], &report["gamma"])
    );
    assert!(
        bases.len() > 1
            && bases
                .iter()
                .all(|line| line["rmse"].as_f64().unwrap() > 0.0)
    );
    assert_eq!(report["status"], "converged");
    assert_eq!(
        (&report["n_rows"], &report["n_features"]),
        (&200.into(), &3.into())
    );
    assert_eq!(place.files(), ["m", "t.csv"]);
}

#[test]
fn a_support_is_kept_and_said() {
    let place = Place::with("t.csv", &holey(200));
    place.write("edges.txt", "b c\n");
    let fit = "fit t.csv --target y -o m --alpha 0.01 --gamma 0.5";
    for (flag, kind) in [
        ("top=1", "top=1"),
        ("constant", "constant"),
        ("corr=.1", "corr=0.1"),
        ("grid=1x3", "grid=1x3"),
        ("edges=edges.txt", "edges"),
        ("auto", "full"),
    ] {
        let report = json(&place.success(&format!("{fit} --json --support {flag}")));
        assert_eq!(report["support"], kind);
        assert!(report["gap"].as_f64().unwrap() <= 1e-8);
        let card = json(&place.success("inspect m --json"));
        assert_eq!(card["support"], kind);
    }
    let run = place.run(&format!("{fit} --support top=1"));
    assert!(
        run.stderr.contains("irr on base mean, support top=1:"),
        "{}",
        run.stderr
    );
    let card = place.success("inspect m");
    assert!(card.contains("support:       top=1: other weights stay"));
    for (wrong, expected) in [
        (
            "--support most",
            "expected auto, full, constant, top=M, corr=R, grid=HxW or edges=FILE",
        ),
        (
            "--method mean --support top=1",
            "--support: expected --method irr or lifted with it, got mean",
        ),
        ("--support edges=none.txt", "none.txt"),
        (
            "--support edges=t.csv",
            "--support: edges: expected two features per line",
        ),
    ] {
        let command = format!("fit t.csv --target y -o n --alpha 0.01 {wrong}");
        let run = place.run(&command);
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
    let error = place.failure(1, &format!("{fit} --support grid=2x3"));
    assert!(
        error.contains("pixels of the grid: expected 3, got 6"),
        "{error}"
    );
}

#[test]
fn the_papers_solvers_report_their_figures_beside_the_exact_optimum() {
    let place = Place::with("t.csv", &holey(100));
    let command = "fit t.csv --target y -o m --alpha 0.01 --gamma 0.5";
    let exact = json(&place.success(&format!("{command} --json")));
    let value = exact["objective"].as_f64().unwrap();
    assert!(exact["rival"].is_null());
    for (solver, figures, phrase) in [
        (
            "silp",
            "is_weaker kernel_cuts rounds value_cuts violation",
            "cuts in α",
        ),
        (
            "alternating",
            "relaxation_gap starts sweeps worst_start",
            "relaxation gap",
        ),
    ] {
        let report = json(&place.success(&format!("{command} --json --solver {solver}")));
        let number = |key: &str| report[key].as_f64().unwrap();
        assert_eq!(report["solver"], solver);
        assert_eq!(
            keys(&report["rival"]),
            figures.split_whitespace().collect::<Vec<_>>()
        );
        assert!(number("lower_bound") <= value && number("objective") >= value);
        let run = place.run(&format!("{command} --solver {solver}"));
        assert!(run.stderr.contains(phrase), "{}", run.stderr);
        assert_eq!(predictions(&place.success("predict m t.csv")).len(), 100);
    }
}

#[test]
fn given_parameters_are_used_and_the_other_is_tuned() {
    let place = Place::with("t.csv", &holey(100));
    for (args, alpha, gamma) in [
        ("--alpha 0.25 --gamma 0.5", Some(0.25), Some(0.5)),
        ("--alpha 0.25", Some(0.25), None),
        ("--gamma 0.5 --base zero", None, Some(0.5)),
        ("--method mask --alpha 0.125", Some(0.125), None),
    ] {
        let report = json(&place.success(&format!("fit t.csv --target y -o m --json {args}")));
        for (key, given) in [("alpha", alpha), ("gamma", gamma)] {
            if let Some(given) = given {
                assert_eq!(report[key], given, "{args}");
            }
        }
        assert_eq!(report["gamma"].is_null(), args.contains("mask"), "{args}");
        let n_bases = report["bases"].as_array().unwrap().len();
        assert_eq!(n_bases > 0, args == "--alpha 0.25", "{args}");
        if args.contains("zero") {
            assert_eq!(report["base"], "zero");
        }
    }
}

#[test]
fn the_same_data_and_seed_make_the_same_bytes_for_any_number_of_threads() {
    let place = Place::with("t.csv", &holey(200));
    for (name, threads) in [("one", 1), ("two", 2)] {
        place.success(&format!(
            "fit t.csv --target y --seed 5 --threads {threads} -o {name}"
        ));
    }
    assert_eq!(
        fs::read(place.path("one")).unwrap(),
        fs::read(place.path("two")).unwrap()
    );
}

#[test]
fn gaussian_is_a_method_and_a_base() {
    let place = Place::with("t.csv", &holey(120));
    for (args, method) in [
        ("--method gaussian", "gaussian"),
        ("--method irr:gaussian --gamma 1", "irr"),
        ("--base gaussian --gamma 1", "irr"),
    ] {
        let line = format!("fit t.csv --target y --alpha 0.01 {args} -o m --json");
        let report = json(&place.success(&line));
        assert_eq!(
            (&report["method"], &report["base"]),
            (&method.into(), &"gaussian".into())
        );
        assert_eq!(place.success("predict m t.csv").lines().count(), 121);
    }
    // Two columns that are never observed together are told.
    let rows = (0..60).map(|i| match i % 2 {
        0 => format!("{},,{i}\n", i * 7 % 31),
        _ => format!(",{},{i}\n", i * 11 % 37),
    });
    place.write("apart.csv", &format!("a,b,y\n{}", rows.collect::<String>()));
    let run = place.run("fit apart.csv --target y --method gaussian --alpha 1 -o m");
    let warning = "warning: gaussian base: no row has 'a' with 'b'";
    assert!(run.stderr.starts_with(warning), "{}", run.stderr);
}

#[test]
fn a_model_on_standard_output_is_the_model_in_a_file() {
    let place = fitted();
    let piped = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("gapfit"))
        .current_dir(place.path(""))
        .args("fit t.csv --target y -o - --alpha 0.001 --gamma 1".split_whitespace())
        .output()
        .unwrap();
    assert_eq!(piped.stdout, fs::read(place.path("m")).unwrap());
}

#[test]
fn rows_without_a_target_are_counted_in_a_warning() {
    let place = Place::with("t.csv", &(holey(50) + "1,2,3,\n4,5,6,NA\n"));
    let run = place.run("fit t.csv --target y -o m --alpha 0.1 --gamma 1");
    let warning = "warning: t.csv: 2 of 52 rows have no target \"y\" and are left out\n";
    assert!(run.stderr.starts_with(warning), "{}", run.stderr);
    assert_eq!(place.run("evaluate m t.csv").stderr, warning);
}

#[test]
fn a_column_without_a_single_number_is_named() {
    let table = holey(50)
        .replace('\n', ",\n")
        .replacen(",\n", ",empty\n", 1);
    let place = Place::with("t.csv", &table);
    let run = place.run("fit t.csv --target y -o m --alpha 0.1 --gamma 1");
    assert_eq!(run.code, 0);
    assert!(
        run.stderr
            .starts_with("warning: nothing is observed in 'empty'"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_tuned_parameter_at_an_end_of_its_grid_is_told() {
    let place = Place::with("t.csv", &holey(100));
    let noise: String = (0..100)
        .map(|i| format!("{},{}\n", i * 7 % 101, i * 37 % 11))
        .collect();
    place.write("noise.csv", &format!("a,y\n{noise}"));
    for (args, expected) in [
        (
            "t.csv --alphas 2,1 --gamma 1",
            Some("alpha 1 is the lower end"),
        ),
        (
            "noise.csv --alphas 0.1,0.2",
            Some("alpha 0.2 is the upper end"),
        ),
        (
            "t.csv --alpha 1 --gammas 1e-4,1e-3",
            Some("gamma 0.001 is the upper end"),
        ),
        ("t.csv --alpha 0.01 --gamma 1", None),
        ("t.csv --alphas 0.01 --gammas 1", None),
    ] {
        let run = place.run(&format!("fit {args} --target y -o m"));
        let told = run
            .stderr
            .lines()
            .filter(|line| line.starts_with("warning: the tuned"));
        let told: Vec<_> = told.collect();
        assert_eq!(
            told.len(),
            usize::from(expected.is_some()),
            "{args}\n{}",
            run.stderr
        );
        let expected = expected.unwrap_or_default();
        assert!(run.stderr.contains(expected), "{args}\n{}", run.stderr);
    }
}

#[test]
fn given_candidates_are_the_only_ones() {
    let place = Place::with("t.csv", &holey(100));
    let report = json(&place.success("fit t.csv --target y -o m --json --alphas 3 --gammas 0.7"));
    assert_eq!(
        (&report["alpha"], &report["gamma"]),
        (&3.0.into(), &0.7.into())
    );
    let report = json(&place.success("fit t.csv --target y -o m --json --grid paper"));
    for key in ["alpha", "gamma"] {
        let exponent = report[key].as_f64().unwrap().log2();
        assert!((-12.0..=10.0).contains(&exponent), "{key} 2^{exponent}");
    }
}

#[test]
fn numbers_beyond_all_bounds_do_not_break_the_json() {
    let rows: String = (0..30)
        .map(|i| format!("{i},{}e200\n", i * i % 7))
        .collect();
    let place = Place::with("t.csv", &format!("a,y\n{rows}"));
    let report = json(&place.success("fit t.csv --target y -o m --json"));
    assert!(report["objective"].is_null(), "{report}");
    assert_eq!(report["status"], "converged");
}

#[test]
fn tables_with_little_in_them_are_fitted() {
    let place = Place::new();
    for (table, weight) in [
        ("a,y\n1,2\n2,3\n", ""),
        ("a,y\n1,2\n", ""),
        ("a,k,y\n1,5,2\n2,5,3\n4,5,3\n", ""),
        ("a,y\n1,2\n,2\n4,2\n", ""),
        ("a,y\n,2\n,3\n,5\n", ""),
        ("a,y,w\n1,2,0\n2,3,1\n5,3,0\n", "--weight w"),
    ] {
        place.write("t.csv", table);
        let args = format!("fit t.csv --target y -o m --alpha 0.1 --gamma 1 --json {weight}");
        let report = json(&place.success(&args));
        assert!(report["objective"].as_f64().unwrap() >= 0.0, "{table}");
        let found = predictions(&place.success("predict m t.csv"));
        assert!(
            found.iter().all(|p| (1.0..6.0).contains(p)),
            "{table} {found:?}"
        );
    }
}

#[test]
fn contradicting_settings_end_with_code_2() {
    let place = Place::with("t.csv", &holey(30));
    for (args, expected) in [
        (
            "--method mean --gamma 1",
            "--gamma: expected --method irr with it, got mean",
        ),
        (
            "--method mask --base zero",
            "--base: expected --method irr with it, got mask",
        ),
        (
            "--alpha 0",
            "--alpha: expected a number from 1e-100 to 1e100, got 0",
        ),
        (
            "--alpha nan",
            "--alpha: expected a number from 1e-100 to 1e100, got NaN",
        ),
        (
            "--alphas 1,inf",
            "--alphas: alpha: expected a number from 1e-100 to 1e100, got inf",
        ),
        (
            "--alphas 1 --alpha 2",
            "'--alphas <A,...>' cannot be used with '--alpha <ALPHA>'",
        ),
        (
            "--method mean --gammas 1",
            "--gammas: expected --method irr with it, got mean",
        ),
        (
            "--folds 1",
            "'--folds <K>': expected a whole number from 2 to the number of rows",
        ),
        ("--grid fine", "invalid value 'fine' for '--grid <GRID>'"),
        (
            "--gamma -1",
            "--gamma: expected 0 or a number from 1e-100 to 1e100, got -1",
        ),
        (
            "--tol 0",
            "--tol: expected a number above 0 and below 1, got 0",
        ),
        (
            "--clip 0.5",
            "--clip: expected a quantile from 0 (off) to below 0.5, got 0.5",
        ),
        ("--scale big", "invalid value 'big' for '--scale <SCALE>'"),
        (
            "--method mean --solver silp",
            "--solver: expected exact unless the method is irr with gamma above 0, got silp with method mean",
        ),
        ("--solver newton", "solver: expected exact, silp"),
        (
            "--method guess",
            "invalid value 'guess' for '--method <METHOD>'",
        ),
    ] {
        let message = place.failure(2, &format!("fit t.csv --target y -o m {args}"));
        assert!(message.contains(expected), "{args}\n{message}");
    }
    let message = place.failure(
        1,
        "fit t.csv --target y -o m --alpha 1 --gamma 0 --solver silp",
    );
    assert!(message.contains("got silp with gamma 0"), "{message}");
    let message = place.failure(2, "fit t.csv --target y -o ./t.csv");
    assert!(
        message.contains("--output: expected another file than the input, got t.csv for both"),
        "{message}"
    );
    let message = place.failure(2, "fit t.csv --target y -o - --json");
    assert!(
        message.contains("--json: expected a file for --output"),
        "{message}"
    );
}

#[test]
fn a_base_can_be_chosen_also_when_all_else_is_given() {
    let place = Place::with("t.csv", &holey(100));
    let args = "fit t.csv --target y -o m --json --alpha 0.25 --gamma 0.5";
    let report = json(&place.success(&format!("{args} --base auto")));
    assert!(report["bases"].as_array().unwrap().len() > 1);
    let report = json(&place.success(args));
    assert_eq!(
        (&report["base"], &report["bases"]),
        (&"mean".into(), &serde_json::json!([]))
    );
}

#[test]
fn a_budget_that_runs_out_says_what_was_left_out() {
    let place = Place::with("t.csv", &holey(100));
    let run = place.run("fit t.csv --target y -o m --budget 0");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let expected = "the budget of 0 s left no time for the bases zero, ";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    assert!(
        run.stderr.contains("candidates for alpha and gamma"),
        "{}",
        run.stderr
    );
    let run = place.run("fit t.csv --target y -o m --method mask --budget 0");
    assert!(run.stderr.contains("left no time for"), "{}", run.stderr);
    assert!(!run.stderr.contains("the base"), "{}", run.stderr);
    let run = place.run("fit t.csv --target y -o m --budget 1000");
    assert!(!run.stderr.contains("budget"), "{}", run.stderr);
    let wrong = place.failure(2, "fit t.csv --target y -o m --budget -1");
    assert!(wrong.contains("expected a number of seconds"), "{wrong}");
}

#[test]
fn simulated_holes_are_learnt_from() {
    let place = Place::with("t.csv", &holey(100).replace(",,", ",0,").replace("NA", "0"));
    let share = |args: &str| {
        let report = format!("fit t.csv --target y -o m --json --base mean {args}");
        json(&place.success(&report))["observed_fraction"]
            .as_f64()
            .unwrap()
    };
    assert!((share("") - 1.0).abs() < 1e-15);
    let part = share("--simulate-holes 0.4 --seed 4");
    assert!((part - 0.6).abs() < 0.1, "{part}");
    let wrong = place.failure(2, "fit t.csv --target y -o m --simulate-holes 1");
    assert!(wrong.contains("from 0 to below 1"), "{wrong}");
}

#[test]
fn one_pass_over_a_file_gives_the_model_of_its_table() {
    let mut text = "size,rooms,price\n".to_owned();
    for i in 0..40_000usize {
        let [size, rooms] = [7919, 104_729].map(|factor| (i * factor % 10_007) as f64 / 97.0);
        let hidden = if i % 5 == 1 {
            String::new()
        } else {
            size.to_string()
        };
        let price = match i % 1000 {
            7 => String::new(),
            _ => (size - 2.0 * rooms + (i % 11) as f64).to_string(),
        };
        text += &format!("{hidden},{rooms},{price}\n");
    }
    let place = Place::with("t.csv", &text);
    let fit = "--target price --alpha 0.1 --gamma 1 --no-calibration --json -o";
    let swept = place.run(&format!("fit t.csv {fit} swept"));
    // standard input cannot be read again, so its rows are kept
    let kept = place.run_with(&format!("fit - {fit} kept"), &text);
    let bytes = |name| std::fs::read(place.path(name)).unwrap();
    assert!(bytes("swept") == bytes("kept"));
    let [a, b] = [&swept, &kept].map(|run| json(&run.stdout));
    for key in ["rows", "observed_fraction", "objective", "gap", "rmse"] {
        assert_eq!(a[key], b[key], "{key}");
    }
    for run in [swept, kept] {
        assert!(run.stderr.contains("40 of 40000 rows"), "{}", run.stderr);
    }
}
