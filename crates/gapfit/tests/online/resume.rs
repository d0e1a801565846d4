//! States of learners without a rate: resumed they continue bit by bit, damaged they are refused.

use crate::container::Parts;
use crate::stream::{Stream, feed, path, stream};
use crate::streaming::{every_rule, start};
use gapfit::Error;
use gapfit::data::MaskedMatrix;
use gapfit::loss::Loss;
use gapfit::online::{
    Adaptive, AdaptiveLearner, Auto, AutoLearner, MirrorDescent, OnlineLearner, Rule,
    StreamLearner, Streaming, Units,
};
use serde_json::{Value, json};

/// Rows with one column more, which is there in every other row.
fn widened(stream: &Stream) -> Stream {
    let d = stream.table.n_cols();
    let mut table = MaskedMatrix::new(d + 1);
    for (i, row) in stream.table.rows().enumerate() {
        let new = (i % 2 == 0).then_some(i as f64);
        let cells = (0..d).map(|j| row.get(j)).chain([new]);
        table.push_row(cells).unwrap();
    }
    Stream {
        table,
        targets: stream.targets.clone(),
        weights: stream.weights.clone(),
    }
}

/// Feeds two learners, one of which is stopped and resumed at these rows, and lets both gain a column
/// at one of them.
fn assert_continues(settings: &Streaming, stops: &[usize], wider_at: usize) {
    let narrow = stream(300, 4, 0.3, settings.loss(), 101);
    let wide = widened(&narrow);
    let (mut straight, mut stopped) = (start(settings, 4), start(settings, 4));
    let mut at = 0;
    for &next in stops {
        let rows = if at >= wider_at { &wide } else { &narrow };
        let a = feed(&mut straight, rows, at..next);
        let b = feed(&mut stopped, rows, at..next);
        assert_eq!(a.to_bits(), b.to_bits(), "{settings:?}");
        let bytes = stopped.to_bytes_with("row");
        let (resumed, note) = StreamLearner::from_bytes_with(&bytes).unwrap();
        assert_eq!(note, "row");
        assert_eq!(resumed.to_bytes(), straight.to_bytes());
        stopped = resumed;
        if next == wider_at {
            straight.add_column("new").unwrap();
            stopped.add_column("new").unwrap();
            assert_eq!(straight.to_bytes(), stopped.to_bytes());
        }
        at = next;
    }
    assert_eq!(stopped.rows(), 300);
    assert_eq!(stopped.loss(), settings.loss());
}

#[test]
fn resuming_is_bit_identical_by_every_rule_before_and_after_a_new_column() {
    // Auto keeps the first 128 rows, then finds its support.
    let stops = [0, 1, 16, 60, 127, 128, 129, 200, 300];
    for (l, loss) in Loss::ALL.into_iter().enumerate() {
        for settings in every_rule(loss, 4) {
            assert_continues(&settings, &stops, [60, 128, 200][l % 3]);
        }
    }
}

/// A kind of state, and how it is read.
type Read = fn(&[u8]) -> Result<Vec<u8>, Error>;

fn read_adaptive(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    AdaptiveLearner::from_bytes(bytes).map(|learner| learner.to_bytes())
}

fn read_auto(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    AutoLearner::from_bytes(bytes).map(|learner| learner.to_bytes())
}

fn read_stream(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    StreamLearner::from_bytes(bytes).map(|learner| learner.to_bytes())
}

/// One state of every kind, with few rows so that auto still has its sample.
fn states() -> Vec<(Vec<u8>, Read)> {
    let stream = stream(20, 3, 0.3, Loss::Squared, 102);
    let mut adaptive = Adaptive {
        support: path(3),
        ..Adaptive::default()
    }
    .start(3)
    .unwrap();
    feed(&mut adaptive, &stream, 0..20);
    let mut states: Vec<(Vec<u8>, Read)> = vec![(adaptive.to_bytes(), read_adaptive)];
    for support in [None, Some(path(3))] {
        let mut auto = Auto {
            loss: Loss::Squared,
            support,
        }
        .start(3)
        .unwrap();
        feed(&mut auto, &stream, 0..20);
        states.push((auto.to_bytes(), read_auto));
    }
    for rule in [
        Rule::Adaptive(Adaptive::default()),
        Rule::Descent(MirrorDescent::default()),
    ] {
        let units = Units::Standard;
        let mut learner = start(&Streaming { rule, units }, 3);
        feed(&mut learner, &stream, 0..20);
        states.push((learner.to_bytes(), read_stream));
    }
    states
}

#[track_caller]
fn assert_refused(read: Read, bytes: &[u8], about: &str) {
    match read(bytes) {
        Err(Error::Model { .. }) => {}
        other => panic!(
            "{about}: expected a model error, got {:?}",
            other.map(|_| ())
        ),
    }
}

#[test]
fn a_state_cut_short_continued_or_flipped_is_refused() {
    for (bytes, read) in states() {
        assert_eq!(read(&bytes).unwrap(), bytes);
        let step = bytes.len() / 200 + 1;
        for at in (0..bytes.len()).step_by(step) {
            assert_refused(read, &bytes[..at], "cut short");
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            assert_refused(read, &flipped, &format!("byte {at} flipped"));
        }
        assert_refused(read, &[&bytes[..], &[0]].concat(), "a byte more");
    }
}

/// Every path to a field of a header that is no object itself; of a list, the first.
fn fields(value: &Value, path: String, all: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                fields(value, format!("{path}/{key}"), all);
            }
        }
        Value::Array(items) if items.first().is_some_and(Value::is_object) => {
            fields(&items[0], format!("{path}/0"), all);
            fields(&items[4], format!("{path}/4"), all);
        }
        _ => all.push(path),
    }
}

/// What a field must not be.
fn alterations(field: &str) -> Vec<Value> {
    match field {
        "format" => vec![json!(2), json!("1")],
        "kind" => vec![json!("online"), json!("batch"), json!(null)],
        "features" => vec![
            json!([]),
            json!(["a", "b"]),
            json!(["a", "a", "b"]),
            json!("abc"),
        ],
        "rule" | "psi" | "units" | "set" | "step" | "fill" | "knows" => {
            vec![json!("other"), json!(null), json!(1)]
        }
        "loss" => vec![json!("huber"), json!(null)],
        "support" => vec![
            json!([[0], [1]]),
            json!([[0, 1], [1], [2]]),
            json!([[0], [1], [7]]),
            json!(1),
        ],
        "rows" => vec![json!(-1), json!(0.5)],
        "clipped" => vec![json!(-1), json!(21)],
        "wild" => vec![json!(-1), json!(21)],
        "steepest" => vec![json!(-1.0), json!(1e101), json!(null)],
        "unit" | "load" | "room" => vec![json!(-1.0), json!(1e151), json!(null)],
        "sample" => vec![json!(19), json!(-1), json!(1e300)],
        "is_given" => vec![json!(null), json!(1)],
        "range" => vec![
            json!([1.0, -1.0]),
            json!([0.0]),
            json!([-1e151, 0.0]),
            json!(3),
        ],
        "heaviest" => vec![json!(0.5), json!(null)],
        "excess" | "surprise" | "largest_gradient" | "mean_square" | "norm_squared" => {
            vec![json!(-1.0), json!(null)]
        }
        "mixed" => vec![json!(null), json!("1")],
        "row_penalty" => vec![json!(-1.0), json!("1")],
        "patterns" => vec![json!([[1]]), json!(1)],
        "scale" => vec![json!(0.0), json!(2.0)],
        "note" => vec![json!(null), json!(1)],
        other => panic!("no alterations of {other}"),
    }
}

#[test]
fn every_field_of_every_header_is_checked() {
    for (bytes, read) in states() {
        let sound = Parts::of(&bytes);
        let mut all = Vec::new();
        fields(&sound.header, String::new(), &mut all);
        assert!(all.len() > 10);
        for field in all.iter().filter(|field| *field != "/checksum") {
            let name = field.rsplit('/').next().unwrap();
            for value in alterations(name) {
                let mut parts = sound.clone();
                *parts.header.pointer_mut(field).unwrap() = value.clone();
                assert_refused(read, &parts.join(), &format!("{field} = {value}"));
            }
        }
    }
}

#[test]
fn numbers_that_no_learner_could_have_reached_are_refused() {
    for (bytes, read) in states() {
        let sound = Parts::of(&bytes);
        for (t, (name, ..)) in sound.tensors.iter().enumerate() {
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let mut parts = sound.clone();
                let end = parts.tensors[t].2.len();
                if end == 0 {
                    continue;
                }
                parts.tensors[t].2[end - 8..].copy_from_slice(&bad.to_le_bytes());
                assert_refused(read, &parts.join(), &format!("{name}: {bad}"));
            }
            let mut parts = sound.clone();
            parts.tensors.remove(t);
            assert_refused(read, &parts.join(), &format!("no {name}"));
            let mut parts = sound.clone();
            parts.tensors[t].1.push(1);
            assert_refused(read, &parts.join(), &format!("{name} of another shape"));
        }
        let mut parts = sound.clone();
        let spare = ("spare".to_owned(), vec![1], vec![0; 8]);
        parts.tensors.push(spare);
        assert_refused(read, &parts.join(), "a surplus tensor");
    }
}

#[test]
fn one_kind_of_state_is_not_taken_for_another() {
    let online = MirrorDescent::default().start(3).unwrap().to_bytes();
    let kinds: [Read; 3] = [read_adaptive, read_auto, read_stream];
    for read in kinds {
        assert_refused(read, &online, "online");
    }
    for (bytes, of) in states() {
        assert!(OnlineLearner::from_bytes(&bytes).is_err());
        for read in kinds
            .into_iter()
            .filter(|&read| !std::ptr::fn_addr_eq(read, of))
        {
            assert_refused(read, &bytes, "another kind");
        }
    }
}

#[test]
fn an_expert_in_raw_units_and_a_support_that_was_not_given_are_refused() {
    let (bytes, read) = states().swap_remove(1);
    for (field, value) in [
        ("/experts/0/units", json!("raw")),
        ("/support", json!([[0], [1], [2]])),
    ] {
        let mut parts = Parts::of(&bytes);
        *parts.header.pointer_mut(field).unwrap() = value;
        assert_refused(read, &parts.join(), field);
    }
}
