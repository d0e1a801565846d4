//! Whether the learner with nothing to tune does as well as those tuned in hindsight.

use super::Line;
use super::method::Method;
use super::untuned::Untuned;
use crate::sample::paired;
use gapfit::online::MaskFeatures;

/// One sentence per task and untuned learner.
pub(super) fn verdicts(lines: &[Line]) -> Vec<String> {
    let mut verdicts = Vec::new();
    for of_task in lines.chunk_by(|a, b| a.task == b.task) {
        for untuned in Untuned::ALL {
            let line = of_task.iter().find(|line| line.method == untuned.name());
            verdicts.extend(line.map(|line| verdict(line, of_task)));
        }
    }
    verdicts
}

/// Digits: no more mistakes than sparse-reg. Splice: no more than mirror descent with the mask, but for a
/// standard error; and with holes that tell something, fewer than without holes.
fn verdict(line: &Line, of_task: &[Line]) -> String {
    let bars = if line.task.starts_with("splice") {
        let identity = Method::Frob(MaskFeatures::Identity).name();
        let mut bars = vec![
            within_error(line, of_task, &identity),
            within_error(line, of_task, &Method::Sparse.name()),
        ];
        if line.task.ends_with("dependent") && !line.task.ends_with("independent") {
            bars.push(below(line, of_task, &Method::NoCorruption.name()));
        }
        bars
    } else {
        vec![at_most(line, of_task, &Method::Sparse.name())]
    };
    format!("{}, {}: {}.", line.task, line.method, bars.join(", "))
}

fn at_most(line: &Line, of_task: &[Line], name: &str) -> String {
    compared("at most", line, of_task, name, |difference, _| {
        difference <= 0.0
    })
}

fn below(line: &Line, of_task: &[Line], name: &str) -> String {
    compared("below", line, of_task, name, |difference, _| {
        difference < 0.0
    })
}

fn within_error(line: &Line, of_task: &[Line], name: &str) -> String {
    compared(
        "within an error of",
        line,
        of_task,
        name,
        |difference, error| difference <= error,
    )
}

/// What is asked of the paired difference to a method, and whether it holds.
fn compared(
    bar: &str,
    line: &Line,
    of_task: &[Line],
    name: &str,
    holds: impl Fn(f64, f64) -> bool,
) -> String {
    let Some(other) = of_task.iter().find(|line| line.method == name) else {
        return format!("{bar} {name}: not run");
    };
    let (difference, error) = paired(&line.outcome.errors, &other.outcome.errors);
    let met = if holds(difference, error) {
        "yes"
    } else {
        "NO"
    };
    format!("{bar} {name}: {met} ({difference:+.4} ± {error:.4})")
}

#[cfg(test)]
mod tests {
    use super::super::hindsight::Outcome;
    use super::*;

    fn line(task: &str, method: &str, errors: [f64; 2]) -> Line {
        let outcome = Outcome {
            setting: None,
            errors: errors.to_vec(),
            curve: Vec::new(),
        };
        Line::new(task, method.to_owned(), None, outcome)
    }

    #[test]
    fn digits_are_held_to_sparse_reg_and_splice_to_more() {
        let lines = [
            line("2 against all", "sparse-reg", [0.03, 0.03]),
            line("2 against all", "auto", [0.03, 0.04]),
            line("splice, dependent", "frob-reg, identity", [0.1, 0.1]),
            line("splice, dependent", "sparse-reg", [0.1, 0.2]),
            line("splice, dependent", "no corruption", [0.2, 0.2]),
            line("splice, dependent", "auto", [0.1, 0.12]),
        ];
        let verdicts = verdicts(&lines);
        assert_eq!(
            verdicts[0],
            "2 against all, auto: at most sparse-reg: NO (+0.0050 ± 0.0050)."
        );
        assert_eq!(
            verdicts[1],
            "splice, dependent, auto: within an error of frob-reg, identity: yes (+0.0100 ± 0.0100), \
             within an error of sparse-reg: yes (-0.0400 ± 0.0400), below no corruption: yes (-0.0900 ± 0.0100)."
        );
    }
}
