//! Roots of increasing functions.

/// The root of an increasing function of a positive number, by bisection of its logarithm.
pub(super) fn root(f: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    let (mut low, mut high) = (low.ln(), high.ln());
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if f(middle.exp()) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    (0.5 * (low + high)).exp()
}
