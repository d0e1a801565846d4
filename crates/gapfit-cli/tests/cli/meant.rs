//! Did you mean ...? In every place that takes a name.

use super::Place;

/// A table with a hole, a model of it, and the same rows as NDJSON.
fn place() -> Place {
    let place = Place::new();
    let rows = (0..40).map(|i| {
        let beta = if i % 4 == 0 {
            String::new()
        } else {
            format!("{}", i % 5)
        };
        format!("{},{beta},2024-01-{:02},{}\n", i % 7, 1 + i % 28, i % 3)
    });
    place.write(
        "t.csv",
        &format!("alpha,beta,when,price\n{}", rows.collect::<String>()),
    );
    place.write(
        "t.ndjson",
        "{\"alpha\":1,\"price\":2}\n{\"alpha\":2,\"price\":3}\n",
    );
    place.success("fit t.csv --target price --alpha 1 --gamma 1 -o m");
    place
}

#[test]
fn a_column_that_was_meant_is_named_wherever_columns_are() {
    let place = place();
    let fit = "fit t.csv --target price -o o";
    let compare = "compare t.csv --target price --methods mean";
    let corrupt = "corrupt t.csv --keep when --mechanism";
    for (args, flags) in [
        ("fit t.csv -o o", &["--target pirce"][..]),
        ("compare t.csv", &["--target pirce"]),
        (
            fit,
            &[
                "--weight alpah",
                "--ignore wehn",
                "--id wehn",
                "--numeric alpah",
                "--categorical alpah",
                "--dates wehn",
                "--group alpah",
                "--time wehn",
            ],
        ),
        (
            compare,
            &[
                "--weight alpah",
                "--ignore wehn",
                "--id wehn",
                "--numeric alpah",
                "--categorical alpah",
                "--dates wehn",
                "--group alpah",
                "--time wehn",
            ],
        ),
        ("profile t.csv", &["--target pirce", "--ignore wehn"]),
        ("predict m t.csv", &["--id pirce"]),
        ("evaluate m t.csv", &["--target pirce", "--weight pirce"]),
        ("bounds m t.csv", &["--weight pirce"]),
        ("stream t.csv --ignore when", &["--target pirce"]),
        (
            "stream t.csv --target price",
            &["--weight alpah", "--id wehn", "--ignore wehn"],
        ),
        (
            corrupt,
            &["mcar --rate 0.1 --target pirce", "columns --columns alpah"],
        ),
        (
            "corrupt t.csv --mechanism mcar --rate 0.1",
            &["--keep wehn"],
        ),
    ] {
        for flag in flags {
            let message = place.failure(1, &format!("{args} {flag}"));
            assert!(
                message.contains("; did you mean "),
                "{args} {flag}\n{message}"
            );
            assert!(message.contains("\nhint: "), "{args} {flag}\n{message}");
        }
    }
}

#[test]
fn a_command_a_flag_and_a_value_that_were_meant_are_named() {
    let place = place();
    for (args, meant) in [
        ("profle", "a similar subcommand exists: 'profile'"),
        (
            "fit t.csv --taget y -o o",
            "a similar argument exists: '--target'",
        ),
        ("profile t.csv --jsn", "a similar argument exists: '--json'"),
        ("compare --grid papr", "a similar value exists: 'paper'"),
        (
            "predict m t.csv --on-new-missing wran",
            "a similar value exists: 'warn'",
        ),
    ] {
        let message = place.failure(2, args);
        assert!(message.contains(meant), "{args}\n{message}");
    }
}

#[test]
fn a_column_that_is_probably_a_feature_of_the_model_is_pointed_out() {
    let place = place();
    let table = place.read("t.csv").replace("alpha", "alpah");
    place.write("new.csv", &table);
    let run = place.run("predict m new.csv");
    let expected = "the model does not know \"alpah\": ignored; did you mean \"alpha\"?";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
}

#[test]
fn a_stream_of_objects_without_the_target_says_which_key_was_probably_meant() {
    let place = place();
    let run = place.run("stream t.ndjson --target pirce");
    assert!(
        run.stderr
            .contains("no row had \"pirce\"; did you mean \"price\"?"),
        "{}",
        run.stderr
    );
    let run = place.run("stream t.ndjson --target price");
    assert!(!run.stderr.contains("did you mean"), "{}", run.stderr);
}
