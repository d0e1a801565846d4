//! Our times beside the peers'.

use crate::synthetic::{linear, with_holes};
use anyhow::Result;
use gapfit::corrupt::Mechanism;
use gapfit::tune::{self, Search};
use gapfit::{Base, Learner, Method, Parameters};
use std::ops::ControlFlow;
use std::time::Instant;

pub(crate) fn run() -> Result<()> {
    let mcar = Mechanism::Mcar { rate: 0.3 };
    let small = with_holes(&linear(1000, 10, 1)?, &mcar, 2)?;
    for clip in if std::env::var("FIT").is_ok() {
        vec![]
    } else {
        vec![0.0, 0.002]
    } {
        let mut learner = Learner::new(Method::Irr(Base::Zero));
        learner.preparation.clip = clip;
        for _ in 0..3 {
            let start = Instant::now();
            let tuned = tune::cross_validate(&learner, &small, &Search::paper(), &|_, _| {
                ControlFlow::Continue(())
            })?;
            println!(
                "tune clip {clip}: {:.3} s, best {:?}",
                start.elapsed().as_secs_f64(),
                tuned.best
            );
        }
    }
    if std::env::var("TUNE").is_ok() {
        return Ok(());
    }
    let big = with_holes(&linear(1_000_000, 10, 3)?, &mcar, 4)?;
    for clip in [0.0, 0.002] {
        let mut learner = Learner::default();
        learner.preparation.clip = clip;
        for _ in 0..40 {
            let start = Instant::now();
            let fitted = learner.fit(
                &big,
                Parameters {
                    alpha: 1e-3,
                    gamma: 1.0,
                },
            )?;
            println!(
                "fit clip {clip}: {:.1} ms, gap {:.1e}",
                start.elapsed().as_secs_f64() * 1e3,
                fitted.outcome.gap
            );
        }
    }
    Ok(())
}
