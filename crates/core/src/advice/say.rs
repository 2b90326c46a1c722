//! Shares in few characters.

use super::{Loss, Uncovered};
use crate::numbers::estimate;
use crate::units::Bytes;

/// `8 to 15 %`, `40 % to 18 times`; one number where both ends look alike.
pub fn range(low: f64, high: f64) -> String {
    let (low, high) = (estimate(low), estimate(high));
    if low == high {
        return low;
    }
    let unit = high.rsplit_once(' ').map_or("", |(_, unit)| unit);
    let low = low.strip_suffix(unit).map_or(low.as_str(), str::trim_end);
    format!("{low} to {high}")
}

/// `55 % longer (48 to 63 %)`; without a middle `4 to 90 % longer`.
pub fn longer(loss: &Loss) -> String {
    let ends = range(loss.low_ratio, loss.high_ratio);
    match loss.likely_ratio {
        Some(likely) => format!("{} longer ({ends})", estimate(likely)),
        None => format!("{ends} longer"),
    }
}

/// A count with its noun: `1 cell`, `3 cells`.
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// `random reads of 4 KiB`.
pub fn kind_of_io(one: &Uncovered) -> String {
    let order = match one.sequential {
        Some(true) => "sequential ",
        Some(false) => "random ",
        None => "",
    };
    format!("{order}{}s of {}", one.op, Bytes::new(one.bytes))
}

/// A mean number of I/Os in flight: `1`, `1.4`, `63`.
pub fn in_flight(depth: f64) -> String {
    let text = if depth < 9.95 {
        format!("{depth:.1}")
    } else {
        format!("{depth:.0}")
    };
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_short() {
        assert_eq!(range(0.08, 0.151), "8 to 15 %");
        assert_eq!(range(0.121, 0.122), "12 %");
        assert_eq!(range(0.4, 18.2), "40 % to 18 times");
        assert_eq!(range(11.0, 18.2), "11 to 18 times");
        assert_eq!(counted(1, "cell"), "1 cell");
    }
}
