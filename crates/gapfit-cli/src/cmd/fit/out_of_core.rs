//! A fit to sums over rows that need not fit into memory.

use anyhow::Result;
use gapfit::eval::SquaredErrors;
use gapfit::tune::{BlockFold, Folding, Search};
use gapfit::{Fitted, Gathering, Learner, Statistics};
use gapfit_figures::Scores;

use super::plan::Plan;
use super::report::{Report, Seconds};
use super::{Args, Clock};
use crate::input::{self, Opened};
use crate::output::Output;
use crate::tables::Tables;
use crate::talk::Talk;

/// Runs the command: what gapfit stats and fit --from-stats do, and scores of held-out blocks.
pub(super) fn run(args: &Args, tables: Tables, output: &Output, talk: &Talk) -> Result<()> {
    let mut clock = Clock::start();
    args.memory.note(talk);
    let (name, opened) = (tables.name(), Opened::new(&tables, &args.columns)?);
    let roles = args.roles(&opened)?;
    let gathering = Gathering {
        clip: args.preparing.preparation()?.clip,
        is_blocked: true,
    };
    let statistics = opened.sums(&roles, gathering, talk)?;
    drop(tables);
    let search = Search {
        folding: Folding::Hashed,
        ..args.search()?
    };
    let mut learnt = args.learn(&statistics, &name, &search, &mut clock, talk)?;
    if !args.no_calibration {
        learnt.judge(&search, &mut clock, talk)?;
    }
    learnt.tell(args, output, talk)
}

/// What came out of a fit to statistics.
pub(super) struct Learnt<'a> {
    statistics: &'a Statistics,
    name: String,
    plan: Plan,
    fitted: Fitted,
    held_out: Vec<Scores>,
    seconds: Seconds,
}

impl Args {
    /// Tunes what is to be tuned and fits, to statistics of what messages call `name`.
    pub(super) fn learn<'a>(
        &self,
        statistics: &'a Statistics,
        name: &str,
        search: &Search,
        clock: &mut Clock,
        talk: &Talk,
    ) -> Result<Learnt<'a>> {
        let (choice, settings) = self.choice()?;
        let settings = Learner {
            support: self.support.choice(statistics.names())?,
            ..settings
        };
        let fault = |error| input::fault(name, error);
        let read = clock.lap();
        let plan = self.plan(choice, &settings, statistics, search, talk);
        let mut plan = plan.map_err(fault)?;
        let tune = clock.lap();
        let fitted = plan.learner.fit_each(statistics, &plan.parameters());
        let fitted = fitted.map_err(fault)?;
        plan.warn(&fitted, talk);
        let seconds = Seconds {
            read,
            tune,
            fit: clock.lap(),
            calibrate: 0.0,
            total: clock.total(),
        };
        Ok(Learnt {
            statistics,
            name: name.to_owned(),
            plan,
            fitted,
            held_out: Vec::new(),
            seconds,
        })
    }
}

impl Learnt<'_> {
    /// Adds the scores of fits on folds, where there are enough rows for them.
    fn judge(&mut self, search: &Search, clock: &mut Clock, talk: &Talk) -> Result<()> {
        match self.errors(search) {
            Ok(errors) => self.held_out = vec![Scores::of_squares(&errors)],
            Err(error @ gapfit::Error::Setting { name: "folds", .. }) => {
                talk.warn(format_args!(
                    "nothing is held out, so there are no scores: --{error}"
                ));
            }
            Err(error) => return Err(input::fault(&self.name, error)),
        }
        talk.note("intervals need the rows: the model has none for predict --intervals");
        self.seconds.calibrate = clock.lap();
        self.seconds.total = clock.total();
        Ok(())
    }

    /// The errors of fits on folds, over all rows.
    fn errors(&self, search: &Search) -> gapfit::Result<SquaredErrors> {
        let mut all: Option<SquaredErrors> = None;
        for fold in BlockFold::all(self.statistics, search.folds)? {
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
            statistics,
            mut plan,
            fitted,
            held_out,
            seconds,
            ..
        } = self;
        let model = fitted.model.to_bytes();
        output.write(|out| Ok(out.write_all(&model)?))?;
        let size = (statistics.n_rows(), statistics.observed_fraction());
        let reports = Report::each(size, &mut plan, &fitted, held_out, seconds);
        args.tell(std::iter::once(statistics.target_name()), reports, talk)
    }
}
