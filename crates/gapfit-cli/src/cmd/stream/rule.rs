//! The flags that say how a stream is learnt from.

use std::str::FromStr;

use anyhow::Result;
use gapfit::data::MaskedMatrix;
use gapfit::loss::Loss;
use gapfit::online::{
    Adaptive, AdaptiveRule, Auto, Feasible, MaskFeatures, Mirror, MirrorDescent, RegretMeter, Rule,
    Step, Streaming, Support, Units,
};

use crate::args::Usage;
use crate::support::{self, SupportFlag};

/// The radius of the ball, unless one is given.
const RADIUS: f64 = 10.0;

/// Learning.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Learning")]
pub(super) struct Learning {
    /// What a wrong prediction costs: squared, huber=H, absolute, eps-insensitive=E, hinge, squared-hinge, logistic
    /// or linear [default: logistic for classes in text, squared for numbers].
    #[arg(long)]
    pub(super) loss: Option<Loss>,
    /// How far a step goes: auto (a combination of learners, nothing to choose), coin, adagrad, eta=X,
    /// relative=X, theory (R/(G√t) on the ball of --radius R), anytime=R, anytime=R,G or horizon=R,G,T.
    #[arg(long, default_value = "auto")]
    step: StepFlag,
    /// What the weights may know of the holes: constant, identity, affine, subsets=P, pattern or pattern=N
    /// [default: affine].
    #[arg(long)]
    psi: Option<MaskFeatures>,
    /// What shapes the steps: frob or sparse [default: frob; sparse with --row-penalty or --support].
    #[arg(long)]
    mirror: Option<MirrorFlag>,
    /// How much more it costs to move the weights of a complete row [default: 0].
    #[arg(long, value_name = "GAMMA", allow_negative_numbers = true)]
    row_penalty: Option<f64>,
    /// Size of the ball for --step theory, and of the comparator for --regret [default: 10].
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    radius: Option<f64>,
    /// Which pairs of columns influence each other: full, constant (none: it shifts alone), top=M or corr=R (correlation over the first 128
    /// rows: the M best of each column, or those that reach R), grid=HxW (neighbouring pixels) or edges=FILE (two columns a line) [default: full; auto looks itself].
    #[arg(long)]
    support: Option<SupportFlag>,
    /// In which units values are seen: raw, unit or standard (running) [default: standard for coin and
    /// adagrad, raw otherwise; auto has its own].
    #[arg(long)]
    units: Option<Units>,
    /// Measures how far the learner is from the best fixed hypothesis in hindsight, whose size is at most
    /// --radius; rows are kept in memory for it.
    #[arg(long)]
    pub(super) regret: bool,
}

/// How far a step goes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum StepFlag {
    Auto,
    Adaptive(AdaptiveRule),
    Theory,
    Given(Step),
}

impl FromStr for StepFlag {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "theory" => Ok(Self::Theory),
            "coin" => Ok(Self::Adaptive(AdaptiveRule::Coin)),
            "adagrad" => Ok(Self::Adaptive(AdaptiveRule::AdaGrad)),
            _ => text.parse().map(Self::Given).map_err(|_| {
                "expected auto, coin, adagrad, theory, eta=X, relative=X, anytime=R, anytime=R,G or \
                 horizon=R,G,T with positive numbers"
                    .to_owned()
            }),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
enum MirrorFlag {
    Frob,
    Sparse,
}

impl Learning {
    /// Refuses flags that mean nothing beside others.
    pub(super) fn check(&self) -> Result<(), Usage> {
        let is_descent = matches!(self.step, StepFlag::Theory | StepFlag::Given(_));
        let step = "--step";
        let unused = [
            (
                "--psi",
                self.psi.is_some() && self.step == StepFlag::Auto && !self.regret,
            ),
            (
                "--units",
                self.units.is_some() && self.step == StepFlag::Auto,
            ),
            (
                "--mirror",
                self.mirror.is_some() && !is_descent && !self.regret,
            ),
            (
                "--row-penalty",
                self.row_penalty.is_some() && !is_descent && !self.regret,
            ),
        ];
        if let Some((flag, _)) = unused.iter().find(|(_, is_unused)| *is_unused) {
            let got = self.step.name();
            return Err(Usage(format!(
                "{flag}: expected another {step} than {got}, got {got}"
            )));
        }
        let uses_radius = self.regret || self.step == StepFlag::Theory;
        if self.radius.is_some() && !uses_radius {
            let message = "--radius: expected --step theory or --regret beside it, got neither";
            return Err(Usage(message.to_owned()));
        }
        let is_frob = self.mirror == Some(MirrorFlag::Frob);
        if is_frob && (self.row_penalty.is_some() || self.support.is_some()) {
            let message = "--mirror: expected sparse beside --row-penalty or --support, got frob";
            return Err(Usage(message.to_owned()));
        }
        Ok(())
    }

    /// Whether the first rows must be looked at before anything is learnt.
    pub(super) fn needs_sample(&self) -> bool {
        matches!(self.support, Some(SupportFlag::Rule(rule)) if rule.needs_sample())
    }

    /// The settings of the learner, for columns of these names of which `sample` has some rows.
    pub(super) fn streaming(
        &self,
        loss: Loss,
        names: &[String],
        sample: &MaskedMatrix,
    ) -> Result<Streaming> {
        let support = self.support(names, sample)?;
        let rule = match self.step {
            StepFlag::Auto => Rule::Auto(Auto { loss, support }),
            StepFlag::Adaptive(rule) => Rule::Adaptive(Adaptive {
                rule,
                psi: self.psi.unwrap_or_default(),
                loss,
                support: support.unwrap_or_default(),
            }),
            StepFlag::Theory | StepFlag::Given(_) => Rule::Descent(self.descent(loss, support)),
        };
        let units = match self.step {
            StepFlag::Adaptive(_) => Units::Standard,
            _ => Units::Raw,
        };
        Ok(Streaming {
            rule,
            units: self.units.unwrap_or(units),
        })
    }

    /// The meter of regret over rows as a learner of these columns sees them.
    pub(super) fn meter(
        &self,
        loss: Loss,
        names: &[String],
        sample: &MaskedMatrix,
    ) -> Result<RegretMeter> {
        let support = self.support(names, sample)?.map(Support::with_hub);
        let class = self.descent(loss, support);
        let meter = RegretMeter::new(&class, self.radius(), 1 + names.len());
        meter.map_err(|error| Usage::flag(&error).into())
    }

    fn radius(&self) -> f64 {
        self.radius.unwrap_or(RADIUS)
    }

    fn descent(&self, loss: Loss, support: Option<Support>) -> MirrorDescent {
        let radius = self.radius();
        let asked = self.mirror == Some(MirrorFlag::Sparse);
        let is_sparse = asked || self.row_penalty.is_some() || support.is_some();
        let (step, set) = match self.step {
            StepFlag::Given(step) => (step, Feasible::Everything),
            _ => (
                Step::Anytime {
                    radius,
                    gradient: None,
                },
                Feasible::Ball(radius),
            ),
        };
        MirrorDescent {
            psi: self.psi.unwrap_or_default(),
            loss,
            mirror: match is_sparse {
                true => Mirror::Sparse {
                    row_penalty: self.row_penalty.unwrap_or(0.0),
                    support: support.unwrap_or_default(),
                },
                false => Mirror::Frob,
            },
            set,
            step,
            ..MirrorDescent::default()
        }
    }

    fn support(&self, names: &[String], sample: &MaskedMatrix) -> Result<Option<Support>> {
        let support = match &self.support {
            None => return Ok(None),
            Some(SupportFlag::Edges(file)) => return support::edges(file, names).map(Some),
            Some(SupportFlag::Rule(rule)) => rule.build(sample),
        };
        let support = support.map(Some);
        support.map_err(|error| Usage(format!("--support: {error}")).into())
    }
}

impl StepFlag {
    fn name(self) -> String {
        match self {
            Self::Auto => "auto".to_owned(),
            Self::Adaptive(rule) => rule.to_string(),
            Self::Theory => "theory".to_owned(),
            Self::Given(step) => step.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_supports_are_read_by_name() {
        assert_eq!("auto".parse(), Ok(StepFlag::Auto));
        assert_eq!(
            "eta=0.5".parse(),
            Ok(StepFlag::Given(Step::Constant { eta: 0.5 }))
        );
        assert!("eta=-1".parse::<StepFlag>().is_err());
        assert_eq!("edges=a b".parse(), Ok(SupportFlag::Edges("a b".into())));
        assert!("edges".parse::<SupportFlag>().is_err());
    }
}
