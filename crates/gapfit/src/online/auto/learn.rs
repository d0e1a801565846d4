//! The combined learner: rows in running units, every expert, one prediction.

use super::Auto;
use super::expert::{Expert, Knows};
use super::sample::{Kept, Sample};
use crate::data::{MaskedRow, RowBuffer};
use crate::error::Result;
use crate::loss::Loss;
use crate::online::mixture::Mixture;
use crate::online::running::{Running, Scale, Units};
use crate::online::{
    LARGEST, Learn, Learnt, check_names, check_new_names, check_row, check_target,
};
use crate::support::Support;

/// Beyond this many features no expert knows the whole mask.
const WIDEST_FULL: usize = 512;

/// Beyond this many features no expert knows the mask at all.
const WIDEST_SPARSE: usize = 4096;

/// Targets, in running units, are cut here.
const FARTHEST: f64 = 20.0;

/// A row weight may be this many times the largest one so far, or 1; what is beyond is cut there.
const HEAVIER: f64 = 10.0;

/// The units the experts see rows in.
const UNITS: [Units; 2] = [Units::Unit, Units::Standard];

/// A combination of online learners that needs no settings.
#[derive(Clone, Debug, PartialEq)]
pub struct AutoLearner {
    pub(super) settings: Auto,
    pub(super) names: Vec<String>,
    /// The units of the features.
    pub(super) running: Running,
    /// The unit of the target, as the only column.
    pub(super) target: Running,
    pub(super) experts: Vec<Expert>,
    pub(super) mixture: Mixture,
    /// The first rows, until they are enough to tell the support.
    pub(super) sample: Option<Sample>,
    pub(super) rows: u64,
    pub(super) clipped: u64,
    /// Scratch: the row in each of [`UNITS`].
    prepared: [RowBuffer; 2],
}

/// Centre and unit of the target.
#[derive(Clone, Copy, Debug)]
struct TargetUnit {
    centre: f64,
    unit: f64,
}

impl AutoLearner {
    /// A learner over features of these names.
    ///
    /// # Errors
    /// As [`Auto::start`]; [`Error::Setting`](crate::Error::Setting) when two features have the same name.
    pub fn new(settings: Auto, names: Vec<String>) -> Result<Self> {
        let (loss, d) = (settings.loss, names.len());
        let mut learner = Self::blank(settings, names)?;
        let all = |knows, support: &Support| Expert::all(knows, loss, 1 + d, support);
        let full = Support::full();
        let mut experts = all(Knows::Nothing, &full)?;
        if d <= WIDEST_FULL {
            experts.extend(all(Knows::Mask, &full)?);
        }
        if let Some(support) = &learner.settings.support {
            experts.extend(all(Knows::SparseMask, &support.clone().with_hub())?);
        } else if d <= WIDEST_SPARSE {
            learner.sample = Some(Sample::default());
        }
        learner.experts = experts;
        learner.mixture = Mixture::new(loss, learner.experts.len());
        Ok(learner)
    }

    /// A learner without experts.
    pub(super) fn blank(settings: Auto, names: Vec<String>) -> Result<Self> {
        let d = names.len();
        settings.validate(d)?;
        check_names(&names)?;
        Ok(Self {
            running: Running::new(d),
            target: Running::new(1),
            experts: Vec::new(),
            mixture: Mixture::new(settings.loss, 0),
            sample: None,
            rows: 0,
            clipped: 0,
            prepared: Default::default(),
            settings,
            names,
        })
    }

    /// What it learns.
    pub fn settings(&self) -> &Auto {
        &self.settings
    }

    /// The names of the features, in the order in which rows must come.
    pub fn feature_names(&self) -> &[String] {
        &self.names
    }

    /// The number of rows learnt from, those of weight 0 not counted.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The number of rows whose target or weight was cut.
    pub fn clipped(&self) -> u64 {
        self.clipped
    }

    /// The experts and their shares in the next prediction.
    pub fn shares(&self) -> Vec<(String, f64)> {
        let names = self.experts.iter().map(Expert::name);
        names.zip(self.mixture.shares()).collect()
    }

    /// How much larger its cumulative loss can be than that of its best expert ([`Mixture::bound`]).
    pub fn bound(&self) -> f64 {
        self.mixture.bound()
    }

    /// Mean and standard deviation of a feature so far.
    pub(crate) fn running_scale(&self, feature: usize) -> Scale {
        self.running.scale(feature)
    }

    /// Writes a row behind the constant, centred and in running units.
    pub(crate) fn view(&self, row: MaskedRow<'_>, to: &mut RowBuffer) {
        self.running.write(row, Units::Standard, to);
    }

    /// Appends features that had been missing from all rows so far, with zero weights.
    ///
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting) when a name is taken, or there would be too many
    /// features; then nothing has changed.
    pub fn add_columns(&mut self, names: &[String]) -> Result<()> {
        check_new_names(&self.names, names)?;
        // All or none of them: what one expert refuses, one that knows less may not.
        let mut experts = self.experts.clone();
        for expert in &mut experts {
            for j in 0..names.len() {
                expert.add_column(1 + self.names.len() + j)?;
            }
        }
        self.experts = experts;
        for name in names {
            if let Some(support) = &mut self.settings.support {
                support.add_feature();
            }
            if let Some(sample) = &mut self.sample {
                sample.add_column();
            }
            self.running.add_column();
            self.names.push(name.clone());
        }
        Ok(())
    }

    fn target_unit(&self) -> TargetUnit {
        if !self.settings.loss.has_unit() {
            return TargetUnit {
                centre: 0.0,
                unit: 1.0,
            };
        }
        let scale = self.target.scale(0);
        let unit = [scale.spread, scale.mean.abs()];
        TargetUnit {
            centre: scale.mean,
            unit: unit.into_iter().find(|&u| u > 0.0).unwrap_or(1.0),
        }
    }

    /// The loss in units of the target.
    fn loss_in(&self, unit: f64) -> Loss {
        match self.settings.loss {
            Loss::EpsInsensitive(eps) => Loss::EpsInsensitive((eps / unit).min(f64::MAX)),
            loss => loss,
        }
    }

    fn prepare(&self, row: MaskedRow<'_>, prepared: &mut [RowBuffer; 2]) {
        for (units, to) in UNITS.into_iter().zip(prepared) {
            self.running.write(row, units, to);
        }
    }

    /// Lets the experts learn, and returns their predictions before that.
    fn teach(&mut self, prepared: &[RowBuffer; 2], kept: &Kept) -> Result<Vec<f64>> {
        let of = self.target_unit();
        let loss = self.loss_in(of.unit);
        let target = of.inside(kept.target, self.settings.loss.has_unit());
        let mut predictions = Vec::with_capacity(self.experts.len());
        for expert in &mut self.experts {
            expert.set_loss(loss);
            let row = prepared[usize::from(expert.units == Units::Standard)].as_row();
            predictions.push(of.outside(expert.learn(row, target, kept.weight)?.prediction));
        }
        Ok(predictions)
    }

    /// Keeps the row until there are enough, then lets the experts that need a support join.
    fn look(&mut self, row: MaskedRow<'_>, target: f64, weight: f64) -> Result<()> {
        let Some(mut sample) = self.sample.take() else {
            return Ok(());
        };
        if !sample.push(row, target, weight) {
            self.sample = Some(sample);
            return Ok(());
        }
        let support = sample.support()?;
        let width = 1 + self.names.len();
        let newcomers = Expert::all(Knows::SparseMask, self.settings.loss, width, &support)?;
        // They learn alone from the rows that the others know.
        let others = std::mem::replace(&mut self.experts, newcomers);
        let mut prepared = Default::default();
        for kept in &sample.rows {
            self.prepare(kept.row.as_row(), &mut prepared);
            self.teach(&prepared, kept)?;
        }
        let newcomers = std::mem::replace(&mut self.experts, others);
        newcomers.iter().for_each(|_| self.mixture.push());
        self.experts.extend(newcomers);
        Ok(())
    }
}

impl TargetUnit {
    /// A target as the experts see it.
    fn inside(self, target: f64, has_unit: bool) -> f64 {
        match has_unit {
            true => ((target - self.centre) / self.unit).clamp(-FARTHEST, FARTHEST),
            false => target,
        }
    }

    /// An expert's prediction in the unit of the target.
    fn outside(self, prediction: f64) -> f64 {
        (self.centre + self.unit * prediction).clamp(-LARGEST, LARGEST)
    }
}

impl Learn for AutoLearner {
    fn n_features(&self) -> usize {
        self.names.len()
    }

    fn loss(&self) -> Loss {
        self.settings.loss
    }

    fn predict(&self, row: MaskedRow<'_>) -> Result<f64> {
        check_row(row, self.names.len())?;
        let mut prepared = Default::default();
        self.prepare(row, &mut prepared);
        let of = self.target_unit();
        let predictions: Result<Vec<f64>> = self
            .experts
            .iter()
            .map(|expert| {
                let row = prepared[usize::from(expert.units == Units::Standard)].as_row();
                Ok(of.outside(expert.predict(row)?))
            })
            .collect();
        Ok(self.mixture.combine(&predictions?))
    }

    fn learn(&mut self, row: MaskedRow<'_>, target: f64, weight: f64) -> Result<Learnt> {
        check_row(row, self.names.len())?;
        let loss = self.settings.loss;
        check_target(loss, target, weight, self.rows)?;
        if weight == 0.0 {
            let prediction = self.predict(row)?;
            return Ok(Learnt {
                prediction,
                loss: loss.value(prediction, target),
                clipped: false,
            });
        }
        let mut prepared = std::mem::take(&mut self.prepared);
        self.prepare(row, &mut prepared);
        let kept = Kept {
            row: RowBuffer::default(),
            target: match self.settings.loss.has_unit() {
                true => self.target.cut(0, target),
                false => target,
            },
            weight: weight.min(HEAVIER * self.mixture.tally.heaviest),
        };
        let is_cut = (kept.target - target).abs() > 0.0 || kept.weight < weight;
        let predictions = self.teach(&prepared, &kept)?;
        self.prepared = prepared;
        let prediction = self.mixture.combine(&predictions);
        self.mixture.update(&predictions, kept.target, kept.weight);
        if self.settings.loss.has_unit() {
            self.target.push(0, kept.target);
        }
        self.running.add(row);
        self.rows += 1;
        self.clipped += u64::from(is_cut);
        self.look(row, kept.target, kept.weight)?;
        Ok(Learnt {
            prediction,
            loss: loss.value(prediction, target),
            clipped: is_cut,
        })
    }
}
