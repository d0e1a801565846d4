//! The units in which moments are summed.

use super::Ranges;

/// One affine map per column: `held = (clipped value - shift) / scale`, scale a power of two.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) columns: Vec<Unit>,
    /// One per target.
    pub(crate) targets: Vec<Unit>,
}

/// Where values are clipped, shifted and scaled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) shift: f64,
    pub(crate) scale: f64,
    pub(super) per_scale: f64,
}

impl Unit {
    /// Values as they are.
    pub(crate) const IDENTITY: Self = Self {
        lower: f64::NEG_INFINITY,
        upper: f64::INFINITY,
        shift: 0.0,
        scale: 1.0,
        per_scale: 1.0,
    };

    fn new((lower, upper): (f64, f64), clips: bool) -> Self {
        let half = 0.5 * upper - 0.5 * lower;
        let shift = lower + half;
        let (lower, upper) = if clips {
            (lower, upper)
        } else {
            (f64::NEG_INFINITY, f64::INFINITY)
        };
        let scale = power_of_two(half);
        Self {
            lower,
            upper,
            shift,
            scale,
            per_scale: 1.0 / scale,
        }
    }

    /// The same with a scale that also makes the shift small: it may have to be added back.
    fn around_zero(mut self) -> Self {
        self.scale = self.scale.max(power_of_two(self.shift.abs()));
        self.per_scale = 1.0 / self.scale;
        self
    }

    /// The unit of this shift and scale, where the latter is a power of two.
    pub(crate) fn unclipped(shift: f64, scale: f64) -> Option<Self> {
        let is_power = scale > 0.0 && scale.to_bits() == power_of_two(scale).to_bits();
        is_power.then_some(Self {
            shift,
            scale,
            per_scale: 1.0 / scale,
            ..Self::IDENTITY
        })
    }

    /// The value in this unit, clipped first.
    pub(crate) fn hold(&self, x: f64) -> f64 {
        (x.max(self.lower).min(self.upper) - self.shift) * self.per_scale
    }

    /// The value that [`Unit::hold`] makes `x` of.
    pub(crate) fn release(&self, x: f64) -> f64 {
        self.shift + self.scale * x
    }
}

/// A power of two within a factor of two of `x > 0`; 1 for 0. Its reciprocal is finite too.
pub(crate) fn power_of_two(x: f64) -> f64 {
    if x == 0.0 {
        return 1.0;
    }
    x.log2().ceil().clamp(-1000.0, 1000.0).exp2()
}

impl Frame {
    /// The frame in which the ranges map into [-1, 1]; `clips` cuts values outside them.
    pub(crate) fn new(ranges: &Ranges, clips: bool) -> Self {
        let unit = |range: &Option<(f64, f64)>| Unit::new(range.unwrap_or((0.0, 0.0)), clips);
        let of_target = |&range: &(f64, f64)| Unit::new(range, false).around_zero();
        Self {
            columns: ranges.columns.iter().map(unit).collect(),
            targets: ranges.targets.iter().map(of_target).collect(),
        }
    }

    /// The same units with values cut at the ranges.
    pub(crate) fn clipped_to(mut self, ranges: &Ranges) -> Self {
        for (unit, range) in self.columns.iter_mut().zip(&ranges.columns) {
            (unit.lower, unit.upper) = range.unwrap_or((0.0, 0.0));
        }
        self
    }
}
