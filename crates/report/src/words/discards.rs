//! What a device can free of its discards, in a sentence.

use ioalign_core::Bytes;
use ioalign_core::profile::DiscardCounts;

use super::numbers::{share, thousands};

/// `4 discards of 1 MiB in all: 75 % in whole units of 64 KiB; …`.
pub fn discards(found: &DiscardCounts) -> String {
    let lost = found.head_bytes.saturating_add(found.tail_bytes);
    let what = if found.discards == 1 {
        "discard"
    } else {
        "discards"
    };
    let all = format!(
        "{} {what} of {} in all",
        thousands(found.discards),
        Bytes::new(found.bytes)
    );
    let unit = Bytes::new(found.granularity_bytes);
    if lost == 0 {
        return format!("{all}: they are whole units of {unit}");
    }
    let nothing = match found.nothing_freed {
        0 => String::new(),
        n => format!(", {} without a single one", thousands(n)),
    };
    format!(
        "{all}{nothing}: {} lies in whole units of {unit}; the device drops {} before them and {} behind them",
        share(found.whole_bytes, found.bytes),
        Bytes::new(found.head_bytes),
        Bytes::new(found.tail_bytes),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_is_named() {
        let found = DiscardCounts {
            granularity_bytes: 65536,
            discards: 4,
            bytes: 4 << 18,
            whole_bytes: 3 << 18,
            head_bytes: 128 << 10,
            tail_bytes: 128 << 10,
            nothing_freed: 0,
            ..DiscardCounts::default()
        };
        assert_eq!(
            discards(&found),
            "4 discards of 1 MiB in all: 75 % lies in whole units of 64 KiB; the device drops 128 KiB before them and \
             128 KiB behind them"
        );
        let none = DiscardCounts {
            nothing_freed: 1,
            ..found
        };
        assert!(discards(&none).contains("in all, 1 without a single one: 75 %"));
        let whole = DiscardCounts {
            head_bytes: 0,
            tail_bytes: 0,
            whole_bytes: 1 << 20,
            ..found
        };
        assert_eq!(
            discards(&whole),
            "4 discards of 1 MiB in all: they are whole units of 64 KiB"
        );
    }
}
