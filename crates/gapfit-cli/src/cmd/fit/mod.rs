//! `gapfit fit`: learns a model from a table.

mod from_stats;
mod held_out;
mod out_of_core;
mod page;
mod plan;
mod report;
mod swept;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use gapfit::corrupt::Mechanism;
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::rival::Solver;
use gapfit::tune::Search;
use gapfit::{Learner, Method, Model, Parameters};
use gapfit_io::{Roles, Supervised};
use gapfit_report::Page;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::args::{Columns, Dialect, Preparing, Usage, folds, seed};
use crate::choice::{BaseChoice, Choice};
use crate::class_weight::ClassWeight;
use crate::folding::FoldRule;
use crate::input::Opened;
use crate::memory::Memory;
use crate::output::Output;
use crate::reporting::{self, Reporting};
use crate::support::FitSupport;
use crate::tables::Tables;
use crate::talk::Talk;
use crate::targets::Each;
use crate::task::Tasking;
use crate::tuning::Tuning;
use crate::{caution, input};
use held_out::judged;
use page::Done;
use plan::{Plan, Planned};
use report::{Report, Seconds};

/// Learns a model from a table and writes it to a file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Of --base, --alpha and --gamma, what is not given is chosen by cross-validation. The gap in the result is \
certified: it says how far from the best possible value of its objective the model can be. \
Columns of text are categories: a feature for each that enough rows have (5, and half a percent), one for all \
others together. A category that prediction meets for the first time is missing. \
Classes are told apart by logistic regression, under the same penalty; class weights count in training and tuning, not \
in the scores. \
Choose the folds as the model will be used: --group where it will meet groups it has not seen, --time \
where it will predict the future.

The solvers beside exact are the paper's own, for comparison on small tables: silp (cutting planes) and \
sdp (semidefinite program, in builds with that feature) for the same problem, alternating for the \
problem before its relaxation. Tuning always uses exact.

Examples:
  gapfit fit houses.csv --target price -o houses.gapfit
  gapfit fit sales.parquet --target price --categorical zip --dates sold --id number -o sales.gapfit
  gapfit fit visits.csv --target dose --group patient -o dose.gapfit --report dose.html
  gapfit fit patients.csv --target outcome --class-weight balanced -o outcome.gapfit
")]
pub(crate) struct Args {
    /// The table or tables, also patterns such as 'may-*.csv'; `-` for standard input.
    #[arg(required_unless_present = "from_stats")]
    file: Vec<PathBuf>,
    /// Learns from statistics of gapfit stats, added up, instead of a table.
    #[arg(long, value_name = "STATS", num_args = 1.., conflicts_with_all = [
        "file", "weight", "simulate_holes", "group", "time", "task", "loss", "class_weight", "report", "figures",
    ])]
    from_stats: Vec<PathBuf>,
    /// Column to predict, or several of numbers: each as if it were alone.
    #[arg(long, value_name = "COL,...")]
    target: String,
    /// Where the model goes, `-` for standard output.
    #[arg(long, short, value_name = "MODEL")]
    output: PathBuf,
    /// What is fitted: irr, zero, mean, independent, gaussian, mask or lifted.
    #[arg(long, default_value_t)]
    method: Choice,
    /// What irr starts from: zero, mean, independent, gaussian or auto, the best in
    /// cross-validation [default: auto; mean if nothing is tuned].
    #[arg(long)]
    base: Option<BaseChoice>,
    /// Weights that may shift with a hole: full, constant, top=M (of those
    /// that say most), corr=R, grid=HxW, edges=FILE [default: auto].
    #[arg(
        long,
        value_name = "RULE",
        default_value = "auto",
        hide_default_value = true
    )]
    support: FitSupport,
    /// Weight of the penalty [default: tuned].
    #[arg(long, allow_negative_numbers = true, conflicts_with = "alphas")]
    alpha: Option<f64>,
    /// How much the learnt imputation of irr may do [default: tuned].
    #[arg(long, allow_negative_numbers = true, conflicts_with = "gammas")]
    gamma: Option<f64>,
    /// Column of row weights.
    #[arg(long, value_name = "COL")]
    weight: Option<String>,
    /// Number of folds for tuning and calibration.
    #[arg(long, value_name = "K", default_value_t = Search::default().folds, value_parser = folds, allow_negative_numbers = true)]
    folds: usize,
    /// Leaves out the fits on folds: no scores, no predict --intervals.
    #[arg(long)]
    no_calibration: bool,
    /// Hides this share of the cells first: for a table without holes.
    #[arg(long, value_name = "RATE", value_parser = rate, allow_negative_numbers = true)]
    simulate_holes: Option<f64>,
    /// Seed of the folds and of simulated holes.
    #[arg(long, default_value_t = 0, value_parser = seed, allow_negative_numbers = true)]
    seed: u64,
    /// Who solves it: exact, silp, alternating or sdp.
    #[arg(long, default_value_t)]
    solver: Solver,
    /// Relative gap to reach [default: 1e-8; silp 1e-3, sdp 1e-6].
    #[arg(long, allow_negative_numbers = true)]
    tol: Option<f64>,
    /// Writes what came out as JSON to standard output.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    memory: Memory,
    #[command(flatten)]
    reporting: Reporting,
    #[command(flatten)]
    tasking: Tasking,
    #[command(flatten)]
    columns: Columns,
    #[command(flatten)]
    fold_rule: FoldRule,
    #[command(flatten)]
    tuning: Tuning,
    #[command(flatten)]
    preparing: Preparing,
    #[command(flatten)]
    dialect: Dialect,
}

/// Runs the command.
pub(crate) fn run(args: &Args, talk: &Talk) -> Result<()> {
    if args.file.is_empty() {
        return from_stats::run(args, talk);
    }
    let mut clock = Clock::start();
    let (choice, settings) = args.choice()?;
    let search = args.search()?;
    let output = Output::new(&args.output)?;
    output.check_beside_json(args.json)?;
    let tables = Tables::new(&args.file, args.dialect.options(), talk)?;
    output.check_keeps(&tables.paths())?;
    let needs_rows = args.needs_rows();
    if args.memory.is_out_of_core(&tables, needs_rows, talk)? {
        return out_of_core::run(args, &tables, &output, talk);
    }
    if let Some(learnt) = swept::run(args, &tables, &mut clock, talk)? {
        return learnt.tell(args, &output, talk);
    }
    let page = args.reporting.open(&tables.paths(), &[&output])?;
    let table = args.table(&tables, &settings, search, talk)?;
    drop(tables);
    let fault = |error| input::fault(&table.name, error);
    let read = clock.lap();
    let plan = args.plan(
        choice,
        &table.settings,
        table.training(),
        &table.search,
        talk,
    );
    let mut plan = plan.map_err(fault)?;
    let tune = clock.lap();
    let fitted = plan.learner.fit_each(table.training(), &plan.parameters());
    let (mut fitted, mut held_out) = (fitted.map_err(fault)?, Vec::new());
    let fit = clock.lap();
    if !args.no_calibration {
        let rows = (table.training(), &table.data);
        let judged = judged(fitted, &plan, rows, &table.search, talk);
        (fitted, held_out) = judged.map_err(fault)?;
    }
    let calibrate = clock.lap();
    plan.warn(&fitted, talk);
    output.write(|out| Ok(out.write_all(&fitted.model.to_bytes())?))?;
    let seconds = Seconds {
        read,
        tune,
        fit,
        calibrate,
        total: clock.total(),
    };
    let size = (
        table.data.n_rows(),
        table.data.features().observed_fraction(),
    );
    let reports = Report::each(size, &mut plan, &fitted, held_out, seconds);
    if let Some(to) = page {
        let pages = args.pages(&table, &plan, &fitted.model, &reports, talk);
        to.write(&reporting::joined(pages.map_err(fault)?))?;
    }
    args.tell(table.data.target_names(), reports, talk)
}

/// Seconds since the start, part by part.
struct Clock {
    start: Instant,
    last: Instant,
}

impl Clock {
    fn start() -> Self {
        let start = Instant::now();
        Self { start, last: start }
    }

    /// The seconds since the last lap.
    fn lap(&mut self) -> f64 {
        let before = std::mem::replace(&mut self.last, Instant::now());
        (self.last - before).as_secs_f64()
    }

    fn total(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}

/// The table that was read, and settings that suit it.
struct Table {
    name: String,
    data: Dataset,
    /// The rows as they count in training, where classes weigh otherwise: a large table is not copied in vain.
    weighted: Option<Dataset>,
    settings: Learner,
    search: Search,
}

impl Table {
    fn training(&self) -> &Dataset {
        self.weighted.as_ref().unwrap_or(&self.data)
    }
}

impl Args {
    /// What to fit and the other settings, checked.
    fn choice(&self) -> Result<(Choice, Learner), Usage> {
        let choice = match (self.method, self.base) {
            // With nothing left to tune, nothing is.
            (Choice::Irr, None) if self.alpha.is_some() && self.gamma.is_some() => {
                Choice::Method(Method::default())
            }
            (choice, None) | (choice @ Choice::Irr, Some(BaseChoice::Auto)) => choice,
            (Choice::Irr, Some(BaseChoice::Base(base))) => Choice::Method(Method::Irr(base)),
            (choice, Some(_)) => {
                let message = format!("--base: expected --method irr with it, got {choice}");
                return Err(Usage(message));
            }
        };
        let given = [
            ("gamma", self.gamma.is_some()),
            ("gammas", self.tuning.has_gammas()),
        ];
        if let Some((flag, _)) = given.iter().find(|(_, is_given)| *is_given)
            && !choice.has_gamma()
        {
            let message = format!("--{flag}: expected --method irr with it, got {choice}");
            return Err(Usage(message));
        }
        self.tasking.check()?;
        let shifts = choice
            .method()
            .is_none_or(|method| method.has_gamma() || method == Method::Lifted);
        if self.support != FitSupport::Auto && !shifts {
            let message =
                format!("--support: expected --method irr or lifted with it, got {choice}");
            return Err(Usage(message));
        }
        let settings = Learner {
            loss: self.tasking.loss(),
            preparation: self.preparing.preparation()?,
            tol: self.tol.unwrap_or(self.solver.usual_tol()),
            solver: self.solver,
            ..Learner::new(choice.method().unwrap_or_default())
        };
        settings.validate().map_err(|error| Usage::flag(&error))?;
        let given = Parameters {
            alpha: self.alpha.unwrap_or(1.0),
            gamma: self.gamma.unwrap_or(0.0),
        };
        given.validate().map_err(|error| Usage::flag(&error))?;
        Ok((choice, settings))
    }

    /// The table, with holes in it where they are to be simulated.
    fn table(
        &self,
        tables: &Tables,
        settings: &Learner,
        mut search: Search,
        talk: &Talk,
    ) -> Result<Table> {
        let name = tables.name();
        let Supervised { data, folding, .. } = self.read(tables, talk)?;
        self.tasking.settle(&data, &name, talk)?;
        let data = self.with_simulated_holes(data)?;
        let settings = Learner {
            support: self.support.choice(data.names())?,
            ..self.tasking.settings(&data, settings)
        };
        let fault = |error| input::fault(&name, error);
        settings.validate().map_err(fault)?;
        let class_weight = self.tasking.class_weight();
        let weighted =
            (class_weight != ClassWeight::None).then(|| class_weight.apply(data.clone()));
        let weighted = weighted.transpose().map_err(fault)?;
        if let Some(sentence) = caution::rare_classes(&data, self.folds) {
            talk.warn(sentence);
        }
        search.folding = self.fold_rule.folding(folding);
        Ok(Table {
            name,
            data,
            weighted,
            settings,
            search,
        })
    }

    /// The page of each target.
    fn pages(
        &self,
        table: &Table,
        plan: &Plan,
        model: &Model,
        reports: &[Report],
        talk: &Talk,
    ) -> gapfit::Result<Vec<(String, Page)>> {
        let page = |(t, (planned, report)): (usize, (&Planned, &Report))| {
            let data = table.data.of_target(t);
            let done = Done {
                name: &table.name,
                data: &data,
                class_weight: &self.tasking.class_weight(),
                search: &table.search,
                plan,
                planned,
                model: &model.of_target(t),
                report,
            };
            Ok((data.target_name().to_owned(), done.page(talk)?))
        };
        let targets = plan.targets.iter().zip(reports).enumerate();
        targets.map(page).collect()
    }

    /// Says what came out for the targets of these names.
    fn tell<'a>(
        &self,
        names: impl Iterator<Item = &'a str>,
        reports: Vec<Report>,
        talk: &Talk,
    ) -> Result<()> {
        if self.json {
            let each = Each::new(names, reports);
            return Output::stdout().write_json(&each);
        }
        let is_single = reports.len() == 1;
        for (report, name) in reports.iter().zip(names) {
            let of = match is_single {
                true => String::new(),
                false => format!("{name}: "),
            };
            talk.note(format_args!("{of}{}", report.sentence()));
            if let Some(sentence) = report.judgement() {
                talk.note(format_args!("{of}{sentence}"));
            }
        }
        Ok(())
    }

    fn read(&self, tables: &Tables, talk: &Talk) -> Result<Supervised> {
        let opened = Opened::new(tables, &self.columns)?;
        let roles = self.roles(&opened)?;
        opened.rows(&roles, talk)
    }

    fn roles(&self, opened: &Opened<'_>) -> Result<Roles> {
        let rules = (&self.fold_rule, &self.tasking);
        opened.roles(&self.target, self.weight.as_ref(), rules)
    }

    /// What of the flags cannot be done from sums over rows.
    fn needs_rows(&self) -> Option<&'static str> {
        let flags = [
            (self.simulate_holes.is_some(), "--simulate-holes"),
            (self.solver != Solver::Exact, "--solver"),
            (self.reporting.is_asked(), "--report or --figures"),
        ];
        let own = flags.iter().find(|(is_given, _)| *is_given);
        own.map(|(_, flag)| *flag)
            .or_else(|| self.fold_rule.needs_rows())
            .or_else(|| self.tasking.needs_rows())
    }

    /// Where what is not given is looked for.
    fn search(&self) -> Result<Search, Usage> {
        let mut search = Search {
            folds: self.folds,
            seed: self.seed,
            ..self.tuning.search()?
        };
        if let Some(alpha) = self.alpha {
            search.alphas = vec![alpha];
        }
        match self.gamma {
            Some(gamma) => search.gammas = vec![gamma],
            // The other solvers are about what is learnt from holes.
            None if self.solver != Solver::Exact => search.gammas.retain(|gamma| *gamma > 0.0),
            None => {}
        }
        Ok(search)
    }

    /// The table with holes in it, where they are to be simulated.
    fn with_simulated_holes(&self, data: Dataset) -> Result<Dataset> {
        let Some(rate) = self.simulate_holes else {
            return Ok(data);
        };
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let mut hide = |table: &MaskedMatrix| Mechanism::Mcar { rate }.apply(table, &mut rng);
        let features = match data.schema() {
            Some(schema) => schema.hide_columns(data.features(), hide)?,
            None => hide(data.features())?,
        };
        Ok(data.with_features(features)?)
    }
}

/// A share of the cells.
fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (0.0..1.0).contains(rate));
    rate.ok_or_else(|| "expected a number from 0 to below 1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn defaults_are_those_of_the_library() {
        let line = ["gapfit", "fit", "t.csv", "--target", "y", "-o", "m"];
        let crate::args::Command::Fit(args) = crate::args::Args::parse_from(line).command else {
            panic!("the command is fit");
        };
        assert_eq!(args.choice().unwrap(), (Choice::Irr, Learner::default()));
    }
}
