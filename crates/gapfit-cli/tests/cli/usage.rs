use super::Place;

#[test]
fn help_and_version_go_to_stdout() {
    let place = Place::new();
    let version = format!("gapfit {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(place.success("--version"), version);
    assert!(place.success("--help").contains("tables with holes"));
    for command in [
        "",
        "compare",
        "fit",
        "predict",
        "evaluate",
        "impute",
        "inspect",
        "profile",
        "bounds",
        "corrupt",
        "stats",
        "stream",
        "datasets",
        "reproduce",
        "demo",
        "completions",
        "man",
    ] {
        let help = place.success(&format!("{command} --help"));
        let (_, examples) = help.split_once("Examples:\n").unwrap();
        let examples = examples.lines().filter(|line| line.contains("gapfit "));
        assert!((2..=4).contains(&examples.count()), "{command}");
        assert!(help.lines().count() <= 100, "{command}");
    }
}

#[test]
fn wrong_usage_ends_with_code_2_and_says_so_on_stderr() {
    let place = Place::new();
    for (args, expected) in [
        ("", "Usage: gapfit"),
        ("guess", "unrecognized subcommand 'guess'"),
        ("corrupt", "required arguments were not provided"),
        (
            "corrupt t.csv --mechanism mcar --rate 0.1 --threads 0",
            "--threads <N>': expected a whole number from 1 to 1024",
        ),
        (
            "compare --threads 100000",
            "--threads <N>': expected a whole number from 1 to 1024",
        ),
        (
            "compare --folds -1",
            "--folds <K>': expected a whole number from 2 to the number of rows",
        ),
        (
            "compare --seed -1",
            "--seed <SEED>': expected a whole number from 0 to 18446744073709551615",
        ),
        (
            "predict - -",
            "MODEL and FILE: expected one of them in a file, got standard input for both",
        ),
        (
            "evaluate - -",
            "MODEL and FILE: expected one of them in a file",
        ),
        ("bounds m", "required arguments were not provided"),
        (
            "bounds m t.csv --delta 0",
            "--delta <DELTA>': expected a probability above 0 and below 1",
        ),
        (
            "bounds m t.csv --delta 1",
            "expected a probability above 0 and below 1",
        ),
        (
            "bounds m t.csv --delta -0.5",
            "expected a probability above 0 and below 1",
        ),
        (
            "bounds m t.csv --delta NaN",
            "expected a probability above 0 and below 1",
        ),
        (
            "bounds m t.csv --draws 1",
            "--draws <N>': expected a whole number from 2 to 1000000",
        ),
        (
            "bounds - -",
            "MODEL and FILE: expected one of them in a file",
        ),
        (
            "bounds m - --held-out -",
            "--held-out: expected another input, got standard input for two",
        ),
        (
            "corrupt t.csv --mechanism mcar --rate 0.1 --delimiter e",
            "cannot stand between numbers",
        ),
    ] {
        let message = place.failure(2, args);
        assert!(message.contains(expected), "{args}\n{message}");
    }
}

#[test]
fn quiet_silences_all_but_errors() {
    let place = Place::with("t.csv", "a\n1\n");
    let args = "corrupt t.csv --mechanism mcar -o o.csv --rate 0";
    assert_ne!(place.run(args).stderr, "");
    assert_eq!(place.run(&format!("{args} --quiet")).stderr, "");
    assert_eq!(place.run(&format!("--quiet {args}")).stderr, "");
    let message = place.failure(1, "corrupt no.csv --mechanism mcar --rate 0 -q");
    assert!(message.starts_with("error: no.csv"), "{message}");
}

#[test]
fn delimiter_and_marks_can_be_set() {
    let place = Place::with("t.csv", "a|b\n-999|1\nnone|2\n");
    let args = "corrupt t.csv --delimiter | --missing -999,none --mechanism mcar --rate 0 -o - --mask-out m.csv";
    place.success(args);
    assert_eq!(place.read("m.csv"), "a|b\n0|1\n0|1\n");
}
