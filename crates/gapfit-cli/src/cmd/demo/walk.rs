//! The walks: what is predicted, and what is said on the way.

use super::step::Step;
use super::table::{FIRST, LATER};
use std::path::Path;

/// Where the walk leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Walk {
    /// The age of snails, by their rings.
    #[default]
    Numbers,
    /// Whether they are old or young.
    Classes,
}

/// Rings beyond which a snail is old.
const YOUNG: f64 = 9.0;

impl Walk {
    /// The column that is predicted, after which files are called.
    pub(super) fn target(self) -> &'static str {
        match self {
            Self::Numbers => "rings",
            Self::Classes => "age",
        }
    }

    /// What stands in that column for so many rings.
    pub(super) fn written(self, rings: f64) -> String {
        match self {
            Self::Numbers => rings.to_string(),
            Self::Classes if rings > YOUNG => "old".to_owned(),
            Self::Classes => "young".to_owned(),
        }
    }

    /// What the tables are about.
    pub(super) fn question(self) -> &'static str {
        match self {
            Self::Numbers => "How old is a snail?",
            Self::Classes => "Is a snail old or young?",
        }
    }

    /// The steps, on the tables in `folder`.
    pub(super) fn steps(self, folder: &Path) -> Vec<Step> {
        let file = |name: String| folder.join(name).display().to_string();
        let target = self.target();
        let (first, later) = (file(FIRST.into()), file(LATER.into()));
        let [model, page] = ["gapfit", "html"].map(|end| file(format!("{target}.{end}")));
        let predictions = folder.join("predictions.csv");
        let written = predictions.display().to_string();
        let profile = ["profile", &first, "--target", target, "--top", "4"];
        let compare = ["compare", &first, "--target", target, "--folds", "3"];
        let paged = ["--report", &page];
        let predict = ["predict", &model, &later];
        let out = ["-o", &written];
        vec![
            Step::new(
                "What is missing, and do the holes say something about the target?",
                &profile,
            ),
            Step::new(self.before_comparing(), &[&compare[..], &paged].concat()),
            Step::new(
                self.before_fitting(),
                &["fit", &first, "--target", target, "-o", &model],
            ),
            Step::new(
                "What did it learn, and what happens when something is missing?",
                &["inspect", &model, "--top", "3"],
            ),
            Step::new(
                self.before_predicting(),
                &[&predict[..], self.predicting(), &out].concat(),
            )
            .showing(predictions),
            Step::new(self.before_evaluating(), &["evaluate", &model, &later]),
        ]
    }

    fn before_comparing(self) -> &'static str {
        match self {
            Self::Numbers => {
                "Which method predicts best through these holes? Each is tuned and judged on rows it has not seen. The page\n\
                 shows it in pictures: open it in a browser."
            }
            Self::Classes => {
                "Text in the target: classes, so every method is logistic regression, judged by the log-loss of rows it has not\n\
                 seen. The page has ROC curves and calibration, by what is missing: open it in a browser."
            }
        }
    }

    fn before_fitting(self) -> &'static str {
        match self {
            Self::Numbers => {
                "Imputed ridge regression learns imputation and predictor together. Fit it to all rows."
            }
            Self::Classes => {
                "Imputed logistic regression learns imputation and predictor together. Fit it to all rows."
            }
        }
    }

    fn before_predicting(self) -> &'static str {
        match self {
            Self::Numbers => {
                "Predict rows that come later, with intervals that hold the truth in 90 of 100 rows."
            }
            Self::Classes => "Predict rows that come later: a class, and the probability of each.",
        }
    }

    fn predicting(self) -> &'static [&'static str] {
        match self {
            Self::Numbers => &["--intervals", "90"],
            Self::Classes => &[],
        }
    }

    fn before_evaluating(self) -> &'static str {
        match self {
            Self::Numbers => {
                "Someone has counted their rings since. How good were the predictions?"
            }
            Self::Classes => {
                "Someone has counted their rings since. How good were the probabilities, and do they come true as often as they say?"
            }
        }
    }
}
