//! How near to the best possible predictor: the linear-Gaussian benchmark, where that one is known.

use crate::report::{Report, Table};
use crate::score;
use anyhow::Result;
use gapfit::eval::Scores;
use gapfit::{Base, Learner, Method};
use gapfit_paper::neumiss::{Hiding, Population};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::time::Instant;

/// Compares with the best possible predictor on linear-Gaussian data.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Draws of population, rows and holes.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    draws: u64,
    /// Seed of the first draw; each further one adds 1.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Training rows, and test rows.
    #[arg(long, default_value_t = 10_000)]
    rows: usize,
}

/// Share of the cells that are missing.
const RATE: f64 = 0.5;

/// Numbers of features.
const WIDTHS: [usize; 2] = [10, 20];

/// R² of everything everywhere.
#[derive(Debug, Serialize)]
pub(crate) struct Explained {
    draws: u64,
    seed: u64,
    rows: usize,
    lines: Vec<Line>,
}

/// Mean R² over the draws.
#[derive(Debug, Serialize)]
struct Line {
    width: usize,
    hiding: &'static str,
    mask: f64,
    gaussian: f64,
    irr: f64,
    /// Absent where it has no closed form.
    bayes: Option<f64>,
}

/// Runs all draws.
pub(crate) fn run(args: &Args) -> Result<Explained> {
    let mut lines = Vec::new();
    for width in WIDTHS {
        for hiding in Hiding::ALL {
            let start = Instant::now();
            lines.push(line(width, hiding, args)?);
            let seconds = start.elapsed().as_secs_f64();
            eprintln!("d = {width}, {}: {seconds:.1} s", hiding.name());
        }
    }
    Ok(Explained {
        draws: args.draws,
        seed: args.seed,
        rows: args.rows,
        lines,
    })
}

fn line(width: usize, hiding: Hiding, args: &Args) -> Result<Line> {
    let (mut sums, mut bayes) = ([0.0; 3], Some(0.0));
    for draw in 0..args.draws {
        let rng = &mut ChaCha8Rng::seed_from_u64(args.seed + draw);
        let population = Population::draw(width, rng);
        let train = population.sample(args.rows, hiding, RATE, rng)?;
        let test = population.sample(args.rows, hiding, RATE, rng)?;
        sums[0] += score::tuned(Method::Mask, &train, &test)?.r2;
        sums[1] += score::tuned(Method::Impute(Base::Gaussian), &train, &test)?.r2;
        let chosen = score::choose(&train)?;
        let irr = Learner::new(Method::Irr(chosen.base));
        sums[2] += score::given(&irr, chosen.parameters, &train, &test)?.r2;
        let best = population.bayes(test.features(), hiding, RATE);
        let best = best.map(|best| Scores::of(test.target(), &best, None).r2);
        bayes = bayes.zip(best).map(|(sum, r2)| sum + r2);
    }
    let mean = |sum: f64| sum / args.draws as f64;
    Ok(Line {
        width,
        hiding: hiding.name(),
        mask: mean(sums[0]),
        gaussian: mean(sums[1]),
        irr: mean(sums[2]),
        bayes: bayes.map(mean),
    })
}

impl Report for Explained {
    fn markdown(&self) -> String {
        let header = [
            "d",
            "holes",
            "mask",
            "gaussian",
            "irr",
            "Bayes",
            "irr - Bayes",
            "irr - mask",
        ];
        let mut table = Table::new(header);
        for line in &self.lines {
            let bayes = |text: &dyn Fn(f64) -> String| line.bayes.map_or("-".to_owned(), text);
            table.push([
                line.width.to_string(),
                line.hiding.to_owned(),
                format!("{:.4}", line.mask),
                format!("{:.4}", line.gaussian),
                format!("{:.4}", line.irr),
                bayes(&|r2| format!("{r2:.4}")),
                bayes(&|r2| format!("{:+.4}", line.irr - r2)),
                format!("{:+.4}", line.irr - line.mask),
            ]);
        }
        format!(
            "Share of the target's variance explained on {} test rows, mean over {} draws (seed {}); {} \
             training rows, {RATE} of the cells missing; parameters, and the base of irr, by \
             cross-validation.\n\n{table}",
            self.rows, self.draws, self.seed, self.rows
        )
    }
}
