use super::{Place, holey, json};

/// A place with a table and a file of flags.
fn place(config: &str) -> Place {
    let place = Place::with("t.csv", &holey(80));
    place.write("gapfit.toml", config);
    place
}

#[test]
fn a_model_is_the_same_by_flags_from_a_file_and_by_typed_ones() {
    let place =
        place("quiet = true\n[fit]\ntarget = \"y\"\nalpha = 0.5\ngamma = 1\nignore = [\"c\"]\n");
    let run = place.run("fit t.csv -o a.gapfit --config gapfit.toml");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    place.success("fit t.csv -o b.gapfit --target y --alpha 0.5 --gamma 1 --ignore c");
    let [a, b] = ["a.gapfit", "b.gapfit"].map(|m| std::fs::read(place.path(m)).unwrap());
    assert!(a == b);
}

#[test]
fn what_is_typed_wins() {
    let place = place("[fit]\ntarget = \"y\"\nmethod = \"mean\"\nalphas = [1, 2]\nfolds = 3\n");
    let report =
        json(&place.success("--config gapfit.toml fit t.csv -o m --json --alpha 0.25 --folds 4"));
    assert_eq!(
        (&report["method"], &report["alpha"]),
        (&"mean".into(), &0.25.into())
    );
    let report = json(&place.success("--config gapfit.toml fit t.csv -o m --json --method mask"));
    assert_eq!(report["method"], "mask");
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_line_and_what_was_meant() {
    let fit = "fit t.csv --target y -o m --config gapfit.toml";
    for (config, args, expected) in [
        (
            "[fit]\n\nfold = 3\n",
            fit,
            "gapfit.toml, line 3: expected a flag of gapfit fit, got \"fold\"; did you mean \"folds\"?",
        ),
        (
            "[comparre]\n",
            fit,
            "line 1: expected a table for a command of gapfit, got [comparre]; did you mean \"compare\"?",
        ),
        (
            "thread = 3\n",
            fit,
            "expected a flag of every command, got \"thread\"; did you mean \"threads\"?",
        ),
        (
            "alpha = 3\n",
            fit,
            "got \"alpha\", which belongs under [fit]",
        ),
        (
            "[fit]\nfile = \"t.csv\"\n",
            fit,
            "got \"file\", an argument that is given on the command line",
        ),
        (
            "[fit]\nfolds = \"five\"\n",
            fit,
            "line 2, folds: expected a whole number from 2 to the number of rows, got \"five\"",
        ),
        (
            "[fit]\nmethod = \"irrr\"\n",
            fit,
            "line 2, method: expected irr, zero, mean, independent, gaussian, mask, lifted or irr:BASE, got irrr",
        ),
        (
            "[fit]\ngrid = \"papr\"\n",
            fit,
            "line 2, grid: expected default or paper, got \"papr\"; did you mean \"paper\"?",
        ),
        (
            "[fit]\njson = 1\n",
            fit,
            "line 2, json: expected true or false, got 1",
        ),
        (
            "[fit]\nalpha = [1]\n",
            fit,
            "line 2, alpha: expected a text or a number, got [1]",
        ),
        (
            "[fit]\nignore = [\"a,b\"]\n",
            fit,
            "line 2, ignore: expected a list of texts or numbers, none of them with a comma in it",
        ),
        (
            "[fit]\nignore = true\n",
            fit,
            "line 2, ignore: expected a text, a number, or a list of them, got true",
        ),
        ("[fit\n", fit, "gapfit.toml, line 1: expected TOML"),
        // a table of another command is checked as well
        ("[stream]\nevry = 3\n", fit, "did you mean \"every\"?"),
    ] {
        let message = place(config).failure(2, args);
        assert!(message.contains(expected), "{config}\n{message}");
        assert!(message.contains("try '--help'"), "{config}\n{message}");
    }
}

#[test]
fn a_typed_value_that_is_wrong_is_not_blamed_on_the_file() {
    let place = place("[fit]\nfolds = 3\nalphas = [1]\n");
    let fit = "--config gapfit.toml fit t.csv --target y -o m";
    for flags in ["--folds five", "--folds=five", "--folds five --alpha 1"] {
        let message = place.failure(2, &format!("{fit} {flags}"));
        let expected = "error: invalid value 'five' for '--folds <K>'";
        assert!(message.starts_with(expected), "{flags}\n{message}");
    }
    let message = place.failure(2, &format!("{fit} --fold 3"));
    assert!(
        message.contains("a similar argument exists: '--folds'"),
        "{message}"
    );
}

#[test]
fn a_demand_of_a_flag_from_a_file_names_the_file() {
    let message =
        place("[stream]\nevery = 3\n").failure(2, "stream t.csv --target y --config gapfit.toml");
    assert!(message.contains("--checkpoint <FILE>"), "{message}");
    assert!(
        message.contains("hint: gapfit.toml sets --every <N>"),
        "{message}"
    );
}

#[test]
fn a_file_that_is_not_there_is_named_and_help_needs_none() {
    let place = Place::new();
    let message = place.failure(1, "fit t.csv --target y -o m --config none.toml");
    assert!(message.contains("none.toml: cannot be read"), "{message}");
    assert!(message.contains("hint: "), "{message}");
    assert!(
        place
            .success("fit --config none.toml --help")
            .contains("Examples:")
    );
}
