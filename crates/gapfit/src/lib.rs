//! Learns to predict straight from tables with holes.
//!
//! Rows come with missing values, in training and at prediction. gapfit learns the imputation and the
//! predictor together, for the target at hand, and lets the holes themselves speak. The model stays
//! linear: weights when everything is observed, and how they shift when a feature is missing. It
//! implements "Learning with Missing Features" (Rostamizadeh, Agarwal, Bartlett, UAI 2011) and goes
//! beyond it: the paper's semidefinite program is solved exactly, with a certificate (docs/math.md).
//!
//! # From table to prediction
//!
//! 1. [`MaskedMatrix`](data::MaskedMatrix) holds values and the bits that say which are observed;
//!    [`Dataset`](data::Dataset) adds the target and, if any, row weights.
//! 2. [`Learner`] says what to fit: a [`Method`] and how rows are [prepared](prepare::Preparation).
//! 3. [`tune::cross_validate`] chooses the [`Parameters`] `alpha` and `gamma` without leaks.
//! 4. [`Learner::fit`] returns a [`Fitted`]: the [`Model`], the certified gap, warnings.
//! 5. [`Model::predict`] takes any rows, whatever their holes; [`Model::to_bytes`] saves it.
//!
//! ```
//! use gapfit::data::{Dataset, MaskedMatrix};
//! use gapfit::tune::{self, Search};
//! use gapfit::Learner;
//! use std::ops::ControlFlow;
//!
//! let hole = f64::NAN;
//! let table = MaskedMatrix::from_nan(4, 2, &[1.0, 2.0, 2.0, hole, hole, 1.0, 4.0, 3.0])?;
//! let data = Dataset::new(table.clone(), vec![3.0, 3.5, 2.5, 7.0])?;
//!
//! let learner = Learner::default();
//! let search = Search { folds: 2, ..Search::default() };
//! let tuned = tune::cross_validate(&learner, &data, &search, &|_, _| ControlFlow::Continue(()))?;
//! let fitted = learner.fit(&data, tuned.best.parameters)?;
//! assert!(fitted.outcome.gap <= 1e-8);
//! assert_eq!(fitted.model.predict(&table)?.len(), 4);
//! # Ok::<(), gapfit::Error>(())
//! ```
//!
//! A target of classes ([`Dataset::classified`](data::Dataset::classified)) asks for
//! [`Learner::loss`] `logistic` or `squared-hinge`; [`Model::predict_proba`] and [`Model::decide`] answer.
//!
//! Rows that come one by one are for [`online`]: the same kind of weights, learnt from a stream.
//!
//! # Who it is not for
//!
//! It is a linear model: where the target bends and interacts, boosted trees win. Tables are dense and
//! in memory. Columns are numbers; a [`Schema`](data::Schema) turns categories into them.

mod ahead;
pub mod conformal;
mod container;
pub mod corrupt;
pub mod data;
pub mod error;
pub mod eval;
mod features;
mod gram;
mod hash;
mod impute;
pub mod joint;
pub mod learn;
mod linalg;
pub mod loss;
pub mod method;
pub mod model;
mod moments;
pub mod online;
mod pipeline;
pub mod prepare;
pub mod profile;
pub mod rival;
mod statistics;
pub mod support;
mod sweep;
pub mod tune;

pub use error::{Error, Result};
pub use learn::{Fitted, GaussianFit, Learner, Multiclass, Parameters};
#[doc(hidden)]
pub use learn::{NormalForm, Stage};
pub use method::{Base, Method};
pub use model::{Calibration, Interval, Model, Training};
pub use statistics::{Evidence, Failure, Gathering, Passes, RowSample, Statistics};
pub use sweep::Sweep;

/// The examples of the README and of the guide run, too.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../docs/guide.md")]
struct Readme;
