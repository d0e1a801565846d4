//! The places of quantiles.

/// Sums of weights round: a share that is missed by less is reached.
pub(crate) const ROUNDING: f64 = 1e-12;

/// The place of the `clip` quantile among `n` cells of equal weight, from either end.
pub(super) fn rank(clip: f64, n: usize) -> usize {
    let need = clip * n as f64 * (1.0 - ROUNDING);
    (need.ceil() as usize).saturating_sub(1)
}
