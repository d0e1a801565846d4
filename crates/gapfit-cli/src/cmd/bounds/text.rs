//! The report as tables for people.

use super::report::{ErrorBound, Report};
use crate::text_table::{TextTable, short};

impl Report {
    /// The report for people.
    pub(super) fn text(&self) -> String {
        let mut text = self.sentence();
        text += &format!("\n{}", self.error_table());
        text += &format!("\n{}", self.complexity_table());
        text += &format!("\n{}", self.norm_table());
        text += "\nassumptions\n";
        for assumption in &self.assumptions {
            text += &format!("{}\n", assumption.line());
        }
        text
    }

    fn sentence(&self) -> String {
        let facts = &self.facts;
        let gamma = self
            .gamma
            .map_or(String::new(), |gamma| format!(", gamma {}", short(gamma)));
        format!(
            "{}: alpha {}{gamma}; {} rows of {} entries, {} of them missing on average; B {} around {}, R {}, N {}; delta {}\n",
            self.method,
            short(self.alpha),
            facts.n_rows,
            facts.n_entries,
            short(facts.missing),
            short(facts.b),
            short(facts.centre),
            short(facts.r),
            short(facts.reach),
            short(self.delta),
        )
    }

    fn error_table(&self) -> TextTable {
        let facts = &self.facts;
        let mut table = TextTable::new(["error on new rows", "mean square", "root", "verdict"]);
        let mut push = |name: String, squared: f64, verdict: String| {
            let name = format!("  {name}");
            table.push([name, short(squared), short(squared.sqrt()), verdict]);
        };
        for bound in &self.errors {
            let verdict = bound.verdict(facts.centre);
            push(bound.title.to_owned(), bound.squared_error, verdict);
        }
        let measured = match self.held_out.folds {
            Some(folds) => format!("measured, in {folds} folds"),
            None => format!("measured, on {} held-out rows", self.held_out.n_rows),
        };
        push(measured, self.held_out.squared_error, String::new());
        let centre = format!("predicting {}, at most", short(facts.centre));
        let others = [
            ("training rows", facts.training_error),
            ("predicting the mean", facts.target_variance),
            (&centre, facts.b * facts.b),
        ];
        for (name, squared) in others {
            push(name.to_owned(), squared, String::new());
        }
        table
    }

    fn complexity_table(&self) -> TextTable {
        let estimate = self.complexities[0].value;
        let mut table = TextTable::new(["Rademacher complexity", "value", "of estimate"]);
        for complexity in &self.complexities {
            let ratio = match complexity.standard_error {
                Some(error) => format!("± {}", short(error)),
                None => format!("× {}", short(complexity.value / estimate)),
            };
            let name = format!("  {}", complexity.title);
            table.push([name, short(complexity.value), ratio]);
        }
        table
    }

    fn norm_table(&self) -> TextTable {
        let mut table = TextTable::new(["norm of the fit", "measured", "bound", "verdict"]);
        for norm in &self.norms {
            let verdict = if norm.holds { "holds" } else { "fails" };
            let name = format!("  {}", norm.title);
            table.push([
                name,
                short(norm.measured),
                short(norm.bound),
                verdict.to_owned(),
            ]);
        }
        table
    }
}

impl ErrorBound {
    fn verdict(&self, centre: f64) -> String {
        match (self.holds, self.no_better_than) {
            (false, _) => "fails".to_owned(),
            (true, None) => "holds".to_owned(),
            (true, Some("mean")) => "vacuous: predicting the mean does as well".to_owned(),
            (true, Some(_)) => format!("vacuous: predicting {} does as well", short(centre)),
        }
    }
}
