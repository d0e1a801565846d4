//! Statistics with the features of common columns.

use super::block::{Block, Extremes, NOTHING, Ties};
use super::kept::Kept;
use super::reconcile::Made;
use super::scheme::{Scheme, Tail};
use super::summed::Summed;
use super::{State, Sums};
use crate::data::{Dataset, MaskedMatrix, MaskedRow, Schema, WORD};
use crate::moments::{MaskMoments, Moments, Origin, Remade, Unit};

impl State {
    /// The same rows with other features, for which there is a table without rows.
    pub(super) fn remade(self, recipe: &[Made], blank: &Dataset) -> Self {
        match self {
            Self::Rows(rows) => Self::Rows(remade(rows, recipe, blank)),
            Self::Sums(sums) => Self::Sums(Box::new(sums.remade(recipe, blank))),
        }
    }

    /// Whether a feature is observed in any row.
    pub(super) fn observes(&self, feature: usize) -> bool {
        let in_rows = |rows: &Dataset| rows.features().rows().any(|row| row.get(feature).is_some());
        match self {
            Self::Rows(rows) => in_rows(rows),
            Self::Sums(sums) => sums.observes(feature) || sums.kept().any(in_rows),
        }
    }
}

impl Sums {
    /// The rows that are kept, table after table.
    fn kept(&self) -> impl Iterator<Item = &Dataset> {
        self.blocks.iter().flat_map(|block| block.kept.pieces())
    }

    /// Whether a feature is observed in any row that was summed.
    pub(super) fn observes(&self, feature: usize) -> bool {
        let mut blocks = self.blocks.iter();
        blocks.any(|block| block.sums.observes(feature))
    }

    fn remade(self, recipe: &[Made], blank: &Dataset) -> Self {
        if is_identity(recipe, self.blank.n_features()) {
            return Self {
                blank: blank.clone(),
                ..self
            };
        }
        let blocks = self.blocks.iter();
        Self {
            blocks: blocks
                .map(|block| block.remade(recipe, blank, &self.scheme))
                .collect(),
            scheme: self.scheme.remade(recipe),
            blank: blank.clone(),
        }
    }
}

fn is_identity(recipe: &[Made], n_features: usize) -> bool {
    let mut places = recipe.iter().enumerate();
    recipe.len() == n_features && places.all(|(j, made)| *made == Made::Of(j))
}

/// The rows of a table with other features.
fn remade(rows: Dataset, recipe: &[Made], blank: &Dataset) -> Dataset {
    let remade = if is_identity(recipe, rows.n_features()) {
        match blank.schema() {
            Some(schema) => rows.with_schema(Schema::clone(schema)),
            None => rows.with_names(blank.names().to_vec()),
        }
    } else {
        let mut features = MaskedMatrix::new(recipe.len());
        features.reserve(rows.n_rows());
        for row in rows.features().rows() {
            let cells = recipe.iter().map(|made| made.cell(row));
            let pushed = features.push_row(cells);
            pushed.expect("finite cells, one per feature");
        }
        let weights = rows.weights().map(<[f64]>::to_vec);
        blank.with_rows(features, rows.target().to_vec(), weights)
    };
    remade.expect("a name for each feature, a finite target and a weight for each row")
}

impl Made {
    fn cell(&self, row: MaskedRow<'_>) -> Option<f64> {
        match self {
            Self::Of(j) => row.get(*j),
            Self::Any { column, levels } => {
                row.get(column.start)?;
                Some(levels.iter().filter_map(|&j| row.get(j)).sum())
            }
            Self::Nowhere => None,
        }
    }

    /// The feature in the unit that [`Scheme::remade`] gives it, wherever it is observed.
    fn remade(&self, units: &[Unit]) -> Remade {
        match self {
            Self::Of(j) => Remade::from(&Origin::same(*j)),
            Self::Any { column, levels } => Remade {
                follows: Some(column.start),
                offset: levels.iter().map(|&j| units[j].shift).sum(),
                parts: levels.iter().map(|&j| (j, units[j].scale)).collect(),
            },
            Self::Nowhere => Remade {
                follows: None,
                offset: 0.0,
                parts: Vec::new(),
            },
        }
    }

    /// The feature in the unit that [`Scheme::remade`] gives it, as a sum over the places of (1, observed features) of a
    /// mask, each with a factor; `None` where it is missing.
    fn terms(&self, observed: &[usize], units: &[Unit]) -> Option<Vec<(usize, f64)>> {
        let place = |j: &usize| observed.binary_search(j).ok().map(|o| o + 1);
        match self {
            Self::Of(j) => Some(vec![(place(j)?, 1.0)]),
            Self::Any { column, levels } => {
                place(&column.start)?;
                let shifts = levels.iter().map(|&j| units[j].shift).sum();
                let mut terms = vec![(0, shifts)];
                for j in levels {
                    terms.push((place(j)?, units[*j].scale));
                }
                Some(terms)
            }
            Self::Nowhere => None,
        }
    }
}

impl Scheme {
    fn remade(&self, recipe: &[Made]) -> Self {
        let mut scheme = self.clone();
        // what was not there before is 0 or 1
        let unit = |made: &Made| match made {
            Made::Of(j) => self.frame.columns[*j],
            _ => Unit::IDENTITY,
        };
        let tail = |made: &Made| match made {
            Made::Of(j) => self.tails[*j],
            _ if !self.has_tails => Tail::NONE,
            Made::Any { .. } => Tail {
                low: 0.0,
                high: 1.0,
            },
            Made::Nowhere => Tail::ALL,
        };
        scheme.frame.columns = recipe.iter().map(unit).collect();
        scheme.tails = recipe.iter().map(tail).collect();
        scheme.is_smooth &= recipe.iter().all(|made| matches!(made, Made::Of(_)));
        scheme
    }
}

impl Block {
    fn remade(&self, recipe: &[Made], blank: &Dataset, scheme: &Scheme) -> Self {
        let sums = remade_sums(&self.sums, recipe, &scheme.frame.columns);
        let extremes = recipe.iter().map(|made| self.extremes_of(made));
        let ties = recipe.iter().enumerate().map(|(j, made)| match made {
            Made::Of(from) => self.ties[*from],
            Made::Any { .. } if scheme.has_tails => {
                let high = sums.sum_of(j); // it is held in the unit 1
                let low = (sums.weight_of(j) - high).max(0.0);
                Ties { low, high }
            }
            _ => Ties::default(),
        });
        Self {
            extremes: Extremes(extremes.collect()),
            ties: ties.collect(),
            kept: Kept::new(remade(self.kept.whole().into_owned(), recipe, blank)),
            sums,
        }
    }

    fn extremes_of(&self, made: &Made) -> (f64, f64) {
        let occurs = |j: &usize| self.extremes.0[*j].1 >= 1.0;
        match made {
            Made::Of(j) => self.extremes.0[*j],
            Made::Any { column, levels } => {
                let is_one = levels.iter().any(occurs);
                let is_zero = column.clone().any(|j| !levels.contains(&j) && occurs(&j));
                match (is_zero, is_one) {
                    (false, false) => NOTHING,
                    _ => (f64::from(!is_zero), f64::from(is_one)),
                }
            }
            Made::Nowhere => NOTHING,
        }
    }
}

/// The sums of other features, each a sum of old ones that are held in these units.
fn remade_sums(old: &Summed, recipe: &[Made], units: &[Unit]) -> Summed {
    match old {
        Summed::ByMask(old) => Summed::ByMask(moments(old, recipe, units)),
        Summed::Folded(old) => {
            let features: Vec<Remade> = recipe.iter().map(|made| made.remade(units)).collect();
            Summed::Folded(Box::new(old.recast(&features, Origin::same(0))))
        }
    }
}

/// The moments of other features, each a sum of old ones that are held in these units.
fn moments(old: &Moments, recipe: &[Made], units: &[Unit]) -> Moments {
    let same = |made: &Made| match made {
        Made::Of(from) => Some(Origin::same(*from)),
        _ => None,
    };
    if let Some(origins) = recipe.iter().map(same).collect::<Option<Vec<_>>>() {
        return old.recast(&origins, Origin::same(0));
    }
    let d = recipe.len();
    let mut masks: Vec<_> = old.each().map(|(_, m)| of_mask(m, recipe, units)).collect();
    masks.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    let (mut bits, mut counts, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
    for (mask, n_rows, triangle) in masks {
        bits.extend(mask);
        counts.push(n_rows as f64);
        triangles.extend(triangle);
    }
    let moments = Moments::from_triangles(&bits, d, &counts, &triangles);
    moments.expect("masks that differed still do, with a triangle for each")
}

/// The bits of the mask, its number of rows and the lower triangle of its sums.
fn of_mask(old: &MaskMoments, recipe: &[Made], units: &[Unit]) -> (Vec<u64>, usize, Vec<f64>) {
    let mut mask = vec![0; recipe.len().div_ceil(WORD)];
    let mut all = vec![vec![(0, 1.0)]];
    for (j, made) in recipe.iter().enumerate() {
        if let Some(terms) = made.terms(&old.observed, units) {
            mask[j / WORD] |= 1 << (j % WORD);
            all.push(terms);
        }
    }
    all.push(vec![(old.order() - 1, 1.0)]);
    let mut triangle = Vec::with_capacity(all.len() * (all.len() + 1) / 2);
    for (i, a) in all.iter().enumerate() {
        for b in &all[..=i] {
            let products = a
                .iter()
                .flat_map(|&(i, p)| b.iter().map(move |&(j, q)| p * q * old.sum(i, j)));
            triangle.push(products.sum());
        }
    }
    (mask, old.n_rows, triangle)
}
