use super::{Place, holey, json, keys};
use serde_json::Value;

/// The JSON lines of a run that succeeds.
fn lines(place: &Place, args: &str) -> Vec<Value> {
    place.success(args).lines().map(json).collect()
}

/// A stream of two classes in text with holes.
fn classes(rows: usize) -> String {
    let mut text = "id,a,b,kind\n".to_owned();
    for i in 0..rows {
        let a = f64::from((i * 7 % 101) as u32) / 10.0;
        let b = f64::from((i * 11 % 101) as u32) / 10.0;
        let kind = if a > b { "fir" } else { "spruce" };
        let b = if i % 4 == 0 {
            String::new()
        } else {
            b.to_string()
        };
        text += &format!("r{i},{a},{b},{kind}\n");
    }
    text
}

/// The same rows, an object a line.
fn ndjson(csv: &str) -> String {
    let mut rows = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = rows.next().unwrap();
    let object = |row: Vec<&str>| {
        let pairs = names.iter().zip(row);
        let value = |cell: &str| match cell.parse::<f64>() {
            _ if cell.is_empty() => "null".to_owned(),
            Ok(_) => cell.to_owned(),
            Err(_) => format!("{cell:?}"),
        };
        let pairs: Vec<_> = pairs
            .map(|(name, cell)| format!("{name:?}: {}", value(cell)))
            .collect();
        format!("{{{}}}\n", pairs.join(", "))
    };
    rows.map(object).collect()
}

#[test]
fn lines_come_at_doubling_counts_and_the_last_is_the_summary() {
    let place = Place::with("t.csv", &holey(300));
    let lines = lines(&place, "stream t.csv --target y --json");
    let rows: Vec<_> = lines
        .iter()
        .map(|line| line["rows"].as_u64().unwrap())
        .collect();
    assert_eq!(rows, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
    let [.., before, summary] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert_eq!(
        keys(before),
        ["avg_loss", "missing", "rmse", "rows", "since_last"]
    );
    let expected = [
        "avg_loss",
        "clipped",
        "features",
        "interrupted",
        "loss",
        "missing",
        "resumed_from",
        "rmse",
        "rows",
        "since_last",
        "skipped",
        "summary",
        "unlabelled",
    ];
    assert_eq!(keys(summary), expected);
    assert_eq!(summary["loss"], "squared");
    assert_eq!(summary["features"], 3);
    // The law is linear: the learner gets well below the spread of the target, which is about 7.
    assert!(summary["since_last"].as_f64().unwrap() < 10.0, "{summary}");
}

#[test]
fn classes_in_text_are_told_apart_and_named_in_the_predictions() {
    let place = Place::with("t.csv", &classes(400));
    let run = place.run("stream t.csv --target kind --id id --predictions p.csv");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stderr
            .starts_with("loss: logistic (--loss takes another)\n")
    );
    assert!(
        run.stdout
            .starts_with("        rows    avg loss  since last  error rate     missing\n")
    );
    let (predictions, rows) = (place.read("p.csv"), classes(400));
    let predicted: Vec<_> = predictions.lines().collect();
    assert_eq!(predicted[0], "id,prediction,score");
    assert_eq!(predicted.len(), 401);
    let pairs = predicted.into_iter().zip(rows.lines()).skip(201);
    let is_wrong =
        |(predicted, row): &(&str, &str)| predicted.split(',').nth(1) != row.split(',').nth(3);
    let wrong = pairs.filter(is_wrong).count();
    assert!(wrong < 40, "{wrong} of the last 200 are wrong");
}

#[test]
fn both_formats_and_both_ways_in_give_the_same_predictions() {
    let text = classes(150);
    let place = Place::with("t.csv", &text);
    place.write("t.ndjson", &ndjson(&text));
    let flags = "--target kind --id id --loss logistic --predictions -";
    let expected = place.success(&format!("stream t.csv {flags}"));
    assert_eq!(expected.lines().count(), 151);
    assert_eq!(place.success(&format!("stream t.ndjson {flags}")), expected);
    let piped = place.run_with(&format!("stream {flags}"), &text);
    assert_eq!(piped.stdout, expected);
    assert!(piped.stderr.contains("error rate"), "{}", piped.stderr);
}

#[test]
fn a_malformed_row_stops_the_run_or_is_skipped_and_nothing_is_lost() {
    let mut text = holey(20);
    text += "1,2\n3,x,5,6\n1,2,3,oops\n";
    text += &holey(30)[8..];
    let place = Place::with("t.csv", &text);
    let stopped = place.run("stream t.csv --target y --predictions p.csv --checkpoint c.gapfit");
    assert_eq!(stopped.code, 1);
    let message = "error: t.csv, line 22: expected 4 cells as in the header, got 2\n";
    assert!(stopped.stderr.contains(message), "{}", stopped.stderr);
    assert_eq!(place.read("p.csv").lines().count(), 21);
    assert!(
        stopped
            .stdout
            .lines()
            .last()
            .unwrap()
            .trim_start()
            .starts_with("20 ")
    );
    assert!(place.files().contains(&"c.gapfit".to_owned()));

    let skipped = place.run("stream t.csv --target y --on-error skip --json");
    assert_eq!(skipped.code, 0);
    for message in [
        "warning: t.csv, line 22: expected 4 cells as in the header, got 2: skipped\n",
        "warning: t.csv, line 23, column 2 (\"b\"): expected a number or a mark for missing, got \"x\": skipped\n",
        "warning: t.csv, line 24: target \"y\": expected a number between -1e150 and 1e150, got \"oops\": skipped\n",
        "3 rows were malformed and skipped\n",
    ] {
        assert!(skipped.stderr.contains(message), "{}", skipped.stderr);
    }
    let summary = json(skipped.stdout.lines().last().unwrap());
    assert_eq!(
        (&summary["rows"], &summary["skipped"]),
        (&50.into(), &3.into())
    );
}

#[test]
fn a_run_resumed_after_a_bad_row_is_mended_is_the_run_that_never_stopped() {
    let good = holey(500);
    let place = Place::with("good.csv", &good);
    let flags = "--target y --every 64 --predictions";
    place.success(&format!(
        "stream good.csv {flags} p.csv --checkpoint c.gapfit --model m.gapfit"
    ));
    let broken: Vec<_> = good.lines().take(300).chain(["1,2,3"]).collect();
    place.write("t.csv", &broken.join("\n"));
    let again =
        format!("stream t.csv {flags} q.csv --checkpoint d.gapfit --resume --model n.gapfit");
    assert_eq!(place.run(&again).code, 1);
    place.write("t.csv", &good);
    let summary = lines(&place, &format!("{again} --json")).pop().unwrap();
    assert_eq!(summary["resumed_from"], 299);
    assert_eq!(place.read("q.csv"), place.read("p.csv"));
    let bytes = |name| std::fs::read(place.path(name)).unwrap();
    assert_eq!(bytes("n.gapfit"), bytes("m.gapfit"));
    assert_eq!(bytes("d.gapfit"), bytes("c.gapfit"));
}

#[test]
fn columns_may_appear_and_vanish() {
    let mut text = String::new();
    for i in 0..60 {
        let y = f64::from(i % 5);
        text += &match i {
            0..20 => format!("{{\"a\": {y}, \"y\": {y}}}\n"),
            20..40 => format!("{{\"b\": {y}, \"a\": null, \"y\": {y}}}\n"),
            _ => format!("{{\"b\": {y}, \"c\": NaN, \"y\": {y}}}\n"),
        };
    }
    let place = Place::with("t.ndjson", &text);
    for step in ["auto", "coin", "eta=0.01", "theory"] {
        let lines = lines(
            &place,
            &format!("stream t.ndjson --target y --step {step} --json"),
        );
        let summary = lines.last().unwrap();
        assert_eq!(summary["features"], 3, "{step}");
        assert_eq!(summary["rows"], 60, "{step}");
    }
    let few = place.run("stream t.ndjson --target y --max-columns 2 --json");
    assert!(
        few.stderr
            .contains("1 columns came too late and were ignored (--max-columns)")
    );
    assert_eq!(json(few.stdout.lines().last().unwrap())["features"], 2);
}

#[test]
fn regret_is_printed_beside_its_bound_and_below_it() {
    let place = Place::with("t.csv", &classes(200));
    let flags = "--target kind --ignore id --loss hinge --step theory --radius 3 --regret";
    let lines = lines(&place, &format!("stream t.csv {flags} --json"));
    for line in &lines {
        let number = |key: &str| line[key].as_f64().unwrap();
        assert!(number("regret_lower") <= number("regret"), "{line}");
        assert!(number("regret") <= number("bound"), "{line}");
        assert_eq!(line["regret_rows"], line["rows"]);
        assert!(number("comparator_loss") >= 0.0 && number("standard_regret").is_finite());
    }
    let text = place.success(&format!("stream t.csv {flags}"));
    assert!(
        text.lines()
            .next()
            .unwrap()
            .ends_with("missing      regret       bound")
    );
}

#[test]
fn regret_of_a_resumed_run_counts_from_the_beginning() {
    let good = classes(120);
    let place = Place::with("t.csv", &good);
    let flags = "--target kind --ignore id --step theory --regret --json";
    let straight = lines(&place, &format!("stream t.csv {flags}"))
        .pop()
        .unwrap();
    let head: Vec<_> = good.lines().take(81).collect();
    place.write("head.csv", &head.join("\n"));
    place.success(&format!("stream head.csv {flags} --checkpoint c.gapfit"));
    let resumed = format!("stream t.csv {flags} --checkpoint c.gapfit --resume");
    let resumed = lines(&place, &resumed).pop().unwrap();
    for key in ["regret", "comparator_loss", "bound", "avg_loss"] {
        let [a, b] = [&straight, &resumed].map(|line| line[key].as_f64().unwrap());
        assert!((a - b).abs() <= 2e-3 * a.abs(), "{key}: {a} {b}");
    }
}

#[test]
fn a_model_goes_on_with_other_rows_or_is_only_tested() {
    let place = Place::with("t.csv", &classes(300));
    place.success("stream t.csv --target kind --ignore id --model m.gapfit");
    let test = "stream t.csv --target kind --ignore id --start-from m.gapfit --test-only --json";
    let tested = lines(&place, test).pop().unwrap();
    assert_eq!(tested["rows"], 300);
    assert!(tested["error_rate"].as_f64().unwrap() < 0.15, "{tested}");
    assert_eq!(
        lines(&place, test).pop().unwrap(),
        tested,
        "nothing was learnt"
    );
    let on = "stream t.csv --target kind --ignore id --start-from m.gapfit --model n.gapfit --json";
    let on = lines(&place, on).pop().unwrap();
    assert_ne!(on["avg_loss"], tested["avg_loss"]);
    assert_eq!(on["resumed_from"], Value::Null);
    let other = place.failure(
        2,
        "stream t.csv --target a --ignore id,kind --start-from m.gapfit",
    );
    assert!(other.starts_with("error: --target: expected \"kind\" as before, got \"a\"\n"));
}

#[test]
fn the_model_predicts_tables_like_any_other_and_says_what_it_is_not_for() {
    let place = Place::with("t.csv", &classes(200));
    place.success("stream t.csv --target kind --ignore id --model m.gapfit");
    let test = "stream t.csv --target kind --ignore id --start-from m.gapfit --test-only";
    place.success(&format!("{test} --predictions p.csv"));
    let predicted = place.run("predict m.gapfit t.csv");
    assert_eq!(predicted.stdout, place.read("p.csv"));
    let note = "warning: t.csv: the model does not know \"id\": ignored\n";
    assert_eq!(predicted.stderr, note);
    let message = place.failure(1, "evaluate m.gapfit t.csv --target kind");
    let expected = "m.gapfit: expected a model of gapfit fit, got one of gapfit stream\n\
                    hint: gapfit predict takes it, and gapfit stream --start-from MODEL --test-only scores it";
    assert_eq!(message, format!("error: {expected}\n"));
}

#[test]
fn rows_without_a_target_are_predicted_and_not_learnt() {
    let mut text = holey(50);
    text += "1,2,3,\n4,5,6,NA\n";
    let place = Place::with("t.csv", &text);
    let run = place.run("stream t.csv --target y --predictions p.csv --json");
    let summary = json(run.stdout.lines().last().unwrap());
    assert_eq!(
        (&summary["rows"], &summary["unlabelled"]),
        (&50.into(), &2.into())
    );
    assert_eq!(place.read("p.csv").lines().count(), 53);
    assert!(
        run.stderr
            .contains("2 rows had no target: predicted, not learnt\n")
    );
}

#[test]
fn every_rule_of_the_flags_runs() {
    let place = Place::with("t.csv", &holey(150));
    place.write("edges.txt", "a b\nb c\n");
    for flags in [
        "--step coin --psi constant",
        "--step adagrad --support corr=.1 --units raw",
        "--step eta=0.01 --psi identity --row-penalty 0.5 --support edges=edges.txt",
        "--step relative=0.1 --psi subsets=2 --units standard",
        "--step theory --psi pattern --radius 2",
        "--step horizon=1,1,100 --mirror sparse --support grid=1x3",
        "--step auto --support full --loss absolute",
        "--step auto --support corr=.3 --loss eps-insensitive=.1",
        "--step coin --support top=1",
        "--step eta=0.001 --loss linear",
    ] {
        let lines = lines(&place, &format!("stream t.csv --target y --json {flags}"));
        assert_eq!(lines.last().unwrap()["rows"], 150, "{flags}");
    }
}

#[test]
fn wrong_flags_say_what_would_do() {
    let place = Place::with("t.csv", &holey(10));
    place.write("edges.txt", "a z\n");
    for (flags, expected) in [
        (
            "--psi affine",
            "--psi: expected another --step than auto, got auto",
        ),
        (
            "--step coin --mirror sparse",
            "--mirror: expected another --step than coin, got coin",
        ),
        (
            "--radius 2",
            "--radius: expected --step theory or --regret beside it, got neither",
        ),
        (
            "--step eta=1 --mirror frob --row-penalty 1",
            "--mirror: expected sparse beside --row-penalty or --support, got frob",
        ),
        (
            "--step coin --psi subsets=2",
            "--psi: expected affine or constant, for a step that adapts to each weight, got subsets=2",
        ),
        (
            "--classes a,b --loss squared",
            "--classes: expected a loss for two classes, got squared",
        ),
        (
            "--step eta=1 --support edges=edges.txt",
            "--support: edges: expected two features per line, by name or by number from 0, got 'a z' in line 1",
        ),
        (
            "--json --predictions -",
            "--predictions: expected a file beside --json, got standard output",
        ),
        (
            "--model m --checkpoint m",
            "--model, --checkpoint: expected different files, got the same for both",
        ),
    ] {
        let message = place.failure(2, &format!("stream t.csv --target y {flags}"));
        assert!(
            message.contains(&format!("error: {expected}\n")),
            "{flags}: {message}"
        );
    }
}

#[test]
fn streams_with_nothing_in_them_are_refused() {
    let place = Place::new();
    for (name, text, expected) in [
        (
            "e.csv",
            "",
            "e.csv: expected a header line, got an empty file",
        ),
        (
            "h.csv",
            "a,y\n",
            "h.csv: expected rows after the header, got none",
        ),
        ("e.ndjson", "\n\n", "e.ndjson: expected rows, got none"),
    ] {
        place.write(name, text);
        let run = place.run(&format!("stream {name} --target y -q"));
        assert_eq!(run.code, 1, "{name}");
        assert!(
            run.stderr.contains(&format!("error: {expected}\n")),
            "{}",
            run.stderr
        );
    }
    let message = place.failure(1, "stream h.csv --target z");
    assert!(
        message.contains("expected the target column \"z\""),
        "{message}"
    );
}

#[test]
fn a_damaged_checkpoint_is_refused_and_left_alone() {
    let place = Place::with("t.csv", &holey(30));
    place.success("stream t.csv --target y --checkpoint c.gapfit");
    let mut bytes = std::fs::read(place.path("c.gapfit")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(place.path("c.gapfit"), &bytes).unwrap();
    let message = place.failure(1, "stream t.csv --target y --checkpoint c.gapfit --resume");
    assert!(message.starts_with("error: c.gapfit: "), "{message}");
    assert_eq!(std::fs::read(place.path("c.gapfit")).unwrap(), bytes);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::io::Write;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    fn spawn(place: &Place, args: &str) -> Child {
        Command::new(assert_cmd::cargo::cargo_bin!("gapfit"))
            .current_dir(place.path(""))
            .args(args.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Waits until the file has at least this many lines.
    fn wait_for(place: &Place, name: &str, lines: usize) {
        let start = Instant::now();
        let has =
            || std::fs::read_to_string(place.path(name)).is_ok_and(|t| t.lines().count() >= lines);
        while !has() {
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "{name}: no {lines} lines"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The first lines of a text.
    fn head(text: &str, lines: usize) -> String {
        text.lines()
            .take(lines)
            .flat_map(|line| [line, "\n"])
            .collect()
    }

    #[test]
    fn killed_and_resumed_is_the_run_that_never_stopped() {
        let text = classes(400);
        let place = Place::with("t.csv", &text);
        let flags = "--target kind --id id --every 10";
        let out = "--predictions p.csv --checkpoint c.gapfit --model m.gapfit";
        place.success(&format!("stream t.csv {flags} {out}"));
        let out = "--predictions q.csv --checkpoint d.gapfit --resume --model n.gapfit";
        let mut run = spawn(&place, &format!("stream {flags} {out}"));
        let stdin = run.stdin.as_mut().unwrap();
        stdin.write_all(head(&text, 258).as_bytes()).unwrap();
        stdin.flush().unwrap();
        wait_for(&place, "q.csv", 258);
        run.kill().unwrap(); // signal 9
        run.wait().unwrap();
        let summary = place.success(&format!("stream t.csv {flags} {out} --json"));
        let summary = json(summary.lines().last().unwrap());
        assert_eq!(summary["resumed_from"], 250);
        assert_eq!(place.read("q.csv"), place.read("p.csv"));
        let bytes = |name| std::fs::read(place.path(name)).unwrap();
        assert_eq!(bytes("n.gapfit"), bytes("m.gapfit"));
    }

    #[test]
    fn an_interruption_ends_with_checkpoint_and_summary_even_while_waiting() {
        let text = classes(100);
        let place = Place::new();
        let flags = "--target kind --ignore id --predictions p.csv --checkpoint c.gapfit --json";
        let mut run = spawn(&place, &format!("stream {flags}"));
        let mut stdin = run.stdin.take().unwrap();
        stdin.write_all(head(&text, 51).as_bytes()).unwrap();
        stdin.write_all(b"r99,1").unwrap(); // half a row
        stdin.flush().unwrap();
        wait_for(&place, "p.csv", 51);
        let pid = run.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-INT", &pid])
                .status()
                .unwrap()
                .success()
        );
        let output = run.wait_with_output().unwrap();
        drop(stdin);
        assert!(output.status.success(), "{output:?}");
        let stdout = String::from_utf8(output.stdout).unwrap();
        let summary = json(stdout.lines().last().unwrap());
        assert_eq!(
            (&summary["rows"], &summary["interrupted"]),
            (&50.into(), &true.into())
        );
        place.write("t.csv", &text);
        let resumed = place.success(&format!("stream t.csv {flags} --resume"));
        let resumed = json(resumed.lines().last().unwrap());
        assert_eq!(
            (&resumed["rows"], &resumed["resumed_from"]),
            (&100.into(), &50.into())
        );
    }

    #[test]
    fn predictions_come_as_rows_do() {
        let place = Place::new();
        let mut run = spawn(
            &place,
            "stream --target y --loss squared --predictions p.csv",
        );
        let stdin = run.stdin.as_mut().unwrap();
        for rows in [1, 2, 5] {
            let text = holey(rows);
            let last = text.lines().next_back().unwrap();
            let sent = if rows == 1 {
                text.clone()
            } else {
                format!("{last}\n")
            };
            stdin.write_all(sent.as_bytes()).unwrap();
            stdin.flush().unwrap();
            let so_far = match rows {
                1 => 2,
                2 => 3,
                _ => 4,
            };
            wait_for(&place, "p.csv", so_far);
        }
        drop(run.stdin.take());
        assert!(run.wait().unwrap().success());
    }
}
