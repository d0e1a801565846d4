use super::model::fitted;
use super::{Place, holey};

#[test]
fn only_holes_change_and_all_of_them_do() {
    let place = fitted();
    let table = "note,c,a,y,b\r\nx,NA,1.50,\"9\",2\r\n\"y, z\",+3,\"2\",,\r\n\r\nw, ? ,4e0,1,7";
    place.write("new.csv", table);
    place.success("impute m new.csv -o out.csv");
    let filled = place.read("out.csv");
    let rows: Vec<&str> = filled.split("\r\n").collect();
    assert_eq!(rows[0], "note,c,a,y,b");
    assert!(
        rows[1].starts_with("x,") && rows[1].ends_with(",1.50,\"9\",2"),
        "{filled}"
    );
    assert!(rows[2].starts_with("\"y, z\",+3,\"2\",,"), "{filled}");
    assert_eq!(rows[3], "");
    assert!(rows[4].ends_with(",4e0,1,7"), "{filled}");
    for (row, cell) in [(1, 1), (4, 1)] {
        assert!(
            rows[row]
                .split(',')
                .nth(cell)
                .unwrap()
                .parse::<f64>()
                .is_ok(),
            "{filled}"
        );
    }
    assert!(
        rows[2].rsplit(',').next().unwrap().parse::<f64>().is_ok(),
        "{filled}"
    );
    let again = place.success("impute m out.csv");
    assert_eq!(again, filled, "nothing is left to fill");
}

#[test]
fn the_report_says_what_filled_the_holes() {
    let place = fitted();
    place.write("new.csv", "a,b,c\n1,,3\n,2,\n");
    for (args, expected) in [
        (
            "impute m new.csv",
            "3 holes filled by the base mean and the correction that was learnt\n",
        ),
        (
            "impute m new.csv --by base",
            "3 holes filled by the base mean\n",
        ),
        (
            "impute plain new.csv",
            "3 holes filled by the base independent; the model has no correction to it\n",
        ),
    ] {
        if args.contains("plain") {
            place.success("fit t.csv --target y -o plain --method independent --alpha 0.01");
        }
        let run = place.run(args);
        assert_eq!((run.code, run.stderr.as_str()), (0, expected), "{args}");
    }
    assert_ne!(
        place.success("impute m new.csv"),
        place.success("impute m new.csv --by base")
    );
}

#[test]
fn the_mean_fills_holes_with_the_mean() {
    let place = Place::with("t.csv", "a,b,y\n1,5,1\n3,,2\n,7,4\n2,6,3\n");
    place.success("fit t.csv --target y -o m --method mean --alpha 0.1 --clip 0 --folds 2");
    let filled = place.success("impute m t.csv");
    assert_eq!(filled, "a,b,y\n1,5,1\n3,6.0,2\n2.0,7,4\n2,6,3\n");
}

#[test]
fn a_feature_without_values_keeps_its_holes_and_faults_end_with_code_1() {
    let place = Place::with("t.csv", "a,b,y\n1,,1\n3,,2\n,,4\n2,,3\n");
    place.success("fit t.csv --target y -o m --method mean --alpha 0.1");
    let run = place.run("impute m t.csv");
    assert!(run.stdout.ends_with(",,4\n2,,3\n"), "{}", run.stdout);
    assert!(run.stderr.ends_with("1 holes filled by the base mean; the model has no correction to it; 4 left in features that were never observed in training\n"), "{}", run.stderr);
    place.write("u.csv", "p,q\n1,2\n");
    let message = place.failure(1, "impute m u.csv -o o");
    assert!(
        message.contains("expected columns of the model"),
        "{message}"
    );
    let message = place.failure(2, "impute m t.csv -o t.csv");
    assert!(
        message.contains("--output: expected another file than the input"),
        "{message}"
    );
    place.write("s.csv", &holey(50));
    place.success("stream s.csv --target y --model s");
    let message = place.failure(1, "impute s t.csv");
    assert!(
        message.contains("expected a model of gapfit fit, got one of gapfit stream"),
        "{message}"
    );
}

#[test]
fn tables_that_are_no_text_come_out_as_csv() {
    let place = fitted();
    let lines = [
        r#"{"note": "x, y", "a": 1.50, "b": null, "c": "3"}"#,
        r#"{"c": 2, "note": null, "a": 4}"#,
    ];
    place.write("new.ndjson", &lines.join("\n"));
    place.write("new.csv", "note,a,b,c\n\"x, y\",1.50,,3\n,4,,2\n");
    let run = place.run("impute m new.ndjson");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stderr
            .ends_with("2 holes filled by the base mean and the correction that was learnt\n"),
        "{}",
        run.stderr
    );
    assert_eq!(run.stdout, place.success("impute m new.csv"));
}
