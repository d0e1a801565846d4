//! What is said on stderr while a command runs.

use std::fmt::Display;
use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::style;

/// All bars on the terminal: of two at a time, as of tuning and of the reading that it asks for, each has a line.
static BARS: OnceLock<MultiProgress> = OnceLock::new();

/// Says things on stderr, or keeps quiet. Progress bars show on a terminal only.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Talk {
    quiet: bool,
    bars: bool,
}

impl Talk {
    pub(crate) fn new(quiet: bool) -> Self {
        Self {
            quiet,
            bars: !quiet && stderr().is_terminal(),
        }
    }

    /// Says what the user may want to know.
    pub(crate) fn note(&self, text: impl Display) {
        if !self.quiet {
            // talk is no reason to fail
            let _ = writeln!(anstream::stderr(), "{text}");
        }
    }

    /// Says what the user should look at.
    pub(crate) fn warn(&self, text: impl Display) {
        self.note(format_args!("{} {text}", style::warning()));
    }

    /// A bar over solves, with rate and time left; its length is set as it becomes known.
    pub(crate) fn bar(&self, what: &str) -> ProgressBar {
        let layout = "{msg:12} {wide_bar} {pos}/{len} solves, {rate}/s, {eta} left";
        self.styled(
            // One, not zero: nothing of nothing would show as done.
            ProgressBar::with_draw_target(Some(1), self.target()),
            layout,
            what,
        )
    }

    /// A bar over trials of experiments; its length is set as it becomes known.
    pub(crate) fn trials(&self) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(Some(1), self.target());
        self.styled(bar, "{msg:34} {wide_bar} {pos}/{len} trials, {elapsed}", "")
    }

    /// A bar over the bytes of tables, with rows per second and time left; a spinner where the number of bytes is
    /// not known. `rows` has the number of rows so far.
    pub(crate) fn reading(&self, total: Option<u64>, rows: Arc<AtomicU64>) -> ProgressBar {
        let layout = match total {
            Some(_) => {
                "{msg:12} {wide_bar} {bytes}/{total_bytes}, {rows_per_sec} rows/s, {eta} left"
            }
            None => "{msg:12} {spinner} {bytes}, {rows_per_sec} rows/s",
        };
        let bar = ProgressBar::with_draw_target(total, self.target());
        let rate = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let seconds = state.elapsed().as_secs_f64().max(1e-3);
            // A progress line that cannot be written is no reason to stop.
            let _ = write!(out, "{:.0}", rows.load(Ordering::Relaxed) as f64 / seconds);
        };
        let style = style_of(layout).with_key("rows_per_sec", rate);
        self.begun(bar, style, "reading")
    }

    /// A bar over the bytes of a file, a spinner where their number is not known.
    pub(crate) fn bytes(&self, what: &str, total: Option<u64>) -> ProgressBar {
        let layout = match total {
            Some(_) => "{msg:12} {wide_bar} {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left",
            None => "{msg:12} {spinner} {bytes}, {bytes_per_sec}",
        };
        self.styled(
            ProgressBar::with_draw_target(total, self.target()),
            layout,
            what,
        )
    }

    fn styled(&self, bar: ProgressBar, layout: &str, what: &str) -> ProgressBar {
        let style = style_of(layout).with_key(
            "rate",
            |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                // A progress line that cannot be written is no reason to stop.
                let _ = write!(out, "{:.0}", state.per_sec());
            },
        );
        self.begun(bar, style, what)
    }

    fn begun(&self, bar: ProgressBar, style: ProgressStyle, what: &str) -> ProgressBar {
        bar.set_style(style);
        bar.set_message(what.to_owned());
        if self.bars {
            let bar = BARS.get_or_init(MultiProgress::new).add(bar.clone());
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        bar
    }

    fn target(&self) -> ProgressDrawTarget {
        if self.bars {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        }
    }
}

fn style_of(layout: &str) -> ProgressStyle {
    ProgressStyle::with_template(layout).expect("the layouts above are well formed")
}
