//! Winsorising: what lies far out counts as the limit, so that one stall does not decide.
//!
//! The limits of a window are the median of the window before, plus and minus four times its median
//! absolute deviation: 2.7 standard deviations of normal noise, of which 0.7 % lies outside. They move with
//! the window because noise changes, and because an error of fixed limits would never average out.

use super::median;

/// Observations that the next limits are made of.
const WINDOW: usize = 64;
/// Median absolute deviations to each side.
const DEVIATIONS: f64 = 4.0;

/// Limits, and the window that the next ones come from.
#[derive(Clone, Debug)]
pub struct Clip {
    window: Vec<f64>,
    scratch: Vec<f64>,
    low: f64,
    high: f64,
    settled: bool,
}

impl Default for Clip {
    fn default() -> Self {
        Self {
            window: Vec::with_capacity(WINDOW),
            scratch: Vec::with_capacity(WINDOW),
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
            settled: false,
        }
    }
}

impl Clip {
    /// Takes one in; before the first window is full its limits are those of all that came so far.
    pub fn see(&mut self, value: f64) {
        self.window.push(value);
        let full = self.window.len() == WINDOW;
        if full || !self.settled {
            self.measure();
        }
    }

    /// Whether the first window is full, so that limits are known before a value is.
    pub const fn settled(&self) -> bool {
        self.settled
    }

    /// Within the limits.
    pub const fn clip(&self, value: f64) -> f64 {
        value.max(self.low).min(self.high)
    }

    /// The values of the first window so far.
    pub fn first(&self) -> &[f64] {
        &self.window
    }

    /// Begins the next window.
    pub fn turn(&mut self) {
        if self.window.len() == WINDOW {
            self.settled = true;
            self.window.clear();
        }
    }

    fn measure(&mut self) {
        self.scratch.clone_from(&self.window);
        let centre = median(&mut self.scratch);
        for value in &mut self.scratch {
            *value = (*value - centre).abs();
        }
        let reach = DEVIATIONS * median(&mut self.scratch);
        // More than half are equal: a coarse clock, nothing to tell far from near by.
        if reach > 0.0 {
            (self.low, self.high) = (centre - reach, centre + reach);
        } else {
            (self.low, self.high) = (f64::NEG_INFINITY, f64::INFINITY);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of which two thirds lie this far from zero, on either side: the limits are four times as far.
    fn see_window(clip: &mut Clip, spread: f64) {
        for value in [-spread, 0.0, spread].into_iter().cycle().take(WINDOW) {
            clip.see(value);
            clip.turn();
        }
    }

    #[test]
    fn what_lies_far_out_counts_as_the_limit_of_the_window_before() {
        let mut clip = Clip::default();
        for spread in [1.0, 10.0] {
            see_window(&mut clip, spread);
            let clipped = [99.0, -99.0, 3.0].map(|value| clip.clip(value));
            assert_eq!(clipped, [4.0 * spread, -4.0 * spread, 3.0]);
        }
        assert!(clip.settled() && clip.first().is_empty());
        see_window(&mut clip, 0.0);
        assert_eq!(clip.clip(99.0), 99.0, "all alike");
    }
}
