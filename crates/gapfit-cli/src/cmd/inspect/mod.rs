//! `gapfit inspect`: what a model is, as a card.

mod card;
mod feature;
mod stream;
mod text;

use std::path::PathBuf;

use anyhow::Result;

use crate::any_model::AnyModel;
use crate::output::Output;
use card::Card;
use stream::StreamCard;

/// Says what a model learnt, from what, and how well: a model card.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Weights are in the units of the table, the strongest first: by what a step of one scale unit of the \
feature (a standard deviation, unless --scale said otherwise) does to the prediction. What happens when a feature \
is missing is told for a row that is average in all others. Of classes, what is told is the score: of two that of the \
second, the logarithm of its odds unless --loss said otherwise; of more one for each class. A model of gapfit stream has its progressive scores \
and, with the rule auto, the experts it combines. A model of several targets has a card for each.

Examples:
  gapfit inspect houses.gapfit
  gapfit inspect houses.gapfit --markdown > CARD.md
")]
pub(crate) struct Args {
    /// The model, as written by gapfit fit or gapfit stream.
    model: PathBuf,
    /// Writes JSON, with every feature.
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Writes Markdown.
    #[arg(long)]
    markdown: bool,
    /// Features to show in a table.
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
}

/// The cards of several targets.
#[derive(serde::Serialize)]
struct Cards<'a> {
    targets: &'a [Card],
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<()> {
    let output = Output::stdout();
    match AnyModel::load(&args.model)? {
        AnyModel::Batch(model) => {
            let cards = model.each_target().map(|model| Card::new(&model));
            let cards = cards.collect::<Result<Vec<Card>>>()?;
            if args.json {
                // a card names its target itself
                return match &cards[..] {
                    [card] => output.write_json(card),
                    targets => output.write_json(&Cards { targets }),
                };
            }
            let page = |card: &Card| text::page(card, args.top, args.markdown);
            let pages: Vec<String> = cards.iter().map(page).collect();
            output.write(|out| Ok(write!(out, "{}", pages.join("\n"))?))
        }
        AnyModel::Stream(learner, progress) => {
            let card = StreamCard::new(&learner, &progress)?;
            if args.json {
                return output.write_json(&card);
            }
            let page = card.page(args.top, args.markdown);
            output.write(|out| Ok(write!(out, "{page}")?))
        }
    }
}
