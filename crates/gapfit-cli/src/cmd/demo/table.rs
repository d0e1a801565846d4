//! The tables of the walks: embedded data with holes, in two parts.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use gapfit::corrupt::Mechanism;
use gapfit::data::Dataset;
use gapfit_paper::Embedded;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::walk::Walk;
use crate::output::Output;

/// The rows to learn from.
pub(super) const FIRST: &str = "snails.csv";
/// Every fifth row, for later.
pub(super) const LATER: &str = "later.csv";

/// Writes both tables and returns the numbers of their rows.
pub(super) fn write(walk: Walk, folder: &Path) -> Result<(usize, usize)> {
    let complete = Embedded::Abalone.load();
    let mechanism = Mechanism::Dependent { beta: 0.75 };
    let holey = mechanism.apply(complete.features(), &mut ChaCha8Rng::seed_from_u64(0))?;
    let data = complete.with_features(holey)?;
    let rows = 0..data.n_rows();
    let (later, first): (Vec<_>, Vec<_>) = rows.partition(|i| i % 5 == 4);
    for (name, rows) in [(FIRST, &first), (LATER, &later)] {
        let output = Output::new(&folder.join(name))?;
        output.write(|out| write_rows(walk, &data, rows, out))?;
    }
    Ok((first.len(), later.len()))
}

fn write_rows(walk: Walk, data: &Dataset, rows: &[usize], out: &mut dyn Write) -> Result<()> {
    writeln!(out, "{},{}", data.names().join(","), walk.target())?;
    for &i in rows {
        let row = data.features().row(i);
        for j in 0..data.n_features() {
            let cell = row.get(j).map_or(String::new(), |value| value.to_string());
            write!(out, "{cell},")?;
        }
        writeln!(out, "{}", walk.written(data.target()[i]))?;
    }
    Ok(())
}
