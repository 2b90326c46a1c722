//! Write amplification in words and numbers, the same in every format.

use ioalign_core::comparison::{ArmAmplification, Cell, RatioRange, WriteAmplification};
use ioalign_core::numbers::{size_of, three};
use ioalign_core::write_counters::CountedBytes;

use super::words;

/// The columns of [`rows`].
pub const HEAD: [&str; 6] = [
    "arm",
    "written",
    "to the drive",
    "to its media",
    "amplification",
    "difference",
];

const CAVEAT: &str = "a range holds the units of the counters, not chance: what the drive does later for these writes (garbage \
                      collection, an SLC cache that is emptied) is not in it";

/// `Write amplification, 4 KiB random write, 16 in flight`.
pub fn title(one: &WriteAmplification) -> String {
    let cell = Cell {
        block_bytes: one.block_bytes,
        op: "write".to_owned(),
        pattern: one.pattern.clone(),
        ..Cell::default()
    };
    format!(
        "Write amplification, {}, {}, {} an arm",
        words::cell(&cell),
        words::load(one.queue_depth, one.workers),
        size_of(one.bytes_per_arm)
    )
}

/// A row an arm.
pub fn rows(one: &WriteAmplification) -> Vec<[String; 6]> {
    one.arms.iter().map(row).collect()
}

fn row(arm: &ArmAmplification) -> [String; 6] {
    let none = || "-".to_owned();
    let ratio = arm.ratio;
    [
        arm.arm.clone(),
        size_of(arm.written_bytes),
        arm.host_bytes.map_or_else(none, bytes),
        bytes(arm.media_bytes),
        arm.amplification.map_or_else(none, times),
        ratio.map_or_else(none, difference),
    ]
}

/// What is to be said of it, the reason why it is not known first.
pub fn notes(one: &WriteAmplification) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(one.unknown.as_ref().map(|why| format!("unknown: {why}")));
    for arm in one.arms.iter().filter(|arm| arm.others_wrote) {
        notes.push(format!(
            "{}: more came to {} than was written here: others wrote too, and their share of the media is in the numbers",
            arm.arm, arm.drive
        ));
    }
    if one.unsteady {
        let halves = one
            .arms
            .iter()
            .filter_map(|arm| match arm.halves.as_slice() {
                [first, second] => {
                    Some(format!("{} {}, {}", arm.arm, times(*first), times(*second)))
                }
                _ => None,
            });
        notes.push(format!(
            "undecided: the two halves of an arm differ more than the arms do ({})",
            halves.collect::<Vec<_>>().join("; ")
        ));
    }
    let mut counters: Vec<String> = Vec::new();
    for arm in &one.arms {
        let counter = format!("the {} of {}", arm.counter, arm.drive);
        if !counters.contains(&counter) {
            counters.push(counter);
        }
    }
    if !counters.is_empty() {
        notes.push(format!("counted by {}", counters.join(" and ")));
    }
    notes
}

/// What a reader has to know of all of them, if there are numbers.
pub fn caveat(all: &[WriteAmplification]) -> Option<&'static str> {
    all.iter().any(|one| !one.arms.is_empty()).then_some(CAVEAT)
}

/// `1.02 to 1.05 GiB`, or one number where both ends are shown alike.
fn bytes(range: CountedBytes) -> String {
    between(&size_of(range.low), &size_of(range.high))
}

fn difference(ratio: RatioRange) -> String {
    let [low, high] = [ratio.low, ratio.high].map(words::difference);
    if low == high {
        return low;
    }
    words::interval(Some(ratio.low), Some(ratio.high))
}

fn times(range: RatioRange) -> String {
    between(&three(range.low), &three(range.high))
}

fn between(low: &str, high: &str) -> String {
    let unit = |text: &str| text.split_once(' ').map(|(_, unit)| unit.to_owned());
    match low.split_once(' ') {
        _ if low == high => low.to_owned(),
        Some((number, _)) if unit(low) == unit(high) => format!("{number} to {high}"),
        _ => format!("{low} to {high}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_as_short_as_it_can_be() {
        for (low, high, said) in [
            (1 << 30, (1 << 30) + 1, "1 GiB"),
            (1 << 30, 3 << 29, "1 to 1.5 GiB"),
            (1 << 20, 1 << 30, "1 MiB to 1 GiB"),
        ] {
            assert_eq!(bytes(CountedBytes { low, high }), said);
        }
        let range = |low, high| RatioRange { low, high };
        assert_eq!(times(range(1.0, 1.2)), "1 to 1.2");
    }
}
