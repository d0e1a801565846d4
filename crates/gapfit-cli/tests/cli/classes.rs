//! Targets that are classes, in every command.

use super::{Place, json, keys};
use serde_json::Value;

/// A table `a,b,c,kind` with labels by a linear law; `b` is missing more often where it is large.
fn labelled(rows: usize, label: impl Fn(f64) -> &'static str) -> String {
    let mut text = "a,b,c,kind\n".to_owned();
    for i in 0..rows {
        let [a, b, c] = [7, 11, 13].map(|step| f64::from((i * step % 101) as u32) / 10.0);
        let noise = f64::from((i * 29 % 17) as u32) / 4.0;
        let hole = |is_hole: bool, x: f64| {
            if is_hole {
                String::new()
            } else {
                x.to_string()
            }
        };
        text += &format!(
            "{a},{},{},{}\n",
            hole(b > 6.0 && i % 3 != 0, b),
            hole(i % 4 == 0, c),
            label(a - b + 0.5 * c + noise)
        );
    }
    text
}

fn two(score: f64) -> &'static str {
    if score > 4.0 { "sick" } else { "healthy" }
}

fn three(score: f64) -> &'static str {
    match score {
        score if score > 6.5 => "high",
        score if score > 2.0 => "mid dle",
        _ => "low",
    }
}

const FIXED: &str = "--alpha 0.01 --gamma 1";

/// Two and three classes, and a model of each.
fn place() -> Place {
    let place = Place::with("two.csv", &labelled(200, two));
    place.write("three.csv", &labelled(240, three));
    place.success(&format!("fit two.csv --target kind -o two {FIXED}"));
    place.success(&format!("fit three.csv --target kind -o three {FIXED}"));
    place
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn the_task_is_recognised_and_said() {
    let place = place();
    let fit = |args: &str| {
        place
            .run(&format!("fit {args} -o m {FIXED} --no-calibration"))
            .stderr
    };
    assert!(
        fit("two.csv --target kind")
            .contains("task: classification of \"kind\", 2 classes: healthy, sick\n"),
    );
    assert!(!fit("two.csv --target a --ignore kind").contains("task:"));
    let table = "x,y\n1,0\n2,1\n3,1\n4,0\n";
    place.write("pair.csv", table);
    let said = fit("pair.csv --target y");
    assert!(
        said.contains("2 classes: 0, 1; --task regression predicts it as a number"),
        "{said}"
    );
    let said = fit("pair.csv --target y --task regression");
    assert!(!said.contains("task:"), "{said}");
    let report = place.success(&format!(
        "fit pair.csv --target y -o m {FIXED} --no-calibration --task regression --json"
    ));
    assert_eq!(json(&report)["task"], "regression");
    for (args, task) in [
        ("--loss logistic", "classification"),
        ("--loss huber=1", "regression"),
        (
            "--task classification --loss squared-hinge",
            "classification",
        ),
    ] {
        let args = format!("fit pair.csv --target y -o m {FIXED} --no-calibration --json {args}");
        assert_eq!(json(&place.success(&args))["task"], task, "{args}");
    }
}

#[test]
fn fit_prints_the_scores_of_held_out_rows() {
    let place = place();
    let run = place.run(&format!("fit three.csv --target kind -o m {FIXED} --json"));
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = json(&run.stdout);
    let scores = &report["held_out"];
    assert_eq!(
        keys(scores),
        ["accuracy", "auc", "brier", "calibration_error", "log_loss"]
    );
    assert!(number(&scores["accuracy"]) > 0.6, "{scores}");
    assert!(number(&scores["log_loss"]) < 0.9, "{scores}");
    assert_eq!(
        report["classes"],
        serde_json::json!(["high", "low", "mid dle"])
    );
    let said = place
        .run(&format!("fit three.csv --target kind -o m {FIXED}"))
        .stderr;
    for part in [
        "held-out rows: log-loss 0.",
        "accuracy 0.",
        "AUC 0.",
        "Brier 0.",
        "calibration error 0.",
    ] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn a_model_keeps_the_scores_of_held_out_rows() {
    let place = place();
    for (args, names) in [
        ("three.csv", "accuracy auc brier calibration_error log_loss"),
        (
            "two.csv --class-weight balanced",
            "accuracy auc brier calibration_error log_loss",
        ),
        ("two.csv --loss squared-hinge", "accuracy auc"),
    ] {
        let told = place.success(&format!("fit {args} --target kind -o m {FIXED} --json"));
        let mut told = json(&told)["held_out"].clone();
        assert_eq!(keys(&told), names.split(' ').collect::<Vec<_>>(), "{args}");
        told["folds"] = 5.into();
        let card = json(&place.success("inspect m --json"));
        assert_eq!(card["held_out"], told, "{args}");
    }
    let text = place.success("inspect three");
    assert!(text.contains("held out:      log-loss 0."), "{text}");
    assert!(text.contains(" in 5 folds\n"), "{text}");
    let markdown = place.success("inspect three --markdown");
    assert!(markdown.contains("* held out: log-loss 0."), "{markdown}");
    place.success(&format!(
        "fit two.csv --target kind -o bare {FIXED} --no-calibration"
    ));
    let bare = place.success("inspect bare");
    assert!(
        bare.contains("nothing: fitted without calibration"),
        "{bare}"
    );
}

#[test]
fn parameters_are_chosen_by_the_loss_on_held_out_rows() {
    let place = place();
    let grid = "--alphas 0.0001,0.01,1 --gammas 0,1";
    let report = json(&place.success(&format!("fit two.csv --target kind -o m {grid} --json")));
    let bases = report["bases"].as_array().unwrap();
    assert_eq!(bases.len(), 4);
    assert!(
        bases.iter().all(|base| number(&base["loss"]) < 0.69),
        "{report}"
    );
    assert!(number(&report["alpha"]) < 1.0);
}

#[test]
fn predictions_are_labels_with_the_probability_of_every_class() {
    let place = place();
    let csv = place.success("predict three three.csv");
    let mut lines = csv.lines();
    assert_eq!(
        lines.next(),
        Some("prediction,proba_high,proba_low,proba_mid dle")
    );
    let table = place.read("three.csv");
    let labels = table
        .lines()
        .skip(1)
        .map(|line| line.rsplit(',').next().unwrap());
    let mut right = 0;
    for (line, label) in lines.by_ref().zip(labels) {
        let cells: Vec<&str> = line.split(',').collect();
        let shares: Vec<f64> = cells[1..]
            .iter()
            .map(|cell| cell.parse().unwrap())
            .collect();
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{line}");
        let most = shares.iter().copied().fold(0.0, f64::max);
        let place = ["high", "low", "mid dle"]
            .iter()
            .position(|class| *class == cells[0]);
        assert!(shares[place.unwrap()] >= most, "{line}");
        right += usize::from(cells[0] == label);
    }
    assert!(right > 150, "{right}");
    let objects = place.success("predict three three.csv --json --id kind");
    for (line, object) in csv.lines().skip(1).zip(objects.lines()) {
        let (object, cells) = (json(object), line.split(',').collect::<Vec<_>>());
        assert_eq!(object["prediction"], cells[0]);
        for (key, cell) in ["proba_high", "proba_low", "proba_mid dle"]
            .iter()
            .zip(&cells[1..])
        {
            assert_eq!(
                number(&object[key]).to_string(),
                cell.parse::<f64>().unwrap().to_string()
            );
        }
    }
}

#[test]
fn explanations_add_up_to_the_logarithm_of_the_odds() {
    let place = place();
    let text = place.success("predict two two.csv --explain --json");
    for object in text.lines().map(json) {
        let odds = (number(&object["proba_sick"]) / number(&object["proba_healthy"])).ln();
        let parts = object["contributions"].as_object().unwrap().values();
        let sum = number(&object["base"]) + parts.map(number).sum::<f64>();
        assert!((sum - odds).abs() < 1e-6, "{object}");
    }
    let header = place.success("predict two two.csv --explain");
    assert!(header.starts_with(
        "prediction,proba_healthy,proba_sick,base,contribution_a,contribution_b,contribution_c\n"
    ));
}

#[test]
fn explanations_add_up_to_the_score_of_each_of_many_classes() {
    let place = place();
    let text = place.success("predict three three.csv --explain --json");
    for object in text.lines().map(json) {
        let contributions = object["contributions"].as_object().unwrap();
        let scores: Vec<(f64, f64)> = contributions
            .iter()
            .map(|(class, parts)| {
                let parts = parts.as_object().unwrap().values();
                let score = number(&object["base"][class]) + parts.map(number).sum::<f64>();
                (score, number(&object[&format!("proba_{class}")]))
            })
            .collect();
        assert!(scores.len() == 3);
        // a softmax: logarithms of probabilities differ as the scores do
        let off = |&(score, share): &(f64, f64)| score - share.ln();
        assert!(
            scores
                .iter()
                .all(|s| (off(s) - off(&scores[0])).abs() < 1e-6),
            "{object}"
        );
    }
    let long = place.success("predict three three.csv --explain=long");
    assert!(
        long.starts_with("row,class,part,feature,contribution\n"),
        "{long}"
    );
}

#[test]
fn evaluate_scores_probabilities_overall_and_by_what_is_missing() {
    let place = place();
    let text = place.success("evaluate two two.csv");
    let head: Vec<&str> = text.lines().next().unwrap().split_whitespace().collect();
    let names = "missing rows log-loss accuracy AUC Brier calibration error";
    assert_eq!(head, names.split(' ').collect::<Vec<_>>());
    let report = json(&place.success("evaluate two two.csv --json"));
    assert_eq!(report["n_rows"], 200);
    let groups = report["by_missing"].as_array().unwrap();
    assert_eq!(groups.len(), 3);
    let weigh = |key: &str| {
        let part = |group: &Value| number(&group["n_rows"]) * number(&group[key]);
        groups.iter().map(part).sum::<f64>() / 200.0
    };
    for key in ["log_loss", "accuracy", "brier"] {
        assert!((weigh(key) - number(&report[key])).abs() < 1e-12, "{key}");
    }
    // a file of one class only has no order to speak of
    let table = place.read("two.csv");
    let one = table.lines().filter(|line| !line.ends_with("healthy"));
    place.write(
        "one.csv",
        &one.map(|line| format!("{line}\n")).collect::<String>(),
    );
    assert!(json(&place.success("evaluate two one.csv --json"))["auc"].is_null());
}

#[test]
fn methods_are_ranked_by_log_loss_or_as_asked() {
    let place = place();
    let args = "compare two.csv --target kind --methods mean,mask --alphas 0.001,0.1 --folds 3";
    let run = place.run(args);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("; stratified folds"), "{}", run.stderr);
    for name in ["log-loss", "accuracy", "AUC", "Brier", "log-loss - best"] {
        assert!(
            run.stdout.lines().next().unwrap().contains(name),
            "{}",
            run.stdout
        );
    }
    for (metric, key, is_gain) in [
        ("", "log_loss", false),
        ("--metric auc", "auc", true),
        ("--metric accuracy", "accuracy", true),
    ] {
        let report = json(&place.success(&format!("{args} {metric} --json")));
        assert_eq!(report["metric"], key);
        assert_eq!(
            report["data"]["classes"],
            serde_json::json!(["healthy", "sick"])
        );
        let methods = report["methods"].as_array().unwrap();
        let scores: Vec<f64> = methods.iter().map(|line| number(&line[key])).collect();
        let is_sorted = if is_gain {
            scores[0] >= scores[1]
        } else {
            scores[0] <= scores[1]
        };
        assert!(is_sorted, "{report}");
        let difference = number(&methods[1]["difference"]);
        assert!(
            (difference - (scores[1] - scores[0])).abs() < 1e-12,
            "{report}"
        );
    }
}

#[test]
fn class_weights_are_row_weights_in_training_alone() {
    let place = place();
    let fit = |args: &str| {
        // without the scores, which the rows of a table with weights count differently in
        place.success(&format!(
            "fit {args} --target kind -o m {FIXED} --no-calibration"
        ));
        let model = std::fs::read(place.path("m")).unwrap();
        let args = format!("fit {args} --target kind -o m {FIXED} --json");
        (json(&place.success(&args)), model)
    };
    let (plain, _) = fit("two.csv");
    let (weighted, by_class) = fit("two.csv --class-weight sick=3");
    let table = place.read("two.csv");
    let weigh = |line: &str| match line {
        line if line.ends_with("kind") => format!("{line},w\n"),
        line if line.ends_with("sick") => format!("{line},3\n"),
        line => format!("{line},1\n"),
    };
    place.write("w.csv", &table.lines().map(weigh).collect::<String>());
    let (_, by_row) = fit("w.csv --weight w");
    assert_eq!(by_class, by_row);
    assert!(number(&weighted["held_out"]["log_loss"]) > number(&plain["held_out"]["log_loss"]));
    let (_, balanced) = fit("two.csv --class-weight balanced");
    let (_, none) = fit("two.csv --class-weight none");
    assert!(balanced != none && none != by_class);
}

#[test]
fn losses_and_ways_to_tell_classes_apart_are_obeyed() {
    let place = place();
    let fit = |args: &str| {
        place.success(&format!(
            "fit three.csv --target kind -o m {FIXED} --json {args}"
        ))
    };
    assert_eq!(json(&fit("--loss squared-hinge"))["loss"], "squared-hinge");
    let predicted = place.success("predict m three.csv");
    assert_eq!(predicted.lines().next(), Some("prediction"));
    let joint = place.success("predict three three.csv");
    fit("--multiclass one-vs-rest");
    let one_vs_rest = place.success("predict m three.csv");
    assert!(joint != one_vs_rest && joint.lines().next() == one_vs_rest.lines().next());
    place.success(&format!(
        "fit two.csv --target kind -o m {FIXED} --loss squared-hinge"
    ));
    assert!(
        place
            .success("predict m two.csv")
            .starts_with("prediction,score\n")
    );
    let scores = json(&place.success("evaluate m two.csv --json"));
    assert!(
        number(&scores["auc"]) > 0.8 && scores.get("log_loss").is_none(),
        "{scores}"
    );
}

#[test]
fn cards_have_the_weights_of_every_class() {
    let place = place();
    let text = place.success("inspect two");
    for part in [
        "classes:       2: healthy, sick",
        "loss logistic",
        "Weights in the score of \"sick\"",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let text = place.success("inspect three");
    for class in ["high", "low", "mid dle"] {
        assert!(
            text.contains(&format!("Weights in the score of {class:?}")),
            "{text}"
        );
    }
    let card = json(&place.success("inspect three --json"));
    let parts = card["of_classes"].as_array().unwrap();
    assert_eq!(parts.len(), 3);
    let weight = |class: usize| {
        let features = parts[class]["features"].as_array().unwrap();
        number(&features.iter().find(|f| f["name"] == "a").unwrap()["weight"])
    };
    assert!(
        weight(0) > 0.0 && weight(1) < 0.0,
        "a is large where the label is high: {card}"
    );
}

#[test]
fn holes_are_filled_and_profiled_beside_classes() {
    let place = place();
    for model in ["two", "three"] {
        let filled = place.success(&format!("impute {model} {model}.csv"));
        assert_eq!(
            filled.lines().count(),
            place.read(&format!("{model}.csv")).lines().count()
        );
        assert!(!filled.contains(",,"), "{filled}");
    }
    // b is missing where it is large, which is where few are sick
    let report = json(&place.success("profile two.csv --target kind --json"));
    let lines = report["target"].as_array().unwrap();
    assert_eq!(
        (&lines[0]["column"], &lines[0]["class"]),
        (&"b".into(), &"sick".into())
    );
    assert!(number(&lines[0]["difference"]) < -0.2, "{report}");
    let text = place.success("profile three.csv --target kind");
    assert!(text.contains("share of"), "{text}");
}

#[test]
fn rare_classes_are_pointed_out_and_learnt() {
    let place = Place::with("t.csv", &labelled(60, two).replacen("sick", "rare", 1));
    let run = place.run(&format!("fit t.csv --target kind -o m {FIXED}"));
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stderr
            .contains("fewer rows than the 5 folds in classes: \"rare\" (1)"),
        "{}",
        run.stderr
    );
    assert!(
        place
            .success("predict m t.csv")
            .starts_with("prediction,proba_healthy,proba_rare,proba_sick\n")
    );
    place.success("compare t.csv --target kind --methods mean --alphas 0.1 --folds 3");
}

#[test]
fn labels_come_from_every_column_of_text_and_from_ndjson() {
    let lines = (0..60).map(|i| format!("{{\"x\": {}, \"ok\": {}}}\n", i % 9, i % 9 > 3));
    let place = Place::with("t.ndjson", &lines.collect::<String>());
    place.success(&format!("fit t.ndjson --target ok -o m {FIXED}"));
    let predicted = place.success("predict m t.ndjson");
    assert!(
        predicted.starts_with("prediction,proba_false,proba_true\nfalse,"),
        "{predicted}"
    );
    assert!(number(&json(&place.success("evaluate m t.ndjson --json"))["accuracy"]) > 0.9);
}

#[test]
fn pages_of_classes_have_roc_and_calibration_instead_of_agreement() {
    let place = place();
    let args = "--alphas 0.01 --gammas 0,1";
    place.success(&format!(
        "compare two.csv --target kind --methods mean,irr:mean --folds 2 --report c.html --figures c {args}"
    ));
    let page = place.read("c.html");
    for part in [
        "has the smallest log-loss",
        "puts a row of &quot;sick&quot; above one of another class",
        "The probabilities that",
        "growth of log-loss",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for figure in [
        "roc",
        "calibration",
        "league",
        "price",
        "by-missing",
        "learning",
    ] {
        assert!(place.path(&format!("c/{figure}.svg")).exists(), "{figure}");
    }
    assert!(!place.path("c/agreement.svg").exists() && !page.contains("RMSE"));
    place.success(&format!(
        "fit three.csv --target kind -o m --report f.html {FIXED}"
    ));
    let page = place.read("f.html");
    assert!(page.contains("held-out log-loss") && page.contains("the predicted class"));
    place.success(&format!(
        "fit three.csv --target kind -o m --report f.html --loss squared-hinge {FIXED}"
    ));
    assert!(place.read("f.html").contains("share of wrong classes"));
}
