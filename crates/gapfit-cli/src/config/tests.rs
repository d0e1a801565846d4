use super::*;
use clap::builder::PossibleValue;

fn words(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

/// The arguments that come of a line and the text of a file.
fn merged(text: &str, line: &str) -> Vec<String> {
    let mut command = Args::command();
    command.build();
    let typed = words(line);
    let asked = Asked::of(&command, &typed).unwrap();
    let entries = entry::read(text, "f.toml", &command).unwrap();
    let entries = asked.relevant(entries, &command);
    let line = asked.line(&typed, &entries).into_iter();
    line.map(|word| word.into_string().unwrap()).collect()
}

/// Values of which every flag takes one.
fn candidates(flag: &Arg) -> Vec<String> {
    let possible = flag.get_possible_values();
    let possible = possible.iter().map(PossibleValue::get_name);
    let others = [
        "7", "0.5", "90", "a", "a,b", "irr", "mean", "exact", "squared", "standard",
    ];
    let others = others
        .into_iter()
        .chain(["free", "auto", "affine", "full", "raw"]);
    possible.chain(others).map(str::to_owned).collect()
}

/// Whether `text` sets `flag` of `name`, as far as the values of flags can tell.
fn sets(text: &str, name: &str, flag: &Arg) -> bool {
    let mut command = Args::command();
    command.build();
    let entries = entry::read(text, "f.toml", &command).unwrap();
    let mut line = words(&format!("gapfit {name}"));
    line.extend(entries.into_iter().flat_map(|entry| entry.arguments));
    // positional arguments and required flags are not what this is about
    let Ok(matches) = command.ignore_errors(true).try_get_matches_from(line) else {
        return false;
    };
    let (_, matches) = matches.subcommand().unwrap();
    matches.value_source(flag.get_id().as_str()) == Some(ValueSource::CommandLine)
}

#[test]
fn every_flag_of_every_command_can_be_set_from_a_file() {
    let mut command = Args::command();
    command.build();
    let mut count = 0;
    for of_command in command.get_subcommands().filter(|c| c.get_name() != "help") {
        let name = of_command.get_name();
        for flag in entry::settable(of_command) {
            let key = flag.get_long().unwrap();
            let values = match flag.get_action().takes_values() {
                true => candidates(flag).iter().map(|v| format!("{v:?}")).collect(),
                false => vec!["true".to_owned()],
            };
            let text = |value: &String| format!("[{name}]\n{key} = {value}\n");
            let is_set = values.iter().any(|value| sets(&text(value), name, flag));
            assert!(is_set, "{name}: {key}");
            count += 1;
        }
    }
    assert!(count > 120, "{count}");
}

#[test]
fn what_is_typed_wins_over_the_file_and_over_what_conflicts_in_it() {
    let text = "threads = 2\n[fit]\nfolds = 3\nalphas = [1, 0.5]\ngroup = \"g\"\n";
    let line = "gapfit --config f.toml fit t.csv --target y -o m";
    let front = words("gapfit --config f.toml fit").len();
    assert_eq!(
        merged(text, line)[front..].join(" "),
        "--alphas=1 --alphas=0.5 --folds=3 --group=g --threads=2 t.csv --target y -o m"
    );
    let typed = format!("{line} --folds 4 --alpha 1 --time t --threads 1");
    assert_eq!(merged(text, &typed).len(), words(&typed).len());
}

#[test]
fn a_table_of_a_command_says_more_than_the_top() {
    let text = "threads = 2\n[fit]\nthreads = 3\n[compare]\nfolds = 9\n";
    let line = merged(text, "gapfit fit --config f.toml t.csv");
    assert_eq!(line[..3], ["gapfit", "fit", "--threads=3"]);
    assert_eq!(line.len(), 6);
}

#[test]
fn a_file_may_have_the_name_of_a_command() {
    let line = merged("quiet = true\n", "gapfit --config fit fit t.csv");
    assert_eq!(
        line,
        ["gapfit", "--config", "fit", "fit", "--quiet", "t.csv"]
    );
}

#[test]
fn switches_that_are_off_and_values_that_may_be_left_out() {
    assert_eq!(
        merged("quiet = false\n", "gapfit inspect m --config f").len(),
        5
    );
    let explain = |value: &str| {
        let text = format!("[predict]\nexplain = {value}\n");
        merged(&text, "gapfit predict --config f m t")[2].clone()
    };
    assert_eq!(explain("true"), "--explain");
    assert_eq!(explain("\"long\""), "--explain=long");
    assert_eq!(explain("false"), "--config");
}
