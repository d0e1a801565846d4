//! Any of the online learners behind one door: rows as they come, in units of choice, behind a constant.

mod grow;
mod state;

use super::adaptive::{Adaptive, AdaptiveLearner, AdaptiveRule};
use super::auto::{Auto, AutoLearner};
use super::learn::OnlineLearner;
use super::mirror::Mirror;
use super::running::{Running, Units, write_raw};
use super::settings::MirrorDescent;
use super::{Learn, Learnt, check_names, check_row, check_target};
use crate::data::{MaskedRow, RowBuffer};
use crate::error::Result;
use crate::loss::Loss;

/// By which rule a stream is learnt from.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// Mirror descent, with steps to be chosen.
    Descent(MirrorDescent),
    /// Each weight at its own pace.
    Adaptive(Adaptive),
    /// A combination of many.
    Auto(Auto),
}

impl Default for Rule {
    fn default() -> Self {
        Self::Auto(Auto::default())
    }
}

/// What is learnt from a stream, and how.
///
/// | field | default | purpose |
/// |---|---|---|
/// | `rule` | auto | how to learn |
/// | `units` | raw | the units in which rules other than auto see values |
///
/// A constant is put before the features. Supports are over the features; the constant is the neighbour
/// of all.
///
/// ```
/// use gapfit::data::RowBuffer;
/// use gapfit::online::{Learn, StreamLearner, Streaming};
///
/// let mut learner = Streaming::default().start(vec!["size".to_owned()])?;
/// learner.add_column("age")?; // columns may come later
/// let mut row = RowBuffer::new(2);
/// row.set(0, 3.5)?;
/// learner.learn(row.as_row(), 10.0, 1.0)?;
/// let resumed = StreamLearner::from_bytes(&learner.to_bytes())?;
/// assert_eq!(resumed.predict(row.as_row())?, learner.predict(row.as_row())?);
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Streaming {
    /// How to learn.
    pub rule: Rule,
    /// The units in which rules other than auto see values.
    pub units: Units,
}

impl Streaming {
    /// The loss of the rule.
    pub fn loss(&self) -> Loss {
        match &self.rule {
            Rule::Descent(rule) => rule.loss,
            Rule::Adaptive(rule) => rule.loss,
            Rule::Auto(rule) => rule.loss,
        }
    }

    /// A learner over features of these names, that knows nothing yet.
    ///
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting) when a setting is out of range, two features have the
    /// same name, or there would be too many weights; [`Error::Shape`](crate::Error::Shape) when a
    /// support is one of another number of features.
    pub fn start(&self, names: Vec<String>) -> Result<StreamLearner> {
        check_names(&names)?;
        let width = 1 + names.len();
        let inner = match &self.rule {
            Rule::Auto(rule) => {
                let settings = rule.clone();
                return Ok(StreamLearner {
                    inner: Inner::Auto(Box::new(AutoLearner::new(settings, names)?)),
                    front: None,
                });
            }
            Rule::Descent(rule) => {
                rule.mirror.support().check(names.len())?;
                Inner::Descent(Box::new(behind_constant(rule).start(width)?))
            }
            Rule::Adaptive(rule) => {
                rule.support.check(names.len())?;
                let support = rule.support.clone().with_hub();
                let rule = Adaptive {
                    support,
                    ..rule.clone()
                };
                Inner::Adaptive(Box::new(rule.start(width)?))
            }
        };
        Ok(StreamLearner {
            inner,
            front: Some(Front {
                units: self.units,
                running: Running::new(names.len()),
                names,
                row: RowBuffer::default(),
            }),
        })
    }
}

/// The settings with the constant in the support.
fn behind_constant(rule: &MirrorDescent) -> MirrorDescent {
    let mut rule = rule.clone();
    if let Mirror::Sparse { support, .. } = &mut rule.mirror {
        *support = std::mem::take(support).with_hub();
    }
    rule
}

/// A learner from a stream, by any rule.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamLearner {
    inner: Inner,
    /// What stands between rows and rule; auto has its own.
    front: Option<Front>,
}

#[derive(Clone, Debug, PartialEq)]
enum Inner {
    Descent(Box<OnlineLearner>),
    Adaptive(Box<AdaptiveLearner>),
    Auto(Box<AutoLearner>),
}

/// Names, units, and the constant.
#[derive(Clone, Debug, PartialEq)]
struct Front {
    names: Vec<String>,
    units: Units,
    running: Running,
    /// Scratch.
    row: RowBuffer,
}

impl Front {
    fn write(&self, row: MaskedRow<'_>, to: &mut RowBuffer) {
        match self.units {
            Units::Raw => write_raw(row, to),
            units => self.running.write(row, units, to),
        }
    }
}

impl StreamLearner {
    /// The names of the features, in the order in which rows must come.
    pub fn feature_names(&self) -> &[String] {
        match (&self.front, &self.inner) {
            (Some(front), _) => &front.names,
            (None, Inner::Auto(learner)) => learner.feature_names(),
            (None, _) => &[],
        }
    }

    /// What it learns, and how; supports include the constant.
    pub fn settings(&self) -> Streaming {
        Streaming {
            rule: match &self.inner {
                Inner::Descent(learner) => Rule::Descent(learner.settings().clone()),
                Inner::Adaptive(learner) => Rule::Adaptive(learner.settings().clone()),
                Inner::Auto(learner) => Rule::Auto(learner.settings().clone()),
            },
            units: self.front.as_ref().map_or(Units::Raw, |front| front.units),
        }
    }

    /// The loss it learns with.
    pub fn loss(&self) -> Loss {
        self.inner.loss()
    }

    /// The number of rows learnt from, those of weight 0 not counted.
    pub fn rows(&self) -> u64 {
        match &self.inner {
            Inner::Descent(learner) => learner.rows(),
            Inner::Adaptive(learner) => learner.rows(),
            Inner::Auto(learner) => learner.rows(),
        }
    }

    /// The number of rows of which something had to be cut.
    pub fn clipped(&self) -> u64 {
        match &self.inner {
            Inner::Descent(learner) => learner.clipped(),
            Inner::Adaptive(learner) => learner.clipped(),
            Inner::Auto(learner) => learner.clipped(),
        }
    }

    /// How it learns: `auto`, `coin`, `adagrad` or `descent`.
    pub fn rule_name(&self) -> &'static str {
        match &self.inner {
            Inner::Descent(_) => "descent",
            Inner::Adaptive(learner) => match learner.settings().rule {
                AdaptiveRule::Coin => "coin",
                AdaptiveRule::AdaGrad => "adagrad",
            },
            Inner::Auto(_) => "auto",
        }
    }

    /// Running mean and standard deviation of a feature; `None` where values are taken as they come.
    ///
    /// # Panics
    /// When there is no such feature.
    pub fn running_unit(&self, feature: usize) -> Option<(f64, f64)> {
        let scale = match (&self.front, &self.inner) {
            (Some(front), _) if front.units != Units::Raw => front.running.scale(feature),
            (None, Inner::Auto(learner)) => learner.running_scale(feature),
            _ => return None,
        };
        Some((scale.mean, scale.spread))
    }

    /// The combined learner, where it is one: its experts, its bound.
    pub fn auto(&self) -> Option<&AutoLearner> {
        match &self.inner {
            Inner::Auto(learner) => Some(learner),
            _ => None,
        }
    }

    /// Writes a row as the rule sees it: behind the constant, in its units. Auto sees it in several;
    /// this is the one in which holes stand for the mean.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) when the row has another number of features.
    pub fn view(&self, row: MaskedRow<'_>, to: &mut RowBuffer) -> Result<()> {
        check_row(row, self.feature_names().len())?;
        match (&self.front, &self.inner) {
            (Some(front), _) => front.write(row, to),
            (None, Inner::Auto(learner)) => learner.view(row, to),
            (None, _) => write_raw(row, to),
        }
        Ok(())
    }

    /// As [`Learn::predict`], in a buffer that is used again and again.
    ///
    /// # Errors
    /// As [`Learn::predict`].
    pub fn predict_with(&self, row: MaskedRow<'_>, scratch: &mut RowBuffer) -> Result<f64> {
        check_row(row, self.feature_names().len())?;
        let Some(front) = &self.front else {
            return self.inner.predict(row);
        };
        front.write(row, scratch);
        self.inner.predict(scratch.as_row())
    }

    /// Says whether a target and a weight are such that a row with them can be learnt.
    ///
    /// # Errors
    /// As [`Learn::learn`].
    pub fn check(&self, target: f64, weight: f64) -> Result<()> {
        check_target(self.loss(), target, weight, self.rows())
    }
}

impl Learn for Inner {
    fn n_features(&self) -> usize {
        match self {
            Self::Descent(learner) => learner.n_features(),
            Self::Adaptive(learner) => learner.n_features(),
            Self::Auto(learner) => learner.n_features(),
        }
    }

    fn loss(&self) -> Loss {
        match self {
            Self::Descent(learner) => learner.loss(),
            Self::Adaptive(learner) => learner.loss(),
            Self::Auto(learner) => learner.loss(),
        }
    }

    fn predict(&self, row: MaskedRow<'_>) -> Result<f64> {
        match self {
            Self::Descent(learner) => learner.predict(row),
            Self::Adaptive(learner) => learner.predict(row),
            Self::Auto(learner) => learner.predict(row),
        }
    }

    fn learn(&mut self, row: MaskedRow<'_>, target: f64, weight: f64) -> Result<Learnt> {
        match self {
            Self::Descent(learner) => learner.learn(row, target, weight),
            Self::Adaptive(learner) => learner.learn(row, target, weight),
            Self::Auto(learner) => learner.learn(row, target, weight),
        }
    }
}

impl Learn for StreamLearner {
    fn n_features(&self) -> usize {
        self.feature_names().len()
    }

    fn loss(&self) -> Loss {
        Self::loss(self)
    }

    fn predict(&self, row: MaskedRow<'_>) -> Result<f64> {
        self.predict_with(row, &mut RowBuffer::default())
    }

    fn learn(&mut self, row: MaskedRow<'_>, target: f64, weight: f64) -> Result<Learnt> {
        check_row(row, self.feature_names().len())?;
        let Some(front) = &mut self.front else {
            return self.inner.learn(row, target, weight);
        };
        let mut prepared = std::mem::take(&mut front.row);
        front.write(row, &mut prepared);
        let learnt = self.inner.learn(prepared.as_row(), target, weight);
        front.row = prepared;
        if learnt.is_ok() && weight > 0.0 && front.units != Units::Raw {
            front.running.add(row);
        }
        learnt
    }
}
