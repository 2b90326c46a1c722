//! The vertical axis: a range that begins or passes at nothing, and round marks on it.

/// From values to heights in a plot.
pub struct PlotScale {
    low: f64,
    high: f64,
    step: f64,
    top: f64,
    bottom: f64,
}

/// The approximate number of marks.
const MARKS: f64 = 5.0;
/// More would be drawn only for numbers that are none.
const MOST_MARKS: u32 = 24;
/// Beyond this a number is no measurement.
const MOST: f64 = 1e15;

impl PlotScale {
    /// A scale on which all `values` have a place, at least `least` high, between two heights.
    pub fn of(values: impl Iterator<Item = f64>, least: f64, (top, bottom): (f64, f64)) -> Self {
        let sound = values.filter(|value| value.is_finite() && value.abs() < MOST);
        let (low, high) = sound.fold((0.0, 0.0), |(low, high): (f64, f64), value| {
            (low.min(value), high.max(value))
        });
        let high = high.max(low + least);
        let step = round_step((high - low) / MARKS);
        Self {
            low: (low / step).floor() * step,
            high: (high / step).ceil() * step,
            step,
            top,
            bottom,
        }
    }

    /// The height of a value, at the edge of the plot where it is beyond it.
    pub fn y(&self, value: f64) -> f64 {
        let share = (value.clamp(self.low, self.high) - self.low) / (self.high - self.low);
        self.bottom - share * (self.bottom - self.top)
    }

    /// Whether a value has no place in the plot.
    pub fn beyond(&self, value: f64) -> bool {
        let near = self.step * 1e-6;
        !(self.low - near..=self.high + near).contains(&value)
    }

    /// The marks, lowest first.
    pub fn marks(&self) -> Vec<f64> {
        let near = self.step * 1e-6;
        let marks = (0..MOST_MARKS).map(|i| f64::from(i).mul_add(self.step, self.low));
        marks
            .take_while(|mark| *mark <= self.high + near)
            .map(|mark| if mark.abs() < near { 0.0 } else { mark })
            .collect()
    }
}

/// 1, 2 or 5 times a power of ten.
fn round_step(raw: f64) -> f64 {
    let power = 10_f64.powf(raw.log10().floor());
    let mut factors = [1.0, 2.0, 5.0].into_iter();
    let factor = factors.find(|factor| factor * power >= raw * 0.999_999);
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_hold_everything() {
        let scale = PlotScale::of([0.62, -0.03].into_iter(), 0.02, (0.0, 100.0));
        let marks = scale.marks();
        assert_eq!(marks.len(), 6, "{marks:?}");
        assert!((marks[0] + 0.2).abs() < 1e-9 && (marks[5] - 0.8).abs() < 1e-9);
        assert!(scale.y(0.62) > 0.0 && scale.y(-0.03) < 100.0);
        assert!(!scale.beyond(0.62) && scale.beyond(4.0) && scale.beyond(f64::NAN));
    }

    #[test]
    fn numbers_that_are_none_do_no_harm() {
        for value in [f64::NAN, f64::INFINITY, -1e300, 1e-300, 0.0] {
            let scale = PlotScale::of([value].into_iter(), 0.02, (0.0, 100.0));
            let marks = scale.marks();
            assert!((2..=24).contains(&marks.len()), "{value}: {marks:?}");
        }
    }
}
