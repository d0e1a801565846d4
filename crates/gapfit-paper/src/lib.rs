//! The experiments of "Learning with Missing Features" (Rostamizadeh, Agarwal, Bartlett, UAI 2011), run again:
//! its data sets, as far as they may be shipped, embedded in the binary; its tables and figures as data,
//! run trial by trial and shown beside what the paper reports; and a benchmark whose best predictor is known.
//!
//! ```
//! use gapfit_paper::experiment::Experiment;
//! use gapfit_paper::render::Document;
//! use gapfit_paper::runner::{self, Settings};
//! use std::ops::ControlFlow;
//!
//! let folder = tempfile::tempdir().expect("a folder for the journal");
//! let experiments = Experiment::select("table1")?;
//! let settings = Settings { quick: true, ..Settings::default() };
//! let go_on = |_, _, _: &str| ControlFlow::Continue(());
//! let outcomes = runner::run(&experiments, &settings, &folder.path().join("journal"), &go_on)?;
//! let page = Document::new(&outcomes, &settings, "table1").markdown("figures");
//! assert!(page.contains("| abalone, independent "));
//! # Ok::<_, gapfit_paper::Error>(())
//! ```

mod dataset;
mod error;
pub mod experiment;
pub mod neumiss;
pub mod outcome;
mod parse;
pub mod render;
pub mod runner;
mod source;
mod trial;

pub use dataset::Embedded;
pub use error::{Error, Result};
pub use source::Source;
pub use trial::Tuning;
