use super::Place;
use std::process::Command;

/// What bash offers for the last of some words, once the script is sourced.
fn offered(place: &Place, words: &[&str]) -> Option<String> {
    let script = format!(
        "source ./gapfit.bash; COMP_WORDS=({}); COMP_CWORD={}; _gapfit gapfit '{}' '{}'; echo \"${{COMPREPLY[@]}}\"",
        words.join(" "),
        words.len() - 1,
        words[words.len() - 1],
        words[words.len() - 2],
    );
    let mut bash = Command::new("bash");
    let bash = bash.current_dir(place.path("")).args(["-c", &script]);
    let output = bash.output().ok()?;
    Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

#[test]
fn bash_accepts_its_script_and_completes_commands_flags_and_values() {
    let place = Place::new();
    place.write("gapfit.bash", &place.success("completions bash"));
    let Some(profile) = offered(&place, &["gapfit", "prof"]) else {
        return; // no bash here
    };
    assert_eq!(profile, "profile");
    assert_eq!(
        offered(&place, &["gapfit", "fit", "--targ"]).unwrap(),
        "--target"
    );
    assert_eq!(
        offered(&place, &["gapfit", "fit", "--conf"]).unwrap(),
        "--config"
    );
    assert_eq!(
        offered(&place, &["gapfit", "predict", "--on-new-missing", "w"]).unwrap(),
        "warn"
    );
    let check = Command::new("bash")
        .arg("-n")
        .arg(place.path("gapfit.bash"))
        .output();
    let check = check.unwrap();
    assert!(check.status.success() && check.stderr.is_empty());
}

#[test]
fn every_shell_has_a_script_that_knows_the_commands() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = place.success(&format!("completions {shell}"));
        for word in ["evaluate", "simulate-holes", "on-new-missing"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let message = place.failure(2, "completions bsh");
    assert!(
        message.contains("a similar value exists: 'bash'"),
        "{message}"
    );
}
