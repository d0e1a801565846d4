use super::Place;
use std::process::Command;

#[test]
fn there_is_a_page_for_each_command_with_notes_and_examples() {
    let place = Place::new();
    let run = place.run("man --output pages/man1");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let help = place.success("--help");
    let commands = help.split_once("Commands:\n").unwrap().1;
    let commands = commands.lines().take_while(|line| !line.is_empty());
    let names = commands.map(|line| line.split_whitespace().next().unwrap());
    for name in names.filter(|name| *name != "help") {
        let page = place.read(&format!("pages/man1/gapfit-{name}.1"));
        for part in [
            ".TH gapfit-",
            ".SH NAME",
            ".SH SYNOPSIS",
            ".SH OPTIONS",
            ".SH EXAMPLES",
        ] {
            assert!(page.contains(part), "{name}: {part}\n{page}");
        }
        assert_eq!(place.success(&format!("man {name}")), page);
    }
    let page = place.read("pages/man1/gapfit.1");
    assert!(page.contains("gapfit\\-fit(1)"), "{page}");
}

#[test]
fn groff_sets_every_page_without_a_warning() {
    let place = Place::new();
    place.success("man --output pages");
    for page in std::fs::read_dir(place.path("pages")).unwrap() {
        let page = page.unwrap().path();
        let mut groff = Command::new("groff");
        let Ok(output) = groff
            .args(["-k", "-man", "-Tutf8", "-ww"])
            .arg(&page)
            .output()
        else {
            return; // no groff here
        };
        let warnings = String::from_utf8(output.stderr).unwrap();
        assert_eq!(warnings, "", "{}", page.display());
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("gapfit"), "{}", page.display());
    }
}

#[test]
fn an_unknown_command_has_no_page() {
    let place = Place::new();
    let message = place.failure(2, "man comparee");
    assert!(message.contains("did you mean \"compare\"?"), "{message}");
    place.write("taken", "");
    let message = place.failure(1, "man --output taken");
    assert!(message.contains("taken: cannot be made"), "{message}");
    assert!(message.contains("hint: "), "{message}");
}
