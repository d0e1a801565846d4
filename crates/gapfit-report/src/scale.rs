//! From numbers to places in a picture.

use crate::number::rough;

/// Beyond it, differences of numbers could overflow.
const LARGEST: f64 = 1e300;

/// How numbers are laid out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Linear,
    /// By orders of magnitude; for positive numbers.
    Log,
}

impl Kind {
    /// Whether a number has a place.
    fn shows(self, value: f64) -> bool {
        value.is_finite() && (self == Self::Linear || value > 0.0)
    }
}

/// A map from an interval of numbers to an interval of places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    kind: Kind,
    from: (f64, f64),
    to: (f64, f64),
}

impl Scale {
    /// The scale that shows all finite `values` between the places `to`.
    pub(crate) fn over(kind: Kind, values: impl IntoIterator<Item = f64>, to: (f64, f64)) -> Self {
        let is_shown = |v: &f64| kind.shows(*v);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.into_iter().filter(is_shown) {
            let value = value.clamp(-LARGEST, LARGEST);
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            (low, high) = (1.0, 2.0);
        }
        let from = match kind {
            Kind::Linear => widened(low, high),
            Kind::Log => {
                let order = |number: f64| number.log10().clamp(-250.0, 250.0);
                let (low, high) = widened(order(low), order(high));
                (10f64.powf(low), 10f64.powf(high))
            }
        };
        Self { kind, from, to }
    }

    /// The same scale with round numbers at its ends.
    pub(crate) fn rounded(mut self) -> Self {
        if self.kind == Kind::Linear {
            let step = self.step(5);
            self.from.0 = (self.from.0 / step).floor() * step;
            self.from.1 = (self.from.1 / step).ceil() * step;
        }
        self
    }

    /// Whether a number has a place.
    pub(crate) fn shows(&self, value: f64) -> bool {
        self.kind.shows(value)
    }

    /// The place of a number; numbers beyond the ends get the place of the end.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let share = match self.kind {
            Kind::Linear => (value - self.from.0) / (self.from.1 - self.from.0),
            Kind::Log => (value / self.from.0).ln() / (self.from.1 / self.from.0).ln(),
        };
        self.to.0 + share.clamp(0.0, 1.0) * (self.to.1 - self.to.0)
    }

    /// About `n` round numbers within the ends.
    pub(crate) fn ticks(&self, n: usize) -> Vec<f64> {
        let (low, high) = self.from;
        match self.kind {
            Kind::Linear => {
                let step = self.step(n);
                let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
                let count = (last - first).clamp(0.0, 100.0) as usize;
                (0..=count).map(|k| (first + k as f64) * step).collect()
            }
            Kind::Log => self.orders(n),
        }
    }

    /// Ticks of a logarithmic scale: orders of magnitude and, if they are few, numbers between.
    fn orders(&self, n: usize) -> Vec<f64> {
        let (low, high) = (self.from.0 * (1.0 - 1e-9), self.from.1 * (1.0 + 1e-9));
        let (first, last) = (low.log10().ceil() as i32 - 1, high.log10().floor() as i32);
        let within = |v: &f64| (low..=high).contains(v);
        let ticks = |factors: &[f64]| -> Vec<f64> {
            let ticks = (first..=last).flat_map(|o| factors.iter().map(move |f| f * 10f64.powi(o)));
            ticks.filter(within).collect()
        };
        let dense = ticks(&[1.0, 2.0, 5.0]);
        match dense.len() {
            // hardly any room between two orders: the ends must do
            0 | 1 => vec![self.from.0, self.from.1],
            many if many > n + 1 => {
                let orders = ticks(&[1.0]);
                let skip = orders.len().div_ceil(n.max(1)).max(1);
                orders.into_iter().step_by(skip).collect()
            }
            _ => dense,
        }
    }

    /// A round distance of ticks.
    fn step(&self, n: usize) -> f64 {
        let raw = (self.from.1 - self.from.0) / n.max(1) as f64;
        let order = 10f64.powf(raw.log10().floor());
        let factor = match raw / order {
            f if f <= 1.0 => 1.0,
            f if f <= 2.0 => 2.0,
            f if f <= 5.0 => 5.0,
            _ => 10.0,
        };
        factor * order
    }

    /// What is written at a tick.
    pub(crate) fn label(&self, tick: f64) -> String {
        let span = self.from.1 - self.from.0;
        match self.kind {
            Kind::Linear if tick.abs() < 1e-9 * span => "0".to_owned(),
            Kind::Linear if (1e-4..1e6).contains(&tick.abs()) => {
                let decimals = (-self.step(5).log10().floor()).clamp(0.0, 8.0) as usize;
                format!("{tick:.decimals$}")
            }
            _ => rough(tick),
        }
    }
}

/// The interval, wide enough to be divided.
fn widened(low: f64, high: f64) -> (f64, f64) {
    if high - low > 1e-12 * low.abs().max(high.abs()) {
        return (low, high);
    }
    let room = if low == 0.0 { 1.0 } else { 0.1 * low.abs() };
    (low - room, high + room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_go_to_ends_and_ticks_are_round() {
        let scale = Scale::over(Kind::Linear, [0.0, 9.7, f64::NAN], (100.0, 0.0)).rounded();
        assert_eq!(scale.ticks(5), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert!((scale.at(10.0) - 0.0).abs() < 1e-9);
        assert!((scale.at(-5.0) - 100.0).abs() < 1e-9);
        let orders = Scale::over(Kind::Log, [1.0, 1e4], (0.0, 40.0));
        assert_eq!(orders.ticks(5), [1.0, 10.0, 100.0, 1000.0, 10_000.0]);
        assert!((orders.at(100.0) - 20.0).abs() < 1e-9);
    }

    #[test]
    fn places_are_finite_whatever_the_numbers() {
        for values in [
            vec![],
            vec![0.0],
            vec![-3.0, -3.0],
            vec![f64::MAX, f64::MIN],
            vec![f64::NAN, f64::INFINITY],
            vec![1e-300, 2e-300],
        ] {
            for kind in [Kind::Linear, Kind::Log] {
                let scale = Scale::over(kind, values.clone(), (0.0, 10.0));
                for &v in &values {
                    assert!(v.is_nan() || (0.0..=10.0).contains(&scale.at(v)) || v <= 0.0);
                }
                assert!(scale.ticks(5).iter().all(|tick| tick.is_finite()));
            }
        }
    }
}
