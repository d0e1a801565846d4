use super::Place;

const TABLE: &str = "id,a,b,y\r\nx,1.50,NA,1\r\ny,\"2\",+3,2\r\n";

#[test]
fn cells_that_stay_are_the_bytes_of_the_input() {
    let place = Place::with("t.csv", TABLE);
    let args = "corrupt t.csv --mechanism mcar --keep id --target y -o -";
    assert_eq!(place.success(&format!("{args} --rate 0")), TABLE);
    let all = place.success(&format!("{args} --rate 0.999999999"));
    assert_eq!(all, "id,a,b,y\r\nx,,NA,1\r\ny,,,2\r\n");
}

#[test]
fn the_mask_says_what_is_observed_in_every_column() {
    let place = Place::with("t.csv", TABLE);
    let args =
        "corrupt t.csv --mechanism columns --columns a --keep id,y -o o.csv --mask-out m.csv";
    place.success(args);
    assert_eq!(place.read("o.csv"), "id,a,b,y\r\nx,,NA,1\r\ny,,+3,2\r\n");
    assert_eq!(place.read("m.csv"), "id,a,b,y\n1,0,0,1\n1,0,1,1\n");
}

#[test]
fn the_seed_decides_and_the_report_counts() {
    let rows = "1,2,3,4,5\n".repeat(400);
    let place = Place::with("t.csv", &format!("a,b,c,d,e\n{rows}"));
    let run = |seed: u32| {
        let args = format!("corrupt t.csv --mechanism mcar --rate 0.25 --seed {seed} -o -");
        place.run(&args)
    };
    let (first, again, other) = (run(7), run(7), run(8));
    assert_eq!(first.stdout, again.stdout);
    assert_ne!(first.stdout, other.stdout);
    let cells = |text: &str| {
        text.split([',', '\n'])
            .filter(|cell| cell.is_empty())
            .count()
            - 1
    };
    let observed = 100.0 * (1.0 - cells(&first.stdout) as f64 / 2000.0);
    let expected =
        format!("400 rows, 5 columns: {observed:.1} % of the cells observed, 100.0 % before\n");
    assert_eq!(first.stderr, expected);
    assert!((70.0..80.0).contains(&observed));
}

#[test]
fn every_mechanism_runs_by_its_name() {
    let rows: String = (0..50)
        .map(|i| format!("{i},{},{}\n", i * i, i % 7))
        .collect();
    let place = Place::with("t.csv", &format!("a,b,c\n{rows}"));
    for name in gapfit::corrupt::Mechanism::NAMES {
        let number = match name {
            "columns" => "--columns a,b --columns c",
            "independent" | "dependent" => "--beta 0.9",
            _ => "--rate 0.4",
        };
        let out = place.success(&format!(
            "corrupt t.csv --mechanism {name} {number} --seed 3 -o -"
        ));
        assert_eq!(out.lines().count(), 51, "{name}");
        assert!(
            out.contains(",\n") || out.contains(",,") || out.contains("\n,"),
            "{name}"
        );
    }
}

#[test]
fn standard_input_is_read() {
    let run = Place::new().run_with("corrupt - --mechanism mcar --rate 0 -o -", "a\n1\n");
    assert_eq!((run.code, run.stdout.as_str()), (0, "a\n1\n"));
    let run = Place::new().run_with("corrupt - --mechanism mcar --rate 0 -o -", "a\nx\n");
    assert_eq!(
        run.stderr.lines().next(),
        Some(
            "error: standard input, line 2, column 1 (\"a\"): expected a number or a mark for missing, got \"x\""
        )
    );
}

#[test]
fn faults_of_the_file_end_with_code_1() {
    let place = Place::with("t.csv", TABLE);
    for (args, expected) in [
        (
            "no.csv",
            "no.csv: cannot be read: No such file or directory",
        ),
        (
            "t.csv",
            r#"t.csv, line 2, column 1 ("id"): expected a number"#,
        ),
        (
            "t.csv --target Y",
            r#"t.csv: expected the target column "Y", got none of that name; did you mean "y"?"#,
        ),
        (
            "t.csv --keep idd",
            r#"expected the kept column "idd", got none of that name; did you mean "id"?"#,
        ),
        (
            "t.csv --keep id,a,b,y",
            "t.csv: expected a column besides target, weight, group, time and ignored ones",
        ),
    ] {
        let message = place.failure(
            1,
            &format!("corrupt {args} --mechanism mcar --rate 0.5 -o out.csv"),
        );
        assert!(message.starts_with("error: "), "{message}");
        assert!(message.contains(expected), "{message}");
    }
    let message = place.failure(
        1,
        "corrupt t.csv --keep id --mechanism columns --columns q -o out.csv",
    );
    assert!(
        message.contains(r#"expected the corrupted column "q""#),
        "{message}"
    );
}

#[test]
fn contradicting_flags_end_with_code_2() {
    let place = Place::with("t.csv", "a,b\n1,2\n");
    for (args, expected) in [
        (
            "--mechanism mcar",
            "--mechanism mcar: expected --rate, got none",
        ),
        (
            "--mechanism mcar --beta 0.5",
            "--mechanism mcar: expected --rate, got --beta",
        ),
        (
            "--mechanism dependent --rate 0.5",
            "--mechanism dependent: expected --beta, got none",
        ),
        (
            "--mechanism columns",
            "--mechanism columns: expected --columns, got none",
        ),
        (
            "--mechanism mcar --rate 1",
            "--rate: expected a number from 0 up to, but not including, 1, got 1",
        ),
        (
            "--mechanism mcar --rate x",
            "invalid value 'x' for '--rate <RATE>'",
        ),
        (
            "--mechanism guess --rate 0.1",
            "invalid value 'guess' for '--mechanism <NAME>'",
        ),
        (
            "--mechanism mcar --rate 0.1 --mask-out ./o.csv",
            "--mask-out: expected another place than --output",
        ),
    ] {
        let message = place.failure(2, &format!("corrupt t.csv -o o.csv {args}"));
        assert!(message.contains(expected), "{message}");
    }
}
