//! What is predicted, numbers or classes, and what a wrong prediction costs.

use anyhow::Result;
use gapfit::data::Dataset;
use gapfit::loss::Loss;
use gapfit::{Learner, Multiclass};
use gapfit_io::Task;

use crate::args::Usage;
use crate::class_weight::ClassWeight;
use crate::hint::Hinted;
use crate::talk::Talk;

/// The flags about the task.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Task")]
pub(crate) struct Tasking {
    /// Numbers or classes; auto takes text and two different values for classes, and says so.
    #[arg(long, value_enum, default_value_t, requires = "file")]
    task: TaskFlag,
    /// Cost of a wrong prediction: squared or huber=H for numbers, logistic or squared-hinge for
    /// classes.
    #[arg(long, value_name = "LOSS", value_parser = smooth)]
    loss: Option<Loss>,
    /// More than two classes in one model, or each against the rest [default: joint].
    #[arg(long, value_name = "HOW", value_enum, requires = "file")]
    multiclass: Option<MulticlassFlag>,
    /// Weight of classes in training: none, balanced (all alike) or LABEL=W,...
    #[arg(long, value_name = "HOW", requires = "file")]
    class_weight: Option<ClassWeight>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum TaskFlag {
    #[default]
    Auto,
    Regression,
    Classification,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum MulticlassFlag {
    Joint,
    OneVsRest,
}

impl Tasking {
    /// Refuses flags that contradict each other.
    pub(crate) fn check(&self) -> Result<(), Usage> {
        let is_class = |loss: Loss| loss.is_classification();
        let flag = |name: &str, expected: &str, got: &str| {
            Err(Usage(format!("--{name}: expected {expected}, got {got}")))
        };
        match (self.task, self.loss) {
            (TaskFlag::Regression, Some(loss)) if is_class(loss) => {
                return flag(
                    "loss",
                    "squared or huber=H for regression",
                    &loss.to_string(),
                );
            }
            (TaskFlag::Classification, Some(loss)) if !is_class(loss) => {
                let expected = "logistic or squared-hinge for classification";
                return flag("loss", expected, &loss.to_string());
            }
            _ => {}
        }
        if self.task() == Task::Regression {
            let got = "regression";
            if self.multiclass.is_some() {
                return flag("multiclass", "classification with it", got);
            }
            if self.class_weight.is_some() {
                return flag("class-weight", "classification with it", got);
            }
        }
        let is_joint = self.multiclass == Some(MulticlassFlag::Joint);
        if is_joint && self.loss == Some(Loss::SquaredHinge) {
            return flag(
                "multiclass",
                "one-vs-rest with the loss squared-hinge",
                "joint",
            );
        }
        Ok(())
    }

    /// Refuses flags that several targets do not go with.
    pub(crate) fn check_several(&self, n_targets: usize) -> Result<()> {
        if n_targets == 1 {
            return Ok(());
        }
        let refuse = |what: String| {
            let hint = "many targets: numbers only, by the squared loss; fit others one at a time";
            Err(Hinted::error(what, hint))
        };
        if self.task() == Task::Classification {
            let what = format!("--target: expected one column for classification, got {n_targets}");
            return refuse(what);
        }
        match self.loss {
            None | Some(Loss::Squared) => Ok(()),
            Some(loss) => refuse(format!(
                "--loss: expected squared with several targets, got {loss}"
            )),
        }
    }

    /// The flag that sums over rows cannot follow.
    pub(crate) fn needs_rows(&self) -> Option<&'static str> {
        let is_other = self.loss.is_some_and(|loss| loss != Loss::Squared);
        match self.task {
            TaskFlag::Classification => Some("--task classification"),
            _ if is_other => Some("a loss other than squared"),
            _ if self.multiclass.is_some() => Some("--multiclass"),
            _ => self.class_weight.as_ref().map(|_| "--class-weight"),
        }
    }

    /// What the target is read as: as asked for, or as the loss demands.
    pub(crate) fn task(&self) -> Task {
        match (self.task, self.loss) {
            (TaskFlag::Regression, _) => Task::Regression,
            (TaskFlag::Classification, _) => Task::Classification,
            (TaskFlag::Auto, None) => Task::Auto,
            (TaskFlag::Auto, Some(loss)) if loss.is_classification() => Task::Classification,
            (TaskFlag::Auto, Some(_)) => Task::Regression,
        }
    }

    /// What rows of a class count for.
    pub(crate) fn class_weight(&self) -> ClassWeight {
        self.class_weight.clone().unwrap_or_default()
    }

    /// The settings with the loss for this target.
    pub(crate) fn settings(&self, data: &Dataset, settings: &Learner) -> Learner {
        let usual = match data.classes() {
            [] => Loss::Squared,
            _ => Loss::Logistic,
        };
        Learner {
            loss: self.loss.unwrap_or(usual),
            multiclass: match self.multiclass {
                Some(MulticlassFlag::OneVsRest) => Multiclass::OneVsRest,
                _ => Multiclass::Joint,
            },
            ..settings.clone()
        }
    }

    /// The loss as far as it is known without a table.
    pub(crate) fn loss(&self) -> Loss {
        self.loss.unwrap_or_default()
    }

    /// Says what the target was taken for where that was not asked for and is not plain; refuses flags that
    /// do not suit it.
    pub(crate) fn settle(&self, data: &Dataset, file: &str, talk: &Talk) -> Result<()> {
        let classes = data.classes();
        let about_classes = [
            ("multiclass", self.multiclass.is_some()),
            ("class-weight", self.class_weight.is_some()),
        ];
        if let Some((flag, _)) = about_classes.iter().find(|(_, is_given)| *is_given)
            && classes.is_empty()
        {
            return Err(Hinted::error(
                format!(
                    "{file}: --{flag}: expected a target of classes, got numbers in {:?}",
                    data.target_name()
                ),
                "--task classification takes each number for a class",
            ));
        }
        if let ClassWeight::Given(given) = self.class_weight()
            && let Some((label, _)) = given.iter().find(|(label, _)| !classes.contains(label))
        {
            return Err(Hinted::error(
                format!(
                    "{file}: --class-weight: expected a class of {:?} ({}), got {label:?}",
                    data.target_name(),
                    listed(classes)
                ),
                "labels are as they stand in the table, letter by letter",
            ));
        }
        if self.task() == Task::Auto
            && data.n_targets() == 1
            && let Some(sentence) = recognised(data)
        {
            talk.note(sentence);
        }
        Ok(())
    }
}

/// Classes that are named in a sentence, at most.
const NAMED: usize = 6;
/// Different whole numbers up to which they may be classes.
const FEW: usize = 10;

/// The task in a sentence, and how to ask for another; none where numbers can only be numbers.
fn recognised(data: &Dataset) -> Option<String> {
    let (target, classes) = (data.target_name(), data.classes());
    if !classes.is_empty() {
        let is_number = |label: &String| label.parse::<f64>().is_ok();
        let other = match classes.iter().all(is_number) {
            true => "; --task regression predicts it as a number",
            false => "",
        };
        let n = classes.len();
        let classes = listed(classes);
        return Some(format!(
            "task: classification of {target:?}, {n} classes: {classes}{other}"
        ));
    }
    few_whole_numbers(data.target()).map(|n| {
        format!(
            "task: regression of {target:?}, {n} different whole numbers; --task classification predicts it as a class"
        )
    })
}

/// How many different numbers there are, if they are whole and few enough to be classes.
fn few_whole_numbers(target: &[f64]) -> Option<usize> {
    let mut different: Vec<f64> = Vec::new();
    for &y in target {
        if y.fract().abs() > 0.0 {
            return None;
        }
        if !different.iter().any(|other| (y - other).abs() <= 0.0) {
            different.push(y);
        }
        if different.len() > FEW {
            return None;
        }
    }
    (different.len() > 1 && target.len() > 2 * different.len()).then_some(different.len())
}

/// The labels in a sentence: the first ones, and how many more there are.
pub(crate) fn listed(classes: &[String]) -> String {
    let shown = classes.iter().take(NAMED).map(String::as_str);
    let shown = shown.collect::<Vec<_>>().join(", ");
    match classes.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// A loss that a batch can be fitted with.
fn smooth(text: &str) -> Result<Loss, String> {
    let expected = "expected squared, huber=H, logistic or squared-hinge";
    let loss = text.parse().ok().filter(|loss: &Loss| loss.is_smooth());
    loss.ok_or_else(|| expected.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gapfit::data::MaskedMatrix;

    fn numbers(target: &[f64]) -> Dataset {
        let features = MaskedMatrix::from_nan(target.len(), 1, &vec![1.0; target.len()]).unwrap();
        Dataset::new(features, target.to_vec())
            .unwrap()
            .with_target_name("y")
    }

    #[test]
    fn a_target_that_might_be_classes_is_pointed_out() {
        let few = numbers(&[1.0, 2.0, 3.0, 1.0, 2.0, 3.0, 3.0]);
        assert_eq!(
            recognised(&few).unwrap(),
            "task: regression of \"y\", 3 different whole numbers; --task classification predicts it as a class"
        );
        assert_eq!(recognised(&numbers(&[1.0, 2.5, 3.0])), None);
        let pair = numbers(&[1.0, -1.0, 1.0]).classify().unwrap();
        assert_eq!(
            recognised(&pair).unwrap(),
            "task: classification of \"y\", 2 classes: -1, 1; --task regression predicts it as a number"
        );
    }
}
