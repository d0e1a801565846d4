//! Methods compared on rows that need not fit into memory: by sums over them, or in passes over the files.
//!
//! Folds are blocks of rows by their cells: in each, every method is tuned on folds of the blocks left, fitted to them
//! and judged by the squares of the blocks held out.

use std::time::Instant;

use anyhow::{Context, Result};
use gapfit::tune::{BlockFold, Folding, Search};
use gapfit::{Evidence, Gathering, Learner};
use gapfit_figures::{Metric, Scores};

use super::arena::About;
use super::contest::{Entrant, new_entry};
use super::league::{Entry, League};
use super::minutes::Minutes;
use super::{Args, Report};
use crate::choice::Choice;
use crate::folding;
use crate::input::{self, Opened};
use crate::output::Output;
use crate::tables::Tables;
use crate::talk::Talk;

/// Runs the command.
pub(super) fn run(
    args: &Args,
    (tables, target): (Tables, &str),
    (settings, search): (Learner, Search),
    talk: &Talk,
) -> Result<()> {
    args.memory.note(talk);
    let entrants = args.entrants()?;
    let (name, opened) = (tables.name(), Opened::new(&tables, &args.columns)?);
    let roles = args.roles(&opened, target)?;
    let gathering = Gathering {
        clip: settings.preparation.clip,
        is_blocked: true,
    };
    let outside = opened.outside(&roles, gathering, talk)?;
    let evidence = outside.evidence();
    let about = About::of_sums(name, evidence);
    talk.note(format_args!("{about}{}", folding::About::Hashed));
    talk.note("mean absolute errors are left out: sums over rows do not tell them");
    let mut contest = Contest {
        settings: Learner {
            support: args.support.choice(evidence.names())?,
            ..settings
        },
        search,
        minutes: Minutes::new(talk.bar("comparing")),
    };
    let entries = contest.run(&entrants, evidence, (args.folds, &about.name))?;
    tables.end_reading();
    let league = League::new(entries, Metric::Rmse);
    contest
        .minutes
        .choices()
        .for_each(|sentence| talk.note(sentence));
    for warning in contest.minutes.finish(contest.settings.tol) {
        talk.warn(warning);
    }
    let output = Output::stdout();
    if !args.json {
        return output.write(|out| Ok(write!(out, "{}", league.table())?));
    }
    output.write_json(&Report {
        data: &about,
        folding: folding::About::Hashed,
        league: &league,
    })
}

/// A comparison under way.
struct Contest {
    /// Everything but the method.
    settings: Learner,
    search: Search,
    minutes: Minutes,
}

impl Contest {
    /// How each entrant does in each of `k` folds.
    fn run(
        &mut self,
        entrants: &[Entrant],
        evidence: Evidence<'_>,
        (k, name): (usize, &str),
    ) -> Result<Vec<Entry>> {
        let folds = BlockFold::all(evidence, k).map_err(|error| input::fault(name, error))?;
        self.minutes.expect(entrants.len() * folds.len());
        let mut entries: Vec<Entry> = entrants.iter().map(|&entrant| new_entry(entrant)).collect();
        for (number, fold) in (1..).zip(&folds) {
            for (entry, &entrant) in entries.iter_mut().zip(entrants) {
                let played = self.play(entrant, fold);
                let (scores, seconds) =
                    played.with_context(|| format!("{name}: {entrant}, fold {number}"))?;
                entry.folds.push(scores);
                entry.seconds.push(seconds);
            }
        }
        Ok(entries)
    }

    /// Scores on the blocks held out, and seconds of tuning and fit.
    fn play(&mut self, entrant: Entrant, fold: &BlockFold<'_>) -> gapfit::Result<(Scores, f64)> {
        let choice = match entrant {
            Entrant::Choice(choice) => choice,
            Entrant::Complete => Choice::default(),
        };
        let search = Search {
            folds: self.search.folds.min(fold.most_folds()),
            folding: Folding::Hashed,
            ..self.search.clone()
        };
        let start = Instant::now();
        let show = self.minutes.begin(entrant);
        let found = choice.tune(&self.settings, fold.train(), &search, &show)?;
        drop(show);
        let (fitted, errors) = fold.judge(&found.learner, found.parameters()[0])?;
        let seconds = start.elapsed().as_secs_f64();
        self.minutes.note(entrant, &found, &search, &fitted);
        Ok((Scores::of_squares(&errors), seconds))
    }
}
