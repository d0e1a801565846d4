//! Reports of gapfit: one HTML page that needs nothing else, and pictures in SVG.
//!
//! Numbers go in, in the structs of this crate: a [`Page`] has [`Section`]s, a section has
//! [`Figure`]s, and each figure is made from the numbers it shows. What comes out works from disk and
//! without a network, in print, on dark paper, on a phone and without its script: every figure has a
//! caption that says in words what it shows, and a table with the numbers behind it.
//!
//! ```
//! use gapfit_report::{Page, Pattern, Patterns, Section};
//!
//! let pattern = Pattern { missing: vec!["rooms".to_owned()], rows: 4 };
//! let patterns = Patterns { n_rows: 4, n_patterns: 1, commonest: vec![pattern] };
//! let page = Page {
//!     title: "Houses".to_owned(),
//!     sections: vec![Section { title: "The table".to_owned(), figures: vec![patterns.figure()] }],
//!     ..Page::default()
//! };
//! assert!(page.html().contains("All rows lack the same columns."));
//! ```

mod chart;
mod colour;
mod figure;
mod markup;
pub mod number;
mod page;
mod scale;
mod svg;
mod table;

pub use figure::{
    Agreement, Band, ByMissing, Calibration, CalibrationCurve, CalibrationPoint, Figure, Growth,
    GrowthLine, HoleMap, League, LearningCurve, LearningPoint, Measure, MissingGroup, Moment,
    Pattern, Patterns, Price, Prices, Progress, Race, Racer, RegretCurve, RegretPoint, Roc,
    RocCurve, Shifts, Standing, Surface, SurfacePoint, Told, Verdict, Verdicts,
};
pub use page::{Fact, Page, Section};
pub use table::{Cell, Table};
