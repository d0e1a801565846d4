use super::Place;
use super::shell::{steady, typed};
use std::time::Instant;

/// Takes a walk, then types each of its commands; returns what the walk printed.
fn walked(place: &Place, command: &str, files: &[&str]) -> String {
    let start = Instant::now();
    let walk = typed(place, command);
    assert!(start.elapsed().as_secs() < 60);
    let commands: Vec<&str> = walk
        .lines()
        .filter_map(|line| line.strip_prefix("$ "))
        .collect();
    let names: Vec<&str> = commands
        .iter()
        .map(|c| c.split(' ').nth(1).unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "profile", "compare", "fit", "inspect", "predict", "evaluate"
        ]
    );
    for command in commands {
        assert!(command.contains("'my tour/"), "{command}");
        let output = typed(place, command);
        assert!(
            steady(&walk).contains(&steady(&output)),
            "{command}\n{output}"
        );
    }
    let mut found: Vec<String> = std::fs::read_dir(place.path("my tour"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    assert_eq!(found, files);
    let shown = place.read("my tour/predictions.csv");
    let shown: Vec<&str> = shown.lines().take(4).collect();
    assert!(walk.contains(&shown.join("\n")), "{walk}");
    walk
}

#[test]
fn the_walk_ends_in_seconds_and_its_commands_work_when_typed() {
    let files = [
        "later.csv",
        "predictions.csv",
        "rings.gapfit",
        "rings.html",
        "snails.csv",
    ];
    walked(&Place::new(), "gapfit demo --out 'my tour'", &files);
}

#[test]
fn another_walk_leads_to_classes() {
    let files = [
        "age.gapfit",
        "age.html",
        "later.csv",
        "predictions.csv",
        "snails.csv",
    ];
    let place = Place::new();
    let walk = walked(&place, "gapfit demo classes --out 'my tour'", &files);
    for part in [
        "prediction,proba_old,proba_young",
        "log-loss",
        "calibration error",
        "held out:",
    ] {
        assert!(walk.contains(part), "{part}\n{walk}");
    }
    let page = place.read("my tour/age.html");
    for figure in ["id=\"roc\"", "id=\"calibration\""] {
        assert!(page.contains(figure), "{figure}");
    }
}

#[test]
fn the_walk_never_writes_into_a_folder_that_has_files() {
    let place = Place::new();
    std::fs::create_dir(place.path("gapfit-demo")).unwrap();
    place.write("gapfit-demo/mine.csv", "x\n");
    let message = place.failure(1, "demo");
    let expected =
        "gapfit-demo: expected a new or an empty folder, got one with files in it\nhint: ";
    assert!(message.contains(expected), "{message}");
    assert_eq!(place.read("gapfit-demo/mine.csv"), "x\n");
    assert_eq!(
        std::fs::read_dir(place.path("gapfit-demo"))
            .unwrap()
            .count(),
        1
    );
    place.write("file", "");
    let message = place.failure(1, "demo --out file");
    assert!(message.contains("file: cannot be made"), "{message}");
}

#[test]
fn an_empty_folder_will_do() {
    let place = Place::new();
    std::fs::create_dir(place.path("here")).unwrap();
    let walk = place.run("demo --out here --quiet");
    assert_eq!((walk.code, walk.stderr.as_str()), (0, ""));
}
