//! The page that a command can leave behind: its flags, and what commands share beside
//! `gapfit_figures`.

mod curve;
mod destination;
mod joined;

pub(crate) use curve::{Curves, fits};
pub(crate) use destination::{Destination, Reporting};
pub(crate) use joined::{TABLE, joined};

/// What a page is called: by the file, not by the folders that it lies in.
pub(crate) fn title(target: &str, file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    format!("{target} from {name}")
}
