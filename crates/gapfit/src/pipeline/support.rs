//! The support of the shifts: which entries of a row are shifted when a feature is missing.

use super::Problem;
use super::form::{Form, HeldOut, Prefer};
use crate::data::MaskedMatrix;
use crate::features::{Layout, Lists, Shifted, Units};
use crate::joint::intercept;
use crate::learn::Learner;
use crate::method::{Base, Lift};
use crate::moments::{Rows, Source};
use crate::prepare::{Intercept, Prepared};
use crate::support::{SupportKind, SupportRule};
use std::sync::Arc;

/// Rows that a support is found from, at most: correlations are known to a hundredth or two then.
const SAMPLE: usize = 5000;

/// The layout with its shifts narrowed to their support, and the kind of support.
pub(super) fn narrowed(
    learner: &Learner,
    rows: Option<&Rows<'_>>,
    prepared: &Prepared,
    full: Layout,
) -> (Layout, SupportKind) {
    let decided = learner.support.decided(full.dim());
    let is_open = rows.is_some() || decided.is_constant();
    if learner.method.lift() != Lift::Full || !is_open {
        return (full, SupportKind::default());
    }
    let (sample, roots) = match rows.filter(|_| decided.needs_sample()) {
        Some(rows) => sample(rows, prepared),
        None => (MaskedMatrix::new(prepared.columns.len()), Vec::new()),
    };
    let Some(others) = decided.lists(&sample, &roots) else {
        return (full, decided.kind());
    };
    // Alone, the constant is an indicator of what is missing, which needs no intercept.
    let has_constant = decided.is_constant() || learner.preparation.intercept != Intercept::None;
    // Zero in its place says nothing.
    let has_itself = !decided.is_constant() && learner.method.base() != Base::Zero;
    let entries = |&entry: &usize| {
        let of_others = others[prepared.live[entry - 1]].iter();
        let of_others = of_others.map(|&j| prepared.entry_of[j as usize]);
        let mut entries: Vec<u32> = of_others.filter(|&e| e > 0).map(|e| e as u32).collect();
        entries.extend(has_itself.then_some(entry as u32));
        entries.extend(has_constant.then_some(0));
        entries.sort_unstable();
        entries
    };
    let lists: Vec<Vec<u32>> = full.holes.iter().map(entries).collect();
    let narrowed = Layout {
        shifted: Shifted::Listed(Lists::new(&lists)),
        ..full
    };
    (narrowed, decided.kind())
}

impl Problem<'_> {
    /// The same problem where nothing but the constant shifts, and the rows held out of it likewise; of losses other
    /// than the squared one, whose rows both then share.
    pub(crate) fn constant(
        &self,
        held_out: &HeldOut,
        source: &Source<'_>,
        prefer: Prefer,
    ) -> Option<(Self, HeldOut)> {
        let (Form::Rows(sample), HeldOut::Curved(held_out)) = (&self.form, held_out) else {
            return None;
        };
        let layout = self.units.layout.constant();
        let totals = source.totals(self.means.mean.len());
        let is_dense = prefer.dense(&layout, &totals, source, true);
        let problem = Self {
            form: Form::Rows(sample.shifting(&layout, is_dense)),
            centre: self.centre.clone(),
            blocks: intercept::blocks(&layout, self.learner.preparation.intercept),
            means: Arc::clone(&self.means),
            report: self.report.clone(),
            support: SupportKind::Rule(SupportRule::Constant),
            units: Arc::new(Units {
                layout: layout.clone(),
                ..(*self.units).clone()
            }),
            ..*self
        };
        let held_out = HeldOut::Curved(held_out.shifting(&layout, is_dense));
        Some((problem, held_out))
    }
}

/// Evenly spaced rows, clipped, and the roots of their weights.
fn sample(rows: &Rows<'_>, prepared: &Prepared) -> (MaskedMatrix, Vec<f64>) {
    let mut sample = MaskedMatrix::new(prepared.columns.len());
    let n = rows.len().min(SAMPLE);
    let mut roots = Vec::with_capacity(n);
    for i in (0..n).map(|s| s * rows.len() / n) {
        let row = rows.row(i);
        let cells = prepared.columns.iter().enumerate();
        let cells = cells.map(|(j, column)| Some(row.get(j)?.clamp(column.lower, column.upper)));
        let pushed = sample.push_row(cells);
        pushed.expect("cells of a valid row are finite and as many as columns");
        roots.push(rows.weight(i).sqrt());
    }
    (sample, roots)
}
