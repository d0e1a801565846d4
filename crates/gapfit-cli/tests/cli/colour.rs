use super::Place;
use assert_cmd::Command;

/// What a run says on both streams, under an environment of these settings alone.
fn said(place: &Place, args: &str, settings: &[(&str, &str)]) -> String {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("gapfit"));
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    let command = command
        .current_dir(place.path(""))
        .args(args.split_whitespace());
    let output = command.envs(settings.iter().copied()).output().unwrap();
    [output.stdout, output.stderr]
        .map(|bytes| String::from_utf8(bytes).unwrap())
        .concat()
}

#[test]
fn colour_is_for_terminals_and_for_who_forces_it_and_never_against_no_color() {
    let place = Place::with("t.csv", "x,y\n1,2\n2,\n3,4\n4,6\n");
    let force = ("CLICOLOR_FORCE", "1");
    for (args, painted) in [
        ("--help", "\u{1b}["),
        ("fit --no-such-flag", "\u{1b}["),
        ("inspect none", "\u{1b}[1m\u{1b}[31merror:\u{1b}[0m none: "),
        ("inspect none", "\u{1b}[1m\u{1b}[36mhint:\u{1b}[0m "),
        (
            "fit t.csv --target y --alpha 1 --gamma 1 -o m",
            "\u{1b}[1m\u{1b}[33mwarning:\u{1b}[0m t.csv: 1 of 4 rows have no target",
        ),
    ] {
        assert!(said(&place, args, &[force]).contains(painted), "{args}");
        for settings in [&[][..], &[("NO_COLOR", "1"), force], &[("NO_COLOR", "1")]] {
            let text = said(&place, args, settings);
            assert!(
                !text.is_empty() && !text.contains('\u{1b}'),
                "{args}: {text}"
            );
        }
    }
}
