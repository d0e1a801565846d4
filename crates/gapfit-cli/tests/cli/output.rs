use super::Place;
use std::fs;

const COPY: &str = "corrupt t.csv --mechanism mcar --rate 0 -o";

#[test]
fn a_failed_run_leaves_the_old_file_and_nothing_else() {
    let place = Place::with("t.csv", "a\nx\n");
    place.write("out.csv", "old");
    place.failure(1, &format!("{COPY} out.csv"));
    assert_eq!(place.read("out.csv"), "old");
    assert_eq!(place.files(), ["out.csv", "t.csv"]);
}

#[test]
fn a_finished_run_replaces_the_old_file_and_may_replace_its_input() {
    let place = Place::with("t.csv", "a\n1\n");
    place.write("out.csv", "old");
    place.success(&format!("{COPY} out.csv"));
    assert_eq!(place.read("out.csv"), "a\n1\n");
    place.success("corrupt t.csv --mechanism columns --columns a -o t.csv");
    assert_eq!(place.read("t.csv"), "a\n\"\"\n");
    assert_eq!(place.files(), ["out.csv", "t.csv"]);
}

#[test]
fn places_that_cannot_be_written_are_refused_with_the_reason() {
    let place = Place::with("t.csv", "a\n1\n");
    fs::create_dir(place.path("folder")).unwrap();
    for (to, expected) in [
        (
            "folder",
            "error: folder: cannot be written: expected a file, got a folder\n",
        ),
        (
            "no/o.csv",
            "error: no/o.csv: cannot be written: expected a folder no, got none\n",
        ),
    ] {
        let hint =
            "hint: give another place by -o, or make the folder and see to its permissions\n";
        let message = place.failure(1, &format!("{COPY} {to}"));
        assert_eq!(message, format!("{expected}{hint}"));
    }
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    use std::process::{Command, Stdio};

    fn mode(place: &Place, name: &str) -> u32 {
        fs::metadata(place.path(name)).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_pipe_is_written_to_and_stays_a_pipe() {
        let place = Place::with("t.csv", "a\n1\n");
        let pipe = place.path("pipe");
        assert!(
            Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        let reader = {
            let pipe = pipe.clone();
            std::thread::spawn(move || fs::read_to_string(pipe).unwrap())
        };
        place.success(&format!("{COPY} pipe"));
        assert_eq!(reader.join().unwrap(), "a\n1\n");
        assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    }

    #[test]
    fn a_device_is_written_to_and_its_failure_told() {
        let place = Place::with("t.csv", "a\n1\n");
        place.success(&format!("{COPY} /dev/null"));
        assert!(
            fs::metadata("/dev/null")
                .unwrap()
                .file_type()
                .is_char_device()
        );
        if fs::metadata("/dev/full").is_ok() {
            let message = place.failure(1, &format!("{COPY} /dev/full"));
            assert!(
                message.starts_with("error: /dev/full: No space left"),
                "{message}"
            );
        }
    }

    #[test]
    fn a_link_stays_a_link_and_permissions_stay_as_they_were() {
        let place = Place::with("t.csv", "a\n1\n");
        place.write("real.csv", "old");
        fs::set_permissions(place.path("real.csv"), fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real.csv", place.path("link.csv")).unwrap();
        place.success(&format!("{COPY} link.csv"));
        assert!(
            fs::symlink_metadata(place.path("link.csv"))
                .unwrap()
                .is_symlink()
        );
        assert_eq!(place.read("real.csv"), "a\n1\n");
        assert_eq!(mode(&place, "real.csv"), 0o640);
        place.success(&format!("{COPY} new.csv"));
        assert_eq!(mode(&place, "new.csv"), mode(&place, "t.csv"));
    }

    #[test]
    fn a_reader_that_goes_away_ends_the_run_quietly() {
        let place = Place::with("t.csv", &format!("a\n{}", "1\n".repeat(200_000)));
        let mut run = Command::new(assert_cmd::cargo::cargo_bin!("gapfit"))
            .current_dir(place.path(""))
            .args(format!("{COPY} -").split_whitespace())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(run.stdout.take());
        let output = run.wait_with_output().unwrap();
        assert!(output.status.success());
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    }
}
