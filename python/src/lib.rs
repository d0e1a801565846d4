//! The compiled half of the Python package `gapfit`: thin wrappers, private to it.
//!
//! What users see is written in Python, in `python/gapfit`. Here arrays become tables ([`table`]), long
//! work runs without the interpreter's lock and ends on Ctrl-C ([`job`]), and errors become exceptions
//! ([`error`]).

mod about;
mod datasets;
mod dict_stream;
mod error;
mod fit;
mod frame;
mod job;
mod keys;
mod model;
mod report;
mod settings;
mod statistics;
mod stream;
mod table;

/// That of the command `gapfit`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The module `gapfit._gapfit`; its stubs are in `python/gapfit/_gapfit.pyi`.
#[pyo3::pymodule]
mod _gapfit {
    #[pymodule_export]
    use crate::datasets::{load_dataset, punch};
    #[pymodule_export]
    use crate::dict_stream::DictStream;
    #[pymodule_export]
    use crate::fit::{fit, fit_statistics};
    #[pymodule_export]
    use crate::frame::{encode_frame, read_frame};
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::report::report;
    #[pymodule_export]
    use crate::statistics::{Columns, Statistics};
    #[pymodule_export]
    use crate::stream::Stream;
    #[pymodule_export]
    use crate::table::Table;

    /// The version of the package, of the crate and of the command.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
