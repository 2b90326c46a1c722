//! The mean over all I/O: what each kind pays, weighed by how much of the time is its own.

/// One kind of I/O.
#[derive(Clone, Debug)]
pub(super) struct LossTerm {
    /// How many.
    pub(super) ios: f64,
    /// Share of them that crosses.
    pub(super) share: f64,
    /// The cost of a crossing, as a share of a clean I/O's time, from least to most.
    pub(super) price: [f64; 2],
    /// The middle of what was measured; `None`: nothing was.
    pub(super) likely: Option<f64>,
    /// Whether the price rests on a verdict.
    pub(super) decided: bool,
    /// Whether a cell is of this very kind of I/O.
    pub(super) exact: bool,
    /// The time of a clean I/O, from least to most, in any unit.
    pub(super) time: [f64; 2],
}

impl LossTerm {
    fn middle(&self) -> f64 {
        (self.time[0] * self.time[1]).sqrt()
    }
}

/// The least mean slowdown, over all prices and times that the terms allow, and the most.
pub(super) fn ends(terms: &[LossTerm]) -> [f64; 2] {
    [end(terms, 0), end(terms, 1)]
}

/// A weighted mean is least or most where every weight is at one of its ends: at the upper one for what lies on this side of
/// the mean. Each round brings the mean nearer to that, as in Dinkelbach's method.
fn end(terms: &[LossTerm], side: usize) -> f64 {
    const ROUNDS: usize = 32;
    let pays = |term: &LossTerm| term.share * term.price.get(side).copied().unwrap_or(0.0);
    let mut value = mean(terms, pays, LossTerm::middle);
    for _ in 0..ROUNDS {
        let before = value;
        let time = |term: &LossTerm| {
            let heavy = if side == 0 {
                pays(term) < before
            } else {
                pays(term) > before
            };
            if heavy { term.time[1] } else { term.time[0] }
        };
        value = mean(terms, pays, time);
        if (value - before).abs() < 1e-12 {
            break;
        }
    }
    value
}

/// The mean by what was measured; what was not counts as the rest.
pub(super) fn likely(terms: &[LossTerm]) -> Option<f64> {
    let measured: Vec<_> = terms
        .iter()
        .filter(|term| term.likely.is_some() || term.share <= 0.0)
        .cloned()
        .collect();
    let any = measured.iter().any(|term| term.likely.is_some());
    let pays = |term: &LossTerm| term.share * term.likely.unwrap_or(0.0);
    any.then(|| mean(&measured, pays, LossTerm::middle))
}

/// The share of the crossing I/O that passes a test: by count or by time, whichever is less.
pub(super) fn share(terms: &[LossTerm], test: impl Fn(&LossTerm) -> bool) -> Option<f64> {
    let by = |weight: &dyn Fn(&LossTerm) -> f64| {
        let crossing = |term: &LossTerm| term.ios * term.share * weight(term);
        // From 0: the sum of nothing would be -0.
        let sum = |all: f64, term: &LossTerm| all + crossing(term);
        let all = terms.iter().fold(0.0, sum);
        let some = terms.iter().filter(|term| test(term)).fold(0.0, sum);
        (all > 0.0).then(|| some / all)
    };
    by(&|_| 1.0)
        .zip(by(&LossTerm::middle))
        .map(|(a, b)| a.min(b))
}

/// The share of all I/O that crosses.
pub(super) fn crossing(terms: &[LossTerm]) -> f64 {
    mean(terms, |term| term.share, |_| 1.0)
}

fn mean(
    terms: &[LossTerm],
    value: impl Fn(&LossTerm) -> f64,
    time: impl Fn(&LossTerm) -> f64,
) -> f64 {
    let (mut sum, mut all) = (0.0, 0.0);
    for term in terms {
        let weight = term.ios * time(term);
        sum += weight * value(term);
        all += weight;
    }
    if all > 0.0 { sum / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(price: [f64; 2], time: [f64; 2]) -> LossTerm {
        LossTerm {
            ios: 1.0,
            share: 1.0,
            price,
            likely: Some(price[0]),
            decided: true,
            exact: true,
            time,
        }
    }

    #[test]
    fn unknown_times_make_a_mean_uncertain() {
        // Half of the I/O pays nothing and half pays all; either may be ten times as long as the other.
        let terms = [term([0.0, 0.0], [1.0, 10.0]), term([1.0, 1.0], [1.0, 10.0])];
        let [low, high] = ends(&terms);
        assert!((low - 1.0 / 11.0).abs() < 1e-9, "{low}");
        assert!((high - 10.0 / 11.0).abs() < 1e-9, "{high}");
        assert!((likely(&terms).unwrap() - 0.5).abs() < 1e-9);
    }

    #[test]
    fn known_times_do_not() {
        let terms = [term([0.1, 0.3], [3.0, 3.0]), term([1.0, 2.0], [1.0, 1.0])];
        let [low, high] = ends(&terms);
        assert!((low - 0.325).abs() < 1e-9 && (high - 0.725).abs() < 1e-9);
        assert_eq!(ends(&[]), [0.0, 0.0]);
    }
}
