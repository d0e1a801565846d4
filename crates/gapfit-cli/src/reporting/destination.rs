//! Where a report goes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use gapfit_report::Page;

use crate::args::Usage;
use crate::output::Output;

/// The flags of a report.
#[derive(Debug, clap::Args)]
pub(crate) struct Reporting {
    /// Writes figures, words and numbers as a page that needs nothing else.
    #[arg(long, value_name = "OUT.html")]
    report: Option<PathBuf>,
    /// Writes the figures of the report, in SVG, into this folder.
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
}

/// Where a report goes, checked before a long run begins.
#[derive(Debug)]
pub(crate) struct Destination {
    page: Option<Output>,
    folder: Option<PathBuf>,
}

impl Reporting {
    /// Whether there is to be one.
    pub(crate) fn is_asked(&self) -> bool {
        self.report.is_some() || self.figures.is_some()
    }

    /// Where the report goes, if one is asked for: to no file that is read or written otherwise.
    pub(crate) fn open(
        &self,
        inputs: &[&Path],
        outputs: &[&Output],
    ) -> Result<Option<Destination>> {
        if !self.is_asked() {
            return Ok(None);
        }
        let page = match &self.report {
            None => None,
            Some(path) => Some(page_output(path, inputs, outputs)?),
        };
        if let Some(folder) = &self.figures {
            fs::create_dir_all(folder).with_context(|| {
                format!("{}: expected a folder, or room for one", folder.display())
            })?;
        }
        Ok(Some(Destination {
            page,
            folder: self.figures.clone(),
        }))
    }
}

fn page_output(path: &Path, inputs: &[&Path], outputs: &[&Output]) -> Result<Output> {
    let output = Output::new(path)?;
    if output.is_stdout() {
        let message = "--report: expected a file, got standard output";
        return Err(Usage(message.to_owned()).into());
    }
    let is_read = inputs.iter().any(|input| output.replaces(input));
    if is_read || outputs.iter().any(|other| other.is_same(&output)) {
        let got = path.display();
        let message = format!("--report: expected a file of its own, got {got} for two things");
        return Err(Usage(message).into());
    }
    Ok(output)
}

impl Destination {
    /// Writes the page and the figures, each whole or not at all.
    pub(crate) fn write(&self, page: &Page) -> Result<()> {
        if let Some(folder) = &self.folder {
            for figure in page.figures() {
                let file = folder.join(format!("{}.svg", figure.id()));
                Output::new(&file)?.write(|out| Ok(out.write_all(figure.svg().as_bytes())?))?;
            }
        }
        match &self.page {
            None => Ok(()),
            Some(output) => output.write(|out| Ok(out.write_all(page.html().as_bytes())?)),
        }
    }
}
