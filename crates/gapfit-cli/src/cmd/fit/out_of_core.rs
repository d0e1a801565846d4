//! A fit to rows that need not fit into memory: to sums over them, or in passes over the files.

use anyhow::Result;
use gapfit::eval::SquaredErrors;
use gapfit::tune::{BlockFold, Folding, Search};
use gapfit::{Evidence, Fitted, Gathering, Learner};
use gapfit_figures::Scores;

use super::plan::Plan;
use super::report::{Report, Seconds};
use super::{Args, Clock};
use crate::input::{self, Opened};
use crate::output::Output;
use crate::tables::Tables;
use crate::talk::Talk;

/// Runs the command: what gapfit stats and fit --from-stats do, and scores of held-out blocks.
pub(super) fn run(args: &Args, tables: &Tables, output: &Output, talk: &Talk) -> Result<()> {
    let mut clock = Clock::start();
    args.memory.note(talk);
    let (name, opened) = (tables.name(), Opened::new(tables, &args.columns)?);
    let roles = args.roles(&opened)?;
    let gathering = Gathering {
        clip: args.preparing.preparation()?.clip,
        is_blocked: true,
    };
    let outside = opened.outside(&roles, gathering, talk)?;
    let evidence = outside.evidence();
    let search = Search {
        folding: Folding::Hashed,
        ..args.search()?
    };
    let mut learnt = args.learn(evidence, &name, &search, &mut clock, talk)?;
    if !args.no_calibration {
        learnt.judge((evidence, &name), &search, &mut clock, talk)?;
    }
    tables.end_reading();
    learnt.tell(args, output, talk)
}

/// What came out of a fit to sums.
pub(super) struct Learnt {
    target: String,
    /// Rows, and the share of observed cells.
    size: (usize, f64),
    plan: Plan,
    fitted: Fitted,
    held_out: Vec<Scores>,
    seconds: Seconds,
}

impl Args {
    /// Tunes what is to be tuned and fits, to what messages call `name`.
    pub(super) fn learn(
        &self,
        evidence: Evidence<'_>,
        name: &str,
        search: &Search,
        clock: &mut Clock,
        talk: &Talk,
    ) -> Result<Learnt> {
        let (choice, settings) = self.choice()?;
        let settings = Learner {
            support: self.support.choice(evidence.names())?,
            ..settings
        };
        let fault = |error| input::fault(name, error);
        let read = clock.lap();
        let plan = self.plan(choice, &settings, evidence, search, talk);
        let plan = plan.map_err(fault)?;
        let tune = clock.lap();
        let fitted = plan.learner.fit_each(evidence, &plan.parameters());
        let about = (
            evidence.target_name().to_owned(),
            (evidence.n_rows(), evidence.observed_fraction()),
        );
        let fitted = fitted.map_err(fault)?;
        Ok(Learnt::new(about, plan, fitted, (read, tune), clock, talk))
    }
}

impl Learnt {
    /// A fit that just ended, of a target and a size, after seconds of reading and tuning; says what the user should know.
    pub(super) fn new(
        (target, size): (String, (usize, f64)),
        mut plan: Plan,
        fitted: Fitted,
        (read, tune): (f64, f64),
        clock: &mut Clock,
        talk: &Talk,
    ) -> Self {
        plan.warn(&fitted, talk);
        Self {
            target,
            size,
            plan,
            fitted,
            held_out: Vec::new(),
            seconds: Seconds {
                read,
                tune,
                fit: clock.lap(),
                calibrate: 0.0,
                total: clock.total(),
            },
        }
    }

    /// Adds the scores of fits on folds, where there are enough rows for them.
    fn judge(
        &mut self,
        (evidence, name): (Evidence<'_>, &str),
        search: &Search,
        clock: &mut Clock,
        talk: &Talk,
    ) -> Result<()> {
        match self.errors(evidence, search) {
            Ok(errors) => self.held_out = vec![Scores::of_squares(&errors)],
            Err(error @ gapfit::Error::Setting { name: "folds", .. }) => {
                talk.warn(format_args!(
                    "nothing is held out, so there are no scores: --{error}"
                ));
            }
            Err(error) => return Err(input::fault(name, error)),
        }
        talk.note("intervals need the rows: the model has none for predict --intervals");
        self.seconds.calibrate = clock.lap();
        self.seconds.total = clock.total();
        Ok(())
    }

    /// The errors of fits on folds, over all rows.
    fn errors(&self, evidence: Evidence<'_>, search: &Search) -> gapfit::Result<SquaredErrors> {
        let mut all: Option<SquaredErrors> = None;
        for fold in BlockFold::all(evidence, search.folds)? {
            let parameters = self.plan.parameters()[0];
            let (_, errors) = fold.judge(&self.plan.learner, parameters)?;
            match &mut all {
                None => all = Some(errors),
                Some(all) => all.add(&errors),
            }
        }
        Ok(all.expect("two folds at least"))
    }

    /// Writes the model and says what came out.
    pub(super) fn tell(self, args: &Args, output: &Output, talk: &Talk) -> Result<()> {
        let Self {
            target,
            size,
            mut plan,
            fitted,
            held_out,
            seconds,
        } = self;
        let model = fitted.model.to_bytes();
        output.write(|out| Ok(out.write_all(&model)?))?;
        let reports = Report::each(size, &mut plan, &fitted, held_out, seconds);
        args.tell(std::iter::once(target.as_str()), reports, talk)
    }
}
