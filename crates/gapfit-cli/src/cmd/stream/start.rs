//! What a run begins with: the reader, the first rows, the learner.

use std::io::Read;

use anyhow::Result;
use gapfit::data::RowBuffer;
use gapfit::loss::Loss;
use gapfit::online::StreamLearner;
use gapfit_io::Source;
use gapfit_io::stream::{Format, Infinite, Options, Reader, Roles};
use indicatif::ProgressBar;

use super::checkpoint::Progress;
use super::columns::Columns;
use super::label::{self, Targets};
use super::session::{self, Kept, Session};
use super::timeline::Timeline;
use super::{Args, FormatFlag, InfiniteFlag};
use crate::args::Usage;
use crate::growing::Growing;
use crate::interrupt::{self, Interruptible};
use crate::talk::Talk;

/// Rows that `--support corr=R` is measured on, and within which the first target is looked for.
const SAMPLE: usize = 128;

/// The reader, and the bar that shows how far it is.
pub(super) fn open(
    args: &Args,
    talk: &Talk,
) -> Result<(Reader<Box<dyn Read + Send>>, ProgressBar)> {
    let source = Source::from(args.file.as_path());
    let bar = talk.bytes("learning", source.size());
    let bytes = source.open()?;
    let bytes: Box<dyn Read + Send> = match source {
        Source::Stdin => Box::new(bar.wrap_read(Interruptible::new(bytes))),
        Source::File(_) => Box::new(bar.wrap_read(bytes)),
    };
    let dialect = args.dialect.options();
    let options = Options {
        format: args.reading.format.map(|format| match format {
            FormatFlag::Csv => Format::Csv,
            FormatFlag::Ndjson => Format::Ndjson,
        }),
        delimiter: dialect.delimiter,
        missing: dialect.missing,
        infinite: match args.reading.infinite {
            InfiniteFlag::Hole => Infinite::Hole,
            InfiniteFlag::Error => Infinite::Fault,
        },
        ignore: args.ignore.clone(),
        ..Options::default()
    };
    let roles = Roles {
        target: args.target.clone(),
        weight: args.weight.clone(),
        id: args.id.clone(),
    };
    let reader = Reader::new(bytes, &source.name(), &roles, &options)?;
    Ok((reader, bar))
}

/// The first rows: up to the first that has a target, or as many as make a sample.
pub(super) fn peek(
    reader: &mut Reader<Box<dyn Read + Send>>,
    needs_sample: bool,
) -> Result<Vec<Result<Kept>>> {
    let mut rows = Vec::new();
    while rows.len() < SAMPLE && !interrupt::is_asked() {
        let is_labelled = match reader.next_row() {
            Ok(None) => break,
            Ok(Some(row)) => {
                rows.push(Ok(Kept::of(&row)));
                row.target.is_some()
            }
            Err(error) if error.is_row_fault() => {
                rows.push(Err(error.into()));
                false
            }
            Err(error) => return Err(error.into()),
        };
        if is_labelled && !needs_sample {
            break;
        }
    }
    Ok(rows)
}

/// A learner that knows nothing yet, for a stream that begins with these rows.
pub(super) fn begin(
    args: &Args,
    names: &[String],
    first: &[Result<Kept>],
    talk: &Talk,
) -> Result<(StreamLearner, Progress)> {
    let mut rows = first.iter().flatten();
    let target = rows.find_map(|kept| kept.target.as_deref());
    let loss = match (args.learning.loss, &args.classes) {
        (Some(loss), _) => loss,
        (None, Some(_)) => Loss::Logistic,
        (None, None) => {
            let loss = label::usual_loss(target);
            talk.note(format_args!("loss: {loss} (--loss takes another)"));
            loss
        }
    };
    if args.classes.is_some() && !loss.is_classification() {
        let message = format!("--classes: expected a loss for two classes, got {loss}");
        return Err(Usage(message).into());
    }
    let targets = Targets::new(loss, args.classes.as_deref());
    let sample = session::table(first, names.len())?;
    let settings = args.learning.streaming(loss, names, &sample)?;
    let learner = settings.start(names.to_vec());
    let learner = learner.map_err(|error| Usage::flag(&error))?;
    Ok((learner, Progress::new(&args.target, targets)))
}

/// Refuses to go on with another target, or another loss.
pub(super) fn check_same(args: &Args, progress: &Progress) -> Result<(), Usage> {
    if args.target != progress.target {
        return Err(Usage(format!(
            "--target: expected {:?} as before, got {:?}",
            progress.target, args.target
        )));
    }
    Ok(())
}

/// What is learnt, scored and written from now on.
pub(super) fn session(
    args: &Args,
    learner: StreamLearner,
    progress: Progress,
    first: &[Result<Kept>],
    is_reported: bool,
) -> Result<Session> {
    let meter = match args.learning.regret {
        false => None,
        true => {
            let names = learner.feature_names();
            let sample = session::table(first, names.len())?;
            Some(args.learning.meter(learner.loss(), names, &sample)?)
        }
    };
    let predictions = args.predictions.as_ref();
    let predictions = predictions.map(|path| Growing::open(path, progress.predictions));
    let predictions = predictions.transpose()?;
    if args.json && predictions.as_ref().is_some_and(Growing::is_stdout) {
        let message = "--predictions: expected a file beside --json, got standard output";
        return Err(Usage(message.to_owned()).into());
    }
    let progress_rows = progress.score.rows;
    Ok(Session {
        suffered_before: progress.score.suffered(),
        learner,
        progress,
        predictions,
        meter,
        timeline: is_reported.then(|| Timeline::new(progress_rows)),
        columns: Columns::new(args.reading.max_columns),
        is_test: args.test_only,
        is_live: args.file.as_os_str() == "-",
        has_ids: args.id.is_some(),
        ignored_columns: 0,
        view: RowBuffer::default(),
    })
}
