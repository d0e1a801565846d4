//! `gapfit compare`: a cross-validated league table of methods.

mod arena;
mod contest;
mod league;
mod minutes;
mod out_of_core;
mod page;

use std::path::PathBuf;

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use gapfit::Learner;
use gapfit::loss::Loss;
use gapfit::tune::Search;
use gapfit_figures::Metric;
use gapfit_io::Roles;
use serde::Serialize;

use crate::args::{Columns, Dialect, Preparing, Usage, folds, seed};
use crate::folding::{self, FoldRule};
use crate::hint::Hinted;
use crate::input::Opened;
use crate::memory::Memory;
use crate::output::Output;
use crate::reporting::{self, Reporting};
use crate::support::FitSupport;
use crate::tables::Tables;
use crate::talk::Talk;
use crate::targets::{self, Each};
use crate::task::Tasking;
use crate::tuning::Tuning;
use arena::{About, Arena};
use contest::{Contest, Entrant, Trials};
use league::League;
use page::Bout;

/// Compares methods on a table by cross-validation.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
In each fold every method is tuned on the training rows alone, fitted, and scored on the rows held \
out. Scores are means ± standard deviations over the folds, seconds those of tuning and fit per \
fold, the last column is the paired difference to the best ± its standard error. Without a file the \
embedded California housing table is used, with holes that depend on the values they hide; complete \
is then ridge regression on the table before the holes. Tuning inside a fold has folds of the same \
kind: with --group it never sees the groups held out, with --time never the future. Every method has the same \
loss: for classes the logistic one. Several targets have a table each, on the same folds.

Examples:
  gapfit compare
  gapfit compare houses.csv --target price --ignore id --methods mean,mask,irr --json
  gapfit compare visits.csv --target dose --group patient --report dose.html
  gapfit compare patients.csv --target outcome --metric auc --class-weight balanced
")]
pub(crate) struct Args {
    /// The table or tables, also patterns such as 'may-*.csv'; `-` for standard input [default:
    /// embedded housing data with holes].
    #[arg(requires = "target")]
    file: Vec<PathBuf>,
    /// Column to predict; several columns of numbers at once.
    #[arg(long, value_name = "COL,...", requires = "file")]
    target: Option<String>,
    /// Column of row weights.
    #[arg(long, value_name = "COL", requires = "file")]
    weight: Option<String>,
    /// Methods [default: zero,mean,independent,gaussian,mask,lifted,irr:zero,irr and,
    /// without a file, complete].
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    methods: Vec<Entrant>,
    /// Weights that irr and lifted may shift when a feature is missing: full, constant (the
    /// intercept alone), top=M (of those that say most), corr=R, grid=HxW, edges=FILE [default:
    /// auto].
    #[arg(
        long,
        value_name = "RULE",
        default_value = "auto",
        hide_default_value = true
    )]
    support: FitSupport,
    /// Score to rank by [default: rmse, of classes log-loss].
    #[arg(long, value_parser = metric_parser())]
    metric: Option<Metric>,
    /// Number of folds; tuning inside a fold has five of its own, or as many as its rows allow.
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = folds, allow_negative_numbers = true)]
    folds: usize,
    /// Seed of the folds and of the holes in the embedded data.
    #[arg(long, default_value_t = 0, value_parser = seed, allow_negative_numbers = true)]
    seed: u64,
    /// Writes JSON instead of a table.
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

#[derive(Serialize)]
struct Report<'a> {
    data: &'a About,
    folding: folding::About<'a>,
    #[serde(flatten)]
    league: &'a League,
}

/// Runs the command.
pub(crate) fn run(args: &Args, talk: &Talk) -> Result<()> {
    args.tasking.check()?;
    let settings = Learner {
        preparation: args.preparing.preparation()?,
        ..Learner::default()
    };
    let entrants = args.entrants()?;
    let search = Search {
        seed: args.seed,
        ..args.tuning.search()?
    };
    let (report, arena) = match &args.target {
        Some(target) if !args.file.is_empty() => {
            let tables = Tables::new(&args.file, args.dialect.options(), talk)?;
            let needs_rows = args.needs_rows();
            if args.memory.is_out_of_core(&tables, needs_rows, talk)? {
                let (tables, learning) = ((tables, &target[..]), (settings, search));
                return out_of_core::run(args, tables, learning, talk);
            }
            let report = args.reporting.open(&tables.paths(), &[])?;
            (report, Arena::read(&tables, target, args, talk)?)
        }
        _ => (args.reporting.open(&[], &[])?, Arena::embedded(args)?),
    };
    let settings = Learner {
        support: args.support.choice(arena.holey.names())?,
        ..args.tasking.settings(&arena.holey, &settings)
    };
    let metric = args.metric(settings.loss, &arena.about)?;
    let folds = arena.folds(args.folds, args.seed)?;
    talk.note(format_args!("{}{}", arena.about, args.folding(&arena)));
    let bar = talk.bar("comparing");
    let class_weight = args.tasking.class_weight();
    let contest = Contest::new(&arena, (settings, &class_weight), search, bar);
    let mut contest = contest.keeping_trials(report.is_some());
    let targets = contest.run(&entrants, &folds)?.into_iter();
    let leagues: Vec<League> = targets
        .map(|entries| League::new(entries, metric))
        .collect();
    let trials = contest.trials();
    let (choices, warnings) = contest.finish();
    choices.iter().for_each(|sentence| talk.note(sentence));
    for warning in &warnings {
        talk.warn(warning);
    }
    let arenas: Vec<Arena> = (0..leagues.len()).map(|t| arena.of_target(t)).collect();
    if let (Some(to), Some(trials)) = (report, trials) {
        let page = |(arena, (league, trials)): (&Arena, (&League, &Trials))| {
            let bout = Bout {
                arena,
                league,
                folds: &folds,
                class_weight: &class_weight,
                trials,
            };
            let page = bout.page(&entrants, args.seed, warnings.clone(), talk)?;
            Ok((arena.about.target.clone(), page))
        };
        let pages = arenas.iter().zip(leagues.iter().zip(&trials)).map(page);
        to.write(&reporting::joined(pages.collect::<Result<_>>()?))?;
    }
    args.tell(&arenas, &leagues)
}

fn metric_parser() -> impl TypedValueParser<Value = Metric> {
    PossibleValuesParser::new(Metric::RANKED.map(Metric::flag)).map(|flag| {
        let found = Metric::RANKED.into_iter().find(|m| m.flag() == flag);
        found.expect("the possible values are flags of metrics")
    })
}

impl Args {
    /// Writes the league of each target.
    fn tell(&self, arenas: &[Arena], leagues: &[League]) -> Result<()> {
        let names = arenas.iter().map(|arena| arena.about.target.as_str());
        let output = Output::stdout();
        if !self.json {
            let tables = leagues.iter().map(League::table);
            return output.write(|out| targets::write_tables(names, tables, out));
        }
        let reports = arenas.iter().zip(leagues).map(|(arena, league)| Report {
            data: &arena.about,
            folding: self.folding(arena),
            league,
        });
        output.write_json(&Each::new(names, reports.collect()))
    }

    fn roles(&self, opened: &Opened<'_>, target: &str) -> Result<Roles> {
        let rules = (&self.fold_rule, &self.tasking);
        opened.roles(target, self.weight.as_ref(), rules)
    }

    /// What of the flags cannot be done from sums over rows.
    fn needs_rows(&self) -> Option<&'static str> {
        let is_other = self.metric.is_some_and(|metric| metric != Metric::Rmse);
        let own = match self.reporting.is_asked() {
            true => Some("--report or --figures"),
            false => is_other.then_some("a metric other than rmse"),
        };
        own.or_else(|| self.fold_rule.needs_rows())
            .or_else(|| self.tasking.needs_rows())
    }

    /// How rows are parted into folds.
    fn folding(&self, arena: &Arena) -> folding::About<'_> {
        self.fold_rule.about(!arena.about.classes.is_empty())
    }

    /// The score to rank by: as asked, if it suits the loss, or the usual one.
    fn metric(&self, loss: Loss, about: &About) -> Result<Metric> {
        let suited = Metric::ranking(loss, about.classes.len());
        let Some(metric) = self.metric else {
            return Ok(suited[0]);
        };
        if suited.contains(&metric) {
            return Ok(metric);
        }
        let names: Vec<&str> = suited.iter().map(|metric| metric.flag()).collect();
        Err(Hinted::error(
            format!(
                "{}: --metric: expected {} for the loss {loss}, got {}",
                about.name,
                names.join(" or "),
                metric.flag()
            ),
            "--task and --loss say what is predicted; leave the flag out for the usual metric",
        ))
    }

    /// Who takes part: as asked, or everyone.
    fn entrants(&self) -> Result<Vec<Entrant>, Usage> {
        if self.methods.is_empty() {
            let reference = self.file.is_empty().then_some(Entrant::Complete);
            return Ok(Entrant::METHODS.into_iter().chain(reference).collect());
        }
        let mut entrants = Vec::new();
        for &entrant in &self.methods {
            if !entrants.contains(&entrant) {
                entrants.push(entrant);
            }
        }
        let has_reference = entrants.contains(&Entrant::Complete);
        if has_reference && !self.file.is_empty() {
            let expected = "a method; complete needs the table before it had holes";
            return Err(Usage(format!(
                "--methods: expected {expected}, got complete"
            )));
        }
        if has_reference && entrants.len() == 1 {
            let expected = "a method besides the reference complete";
            return Err(Usage(format!("--methods: expected {expected}, got none")));
        }
        Ok(entrants)
    }
}
